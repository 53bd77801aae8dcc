"""Linear mixed model of votes with listeners and items random: marginal means of conditions and their differences.

score = condition + listener + item + listener:condition + item:condition + error, by REML; degrees of freedom are
Satterthwaite's. docs/methods/mixed-model.md has the formulas and what they were compared with.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from analysis.statistics.estimates import CONFIDENCE, Floats, Integers, connected_parts
from analysis.statistics.reml import CrossedVotes, Solution, minimise
from core.errors import AppError
from core.i18n import gettext_noop as _

Kind = Literal["full", "intercepts"]

LISTENER, ITEM, RESIDUAL = "listener", "item", "residual"
LISTENER_CONDITION, ITEM_CONDITION = "listener_condition", "item_condition"
COMPONENTS: Mapping[Kind, tuple[str, ...]] = {
    "full": (LISTENER, ITEM, LISTENER_CONDITION, ITEM_CONDITION),
    "intercepts": (LISTENER, ITEM),
}
NOTHING = 1e-10  # what rounding leaves of zero, relative to what it was made of
FLAT = 1e-7  # curvature of the criterion relative to its largest, which rounding may leave of none
SLOPE = 1e-5  # of a variance along a flat direction relative to itself, which rounding does not make
MOST_NUMBERS = 10_000_000  # in the matrices of listeners and items squared, one for each condition: 80 MB


class Dropped(StrEnum):
    """Why a component of the model has no estimate of its own."""

    ZERO = "zero"  # its estimate is 0
    FIXED = "fixed"  # it cannot be told from the fixed effects, as with one item
    ERROR = "error"  # it cannot be told from the error: every level has one vote
    SAME = "same"  # it cannot be told from another component, as listener:condition with one condition


class Combined(NamedTuple):
    """Weighted sums of marginal means; nan stands for what is not known."""

    estimate: Floats
    se: Floats
    df: Floats

    def half_width(self) -> Floats:
        return np.asarray(stdtrit(self.df, 0.5 + CONFIDENCE / 2) * self.se)


class Mean(NamedTuple):
    condition: Any
    estimate: float
    se: float
    df: float
    low: float
    high: float


@dataclass(frozen=True)
class MixedModel:
    kind: Kind
    conditions: tuple[Any, ...]
    factors: tuple[str, ...]  # the further fixed effects
    votes: int
    listeners: int
    items: int
    reml_criterion: float
    components: Mapping[str, float]  # variances, 0 for those that were dropped
    dropped: Mapping[str, Dropped]
    estimates: Floats  # marginal means
    covariance: Floats  # of the marginal means
    covariance_slopes: Floats  # of that covariance by each parameter of the random part
    parameter_covariance: Floats  # of these parameters, over 2
    flat: Floats  # direction x parameter, along which the criterion does not rise: nothing is known of these sums

    def combine(self, weights: Floats) -> Combined:
        """One sum for each row of weights. df = 2 v^2 / Var(v), v the variance of the sum as it was estimated.

        Satterthwaite (1946), Biometrics Bulletin 2(6). Var(v) comes from v's slopes by the parameters and from their
        covariance, twice the inverse of the criterion's second derivatives; it is not known where v depends on a sum of
        parameters on which the criterion does not depend.
        """
        variance = np.einsum("mi,ij,mj->m", weights, self.covariance, weights)
        slopes = np.einsum("mi,kij,mj->mk", weights, self.covariance_slopes, weights)
        spread = np.einsum("mk,kl,ml->m", slopes, self.parameter_covariance, slopes)
        unknown = (np.abs(slopes @ self.flat.T) > SLOPE * variance[:, None]).any(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            df = np.where((spread > 0) & ~unknown, variance**2 / spread, np.nan)
        return Combined(weights @ self.estimates, np.sqrt(np.maximum(variance, 0.0)), df)

    def means(self) -> list[Mean]:
        found = self.combine(np.eye(len(self.conditions)))
        half = found.half_width()
        columns = (*found, found.estimate - half, found.estimate + half)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [Mean(condition, *row) for condition, row in zip(self.conditions, rows, strict=True)]


def fit_mixed_model(
    votes: pd.DataFrame,
    *,
    kind: Kind = "full",
    factors: Sequence[str] = (),
    start: Mapping[str, float] | None = None,
) -> MixedModel:
    """Fit rows of listener, item, condition and score; `factors` are columns taken as further fixed effects.

    Marginal means give every level of these the same weight. Rows without a score are left out. `start` are variances
    to begin with, such as the components of the same votes without these factors: the fit is then found in fewer steps.
    """
    design = _Design.of(votes, factors)
    partitions = {name: design.codes[name] for name in COMPONENTS[kind]}
    dropped = confounded(design.fixed, partitions)
    if not _varies(design):
        return _without_error(design, kind, dropped)
    crossed, names = _crossed(design, kind, dropped)
    free = np.array([name in partitions and name not in dropped for name in names])
    solution = minimise(crossed, free, _ratios(start, names))
    if solution is None:
        raise AppError(
            "model.no_error",
            422,
            _(
                "The model cannot be fitted: listeners, items and conditions explain the {votes} scores exactly, "
                "and nothing is left from which an error could be estimated. More votes are needed."
            ),
            votes=len(design.score),
        )
    zero = {name: Dropped.ZERO for name, was, kept in zip(names, free, solution.free, strict=True) if was and not kept}
    return _fitted(design, kind, solution, names, dropped | zero)


def _ratios(variances: Mapping[str, float] | None, names: Sequence[str]) -> Floats | None:
    """Of these variances to that of the error, in the order of names; none without an error to relate them to."""
    if variances is None or not variances[RESIDUAL] > 0:
        return None
    return np.array([variances.get(name, 0.0) for name in names]) / variances[RESIDUAL]


@dataclass(frozen=True)
class _Design:
    conditions: tuple[Any, ...]
    factors: tuple[str, ...]
    codes: dict[str, Integers]  # of each component's levels, one for each vote, without gaps
    condition: Integers
    score: Floats  # less what the fixed effects alone explain
    fixed: Floats  # vote x effect
    first: Floats  # coefficients of the fixed effects alone
    margins: Floats  # condition x effect

    @classmethod
    def of(cls, votes: pd.DataFrame, factors: Sequence[str]) -> _Design:
        votes = _checked(votes, factors)
        condition, conditions = pd.factorize(votes["condition"], sort=True)
        codes = {name: pd.factorize(votes[name], sort=True)[0].astype(np.int64) for name in (LISTENER, ITEM)}
        for name, of in ((LISTENER_CONDITION, LISTENER), (ITEM_CONDITION, ITEM)):
            codes[name] = np.unique(codes[of] * len(conditions) + condition, return_inverse=True)[1]
        used = tuple(name for name in factors if votes[name].nunique() > 1)
        fixed, margins = _fixed_effects(votes, condition, len(conditions), used)
        _reject_confounded(fixed, used)
        score = votes["score"].to_numpy(np.float64)
        first = np.linalg.solve(fixed.T @ fixed, fixed.T @ score)
        left = score - fixed @ first
        return cls(tuple(conditions), used, codes, condition, left, fixed, first, margins)


def _checked(votes: pd.DataFrame, factors: Sequence[str]) -> pd.DataFrame:
    missing = [name for name in (LISTENER, ITEM, "condition", "score", *factors) if name not in votes]
    if missing:
        raise AppError(
            "model.column_missing",
            422,
            _("The model needs a column called {name}; there is none."),
            name=", ".join(missing),
        )
    votes = votes[np.isfinite(votes["score"].to_numpy(np.float64))]
    for name in (LISTENER, ITEM, "condition", *factors):
        empty = int(votes[name].isna().sum())
        if empty:
            raise AppError(
                "model.value_missing",
                422,
                _("Every vote needs a value in the column {name}; votes without one: {count}."),
                count=empty,
                name=name,
            )
    return votes


def _fixed_effects(
    votes: pd.DataFrame, condition: Integers, conditions: int, factors: Sequence[str]
) -> tuple[Floats, Floats]:
    """One column for each condition, and for each level of a factor but the first, with the weights of the margins."""
    columns, margins = [np.eye(conditions)[condition]], [np.eye(conditions)]
    for name in factors:
        code, levels = pd.factorize(votes[name], sort=True)
        columns.append(np.eye(len(levels))[code][:, 1:])
        margins.append(np.full((conditions, len(levels) - 1), 1 / len(levels)))
    return np.hstack(columns), np.hstack(margins)


def _reject_confounded(fixed: Floats, factors: Sequence[str]) -> None:
    n, p = fixed.shape
    if n <= p:
        raise AppError(
            "model.too_few_votes",
            422,
            _("The model needs more votes than fixed effects (votes: {votes}, effects: {effects})."),
            votes=n,
            effects=p,
        )
    if np.linalg.matrix_rank(fixed.T @ fixed, hermitian=True) < p:
        raise AppError(
            "model.factors_confounded",
            422,
            _(
                "The effects of {factors} and of the condition cannot be told apart: each level needs votes on "
                "conditions that other levels have as well. Leave one of these factors out."
            ),
            factors=", ".join(factors),
        )


def _varies(design: _Design) -> bool:
    whole = design.fixed @ design.first
    return bool(np.abs(design.score).max() > NOTHING * max(np.abs(whole).max(), np.finfo(float).tiny))


def confounded(fixed: Floats, partitions: Mapping[str, Integers]) -> dict[str, Dropped]:
    """The components that these votes say nothing about, whatever the scores; the fixed effects are vote x effect."""
    dropped: dict[str, Dropped] = {}
    kept: list[Integers] = []
    n = len(fixed)
    products = fixed.T @ fixed
    for name, codes in partitions.items():
        levels = int(codes.max()) + 1
        sums = _sums(codes, levels, fixed)
        outside = n - np.trace(np.linalg.solve(products, sums.T @ sums))  # of Z'Z, beyond the fixed effects
        if outside <= NOTHING * n * n:
            dropped[name] = Dropped.FIXED
        elif levels == n:
            dropped[name] = Dropped.ERROR
        elif any(_same(codes, other) for other in kept):
            dropped[name] = Dropped.SAME
        else:
            kept.append(codes)
    return dropped


def _same(codes: Integers, other: Integers) -> bool:
    """Whether two ways to group the votes are one."""
    levels, others = int(codes.max()) + 1, int(other.max()) + 1
    return levels == others and len(np.unique(codes * others + other)) == levels


def _sums(codes: Integers, levels: int, columns: Floats) -> Floats:
    sums = [np.bincount(codes, weights=column, minlength=levels) for column in columns.T]
    return np.stack(sums, axis=1).astype(np.float64)


def _crossed(design: _Design, kind: Kind, dropped: Mapping[str, Dropped]) -> tuple[CrossedVotes, tuple[str, ...]]:
    """The sums that the solver takes, and the names of its components in its order.

    Without interactions, listener and item are what is crossed within the one group of all votes.
    """
    interactions = [name for name in COMPONENTS[kind][2:] if name not in dropped]
    group = design.condition if interactions else np.zeros_like(design.condition)
    sides = sorted((LISTENER, ITEM), key=lambda name: int(design.codes[name].max()))  # the larger one last
    groups = int(group.max()) + 1
    _reject_too_large(sum(int(design.codes[name].max()) + 1 for name in sides), groups)
    block, (row, column) = _blocks(*(design.codes[name] for name in sides))
    sizes = int(row.max()) + 1, int(column.max()) + 1
    shape = int(block.max()) + 1, groups
    columns = np.column_stack([design.fixed, design.score])
    group = block * groups + group
    cells = math.prod(shape)
    pairs = np.bincount((group * sizes[0] + row) * sizes[1] + column, minlength=cells * math.prod(sizes))
    sums = [
        _sums(group * size + codes, cells * size, columns).reshape(*shape, size, -1)
        for codes, size in zip((row, column), sizes, strict=True)
    ]
    crossed = CrossedVotes(
        pairs=pairs.reshape(*shape, *sizes).astype(np.float64),
        sums=np.concatenate(sums, axis=2),
        squares=columns.T @ columns,
        votes=len(design.score),
    )
    within = {LISTENER: LISTENER_CONDITION, ITEM: ITEM_CONDITION}
    if interactions:
        return crossed, (*(within[name] for name in sides), *sides)
    return crossed, (*sides, "", "")


def _blocks(first: Integers, second: Integers) -> tuple[Integers, tuple[Integers, Integers]]:
    """The block of each vote, such that no two blocks share a level, and both levels counted within their block.

    What is joined by votes stays together. Blocks are about as large as the largest of these parts, because all are
    filled up to the same size.
    """
    parts = connected_parts(first, second)
    sizes = np.bincount(np.concatenate(parts))
    block_of_part, taken = np.zeros(len(sizes), dtype=np.int64), [0]
    for each in np.argsort(-sizes, kind="stable"):
        if taken[-1] + sizes[each] > sizes.max():
            taken.append(0)
        taken[-1] += sizes[each]
        block_of_part[each] = len(taken) - 1
    sides = [block_of_part[each] for each in parts]
    return sides[0][first], (_places(sides[0])[first], _places(sides[1])[second])


def _places(blocks: Integers) -> Integers:
    """Which level of its block each is, counted from 0."""
    order = np.argsort(blocks, kind="stable")
    places = np.empty_like(order)
    places[order] = np.arange(len(order)) - np.searchsorted(blocks[order], blocks[order])
    return places


def _reject_too_large(levels: int, groups: int) -> None:
    most = math.isqrt(MOST_NUMBERS // groups)
    if levels > most:
        raise AppError(
            "model.too_large",
            422,
            _(
                "There are {levels} listeners and items; with so many conditions this model can be fitted for up to "
                "{most} together."
            ),
            levels=levels,
            most=most,
        )


def _fitted(
    design: _Design, kind: Kind, solution: Solution, names: Sequence[str], dropped: Mapping[str, Dropped]
) -> MixedModel:
    at, free, margins = solution.at, solution.free, design.margins
    slopes = np.concatenate([at.error * at.slopes[free], at.unscaled[None]])
    parameter_covariance, flat = _inverse(solution.information, np.append(solution.ratios[free], at.error))
    variances = dict(zip(names, (at.error * solution.ratios).tolist(), strict=True))
    return _described(
        design,
        kind,
        reml_criterion=at.criterion,
        components={name: variances.get(name, 0.0) for name in COMPONENTS[kind]} | {RESIDUAL: at.error},
        dropped={name: dropped[name] for name in COMPONENTS[kind] if name in dropped},
        estimates=margins @ (design.first + at.fixed),
        covariance=at.error * margins @ at.unscaled @ margins.T,
        covariance_slopes=margins @ slopes @ margins.T,
        parameter_covariance=parameter_covariance,
        flat=flat,
    )


def _inverse(information: Floats, parameters: Floats) -> tuple[Floats, Floats]:
    """Of the directions in which the criterion rises, and the others, in which nothing is known.

    Each parameter is measured by its own curvature, so that a small one is not taken for a flat one.
    """
    curvature = np.diag(information)
    scale = np.where(curvature > 0, 1 / np.sqrt(np.where(curvature > 0, curvature, 1.0)), parameters)
    values, vectors = np.linalg.eigh(information * np.outer(scale, scale))
    rises = values > FLAT * values.max()
    scaled = scale[:, None] * vectors
    return np.asarray((scaled[:, rises] / values[rises]) @ scaled[:, rises].T), np.asarray(scaled[:, ~rises].T)


def _without_error(design: _Design, kind: Kind, dropped: Mapping[str, Dropped]) -> MixedModel:
    """All scores of a condition are equal: its mean is certain as far as these votes go, and has no interval."""
    k = len(design.conditions)
    return _described(
        design,
        kind,
        reml_criterion=np.nan,
        components=dict.fromkeys((*COMPONENTS[kind], RESIDUAL), 0.0),
        dropped={name: dropped.get(name, Dropped.ZERO) for name in COMPONENTS[kind]},
        estimates=design.margins @ design.first,
        covariance=np.zeros((k, k)),
        covariance_slopes=np.zeros((1, k, k)),
        parameter_covariance=np.zeros((1, 1)),
        flat=np.zeros((0, 1)),
    )


def _described(design: _Design, kind: Kind, **found: Any) -> MixedModel:
    return MixedModel(
        kind=kind,
        conditions=design.conditions,
        factors=design.factors,
        votes=len(design.score),
        listeners=int(design.codes[LISTENER].max()) + 1,
        items=int(design.codes[ITEM].max()) + 1,
        **found,
    )
