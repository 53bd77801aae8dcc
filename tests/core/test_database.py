"""Database settings: whole transactions, flushed to the disk, copied."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.checks import Error, run_checks
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from pytest_django.fixtures import Settings

from core import database
from core.check_result import Level
from tests.testapp.models import Effect

pytestmark = pytest.mark.django_db(transaction=True)

only_sqlite = pytest.mark.skipif(django_settings.TEST_DATABASE != "sqlite", reason="a fact about SQLite files")
MORNING = datetime(2026, 3, 1, 8, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _own_folder(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def other_file(tmp_path: Path) -> Iterator[Path]:
    """Point the connection at a database file that the test may damage."""
    path = tmp_path / "other.sqlite3"
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA journal_mode=WAL")
        made.execute("CREATE TABLE vote (id INTEGER PRIMARY KEY, value TEXT)")
        made.executemany("INSERT INTO vote (value) VALUES (?)", [("x" * 500,) for _ in range(200)])
        made.commit()
    own = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = str(path)
    yield path
    connection.close()
    connection.settings_dict["NAME"] = own


def damage(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\xff" * 4096)


def rows(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as copy:
        return {row[0] for row in copy.execute("SELECT key FROM testapp_effect")}


def test_the_clock_is_the_databases_and_runs_forward() -> None:
    first, second = database.clock(), database.clock()
    assert first.tzinfo == UTC
    assert first <= second


def test_a_sound_database_passes_its_check() -> None:
    said = StringIO()
    call_command("check_database", "--thorough", stdout=said)
    assert "problem" not in said.getvalue()
    assert "durability" in said.getvalue()


@only_sqlite
def test_the_connection_really_flushes_every_commit() -> None:
    assert [finding.level for finding in database.durability() if finding.piece == "durability"] == [Level.OK]


@only_sqlite
@pytest.mark.parametrize("weaker", ["PRAGMA synchronous=NORMAL", "PRAGMA synchronous=OFF"])
def test_a_connection_that_does_not_flush_is_refused(weaker: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(weaker)
    try:
        with pytest.raises(CommandError, match="synchronous"):
            call_command("check_database")
        assert any(isinstance(found, Error) and found.id == "core.E008" for found in run_checks(databases=["default"]))
    finally:
        connection.close()


@only_sqlite
@pytest.mark.parametrize(("version", "level"), [((3, 51, 2), "warning"), ((3, 51, 3), "ok"), ((3, 40, 1), "warning")])
def test_an_sqlite_with_the_log_fault_is_told(
    version: tuple[int, int, int], level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    assert [finding.level for finding in database.durability() if finding.piece == "sqlite"] == [level]


@only_sqlite
def test_a_damaged_file_is_refused_with_the_newest_copy_as_remedy(other_file: Path) -> None:
    older, newer = (database.make_copy(at=MORNING + timedelta(hours=hour)) for hour in (0, 1))
    connection.close()
    damage(other_file)
    with pytest.raises(CommandError, match="damaged") as error:
        call_command("check_database")
    assert f"cp {newer} {other_file}" in str(error.value)
    assert str(older) not in str(error.value)


@only_sqlite
def test_a_file_that_is_no_database_is_refused_too(other_file: Path) -> None:
    connection.close()
    other_file.write_bytes(b"This is a letter, not a database. " * 500)
    for companion in ("-wal", "-shm"):
        other_file.with_name(other_file.name + companion).unlink(missing_ok=True)
    with pytest.raises(CommandError, match="there is no copy"):
        call_command("check_database")


@only_sqlite
def test_the_remedy_for_a_damaged_file_works(other_file: Path) -> None:
    import subprocess

    database.make_copy(at=MORNING)
    connection.close()
    damage(other_file)
    finding = database.integrity()
    connection.close()
    subprocess.run(finding.remedy.removeprefix("stop Earmark, then: "), shell=True, check=True)  # noqa: S602
    assert database.integrity().level is Level.OK
    with connection.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM vote").fetchone() == (200,)


@only_sqlite
def test_a_copy_made_while_others_write_is_whole_and_holds_what_was_committed_before() -> None:
    Effect.objects.create(key="before")
    over = threading.Event()

    def keep_writing() -> None:
        while not over.is_set():
            Effect.objects.create(key="during")
        connection.close()

    writer = threading.Thread(target=keep_writing)
    writer.start()
    path = database.make_copy()
    over.set()
    writer.join()
    assert path is not None
    assert "before" in rows(path)
    left = {path, database.counts_of(path)}
    assert set(path.parent.iterdir()) == left, "no scratch file or companion is left"


@only_sqlite
def test_a_copy_of_the_same_moment_is_made_once() -> None:
    first = database.make_copy(at=MORNING)
    Effect.objects.create(key="later")
    assert database.make_copy(at=MORNING) == first
    assert first is not None
    assert rows(first) == set()


@only_sqlite
def test_only_the_newest_copies_are_kept(settings: Settings) -> None:
    settings.BACKUP_KEEP = 3
    made = [database.make_copy(at=MORNING + timedelta(hours=hour)) for hour in range(5)]
    assert database.copies() == made[:1:-1]


@only_sqlite
def test_a_damaged_database_does_not_push_good_copies_out(other_file: Path, settings: Settings) -> None:
    settings.BACKUP_KEEP = 1
    good = database.make_copy(at=MORNING)
    connection.close()
    damage(other_file)
    with pytest.raises(database.DamagedCopy):
        database.make_copy(at=MORNING + timedelta(hours=1))
    assert good is not None
    assert set(good.parent.iterdir()) == {good, database.counts_of(good)}
    with pytest.raises(CommandError, match="No copy was made"):
        call_command("copy_database")


@only_sqlite
def test_the_command_says_where_the_copy_is() -> None:
    said = StringIO()
    call_command("copy_database", stdout=said)
    assert str(database.copies()[0]) in said.getvalue()


@pytest.mark.postgresql
def test_on_postgresql_nothing_is_copied_and_the_command_says_so(tmp_path: Path) -> None:
    said = StringIO()
    call_command("copy_database", stdout=said)
    assert "pg_basebackup" in said.getvalue()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.postgresql
def test_a_postgresql_that_may_lose_commits_is_refused_in_production_and_told_elsewhere(settings: Settings) -> None:
    def levels() -> list[Level]:
        return [finding.level for finding in database.durability() if finding.piece == "durability"]

    assert levels() == [Level.OK]
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = off")
    try:
        assert levels() == [Level.WARNING]
        call_command("check_database", stdout=StringIO())
        settings.PRODUCTION = True
        assert levels() == [Level.PROBLEM]
        with pytest.raises(CommandError, match="synchronous_commit"):
            call_command("check_database")
    finally:
        connection.close()
