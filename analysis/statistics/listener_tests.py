"""Tests of conditions on listeners' means: Friedman, Wilcoxon with Holm, and ANOVA of repeated measures.

The unit is the listener's mean for each condition. Votes of one listener are not independent, so a test on votes
would find differences where there are none; and a test on means of items would speak of other material alone.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import fdtrc

from analysis.statistics.differences import Effect, d_z
from analysis.statistics.estimates import Floats
from analysis.statistics.ranks import MOST_EXACT, Friedman, friedman, holm, signed_rank

ALPHA = 0.05


class ListenerMeans(NamedTuple):
    """Listener x condition, of listeners who rated every condition."""

    listeners: tuple[Any, ...]
    conditions: tuple[Any, ...]
    values: Floats
    incomplete: tuple[Any, ...]  # listeners who did not, and are left out


class PairTest(NamedTuple):
    """Wilcoxon's signed-rank test of listeners' differences, a less b."""

    a: Any
    b: Any
    n: int  # differences that are not 0
    w_plus: float
    p: float
    p_holm: float
    effect: Effect  # Cohen's d_z


class RankTests(NamedTuple):
    friedman: Friedman
    kendall_w: float
    pairs: list[PairTest]
    least_p: float  # the smallest adjusted p that so few listeners can reach

    @property
    def cannot_reach(self) -> bool:
        """Whether no pair could come below 5 % whatever the votes: a large p then says nothing."""
        return bool(self.pairs) and self.least_p >= ALPHA


class RepeatedAnova(NamedTuple):
    """F of conditions within listeners; nan stands for what is not known."""

    f: float
    df: float
    df_error: float
    p: float
    epsilon: float  # of Greenhouse and Geisser (1959): 1 where differences between conditions all spread alike
    p_corrected: float  # with both degrees of freedom times epsilon


def listener_means(votes: pd.DataFrame) -> ListenerMeans:
    """From rows of listener, condition and score."""
    # Not a pivot table, which takes longer than everything that is made of it.
    listener, listeners = pd.factorize(votes["listener"], sort=True)
    condition, conditions = pd.factorize(votes["condition"], sort=True)
    shape = len(listeners), len(conditions)
    cell = listener * shape[1] + condition
    count = np.bincount(cell, minlength=math.prod(shape)).reshape(shape)
    total = np.bincount(cell, weights=votes["score"], minlength=math.prod(shape)).reshape(shape)
    complete = np.asarray((count > 0).all(axis=1))
    return ListenerMeans(
        tuple(listeners[complete]), tuple(conditions), total[complete] / count[complete], tuple(listeners[~complete])
    )


def rank_tests(means: ListenerMeans) -> RankTests:
    n, k = means.values.shape
    overall = friedman(means.values)
    pairs = list(combinations(range(k), 2))
    differences = [means.values[:, a] - means.values[:, b] for a, b in pairs]
    tested = [signed_rank(each) for each in differences]
    adjusted = holm(np.array([each.p for each in tested], dtype=np.float64)).tolist()
    names = means.conditions
    return RankTests(
        friedman=overall,
        kendall_w=overall.chi2 / (n * (k - 1)) if n and k > 1 else math.nan,
        pairs=[
            PairTest(names[a], names[b], *test, p_holm, d_z(each))
            for (a, b), each, test, p_holm in zip(pairs, differences, tested, adjusted, strict=True)
        ],
        least_p=least_adjusted_p(n, len(pairs)),
    )


def least_adjusted_p(n: int, pairs: int) -> float:
    """Holm's p of one of several pairs when all n differences have the same sign: 2^(1 - n) times the pairs."""
    return min(1.0, pairs * 2.0 ** (1 - n)) if n <= MOST_EXACT else 0.0


def repeated_anova(means: ListenerMeans) -> RepeatedAnova:
    values = means.values
    n, k = values.shape
    df, df_error = float(k - 1), float((n - 1) * (k - 1))
    if n < 2 or k < 2:
        return RepeatedAnova(math.nan, df, df_error, math.nan, math.nan, math.nan)
    by_condition = values.mean(axis=0) - values.mean()
    left = values - values.mean(axis=1, keepdims=True) - by_condition
    covariance = left.T @ left  # of what is about the listeners' own means: its rows and columns sum to 0
    error = float(np.trace(covariance))
    if error <= 1e-20 * float((values * values).sum()):
        return RepeatedAnova(math.nan, df, df_error, math.nan, math.nan, math.nan)
    f = n * float((by_condition**2).sum()) / df / (error / df_error)
    epsilon = error**2 / (df * float((covariance**2).sum()))
    return RepeatedAnova(
        f,
        df,
        df_error,
        float(fdtrc(df, df_error, f)),
        epsilon,
        float(fdtrc(epsilon * df, epsilon * df_error, f)),
    )
