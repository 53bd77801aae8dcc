"""Seeded placements, complete or with gaps, with ties, and the same as a table of marks."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pandas as pd
import pytest

from analysis.method import COLUMNS
from protocols.tcsd_plane.analysis.placements import Placement, Placements, Setting

CONDITIONS = {
    "even": (0.75, 0.2),
    "greedy 0": (0.55, 0.4),
    "greedy 1": (0.4, 0.65),
    "greedy 2": (0.3, 0.8),
    "hand 0": (0.7, 0.35),
    "hand 1": (0.2, 0.85),
}
SETTINGS = {
    "greedy 0": Setting("greedy", 0.0),
    "greedy 1": Setting("greedy", 0.5),
    "greedy 2": Setting("greedy", 1.0),
    "hand 0": Setting("hand", 0.0),
    "hand 1": Setting("hand", 1.0),
}


def placed(
    seed: int = 1, *, raters: int = 6, recordings: int = 3, gaps: float = 0.0, decimals: int = 2
) -> list[Placement]:
    """Raters with habits of their own; two decimals make ties, and each mark is missing with the chance `gaps`."""
    rng = Random(seed)
    marks = []
    for rater in range(1, raters + 1):
        offset, use = rng.uniform(-0.1, 0.1), rng.uniform(0.6, 1.2)
        for recording in "ABCDEFGH"[:recordings]:
            for condition, centre in CONDITIONS.items():
                tc, sd = (
                    round(min(max(0.5 + use * (x - 0.5) + offset + rng.gauss(0, 0.12), 0), 1), decimals) for x in centre
                )
                if rng.random() >= gaps:
                    marks.append(Placement(rater, recording, condition, tc, sd))
    return marks


def close(expected: Any) -> Any:
    return pytest.approx(expected, rel=1e-9, abs=1e-12)


def complete(seed: int = 1, **more: Any) -> Placements:
    return Placements.of(placed(seed, **more), SETTINGS)


def with_gaps(seed: int = 2, **more: Any) -> Placements:
    return Placements.of(placed(seed, gaps=0.08, **more), SETTINGS)


def values(marks: Sequence[Placement], scale: str) -> list[float]:
    return [mark.tc if scale == "TC" else mark.sd for mark in marks]


def table(marks: Sequence[Placement], **more: Any) -> pd.DataFrame:
    """The marks as methods get them."""
    filled = {
        "panel": 1,
        "session": 1,
        "position": 1,
        "condition_role": "test",
        "kind": "test",
        "part": 0,
        "order": "",
        "factors": "{}",
        "group": "",
    }
    rows = [
        filled
        | {
            "listener": mark.rater,
            "item": mark.recording,
            "condition": mark.condition,
            "condition_factors": _factors(mark.condition),
            "scale": scale,
            "value": value,
        }
        | more
        for mark in marks
        for scale, value in (("TC", mark.tc), ("SD", mark.sd))
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _factors(condition: str) -> str:
    made = SETTINGS.get(condition)
    return json.dumps({"method": made.family, "z": str(made.z)} if made else {}, sort_keys=True)
