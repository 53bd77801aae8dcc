"""The experimenter's pages of collections."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_http_methods

from audio.loudness import PRESETS
from core.errors import AppError
from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from stimuli.forms import LevelForm
from stimuli.level_reports import origin_of
from stimuli.matrix_page import matrix_page, shown_checks
from stimuli.models import Collection, Intake
from stimuli.services import intakes, levels
from stimuli.services.checks import check_collection
from stimuli.services.collections import collection_for


@require_GET
@requires(Audience.STAFF)
def collections(request: HttpRequest) -> HttpResponse:
    listed = Collection.objects.visible_to(staff(request)).select_related("owner").with_counts()
    # Grouping, as counts do, drops the model's order.
    return render(request, "stimuli/collections.html", {"collections": listed.order_by("title", "pk")})


@require_GET
@requires(Audience.STAFF)
def collection(request: HttpRequest, slug: str) -> HttpResponse:
    shown = collection_for(staff(request), slug)
    checks = check_collection(collection=shown)
    context = {
        "collection": shown,
        "counts": {
            "items": shown.items.count(),
            "conditions": shown.conditions.count(),
            "stimuli": checks["stimuli"],
        },
        "checks": shown_checks(shown, checks),
        "intakes": Intake.objects.visible_to(staff(request)).filter(collection=shown).unfinished(),
        "may_import": intakes.may_import(collection=shown, person=staff(request)),
        "copy": origin_of(shown, staff(request)),
        **matrix_page(shown, request.GET.get("page", "1"), checks["findings"]),
    }
    return render(request, "stimuli/collection.html", context)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def level_copy(request: HttpRequest, slug: str) -> HttpResponse:
    """Copy a collection to one loudness; the original stays as it is."""
    source = collection_for(staff(request), slug)
    form = LevelForm(request.POST or None, initial=LevelForm.proposal(source.slug, source.title))
    context = {"collection": source, "form": form, "job": None, "presets": PRESETS}
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        try:
            context["job"] = levels.ask_for_copy(source=source, actor=staff(request), **wanted)
            context["copy_slug"] = wanted["slug"]
        except AppError as refusal:
            form.add_error(None, error_message(refusal))
    return render(request, "stimuli/level_copy.html", context)
