"""A migration step after which the database itself refuses to alter a table's rows or to delete them.

A later migration that rebuilds the table on SQLite drops the triggers and must take this step again, which it may.
A person with the file or the password can drop them too: what was altered then shows in the chains (verify_votes).
"""

from collections.abc import Mapping

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

REFUSE_ON_POSTGRESQL = (
    """
CREATE OR REPLACE FUNCTION {table}_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
IF TG_OP = 'DELETE' AND ({deletable}) THEN RETURN OLD; END IF;
RAISE EXCEPTION 'rows of {table} are never altered' USING ERRCODE = 'integrity_constraint_violation'; END $$
""",
    """
CREATE OR REPLACE TRIGGER {table}_is_append_only BEFORE UPDATE OR DELETE ON {table}
FOR EACH ROW EXECUTE FUNCTION {table}_is_append_only()
""",
)
REFUSE_ON_SQLITE = (
    """
CREATE TRIGGER IF NOT EXISTS {table}_is_append_only BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, 'rows of {table} are never altered'); END
""",
    """
CREATE TRIGGER IF NOT EXISTS {table}_is_never_deleted BEFORE DELETE ON {table} WHEN NOT ({deletable})
BEGIN SELECT RAISE(ABORT, 'rows of {table} are never altered'); END
""",
)
NEVER = {"postgresql": "FALSE", "sqlite": "0"}
ALLOW_ON_POSTGRESQL = (
    "DROP TRIGGER IF EXISTS {table}_is_append_only ON {table}",
    "DROP FUNCTION IF EXISTS {table}_is_append_only()",
)
ALLOW_ON_SQLITE = (
    "DROP TRIGGER IF EXISTS {table}_is_append_only",
    "DROP TRIGGER IF EXISTS {table}_is_never_deleted",
)


def append_only(table: str, *, deletable: Mapping[str, str] | None = None) -> migrations.RunPython:
    """`deletable`: a condition on the row OLD, by database vendor, under which it may be deleted after all."""

    def refuse(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        vendor = schema_editor.connection.vendor
        for step in REFUSE_ON_SQLITE if vendor == "sqlite" else REFUSE_ON_POSTGRESQL:
            schema_editor.execute(step.format(table=table, deletable=(deletable or NEVER)[vendor]))

    def allow(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        on_sqlite = schema_editor.connection.vendor == "sqlite"
        for step in ALLOW_ON_SQLITE if on_sqlite else ALLOW_ON_POSTGRESQL:
            schema_editor.execute(step.format(table=table))

    return migrations.RunPython(refuse, allow)
