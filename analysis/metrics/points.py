"""Points of a comparison: mean votes of one scale, per file or per condition, with the values of every metric."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analysis.metrics.names import Clip

LEVELS = ("file", "condition")
VOTE_COLUMNS = ("condition", "mos", "ci_low", "ci_high", "n_votes", "n_listeners")
Values = Mapping[Clip, Mapping[str, float]]
Rows = list[dict[str, Any]]


def points_of(
    level: str, scale: Mapping[str, Any], rows: Mapping[str, Sequence[Any]], values: Values, metrics: Sequence[str]
) -> dict[str, Any]:
    """Points of one scale (key, low, high); `rows` has the mean votes of all scales, by level.

    A condition's values are means over its files, unless the table has values of conditions.
    """
    rated: dict[str, list[Clip]] = defaultdict(list)
    for row in rows["file"]:
        if row["scale"] == scale["key"]:
            rated[row["condition"]].append(Clip(row["item"], row["condition"]))
    points: Rows = []
    left_out: Rows = []
    for row in rows[level]:
        if row["scale"] != scale["key"] or row["mos"] is None:
            continue
        clip = Clip(row["item"] if level == "file" else "", row["condition"])
        own = dict(values.get(clip, {}))
        if level == "condition" and not own:
            own, missing = _means(values, rated[row["condition"]], metrics)
            left_out += [{"condition": row["condition"], **each} for each in missing]
        points.append({"item": clip.item} | {name: row[name] for name in VOTE_COLUMNS} | _bar(row) | {"values": own})
    about = {"level": level, "scale": scale["key"], "ends": dict(scale), "metrics": list(metrics)}
    return about | {"points": points, "left_out": left_out}


def _bar(row: Mapping[str, Any]) -> dict[str, float | None]:
    """What is drawn as the interval: the bounded one where all votes agree, which would else have no width."""
    agree = row["ci_low"] is not None and row["ci_low"] == row["ci_high"] and row.get("ci_bounded_low") is not None
    ends = ("ci_bounded_low", "ci_bounded_high") if agree else ("ci_low", "ci_high")
    return {"bar_low": row[ends[0]], "bar_high": row[ends[1]]}


def _means(values: Values, clips: Iterable[Clip], metrics: Iterable[str]) -> tuple[dict[str, float], Rows]:
    """Means over the files of a condition, of metrics that every rated file has; and the others, with how many have it.

    A mean over other files than the votes' would not be about the same thing. A metric that none of them has is not
    named: the table may be about conditions.
    """
    found: dict[str, float] = {}
    missing: Rows = []
    of = list(clips)
    for metric in metrics:
        known = [values[clip][metric] for clip in of if metric in values.get(clip, {})]
        if known and len(known) == len(of):
            found[metric] = sum(known) / len(known)
        elif known:
            missing.append({"metric": metric, "n": len(known), "of": len(of)})
    return found, missing


def numbers_of(part: Mapping[str, Any]) -> dict[str, Any]:
    """What the figures are computed from."""
    points = part["points"]
    limits = [(point["ci_low"], point["ci_high"]) for point in points]
    return {
        "level": part["level"],
        "scale": part["scale"],
        "low": part["ends"]["low"],
        "high": part["ends"]["high"],
        "mean": [point["mos"] for point in points],
        "half_width": [None if low is None else (high - low) / 2 for low, high in limits],
        "values": {metric: [point["values"].get(metric) for point in points] for metric in part["metrics"]},
    }
