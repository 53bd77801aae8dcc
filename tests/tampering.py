"""Changes of rows by a person with the database's password."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from core.append_only import ALLOW_ON_SQLITE
from tests.conftest import APPEND_ONLY

DISARM_SQLITE = [
    *(step.format(table=table) for table in APPEND_ONLY for step in ALLOW_ON_SQLITE),
    "PRAGMA ignore_check_constraints = ON",
    "PRAGMA defer_foreign_keys = ON",
]
DISARM_POSTGRESQL = [
    "SET CONSTRAINTS ALL IMMEDIATE",  # a table with checks outstanding cannot be altered
    "ALTER TABLE rating_vote DROP CONSTRAINT vote_accepted_has_revision",
    "SET LOCAL session_replication_role = replica",  # neither triggers nor foreign keys
]


@contextmanager
def tampering() -> Iterator[CursorWrapper]:
    """No trigger and no constraint; everything is put back after."""
    with transaction.atomic(), connection.cursor() as cursor:
        for step in DISARM_SQLITE if connection.vendor == "sqlite" else DISARM_POSTGRESQL:
            cursor.execute(step)
        yield cursor
        transaction.set_rollback(True)
    if connection.vendor == "sqlite":
        connection.cursor().execute("PRAGMA ignore_check_constraints = OFF")
