"""Refusals that any request may meet, whichever room it was meant for; docs/errors.md explains each code."""

from core.errors import AppError, sentence


class MalformedRequest(AppError):
    code = "request.malformed"
    sentence = sentence("The request cannot be read; send well-formed JSON encoded as UTF-8.")


class InvalidRequest(AppError):
    code = "request.invalid"
    sentence = sentence("Some fields are missing or wrong; correct the fields that are listed and send them again.")


class RequestTooLarge(AppError):
    code = "request.too_large"
    status = 413
    sentence = sentence("The request holds more than {most_bytes} bytes; send less at a time.")


class RequestCut(AppError):
    code = "request.cut"
    status = 408
    sentence = sentence("The request broke off on its way; send it again.")


class MethodRefused(AppError):
    code = "request.method"
    status = 405
    sentence = sentence("This address does not answer {method} requests; use {allowed}.")


class MediaTypeRefused(AppError):
    code = "request.media_type"
    status = 415
    sentence = sentence("This address does not read {media_type}; send application/json.")


class NotAcceptableRequest(AppError):
    code = "request.not_acceptable"
    status = 406
    sentence = sentence("This address cannot answer in the format asked for; accept application/json.")


class TooManyRequests(AppError):
    code = "request.throttled"
    status = 429
    sentence = sentence("Too many requests; try again in {wait_s} seconds.")


class CsrfRefused(AppError):
    code = "request.csrf"
    status = 403
    sentence = sentence("The page was open for too long or its cookie is gone; reload the page and try again.")


class AuthRequired(AppError):
    code = "auth.required"
    status = 401
    sentence = sentence("Sign in first, or send an API token.")


class AuthDenied(AppError):
    code = "auth.denied"
    status = 403
    sentence = sentence("Your account may not do this; ask an admin.")


class SecondFactorRequired(AppError):
    code = "auth.second_factor"
    status = 403
    sentence = sentence("Set up a second factor on your account page first.")


class SecondFactorUnreadable(AppError):
    code = "auth.second_factor_unreadable"
    status = 403
    sentence = sentence("The site's secret key has changed, so your second factor cannot be read; ask an admin.")


class TokenInvalid(AppError):
    code = "token.invalid"
    status = 401
    sentence = sentence("The API token is unknown, expired or revoked; make a new one on your account page.")


class TokenScopeMissing(AppError):
    code = "token.scope"
    status = 403
    sentence = sentence("The API token lacks the scope '{scope}'; make one that has it on your account page.")


class Unlisted(AppError):
    code = "policy.unlisted"
    status = 403
    sentence = sentence("This address is open to nobody, because no audience is stated for it.")


class NotFound(AppError):
    code = "not_found"
    status = 404
    sentence = sentence("There is nothing at this address, or it is not yours to see; check the address.")


class ServerBusy(AppError):
    code = "server.busy"
    status = 503
    retry_after_s = 5
    sentence = sentence("The server is busy with other work at the moment; try again in a few seconds.")


class DiskUnwritable(AppError):
    code = "server.disk"
    status = 503
    retry_after_s = 30
    sentence = sentence(
        "The server's disk is full or cannot be written, so nothing was saved; try again in a minute, and tell the "
        "person who invited you if it stays so."
    )


class DatabaseAway(AppError):
    code = "server.database"
    status = 503
    retry_after_s = 15
    sentence = sentence("The server's database does not answer at the moment; try again in a minute.")


class ServerError(AppError):
    code = "server.error"
    status = 500
    sentence = sentence("Something went wrong here and has been recorded; try again in a moment.")
