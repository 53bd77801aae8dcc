"""Pages of collections: the list, the matrix with quality checks, and loudness normalisation."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from audio.loudness import PRESETS
from core.errors import AppError
from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from stimuli.forms import DeleteCollectionForm, ExclusionForm, LevelForm, RenameForm
from stimuli.models import Collection, Import, Item
from stimuli.services import collection_editing as editing
from stimuli.services import normalisation
from stimuli.services.collections import check_may_import, collection_for, may_import
from stimuli.services.normalisation import origin_of
from stimuli.services.quality_checks import check_collection
from stimuli.views.imports import PILLS, names
from stimuli.views.matrix import Look, matrix_page


@require_GET
@requires(Audience.STAFF)
def collections(request: HttpRequest) -> HttpResponse:
    listed = Collection.objects.visible_to(staff(request)).select_related("owner").with_counts()
    # Grouping, as counts do, drops the model's order.
    return render(request, "stimuli/collections.html", {"collections": listed.order_by("title", "pk")})


@require_GET
@requires(Audience.STAFF)
def collection(request: HttpRequest, slug: str) -> HttpResponse:
    return _collection_page(request, collection_for(staff(request), slug))


def _collection_page(
    request: HttpRequest, shown: Collection, *, item: Item | None = None, refused: ExclusionForm | None = None
) -> HttpResponse:
    """The matrix; where the exclusion of an item was refused, with what was typed and what is wrong with it."""
    checks = check_collection(collection=shown)
    copy = origin_of(shown, staff(request))
    context = {
        "collection": shown,
        "counts": {
            "items": shown.items.count(),
            "conditions": shown.conditions.count(),
            "stimuli": checks["stimuli"],
        },
        "checks": shown_checks(shown, checks),
        "imports": Import.objects.visible_to(staff(request)).filter(collection=shown).unfinished(),
        "may_import": may_import(collection=shown, person=staff(request)),
        "copy": copy,
        "refused_item": item,
        "exclusion": refused,
        **matrix_page(
            shown,
            request.GET.get("page", "1"),
            checks["findings"],
            Look.asked(request.GET.dict()),
            copy["target_lufs"] if copy else None,
        ),
    }
    return render(request, "stimuli/collection.html", context, status=refused.status if refused else 200)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def settings_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Rename a collection, or delete it once its short name was typed."""
    shown = collection_for(staff(request), slug)
    check_may_import(collection=shown, person=staff(request))
    rename, delete = RenameForm(initial={"title": shown.title}), DeleteCollectionForm()
    if request.method == "POST":
        if "delete" in request.POST:
            delete = DeleteCollectionForm(request.POST)
            if delete.is_valid() and _is_edited(request, shown, delete):
                return redirect("stimuli:collections")
        else:
            rename = RenameForm(request.POST)
            if rename.is_valid() and _is_edited(request, shown, rename):
                return redirect("stimuli:settings", slug=slug)
    context = {"collection": shown, "rename": rename, "delete": delete, "losses": editing.losses_of(shown)}
    return render(request, "stimuli/settings.html", context)


def _is_edited(request: HttpRequest, shown: Collection, form: RenameForm | DeleteCollectionForm) -> bool:
    """Carry the change out; what is wrong with it stands in its form then."""
    wanted: dict[str, Any] = {"collection": shown, "actor": staff(request), **form.cleaned_data}
    try:
        if isinstance(form, RenameForm):
            editing.rename_collection(**wanted)
            messages.success(request, _("The title is saved."))
        else:
            editing.delete_collection(**wanted)
            messages.success(request, _("{title} is deleted.").format(title=shown.title))
    except AppError as error:
        form.add_error(None, error_message(error))
        return False
    return True


@posted_from("stimuli:collection", "slug")
@requires(Audience.STAFF)
def item(request: HttpRequest, slug: str, item_id: UUID) -> HttpResponse:
    """Exclude an item from new designs, or include it again."""
    found = editing.item_in(collection_for(staff(request), slug), item_id)
    form = ExclusionForm(request.POST)

    def apply(*, change: str, reason: str) -> Item:
        if change == ExclusionForm.EXCLUDE:
            return editing.exclude_item(item=found, actor=staff(request), reason=reason, now=timezone.now())
        return editing.include_item(item=found, actor=staff(request))

    if form.carry_out(apply):
        query = request.GET.urlencode()  # of the page of the matrix that has the item
        place = f"{'?' if query else ''}{query}#item-{found.pk}"
        return redirect(reverse("stimuli:collection", args=[slug]) + place)
    return _collection_page(request, found.collection, item=found, refused=form)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def normalise(request: HttpRequest, slug: str) -> HttpResponse:
    """Copy a collection to one loudness; the original stays as it is."""
    source = collection_for(staff(request), slug)
    awaiting = normalisation.awaiting_copies(source).filter(owner=staff(request)).first()
    named = {"slug": awaiting.slug, "title": awaiting.title} if awaiting else {}
    form = LevelForm(request.POST or None, initial=LevelForm.proposal(source.slug, source.title) | named)
    if request.method == "POST":
        ask = partial(normalisation.ask_for_copy, source=source, actor=staff(request))
        if form.carry_out(ask, by_code={"collection.slug_taken": "slug"}):
            address = reverse("stimuli:normalise", args=[slug])
            return redirect(f"{address}?{urlencode({'copy': form.cleaned_data['slug']})}")
    copy_slug = request.GET.get("copy", "")
    context = {
        "collection": source,
        "form": form,
        "job": normalisation.job_for(source=source, slug=copy_slug) if copy_slug else None,
        "copy_slug": copy_slug,
        "presets": PRESETS,
    }
    return render(request, "stimuli/normalise.html", context, status=form.status if form.errors else 200)


# --- Quality checks ---------------------------------------------------------------------------------------------------


MOST_FINDINGS = 100


def shown_checks(collection: Collection, checks: Mapping[str, Any]) -> dict[str, Any]:
    """The gravest findings, each with its place in words and as an address."""
    findings = checks["findings"]
    return {
        **{name: checks[name] for name in ("errors", "warnings", "notes")},
        "total": len(findings),
        "findings": [_shown(collection, finding) for finding in findings[:MOST_FINDINGS]],
        "more": max(0, len(findings) - MOST_FINDINGS),
    }


def _shown(collection: Collection, finding: Mapping[str, Any]) -> dict[str, str]:
    place = " × ".join(part for part in (finding["item"], finding["condition"]) if part)
    cell = ""
    if finding["stimulus"]:
        cell = reverse("stimuli:sound", args=[collection.slug, finding["stimulus"]])
    severity = finding["severity"]
    return {
        "severity": names()[severity],
        "pill": PILLS.get(severity, "info"),
        "place": place,
        "sentence": finding["sentence"],
        "cell": cell,
    }
