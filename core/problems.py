"""How a refusal is shown: one JSON shape (RFC 9457) for programs, one page for people."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext

from core.errors import AppError

MEDIA_TYPE = "application/problem+json"
API_PREFIX = "/api/"


def wants_json(request: HttpRequest) -> bool:
    if request.path.startswith(API_PREFIX):
        return True
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


def say(error: AppError) -> str:
    """The error's sentence in the reader's language."""
    return error.say(gettext(error.sentence), gettext)


def problem(error: AppError, headers: dict[str, str] | None = None) -> JsonResponse:
    body = {
        "type": f"urn:earmark:error:{error.code}",
        "code": error.code,
        "status": error.status,
        "detail": say(error),
        "data": error.data,
    }
    headers = {**_retry(error), **(headers or {})}
    if error.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="earmark"'
    return JsonResponse(body, status=error.status, content_type=MEDIA_TYPE, headers=headers)


def show(request: HttpRequest, error: AppError) -> HttpResponse:
    """Answer with the refusal in the form that the asker reads."""
    if wants_json(request):
        return problem(error)
    context = {"code": error.code, "sentence": say(error), "status": error.status}
    # Where the database may be away, the page asks nothing of it: without the request there is no session and no user.
    asker = None if error.retry_after_s else request
    page = render_to_string("error.html", context, asker)
    return HttpResponse(page, status=error.status, headers=_retry(error))


def _retry(error: AppError) -> dict[str, str]:
    return {"Retry-After": str(error.retry_after_s)} if error.retry_after_s else {}
