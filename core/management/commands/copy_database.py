"""manage.py copy_database: copy a running SQLite database now, besides the scheduled copies."""

import sqlite3
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core import database


class Command(BaseCommand):
    help = "Copy the running SQLite database to a checked file in the data folder."

    def handle(self, **options: Any) -> None:
        try:
            path = database.make_copy()
        except (database.DamagedCopy, sqlite3.OperationalError, OSError) as problem:
            raise CommandError(f"No copy was made. {problem}") from problem
        if path is None:
            self.stdout.write("This Earmark runs on PostgreSQL: copy it with pg_basebackup or pg_dump.")
        else:
            self.stdout.write(f"Copied to {path}.")
