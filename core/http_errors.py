"""HTTP errors that any request may meet, failures that pass by themselves, and the responses that show an error.

docs/errors.md explains each code.
"""

import errno
import logging
import sqlite3
from http import HTTPStatus

from django.db import Error, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from core.errors import AppError

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
API_PREFIX = "/api/"


class MalformedRequest(AppError):
    code = "request.malformed"
    sentence = _("The request cannot be read; send well-formed JSON encoded as UTF-8.")


class InvalidRequest(AppError):
    code = "request.invalid"
    sentence = _("Some fields are missing or wrong; correct the fields that are listed and send them again.")


class RequestTooLarge(AppError):
    code = "request.too_large"
    status = 413
    sentence = _("The request holds more than {most_bytes} bytes; send less at a time.")


class RequestCut(AppError):
    code = "request.cut"
    status = 408
    sentence = _("The request broke off on its way; send it again.")


class MethodRefused(AppError):
    code = "request.method"
    status = 405
    sentence = _("This address does not answer {method} requests; use {allowed}.")


class MediaTypeRefused(AppError):
    code = "request.media_type"
    status = 415
    sentence = _("This address does not read {media_type}; send application/json.")


class NotAcceptableRequest(AppError):
    code = "request.not_acceptable"
    status = 406
    sentence = _("This address cannot answer in the format asked for; accept application/json.")


class TooManyRequests(AppError):
    code = "request.throttled"
    status = 429
    sentence = _("Too many requests; try again in {wait_s} seconds.")


class CsrfRefused(AppError):
    code = "request.csrf"
    status = 403
    sentence = _("The page was open for too long or its cookie is gone; reload the page and try again.")


class AuthRequired(AppError):
    code = "auth.required"
    status = 401
    sentence = _("Sign in first, or send an API token.")


class AuthDenied(AppError):
    code = "auth.denied"
    status = 403
    sentence = _("Your account may not do this; ask an admin.")


class SecondFactorRequired(AppError):
    code = "auth.second_factor"
    status = 403
    sentence = _("Set up a second factor on your account page first.")


class SecondFactorUnreadable(AppError):
    code = "auth.second_factor_unreadable"
    status = 403
    sentence = _("The site's secret key has changed, so your second factor cannot be read; ask an admin.")


class TokenInvalid(AppError):
    code = "token.invalid"
    status = 401
    sentence = _("The API token is unknown, expired or revoked; make a new one on your account page.")


class TokenScopeMissing(AppError):
    code = "token.scope"
    status = 403
    sentence = _("The API token lacks the scope '{scope}'; make one that has it on your account page.")


class AudienceMissing(AppError):
    code = "permission.no_audience"
    status = 403
    sentence = _("This address is open to nobody, because no audience is stated for it.")


class NotFound(AppError):
    code = "not_found"
    status = 404
    sentence = _("There is nothing at this address, or it is not yours to see; check the address.")


class ServerBusy(AppError):
    code = "server.busy"
    status = 503
    retry_after_s = 5
    sentence = _("The server is busy with other work at the moment; try again in a few seconds.")


class DiskUnwritable(AppError):
    code = "server.disk"
    status = 503
    retry_after_s = 30
    sentence = _(
        "The server's disk is full or cannot be written, so nothing was saved; try again in a minute, and tell the "
        "person who invited you if it stays so."
    )


class DatabaseAway(AppError):
    code = "server.database"
    status = 503
    retry_after_s = 15
    sentence = _("The server's database does not answer at the moment; try again in a minute.")


class ServerError(AppError):
    code = "server.error"
    status = 500
    sentence = _("Something went wrong here and has been recorded; try again in a moment.")


# --- Failures that pass by themselves: a locked, full or unreachable database, a full disk ----------------------------
# They are answered with 503 and Retry-After: the browser keeps an answer and sends it again.

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


def transient_error(error: BaseException | None) -> AppError | None:
    """The error to answer with where a failure passes by itself; None for a defect."""
    if isinstance(error, UnreadablePostError):
        return RequestCut()
    kind = None
    if isinstance(error, Error):
        kind = _database_error(error)
    elif isinstance(error, OSError) and error.errno in DISK_ERRORS:
        kind = DiskUnwritable
    if kind is None:
        return None
    logger.warning("%s: %s", kind.code, str(error).strip())
    return kind()


def _database_error(error: Error) -> type[AppError] | None:
    cause = error.__cause__
    if code := getattr(cause, "sqlite_errorcode", None):
        return SQLITE_CODES.get(code & 0xFF)  # the lowest byte is the kind, the others say more
    if state := getattr(cause, "sqlstate", None):
        return next((SQLSTATES[state[:count]] for count in (5, 3, 2) if state[:count] in SQLSTATES), None)
    # A connection that was refused, or broke, has no code.
    from_server = cause is not None and not isinstance(cause, sqlite3.Error)
    return DatabaseAway if from_server and isinstance(error, OperationalError | InterfaceError) else None


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
    context = {"code": error.code, "sentence": error_message(error), "status": error.status}
    # Where the database may be away, the page asks nothing of it: without the request there is no session and no user.
    asker = None if error.retry_after_s else request
    page = render_to_string("error.html", context, asker)
    return HttpResponse(page, status=error.status, headers=_retry(error))


def _retry(error: AppError) -> dict[str, str]:
    return {"Retry-After": str(error.retry_after_s)} if error.retry_after_s else {}
