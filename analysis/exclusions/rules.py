"""Proposals of the screening rules: whom each would exclude, with figure and threshold, and their application."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_noop as _

from analysis.registry import method_of
from analysis.reports.rules import rule_sentences, rule_titles
from analysis.services.results import read_result
from analysis.statistics.rules import RULES, Found, Rule, found_by
from core.errors import AppError
from core.models import User
from listening.models import Exclusion
from listening.panels.services.exclusions import (
    RuleOutcome,
    Target,
    exclude_by_rule,
    excluded_now,
    name_of_listener,
    seats_with_answers,
)
from rating.models import Experiment


@dataclass(frozen=True)
class Proposal:
    rule: str
    threshold: float
    found: list[tuple[Found, bool]]  # and whether the listener is excluded already, for whatever reason
    judged: int  # listeners for whom the rule has a figure
    registered: bool  # written down before going live, with this threshold

    @property
    def new(self) -> list[Found]:
        return [each for each, excluded in self.found if not excluded]

    @property
    def title(self) -> str:
        return rule_titles()[self.rule]

    @property
    def sentence(self) -> str:
        return rule_sentences()[self.rule]


def proposals(experiment: Experiment, *, thresholds: Mapping[str, float] | None = None) -> list[Proposal]:
    """What each rule that has a figure for anybody would exclude, with this threshold, the registered or the usual."""
    result = read_result(
        experiment=experiment, slug=method_of(experiment.protocol), simulated=experiment.is_simulation, long=True
    )
    rows: list[dict[str, Any]] = result["table"].get("screening", [])
    excluded = _excluded_listeners(experiment)
    registered = experiment.analysis_plan.get("rules", {})
    chosen = {slug: rule.threshold for slug, rule in RULES.items()} | registered | (thresholds or {})
    return [
        Proposal(
            rule=slug,
            threshold=chosen[slug],
            found=[(each, each.listener in excluded) for each in found_by(rows, slug, chosen[slug])],
            judged=len(judged),
            registered=registered.get(slug) == chosen[slug],
        )
        for slug in RULES
        if (judged := {who for row in rows if row["rule"] == slug for who in row["figures"]})
    ]


def apply_rule(*, experiment: Experiment, actor: User, rule: str, threshold: float | None) -> list[Exclusion]:
    """Exclude everybody whom one rule finds and who is not excluded yet."""
    known = {
        each.rule: each for each in proposals(experiment, thresholds={} if threshold is None else {rule: threshold})
    }
    if rule not in known:
        raise AppError(
            "exclusion.rule_unknown",
            404,
            _("No rule called '{rule}' has figures for this experiment. Known: {known}."),
            rule=rule[:40],
            known=", ".join(known) or "-",
        )
    if threshold is not None and not RULES[rule].allows(threshold):
        raise threshold_refused(RULES[rule])
    proposal = known[rule]
    if not proposal.new:
        raise AppError(
            "exclusion.rule_finds_nobody",
            409,
            _("The rule finds nobody who is not excluded already."),
        )
    outcomes = [
        (Target(listener=each.listener), RuleOutcome(rule, each.figure, proposal.threshold, each.scale))
        for each in proposal.new
    ]
    return exclude_by_rule(experiment=experiment, actor=actor, found=outcomes)


def threshold_refused(rule: Rule) -> AppError:
    return AppError(
        "exclusion.threshold",
        422,
        _("A threshold of this rule is from {lowest} to {highest}."),
        lowest=f"{rule.lowest:g}",
        highest=f"{rule.highest:g}",
    )


def _excluded_listeners(experiment: Experiment) -> set[str]:
    excluded = excluded_now(experiment).ballots
    return {name_of_listener(seat) for seat in seats_with_answers(experiment) if seat.ballot_id in excluded}
