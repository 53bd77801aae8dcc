"""The experimenter's pages of results, and of the analysis of an uploaded table."""

from pathlib import PurePath
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from analysis.datasets import counted
from analysis.forms import TableForm
from analysis.plan_form import PlanForm
from analysis.registry import get_report, method_of, methods
from analysis.reports import study_plan, votes_table
from analysis.reports.base import file_unknown
from analysis.reports.exclusions import exclusion_sentences, exclusion_tables
from analysis.reports.pictures import can_draw
from analysis.reports.plan import plan_facts, plan_outcomes, registered_choices
from analysis.reports.tables import TABLE_FORMATS
from analysis.services import report_pdf
from analysis.services.dataset.anonymity import USUAL_K
from analysis.services.experiment_report import experiment_report
from analysis.services.metrics import offers_metrics
from analysis.services.ordinal import request_ordinal_fit
from analysis.services.plans import compute_plan
from analysis.services.questionnaires import summary
from analysis.services.results import read_result, votes_held
from analysis.services.tables import AnalysedTable, analyse_table
from analysis.tasks import keep_current
from analysis.votes_table.options import as_command
from core.errors import AppError
from core.http_errors import error_message
from core.languages import active_language
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from rating.forms import UnblindForm
from rating.models import Experiment
from rating.services.access import Access, experiment_of


@require_GET
@requires(Audience.STAFF)
def results(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_of(request, slug)
    keep_current(experiment=experiment, reader=staff(request))
    registered = registered_choices(experiment.analysis_plan, blind=experiment.unblinded_at is None)
    asked = registered | request.GET.dict() | ({"simulated": "1"} if experiment.is_simulation else {})
    simulated = asked.get("simulated") == "1"
    context = {
        "experiment": experiment,
        "shown": [_shown(experiment, method_of(experiment.protocol), asked, simulated=simulated)],
        "simulated": simulated,
        "answers": votes_held(experiment, simulated=simulated).votes,
        "listeners": counted(experiment, simulated=simulated).filter(vote_count__gt=0).count(),
        "least_listeners": USUAL_K,
        "questionnaire": summary(experiment, simulated=simulated),
        "offers_metrics": offers_metrics(experiment),
        "unblind_form": UnblindForm(auto_id="%s"),
        "tab": "results",
    }
    return render(request, "analysis/results.html", context)


@posted_from("analysis:results", "slug")
@requires(Audience.STAFF)
def fit_ordinal(request: HttpRequest, slug: str) -> HttpResponse:
    """Have the ordinal model fitted; the page of results shows how far it is."""
    experiment, simulated = experiment_of(request, slug), request.POST.get("simulated") == "1"
    try:
        request_ordinal_fit(experiment=experiment, actor=staff(request), simulated=simulated)
    except AppError as error:
        messages.error(request, error_message(error))
    query = "?simulated=1" if simulated else ""
    return redirect(f"{reverse('analysis:results', args=[slug])}{query}#ordinal")


def _shown(experiment: Experiment, name: str, asked: dict[str, str], *, simulated: bool) -> dict[str, Any]:
    """One method's part of the page."""
    adjust = asked.get("adjust", "")
    result = read_result(experiment=experiment, slug=name, simulated=simulated, long=True, adjust=adjust)
    reader = get_report(name)
    return {
        "title": methods()[name].title,
        "slug": name,
        "result": result,
        "state_at": reverse("api:result_state", args=[experiment.slug, name]) + ("?simulated=1" if simulated else ""),
        "template": reader.template,
        "downloads": reader.downloads,
        "files": reader.files_and_pictures if can_draw() else reader.files,
        "can_draw": can_draw(),
        "table_formats": TABLE_FORMATS,
        "query": urlencode(asked),
        "report": reader.context(experiment, result, asked),
        "excluded": exclusion_sentences(result["table"]),
        "exclusions": exclusion_tables(result["table"], asked.get("against", "")),
        "plan": plan_facts(experiment.analysis_plan),
        "plan_outcomes": plan_outcomes(experiment.analysis_plan, result["table"], blind=result["blind"]),
    }


@require_GET
@requires(Audience.STAFF)
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """The report of an experiment on one page, to read and to print."""
    experiment = experiment_of(request, slug)
    keep_current(experiment=experiment, reader=staff(request))
    simulated = experiment.is_simulation or request.GET.get("simulated") == "1"
    told = experiment_report(experiment=experiment, simulated=simulated, now=timezone.now())
    pdf = report_pdf.read_state(experiment=experiment, simulated=simulated, language=active_language())
    context = {"experiment": experiment, "told": told, "pdf": pdf, "tab": "results"}
    return render(request, "analysis/report.html", context)


@posted_from("analysis:report", "slug")
@requires(Audience.STAFF)
def write_pdf(request: HttpRequest, slug: str) -> HttpResponse:
    """Have the report written as PDF; the page of the report shows how far it is. Who may read may have it."""
    experiment = experiment_of(request, slug, need=Access.VIEW)
    simulated = experiment.is_simulation or request.POST.get("simulated") == "1"
    how: dict[str, Any] = {"simulated": simulated, "language": active_language(), "now": timezone.now()}
    try:
        report_pdf.request_report_pdf(experiment=experiment, actor=staff(request), **how)
    except AppError as error:
        messages.error(request, error_message(error))
    query = "?simulated=1" if simulated else ""
    return redirect(f"{reverse('analysis:report', args=[slug])}{query}")


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def table(request: HttpRequest) -> HttpResponse:
    """Analyse a table of votes; the zip is part of the page, because nothing is kept from which to make it later."""
    form = TableForm(request.POST, request.FILES) if request.method == "POST" else TableForm()
    analysed, status, context = AnalysedTable(), 200, {}
    if request.method == "POST" and not form.is_valid():
        status = form.status
    elif request.method == "POST":
        values = dict(form.cleaned_data)
        file = values.pop("file")
        analysed = analyse_table(file=file.file, name=file.name, **values)
        if analysed.problem:
            form.add_error(analysed.beside, analysed.problem)
            status = 422
        else:
            context = _analysed(analysed, file.name, values)
    groups = {"basic": form.basic, "further": form.further}
    context |= {name: [form[field] for field in fields] for name, fields in groups.items()}
    context |= {"form": form, "analysed": analysed, "further_open": bool(form.errors.keys() & set(form.further))}
    return render(request, "analysis/table.html", context, status=status)


def _analysed(analysed: AnalysedTable, name: str, values: dict[str, Any]) -> dict[str, Any]:
    shown = votes_table.report(analysed, reference=values["reference"], margin=values["margin"])
    figures = votes_table.figure_files(shown["figure"])
    metrics = values.get("metrics")
    return {
        "shown": shown,
        "figure_links": votes_table.figure_links(figures),
        "archive": votes_table.whole_archive(analysed.archive, shown, figures),
        "archive_name": f"{PurePath(name).stem}-analysis.zip",
        "command": as_command(name, values, metrics=metrics.name if metrics else ""),
    }


@require_GET
@requires(Audience.STAFF)
def plan_study(request: HttpRequest) -> HttpResponse:
    """Plan a study: everything stands in the address, so that a plan can be sent to a colleague."""
    form = PlanForm(request.GET.dict(), user=staff(request))
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        found = compute_plan(**form.asked())
        context |= study_plan.context(found, form.chosen)
        context["part"] = {
            "files_at": reverse("analysis:plan_study") + "files/",
            "can_draw": can_draw(),
            "table_formats": TABLE_FORMATS,
            "query": request.GET.urlencode(),
        }
    groups = {"basic": form.basic, "costs": form.costs, "variances": form.variances, "checks": form.checks}
    context |= {name: [form[field] for field in fields] for name, fields in groups.items()}
    context |= {f"{name}_wrong": bool(form.errors.keys() & set(fields)) for name, fields in groups.items()}
    return render(request, "analysis/plan_study.html", context, status=200 if form.is_valid() else form.status)


@require_GET
@requires(Audience.STAFF)
def plan_file(request: HttpRequest, name: str) -> HttpResponse:
    """A figure or the table of the plan in the address; one that cannot be computed is shown with the reason."""
    form = PlanForm(request.GET.dict(), user=staff(request))
    if not form.is_valid():
        return redirect(f"{reverse('analysis:plan_study')}?{request.GET.urlencode()}")
    plan = compute_plan(**form.asked() | {"rounds": 0})
    made = study_plan.plan_file(plan, name)
    if made is None:
        raise file_unknown(name, known=study_plan.file_names(plan))
    content, content_type = made
    headers = {"Content-Disposition": f'attachment; filename="study-plan-{name}"'}
    return HttpResponse(content, content_type=content_type, headers=headers)
