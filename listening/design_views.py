"""The experimenter's page of a design: try one, use it, take it away as files."""

import tempfile
from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from core.errors import AppError
from core.http_errors import error_message
from core.models import Job
from core.permissions import Audience, requires, staff
from listening.design.orders.presets import PRESETS
from listening.design.subsets.in_subprocess import plan_subsets_in_subprocess
from listening.design_forms import DesignForm
from listening.design_page import shown_report, shown_settings
from listening.models import Design
from listening.services import design_files, designs
from listening.services.material import material_of
from rating.models import Experiment
from rating.services.experiments import experiment_for

IN_MEMORY_BYTES = 4 * 2**20


@require_GET
@requires(Audience.STAFF)
def design(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the design that stands, and, while the experiment is a draft, what another one would do. Nothing changes."""
    experiment = experiment_for(staff(request), slug)
    standing = Design.objects.filter(experiment=experiment).first()
    job = designs.job_for(experiment)
    context = {
        "experiment": experiment,
        "design": standing,
        "settings": shown_settings(standing) if standing else None,
        "job": job if job and job.state != Job.State.DONE else None,
        "presets": [(gettext(made.title), gettext(made.summary)) for made in PRESETS.values()],
        "tab": "design",
        **(_desk(request, experiment) if experiment.state == Experiment.State.DRAFT else {}),
    }
    if standing and "preset" not in request.GET:
        context["report"] = shown_report(standing.report)
    return render(request, "listening/design.html", context)


def _desk(request: HttpRequest, experiment: Experiment) -> dict[str, Any]:
    """The form, and the draft if one is asked for by its fields."""
    try:
        material = material_of(experiment)
    except AppError as error:
        return {"impossible": error_message(error)}
    form = DesignForm(request.GET if "preset" in request.GET else None, material=material)
    desk: dict[str, Any] = {
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
            desk |= {"draft": draft, "report": shown_report(draft.report)}
    return desk


@require_POST
@requires(Audience.STAFF)
def adopt(request: HttpRequest, slug: str) -> HttpResponse:
    """Have the design laid out that was tried, and no other: its hash comes along."""
    experiment = experiment_for(staff(request), slug)
    form = DesignForm(request.POST, material=material_of(experiment))
    wanted = form.wanted()
    designs.ask_for_design(
        experiment=experiment, wanted=wanted, sha256=request.POST.get("sha256", ""), actor=staff(request)
    )
    return redirect("listening:design", slug=slug)


@require_GET
@requires(Audience.STAFF)
def files(request: HttpRequest, slug: str, suffix: str) -> HttpResponseBase:
    """Every seat's sequence in the published shape, in one zip; conditions are letters until unblinding."""
    experiment = experiment_for(staff(request), slug)
    packed = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES)  # noqa: SIM115 - the response closes it
    design_files.export_design(experiment=experiment, suffix=suffix, into=packed, actor=staff(request))
    packed.seek(0)
    return FileResponse(packed, as_attachment=True, filename=f"{slug}-design-{suffix}.zip")
