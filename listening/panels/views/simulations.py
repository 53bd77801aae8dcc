"""Views of simulations: start one in a copy of the experiment, list the copies, delete one."""

from functools import partial

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from core.forms import ValidatedForm
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from listening.panels.services.simulated_copies import (
    LONGEST_SEED,
    USUAL_SEED,
    ask_for_simulation,
    delete_simulation,
    job_of,
    simulations_of,
)
from rating.services.access import Access, experiment_of


class SimulationForm(ValidatedForm):
    listeners = forms.IntegerField(
        label=gettext_lazy("Listeners"),
        required=False,
        min_value=1,
        help_text=gettext_lazy("Empty: one for every seat. Fewer are spread over the panels."),
    )
    seed = forms.CharField(
        label=gettext_lazy("Seed"),
        max_length=LONGEST_SEED,
        initial=USUAL_SEED,
        help_text=gettext_lazy("The same seed gives the same answers again."),
    )


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def simulations(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what a simulation is and list the copies (GET), and start one (POST)."""
    experiment = experiment_of(request, slug)
    form = SimulationForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        start = partial(ask_for_simulation, experiment=experiment, actor=staff(request))
        if copy := form.carry_out(start, by_code={"simulation.too_many": "listeners"}):
            messages.success(request, _("This is the copy. Its seats fill up here, one bot after the other."))
            return redirect("listening:monitor", slug=copy.slug)
    context = {
        "experiment": experiment,
        "form": form,
        "copies": [(copy, job_of(copy)) for copy in simulations_of(experiment, reader=staff(request))],
        "tab": "overview",
    }
    return render(request, "listening/simulations.html", context, status=form.status if form.errors else 200)


@posted_from("rating:experiment", "slug")
@requires(Audience.STAFF)
def remove_simulation(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a copy for simulated listeners at once."""
    copy = experiment_of(request, slug, need=Access.MANAGE)
    delete_simulation(copy=copy, actor=staff(request))
    messages.success(request, _("%(title)s is in the bin.") % {"title": copy.title})
    if copy.simulation_of is None:
        return redirect("rating:experiments")
    return redirect("listening:simulations", slug=copy.simulation_of.slug)
