"""A migration step after which the database itself refuses to alter a table's rows.

SQLite refuses only updates: a test run empties its tables by deleting, and whoever holds the file can alter it anyway.
A later migration that rebuilds the table on SQLite drops the trigger and must take this step again.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

REFUSE_ON_POSTGRESQL = """
CREATE FUNCTION {table}_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'rows of {table} are never altered' USING ERRCODE = 'integrity_constraint_violation'; END $$;
CREATE TRIGGER {table}_is_append_only BEFORE UPDATE OR DELETE ON {table}
FOR EACH ROW EXECUTE FUNCTION {table}_is_append_only();
"""
REFUSE_ON_SQLITE = """
CREATE TRIGGER {table}_is_append_only BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, 'rows of {table} are never altered'); END;
"""
ALLOW_ON_POSTGRESQL = """
DROP TRIGGER {table}_is_append_only ON {table};
DROP FUNCTION {table}_is_append_only();
"""
ALLOW_ON_SQLITE = "DROP TRIGGER {table}_is_append_only;"


def append_only(table: str) -> migrations.RunPython:
    def refuse(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        on_sqlite = schema_editor.connection.vendor == "sqlite"
        schema_editor.execute((REFUSE_ON_SQLITE if on_sqlite else REFUSE_ON_POSTGRESQL).format(table=table))

    def allow(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        on_sqlite = schema_editor.connection.vendor == "sqlite"
        schema_editor.execute((ALLOW_ON_SQLITE if on_sqlite else ALLOW_ON_POSTGRESQL).format(table=table))

    return migrations.RunPython(refuse, allow)
