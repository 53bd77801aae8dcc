"""The experimenter's pages on which a collection is made and filled."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.errors import AppError
from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from stimuli.forms import CollectionForm
from stimuli.intake_pages import found, proposed
from stimuli.level_reports import levelled
from stimuli.models import Collection, Intake
from stimuli.services import intakes
from stimuli.services.collections import collection_for
from stimuli.upload_texts import upload_texts


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def new_collection(request: HttpRequest) -> HttpResponse:
    form = CollectionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = intakes.open_collection(owner=staff(request), **form.cleaned_data)
        except AppError as refusal:
            form.add_error("slug", error_message(refusal))
        else:
            return redirect("stimuli:new_intake", slug=made.slug)
    return render(request, "stimuli/new_collection.html", {"form": form})


@never_cache
@require_GET
@requires(Audience.STAFF)
def new_intake(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose what to import; the address becomes the import's own once the files are announced."""
    collection = collection_for(staff(request), slug)
    intakes.check_may_import(collection=collection, person=staff(request))
    return _page(request, collection, None)


@never_cache
@require_GET
@requires(Audience.STAFF)
def intake(request: HttpRequest, slug: str, intake_id: UUID) -> HttpResponse:
    collection = collection_for(staff(request), slug)
    return _page(request, collection, intakes.intake_for(staff(request), intake_id, collection=collection))


@require_POST
@requires(Audience.STAFF)
def confirm(request: HttpRequest, slug: str, intake_id: UUID) -> HttpResponse:
    shown = intakes.intake_for(staff(request), intake_id, collection=collection_for(staff(request), slug))
    intakes.confirm_intake(intake=shown, actor=staff(request), replace="replace" in request.POST)
    return redirect("stimuli:intake", slug=slug, intake_id=intake_id)


@require_POST
@requires(Audience.STAFF)
def cancel(request: HttpRequest, slug: str, intake_id: UUID) -> HttpResponse:
    shown = intakes.intake_for(staff(request), intake_id, collection=collection_for(staff(request), slug))
    intakes.cancel_intake(intake=shown, actor=staff(request), now=timezone.now())
    return redirect("stimuli:intake", slug=slug, intake_id=intake_id)


def _page(request: HttpRequest, collection: Collection, shown: Intake | None) -> HttpResponse:
    receiving = shown is None or shown.state == Intake.State.RECEIVING
    others = Intake.objects.visible_to(staff(request)).filter(collection=collection).unfinished()
    context: dict[str, Any] = {
        "collection": collection,
        "intake": shown,
        "receiving": receiving,
        "others": others if shown is None else [],
        "expires_days": settings.UPLOAD_EXPIRES_DAYS,
    }
    if receiving:
        context |= {"config": _config(request, collection, shown), "texts": upload_texts()}
    elif shown is not None:
        context |= {"job": intakes.job_of(shown), "report": found(shown.report), "plan": proposed(shown.plan)}
        context["copy"] = levelled(shown, staff(request))
    return render(request, "stimuli/intake.html", context)


def _config(request: HttpRequest, collection: Collection, shown: Intake | None) -> dict[str, Any]:
    """What the page's script needs to know."""
    return {
        "intakes_url": reverse("api:intakes", args=[collection.slug]),
        "pages_url": reverse("stimuli:collection", args=[collection.slug]) + "intakes/",
        "hashing_url": static("dist/hashing.js"),
        "intake": str(shown.pk) if shown else "",
        "csrf": get_token(request),
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
    }
