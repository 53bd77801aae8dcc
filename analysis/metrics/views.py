"""The experimenter's page of objective metrics: upload and removal of their table, and figures beside the votes."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from analysis.forms import MetricsForm
from analysis.metrics.reading import MOST_BYTES
from analysis.models import MetricTable
from analysis.registry import method_of
from analysis.reports.metrics import MetricsReport
from analysis.reports.pictures import can_draw
from analysis.reports.tables import TABLE_FORMATS
from analysis.services.metrics import (
    check_offered,
    compare_with_votes,
    keep_metrics,
    metric_table_of,
    place_metrics,
    remove_metrics,
)
from analysis.services.results import read_result
from analysis.tasks import keep_current
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from rating.models import Experiment
from rating.services.access import experiment_of


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def metrics(request: HttpRequest, slug: str) -> HttpResponse:
    """The page, and the upload of a table, which takes the place of an earlier one."""
    experiment = experiment_of(request, slug)
    check_offered(experiment)
    form = MetricsForm(request.POST, request.FILES) if request.method == "POST" else MetricsForm()

    def keep(*, file: Any) -> MetricTable:
        return keep_metrics(
            experiment=experiment, actor=staff(request), content=file.read(MOST_BYTES + 1), name=file.name
        )

    if request.method == "POST" and form.carry_out(keep, field="file") is not None:
        messages.success(request, _("The table is kept."))
        return redirect("analysis:metrics", slug=slug)
    return _page(request, experiment, form)


@posted_from("analysis:metrics", "slug")
@requires(Audience.STAFF)
def remove(request: HttpRequest, slug: str) -> HttpResponse:
    if remove_metrics(experiment=experiment_of(request, slug), actor=staff(request)):
        messages.success(request, _("The table of metrics is removed."))
    else:
        messages.error(request, _("There was no table of metrics any more."))
    return redirect("analysis:metrics", slug=slug)


def _page(request: HttpRequest, experiment: Experiment, form: MetricsForm) -> HttpResponse:
    keep_current(experiment=experiment, reader=staff(request))
    table = metric_table_of(experiment)
    simulated = request.GET.get("simulated") == "1"
    context: dict[str, Any] = {
        "experiment": experiment,
        "form": form,
        "table": table,
        "simulated": simulated,
        "placed": place_metrics(experiment, table) if table else None,
        "tab": "results",
    }
    if table and experiment.unblinded_at is not None:
        context["part"] = _part(experiment, table, request.GET.dict(), simulated=simulated)
    return render(request, "analysis/metrics.html", context, status=form.status if form.errors else 200)


def _part(experiment: Experiment, table: MetricTable, asked: dict[str, str], *, simulated: bool) -> dict[str, Any]:
    """What templates of results need: the report, and where its files are."""
    parts = compare_with_votes(experiment, table, simulated=simulated)
    report = MetricsReport().context(experiment, {"parts": parts}, asked)
    return {
        "report": report,
        "result": read_result(experiment=experiment, slug=method_of(experiment.protocol), simulated=simulated),
        "files_at": reverse("api:metrics", args=[experiment.slug]) + "files/",
        "can_draw": can_draw(),
        "table_formats": TABLE_FORMATS,
        "query": report.get("query", ""),
    }
