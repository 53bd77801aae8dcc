"""The experimenter's page of results."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from analysis.registry import get_report, method_of, methods
from analysis.reports.tables import TABLE_FORMATS
from analysis.services.results import read_result
from analysis.tasks import keep_current
from core.permissions import Audience, requires, staff
from rating.models import Experiment
from rating.services.access import experiment_of


@require_GET
@requires(Audience.STAFF)
def results(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_of(request, slug)
    keep_current(experiment=experiment, reader=staff(request))
    asked = request.GET.dict()
    simulated = asked.get("simulated") == "1"
    context = {
        "experiment": experiment,
        "shown": [_shown(experiment, method_of(experiment.protocol), asked, simulated=simulated)],
        "simulated": simulated,
        "reason_missing": request.GET.get("reason") == "missing",
        "tab": "results",
    }
    return render(request, "analysis/results.html", context)


def _shown(experiment: Experiment, name: str, asked: dict[str, str], *, simulated: bool) -> dict[str, Any]:
    """One method's part of the page."""
    result = read_result(experiment=experiment, slug=name, simulated=simulated, long=True)
    reader = get_report(name)
    return {
        "title": methods()[name].title,
        "slug": name,
        "result": result,
        "api": reverse("api:result", args=[experiment.slug, name]) + ("?simulated=1" if simulated else ""),
        "template": reader.template,
        "downloads": reader.downloads,
        "files": reader.files,
        "table_formats": TABLE_FORMATS,
        "query": urlencode(asked),
        "report": reader.context(experiment, result, asked),
    }
