"""Tables of marks on captions, drawn for tests: two sources, two datasets, two groups of people."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.method import COLUMNS

SOURCES = ("describer", "system")
ENTERED = ("PRECISION", "RECALL", "FLUENCY", "CONCISENESS", "IRRELEVANCE")


class Caption(NamedTuple):
    listener: int
    group: str
    item: str
    dataset: str
    condition: str
    scores: Mapping[str, float]


def overall(scores: Mapping[str, float]) -> float:
    precision, recall, *penalties = (scores[key] for key in ENTERED)
    return (precision + recall) / 2 + sum(penalties)


def captions(*, people: int = 4, clips: int = 6, seed: int = 1) -> list[Caption]:
    """Every assessor scores both captions of every clip; even clips are of D1, the first half of people are experts."""
    rng = np.random.default_rng(seed)
    drawn = []
    for listener in range(1, people + 1):
        for clip in range(clips):
            for condition in SOURCES:
                scores = dict.fromkeys(("PRECISION", "RECALL"), 0.0) | dict.fromkeys(ENTERED[2:], 0.0)
                scores |= {key: float(rng.integers(2, 11)) / 2 for key in ENTERED[:2]}
                scores |= {key: -float(rng.integers(0, 6)) / 10 for key in ENTERED[2:]}
                group = "expert" if listener <= people / 2 else "layperson"
                drawn.append(Caption(listener, group, f"clip{clip}", f"D{clip % 2 + 1}", condition, scores))
    return drawn


def table(scored: list[Caption], said: Mapping[tuple[int, str], bool] | None = None) -> pd.DataFrame:
    """The table that methods get: five scores and the overall of each caption, and one answer for each clip."""
    rows = [
        row(each.listener, each.group, each.item, each.dataset, each.condition, scale, value)
        for each in scored
        for scale, value in {**each.scores, "OVERALL": overall(each.scores)}.items()
    ]
    groups = {each.listener: each.group for each in scored}
    datasets = {each.item: each.dataset for each in scored}
    rows += [
        row(who, groups[who], item, datasets[item], "original", "SYNTHESISED", float(yes))
        for (who, item), yes in (said or {}).items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def row(who: int, group: str, item: str, dataset: str, condition: str, scale: str, value: float) -> dict[str, Any]:
    factors = {"dataset": dataset, "synthesised": "yes" if dataset == "D2" else "no"}
    told = {"listener": who, "group": group, "item": item, "condition": condition, "scale": scale, "value": value}
    return dict.fromkeys(COLUMNS, "") | told | {"factors": json.dumps(factors), "kind": "test", "session": 1}
