"""Views of extensions: preview more listeners for a design, add them, and add seats to a panel without a design."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from core.errors import AppError
from core.http_errors import error_message
from core.models import Job
from core.permissions import Audience, requires, staff
from listening.design.subsets.in_subprocess import plan_subsets_in_subprocess
from listening.panels.forms import ExtensionForm, MoreSeatsForm, WithReasonForm
from listening.panels.services import extensions, panels
from listening.panels.views.design import shown_report
from rating.models import Experiment
from rating.services.access import experiment_of


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def extend(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what more listeners would do to the balance (GET), and add them (POST)."""
    experiment = experiment_of(request, slug)
    if panels.is_designed(experiment):
        return _design(request, experiment)
    return _panels(request, experiment)


def _design(request: HttpRequest, experiment: Experiment) -> HttpResponse:
    asked = request.POST if request.method == "POST" else request.GET
    form = ExtensionForm(asked if "listeners" in asked else None)
    posted = request.POST if request.method == "POST" else None
    reason_form = WithReasonForm(posted, reason_needed=_is_live(experiment), auto_id="extend_%s")
    if request.method == "POST" and form.is_valid():
        sha256 = request.POST.get("sha256", "")
        ask = partial(
            extensions.ask_for_extension,
            experiment=experiment,
            sha256=sha256,
            actor=staff(request),
            **form.cleaned_data,
        )
        if reason_form.carry_out(lambda reason="": ask(reason=reason), by_code={"experiment.reason_missing": "reason"}):
            return redirect("listening:extend", slug=experiment.slug)
    context: dict[str, Any] = {"form": form, "reason_form": reason_form, "job": _job(experiment)}
    if form.is_bound and form.is_valid():
        try:
            draft = extensions.draft_extension(
                experiment=experiment, planner=plan_subsets_in_subprocess, **form.cleaned_data
            )
        except AppError as error:
            form.add_error(None, error_message(error))
        else:
            report = shown_report(draft.report)
            context |= {"draft": draft, "report": report, "changes": list(changes(draft.before, report))}
    refused = 400 if request.method == "POST" else 200
    return _page(request, experiment, context, status=refused)


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every finding with its value and verdict before and after."""
    known = {finding["key"]: finding for finding in shown_report(before)["findings"]}
    for finding in after["findings"]:
        yield {"title": finding["title"], "before": known.get(finding["key"]), "after": finding}


def _panels(request: HttpRequest, experiment: Experiment) -> HttpResponse:
    form = MoreSeatsForm(
        request.POST if request.method == "POST" else None,
        panels=list(experiment.panels.values_list("number", flat=True)),
        reason_needed=_is_live(experiment),
    )
    ask = partial(extensions.ask_for_seats, experiment=experiment, actor=staff(request))
    known = {"experiment.reason_missing": "reason"}
    if request.method == "POST" and form.carry_out(ask, by_code=known) is not None:
        return redirect("listening:people", slug=experiment.slug)
    status = form.status if request.method == "POST" else 200
    return _page(request, experiment, {"seats_form": form}, status=status)


def _page(request: HttpRequest, experiment: Experiment, context: dict[str, Any], *, status: int) -> HttpResponse:
    known = {
        "experiment": experiment,
        "extensions": experiment.extensions.all(),
        "closed": experiment.state == Experiment.State.CLOSED,
        "tab": "people",
    }
    return render(request, "listening/extend.html", known | context, status=status)


def _is_live(experiment: Experiment) -> bool:
    return experiment.state != Experiment.State.DRAFT


def _job(experiment: Experiment) -> Job | None:
    job = extensions.job_for(experiment)
    return job if job and job.state != Job.State.DONE else None
