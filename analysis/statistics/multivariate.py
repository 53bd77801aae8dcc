"""Tests on several coordinates at once: paired Hotelling, and a permutation analysis of variance within blocks."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc

from analysis.statistics.estimates import Floats

PERMUTATIONS = 9999
AT_ONCE = 1000  # which bounds the memory


class Hotelling(NamedTuple):
    """Of n differences in p coordinates; nan where there are too few, or where they do not spread in all of them."""

    n: int
    t2: float
    f: float
    df: int
    df_error: int
    p: float


def paired_hotelling(differences: Floats) -> Hotelling:
    """Whether the mean of rows of differences is zero in every coordinate; rows must be independent: one a person.

    T^2 = n m'S^-1 m and F = (n - p) / (p (n - 1)) T^2 with p and n - p degrees of freedom (Hotelling 1931).
    """
    known = differences[np.isfinite(differences).all(axis=1)]
    n, p = known.shape
    nothing = Hotelling(n, math.nan, math.nan, p, n - p, math.nan)
    if n <= p:
        return nothing
    mean = known.mean(axis=0)
    about = known - mean
    covariance = about.T @ about / (n - 1)
    if np.linalg.matrix_rank(covariance, hermitian=True) < p:
        return nothing
    t2 = float(n * mean @ np.linalg.solve(covariance, mean))
    f = t2 * (n - p) / (p * (n - 1))
    return Hotelling(n, t2, f, p, n - p, float(fdtrc(p, n - p, f)))


class Permanova(NamedTuple):
    blocks: int
    f: float  # pseudo-F
    df: int
    df_error: int
    r2: float  # the share of the squares within blocks
    p: float
    permutations: int


def permanova_within(marks: Floats, rng: np.random.Generator, *, permutations: int = PERMUTATIONS) -> Permanova:
    """Whether groups differ in any coordinate, from block x group x coordinate; blocks with a gap are left out.

    Squared distances are divided as in an analysis of variance with blocks, and groups are permuted within each block
    (Anderson 2001, Austral Ecology 26). It is right where blocks are independent and their groups exchangeable: one
    block a person, each mark a person's mean. p = (1 + as large or larger) / (1 + permutations).
    """
    known = marks[np.isfinite(marks).all(axis=(1, 2))]
    n, k = len(known), marks.shape[1]
    df, df_error = k - 1, (n - 1) * (k - 1)
    about = known - known.mean(axis=1, keepdims=True)
    total = float((about**2).sum())
    if n < 2 or k < 2 or not total > 0:
        return Permanova(n, math.nan, df, max(df_error, 0), math.nan, math.nan, 0)
    between = float(_between(about[None])[0])
    larger = 0
    for start in range(0, permutations, AT_ONCE):
        size = min(AT_ONCE, permutations - start)
        order = rng.random((size, n, k)).argsort(axis=2)
        drawn = np.take_along_axis(about[None], order[..., None], axis=2)
        larger += int((_between(drawn) >= between * (1 - 1e-12)).sum())
    within = total - between
    f = (between / df) / (within / df_error) if within > 0 else math.inf
    return Permanova(n, f, df, df_error, between / total, (1 + larger) / (1 + permutations), permutations)


def _between(about: Floats) -> Floats:
    """The squares between groups, of draw x block x group x coordinate, less the mean of each block."""
    n = about.shape[1]
    return np.asarray(n * (about.mean(axis=1) ** 2).sum(axis=(1, 2)))
