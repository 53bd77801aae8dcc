"""Pages of imports: a new collection, the upload of files, the proposal and its confirmation."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from core.errors import AppError
from core.http_errors import error_message
from core.i18n import translate_messages
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from stimuli.forms import CollectionForm, CorrectionForm
from stimuli.models import Collection, Condition, Import, Stimulus
from stimuli.services import corrections, imports
from stimuli.services.collections import (
    check_may_import,
    check_replaceable,
    check_unfrozen,
    collection_for,
    may_import,
    open_collection,
    stimulus_in,
)
from stimuli.services.normalisation import loudness_copy


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def new_collection(request: HttpRequest) -> HttpResponse:
    form = CollectionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = open_collection(owner=staff(request), **form.cleaned_data)
        except AppError as error:
            form.add_error("slug", error_message(error))
        else:
            return redirect("stimuli:new_import", slug=made.slug)
    return render(request, "stimuli/new_collection.html", {"form": form})


@never_cache
@require_GET
@requires(Audience.STAFF)
def new_import(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose what to import; the address becomes the import's own once the files are announced."""
    collection = collection_for(staff(request), slug)
    check_may_import(collection=collection, person=staff(request))
    try:
        check_unfrozen(collection)
    except AppError as error:
        messages.error(request, error_message(error))
        return redirect("stimuli:collection", slug=slug)
    return _page(request, collection, None)


@never_cache
@require_GET
@requires(Audience.STAFF)
def new_replacement(request: HttpRequest, slug: str, stimulus_id: UUID) -> HttpResponse:
    """Choose a new file for one clip; it is checked and confirmed as any import."""
    collection = collection_for(staff(request), slug)
    stimulus = stimulus_in(collection, stimulus_id)
    try:
        check_replaceable(stimulus=stimulus, person=staff(request))
    except AppError as error:
        if not may_import(collection=collection, person=staff(request)):
            raise
        messages.error(request, error_message(error))
        return redirect("stimuli:collection", slug=slug)
    return _page(request, collection, None, stimulus)


@never_cache
@require_GET
@requires(Audience.STAFF)
def show_import(request: HttpRequest, slug: str, import_id: UUID) -> HttpResponse:
    """An import as it stands; `?part=summary` is what the page of a new experiment shows of it."""
    collection = collection_for(staff(request), slug)
    shown = imports.import_for(staff(request), import_id, collection=collection)
    if request.GET.get("part") == "summary":
        return render(request, "stimuli/_import_summary.html", {"found": summary_of(shown)})
    return _page(request, collection, shown)


@posted_from("stimuli:import", "slug", "import_id")
@requires(Audience.STAFF)
def confirm(request: HttpRequest, slug: str, import_id: UUID) -> HttpResponse:
    shown = imports.import_for(staff(request), import_id, collection=collection_for(staff(request), slug))
    try:
        imports.confirm_import(import_=shown, actor=staff(request), replace="replace" in request.POST)
    except AppError as error:
        messages.error(request, error_message(error))
    return redirect("stimuli:import", slug=slug, import_id=import_id)


@posted_from("stimuli:import", "slug", "import_id")
@requires(Audience.STAFF)
def cancel(request: HttpRequest, slug: str, import_id: UUID) -> HttpResponse:
    shown = imports.import_for(staff(request), import_id, collection=collection_for(staff(request), slug))
    try:
        imports.cancel_import(import_=shown, actor=staff(request), now=timezone.now())
    except AppError as error:
        messages.error(request, error_message(error))
    return redirect("stimuli:import", slug=slug, import_id=import_id)


@posted_from("stimuli:import", "slug", "import_id")
@requires(Audience.STAFF)
def correct(request: HttpRequest, slug: str, import_id: UUID) -> HttpResponse:
    """Leave files out, take one back, or open the import for more files; the page then shows how it goes on."""
    collection = collection_for(staff(request), slug)
    shown = imports.import_for(staff(request), import_id, collection=collection)
    form = CorrectionForm(request.POST)
    wanted: dict[str, Any] = {"import_": shown, "actor": staff(request), "now": timezone.now()}

    def apply(*, change: str, file: str, reason: str) -> Import:
        if change == CorrectionForm.ADD:
            return corrections.reopen_import(**wanted)
        if change == CorrectionForm.TAKE_BACK:
            return corrections.take_back_files(paths=[file], **wanted)
        paths = [file] if file else request.POST.getlist("path")
        if change == CorrectionForm.LEAVE_OUT_ERRORS:
            paths = corrections.files_with_errors(shown)
        if change != CorrectionForm.CHECK and not paths:
            raise corrections.nothing_selected()
        return corrections.leave_out_files(paths=paths, reason=reason, **wanted)

    if form.carry_out(apply):
        return redirect("stimuli:import", slug=slug, import_id=import_id)
    for error in form.non_field_errors():
        messages.error(request, str(error))
    shown.refresh_from_db()
    return _page(request, collection, shown, refused=form)


def _page(
    request: HttpRequest,
    collection: Collection,
    shown: Import | None,
    stimulus: Stimulus | None = None,
    refused: CorrectionForm | None = None,
) -> HttpResponse:
    stimulus = shown.stimulus if shown else stimulus
    receiving = shown is None or shown.state == Import.State.RECEIVING
    others = Import.objects.visible_to(staff(request)).filter(collection=collection).unfinished()
    context: dict[str, Any] = {
        "collection": collection,
        "import": shown,
        "stimulus": stimulus,
        "receiving": receiving,
        "others": others if shown is None and stimulus is None else [],
        "expires_days": settings.UPLOAD_EXPIRES_DAYS,
    }
    if receiving:
        context["config"] = {
            **upload_config(request, collection, shown),
            "stimulus": str(stimulus.pk) if stimulus else None,
        }
    elif shown is not None:
        context |= {"job": imports.job_of(shown), "report": found(shown.report), "plan": proposed(shown.plan)}
        context["copy"] = loudness_copy(shown, staff(request))
        context["corrections"] = [_correction(one) for one in reversed(shown.corrections)]
        if shown.state in corrections.CORRECTABLE:
            context |= {"correctable": True, "config": upload_config(request, collection, shown)}
            context["faulty"] = corrections.files_with_errors(shown)
            context["correction"] = refused or CorrectionForm()
            context["selected"] = request.POST.getlist("path") if refused else []
    return render(request, "stimuli/import.html", context, status=refused.status if refused else 200)


def summary_of(import_: Import) -> dict[str, Any]:
    """What was found in short: the state, the counts, the gravest findings, and where the rest of it stands."""
    report, plan = found(import_.report), proposed(import_.plan)
    return {
        "import": import_,
        "state": import_.state,
        "plan": plan,
        "findings": report["findings"][:MOST_IN_SUMMARY],
        "more": report["more"] + max(0, len(report["findings"]) - MOST_IN_SUMMARY),
        "address": reverse("stimuli:import", args=[import_.collection.slug, import_.pk]),
    }


def upload_config(request: HttpRequest, collection: Collection | None, shown: Import | None) -> dict[str, Any]:
    """What the script of a page with an upload needs to know; without a collection, the upload opens one."""
    own = {
        "imports_url": reverse("api:imports", args=[collection.slug]) if collection else "",
        "pages_url": reverse("stimuli:collection", args=[collection.slug]) + "imports/" if collection else "",
    }
    return {
        **own,
        "collections_url": reverse("api:collections"),
        "collection_pages_url": reverse("stimuli:collections"),
        "hashing_url": static("dist/hashing.js"),
        "import_id": str(shown.pk) if shown else "",
        "csrf": get_token(request),
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
    }


# --- Report and plan --------------------------------------------------------------------------------------------------


MOST_FINDINGS = 200
MOST_IN_SUMMARY = 5
MOST_STIMULI = 200
PILLS = {"error": "bad", "warning": "warn"}


def found(report: Mapping[str, Any]) -> dict[str, Any]:
    """The findings in order of gravity, in the reader's language, with the number of those left out."""
    gravest_first = sorted(report.get("findings", []), key=_gravity)
    words = names()
    return {
        "counts": [
            {"name": words.get(name, name), "value": clock(count) if name == "duration_s" else intcomma(count)}
            for name, count in report.get("counts", {}).items()
            if count
        ],
        "findings": [_shown(finding) for finding in gravest_first[:MOST_FINDINGS]],
        "more": max(0, len(gravest_first) - MOST_FINDINGS),
        "probes": report.get("probes", {}),
    }


def proposed(plan: Mapping[str, Any]) -> dict[str, Any]:
    """What would be imported, with the parts where one file becomes several stimuli."""
    stimuli, items = plan.get("stimuli", []), plan.get("items", [])
    return {
        "layout": layouts().get(plan.get("layout", ""), plan.get("layout", "")),
        "item_count": len(items),
        "factors": sorted({factor for item in items for factor in item.get("factors", {})}),
        "conditions": [{**condition, "role": _role(condition["role"])} for condition in plan.get("conditions", [])],
        "stimulus_count": len(stimuli),
        "stimuli": [{**stimulus, "part": _part(stimulus)} for stimulus in stimuli[:MOST_STIMULI]],
        "more": max(0, len(stimuli) - MOST_STIMULI),
        "has_cuts": any(_part(stimulus) for stimulus in stimuli),
        "ignored": [{**ignored, "reason": _said(ignored, "reason")} for ignored in plan.get("ignored", [])],
    }


def _shown(finding: Mapping[str, Any]) -> dict[str, Any]:
    severity = str(finding.get("severity", "note"))
    said = _said(finding, "sentence")
    return {
        "severity": names().get(severity, severity),
        "pill": PILLS.get(severity, "info"),
        "sentence": said,
        "path": "" if finding.get("path", "") in said else finding["path"],
        "files": finding.get("files", []),
        "is_error": severity == "error",
    }


def _correction(one: Mapping[str, Any]) -> dict[str, Any]:
    """A file that was left out or replaced, and why, in the reader's language."""
    found_in_it = [_said(finding, "sentence") for finding in one["found"]]
    return {
        **one,
        "at": datetime.fromisoformat(one["at"]),
        "is_left_out": one["action"] == imports.LEFT_OUT,
        "why": " ".join(part for part in [one["reason"], *found_in_it] if part),
    }


def _said(told: Mapping[str, Any], english: str) -> str:
    """A text of a report or a plan in the reader's language; what has no form for that is shown as it is."""
    msgid = told.get("msgid")
    return _(msgid).format(**translate_messages(told.get("data", {}), _)) if msgid else str(told.get(english, ""))


def _role(role: str) -> str:
    """What a condition is, unless it is simply under test."""
    known = role in Condition.Role and role != Condition.Role.TEST
    return str(Condition.Role(role).label).lower() if known else ""


def _gravity(finding: Mapping[str, Any]) -> int:
    return [*PILLS, "note"].index(finding.get("severity", "note"))


def _part(stimulus: Mapping[str, Any]) -> str:
    """Which part of its file a stimulus is: by time where the plan knows the rate, otherwise by samples."""
    if stimulus.get("clip") is not None:
        return _("clip {number}").format(number=stimulus["clip"])
    if stimulus.get("start") is None:
        return ""
    start, stop, rate = stimulus["start"], stimulus["stop"], stimulus.get("sample_rate_hz")
    if rate:
        return _("{start} to {stop}").format(start=clock(start / rate, places=3), stop=clock(stop / rate, places=3))
    return _("samples {start} to {stop}").format(start=intcomma(start), stop=intcomma(stop))


def clock(seconds: float, *, places: int = 0) -> str:
    """Hours, minutes and seconds, with as many places as a cut needs."""
    minutes, rest_s = divmod(round(seconds, places), 60)
    hours, minutes = divmod(int(minutes), 60)
    rest = f"{rest_s:0{places + 3 if places else 2}.{places}f}"
    return f"{hours}:{minutes:02}:{rest}" if hours else f"{minutes}:{rest}"


def layouts() -> dict[str, str]:
    """How the files lay, in words; stimuli.imports.layouts has the short names."""
    return {
        "conditions": _("a folder for each condition"),
        "summaries": _("full-length recordings with their summaries"),
        "manifest": _("as the manifest says"),
        "flat": _("single files"),
    }


def names() -> dict[str, str]:
    """Words of reports as people read them."""
    return {
        "error": _("Error"),
        "warning": _("Warning"),
        "note": _("Note"),
        "files": _("Files"),
        "sounds": _("Sounds"),
        "texts": _("Texts"),
        "items": _("Items"),
        "conditions": _("Conditions"),
        "stimuli": _("Stimuli"),
        "copies": _("Copies"),
        "warnings": _("Warnings"),
        "ignored": _("Left out"),
        "long_recordings": _("Long recordings"),
        "duration_s": _("Sound in all"),
    }
