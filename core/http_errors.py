"""HTTP errors that any request may meet, failures that pass by themselves, and the responses that show an error.

docs/errors.md explains each code.
"""

import errno
import logging
import sqlite3
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.db import Error, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from core.errors import AppError

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
API_PREFIX = "/api/"
BUSY_RETRY_S = 5


def malformed_request() -> AppError:
    return AppError("request.malformed", 400, _("The request cannot be read; send well-formed JSON encoded as UTF-8."))


def invalid_request(*, fields: Any) -> AppError:
    return AppError(
        "request.invalid",
        400,
        _("Some fields are missing or wrong; correct the fields that are listed and send them again."),
        fields=fields,
    )


def request_too_large(*, most_bytes: int) -> AppError:
    return AppError(
        "request.too_large",
        413,
        _("The request holds more than {most_bytes} bytes; send less at a time."),
        most_bytes=most_bytes,
    )


def method_not_allowed(*, method: str | None, allowed: str) -> AppError:
    return AppError(
        "request.method",
        405,
        _("This address does not answer {method} requests; use {allowed}."),
        method=method,
        allowed=allowed,
    )


def not_acceptable() -> AppError:
    return AppError(
        "request.not_acceptable", 406, _("This address cannot answer in the format asked for; accept application/json.")
    )


def csrf_failed() -> AppError:
    return AppError(
        "request.csrf", 403, _("The page was open for too long or its cookie is gone; reload the page and try again.")
    )


def auth_required() -> AppError:
    return AppError("auth.required", 401, _("Sign in first, or send an API token."))


def auth_denied() -> AppError:
    return AppError("auth.denied", 403, _("Your account may not do this; ask an admin."))


def audience_missing() -> AppError:
    return AppError(
        "permission.no_audience", 403, _("This address is open to nobody, because no audience is stated for it.")
    )


def not_found() -> AppError:
    return AppError(
        "not_found", 404, _("There is nothing at this address, or it is not yours to see; check the address.")
    )


def server_busy() -> AppError:
    return AppError(
        "server.busy",
        503,
        _("The server is busy with other work at the moment; try again in a few seconds."),
        retry_after_s=BUSY_RETRY_S,
    )


def disk_unwritable() -> AppError:
    return AppError(
        "server.disk",
        503,
        _(
            "The server's disk is full or cannot be written, so nothing was saved; try again in a minute, and tell the "
            "person who invited you if it stays so."
        ),
        retry_after_s=30,
    )


def database_away() -> AppError:
    return AppError(
        "server.database",
        503,
        _("The server's database does not answer at the moment; try again in a minute."),
        retry_after_s=15,
    )


# --- Failures that pass by themselves: a locked, full or unreachable database, a full disk ----------------------------
# They are answered with 503 and Retry-After: the browser keeps an answer and sends it again.

DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
SQLITE_CODES: dict[int, Callable[[], AppError]] = {
    sqlite3.SQLITE_BUSY: server_busy,
    sqlite3.SQLITE_LOCKED: server_busy,
    sqlite3.SQLITE_FULL: disk_unwritable,
    sqlite3.SQLITE_READONLY: disk_unwritable,
    sqlite3.SQLITE_IOERR: disk_unwritable,
    sqlite3.SQLITE_CANTOPEN: database_away,
}
# By the beginning of PostgreSQL's SQLSTATE, the longest that fits.
SQLSTATES: dict[str, Callable[[], AppError]] = {
    "53100": disk_unwritable,  # disk full
    "53": server_busy,  # too many connections, out of memory
    "55P03": server_busy,  # lock timeout
    "57014": server_busy,  # statement timeout
    "40001": server_busy,  # serialization failure
    "40P01": server_busy,  # deadlock
    "25006": disk_unwritable,  # read-only
    "58030": disk_unwritable,  # I/O error
    "08": database_away,
    "57P": database_away,  # shutting down, crashed, starting
}


def transient_error(error: BaseException | None) -> AppError | None:
    """The error to answer with where a failure passes by itself; None for a defect."""
    if isinstance(error, UnreadablePostError):
        return AppError("request.cut", 408, _("The request broke off on its way; send it again."))
    build = None
    if isinstance(error, Error):
        build = _database_error(error)
    elif isinstance(error, OSError) and error.errno in DISK_ERRORS:
        build = disk_unwritable
    if build is None:
        return None
    transient = build()
    logger.warning("%s: %s", transient.code, str(error).strip())
    return transient


def _database_error(error: Error) -> Callable[[], AppError] | None:
    cause = error.__cause__
    if code := getattr(cause, "sqlite_errorcode", None):
        return SQLITE_CODES.get(code & 0xFF)  # the lowest byte is the kind, the others say more
    if state := getattr(cause, "sqlstate", None):
        return next((SQLSTATES[state[:count]] for count in (5, 3, 2) if state[:count] in SQLSTATES), None)
    # A connection that was refused, or broke, has no code.
    from_server = cause is not None and not isinstance(cause, sqlite3.Error)
    return database_away if from_server and isinstance(error, OperationalError | InterfaceError) else None


# --- Responses: one JSON shape (RFC 9457) for programs, one page for people -------------------------------------------


def wants_json(request: HttpRequest) -> bool:
    if request.path.startswith(API_PREFIX):
        return True
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


def error_message(error: AppError) -> str:
    """The error's message in the reader's language."""
    return error.translate(gettext)


def json_error(error: AppError, headers: dict[str, str] | None = None) -> JsonResponse:
    body = {
        "type": f"urn:earmark:error:{error.code}",
        "code": error.code,
        "status": error.status,
        "detail": error_message(error),
        "data": error.data,
    }
    headers = {**_retry(error), **(headers or {})}
    if error.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="earmark"'
    return JsonResponse(body, status=error.status, content_type=MEDIA_TYPE, headers=headers)


def error_response(request: HttpRequest, error: AppError) -> HttpResponse:
    """Response for an error: JSON for programs, a page for people."""
    if wants_json(request):
        return json_error(error)
    context = {"code": error.code, "sentence": error_message(error)}
    # Where the database may be away, the page asks nothing of it: without the request there is no session and no user.
    asker = None if error.retry_after_s else request
    page = render_to_string("error.html", context, asker)
    return HttpResponse(page, status=error.status, headers=_retry(error))


def _retry(error: AppError) -> dict[str, str]:
    return {"Retry-After": str(error.retry_after_s)} if error.retry_after_s else {}
