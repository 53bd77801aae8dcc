"""Views of designs: preview one, apply it, download it as files, and lay out the usual one from the overview."""

import tempfile
from collections.abc import Mapping
from math import ceil
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, pgettext
from django.views.decorators.http import require_GET

from core.errors import AppError
from core.http_errors import error_message
from core.i18n import translate_messages
from core.models import Job, User
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from listening.design.base import DesignRequest
from listening.design.orders.presets import PRESETS
from listening.design.subsets.in_subprocess import plan_subsets_in_subprocess
from listening.models import Design
from listening.panels.forms import DesignForm, FirstSeatsForm, usual
from listening.panels.services import designs, panels
from listening.panels.services.material import material_of
from rating.attention import checkable
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.access import experiment_of

IN_MEMORY_BYTES = 4 * 2**20


@require_GET
@requires(Audience.STAFF)
def design(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the applied design and, while the experiment is a draft, a preview of another one. Nothing changes."""
    experiment = experiment_of(request, slug)
    applied = Design.objects.filter(experiment=experiment).first()
    job = designs.job_for(experiment)
    context = {
        "experiment": experiment,
        "design": applied,
        "settings": shown_settings(applied) if applied else None,
        "job": job if job and job.state != Job.State.DONE else None,
        "extensions": experiment.extensions.all() if applied else (),
        "presets": [(gettext(made.title), gettext(made.summary)) for made in PRESETS.values()],
        "has_checks": checkable(get_protocol(experiment.protocol)) is not None,
        "tab": "design",
        **(_form_context(request, experiment) if experiment.state == Experiment.State.DRAFT else {}),
    }
    if applied and "preset" not in request.GET:
        context["report"] = shown_report(designs.current_report(applied))
    return render(request, "listening/design.html", context)


def _form_context(request: HttpRequest, experiment: Experiment) -> dict[str, Any]:
    """The form, and the draft if one is asked for by its fields."""
    try:
        material = material_of(experiment)
    except AppError as error:
        return {"impossible": error_message(error)}
    form = DesignForm(request.GET if "preset" in request.GET else None, material=material)
    context: dict[str, Any] = {
        "form": form,
        "items": len(material.samples),
        "conditions": material.conditions,
        "references": len(material.references),
    }
    if form.is_bound and form.is_valid():
        try:
            draft = designs.draft_design(
                experiment=experiment, wanted=form.wanted(), planner=plan_subsets_in_subprocess
            )
        except AppError as error:
            form.add_error(None, error_message(error))
        else:
            context |= {"draft": draft, "report": shown_report(draft.report)}
    return context


@posted_from("listening:design", "slug")
@requires(Audience.STAFF)
def adopt(request: HttpRequest, slug: str) -> HttpResponse:
    """Apply the design that was previewed, and no other: its hash is sent along."""
    experiment, page = experiment_of(request, slug), reverse("listening:design", args=[slug])
    try:
        form = DesignForm(request.POST, material=material_of(experiment))
        if form.is_valid():
            sha256 = request.POST.get("sha256", "")
            designs.ask_for_design(experiment=experiment, wanted=form.wanted(), sha256=sha256, actor=staff(request))
            return redirect(page)
    except AppError as error:
        messages.error(request, error_message(error))
    # The form of the page has the fields in its address, and says what is wrong with them.
    fields = [(name, value) for name in DesignForm.base_fields for value in request.POST.getlist(name) or [""]]
    return redirect(f"{page}?{urlencode(fields)}")


@require_GET
@requires(Audience.STAFF)
def files(request: HttpRequest, slug: str, suffix: str) -> HttpResponseBase:
    """Every seat's sequence in the published shape, in one zip; conditions are letters until unblinding."""
    return design_zip(experiment_of(request, slug), suffix, actor=staff(request))


def design_zip(experiment: Experiment, suffix: str, *, actor: User) -> FileResponse:
    packed = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES)  # noqa: SIM115 - the response closes it
    designs.export_design(experiment=experiment, suffix=suffix, into=packed, actor=actor)
    packed.seek(0)
    return FileResponse(packed, as_attachment=True, filename=f"{experiment.slug}-design-{suffix}.zip")


# --- A report in the reader's language --------------------------------------------------------------------------------


MOST_COMBINATIONS = 60


def shown_report(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report as the template draws it, of a preview or of an applied design."""
    findings = [_finding(finding) for finding in report["findings"]]
    levels = [_share(share) for share in report.get("shares", [])]
    combinations = sorted((share for share in levels if not share["factor"]), key=lambda share: -share["off"])
    verdicts = [finding["verdict"] for finding in findings]
    return {
        "sentence": translate_messages(report, gettext)["sentence"],
        "findings": findings,
        "bad": verdicts.count("bad"),
        "warn": verdicts.count("warn"),
        "levels": [share for share in levels if share["factor"]],
        "combinations": combinations[:MOST_COMBINATIONS],
        "more_combinations": max(0, len(combinations) - MOST_COMBINATIONS),
        "panels": range(1, len(levels[0]["counts"]) + 1) if levels else (),
        "plan": report.get("plan"),
    }


def shown_settings(design: Design) -> dict[str, Any]:
    settings, added = design.settings, list(design.experiment.extensions.all())
    subsets = [*design.subsets, *(subset for extension in added for subset in extension.subsets)]
    return {
        "panels": len(subsets),
        "seats": added[-1].listeners // added[-1].panels if added else settings["seats"],
        "sizes": sorted({len(subset) for subset in subsets}),
        "sessions": settings["sessions"],
        "conditions": settings["conditions"],
        "references": len(settings["references"]),
        "factors": settings.get("factors", []),
        "files": len(settings.get("files", [])),
    }


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    return translate_messages(finding, gettext) | {"word": _word(finding["verdict"])}


def _share(share: Mapping[str, Any]) -> dict[str, Any]:
    return {**share, "word": _word(share["verdict"])}


def _word(verdict: str) -> str:
    words = {"ok": pgettext("verdict", "OK"), "warn": pgettext("verdict", "Check"), "bad": pgettext("verdict", "Bad")}
    return words[verdict]


# --- The usual design, from the overview ------------------------------------------------------------------------------


@posted_from("rating:experiment", "slug")
@requires(Audience.STAFF)
def first_seats(request: HttpRequest, slug: str) -> HttpResponse:
    """Have seats laid out for so many listeners; what is wrong stands above the overview."""
    experiment, form = experiment_of(request, slug), FirstSeatsForm(request.POST)

    def lay_out(*, listeners: int, design: bool) -> object:
        if not design:
            return panels.ask_for_panel(experiment=experiment, seats=listeners, actor=staff(request))
        wanted = usual_design(experiment, listeners=listeners)
        draft = designs.draft_design(experiment=experiment, wanted=wanted, planner=plan_subsets_in_subprocess)
        return designs.ask_for_design(experiment=experiment, wanted=wanted, sha256=draft.sha256, actor=staff(request))

    form.carry_out(lay_out)
    if form.errors:
        messages.error(request, form.problems())
    return redirect("rating:experiment", slug=slug)


def usual_design(experiment: Experiment, *, listeners: int) -> DesignRequest:
    """What the page Design proposes, with at least so many listeners in all."""
    proposal = usual(material_of(experiment))
    return DesignRequest.from_json(proposal | {"seats": ceil(listeners / proposal["panels"])})
