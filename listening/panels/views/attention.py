"""View of attention checks: which clips are used, what is expected of them, and how many are heard twice."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from core.errors import AppError
from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from listening.panels.forms import ChecksForm
from rating.attention import expected_examples
from rating.services.access import experiment_of
from rating.services.attention import change_checks, check_protocol
from rating.services.experiments import options_are_open


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def checks(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the checks of an experiment (GET), and change them while no seat is drawn (POST)."""
    experiment = experiment_of(request, slug)
    context = {"experiment": experiment, "tab": "design", "open": options_are_open(experiment)}
    try:
        protocol = check_protocol(experiment)
    except AppError as error:
        context["impossible"] = error_message(error)
        return render(
            request, "listening/checks.html", context, status=200 if request.method == "GET" else error.status
        )
    form = ChecksForm(request.POST if request.method == "POST" else None, experiment=experiment)
    if request.method == "POST":

        def change(**_typed: object) -> object:
            repeats, expected = form.cleaned_data["repeats"], form.expected()
            return change_checks(experiment=experiment, repeats=repeats, expected=expected, actor=staff(request))

        if form.carry_out(change):
            messages.success(
                request, _("The attention checks are saved. Every seat that is made from now on has them.")
            )
            return redirect("listening:checks", slug=slug)
    context |= {"form": form, "scales": protocol.scales, "example": expected_examples(protocol)}
    return render(request, "listening/checks.html", context, status=form.status if form.errors else 200)
