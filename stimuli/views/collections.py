"""Pages of collections: the list, the matrix with quality checks, and loudness normalisation."""

from collections.abc import Callable, Mapping
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
from core.forms import ValidatedForm
from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from stimuli.forms import (
    CollectionForm,
    CollectionSearchForm,
    DeleteCollectionForm,
    ExclusionForm,
    HandOverForm,
    LevelForm,
    RenameForm,
    RolesForm,
)
from stimuli.models import Collection, Import, Item
from stimuli.services import collection_editing as editing
from stimuli.services import normalisation
from stimuli.services.collections import check_may_import, collection_for, may_import
from stimuli.services.copying import copy_collection
from stimuli.services.normalisation import origin_of
from stimuli.services.quality_checks import check_collection
from stimuli.views.imports import PILLS, names
from stimuli.views.matrix import Look, matrix_page


@require_GET
@requires(Audience.STAFF)
def collections(request: HttpRequest) -> HttpResponse:
    form = CollectionSearchForm(request.GET)
    words = form.words()
    listed = Collection.objects.visible_to(staff(request)).search(words).select_related("owner").with_counts()
    # Grouping, as counts do, drops the model's order.
    context = {"collections": listed.order_by("title", "pk"), "form": form, "words": words}
    return render(request, "stimuli/collections.html", context)


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
    """Rename a collection, hand it over, give its conditions roles, or delete it once its short name was typed."""
    shown = collection_for(staff(request), slug)
    check_may_import(collection=shown, person=staff(request))
    asked = next((name for name in ("delete", "hand_over", "roles") if name in request.POST), "rename")
    sent = {asked: request.POST} if request.method == "POST" else {}
    roles = RolesForm(sent.get("roles"), collection=shown)
    forms: dict[str, ValidatedForm] = {
        "rename": RenameForm(sent.get("rename"), initial={"title": shown.title}),
        "roles": roles,
        "hand_over": HandOverForm(sent.get("hand_over")),
        "delete": DeleteCollectionForm(sent.get("delete")),
    }
    changes: dict[str, Callable[..., Any]] = {
        "rename": editing.rename_collection,
        "roles": lambda collection, actor, **_sent: editing.change_roles(
            collection=collection, actor=actor, roles=roles.roles()
        ),
        "hand_over": editing.hand_over_collection,
        "delete": editing.delete_collection,
    }

    def carry_out(**cleaned: Any) -> bool:
        changes[asked](collection=shown, actor=staff(request), **cleaned)
        return True

    field = {"hand_over": "colleague"}.get(asked, "")
    if request.method == "POST" and forms[asked].carry_out(carry_out, field=field):
        said = {
            "rename": _("The title is saved."),
            "roles": _("The roles are saved."),
            "hand_over": _("The collection is handed over."),
            "delete": _("{title} is deleted.").format(title=shown.title),
        }
        messages.success(request, said[asked])
        if asked == "delete":
            return redirect("stimuli:collections")
        return redirect("stimuli:collection" if asked == "hand_over" else "stimuli:settings", slug=slug)
    known = {"collection": shown, "roles_fixed": _roles_fixed(shown), "losses": editing.losses_of(shown)}
    return render(request, "stimuli/settings.html", known | forms)


def _roles_fixed(collection: Collection) -> str:
    """Why the roles of its conditions cannot be changed, if they cannot."""
    try:
        editing.check_roles_open(collection)
    except AppError as error:
        return error_message(error)
    return ""


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def copy(request: HttpRequest, slug: str) -> HttpResponse:
    """Copy a collection as it is, own or shared; the copy is one's own."""
    source = collection_for(staff(request), slug)
    title = _("{title} (copy)").format(title=source.title[:180])
    form = CollectionForm(request.POST or None, initial={"title": title})
    if request.method == "POST":
        change = partial(copy_collection, source=source, actor=staff(request))
        made = form.carry_out(change, by_code={"collection.slug_taken": "slug"})
        if made:
            messages.success(request, _("The collection is copied. Its sounds are stored once."))
            return redirect("stimuli:collection", slug=made.slug)
    return render(request, "stimuli/copy.html", {"collection": source, "form": form})


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
