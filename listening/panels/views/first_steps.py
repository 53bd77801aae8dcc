"""Views of the buttons on an experiment's overview: seats by a usual design or without one, and a first link."""

from math import ceil

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from core.errors import AppError
from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from listening.design.base import DesignRequest
from listening.design.subsets.in_subprocess import plan_subsets_in_subprocess
from listening.panels.forms import FirstSeatsForm, usual
from listening.panels.services import designs, panels
from listening.panels.services.material import material_of
from listening.panels.views.links import show_once
from rating.models import Experiment
from rating.services.access import experiment_of


@require_POST
@requires(Audience.STAFF)
def first_seats(request: HttpRequest, slug: str) -> HttpResponse:
    """Have seats laid out for so many listeners; what is wrong with the material stands above the overview."""
    experiment, form = experiment_of(request, slug), FirstSeatsForm(request.POST)
    listeners, is_designed = form.value("listeners"), form.value("design")
    try:
        if is_designed:
            wanted = usual_design(experiment, listeners=listeners)
            draft = designs.draft_design(experiment=experiment, wanted=wanted, planner=plan_subsets_in_subprocess)
            designs.ask_for_design(experiment=experiment, wanted=wanted, sha256=draft.sha256, actor=staff(request))
        else:
            panels.ask_for_panel(experiment=experiment, seats=listeners, actor=staff(request))
    except AppError as error:
        messages.error(request, error_message(error))
    return redirect("rating:experiment", slug=slug)


def usual_design(experiment: Experiment, *, listeners: int) -> DesignRequest:
    """What the page Design proposes, with at least so many listeners in all."""
    proposal = usual(material_of(experiment))
    return DesignRequest.from_json(proposal | {"seats": ceil(listeners / proposal["panels"])})


@require_POST
@requires(Audience.STAFF)
def first_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Make one link for many, which the page that follows shows once."""
    experiment = experiment_of(request, slug)
    try:
        token = panels.invite_many(experiment=experiment, now=timezone.now(), actor=staff(request))
    except AppError as error:
        messages.error(request, error_message(error))
        return redirect("rating:experiment", slug=slug)
    return show_once(request, experiment, [panels.link(token)])
