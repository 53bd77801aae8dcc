"""Health and readiness (/healthz, /readyz): whether database and disk answer, can be written and have room."""

import logging
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import Error, connection, transaction
from django.utils import timezone

from core import fsync
from core.http_errors import transient_error

logger = logging.getLogger(__name__)

FRESH_S = 2  # however many ask, each process writes once in this time
PATIENCE_S = 2  # for the lock of the database, and for another thread that is writing
PROBE_CHARACTERS = 8192  # more than a page, so that the database must find room for it
MIB = 1024**2


@dataclass(frozen=True)
class State:
    database: str  # ok, unreachable
    writing: str  # ok, busy (locked by another writer), failing
    disk: str  # ok, low

    @property
    def works(self) -> bool:
        return self.database == "ok" and self.writing != "failing"

    @property
    def reason(self) -> str:
        """Why the server is not ready, in one sentence; empty when it is."""
        if self.database != "ok":
            return "The database does not answer."
        if self.writing == "failing":
            return "The database cannot be written; the log says why."
        if self.writing == "busy":
            return f"The database was locked by another writer for {PATIENCE_S} seconds."
        if self.disk != "ok":
            return f"Less than {settings.LEAST_FREE_MB} MiB are free on the server's disk."
        return ""

    def as_json(self, *, ok: bool) -> dict[str, object]:
        return {"ok": ok, "database": self.database, "writing": self.writing, "disk": self.disk}


class _Last:
    """What the last write of this process showed."""

    lock = threading.Lock()
    writing = ""
    at = 0.0


def check_readiness() -> State:
    """Ask the database now; whether it can be written is known from at most FRESH_S ago."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        logger.exception("The database does not answer.")
        return State(database="unreachable", writing="failing", disk=_disk())
    return State(database="ok", writing=_recent_writing(), disk=_disk())


def _recent_writing() -> str:
    """One thread writes at a time and the others wait for what it finds, but not for ever: a disk may hang."""
    if not _Last.lock.acquire(timeout=PATIENCE_S):
        return "busy"
    try:
        if not _Last.writing or time.monotonic() - _Last.at > FRESH_S:
            _Last.writing, _Last.at = _writing(), time.monotonic()
        return _Last.writing
    finally:
        _Last.lock.release()


def _writing() -> str:
    """Write a row and erase it in one transaction that is committed, so that it reaches the disk and nobody sees it.

    The table of sessions serves, because nothing else hangs on its rows.
    """
    probe = Session(
        session_key=f"probe-{uuid.uuid4().hex}", session_data="x" * PROBE_CHARACTERS, expire_date=timezone.now()
    )
    try:
        with _little_patience(), transaction.atomic():
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute(f"SET LOCAL lock_timeout = '{PATIENCE_S}s'")
            probe.save(force_insert=True)
            probe.delete()
    except Error as error:
        trouble = transient_error(error)
        if trouble is None:
            logger.exception("The database cannot be written.")
        return "busy" if trouble and trouble.code == "server.busy" else "failing"
    return "ok"


@contextmanager
def _little_patience() -> Iterator[None]:
    """Let SQLite wait for its lock for a moment only: a probe must not hold a thread as long as a vote may."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        usual_ms = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {min(usual_ms, PATIENCE_S * 1000)}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual_ms}")


def _disk() -> str:
    places = [Path(settings.DATA_DIR)]
    if connection.vendor == "sqlite":
        places.append(Path(connection.settings_dict["NAME"]).parent)
    return "low" if min(map(fsync.free_bytes, places)) < settings.LEAST_FREE_MB * MIB else "ok"
