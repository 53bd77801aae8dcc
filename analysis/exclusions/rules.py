"""Proposals of the screening rules: whom each would exclude, with figure and threshold, and their application."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.registry import method_of
from analysis.services.results import read_result
from analysis.statistics.rules import RULES, Findings
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
class Found:
    """A listener whom a rule finds: on one scale, or on all together."""

    listener: str
    figure: float
    scale: str
    excluded: bool  # already, for whatever reason


@dataclass(frozen=True)
class Proposal:
    rule: str
    threshold: float
    found: list[Found]
    judged: int  # listeners for whom the rule has a figure
    registered: bool = False  # written down before going live, with this threshold

    @property
    def new(self) -> list[Found]:
        return [each for each in self.found if not each.excluded]

    @property
    def title(self) -> str:
        return rule_titles()[self.rule]

    @property
    def sentence(self) -> str:
        return rule_sentences()[self.rule]


def rule_titles() -> dict[str, str]:
    return {
        "bt500": _("BT.500, unanimous clips left out"),
        "bt500-literal": _("BT.500, by the letter"),
        "p913": _("Correlation with the others (P.913)"),
        "p808": _("Correlation with all (P.808)"),
        "variance": _("Variance of answers"),
        "repeats": _("Self-consistency on repeats"),
        "bs1534": _("Hidden reference (BS.1534)"),
        "sooner": _("Answers before the clip could end"),
        "quick": _("Median response time (ms)"),
    }


def rule_sentences() -> dict[str, str]:
    return {
        "bt500": _(
            "Share of votes at or beyond the limits of a clip, with as many above as below. Clips on which all agree "
            "count against nobody."
        ),
        "bt500-literal": _(
            "The same by the letter of the Recommendation, where clips on which all agree count against everybody."
        ),
        "p913": _("Pearson's r of a listener's votes with the mean of the others, below the threshold."),
        "p808": _("Pearson's r of a listener's votes with the mean of all, below the threshold."),
        "variance": _(
            "Variance of a listener's votes on all scales together, below the threshold: hardly any answer differs."
        ),
        "repeats": _("Mean difference of two votes on the same clip as a share of the scale, above the threshold."),
        "bs1534": _("Share of items on which the hidden reference got less than 90, above the threshold."),
        "sooner": _("Share of answers that came before the clip could have ended, above the threshold."),
        "quick": _("Median time from the end of a clip to the answer in ms, below the threshold."),
    }


def proposals(experiment: Experiment, *, thresholds: Mapping[str, float] | None = None) -> list[Proposal]:
    """What each rule that has a figure for anybody would exclude, with this threshold, the registered or the usual."""
    result = read_result(experiment=experiment, slug=method_of(experiment.protocol), simulated=False, long=True)
    rows: list[dict[str, Any]] = result["table"].get("screening", [])
    excluded = _excluded_listeners(experiment)
    chosen = experiment.analysis_plan.get("rules", {}) | (thresholds or {})
    made = []
    for slug, rule in RULES.items():
        parts = [row for row in rows if row["rule"] == slug and row["figures"]]
        if not parts:
            continue
        threshold = chosen.get(slug, rule.threshold)
        worst: dict[str, Found] = {}
        for row in parts:
            findings = Findings(slug, row["scale"] or "", row["figures"], frozenset(row["spared"]))
            for who, figure in findings.proposed(threshold).items():
                if who not in worst or rule.finds(figure, worst[who].figure):
                    worst[who] = Found(who, figure, findings.scale, who in excluded)
        judged = {who for row in parts for who in row["figures"]}
        registered = experiment.analysis_plan.get("rules", {}).get(slug) == threshold
        made.append(Proposal(slug, threshold, [worst[who] for who in sorted(worst)], len(judged), registered))
    return made


def apply_rule(*, experiment: Experiment, actor: User, rule: str, threshold: float | None) -> list[Exclusion]:
    """Exclude everybody whom one rule finds and who is not excluded yet."""
    known = {
        each.rule: each for each in proposals(experiment, thresholds={} if threshold is None else {rule: threshold})
    }
    if rule not in known:
        raise AppError(
            "exclusion.rule_unknown",
            404,
            gettext_noop("No rule called '{rule}' has figures for this experiment. Known: {known}."),
            rule=rule[:40],
            known=", ".join(known) or "-",
        )
    proposal = known[rule]
    if not proposal.new:
        raise AppError(
            "exclusion.rule_finds_nobody",
            409,
            gettext_noop("The rule finds nobody who is not excluded already."),
        )
    outcomes = [
        (Target(listener=each.listener), RuleOutcome(rule, each.figure, proposal.threshold, each.scale))
        for each in proposal.new
    ]
    return exclude_by_rule(experiment=experiment, actor=actor, found=outcomes)


def _excluded_listeners(experiment: Experiment) -> set[str]:
    excluded = excluded_now(experiment).ballots
    return {name_of_listener(seat) for seat in seats_with_answers(experiment) if seat.ballot_id in excluded}
