"""Language of a request: the experiment's on participants' pages, elsewhere the reader's."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

from core.languages import is_draft
from core.permissions import Audience, audience_of
from listening.models import Invitation, Visit
from listening.participation.access import token_digest

VISITS_REMEMBERED = 10_000


class ExperimentLocaleMiddleware(LocaleMiddleware):
    """Django's choice by cookie and browser, and after it, where a link or a visit tells the experiment, its language.

    It stands before all that may refuse a participant, such as the CSRF check, so that errors are in it too.
    """

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME)
        # A draft lacks the texts of staff, so a browser's wish is not enough for it.
        if is_draft(request.LANGUAGE_CODE) and chosen != request.LANGUAGE_CODE:
            _activate(request, settings.LANGUAGE_CODE)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        match = request.resolver_match
        if audience_of(view, match.view_name if match else "") != Audience.PARTICIPANT:
            return
        if "token" in kwargs:
            language = _language_of_link(kwargs["token"])
        else:
            language = _language_of_visit(kwargs["visit_id"]) if "visit_id" in kwargs else None
        if language:
            _activate(request, language)
            request.experiment_language = language  # type: ignore[attr-defined]


def _activate(request: HttpRequest, language: str) -> None:
    translation.activate(language)
    request.LANGUAGE_CODE = language


def _language_of_link(token: str) -> str | None:
    links = Invitation.objects.filter(token_sha256=token_digest(token))
    return links.values_list("panel__experiment__language", flat=True).first()


@lru_cache(VISITS_REMEMBERED)
def _language_of_visit(visit_id: UUID) -> str | None:
    """The language of the consent that began the seat. Remembered, because a visit sends hundreds of requests and a
    consent never changes; the experiment's language may, while it is a draft that colleagues rehearse."""
    return Visit.objects.filter(pk=visit_id).values_list("seat__ballot__consent__language", flat=True).first()
