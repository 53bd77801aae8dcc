"""Analysis plan that was written down before going live: what it says, and which of it was kept."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from analysis.adjustment import ADJUSTABLE, ALL, adjusted
from analysis.reports.exclusions import who_is
from analysis.reports.rules import rule_titles
from analysis.reports.tables import figure
from analysis.statistics.rules import found_by
from core.hashing import digest

Plan = Mapping[str, Any]  # scale, against, margin, model, rules with thresholds; empty where nothing was written down
ADJUSTED = "mixed+"  # before what the mixed model is adjusted for
MODELS = ("mixed", "listeners", *(f"{ADJUSTED}{name}" for name in (*ADJUSTABLE, ALL)))


class Outcome(NamedTuple):
    """One part of the plan, or an exclusion beside it, and whether it is as registered."""

    kept: bool
    sentence: str


def plan_sha256(plan: Plan) -> str:
    return digest(plan)


def model_names() -> dict[str, str]:
    return {
        "mixed": _("mixed model"),
        "listeners": _("means over listeners"),
        "mixed+panel": _("mixed model, adjusted for panel"),
        "mixed+session": _("mixed model, adjusted for session"),
        "mixed+order": _("mixed model, adjusted for the order of the scales"),
        "mixed+all": _("mixed model, adjusted for panel, session and order of the scales, as far as they vary"),
    }


def registered_adjustment(plan: Plan) -> str:
    """What the registered model is adjusted for; empty where it is not."""
    model = str(plan.get("model", ""))
    return model.removeprefix(ADJUSTED) if model.startswith(ADJUSTED) else ""


def plan_facts(plan: Plan) -> list[tuple[str, str]]:
    """What was written down, each with its label."""
    if not plan:
        return []
    rules = [f"{rule_titles()[slug]} ({threshold:g})" for slug, threshold in plan["rules"].items()]
    against = plan["against"]
    told = [
        (_("Primary scale"), plan["scale"]),
        (_("Contrast"), _("against {condition}").format(condition=against) if against else _("all pairs")),
        (_("Margin of equivalence"), figure(plan["margin"]) if plan["margin"] else ""),
        (_("Model"), model_names()[plan["model"]]),
        (_("Exclusion rules"), "; ".join(rules) or _("none")),
    ]
    return [(label, value) for label, value in told if value]


def plan_outcomes(plan: Plan, table: Mapping[str, Any]) -> list[Outcome]:
    """Which parts were kept: the model and each rule; exclusions that no registered rule covers are named."""
    if not plan:
        return []
    return [*_model(plan, table), *_rules(plan, table), *_beside(plan, table)]


def _model(plan: Plan, table: Mapping[str, Any]) -> list[Outcome]:
    wanted = registered_adjustment(plan)
    if wanted:
        table = adjusted(table, wanted)
    part = "rows" if plan["model"] == "listeners" else "model_level"
    rows = [row for row in table.get(part, []) if row.get("scale") in (plan["scale"], None) or not plan["scale"]]
    name = model_names()[plan["model"]]
    if rows and (table.get("adjustment") or not wanted):
        return [Outcome(kept=True, sentence=_("Registered model, as registered: {name}.").format(name=name))]
    if not table.get("counts"):
        return []
    return [Outcome(kept=False, sentence=_("Registered model, not available: {name}.").format(name=name))]


def _rules(plan: Plan, table: Mapping[str, Any]) -> list[Outcome]:
    """A rule is kept if everybody is excluded whom it finds with the registered threshold."""
    excluded = {row["listener"] for row in table.get("exclusions", []) if row["kind"] != "trial"}
    outcomes = []
    for slug, threshold in plan["rules"].items():
        found = [each.listener for each in found_by(table.get("screening", []), slug, threshold)]
        values = {"rule": rule_titles()[slug], "threshold": f"{threshold:g}", "n": len(found)}
        left = [listener for listener in found if listener not in excluded]
        said = _("Registered rule, applied as registered: {rule}, threshold {threshold}, found {n}.")
        if left:
            said = _(
                "Registered rule, not applied to all it finds: {rule}, threshold {threshold}, not excluded: {left}."
            )
        outcomes.append(Outcome(kept=not left, sentence=said.format(**values, left=", ".join(left))))
    return outcomes


def _beside(plan: Plan, table: Mapping[str, Any]) -> list[Outcome]:
    others = [
        row
        for row in table.get("exclusions", [])
        if plan["rules"].get(row["rule"]) != row["threshold"] or not row["rule"]
    ]
    said = _("Exclusion that no registered rule covers: {who} ({reason}).")
    return [Outcome(kept=False, sentence=said.format(who=who_is(row), reason=row["reason"])) for row in others]


def plan_sentences(plan: Plan, table: Mapping[str, Any]) -> list[str]:
    """For the methods section."""
    if not plan:
        return []
    facts = "; ".join(f"{label}: {value}" for label, value in plan_facts(plan))
    said = _("Registered before the first answer (SHA-256 {sha256}): {facts}.")
    return [
        said.format(sha256=plan_sha256(plan)[:12], facts=facts),
        *(outcome.sentence for outcome in plan_outcomes(plan, table)),
    ]
