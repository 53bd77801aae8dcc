"""Analysis plan that was written down before going live: what it says, and which of it was kept."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.adjustment import ADJUSTABLE, ALL, adjusted
from analysis.reports.exclusions import who_is
from analysis.reports.inference import once
from analysis.reports.rules import rule_titles
from analysis.reports.tables import Row, figure, interval, p_value, signed
from analysis.statistics.rules import found_by
from core.hashing import digest

Plan = Mapping[str, Any]  # scale, against, margin, model, rules with thresholds; empty where nothing was written down
ADJUSTED = "mixed+"  # before what the mixed model is adjusted for
MODELS = ("mixed", "listeners", *(f"{ADJUSTED}{name}" for name in (*ADJUSTABLE, ALL)))
DIFFERENCE = {"condition", "against", "difference", "ci_low", "ci_high"}  # columns that a registered contrast needs


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


def registered_choices(plan: Plan, *, blind: bool) -> dict[str, str]:
    """What the plan says of choices of a report; letters stand for conditions until the experiment is unblinded."""
    against, adjust = None if blind else plan.get("against"), registered_adjustment(plan)
    chosen = {"against": against, "margin": plan.get("margin"), "adjust": adjust}
    return {name: str(value) for name, value in chosen.items() if value}


def plan_outcomes(plan: Plan, table: Mapping[str, Any], *, blind: bool) -> list[Outcome]:
    """Which parts were kept, and what the registered contrast found; exclusions that no registered rule covers are
    named."""
    if not plan:
        return []
    return [*_kept(plan, table), *_contrast(plan, table, blind=blind)]


def _kept(plan: Plan, table: Mapping[str, Any]) -> list[Outcome]:
    return [*_scale(plan, table), *_model(plan, table), *_rules(plan, table), *_beside(plan, table)]


def _scale(plan: Plan, table: Mapping[str, Any]) -> list[Outcome]:
    if not plan["scale"] or not table.get("counts"):
        return []
    if any(row.get("scale") == plan["scale"] for row in table.get("rows", [])):
        return [Outcome(kept=True, sentence=_("Primary scale, as registered: {scale}.").format_map(plan))]
    return [Outcome(kept=False, sentence=_("Primary scale, not available: {scale}.").format_map(plan))]


# --- The registered contrast ------------------------------------------------------------------------------------------


def _contrast(plan: Plan, table: Mapping[str, Any], *, blind: bool) -> list[Outcome]:
    """The differences that were registered, on the primary scale. A condition is not named to a blind reader."""
    against = plan["against"]
    if not table.get("counts") or (blind and against):
        return []
    rows = [row for row in _differences(plan, table) if row.get("scale") in (plan["scale"], None) or not plan["scale"]]
    rows = [row for row in rows if row["against"] == against] if against else once(rows)
    rows = _after_holm([{**row, **_tested(row, table)} for row in rows], against)
    if not rows:
        name = _("against {condition}").format(condition=against) if against else _("all pairs")
        return [Outcome(kept=False, sentence=_("Registered contrast, not available: {name}.").format(name=name))]
    told = _each(rows) if against else _all_pairs(rows)
    return [Outcome(kept=True, sentence=sentence) for sentence in told] + _equivalence(plan, rows)


def _differences(plan: Plan, table: Mapping[str, Any]) -> list[Row]:
    """The differences by the registered model, whatever the reader has it adjusted for now."""
    if plan["model"] == "mixed" and table.get("adjustment"):
        found = table["unadjusted_contrasts"]
    elif adjust := registered_adjustment(plan):
        table = adjusted(table, adjust)
        found = table["contrasts"] if table["adjustment"] else []
    elif plan["model"] == "mixed":  # some methods have others of that name
        found = table["model_contrasts"] if "model_contrasts" in table else table.get("contrasts", [])
    else:
        found = [row for row in table.get("differences", []) if row.get("unit") == "listener"]
    return [row for row in found if row.keys() >= DIFFERENCE]


def _tested(row: Row, table: Mapping[str, Any]) -> dict[str, Any]:
    """The p of a difference over listeners, which is that of the test of the same pair."""
    if "p" in row:
        return {}
    names = ("scale", "condition", "against")
    same = (each for each in table.get("pair_tests", []) if all(each[name] == row[name] for name in names))
    return {"p": None, "p_holm": None} | {name: each[name] for each in same for name in ("p", "p_holm")}


def _after_holm(rows: list[Row], against: str) -> list[Row]:
    """The rows with p after Holm over all of them, as the result has it where it does."""
    if not against or not rows:
        return rows
    if "p_holm_against" in rows[0]:
        return [{**row, "p_holm": row["p_holm_against"]} for row in rows]
    import numpy as np

    from analysis.statistics.ranks import holm

    p = holm(np.array([math.nan if row["p"] is None else row["p"] for row in rows])).tolist()
    return [{**row, "p_holm": None if math.isnan(one) else one} for row, one in zip(rows, p, strict=True)]


def _each(rows: list[Row]) -> list[str]:
    said = _("Registered contrast: {pair}{scale} {difference}, 95 % CI {interval}, p (Holm) {p}.")
    return [
        said.format(
            pair=_pair(row),
            scale=f" ({row['scale']})" if row.get("scale") else "",
            difference=signed(row["difference"]),
            interval=interval(row["ci_low"], row["ci_high"], signed),
            p=p_value(row["p_holm"]),
        )
        for row in rows
    ]


def _all_pairs(rows: list[Row]) -> list[str]:
    differ = [_pair(row) for row in rows if row["p_holm"] is not None and row["p_holm"] < 0.05]
    said = ngettext(
        "Registered contrast, all pairs: {differ} of {n} pair differs at 5 % (Holm). {pairs}",
        "Registered contrast, all pairs: {differ} of {n} pairs differ at 5 % (Holm). {pairs}",
        len(rows),
    )
    return [said.format(differ=len(differ), n=len(rows), pairs="; ".join(differ)).strip()]


def _equivalence(plan: Plan, rows: list[Row]) -> list[Outcome]:
    """Two one-sided tests at 5 % at the registered margin find equivalence if the 90 % CI lies within it."""
    if not plan["margin"]:
        return []
    if not plan["against"]:
        return _equivalent_pairs(plan["margin"], rows)
    margin, outcomes = plan["margin"], []
    yes = _("Registered margin {margin}: {pair} is equivalent, 90 % CI {interval}.")
    no = _("Registered margin {margin}: equivalence of {pair} is not shown, 90 % CI {interval}.")
    for row in rows:
        low, high = limits_90(row)
        known = low is not None and high is not None
        said = yes if known and -margin < low and high < margin else no
        said = said if known else _("Registered margin {margin}: equivalence of {pair}, not available.")
        told = said.format(margin=figure(margin), pair=_pair(row), interval=interval(low, high, signed))
        outcomes.append(Outcome(kept=known, sentence=told))
    return outcomes


def _equivalent_pairs(margin: float, rows: list[Row]) -> list[Outcome]:
    """The same of all pairs, in one sentence."""
    known = [limits for row in rows if None not in (limits := limits_90(row))]
    within = [low for low, high in known if -margin < low and high < margin]  # type: ignore[operator]
    said = ngettext(
        "Registered margin {margin}: {within} of {n} pair is equivalent (90 % CI).",
        "Registered margin {margin}: {within} of {n} pairs are equivalent (90 % CI).",
        len(rows),
    )
    told = said.format(margin=figure(margin), within=len(within), n=len(rows))
    return [Outcome(kept=len(known) == len(rows), sentence=told)]


def limits_90(row: Row) -> tuple[float | None, float | None]:
    """The 90 % CI of a difference: as the result has it, or from its standard error over listeners or by the model."""
    if "ci90_low" in row:
        return row["ci90_low"], row["ci90_high"]
    from scipy.special import stdtrit

    error, df = row.get("se"), row.get("df")
    if "se" not in row and row.get("sd") is not None:
        error, df = row["sd"] / math.sqrt(row["n_listeners"]), row["n_listeners"] - 1
    if not error or not df:
        return None, None
    half = float(stdtrit(df, 0.95)) * error
    return row["difference"] - half, row["difference"] + half


def _pair(row: Row) -> str:
    return f"{row['condition']} − {row['against']}"


# --- Model and exclusions ---------------------------------------------------------------------------------------------


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
        *(outcome.sentence for outcome in _kept(plan, table)),
    ]
