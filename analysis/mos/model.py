"""Inference of each scale as rows of tables: mixed model, differences, tests on listeners' means, agreement, bootstrap.

Differences stand in both directions, because the order of two names would tell a blind reader which comes first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.adjustment import ADJUSTABLE, ALL, PREFIX
from analysis.adjustment import TABLES as ADJUSTED_TABLES
from analysis.mos.cells import names
from analysis.mos.effects import PAIRED_CONDITIONS, baseline
from analysis.statistics.bootstrap import two_way_bootstrap
from analysis.statistics.estimates import figure
from analysis.statistics.listener_tests import listener_means
from analysis.statistics.mixed_model import ITEM, LISTENER, Dropped
from analysis.statistics.ranks import holm
from analysis.statistics.scale_record import Stimuli, agreement_record, model_record, scale_record
from core.i18n import pack_messages

Rows = list[dict[str, Any]]

LOWEST, HIGHEST = 1.0, 5.0  # of the scales of categories, which SOS is known for
BOOTSTRAP_SEED = 0  # fixed, so that the same votes give the same limits
ALPHAS = {"ordinal": "alpha_ordinal", "interval": "alpha_interval"}  # Krippendorff's, by the level of the marks
TABLES = (
    *("model_level", "two_way_level", "contrasts", "components", "tests", "pair_tests", "agreement"),
    *("complete_model", "model_warnings"),
)


def inference(marks: pd.DataFrame, complete: pd.DataFrame) -> dict[str, Rows]:
    """From all marks, and those of the listeners who count in figures over listeners.

    The model and the bootstrap take every vote for as much as it says. Tests and agreement rest on listeners' means and
    on stimuli that all have marked, so that a person who left after a few pages is no part of them.
    """
    found: dict[str, Rows] = {name: [] for name in TABLES}
    everybody = len(complete) == len(marks)
    reference = baseline(marks)
    for scale in names(marks, "scale"):
        whole = votes_of_scale(marks, scale)
        kept = whole if everybody else votes_of_scale(complete, scale)
        low, high = _limits(kept)
        record = scale_record(kept, low=low, high=high) if len(kept) else None
        model = record["model"] if record and everybody else model_record(whole)
        about = {"scale": scale}
        counts = _counts(whole)
        add_rows(found, model_rows(about, model, counts, reference))
        found["two_way_level"] += _drawn(about, whole, counts)
        if record is None:
            continue
        add_rows(found, test_rows(about, record["tests"], reference))
        found["agreement"] += _agreement(about, kept, names(complete, "panel"), record)
        if not everybody:
            found["complete_model"] += _means(about, record["model"], _counts(kept))
    return found


def adjusted_models(marks: pd.DataFrame, components: Rows) -> dict[str, Rows]:
    """The model with further fixed effects, found in fewer steps from the components without them."""
    found: dict[str, Rows] = {f"{PREFIX}{name}": [] for name in ADJUSTED_TABLES}
    reference = baseline(marks) if len(marks) else ""
    adjustments = _adjustments(marks)
    for scale in names(marks, "scale"):
        votes = votes_of_scale(marks, scale)
        counts = _counts(votes)
        start = {row["component"]: row["variance"] for row in components if row["scale"] == scale} or None
        for name, factors in adjustments.items():
            about = {"scale": scale, "adjusted_for": name, "adjusted_factors": ", ".join(factors)}
            fitted = model_record(votes, factors=factors, start=start)
            rows = model_rows(about, fitted, counts, reference)
            rows["warnings"] = rows.pop("model_warnings")
            add_rows(found, {f"{PREFIX}{part}": each for part, each in rows.items()})
    return found


def add_rows(found: dict[str, Rows], rows: Mapping[str, Rows]) -> None:
    for name, part in rows.items():
        found.setdefault(name, []).extend(part)


def model_rows(
    about: dict[str, Any], model: Mapping[str, Any], counts: Mapping[str, dict[str, int]], reference: str
) -> dict[str, Rows]:
    """Tables of a scale's model, as scale_record has it."""
    return {
        "model_level": _means(about, model, counts),
        "contrasts": _contrasts(about, model, reference),
        "components": _components(about, model),
        "model_warnings": _model_warning(about, model),
    }


def test_rows(about: dict[str, Any], tests: Mapping[str, Any], reference: str) -> dict[str, Rows]:
    """Tables of a scale's tests on listeners' means, as scale_record has them."""
    return {
        "tests": [about | _tests(tests)],
        "pair_tests": _pair_tests(about, tests, reference),
        "model_warnings": _test_warning(about, tests),
    }


def votes_of_scale(marks: pd.DataFrame, scale: str) -> pd.DataFrame:
    """One scale's votes in an order of their own, so that the order in which they came changes no digit."""
    part = marks[marks["scale"] == scale]
    about = (*ADJUSTABLE, "value", "condition", "item", "listener")
    keys = [part[name] if name == "value" else part[name].cat.codes for name in about]
    part = part.iloc[np.lexsort(keys)]
    columns = {name: part[name].cat.remove_unused_categories() for name in about if name != "value"}
    return pd.DataFrame({**columns, "score": part["value"]}).reset_index(drop=True)


def _adjustments(marks: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """Fixed effects beside the condition: each that there is and varies by itself, and all of them together."""
    known = [name for name in ADJUSTABLE if len(names(marks, name)) > 1 and not marks[name].isna().any()]
    together = {ALL: tuple(known)} if len(known) > 1 else {}
    return {name: (name,) for name in known} | together


def _limits(votes: pd.DataFrame) -> tuple[float, float]:
    fits = bool(votes["score"].between(LOWEST, HIGHEST).all())
    return (LOWEST, HIGHEST) if fits else (math.nan, math.nan)


def _counts(votes: pd.DataFrame) -> dict[str, dict[str, int]]:
    by_condition = votes.groupby("condition", observed=True)
    counts = zip(by_condition.size(), by_condition["listener"].nunique(), by_condition["item"].nunique(), strict=True)
    return {
        str(name): {"n_votes": int(n), "n_listeners": int(people), "n_items": int(things)}
        for name, (n, people, things) in zip(by_condition.groups, counts, strict=True)
    }


def _means(about: dict[str, Any], model: Mapping[str, Any], counts: Mapping[str, dict[str, int]]) -> Rows:
    many = len(model["means"]) > PAIRED_CONDITIONS
    return [
        {
            **about,
            "condition": condition,
            **counts[condition],
            "mos": mean["estimate"],
            "se": mean["se"],
            "df": mean["df"],
            "ci_low": mean["ci95"][0],
            "ci_high": mean["ci95"][1],
            "letters": "" if many else mean["letters"],
            "unit": "model",
        }
        for condition, mean in model["means"].items()
    ]


def _drawn(about: dict[str, Any], votes: pd.DataFrame, counts: Mapping[str, dict[str, int]]) -> Rows:
    drawn = two_way_bootstrap(votes, np.random.default_rng(BOOTSTRAP_SEED)).means
    return [
        {
            **about,
            "condition": condition,
            **counts[str(condition)],
            "mos": figure(each.estimate),
            "ci_low": figure(each.low),
            "ci_high": figure(each.high),
            "unit": "two-way",
        }
        for condition, each in drawn.items()
    ]


def _contrasts(about: dict[str, Any], model: Mapping[str, Any], reference: str) -> Rows:
    """Each pair in both directions; p after Holm over all pairs, and over the differences to the same condition."""
    rows: Rows = []
    for each in _both_ways(model["contrasts"]):
        sign = each["sign"]
        (low, high), (low90, high90) = (_turned(limits, sign) for limits in ([each["low"], each["high"]], each["ci90"]))
        rows.append(
            {
                **about,
                "condition": each["a"],
                "against": each["b"],
                "difference": each["estimate"] * sign + 0.0,  # never -0
                "se": each["se"],
                "df": each["df"],
                "t": None if each["t"] is None else each["t"] * sign + 0.0,
                "p": each["p"],
                "p_holm": each["p_holm"],
                "ci_low": low,
                "ci_high": high,
                "ci90_low": low90,
                "ci90_high": high90,
                "unit": "model",
            }
        )
    for against in dict.fromkeys(row["against"] for row in rows):
        compared = [row for row in rows if row["against"] == against]
        adjusted = holm(np.array([math.nan if row["p"] is None else row["p"] for row in compared]))
        for row, p in zip(compared, adjusted.tolist(), strict=True):
            row["p_holm_against"] = figure(p)
    return _few(rows, reference)


def _both_ways(pairs: Rows) -> Iterator[dict[str, Any]]:
    for pair in pairs:
        yield {**pair, "sign": 1.0}
        yield {**pair, "a": pair["b"], "b": pair["a"], "sign": -1.0}


def _turned(limits: list[float | None], sign: float) -> list[float | None]:
    """The limits of a difference, or of the same the other way round."""
    if sign > 0:
        return limits
    return [None if limit is None else -limit for limit in reversed(limits)]


def _few(rows: Rows, reference: str) -> Rows:
    """With many conditions, the differences to one of them alone."""
    if len({row["against"] for row in rows}) <= PAIRED_CONDITIONS:
        return rows
    return [row for row in rows if row["against"] == reference]


def _components(about: dict[str, Any], model: Mapping[str, Any]) -> Rows:
    known = {name: value for name, value in model["components"].items() if value is not None}
    total = sum(known.values())
    return [
        {
            **about,
            "component": name,
            "variance": value,
            "share": value / total if total > 0 else None,
            "dropped": model["dropped"].get(name, ""),
            "reml_criterion": model["reml_criterion"],
        }
        for name, value in known.items()
    ]


def _tests(tests: Mapping[str, Any]) -> dict[str, Any]:
    friedman, anova = tests["friedman"], tests["rm_anova"]
    return {
        "n_listeners": tests["n_listeners"],
        "left_out": len(tests["listeners_left_out"]),
        "chi2": friedman["chi2"],
        "chi2_df": friedman["df"],
        "p_friedman": friedman["p"],
        "kendall_w": friedman["kendall_w"],
        "f": anova["f"],
        "f_df": anova["df"],
        "f_df_error": anova["df_error"],
        "epsilon": anova["epsilon"],
        "p_anova": anova["p"],
        "p_anova_corrected": anova["p_corrected"],
        "least_p_holm": tests["least_p_holm"],
    }


def _pair_tests(about: dict[str, Any], tests: Mapping[str, Any], reference: str) -> Rows:
    rows: Rows = []
    for each in _both_ways(tests["wilcoxon_holm"]):
        n, w_plus, d_z, sign = each["n"], each["w_plus"], each["d_z"], each["sign"]
        if sign < 0 and w_plus is not None:
            w_plus = n * (n + 1) / 2 - w_plus
        low, high = _turned(each["d_z_ci95"], sign)
        rows.append(
            {
                **about,
                "condition": each["a"],
                "against": each["b"],
                "n_listeners": tests["n_listeners"],
                "n_unequal": n,
                "w_plus": w_plus,
                "p": each["p"],
                "p_holm": each["p_holm"],
                "d_z": None if d_z is None else d_z * sign + 0.0,
                "d_z_low": low,
                "d_z_high": high,
            }
        )
    return _few(rows, reference)


def _agreement(about: dict[str, Any], votes: pd.DataFrame, panels: Sequence[Any], record: Mapping[str, Any]) -> Rows:
    """Of all listeners, and of each panel where panels heard stimuli of their own."""
    people = votes["listener"].nunique()
    rows = list(coefficients(about | {"panel": None, "n_listeners": people}, record["agreement"], record["sos_a"]))
    for panel in panels if len(panels) > 1 else ():
        own = votes[votes["panel"] == panel]
        if len(own):
            found = agreement_record(Stimuli.of(own).marks, listener_means(own).values)
            rows += coefficients(about | {"panel": panel, "n_listeners": own["listener"].nunique()}, found, None)
    return rows


def coefficients(about: dict[str, Any], found: Mapping[str, Any], sos: float | None) -> Iterator[dict[str, Any]]:
    """What is not known, as an ICC without stimuli that everybody marked, has no row."""
    known = [
        *(("stimuli", name, each["value"], *each["ci95"]) for name, each in found["icc"].items()),
        *(("conditions", name, each["value"], *each["ci95"]) for name, each in found["conditions_icc"].items()),
        *(("stimuli", f"alpha ({level})", found[key], None, None) for level, key in ALPHAS.items()),
        ("stimuli", "SOS a", sos, None, None),
    ]
    for row in known:
        if row[2] is not None:
            yield about | dict(zip(("over", "coefficient", "value", "ci_low", "ci_high"), row, strict=True))


def _model_warning(about: dict[str, Any], model: Mapping[str, Any]) -> Rows:
    if model["error"]:
        return [{"code": "no_model", **about, **pack_messages({"reason": model["error"]["message"]})}]
    alone = {LISTENER: "these_listeners", ITEM: "these_items"}
    return [{"code": code, **about} for name, code in alone.items() if model["dropped"].get(name) == Dropped.FIXED]


def _test_warning(about: dict[str, Any], tests: Mapping[str, Any]) -> Rows:
    if not tests["cannot_reach"]:
        return []
    return [{"code": "cannot_reach", **about, "listeners": tests["n_listeners"]}]
