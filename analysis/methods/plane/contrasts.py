"""Whether conditions differ on an axis: one test for all of them, then every pair, in blocks of rater and recording."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.methods.plane.placements import AXES, Placements
from analysis.statistics.estimates import Estimate, Floats, figure, known_mean
from analysis.statistics.ranks import friedman, holm, signed_rank

Rows = list[dict[str, Any]]


class Blocks(NamedTuple):
    """The complete blocks: what one rater did with one recording, where no condition is missing."""

    marks: Floats  # axis x rater x recording x condition; nan throughout a block that is not complete
    complete: npt.NDArray[np.bool_]  # rater x recording
    begun: int  # blocks with any mark at all

    @classmethod
    def of(cls, placements: Placements) -> Blocks:
        known = np.isfinite(placements.marks[0])
        complete = known.all(axis=-1) & known.any(axis=-1)
        marks = np.where(complete[None, :, :, None], placements.marks, np.nan)
        return cls(marks, complete, int(known.any(axis=-1).sum()))

    def __len__(self) -> int:
        return int(self.complete.sum())

    def on(self, axis: int) -> Floats:
        """Block x condition."""
        chosen: Floats = self.marks[axis][self.complete]
        return chosen


def tests(placements: Placements) -> Rows:
    """Friedman's test on each axis, how many blocks it rests on, and how far a p of the pairs could fall at all.

    With n blocks no exact Wilcoxon p lies below 2^(1 - n), and Holm multiplies the smallest by the number of pairs:
    with few blocks no pair can be significant, whatever the marks.
    """
    blocks, rows = Blocks.of(placements), []
    conditions = len(placements.conditions)
    pairs = conditions * (conditions - 1) // 2
    for axis, scale in enumerate(AXES):
        found = friedman(blocks.on(axis))
        rows.append(
            {
                "scale": scale,
                "chi2": figure(found.chi2),
                "df": found.df,
                "p": figure(found.p),
                "kendall_w": figure(found.chi2 / (len(blocks) * found.df)) if len(blocks) and found.df else None,
                "blocks": len(blocks),
                "blocks_dropped": blocks.begun - len(blocks),
                "pairs": pairs,
                "least_p_holm": min(1.0, pairs * 2.0 ** (1 - len(blocks))) if pairs else None,
            }
        )
    return rows


def pairs(placements: Placements) -> Rows:
    """Every condition against every other, both ways round, so that the order of a pair tells nothing of the names.

    `difference` and its t interval are over raters, each rater's mean difference first; p is Wilcoxon's over blocks.
    """
    blocks, rows = Blocks.of(placements), []
    between = list(combinations(range(len(placements.conditions)), 2))
    if not len(blocks):
        return []
    for axis, scale in enumerate(AXES):
        marks, of_raters = blocks.on(axis), known_mean(blocks.marks[axis], axis=1)
        tested = [signed_rank(marks[:, one] - marks[:, other]) for one, other in between]
        adjusted = holm(np.array([test.p for test in tested]))
        for (one, other), test, p_holm in zip(between, tested, adjusted.tolist(), strict=True):
            all_ranks = test.n * (test.n + 1) / 2
            shared = {"n_blocks": len(blocks), "n_nonzero": test.n, "p": test.p, "p_holm": p_holm}
            for first, second, w_plus in ((one, other, test.w_plus), (other, one, all_ranks - test.w_plus)):
                named = {"condition": placements.conditions[first], "against": placements.conditions[second]}
                found = Estimate.over(of_raters[:, first] - of_raters[:, second])
                estimate = {"n_raters": found.n, "difference": figure(found.mean), **found.interval()}
                rows.append({**named, "scale": scale, **estimate, "w_plus": w_plus, **shared})
    return rows
