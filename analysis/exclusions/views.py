"""The experimenter's pages of exclusions (ledger, rules, lifting) and of the analysis plan."""

from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from analysis.exclusions.forms import FIELDS, ExclusionForm, PlanForm, RuleForm
from analysis.exclusions.rules import apply_rule, proposals
from analysis.registry import method_of
from analysis.reports.plan import plan_facts, plan_sha256
from analysis.services.results import read_result
from analysis.tasks import keep_current
from core.forms import ValidatedForm
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from listening.models import Exclusion
from listening.panels.services import exclusions
from rating.forms import ReasonForm
from rating.models import Experiment
from rating.services.access import experiment_of
from rating.services.editing import edit_experiment


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def ledger(request: HttpRequest, slug: str) -> HttpResponse:
    """The ledger, also with another threshold of a rule to try (GET), and another entry in it (POST)."""
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


@posted_from("analysis:exclusions", "slug")
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


@posted_from("analysis:exclusions", "slug")
@requires(Audience.STAFF)
def use_rule(request: HttpRequest, slug: str) -> HttpResponse:
    """Exclude everybody whom one rule finds."""
    experiment = experiment_of(request, slug)
    form = _rule_form(request.POST.get("rule", ""), request.POST)
    made = form.carry_out(partial(apply_rule, experiment=experiment, actor=staff(request)), field="threshold")
    if made:
        said = ngettext("%(n)s listener is excluded.", "%(n)s listeners are excluded.", len(made))
        messages.success(request, said % {"n": len(made)})
        return redirect("analysis:exclusions", slug=slug)
    if form["rule"].value() not in [each.rule for each in proposals(experiment)]:
        messages.error(request, form.problems())  # the page has no such rule that this could stand beside
        return redirect("analysis:exclusions", slug=slug)
    return _page(request, experiment, refused=form)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def plan(request: HttpRequest, slug: str) -> HttpResponse:
    """The analysis plan: a form in a draft, and what was registered afterwards."""
    experiment = experiment_of(request, slug)
    form = PlanForm(request.POST if request.method == "POST" else None, experiment=experiment)
    if request.method == "POST":
        change = partial(edit_experiment, experiment=experiment, actor=staff(request))
        if form.carry_out(lambda **_filled_in: change(analysis_plan=form.plan())):
            messages.success(request, _("The analysis plan is saved. It is fixed when the experiment goes live."))
            return redirect("analysis:plan", slug=slug)
    context = {
        "experiment": experiment,
        "form": form,
        "facts": plan_facts(experiment.analysis_plan),
        "sha256": plan_sha256(experiment.analysis_plan),
        "tab": "design",
    }
    return render(request, "analysis/plan.html", context, status=form.status if form.errors else 200)


def _rule_form(rule: str, data: QueryDict | None = None, threshold: float | None = None) -> RuleForm:
    initial = {"rule": rule, "threshold": "" if threshold is None else f"{threshold:g}"}
    return RuleForm(data, auto_id=f"rule_{rule}_%s", initial=initial)


def _lift_form(entry_id: UUID, request: HttpRequest | None = None) -> ReasonForm:
    return ReasonForm(request.POST if request else None, auto_id=f"lift_{entry_id.hex[:8]}_%s")


def _page(request: HttpRequest, experiment: Experiment, *, refused: ValidatedForm | None = None) -> HttpResponse:
    """The page, with the form that was refused as it was filled in, and the others as new."""

    def shown(form: ValidatedForm) -> ValidatedForm:
        return refused if refused and refused.auto_id == form.auto_id else form

    entries = list(exclusions.ledger_of(experiment))
    seats = list(exclusions.seats_with_answers(experiment))
    asked = request.GET if "threshold" in request.GET else None
    trial = _rule_form(request.GET.get("rule", ""), asked)
    chosen = {trial.cleaned_data["rule"]: trial.cleaned_data["threshold"]} if trial.is_valid() else {}
    if asked and not chosen:
        refused = trial
    keep_current(experiment=experiment, reader=staff(request))
    whole = {entry.seat_id for entry in entries if entry.lifted_at is None and entry.trial_id is None}
    method, simulated = method_of(experiment.protocol), experiment.is_simulation
    context = {
        "experiment": experiment,
        "entries": [
            (entry, exclusions.name_of_listener(entry.seat), shown(_lift_form(entry.pk))) for entry in reversed(entries)
        ],
        "standing": sum(entry.lifted_at is None for entry in entries),
        "seats": seats,
        "stale": read_result(experiment=experiment, slug=method, simulated=simulated)["stale"],
        "rules": [
            (proposal, shown(_rule_form(proposal.rule, threshold=proposal.threshold)))
            for proposal in proposals(experiment, thresholds=chosen)
        ],
        "form": shown(ExclusionForm(seats=seats, excluded=whole)),
        "tab": "results",
    }
    return render(request, "analysis/exclusions.html", context, status=refused.status if refused else 200)
