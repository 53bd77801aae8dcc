"""The experimenter's page of results."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from analysis.registry import methods
from analysis.services.results import read_result
from analysis.tasks import keep_current
from core.policy import Audience, open_to, staff
from rating.access import experiment_for
from rating.forms import ReasonForm
from rating.registry import protocol


@require_GET
@open_to(Audience.STAFF)
def results(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_for(staff(request), slug)
    keep_current(experiment=experiment, reader=staff(request))
    simulated = request.GET.get("simulated") == "1"
    rules = protocol(experiment.protocol)
    shown = [
        {
            "title": methods()[name].title,
            "result": read_result(experiment=experiment, slug=name, simulated=simulated),
            "api": reverse("api:result", args=[slug, name]) + ("?simulated=1" if simulated else ""),
        }
        for name in rules.methods
    ]
    context = {
        "experiment": experiment,
        "shown": shown,
        "scales": rules.scales,
        "simulated": simulated,
        "reason_form": ReasonForm(),
        "tab": "results",
    }
    return render(request, "analysis/results.html", context)
