"""Failures that pass by themselves (a locked, full or unreachable database, a full disk), told from defects.

They are answered with 503 and Retry-After: the browser keeps an answer and sends it again.
"""

import errno
import logging
import sqlite3

from django.db import Error, InterfaceError, OperationalError
from django.http import UnreadablePostError

from core.errors import AppError
from core.refusals import DatabaseAway, DiskUnwritable, RequestCut, ServerBusy

logger = logging.getLogger(__name__)

DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
SQLITE_CODES: dict[int, type[AppError]] = {
    sqlite3.SQLITE_BUSY: ServerBusy,
    sqlite3.SQLITE_LOCKED: ServerBusy,
    sqlite3.SQLITE_FULL: DiskUnwritable,
    sqlite3.SQLITE_READONLY: DiskUnwritable,
    sqlite3.SQLITE_IOERR: DiskUnwritable,
    sqlite3.SQLITE_CANTOPEN: DatabaseAway,
}
# By the beginning of PostgreSQL's SQLSTATE, the longest that fits.
SQLSTATES: dict[str, type[AppError]] = {
    "53100": DiskUnwritable,  # disk full
    "53": ServerBusy,  # too many connections, out of memory
    "55P03": ServerBusy,  # lock timeout
    "57014": ServerBusy,  # statement timeout
    "40001": ServerBusy,  # serialization failure
    "40P01": ServerBusy,  # deadlock
    "25006": DiskUnwritable,  # read-only
    "58030": DiskUnwritable,  # I/O error
    "08": DatabaseAway,
    "57P": DatabaseAway,  # shutting down, crashed, starting
}


def passing_trouble(error: BaseException | None) -> AppError | None:
    """The refusal to answer with, or None for a defect."""
    if isinstance(error, UnreadablePostError):
        return RequestCut()
    kind = None
    if isinstance(error, Error):
        kind = _database_trouble(error)
    elif isinstance(error, OSError) and error.errno in DISK_ERRORS:
        kind = DiskUnwritable
    if kind is None:
        return None
    logger.warning("%s: %s", kind.code, str(error).strip())
    return kind()


def _database_trouble(error: Error) -> type[AppError] | None:
    cause = error.__cause__
    if code := getattr(cause, "sqlite_errorcode", None):
        return SQLITE_CODES.get(code & 0xFF)  # the lowest byte is the kind, the others say more
    if state := getattr(cause, "sqlstate", None):
        return next((SQLSTATES[state[:count]] for count in (5, 3, 2) if state[:count] in SQLSTATES), None)
    # A connection that was refused, or broke, has no code.
    from_server = cause is not None and not isinstance(cause, sqlite3.Error)
    return DatabaseAway if from_server and isinstance(error, OperationalError | InterfaceError) else None
