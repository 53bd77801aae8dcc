"""Tables of ABX: correct answers by pair, by item and by listener, each with exact limits and a test against chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from analysis.method import AnsweredPage
from analysis.statistics.estimates import Estimate, figure
from analysis.statistics.proportions import binomial_p, clopper_pearson
from analysis.statistics.ranks import holm, signed_rank
from rating.protocol import REFERENCE

ALPHA = 0.05

Row = dict[str, Any]
Key = Callable[[Row], tuple[Any, ...]]


def trials_of(pages: Iterable[AnsweredPage]) -> list[Row]:
    """One row a trial. `condition` and `against` are the pair, in one order on all pages; `a_is` says which is A."""
    rows = []
    for page in pages:
        a, b, x = (page.slots[key] for key in ("a", "b", "x"))
        # The reference is what others are compared with; without one, names decide.
        against, condition = sorted((a, b), key=lambda slot: (slot.role != REFERENCE, slot.condition))
        rows.append(
            {
                "rater": page.listener,
                "session": page.session,
                "position": page.position,
                "item": x.item,
                "condition": condition.condition,
                "against": against.condition,
                "a_is": "condition" if a.condition == condition.condition else "against",
                "x_is": "A" if x.condition == a.condition else "B",
                "answer": str(page.detail["answer"]).upper(),
                "correct": int(page.marks["x", "CORRECT"]),
                **{f"heard_{key}_ms": page.detail["heard_ms"].get(key) for key in ("a", "b", "x")},
                "switches": page.detail["switches"],
            }
        )
    return sorted(rows, key=lambda row: (row["rater"], row["session"], row["position"]))


def tables_of(trials: Sequence[Row]) -> Mapping[str, Any]:
    """Every table there is; a list for each, however few the trials."""
    pairs = [_about(key, rows, "condition", "against") | _over_listeners(rows) for key, rows in _groups(trials, _pair)]
    _add_holm(pairs, "p", "p_holm")
    _add_holm(pairs, "p_listeners", "p_listeners_holm")
    listeners: list[Row] = []
    for _, own in _groups(trials, lambda row: (row["rater"],)):
        by_pair = [
            _about(key, rows, "rater", "condition", "against")
            for key, rows in _groups(own, lambda row: (row["rater"], *_pair(row)))
        ]
        _add_holm(by_pair, "p", "p_holm")  # over the pairs of one listener
        listeners += by_pair
    items = [
        _about(key, rows, "item", "condition", "against")
        for key, rows in _groups(trials, lambda row: (row["item"], *_pair(row)))
    ]
    _add_holm(items, "p", "p_holm")
    return {
        "rows": pairs,
        "by_item": items,
        "listeners": listeners,
        "trials": list(trials),
        "warnings": _warnings(pairs, listeners),
    }


def _pair(row: Row) -> tuple[str, str]:
    return row["condition"], row["against"]


def _groups(rows: Iterable[Row], key: Key) -> list[tuple[tuple[Any, ...], list[Row]]]:
    return [(about, list(inside)) for about, inside in groupby(sorted(rows, key=key), key=key)]


def _about(key: tuple[Any, ...], rows: Sequence[Row], *names: str) -> Row:
    """Correct answers of some trials, all of them alike: exact limits, and the probability of as many by chance."""
    correct, n = sum(row["correct"] for row in rows), len(rows)
    share = clopper_pearson(correct, n)
    return {
        **dict(zip(names, key, strict=True)),
        "n_listeners": len({row["rater"] for row in rows}),
        "n_trials": n,
        "n_correct": correct,
        "share": share.value,
        "ci_low": share.low,
        "ci_high": share.high,
        "p": binomial_p(correct, n),
    }


def _over_listeners(rows: Sequence[Row]) -> Row:
    """The same with one value a listener, the share of correct answers: Wilcoxon's one-sided test against a half."""
    shares = np.array(
        [np.mean([row["correct"] for row in own]) for _, own in _groups(rows, lambda row: (row["rater"],))]
    )
    mean, tested = Estimate.over(shares), signed_rank(shares - 0.5, greater=True)
    return {
        "mean_share": mean.mean,
        "mean_low": figure(max(mean.mean - mean.half_width, 0.0) if mean.n > 1 else math.nan),
        "mean_high": figure(min(mean.mean + mean.half_width, 1.0) if mean.n > 1 else math.nan),
        "n_above": int((shares > 0.5).sum()),
        "n_below": int((shares < 0.5).sum()),
        "p_listeners": tested.p,
    }


def _add_holm(rows: Sequence[Row], name: str, adjusted: str) -> None:
    for row, value in zip(rows, holm(np.array([row[name] for row in rows], dtype=float)), strict=True):
        row[adjusted] = float(value)


def _warnings(pairs: Sequence[Row], listeners: Sequence[Row]) -> list[Row]:
    """Tests that could not be significant whatever was answered, because even the best outcome is too probable."""
    if not pairs:
        return []
    needed = _needed(len(pairs))
    found = []
    people = max(row["n_listeners"] for row in pairs)
    if people < needed:
        found.append({"code": "few_listeners", "listeners": people, "needed": needed, "pairs": len(pairs)})
    trials = max(row["n_trials"] for row in listeners)
    if trials < needed:
        found.append({"code": "few_trials", "trials": trials, "needed": needed, "pairs": len(pairs)})
    return found


def _needed(pairs: int) -> int:
    """How many listeners, or trials of one: 2^-n is the least p of both tests, and Holm multiplies it by the pairs."""
    return math.floor(math.log2(pairs / ALPHA)) + 1
