"""The sums that tell how marks move with the position, gathered in one pass over the marks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from analysis.methods.mos.cells import place, ratio
from analysis.methods.mos.marks import Floats, Marks


@dataclass(frozen=True)
class Sums:
    """Arrays of scale x listener x session x condition; p stands for the position and x for the mark."""

    n: Floats
    p: Floats
    x: Floats
    px: Floats
    pp: Floats

    @classmethod
    def of(cls, marks: Marks) -> Self:
        codes, shape = place((marks.scale, marks.listener, marks.session, marks.condition))
        size = math.prod(shape)
        at = marks.position.astype(np.float64)
        weights = (None, at, marks.value, at * marks.value, at * at)
        return cls(*(np.bincount(codes, weights=w, minlength=size).astype(np.float64).reshape(shape) for w in weights))

    def condition_means(self) -> Floats:
        """Scale x condition: the mean of all votes, nan where there is none."""
        return ratio(self.x.sum(axis=(1, 2)), self.n.sum(axis=(1, 2)))

    def residuals(self) -> Floats:
        """The sums of x, each mark less the mean of its condition; 0 where there is no mark."""
        means = self.condition_means()[:, None, None, :]
        return np.where(self.n > 0, self.x - self.n * np.nan_to_num(means), 0.0)
