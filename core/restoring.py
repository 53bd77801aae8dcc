"""Trial of a restore: the newest copy is put into a temporary place, opened and counted, and the outcome is kept."""

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path

from django.db import connection

from core import database
from core.fsync import flush_to_disk

OUTCOME = "restore-trial.json"
STEPS = 4


@dataclass(frozen=True)
class Difference:
    """A table that has other numbers of rows now than when the copy was made."""

    table: str
    copied: int
    now: int


@dataclass(frozen=True)
class Outcome:
    """What the last trial found; without a problem the copy can be restored."""

    copy: str
    at: str
    tables: int = 0
    rows: int = 0
    migrations_missing: int = 0  # applied since the copy was made; after a restore, `migrate` applies them again
    problem: str = ""
    differences: list[Difference] = field(default_factory=list)

    @property
    def time(self) -> datetime:
        return datetime.fromisoformat(self.at)


def try_newest(*, at: datetime, progress: Callable[[int, int], None]) -> Outcome | None:
    """Restore the newest copy elsewhere, compare its rows with those that were copied, and keep the outcome."""
    newest = next(iter(database.copies()), None)
    if newest is None:
        return None
    outcome = _tried(newest, at, progress)
    place = database.copies_folder() / OUTCOME
    scratch = place.with_suffix(".new")
    scratch.write_text(json.dumps(asdict(outcome)), encoding="utf-8")
    flush_to_disk(scratch)
    scratch.replace(place)
    progress(STEPS, STEPS)
    return outcome


def last_outcome() -> Outcome | None:
    try:
        kept = json.loads((database.copies_folder() / OUTCOME).read_text(encoding="utf-8"))
        return Outcome(**kept | {"differences": [Difference(**each) for each in kept["differences"]]})
    except (OSError, ValueError, TypeError, KeyError):
        return None  # none was made, or by another version


def _tried(copy: Path, at: datetime, progress: Callable[[int, int], None]) -> Outcome:
    moment = at.isoformat()
    progress(0, STEPS)
    with tempfile.TemporaryDirectory(prefix="restore-", dir=copy.parent) as folder:
        try:
            restored = Path(shutil.copy(copy, folder))
            progress(1, STEPS)
            with closing(sqlite3.connect(restored)) as reader:
                if found := database.damage(reader, thorough=True):
                    return Outcome(copy.name, moment, problem=f"The copy is damaged: {found[0]}.")
                progress(2, STEPS)
                counts = database.row_counts(reader)
                applied = set(reader.execute("SELECT app, name FROM django_migrations"))
        except (OSError, sqlite3.Error) as problem:
            return Outcome(copy.name, moment, problem=f"The copy cannot be restored: {problem}.")
    progress(3, STEPS)
    now = _counts_now()
    return Outcome(
        copy.name,
        moment,
        tables=len(counts),
        rows=sum(counts.values()),
        migrations_missing=len(_applied_now() - applied),
        problem=_unlike(counts, _copied(copy)),
        differences=[
            Difference(table, counts.get(table, 0), now[table])
            for table in sorted(now)
            if now[table] != counts.get(table, 0)
        ],
    )


def _unlike(counts: dict[str, int], copied: dict[str, int]) -> str:
    """What the restored database lacks of what was copied."""
    for table, rows in copied.items():
        if counts.get(table) != rows:
            return f"The table {table} has {counts.get(table, 0)} rows, and had {rows} when the copy was made."
    return "" if counts else "The copy has no tables."


def _copied(copy: Path) -> dict[str, int]:
    try:
        counts: dict[str, int] = json.loads(database.counts_of(copy).read_text())
    except (OSError, ValueError):
        return {}  # of a copy that an earlier version made: nothing to compare with
    return counts


def _counts_now() -> dict[str, int]:
    connection.ensure_connection()
    return database.row_counts(connection.connection)


def _applied_now() -> set[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations")
        return set(cursor.fetchall())
