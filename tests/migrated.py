"""Tables of a test database: made by the migrations once, and from then on by a copy of what these have made."""

import fcntl
import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection

KEPT = settings.BASE_DIR / "var" / "test-tables"


def make_tables() -> None:
    """Give the empty database of the connection its tables. Processes that want them at once wait for the first."""
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / f"{connection.vendor}-{_digest()}"
    with (KEPT / f"{connection.vendor}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            for old in KEPT.glob(f"{connection.vendor}-*"):
                old.unlink()
            _migrate(kept)
            return
    if connection.vendor == "sqlite":
        connection.close()
        shutil.copyfile(kept, connection.settings_dict["NAME"])
    else:
        with connection.cursor() as cursor:
            cursor.execute(kept.read_text(encoding="utf-8"), None)


def copy_tables(project: Path) -> None:
    """Give a copy of the project the tables of SQLite that were made here; it takes them while its models are ours."""
    target = project / KEPT.relative_to(settings.BASE_DIR)
    target.mkdir(parents=True)
    for kept in KEPT.glob("sqlite-*"):
        if kept.suffix != ".part":
            shutil.copy(kept, target)


@contextmanager
def working_on(**database: Any) -> Iterator[None]:
    """Let this process work on another database for a while."""
    connection.close()
    before = dict(connection.settings_dict)
    connection.settings_dict.update(database)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(before)


def _digest() -> str:
    """A hash of all that decides what the tables are: models, migrations, and the versions of the packages."""
    files = {settings.BASE_DIR / "requirements.txt", settings.BASE_DIR / "core" / "append_only.py", Path(__file__)}
    for app in apps.get_app_configs():
        folder = Path(app.path)
        if folder.is_relative_to(settings.BASE_DIR) and not folder.is_relative_to(settings.BASE_DIR / ".venv"):
            files |= {folder / "models.py", *folder.glob("models/*.py"), *folder.glob("migrations/*.py")}
    contents = [path.read_bytes() for path in sorted(files) if path.exists()]
    return hashlib.sha256(b"\0".join(contents)).hexdigest()[:16]


def _migrate(kept: Path) -> None:
    """Apply the migrations, and keep what they have made: a file of SQLite, or the statements for PostgreSQL."""
    statements: list[str] = []

    def listen(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.lstrip().upper().startswith("SELECT"):
            each = params if many else [params]
            statements.extend(connection.ops.compose_sql(sql, one) for one in each)  # type: ignore[attr-defined]
        return execute(sql, params, many, context)

    unfinished = kept.with_suffix(".part")
    if connection.vendor == "sqlite":
        call_command("migrate", verbosity=0, run_syncdb=True)
        with closing(sqlite3.connect(unfinished)) as copy:
            connection.connection.backup(copy)
    else:
        with connection.execute_wrapper(listen):
            call_command("migrate", verbosity=0, run_syncdb=True)
        unfinished.write_text(";\n".join(statements), encoding="utf-8")
    unfinished.rename(kept)
