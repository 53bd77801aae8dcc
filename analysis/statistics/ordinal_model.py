"""Cumulative-link mixed model of votes in categories, with listeners and items random: Laplace approximation.

logit P(vote <= j) = threshold_j - (condition + listener + item [+ listener:condition + item:condition]). Categories
count by their order alone, not as numbers. docs/methods/ordinal-model.md has the formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations, count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import expit, ndtr

from analysis.statistics.estimates import Floats, figure
from analysis.statistics.mixed_model import COMPONENTS, ITEM, ITEM_CONDITION, LISTENER, LISTENER_CONDITION, Kind
from analysis.statistics.ranks import holm
from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _

Integers = npt.NDArray[np.int64]

TOO_LARGE = "model.ordinal_too_large"
MOST_LEVELS = 1500  # of all random effects together, whose information is a dense matrix
NEWTON_STEPS, NEWTON_CLOSE = 50, 1e-10
LEAST_LOG_SD, LARGEST_LOG_SD = -5.0, 5.0  # below the first, a component is called 0
STEP = 1e-4  # in differences of the gradient
LEAST_CHANCE = 1e-300
LEAST_VOTES = 5  # for each parameter
LARGEST_SE = 10.0  # of a difference in log odds: odds beyond e^20 are no estimate
USUAL_STEPS, SEARCH_SHARE = 30, 0.7  # of the search, and its part of all the work


class OrdinalContrast(NamedTuple):
    """The log odds of higher votes, of a less b; exp of it is the odds ratio."""

    a: Any
    b: Any
    estimate: float
    se: float
    z: float
    p: float
    p_holm: float


@dataclass(frozen=True)
class OrdinalModel:
    kind: Kind
    categories: tuple[float, ...]
    conditions: tuple[Any, ...]
    log_likelihood: float
    thresholds: Floats
    effects: Floats  # of each condition; the first is 0
    covariance: Floats  # of the effects, the first with zeros
    deviations: Mapping[str, float]  # SD of each random effect

    def named_thresholds(self, *, moved: float = 0.0) -> list[tuple[float, float, float]]:
        """Each with the categories below and above it; moved where effects are told about another zero."""
        values = (self.thresholds + moved).tolist()
        return list(zip(self.categories[:-1], self.categories[1:], values, strict=True))

    def contrasts(self) -> list[OrdinalContrast]:
        """All pairs, by Wald's test."""
        pairs = list(combinations(range(len(self.conditions)), 2))
        if not pairs:
            return []
        first, second = np.array(pairs).T
        estimate = self.effects[first] - self.effects[second]
        c = self.covariance
        se = np.sqrt(np.maximum(np.diag(c)[first] + np.diag(c)[second] - 2 * c[first, second], 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(se > 0, estimate / se, np.nan)
        p = 2 * ndtr(-np.abs(z))
        rows = zip(*(column.tolist() for column in (estimate, se, z, p, holm(p))), strict=True)
        names = self.conditions
        return [OrdinalContrast(names[a], names[b], *row) for (a, b), row in zip(pairs, rows, strict=True)]


def ordinal_record(votes: pd.DataFrame, *, kind: Kind) -> dict[str, Any]:
    """The model as JSON takes it; where it cannot be fitted the same keys, with the reason under `error`."""
    try:
        model = fit_largest_ordinal_model(votes, kind=kind)
    except AppError as error:
        reason = {"code": error.code, "message": LazyMessage(error.message, **error.data)}
        return {
            "kind": kind,
            "fallback": False,
            "error": reason,
            "log_likelihood": None,
            "thresholds": {},
            "deviations": {},
            "contrasts": [],
        }
    return {
        "kind": model.kind,
        "fallback": model.kind != kind,
        "error": None,
        "log_likelihood": figure(model.log_likelihood),
        "thresholds": {f"{lower:g}|{upper:g}": value for lower, upper, value in model.named_thresholds()},
        "deviations": dict(model.deviations),
        "contrasts": [
            {"a": str(each.a), "b": str(each.b)} | {name: figure(getattr(each, name)) for name in each._fields[2:]}
            for each in model.contrasts()
        ],
    }


def fit_largest_ordinal_model(
    votes: pd.DataFrame, *, kind: Kind = "full", watch: Callable[[float], None] | None = None
) -> OrdinalModel:
    """The model of this kind, or where the interactions are too many, that with listeners and items alone."""
    try:
        return fit_ordinal_model(votes, kind=kind, watch=watch)
    except AppError as error:
        if error.code != TOO_LARGE or kind == "intercepts":
            raise
        return fit_ordinal_model(votes, kind="intercepts", watch=watch)


def fit_ordinal_model(
    votes: pd.DataFrame, *, kind: Kind = "intercepts", watch: Callable[[float], None] | None = None
) -> OrdinalModel:
    """Fit rows of listener, item, condition and score by maximum likelihood; the model of ordinal::clmm in R.

    `watch` is told now and then which share of the work is done, roughly.
    """
    data, tell = _Data.of(votes, kind), watch or (lambda share: None)
    steps = count(1)
    found = minimize(
        data.criterion,
        data.start(),
        jac=True,
        method="BFGS",
        options={"gtol": 1e-4, "maxiter": 300},
        callback=lambda at: tell(SEARCH_SHARE * min(next(steps) / USUAL_STEPS, 1.0)),
    )
    at = np.asarray(found.x)
    thresholds, effects, log_sd = data.parts(at)
    free = np.append(np.ones(len(at) - len(log_sd), dtype=np.bool_), log_sd > LEAST_LOG_SD)
    curvature = _curvature(data, at, free, lambda share: tell(SEARCH_SHARE + (1 - SEARCH_SHARE) * share))
    own = slice(len(thresholds), len(thresholds) + len(effects) - 1)
    covariance = _covariance(np.asarray(np.linalg.pinv(curvature, hermitian=True)[own, own], dtype=np.float64))
    deviations = np.where(log_sd > LEAST_LOG_SD, np.exp(log_sd), 0.0)
    return OrdinalModel(
        kind=kind,
        categories=data.categories,
        conditions=data.conditions,
        log_likelihood=-float(found.fun),
        thresholds=thresholds,
        effects=effects,
        covariance=covariance,
        deviations=dict(zip(COMPONENTS[kind], deviations.tolist(), strict=True)),
    )


def _covariance(found: Floats) -> Floats:
    """Of the effects of all conditions, the first of which is 0."""
    variances = np.diag(found)
    if not ((variances > 0) & (variances < LARGEST_SE**2)).all():
        raise AppError(
            "model.ordinal_apart",
            422,
            _("The ordinal model cannot be fitted: conditions share too few categories, so a difference has no limit."),
        )
    return np.asarray(np.pad(found, ((1, 0), (1, 0))))


class _Votes(NamedTuple):
    """Of each vote, at one predictor: its log chance, and the logistic distribution at its upper and lower limit."""

    log_chance: Floats
    upper: Floats
    lower: Floats

    @property
    def slope(self) -> Floats:
        """Of the log chance by the predictor."""
        return self.upper + self.lower - 1

    @property
    def densities(self) -> tuple[Floats, Floats]:
        """At the upper and the lower limit; their sum is minus the curvature of the log chance."""
        return self.upper * (1 - self.upper), self.lower * (1 - self.lower)

    @property
    def weight(self) -> Floats:
        upper, lower = self.densities
        return upper + lower


def _reject_few(votes: pd.DataFrame, needed: int) -> None:
    listeners, items = (int(votes[name].nunique()) for name in (LISTENER, ITEM))
    if len(votes) < needed or min(listeners, items) < 2:
        raise AppError(
            "model.ordinal_too_few",
            422,
            _(
                "The ordinal model of these votes needs at least two listeners, two items and {needed} votes; there "
                "are {listeners}, {items} and {votes}."
            ),
            needed=needed,
            listeners=listeners,
            items=items,
            votes=len(votes),
        )


@dataclass
class _Data:
    categories: tuple[float, ...]
    conditions: tuple[Any, ...]
    category: Integers
    condition: Integers
    levels: list[Integers]  # of each random effect, one for each vote, as places in the vector of all effects
    sizes: list[int]
    starts: list[int] = field(init=False)  # the first place of each random effect
    random: Floats = field(init=False)  # standardised random effects of the last evaluation, from which the next begins

    def __post_init__(self) -> None:
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(int).tolist()
        self.random = np.zeros(sum(self.sizes))

    @classmethod
    def of(cls, votes: pd.DataFrame, kind: Kind) -> _Data:
        known = votes[np.isfinite(votes["score"].to_numpy(np.float64))]
        category, categories = pd.factorize(known["score"], sort=True)
        condition, conditions = pd.factorize(known["condition"], sort=True)
        if len(categories) < 2 or not len(conditions):
            raise AppError(
                "model.one_category",
                422,
                _("The ordinal model needs votes in at least two categories; there are {categories}."),
                categories=len(categories),
            )
        _reject_few(known, LEAST_VOTES * (len(categories) + len(conditions) - 2 + len(COMPONENTS[kind])))
        codes = {name: pd.factorize(known[name], sort=True)[0].astype(np.int64) for name in (LISTENER, ITEM)}
        for name, of in ((LISTENER_CONDITION, LISTENER), (ITEM_CONDITION, ITEM)):
            codes[name] = np.unique(codes[of] * len(conditions) + condition, return_inverse=True)[1].astype(np.int64)
        chosen = [codes[name] for name in COMPONENTS[kind]]
        sizes = [int(each.max()) + 1 for each in chosen]
        if sum(sizes) > MOST_LEVELS:
            raise AppError(
                TOO_LARGE,
                422,
                _("The ordinal model can have up to {most} random effects; these votes would need {levels}."),
                most=MOST_LEVELS,
                levels=sum(sizes),
            )
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        levels = [each + int(at) for each, at in zip(chosen, starts, strict=True)]
        names = tuple(float(each) for each in categories)
        return cls(names, tuple(conditions), category.astype(np.int64), condition.astype(np.int64), levels, sizes)

    def start(self) -> Floats:
        """Thresholds at the shares of categories, no effect of conditions, deviations of a half."""
        shares = np.cumsum(np.bincount(self.category))[:-1] / len(self.category)
        thresholds = np.log(shares / (1 - shares))
        gaps = np.log(np.diff(thresholds))
        effects = np.zeros(len(self.conditions) - 1)
        return np.concatenate([thresholds[:1], gaps, effects, np.full(len(self.sizes), math.log(0.5))])

    def parts(self, at: Floats) -> tuple[Floats, Floats, Floats]:
        """Thresholds, which are stored as the first and logs of the gaps; effects; logs of deviations."""
        k, last = len(self.categories) - 1, len(at) - len(self.sizes)
        thresholds = np.cumsum(np.concatenate([at[:1], np.exp(at[1:k])]))
        return thresholds, np.concatenate([[0.0], at[k:last]]), at[last:]

    def criterion(self, at: Floats) -> tuple[float, Floats]:
        """Minus the log-likelihood, random effects integrated out by Laplace's approximation, and its gradient."""
        thresholds, effects, log_sd = self.parts(at)
        bounds = np.concatenate([[-np.inf], thresholds, [np.inf]])
        scale = np.repeat(np.exp(np.clip(log_sd, 2 * LEAST_LOG_SD, LARGEST_LOG_SD)), self.sizes)
        fixed = effects[self.condition]
        random, value = self.random, math.inf
        for _step in range(NEWTON_STEPS):
            votes = self._votes(bounds, fixed, scale, random)
            value = float(-votes.log_chance.sum() + random @ random / 2)
            gradient = scale * self._sums(votes.slope) - random
            factor = cho_factor(self._information(votes.weight, scale), lower=True, check_finite=False)
            change = cho_solve(factor, gradient, check_finite=False)
            if np.abs(change).max() < NEWTON_CLOSE:
                break
            random = self._along(bounds, fixed, scale, random, change, value)
        self.random = random
        return value + float(np.log(np.diag(factor[0])).sum()), self._gradient(at, votes, scale, factor)

    def _along(
        self, bounds: Floats, fixed: Floats, scale: Floats, random: Floats, change: Floats, value: float
    ) -> Floats:
        """A Newton step, halved until the penalised likelihood does not fall."""
        for _halving in range(20):
            tried = random + change
            if -self._votes(bounds, fixed, scale, tried).log_chance.sum() + tried @ tried / 2 <= value + 1e-9:
                return tried
            change = change / 2
        return random

    def _votes(self, bounds: Floats, fixed: Floats, scale: Floats, random: Floats) -> _Votes:
        predictor = fixed + self._by_vote(scale * random)
        upper, lower = expit(bounds[self.category + 1] - predictor), expit(bounds[self.category] - predictor)
        return _Votes(np.log(np.maximum(upper - lower, LEAST_CHANCE)), upper, lower)

    def _by_vote(self, effects: Floats) -> Floats:
        """The sum of the effects that each vote has."""
        return sum((effects[each] for each in self.levels), start=np.zeros(len(self.category)))

    def _sums(self, values: Floats) -> Floats:
        """The sum of the votes that each effect has."""
        sums = [
            np.bincount(each - start, weights=values, minlength=size)
            for each, start, size in zip(self.levels, self.starts, self.sizes, strict=True)
        ]
        return np.concatenate(sums)

    def _information(self, weight: Floats, scale: Floats) -> Floats:
        """Of the standardised random effects: I + S Z'WZ S."""
        q = sum(self.sizes)
        matrix = np.empty((q, q))
        places = list(zip(self.levels, self.starts, self.sizes, strict=True))
        for row, (one, start, size) in enumerate(places):
            for other, other_start, other_size in places[: row + 1]:
                codes = (one - start) * other_size + other - other_start
                block = np.bincount(codes, weights=weight, minlength=size * other_size).reshape(size, other_size)
                matrix[start : start + size, other_start : other_start + other_size] = block
                matrix[other_start : other_start + other_size, start : start + size] = block.T
        matrix *= scale[:, None]
        matrix *= scale[None, :]
        matrix[np.diag_indices(q)] += 1.0
        return matrix

    def _gradient(self, at: Floats, votes: _Votes, scale: Floats, factor: tuple[Floats, bool]) -> Floats:
        """By all parameters: docs/methods/ordinal-model.md. The best random effects move with them."""
        inverse = cho_solve(factor, np.eye(len(scale)), check_finite=False)
        spread = inverse * scale[:, None] * scale[None, :]
        # The variance of each vote's predictor, given all votes.
        variance = sum(
            (spread[one, other] for one in self.levels for other in self.levels), start=np.zeros(len(self.category))
        )
        upper, lower = votes.densities
        bend_upper, bend_lower = upper * (1 - 2 * votes.upper), lower * (1 - 2 * votes.lower)
        moved = inverse @ (scale * self._sums(-variance * (bend_upper + bend_lower) / 2))
        shift = self._by_vote(scale * moved)
        # By the upper and the lower limit of each vote; the predictor moves both the other way.
        chance = np.maximum(votes.upper - votes.lower, LEAST_CHANCE)
        by_upper = -upper / chance + variance * bend_upper / 2 + shift * upper
        by_lower = lower / chance + variance * bend_lower / 2 + shift * lower
        by_predictor = -(by_upper + by_lower)
        k, last = len(self.categories) - 1, len(at) - len(self.sizes)
        by_threshold = (
            np.bincount(self.category, weights=by_upper, minlength=k + 1)[:k]
            + np.bincount(self.category, weights=by_lower, minlength=k + 1)[1:]
        )
        above = np.cumsum(by_threshold[::-1])[::-1]
        by_effect = np.bincount(self.condition, weights=by_predictor, minlength=len(self.conditions))[1:]
        by_level = scale * self.random * self._sums(by_predictor) + 1 - np.diag(inverse) + moved * self.random
        by_log_sd = np.add.reduceat(by_level, self.starts)
        clipped = (at[last:] < 2 * LEAST_LOG_SD) | (at[last:] > LARGEST_LOG_SD)
        gaps = above[1:] * np.exp(at[1:k])
        return np.concatenate([above[:1], gaps, by_effect, np.where(clipped, 0.0, by_log_sd)])


def _curvature(data: _Data, at: Floats, free: npt.NDArray[np.bool_], tell: Callable[[float], None]) -> Floats:
    """Second derivatives by central differences of the gradient; parameters that are not free have none."""
    places = np.flatnonzero(free)
    steps = STEP * np.eye(len(at))
    found = np.zeros((len(at), len(at)))
    for done, place in enumerate(places):
        tell(done / len(places))
        ahead, behind = data.criterion(at + steps[place])[1], data.criterion(at - steps[place])[1]
        found[place] = np.where(free, (ahead - behind) / (2 * STEP), 0.0)
    return (found + found.T) / 2
