"""Views of the preview of a trial beside the form of a new experiment: the participants' page over made-up sounds."""

from typing import Any

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_GET

from core.permissions import Audience, requires, staff
from listening.panels.services.trial_preview import SOUNDS, made_up_sound, preview_pages
from listening.participation.views import own_page
from rating.forms import NewExperimentForm, OptionsForm
from rating.models import Ballot
from rating.registry import get_protocol, protocols
from rating.services.experiments import usual_label_set


@xframe_options_sameorigin
@csp_replace({"frame-ancestors": ["'self'"]})
@require_GET
@requires(Audience.STAFF)
def trial_preview(request: HttpRequest) -> HttpResponse:
    """The page of a trial with what the form holds so far; what is wrong in it counts as not given."""
    form = NewExperimentForm(request.GET, user=staff(request), has_upload=True)
    form.is_valid()
    given = form.cleaned_data
    protocol = get_protocol(given.get("protocol") or next(iter(protocols())))
    language = given.get("language") or translation.get_language()
    options = OptionsForm(request.GET, protocol=protocol, prefix=protocol.slug, simple=True)
    options.is_valid()
    label_set = given.get("label_set", "").partition("/")[2] or usual_label_set(protocol, language)
    with translation.override(language):
        pages = preview_pages(
            protocol,
            label_set=label_set,
            options={name: value for name, value in options.cleaned_data.items() if value is not None},
            sound_url=lambda number: reverse("listening:preview_sound", args=[number]),
        )
        context: dict[str, Any] = {
            "texts": {"title": given.get("title") or translation.gettext("Title")},
            "ballot_kind": Ballot.Kind.PREVIEW,
            "protocol": protocol,
            "pages": pages,
            "total_trials": len(pages),
            **own_page(protocol.slug),
        }
        return render(request, "listening/trial_preview.html", context)


@require_GET
@requires(Audience.STAFF)
def preview_sound(request: HttpRequest, number: int) -> HttpResponse:
    """A made-up sound of the preview."""
    return HttpResponse(made_up_sound(number % SOUNDS), content_type="audio/wav")
