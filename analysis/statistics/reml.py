"""REML for votes with crossed random factors: the profiled criterion, its gradient, its minimum and its curvature.

With V = I + sum of ratio_k Z_k Z_k', each ratio being a variance over that of the error, everything needed is made of
products such as Z'V^-1 Z. Votes come in groups, one for each condition, and the interactions with the condition join
no two groups. So each group is solved by itself: its larger factor, whose part of Z'Z is diagonal, goes first, then the
smaller one; what joins the groups, listener and item, comes last. Panels that share neither listeners nor items are
blocks, which only the fixed effects join. Arrays run over blocks first, then over groups; a smaller block is filled up
with levels that have no votes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg.lapack import dtrtri

from analysis.statistics.estimates import Floats

Switches = npt.NDArray[np.bool_]

START = 0.25  # of every ratio
LARGEST = 1e5  # of a ratio
NO_ERROR = 1e4  # of a ratio; beyond, nothing is left for the error
CLOSE = 1e-9  # of the criterion: what another step would bring
MOST_STEPS = 100
HALVINGS = 30


class _Solved(NamedTuple):
    """Products through V^-1, those of Z with Z by what they are made of: H of each group less H R'R H of its block."""

    among: Floats  # H, by block and group
    joining: Floats  # R, by block
    across: Floats  # of Z with [X y], by block and group
    products: Floats  # of [X y] with itself
    log_det: float  # of V


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
    average: Floats  # average information over the ratios, with the best error variance for each
    solved: _Solved

    def gradient(self, error: float) -> Floats:
        """Of the criterion by the ratios at this error variance."""
        return np.asarray(self.traces - self.squares / error)


class _Reduced(NamedTuple):
    """Products through V^-1 of each block and group, V without what joins groups."""

    among: Floats  # of Z with Z
    across: Floats  # of Z with [X y]
    fixed: Floats  # of [X y] with itself, over all
    log_det: float


@dataclass(frozen=True)
class CrossedVotes:
    """Sums of votes by block, group, row level and column level, where columns are the factor with more levels."""

    pairs: Floats  # block x group x row x column: number of votes
    sums: Floats  # block x group x (rows, then columns) x (fixed effects, then score)
    squares: Floats  # (fixed effects, then score) in both directions
    votes: int

    @property
    def rows(self) -> int:
        return int(self.pairs.shape[2])

    @property
    def freedom(self) -> int:
        return self.votes - len(self.squares) + 1

    def evaluate(self, ratios: Floats) -> Evaluation:
        """Ratios: of rows and columns within each group, then of rows and columns over all groups."""
        solved = self._solve(ratios)
        products: Any = solved.products  # inverses and roots of float64 have no such type in numpy's stubs
        with_fixed, with_score = products[:-1, :-1], products[:-1, -1]
        unscaled = np.linalg.inv(with_fixed)
        fixed = unscaled @ with_score
        left = max(float(products[-1, -1] - fixed @ with_score), np.finfo(float).tiny)
        log_det = solved.log_det + _log_det(np.linalg.cholesky(with_fixed))
        return Evaluation(
            criterion=log_det + self.freedom * (1 + math.log(2 * math.pi * left / self.freedom)),
            error=left / self.freedom,
            fixed=fixed,
            unscaled=unscaled,
            solved=solved,
            **self._by_component(solved, fixed, unscaled, left),
        )

    def information(self, at: Evaluation, free: Switches) -> Floats:
        """Second derivatives of the criterion by the free ratios and, last, the error variance.

        By two ratios: 2 y'P Z_k Z_k'P Z_l Z_l'P y over the error variance, less the trace of P Z_k Z_k'P Z_l Z_l'.
        """
        squared = at.average + np.outer(at.squares, at.squares) / (self.freedom * at.error**2)
        by_ratios = (2 * squared - self._squared_traces(at.solved, at.unscaled))[np.ix_(free, free)]
        by_error = at.squares[free, None] / at.error**2
        return np.block([[by_ratios, by_error], [by_error.T, np.full((1, 1), self.freedom / at.error**2)]])

    def _squared_traces(self, solved: _Solved, unscaled: Floats) -> Floats:
        """The trace of P Z_k Z_k'P Z_l Z_l', which is the sum of squares of Z_k'P Z_l.

        Z'P Z is H, which joins no two groups, less B B'. B has columns that join the groups of a block, and after them
        those of the fixed effects, which join all. For the components within groups B'B is summed, in place of B B' of
        every two groups.
        """
        among, levels = solved.among, len(solved.joining[0])
        by_fixed = solved.across[..., :-1] @ np.linalg.cholesky(unscaled)
        shared = np.concatenate([among @ solved.joining.mT[:, None], by_fixed], axis=3)
        overall = shared.sum(axis=1)
        inner = np.stack([_inner(shared[:, :, half]).sum(axis=1) for half in self._halves], axis=1)
        outer = np.stack([_inner(overall[:, half]) for half in self._halves], axis=1)
        of_group = among - overall[:, None] @ shared.mT
        inner_fixed, outer_fixed = inner[..., levels:, levels:], outer[..., levels:, levels:]
        within = self._quarters(among * (among - 2 * (shared @ shared.mT))) + np.einsum("bkij,blij->kl", inner, inner)
        within += _of_two_blocks(inner_fixed, inner_fixed)
        between = self._quarters(of_group**2) + _of_two_blocks(outer_fixed, inner_fixed)
        over = self._quarters(of_group.sum(axis=1) ** 2) + _of_two_blocks(outer_fixed, outer_fixed)
        return np.block([[within, between.T], [between, over]])

    @property
    def _halves(self) -> tuple[slice, slice]:
        """Of the levels: rows and columns."""
        return slice(None, self.rows), slice(self.rows, None)

    def _quarters(self, matrices: Floats) -> Floats:
        """Sums of matrices of levels in both directions, by rows and columns."""
        starts, whole = [0, self.rows], matrices.reshape(-1, *matrices.shape[-2:]).sum(axis=0)
        return np.asarray(np.add.reduceat(np.add.reduceat(whole, starts, axis=0), starts, axis=1))

    def _solve(self, ratios: Floats) -> _Solved:
        reduced = self._within_groups(ratios[0], ratios[1])
        joining, log_det = self._joining(reduced, ratios[2:])
        moved = joining @ reduced.across.sum(axis=1)
        return _Solved(
            among=reduced.among,
            joining=joining,
            across=reduced.across - reduced.among @ (joining.mT @ moved)[:, None],
            products=reduced.fixed - _product(moved, moved),
            log_det=reduced.log_det + log_det,
        )

    def _within_groups(self, row_ratio: float, column_ratio: float) -> _Reduced:
        pairs, rows, columns = self.pairs, self.rows, self.pairs.shape[3]
        shrink = 1 / (1 + column_ratio * pairs.sum(axis=2, keepdims=True))
        shrunk = pairs * shrink
        inner = -column_ratio * (shrunk @ pairs.mT)
        _diagonal(inner)[...] += pairs.sum(axis=3)
        middle = row_ratio * inner
        _diagonal(middle)[...] += 1
        row_sums, column_sums = (self.sums[:, :, half] for half in self._halves)
        shrunk_sums = column_sums * shrink.mT
        known = row_sums - column_ratio * (shrunk @ column_sums)
        solved = np.linalg.inv(middle) @ np.concatenate([inner, shrunk, known], axis=3)
        below = -row_ratio * (shrunk.mT @ solved[..., rows:])
        among = np.empty((*pairs.shape[:2], rows + columns, rows + columns))
        among[:, :, :rows] = solved[..., : rows + columns]
        among[:, :, rows:, :rows] = solved[..., rows : rows + columns].mT
        among[:, :, rows:, rows:] = below[..., :columns]
        _diagonal(among[:, :, rows:, rows:])[...] += shrunk.sum(axis=2)
        across = np.concatenate([solved[..., rows + columns :], shrunk_sums + below[..., columns:]], axis=2)
        fixed = self.squares - column_ratio * _product(column_sums, shrunk_sums)
        fixed -= row_ratio * _product(known, across[:, :, :rows])
        log_det = _log_det(np.linalg.cholesky(middle)) - float(np.log(shrink).sum())
        return _Reduced(among, across, fixed, log_det)

    def _joining(self, reduced: _Reduced, ratios: Floats) -> tuple[Floats, float]:
        """R with R'R = S^1/2 (I + S^1/2 H S^1/2)^-1 S^1/2: S ratios over all groups, H = Z'V^-1 Z without them."""
        blocks, _, levels, _ = self.sums.shape
        if not ratios.any():
            return np.zeros((blocks, 0, levels)), 0.0
        root = np.sqrt(np.repeat(ratios, [self.rows, levels - self.rows]))
        middle = root[:, None] * reduced.among.sum(axis=1) * root
        _diagonal(middle)[...] += 1
        lower = np.linalg.cholesky(middle)
        return np.stack([dtrtri(each, lower=1)[0] for each in lower]) * root, _log_det(lower)

    def _by_component(self, solved: _Solved, fixed: Floats, unscaled: Floats, left: float) -> dict[str, Floats]:
        among, joining, across = solved.among, solved.joining, solved.across
        over_groups = across.sum(axis=1, keepdims=True)
        residual = across @ np.append(-fixed, 1.0)  # Z'Py
        traces = _diagonal_of(among, joining[:, None]).sum(axis=(0, 1))
        overall = _diagonal_of(among.sum(axis=1), joining).sum(axis=0)
        parts = [
            (half, trace, each) for trace, each in ((traces, across), (overall, over_groups)) for half in self._halves
        ]
        informed = np.array([_product(each[:, :, half], each[:, :, half])[:-1, :-1] for half, _, each in parts])
        vectors = np.zeros((*across.shape[:2], len(parts), across.shape[2]))
        for number, (half, _, each) in enumerate(parts):
            own = residual if each is across else residual.sum(axis=1, keepdims=True)
            vectors[:, :, number, half] = own[..., half]
        groups = across.shape[1]
        squares = (vectors**2).sum(axis=(0, 1, 3)) / [1, 1, groups, groups]  # the same vector stands for every group
        moved = vectors @ among
        joined = (moved.sum(axis=1) @ joining.mT) @ joining
        moved -= joined[:, None] @ among
        by_fixed = (vectors @ across[..., :-1]).sum(axis=(0, 1))
        average = (vectors @ moved.mT).sum(axis=(0, 1)) - by_fixed @ unscaled @ by_fixed.T
        return {
            "slopes": unscaled @ informed @ unscaled,
            "traces": np.array([trace[half].sum() for half, trace, _ in parts])
            - np.einsum("ij,kji->k", unscaled, informed),
            "squares": squares,
            "average": (average - np.outer(squares, squares) / left) * self.freedom / left,
        }


def _diagonal(matrices: Floats) -> Floats:
    """A writable view of the diagonals."""
    view: Floats = np.einsum("...ii->...i", matrices)
    return view


def _diagonal_of(among: Floats, joining: Floats) -> Floats:
    """The diagonals of H - H R'R H, with H symmetric."""
    moved = joining @ among
    return np.asarray(_diagonal(among) - np.einsum("...ij,...ij->...j", moved, moved))


def _inner(matrices: Floats) -> Floats:
    return np.asarray(matrices.mT @ matrices)


def _product(first: Floats, second: Floats) -> Floats:
    """Of transposed matrices with matrices, summed."""
    return np.asarray(first.reshape(-1, first.shape[-1]).T @ second.reshape(-1, second.shape[-1]))


def _of_two_blocks(first: Floats, second: Floats) -> Floats:
    """Sums of squares of F_b G_c' over every two blocks b and c, out of F'F and G'G of each block and component."""
    every = np.einsum("kij,lij->kl", first.sum(axis=0), second.sum(axis=0))
    return np.asarray(every - np.einsum("bkij,blij->kl", first, second))


def _log_det(lower: Floats) -> float:
    return 2 * float(np.log(_diagonal(lower)).sum())


class Solution(NamedTuple):
    ratios: Floats
    at: Evaluation
    free: Switches  # the components that are not 0
    information: Floats  # second derivatives of the criterion by the free ratios and, last, the error variance


def minimise(votes: CrossedVotes, free: Switches, start: Floats | None = None) -> Solution | None:
    """The ratios at the least criterion, 0 where that is best; none where the error variance goes to 0.

    `start` are ratios that are known to be near, such as those of the same votes with fewer fixed effects.
    """
    ratios = np.where(free, START if start is None else start, 0.0)
    at = votes.evaluate(ratios)
    for _ in range(2 if start is None else 0):  # exact for one large component, and a close start for several
        ratios = np.where(
            free, np.minimum(ratios * at.squares / (at.error * at.traces + (at.traces == 0)), LARGEST), 0.0
        )
        at = votes.evaluate(ratios)
    for _ in range(MOST_STEPS):
        stepped = _step(votes, ratios, free, at)
        if stepped is None:
            break
        ratios, at = stepped
    if ratios.max() >= NO_ERROR:
        return None
    return _polish(votes, ratios, at)


def _step(votes: CrossedVotes, ratios: Floats, free: Switches, at: Evaluation) -> tuple[Floats, Evaluation] | None:
    """One step by the average information, cut at 0, and halved until the criterion falls; none at the minimum.

    Gilmour, Thompson and Cullis (1995), Biometrics 51(4).
    """
    slope = at.gradient(at.error)
    moving = free & ((ratios > 0) | (slope < 0))
    direction = np.zeros(len(ratios))
    direction[moving] = -np.linalg.lstsq(at.average[np.ix_(moving, moving)], slope[moving])[0]
    for aim in (direction, np.where(moving, -slope / np.maximum(np.diag(at.average), 1e-300), 0.0)):
        for halving in range(HALVINGS):
            tried = np.clip(ratios + aim / 2**halving, 0.0, LARGEST)
            if abs(slope @ (tried - ratios)) < CLOSE:
                break
            found = votes.evaluate(tried)
            if found.criterion < at.criterion:
                return tried, found
    return None


def _polish(votes: CrossedVotes, ratios: Floats, at: Evaluation) -> Solution:
    """One of Newton's steps, and the curvature where it ends."""
    free = ratios > 0
    information = votes.information(at, free)
    slope = np.append(at.gradient(at.error)[free], 0.0)
    better = ratios.copy()
    better[free] -= np.linalg.lstsq(information, slope)[0][:-1]
    if (better[free] > 0).all():
        stepped = votes.evaluate(better)
        if stepped.criterion <= at.criterion:
            return Solution(better, stepped, free, votes.information(stepped, free))
    return Solution(ratios, at, free, information)
