"""Strengths from paired comparisons: Bradley-Terry and Thurstone's case V, with intervals and a test of the fit.

No protocol asks for preferences yet; these functions are for those to come, and for tables of one's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import chdtrc, expit, ndtr, ndtri, xlogy

from analysis.statistics.estimates import CONFIDENCE, Floats
from core.errors import AppError
from core.i18n import gettext_noop as _

MOST_STEPS = 100
CLOSE = 1e-12  # the largest change of a strength in the last step
LEAST_CHANCE = 1e-12


class Link(StrEnum):
    """How a difference of strengths becomes the chance of being preferred."""

    BRADLEY_TERRY = "bradley-terry"  # logistic: the odds are exp(difference)
    THURSTONE = "thurstone"  # normal, case V: the unit is the SD of a difference of two impressions


class Strengths(NamedTuple):
    """Strengths that add up to 0, and what is known of them."""

    values: Floats
    covariance: Floats
    deviance: float  # against a model with a chance of its own for each pair
    df: int
    p: float  # small where no single strength for each fits the preferences

    def se(self) -> Floats:
        return np.sqrt(np.diag(self.covariance))

    def limits(self) -> tuple[Floats, Floats]:
        """The 95 % interval of each strength; answers count as independent."""
        half = float(ndtri(0.5 + CONFIDENCE / 2)) * self.se()
        return self.values - half, self.values + half

    def difference(self, one: int, other: int) -> tuple[float, float, float]:
        """Of two strengths: the difference, its standard error, and p of a two-sided z test."""
        apart = float(self.values[one] - self.values[other])
        c = self.covariance
        se = math.sqrt(c[one, one] + c[other, other] - 2 * c[one, other])
        return apart, se, float(2 * ndtr(-abs(apart) / se))

    def chance(self, one: int, other: int, link: Link = Link.BRADLEY_TERRY) -> float:
        """That one is preferred to the other."""
        return float(_CHANCES[link](np.array(self.values[one] - self.values[other]))[()])


_CHANCES: dict[Link, Callable[[Floats], Floats]] = {
    Link.BRADLEY_TERRY: lambda difference: np.asarray(expit(difference)),
    Link.THURSTONE: lambda difference: np.asarray(ndtr(difference)),
}


def fit_strengths(wins: Floats, link: Link = Link.BRADLEY_TERRY) -> Strengths:
    """From how often the row was preferred to the column; a tie counts a half for each.

    Maximum likelihood by Fisher's scoring (Bradley and Terry 1952, Biometrika 39; Thurstone 1927, Psychological Review
    34). It needs that nobody beats all others of a group without a loss: else a strength has no bound.
    """
    _check(wins)
    first, second = np.triu_indices(len(wins), k=1)
    n = wins[first, second] + wins[second, first]
    first, second, n = first[n > 0], second[n > 0], n[n > 0]
    won = wins[first, second]
    unit = np.eye(len(wins))
    contrast = unit[first] - unit[second]  # pair x strength
    values = np.zeros(len(wins))
    for _step in range(MOST_STEPS):
        chance, slope = _chance(contrast @ values, link)
        weight = n * slope**2 / (chance * (1 - chance))
        information = contrast.T @ (weight[:, None] * contrast)
        score = contrast.T @ ((won - n * chance) * slope / (chance * (1 - chance)))
        change = np.linalg.pinv(information, hermitian=True) @ score
        values = values + change * min(1.0, 2.0 / max(np.abs(change).max(), 1e-300))
        if np.abs(change).max() < CLOSE:
            break
    deviance = 2 * float((xlogy(won, won / (n * chance)) + xlogy(n - won, (n - won) / (n * (1 - chance)))).sum())
    df = len(n) - (len(wins) - 1)
    covariance = np.asarray(np.linalg.pinv(information, hermitian=True), dtype=np.float64)
    return Strengths(values, covariance, deviance, df, float(chdtrc(df, deviance)) if df else math.nan)


def _chance(difference: Floats, link: Link) -> tuple[Floats, Floats]:
    """The chance and its slope."""
    chance = np.clip(_CHANCES[link](difference), LEAST_CHANCE, 1 - LEAST_CHANCE)
    if link is Link.BRADLEY_TERRY:
        return chance, chance * (1 - chance)
    return chance, np.exp(-(difference**2) / 2) / math.sqrt(2 * math.pi)


def _check(wins: Floats) -> None:
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or not (wins >= 0).all() or np.diag(wins).any():
        raise ValueError("Wins are a square table of counts from 0 on, with nothing on its diagonal.")
    groups, _labels = connected_components(wins > 0, directed=True, connection="strong")
    if groups > 1:
        raise AppError(
            "model.pairs_unbounded",
            422,
            _(
                "There are no strengths for these preferences: they fall into {groups} groups of which one never lost "
                "to another, or was never compared with it. More comparisons are needed."
            ),
            groups=int(groups),
        )


def bootstrap_strengths(
    wins: Floats, rng: np.random.Generator, *, link: Link = Link.BRADLEY_TERRY, rounds: int = 1000
) -> tuple[Floats, Floats]:
    """95 % percentile limits from listener x row x column, listeners drawn anew: answers of one are not independent.

    Draws in which a strength has no bound are left out; limits are nan where fewer than half of the draws are left.
    """
    listeners = len(wins)
    drawn = []
    for _round in range(rounds):
        try:
            drawn.append(fit_strengths(wins[rng.integers(0, listeners, listeners)].sum(axis=0), link).values)
        except AppError:
            continue
    if len(drawn) < rounds / 2:
        unknown = np.full(wins.shape[1], np.nan)
        return unknown, unknown
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(np.array(drawn), [tail, 1 - tail], axis=0)
    return low, high
