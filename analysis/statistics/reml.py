"""REML for votes with crossed random factors: the profiled criterion, its gradient, its minimum and its curvature.

With V = I + sum of ratio_k Z_k Z_k', each ratio being a variance over that of the error, everything needed is made of
products such as Z'V^-1 Z. Votes come in groups, one for each condition, and the interactions with the condition join
no two groups. So each group is solved by itself: its larger factor, whose block of Z'Z is diagonal, goes first, then
the smaller one; what joins the groups, listener and item, comes last.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from analysis.statistics.estimates import Floats

Switches = npt.NDArray[np.bool_]

START = 0.5  # of the standard deviation of a random factor over that of the error
LARGEST = 1e3  # beyond, nothing is left for the error
SMALL = 0.02  # below, it is looked at whether the estimate is 0
STEP = 1e-3  # of a ratio, in differences of the gradient
ROUNDS = 8  # of dropping components and taking them up again; each changes which are free, so few are needed


@dataclass(frozen=True)
class Evaluation:
    """Everything about one set of ratios; arrays run over components first."""

    criterion: float  # -2 log of the restricted likelihood at the best error variance
    error: float  # that variance
    fixed: Floats  # coefficients
    unscaled: Floats  # their covariance over the error variance: (X'V^-1 X)^-1
    slopes: Floats  # of `unscaled` by each ratio
    traces: Floats  # of P Z_k Z_k'
    squares: Floats  # y'P Z_k Z_k'P y

    def gradient(self, error: float) -> Floats:
        """Of the criterion by the ratios at this error variance."""
        return np.asarray(self.traces - self.squares / error)


class _Reduced(NamedTuple):
    """Products through V^-1 of each group, V without what joins groups: of Z with Z and with [X y], [X y] with itself."""

    among: Floats
    across: Floats
    fixed: Floats
    log_det: float


@dataclass(frozen=True)
class CrossedVotes:
    """Sums of votes by group, row level and column level, where columns are the factor with more levels."""

    pairs: Floats  # group x row x column: number of votes
    sums: Floats  # group x (rows, then columns) x (fixed effects, then score)
    squares: Floats  # (fixed effects, then score) in both directions
    votes: int

    @property
    def rows(self) -> int:
        return self.pairs.shape[1]

    @property
    def fixed(self) -> int:
        return len(self.squares) - 1

    def evaluate(self, ratios: Floats) -> Evaluation:
        """Ratios: of rows and columns within each group, then of rows and columns over all groups."""
        reduced = self._within_groups(ratios[0], ratios[1])
        joined, log_det = self._joining(reduced, ratios[2:])
        total = reduced.across.sum(axis=0)
        products = reduced.fixed - total.T @ joined @ total
        p, freedom = self.fixed, self.votes - self.fixed
        lower = np.linalg.cholesky(products[:p, :p])
        unscaled = np.linalg.inv(products[:p, :p])
        fixed = unscaled @ products[:p, p]
        left = max(float(products[p, p] - fixed @ products[:p, p]), np.finfo(float).tiny)
        traces, with_fixed, with_score = self._by_component(reduced, joined, total, fixed)
        log_det += reduced.log_det + _log_det(lower)
        return Evaluation(
            criterion=log_det + freedom * (1 + math.log(2 * math.pi * left / freedom)),
            error=left / freedom,
            fixed=fixed,
            unscaled=unscaled,
            slopes=unscaled @ with_fixed @ unscaled,
            traces=traces - np.einsum("ij,kji->k", unscaled, with_fixed),
            squares=with_score,
        )

    def _within_groups(self, row_ratio: float, column_ratio: float) -> _Reduced:
        pairs, rows = self.pairs, self.rows
        shrink = 1 / (1 + column_ratio * pairs.sum(axis=1))[:, None, :]
        shrunk = pairs * shrink
        inner = -column_ratio * (shrunk @ pairs.transpose(0, 2, 1))
        _diagonal(inner)[...] += pairs.sum(axis=2)
        middle = row_ratio * inner
        _diagonal(middle)[...] += 1
        inverse = np.linalg.inv(middle)
        row_sums, column_sums = self.sums[:, :rows], self.sums[:, rows:]
        known = row_sums - column_ratio * (shrunk @ column_sums)
        solved = inverse @ np.concatenate([inner, shrunk, known], axis=2)
        below = -row_ratio * (shrunk.transpose(0, 2, 1) @ solved[:, :, rows:])
        columns = pairs.shape[2]
        among = np.empty((len(pairs), rows + columns, rows + columns))
        among[:, :rows, :] = solved[:, :, : rows + columns]
        among[:, rows:, :rows] = solved[:, :, rows : rows + columns].transpose(0, 2, 1)
        among[:, rows:, rows:] = below[:, :, :columns]
        _diagonal(among[:, rows:, rows:])[...] += shrunk.sum(axis=1)
        shrunk_sums = column_sums * shrink.transpose(0, 2, 1)
        across = np.concatenate([solved[:, :, rows + columns :], shrunk_sums + below[:, :, columns:]], axis=1)
        fixed = self.squares - column_ratio * _product(column_sums, shrunk_sums)
        fixed -= row_ratio * _product(known, across[:, :rows])
        log_det = _log_det(np.linalg.cholesky(middle)) - float(np.log(shrink).sum())
        return _Reduced(among, across, fixed, log_det)

    def _joining(self, reduced: _Reduced, ratios: Floats) -> tuple[Floats, float]:
        """S^1/2 (I + S^1/2 H S^1/2)^-1 S^1/2, for ratios S over all groups and H = Z'V^-1 Z without them."""
        levels = self.sums.shape[1]
        if not ratios.any():
            return np.zeros((levels, levels)), 0.0
        root = np.sqrt(np.repeat(ratios, [self.rows, levels - self.rows]))
        middle = root[:, None] * reduced.among.sum(axis=0) * root
        _diagonal(middle)[...] += 1
        factor = cho_factor(middle, lower=True, overwrite_a=True, check_finite=False)
        joined = root[:, None] * cho_solve(factor, np.diag(root), overwrite_b=True, check_finite=False)
        return joined, _log_det(factor[0])

    def _by_component(
        self, reduced: _Reduced, joined: Floats, total: Floats, fixed: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """For each component: the trace of Z_k'V^-1 Z_k; X'V^-1 Z_k Z_k'V^-1 X; and the squares of Z_k'P y."""
        across = reduced.across - reduced.among @ (joined @ total)
        traces = sum(_diagonal(each) - ((each @ joined) * each).sum(axis=1) for each in reduced.among)
        overall = reduced.among.sum(axis=0)
        overall_traces = _diagonal(overall) - ((overall @ joined) * overall).sum(axis=1)
        kinds = [(np.asarray(traces), across), (overall_traces, across.sum(axis=0)[None])]
        halves = (slice(None, self.rows), slice(self.rows, None))
        parts = [(of[half], products[:, half]) for of, products in kinds for half in halves]
        weights = np.append(-fixed, 1.0)
        with_fixed = [_product(products, products)[:-1, :-1] for _, products in parts]
        with_score = [float(((products @ weights) ** 2).sum()) for _, products in parts]
        return np.array([of.sum() for of, _ in parts]), np.array(with_fixed), np.array(with_score)


def _diagonal(matrices: Floats) -> Floats:
    """A writable view of the diagonals."""
    return np.einsum("...ii->...i", matrices)


def _product(first: Floats, second: Floats) -> Floats:
    """Of transposed groups with groups, summed."""
    return np.tensordot(first, second, axes=((0, 1), (0, 1)))


def _log_det(lower: Floats) -> float:
    return 2 * float(np.log(_diagonal(lower)).sum())


class Solution(NamedTuple):
    ratios: Floats
    at: Evaluation
    free: Switches  # the components that are not 0
    information: Floats  # second derivatives of the criterion by the free ratios and, last, the error variance


def minimise(votes: CrossedVotes, free: Switches) -> Solution | None:
    """The ratios at the least criterion, 0 where that is best; none where the error variance goes to 0."""
    ratios = np.where(free, START**2, 0.0)
    for _ in range(ROUNDS):
        ratios = _descend(votes, ratios, free)
        if ratios.max(initial=0.0) >= 0.999 * LARGEST**2:
            return None
        changed = _reconsider(votes, ratios, free)
        if changed is None:
            break
        ratios, free = changed
    return _polish(votes, ratios, free)


def _descend(votes: CrossedVotes, ratios: Floats, free: Switches) -> Floats:
    """Over square roots of ratios, in which the criterion is closest to a parabola."""
    if not free.any():
        return ratios

    def at(roots: Floats) -> tuple[float, Floats]:
        found = votes.evaluate(_placed(roots**2, free))
        return found.criterion, 2 * roots * found.gradient(found.error)[free]

    found = minimize(
        at,
        np.sqrt(ratios[free]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, LARGEST)] * int(free.sum()),
        options={"ftol": 1e-13, "gtol": 1e-5, "maxiter": 200},
    )
    return _placed(np.asarray(found.x) ** 2, free)


def _placed(values: Floats, free: Switches) -> Floats:
    ratios = np.zeros(len(free))
    ratios[free] = values
    return ratios


def _reconsider(votes: CrossedVotes, ratios: Floats, free: Switches) -> tuple[Floats, Switches] | None:
    """Drop the smallest component where the criterion rises from 0 on; start it again where it falls.

    In the square root of a ratio the gradient is 0 at 0, so a search that comes there stays there.
    """
    small = np.flatnonzero(free & (ratios < SMALL**2))
    for component in small[np.argsort(ratios[small])]:
        without = ratios.copy()
        without[component] = 0.0
        found = votes.evaluate(without)
        if found.gradient(found.error)[component] >= 0:
            return without, free & (np.arange(len(free)) != component)
        if ratios[component] < 1e-3 * SMALL**2:
            without[component] = SMALL**2
            return without, free
    return None


def _polish(votes: CrossedVotes, ratios: Floats, free: Switches) -> Solution:
    """One of Newton's steps, as the curvature is needed in any case."""
    at = votes.evaluate(ratios)
    information = _information(votes, ratios, free, at)
    slope = np.append(at.gradient(at.error)[free], 0.0)
    step = -np.linalg.lstsq(information, slope)[0][:-1]
    better = ratios.copy()
    better[free] += step
    if (better[free] > 0).all():
        stepped = votes.evaluate(better)
        if stepped.criterion <= at.criterion:
            return Solution(better, stepped, free, information)
    return Solution(ratios, at, free, information)


def _information(votes: CrossedVotes, ratios: Floats, free: Switches, at: Evaluation) -> Floats:
    """Central differences of the gradient by the ratios; by the error variance in closed form."""
    count = int(free.sum())
    found = np.empty((count + 1, count + 1))
    for place, component in enumerate(np.flatnonzero(free)):
        moved = ratios.copy()
        step = STEP * ratios[component]
        moved[component] = ratios[component] + step
        above = votes.evaluate(moved).gradient(at.error)[free]
        moved[component] = ratios[component] - step
        found[place, :count] = (above - votes.evaluate(moved).gradient(at.error)[free]) / (2 * step)
    found[:count, count] = found[count, :count] = at.squares[free] / at.error**2
    found[count, count] = (votes.votes - votes.fixed) / at.error**2
    return (found + found.T) / 2
