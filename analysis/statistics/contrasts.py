"""Differences between the conditions of a mixed model: all pairs or to a reference, equivalence, compact letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from string import ascii_letters
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from analysis.statistics.estimates import Floats
from analysis.statistics.mixed_model import MixedModel
from analysis.statistics.ranks import holm
from core.errors import AppError
from core.i18n import gettext_noop as _

ALPHA = 0.05


class Contrast(NamedTuple):
    """The mean of a less that of b, with its 95 % interval; nan stands for what is not known."""

    a: Any
    b: Any
    estimate: float
    se: float
    df: float
    low: float
    high: float
    t: float
    p: float  # two-sided
    p_holm: float  # adjusted for the contrasts that were asked for together


class Equivalence(NamedTuple):
    """Two one-sided tests: that a difference is above -margin, and that it is below the margin."""

    margin: float
    p_above: float
    p_below: float
    p: float  # the larger of both
    low: float  # of the 90 % interval, which lies within the margins exactly if p is below 5 %
    high: float


def unknown_condition(name: Any, known: Iterable[Any]) -> AppError:
    return AppError(
        "model.unknown_condition",
        422,
        _("There is no condition called '{name}' among the votes. Known: {known}."),
        name=str(name)[:80],
        known=", ".join(map(str, known)),
    )


def no_margin(margin: float) -> AppError:
    return AppError(
        "model.margin",
        422,
        _("A margin of equivalence is a difference above 0, such as 0.2 points; {margin} is not."),
        margin=margin,
    )


def all_pairs(model: MixedModel) -> list[Contrast]:
    return _contrasts(model, list(combinations(range(len(model.conditions)), 2)))


def to_reference(model: MixedModel, reference: Any) -> list[Contrast]:
    """Every other condition less the reference."""
    if reference not in model.conditions:
        raise unknown_condition(reference, model.conditions)
    place = model.conditions.index(reference)
    return _contrasts(model, [(other, place) for other in range(len(model.conditions)) if other != place])


def _contrasts(model: MixedModel, pairs: Sequence[tuple[int, int]]) -> list[Contrast]:
    if not pairs:
        return []
    first, second = np.array(pairs).T
    unit = np.eye(len(model.conditions))
    found = model.combine(unit[first] - unit[second])
    half = found.half_width()
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(found.se > 0, found.estimate / found.se, np.nan)
    p = 2 * stdtr(found.df, -np.abs(t))
    columns: tuple[Floats, ...] = (*found, found.estimate - half, found.estimate + half, t, p, holm(p))
    rows = zip(*(column.tolist() for column in columns), strict=True)
    names = model.conditions
    return [Contrast(names[a], names[b], *row) for (a, b), row in zip(pairs, rows, strict=True)]


def equivalence(contrast: Contrast, *, margin: float) -> Equivalence:
    """Whether a difference is smaller than a margin in both directions: Schuirmann's (1987) two one-sided tests."""
    if not margin > 0:
        raise no_margin(margin)
    if not contrast.se > 0:
        return Equivalence(margin, *[float("nan")] * 5)
    p_above = float(stdtr(contrast.df, -(contrast.estimate + margin) / contrast.se))
    p_below = float(stdtr(contrast.df, (contrast.estimate - margin) / contrast.se))
    return Equivalence(margin, p_above, p_below, max(p_above, p_below), *within_limits(contrast))


def within_limits(contrast: Contrast) -> tuple[float, float]:
    """The 90 % interval: two one-sided tests at 5 % find equivalence for every margin that it lies within."""
    half = float(stdtrit(contrast.df, 1 - ALPHA)) * contrast.se
    return contrast.estimate - half, contrast.estimate + half


def compact_letters(names: Sequence[Any], different: Iterable[tuple[Any, Any]]) -> dict[Any, str]:
    """Letters such that two names share one exactly if they are not different; names in the order of their means.

    By insertion and absorption: Piepho (2004), Journal of Computational and Graphical Statistics 13(2).
    """
    columns = [frozenset(range(len(names)))] if names else []
    places = {name: place for place, name in enumerate(names)}
    for pair in different:
        first, second = (places[name] for name in pair)
        split = [column for column in columns if {first, second} <= column]
        parts = [column - {gone} for column in split for gone in (first, second)]
        columns = _absorbed([column for column in columns if column not in split] + parts)
    ordered = sorted(columns, key=sorted)
    return {
        name: "".join(_letter(number) for number, column in enumerate(ordered) if place in column)
        for name, place in places.items()
    }


def _absorbed(columns: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """Without columns that are part of another."""
    unique = list(dict.fromkeys(columns))
    return [column for column in unique if not any(column < other for other in unique)]


def _letter(number: int) -> str:
    return ascii_letters[number] if number < len(ascii_letters) else f"({number + 1})"


def letters_of(model: MixedModel, contrasts: Iterable[Contrast]) -> dict[Any, str]:
    """Compact letters of a model's conditions, highest mean first; different is what Holm leaves below 5 %."""
    order = np.argsort(-model.estimates, kind="stable")
    names = [model.conditions[place] for place in order]
    return compact_letters(names, [(each.a, each.b) for each in contrasts if each.p_holm < ALPHA])
