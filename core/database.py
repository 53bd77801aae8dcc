"""Checks of the database: whether it is whole, flushes what it acknowledges, and has a recent copy."""

import json
import sqlite3
import uuid
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection

from core.check_result import CheckResult, Level
from core.fsync import flush_to_disk

# SQLite before 3.51.3 may corrupt a write-ahead log when two connections reset it at once ("WAL-reset", March 2026).
WAL_RESET_FIRST, WAL_RESET_FIXED = (3, 7, 0), (3, 51, 3)
SYNCHRONOUS_FULL = 2
COPY_PATTERN = "earmark-*.sqlite3"


def clock() -> datetime:
    """The time by the database's clock, the only one that all workers share."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')")
        else:
            cursor.execute("SELECT clock_timestamp() AT TIME ZONE 'UTC' || '+00:00'")
        return datetime.fromisoformat(cursor.fetchone()[0])


def integrity(*, thorough: bool = False) -> CheckResult:
    """Read through an SQLite file in search of damage; PostgreSQL checks its pages itself as it reads them."""
    if connection.vendor != "sqlite":
        return CheckResult("integrity", Level.OK, "PostgreSQL verifies its pages as it reads them.")
    if not _file().exists():
        return CheckResult("integrity", Level.OK, "There is no database file yet.")
    try:
        # A connection of its own: Django's would fail on its way in, before it could say what is wrong.
        with closing(sqlite3.connect(f"{_file().as_uri()}?mode=rw", uri=True)) as reader:
            found = damage(reader, thorough=thorough)
    except sqlite3.OperationalError as problem:
        remedy = "see that the disk is sound and the file readable"
        return CheckResult("integrity", Level.PROBLEM, f"{_file()} cannot be read: {problem}.", remedy)
    if found:
        return CheckResult("integrity", Level.PROBLEM, f"The database file is damaged: {found[0]}.", _restore_command())
    return CheckResult("integrity", Level.OK, "The database file is whole.")


def durability() -> list[CheckResult]:
    """Whether the reply to a vote means that it is on the disk, asked of the database itself, not of the settings."""
    return _sqlite_durability() if connection.vendor == "sqlite" else _postgresql_durability()


def make_copy(
    *, at: datetime | None = None, progress: Callable[[int, int], None] = lambda done, total: None
) -> Path | None:
    """Copy a running SQLite database to a checked file named after the moment; None on PostgreSQL.

    Readers and writers carry on meanwhile. The file appears under its name only when it is whole and on the disk.
    Beside it lie the numbers of its rows, with which a trial of restoring it compares (core/restoring.py).
    """
    if connection.vendor != "sqlite":
        return None
    folder = copies_folder()
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"earmark-{(at or clock()):%Y%m%dT%H%M%SZ}.sqlite3"
    if not target.exists():
        scratch = folder / f"{uuid.uuid4().hex}.partial"
        try:
            counts = _copy_checked(scratch, progress)
            counts_of(target).write_text(json.dumps(counts))
            scratch.replace(target)
            flush_to_disk(folder)
        finally:
            scratch.unlink(missing_ok=True)
    for old in copies()[settings.BACKUP_KEEP :]:
        old.unlink(missing_ok=True)
        counts_of(old).unlink(missing_ok=True)
    progress(3, 3)
    return target


def counts_of(copy: Path) -> Path:
    """Where the numbers of a copy's rows stand, by table."""
    return copy.with_suffix(".json")


def copies() -> list[Path]:
    """The copies at hand, newest first."""
    return sorted(copies_folder().glob(COPY_PATTERN), reverse=True)


def copies_folder() -> Path:
    return Path(settings.DATA_DIR) / "copies"


class DamagedCopy(Exception):
    """A copy failed its check; the database behind it is probably damaged too."""


def _file() -> Path:
    return Path(connection.settings_dict["NAME"]).resolve()


def _copy_checked(scratch: Path, progress: Callable[[int, int], None]) -> dict[str, int]:
    """Copy, check, and flush; return how many rows each table of the copy has."""
    progress(0, 3)
    reader = sqlite3.connect(f"{_file().as_uri()}?mode=ro", uri=True)
    with closing(reader) as source, closing(sqlite3.connect(scratch)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")  # One file, with no companions to forget when it is moved.
        progress(1, 3)
        found = damage(copy, thorough=True)
        counts = {} if found else row_counts(copy)
    if found:
        raise DamagedCopy(f"A copy of {_file()} would be damaged: {found[0]}; run manage.py check_database.")
    progress(2, 3)
    flush_to_disk(scratch)
    return counts


def row_counts(reader: sqlite3.Connection) -> dict[str, int]:
    """How many rows each table of an SQLite file has."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    names = [name for (name,) in reader.execute(query)]
    return {name: reader.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}  # noqa: S608


def damage(reader: sqlite3.Connection, *, thorough: bool) -> list[str]:
    """What SQLite complains about; an intact file answers with the single line "ok"."""
    question = "PRAGMA integrity_check" if thorough else "PRAGMA quick_check"
    try:
        lines = [row[0] for row in reader.execute(question) if row[0] != "ok"]
        orphans = [f"a row of {row[0]} points at a missing one" for row in reader.execute("PRAGMA foreign_key_check")]
    except sqlite3.OperationalError:  # Locked or unreadable for the moment, which says nothing about the content.
        raise
    except sqlite3.DatabaseError as verdict:  # Too damaged even to be looked through.
        return [str(verdict)]
    return lines + orphans


def _restore_command() -> str:
    path = _file()
    if not copies():
        return f"there is no copy in {copies_folder()}; put a backup of your own in the place of {path}"
    # The log and index files must leave together with the damaged file, or they would be applied to the copy.
    return f"stop Earmark, then: mkdir {path}.damaged && mv {path}* {path}.damaged/ ; cp {copies()[0]} {path}"


def _unsafe() -> Level:
    return Level.PROBLEM if settings.PRODUCTION else Level.WARNING


def _sqlite_durability() -> list[CheckResult]:
    with connection.cursor() as cursor:
        journal = cursor.execute("PRAGMA journal_mode").fetchone()[0]
        synchronous = cursor.execute("PRAGMA synchronous").fetchone()[0]
    findings = []
    if journal != "wal" or synchronous < SYNCHRONOUS_FULL:
        said = f"SQLite runs with journal_mode={journal} and synchronous={synchronous}; votes need wal and 2 (FULL)."
        findings.append(CheckResult("durability", Level.PROBLEM, said, "move the data folder to a local disk"))
    else:
        findings.append(CheckResult("durability", Level.OK, "SQLite flushes every commit (WAL, synchronous=FULL)."))
    if WAL_RESET_FIRST <= sqlite3.sqlite_version_info < WAL_RESET_FIXED:
        said = f"SQLite {sqlite3.sqlite_version} has a rare fault in its write-ahead log, mended in 3.51.3."
        findings.append(
            CheckResult("sqlite", Level.WARNING, said, "keep the scheduled copies; use PostgreSQL for studies")
        )
    else:
        findings.append(CheckResult("sqlite", Level.OK, f"SQLite {sqlite3.sqlite_version}."))
    return findings


def _postgresql_durability() -> list[CheckResult]:
    asked = ["fsync", "full_page_writes", "synchronous_commit", "data_checksums"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, setting FROM pg_settings WHERE name = ANY(%s)", [asked])
        found = dict(cursor.fetchall())
    findings = []
    off = [name for name in asked[:3] if found[name] == "off"]
    if off:
        said = f"PostgreSQL acknowledges commits that it may lose: {', '.join(off)} off."
        findings.append(CheckResult("durability", _unsafe(), said, f"set {' and '.join(off)} to on in postgresql.conf"))
    else:
        findings.append(CheckResult("durability", Level.OK, "PostgreSQL flushes every commit."))
    if found["data_checksums"] == "off":
        said = "PostgreSQL keeps no checksums of its pages, so a failing disk goes unnoticed."
        findings.append(CheckResult("checksums", Level.WARNING, said, "stop PostgreSQL and run pg_checksums --enable"))
    return findings
