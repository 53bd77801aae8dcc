"""Files of an analysed table of votes: every figure as JSON, means and differences as CSV, a report in Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.exports import csv_lines

UNITS = ("votes", "listeners", "items", "mixed", "two_way")
MEANS = (
    "scale",
    "condition",
    "n_votes",
    "n_listeners",
    "n_items",
    "mean",
    "sd",
    *(f"{unit}_{end}" for unit in UNITS for end in ("low", "high")),
    "model_estimate",
    "model_se",
    "model_df",
    "letters",
    "n_listeners_counted",
    "all_listeners_low",
    "all_listeners_high",
)
CONTRASTS = (
    *("scale", "a", "b", "estimate", "se", "df", "low", "high", "t", "p", "p_holm"),
    *("margin", "p_equivalence", "equivalent"),
)
LISTENER_RULES = (
    ("BT.500, guarded", ("bt500", "guarded")),
    ("BT.500, literal", ("bt500", "literal")),
    ("P.913 correlation", ("p913_correlation", "rejected")),
    ("P.808 correlation", ("p808_correlation", "rejected")),
    ("low variance", ("low_variance", "rejected")),
    ("BS.1534, hidden reference", ("bs1534", "reference")),
    ("BS.1534, mid anchor", ("bs1534", "mid_anchor")),
)


def as_json(found: Mapping[str, Any]) -> str:
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def files_of(found: Mapping[str, Any]) -> dict[str, str]:
    """Every file by its name; the same table and options give the same bytes."""
    return {
        "analysis.json": as_json(found),
        "means.csv": "".join(csv_lines(_means(found), columns=MEANS)),
        "contrasts.csv": "".join(csv_lines(_contrasts(found), columns=CONTRASTS)),
        "report.md": "\n".join(_report(found)) + "\n",
    }


def _means(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for scale, part in found["scales"].items():
        for condition, row in part["conditions"].items():
            limits = {
                f"{unit}_{end}": value
                for unit, interval in (*row["ci95"].items(), ("all_listeners", row["ci95_all_listeners"]))
                for end, value in zip(("low", "high"), interval, strict=True)
            }
            mean = part["model"]["means"].get(condition, {})
            modelled = {f"model_{name}": mean.get(name) for name in ("estimate", "se", "df")}
            yield {**row, **limits, **modelled, "scale": scale, "condition": condition, "letters": mean.get("letters")}


def _contrasts(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for scale, part in found["scales"].items():
        for row in part["model"]["contrasts"]:
            tested = row.get("equivalence", {})
            yield {
                "scale": scale,
                **row,
                "margin": tested.get("margin"),
                "p_equivalence": tested.get("p"),
                "equivalent": tested.get("equivalent"),
            }


def _report(found: Mapping[str, Any]) -> Iterator[str]:
    counts = found["counts"]
    yield f"# Votes of {_plain(found['file']['name'])}"
    yield ""
    yield (
        f"{counts['votes']} votes of {counts['listeners']} listeners on {counts['items']} items under "
        f"{counts['conditions']} conditions. SHA-256 of the table: {found['file']['sha256']}."
    )
    if found["excluded"]:
        yield ""
        yield f"Excluded listeners: {_plain(', '.join(found['excluded']))}. Figures with them stand beside."
    if found["not_counted"]:
        roles = ", ".join(f"{role} {count}" for role, count in found["not_counted"].items())
        yield ""
        yield f"Votes that do not count, by role: {_plain(roles)}."
    if found["warnings"]:
        yield ""
        yield "## Read first"
        yield ""
        yield from (f"- {_plain(warning)}" for warning in found["warnings"])
    for scale, part in found["scales"].items():
        beside = found.get("with_excluded", {}).get("scales", {}).get(scale)
        yield from _scale(scale, part, beside)


def _scale(scale: str, part: Mapping[str, Any], beside: Mapping[str, Any] | None) -> Iterator[str]:
    yield ""
    yield f"## {_plain(scale)}"
    yield ""
    heads = ["condition", "votes", "mean", "SD", "95 % over listeners", "95 % mixed model", "letters"]
    rows = [_condition(name, row, part["model"]) for name, row in part["conditions"].items()]
    if beside is not None:
        heads.append("mean with excluded")
        rows = [
            [*row, _number(beside["conditions"][name]["mean"])]
            for name, row in zip(part["conditions"], rows, strict=True)
        ]
    yield from _table(heads, rows)
    yield ""
    yield "Conditions that share a letter do not differ at 5 % (mixed model, Holm)."
    yield ""
    yield from _differences(part["model"]["contrasts"])
    if part["model"].get("to_reference"):
        yield f"Differences to {_plain(part['model']['to_reference'][0]['b'])} alone, with p after Holm over these:"
        yield ""
        yield from _differences(part["model"]["to_reference"])
    yield from _lines(part)
    for level, compared in part.get("metrics", {}).items():
        yield from _metrics(level, compared)


def _differences(contrasts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not contrasts:
        return
    tested = contrasts[0].get("equivalence")
    heads = ["difference", "estimate", "95 %", "t", "df", "p", "p (Holm)"]
    yield from _table(
        [*heads, *(["90 %", f"within {tested['margin']:g} points"] if tested else [])],
        [
            [
                _plain(f"{row['a']} - {row['b']}"),
                _number(row["estimate"]),
                _interval([row["low"], row["high"]]),
                _number(row["t"]),
                _number(row["df"], 1),
                _p(row["p"]),
                _p(row["p_holm"]),
                *([_interval(row["ci90"]), _yes_or_no(row["equivalence"]["equivalent"])] if tested else []),
            ]
            for row in contrasts
        ],
    )
    yield ""
    if tested:
        yield (
            f"Within {tested['margin']:g} points: two one-sided tests (5 %) show that the difference is smaller, which "
            "is so where the 90 % interval lies within that margin."
        )
        yield ""


def _metrics(level: str, compared: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield f"Objective metrics per {level}, with 95 % intervals, and errors after a linear mapping (P.1401):"
    yield ""
    errors = {row["metric"]: row for row in compared["prediction_errors"] if row["mapping"] == "linear"}
    yield from _table(
        ["metric", "points", "Pearson", "95 %", "Spearman", "95 %", "RMSE", "RMSE*", "outliers"],
        [
            [
                _plain(row["metric"]),
                str(row["n"]),
                *_correlation(row, "pearson"),
                *_correlation(row, "spearman"),
                *(_number(errors.get(row["metric"], {}).get(name)) for name in ("rmse", "rmse_star", "outliers")),
            ]
            for row in compared["correlations"]
        ],
    )


def _correlation(row: Mapping[str, Any], name: str) -> tuple[str, str]:
    return _number(row[name]), _interval([row[f"{name}_low"], row[f"{name}_high"]])


def _condition(name: str, row: Mapping[str, Any], model: Mapping[str, Any]) -> list[str]:
    letters = model["means"].get(name, {}).get("letters", "")
    intervals = (_interval(row["ci95"][unit]) for unit in ("listeners", "mixed"))
    return [_plain(name), str(row["n_votes"]), _number(row["mean"]), _number(row["sd"]), *intervals, letters]


def _lines(part: Mapping[str, Any]) -> Iterator[str]:
    model, tests, agreement = part["model"], part["tests"], part["agreement"]
    components = ", ".join(
        f"{name.replace('_', ':')} {_number(value)}" for name, value in model["components"].items() if value is not None
    )
    if components:
        yield f"- Variances ({model['kind']} model): {components}; REML criterion {_number(model['reml_criterion'])}."
    if model["dropped"]:
        dropped = ", ".join(f"{name.replace('_', ':')} ({why})" for name, why in model["dropped"].items())
        yield f"- Left out of the model: {dropped}."
    friedman, anova = tests["friedman"], tests["rm_anova"]
    yield (
        f"- On means of {tests['n_listeners']} listeners: Friedman chi2({friedman['df']}) = "
        f"{_number(friedman['chi2'])}, p {_p(friedman['p'])}; repeated measures F({anova['df']:g}, "
        f"{anova['df_error']:g}) = {_number(anova['f'])}, epsilon {_number(anova['epsilon'])}, corrected p "
        f"{_p(anova['p_corrected'])}."
    )
    yield (
        f"- Agreement: ICC(A,1) {_number(agreement['icc_a1'])}, ICC(A,k) {_number(agreement['icc_ak'])} on "
        f"{agreement['icc_targets']} stimuli that everybody rated; alpha {_number(agreement['alpha_ordinal'])} "
        f"(ordinal), {_number(agreement['alpha_interval'])} (interval); SOS a {_number(part['sos_a'])}."
    )
    for title, (rule, kind) in LISTENER_RULES:
        names = part["screening"].get(rule, {}).get(kind, [])
        if names:
            yield f"- Screening, {title}: {_plain(', '.join(names))}."


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _plain(text: str) -> str:
    """A name that cannot end a cell or begin markup of its own."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "\\`")


def _interval(limits: Sequence[float | None]) -> str:
    return " to ".join(_number(each) for each in limits) if None not in limits else "-"


def _number(value: float | None, decimals: int = 3) -> str:
    return "-" if value is None else f"{value:.{decimals}f}"


def _yes_or_no(value: bool | None) -> str:
    return "-" if value is None else "yes" if value else "no"


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
