"""Inference on placements: mixed model of each axis, both axes at once, families at equal z, bootstrap over raters."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any

import numpy as np
from scipy.special import stdtr

from analysis.statistics.estimates import CONFIDENCE, Estimate, Floats, figure
from analysis.statistics.mixed_model import MixedModel, fit_mixed_model
from analysis.statistics.model_rows import model_rows, votes_of
from analysis.statistics.multivariate import paired_hotelling, permanova_within
from analysis.statistics.ranks import holm
from core.errors import AppError
from protocols.tcsd_plane.analysis.placements import AXES, Placements

Rows = list[dict[str, Any]]
SEED = 0  # fixed, so that the same marks give the same figures
DRAWS = 2000
PAIRED_CONDITIONS = 30  # with more of them, pairs within each recording would be thousands of rows


def models(placements: Placements) -> dict[str, Rows]:
    """On each axis: raters and recordings random, each also by condition."""
    return model_rows(_votes(placements))


def _votes(placements: Placements) -> dict[str, Any]:
    names = placements.raters, placements.recordings, placements.conditions
    return {scale: votes_of(placements.marks[axis], *names) for axis, scale in enumerate(AXES)}


def both_axes(placements: Placements) -> Rows:
    """Whether conditions differ on the plane at all: rater means, conditions permuted within each rater."""
    means = placements.rater_means().transpose(1, 2, 0)
    if means.shape[1] < 2:
        return []
    found = permanova_within(means, np.random.default_rng(SEED))
    return [
        {
            "n_raters": found.blocks,
            "f": figure(found.f),
            "df": found.df,
            "df_error": found.df_error,
            "r2": figure(found.r2),
            "p": figure(found.p),
            "permutations": found.permutations,
        }
    ]


def pairs_on_plane(placements: Placements) -> Rows:
    """Every pair, both ways round, by a paired Hotelling test of rater means; Holm is over all pairs."""
    means = placements.rater_means().transpose(1, 2, 0)
    between = list(combinations(range(len(placements.conditions)), 2))
    tested = [paired_hotelling(means[:, one] - means[:, other]) for one, other in between]
    adjusted: list[float] = holm(np.array([test.p for test in tested])).tolist() if tested else []
    rows: Rows = []
    for (one, other), test, p_holm in zip(between, tested, adjusted, strict=True):
        difference = np.nanmean(means[:, one] - means[:, other], axis=0) if test.n else np.full(2, np.nan)
        for first, second, sign in ((one, other, 1.0), (other, one, -1.0)):
            tc, sd = (sign * difference).tolist()
            rows.append(
                {
                    "condition": placements.conditions[first],
                    "against": placements.conditions[second],
                    "n_raters": test.n,
                    "tc": figure(tc),
                    "sd": figure(sd),
                    "distance": figure(math.hypot(tc, sd)),
                    "t2": figure(test.t2),
                    "f": figure(test.f),
                    "df_error": test.df_error,
                    "p": figure(test.p),
                    "p_holm": figure(p_holm),
                }
            )
    return rows


def recording_effects(placements: Placements) -> Rows:
    """Every pair within each recording, both ways round, on each axis: a paired t test over raters.

    It speaks of other raters on that recording. Holm is over both axes and all pairs of a recording.
    """
    between = list(combinations(range(len(placements.conditions)), 2))
    if len(placements.conditions) > PAIRED_CONDITIONS:
        return []
    rows: Rows = []
    for place, recording in enumerate(placements.recordings):
        marks = placements.marks[:, :, place]
        tested = [
            (scale, one, other, Estimate.over(marks[axis, :, one] - marks[axis, :, other]))
            for axis, scale in enumerate(AXES)
            for one, other in between
        ]
        p = np.array([_paired_p(found) for *_about, found in tested])
        adjusted = holm(p).tolist() if tested else []
        for (scale, one, other, found), own_p, p_holm in zip(tested, p.tolist(), adjusted, strict=True):
            if not found.n:
                continue
            for first, second, sign in ((one, other, 1.0), (other, one, -1.0)):
                turned = found._replace(mean=sign * found.mean)
                rows.append(
                    {
                        "recording": recording,
                        "condition": placements.conditions[first],
                        "against": placements.conditions[second],
                        "scale": scale,
                        "n_raters": found.n,
                        "difference": figure(turned.mean),
                        **turned.interval(),
                        "p": figure(own_p),
                        "p_holm": figure(p_holm),
                    }
                )
    return rows


def _paired_p(found: Estimate) -> float:
    """Of a t test whether a mean is 0; nan where all values are the same."""
    if found.n < 2 or not found.sd > 0:
        return math.nan
    return float(2 * stdtr(found.n - 1, -abs(found.mean) * math.sqrt(found.n) / found.sd))


def families_at_equal_z(placements: Placements) -> Rows:
    """Each family less another one at every z that both have, and on average over these, by the model of each axis.

    A row without z is the average. Holm is over both axes and all z of two families, and of the averages by themselves.
    """
    fitted = {scale: _fitted(votes) for scale, votes in _votes(placements).items()}
    rows: Rows = []
    for (family, own), (other, theirs) in permutations(_by_z(placements).items(), 2):
        shared = sorted(own.keys() & theirs.keys())
        if not shared:
            continue
        found = [
            row
            for scale, model in fitted.items()
            if model is not None
            for row in _at_equal_z(model, scale, [(z, own[z], theirs[z]) for z in shared])
        ]
        for averaged in (False, True):
            chosen = [row for row in found if (row["z"] is None) == averaged]
            p = np.array([math.nan if row["p"] is None else row["p"] for row in chosen])
            for row, adjusted in zip(chosen, holm(p).tolist() if chosen else [], strict=True):
                row["p_holm"] = figure(adjusted)
        rows += [{"family": family, "other": other, **row} for row in found]
    return rows


def _by_z(placements: Placements) -> dict[str, dict[float, str]]:
    """Conditions by family and z; of several with the same, the first."""
    found: dict[str, dict[float, str]] = {}
    for name in placements.conditions:
        if setting := placements.settings.get(name):
            found.setdefault(setting.family, {}).setdefault(setting.z, name)
    return dict(sorted(found.items()))


def _fitted(votes: Any) -> MixedModel | None:
    try:
        return fit_mixed_model(votes)
    except AppError:  # the warnings of `models` say why
        return None


def _at_equal_z(model: MixedModel, scale: str, shared: list[tuple[float, str, str]]) -> Iterator[dict[str, Any]]:
    names = [str(name) for name in model.conditions]
    unit = np.eye(len(names))
    weights = [unit[names.index(one)] - unit[names.index(other)] for _, one, other in shared]
    labels: list[float | None] = [z for z, _, _ in shared]
    if len(shared) > 1:
        weights, labels = [*weights, np.mean(weights, axis=0)], [*labels, None]
    found = model.combine(np.array(weights))
    half = found.half_width()
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(found.df, -np.abs(np.where(found.se > 0, found.estimate / found.se, np.nan)))
    columns = (found.estimate, found.estimate - half, found.estimate + half, found.se, found.df, p)
    keys = ("difference", "ci_low", "ci_high", "se", "df", "p")
    for z, *values in zip(labels, *(column.tolist() for column in columns), strict=True):
        yield {"scale": scale, "z": z, **{key: figure(value) for key, value in zip(keys, values, strict=True)}}


def bootstrap_means(values: Floats) -> Floats:
    """Draw x axis x ...: the mean over raters of axis x rater x ..., of those with a value, raters drawn anew."""
    raters = values.shape[1]
    drawn = np.random.default_rng(SEED).integers(0, raters, (DRAWS, raters))
    times = np.stack([np.bincount(draw, minlength=raters) for draw in drawn])
    known = np.isfinite(values)
    total = np.tensordot(times, np.where(known, values, 0.0), axes=(1, 1))
    count = np.tensordot(times, known, axes=(1, 1))
    return np.where((count > 0) & (raters > 1), total / np.maximum(count, 1), np.nan)


def percentile_limits(drawn: Floats) -> tuple[Floats, Floats]:
    """95 % limits of what was drawn again and again, nan where it has no value."""
    tail = (1 - CONFIDENCE) / 2
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # all nan
        low, high = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    return low, high
