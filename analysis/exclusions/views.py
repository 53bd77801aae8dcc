"""The experimenter's page of exclusions: the ledger, and the forms that add to it and lift an entry."""

from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from analysis.exclusions.forms import FIELDS, ExclusionForm
from core.forms import ValidatedForm
from core.permissions import Audience, requires, staff
from listening.models import Exclusion
from listening.panels.services import exclusions
from rating.forms import ReasonForm
from rating.models import Experiment
from rating.services.access import experiment_of


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def ledger(request: HttpRequest, slug: str) -> HttpResponse:
    """The ledger (GET), and another entry in it (POST)."""
    experiment = experiment_of(request, slug)
    if request.method == "GET":
        return _page(request, experiment)
    form = ExclusionForm(request.POST, seats=list(exclusions.seats_with_answers(experiment)))

    def exclude(**_filled_in: object) -> Exclusion:
        reason = form.cleaned_data["reason"]
        return exclusions.exclude(experiment=experiment, actor=staff(request), target=form.target(), reason=reason)

    if form.carry_out(exclude, field="whom", by_code=FIELDS):
        messages.success(request, _("Excluded. No answer was deleted, and the results are being updated."))
        return redirect("analysis:exclusions", slug=slug)
    return _page(request, experiment, refused=form)


@require_POST
@requires(Audience.STAFF)
def lift(request: HttpRequest, slug: str, entry_id: UUID) -> HttpResponse:
    """Let excluded answers count again."""
    experiment = experiment_of(request, slug)
    form = _lift_form(entry_id, request)
    change = partial(exclusions.lift, experiment=experiment, entry_id=entry_id, actor=staff(request))
    if form.carry_out(change, field="reason"):
        messages.success(request, _("The exclusion is lifted. The results are being updated."))
        return redirect("analysis:exclusions", slug=slug)
    if not exclusions.ledger_of(experiment).standing().filter(pk=entry_id).exists():
        messages.error(request, form.problems())  # it has no control any more that this could stand beside
        return redirect("analysis:exclusions", slug=slug)
    return _page(request, experiment, refused=form)


def _lift_form(entry_id: UUID, request: HttpRequest | None = None) -> ReasonForm:
    return ReasonForm(request.POST if request else None, auto_id=f"lift_{entry_id.hex[:8]}_%s")


def _page(request: HttpRequest, experiment: Experiment, *, refused: ValidatedForm | None = None) -> HttpResponse:
    """The page, with the form that was refused as it was filled in, and the others as new."""

    def shown(form: ValidatedForm) -> ValidatedForm:
        return refused if refused and refused.auto_id == form.auto_id else form

    entries = list(exclusions.ledger_of(experiment))
    seats = list(exclusions.seats_with_answers(experiment))
    whole = {entry.seat_id for entry in entries if entry.lifted_at is None and entry.trial_id is None}
    context = {
        "experiment": experiment,
        "entries": [
            (entry, exclusions.name_of_listener(entry.seat), shown(_lift_form(entry.pk))) for entry in reversed(entries)
        ],
        "standing": sum(entry.lifted_at is None for entry in entries),
        "seats": seats,
        "form": shown(ExclusionForm(seats=seats, excluded=whole)),
        "tab": "results",
    }
    return render(request, "analysis/exclusions.html", context, status=refused.status if refused else 200)
