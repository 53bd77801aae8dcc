"""Record of one scale: mixed model with differences, tests on listeners' means, agreement and SOS, as JSON takes them.

What an uploaded table and an experiment's results say of a scale comes from here. Keys are documented in
docs/methods/any-table.md; what is not known is None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.statistics.agreement import Icc, interval_alpha, intraclass_correlations, ordinal_alpha
from analysis.statistics.categories import sos_a
from analysis.statistics.contrasts import (
    ALPHA,
    Contrast,
    all_pairs,
    equivalence,
    letters_of,
    to_reference,
    within_limits,
)
from analysis.statistics.estimates import Floats, figure
from analysis.statistics.listener_tests import ListenerMeans, listener_means, rank_tests, repeated_anova
from analysis.statistics.mixed_model import COMPONENTS, RESIDUAL, Kind, MixedModel, fit_mixed_model
from core.errors import AppError
from core.i18n import LazyMessage

Integers = npt.NDArray[np.int64]


class Stimuli(NamedTuple):
    """Marks of listeners on stimuli, which are items under conditions."""

    marks: Floats  # listener x stimulus, the mean where there are several votes, nan where there is none
    mean: Floats  # of all votes on a stimulus
    variance: Floats  # with divisor n; nan of a single vote, which shows no spread

    @classmethod
    def of(cls, votes: pd.DataFrame) -> Stimuli:
        listener, stimulus = _codes(votes, ["listener"]), _codes(votes, ["item", "condition"])
        score = votes["score"].to_numpy(np.float64)
        shape = int(listener.max(initial=-1)) + 1, int(stimulus.max(initial=-1)) + 1
        votes_each = np.bincount(stimulus, minlength=shape[1])
        mean = np.bincount(stimulus, weights=score, minlength=shape[1]) / votes_each
        squares = np.bincount(stimulus, weights=(score - mean[stimulus]) ** 2, minlength=shape[1])
        variance = np.where(votes_each > 1, squares / votes_each, np.nan)
        cells = listener * shape[1] + stimulus
        count = np.bincount(cells, minlength=shape[0] * shape[1])
        total = np.bincount(cells, weights=score, minlength=shape[0] * shape[1])
        with np.errstate(invalid="ignore"):
            marks = np.where(count > 0, total / np.maximum(count, 1), np.nan)
        return cls(marks.reshape(shape), np.asarray(mean), np.asarray(variance))


def scale_record(
    votes: pd.DataFrame, *, low: float, high: float, kind: Kind = "full", **of_model: Any
) -> dict[str, Any]:
    """From rows of listener, item, condition and score, on a scale from `low` to `high`; the rest is of the model."""
    means, stimuli = listener_means(votes), Stimuli.of(votes)
    return {
        "model": model_record(votes, kind=kind, **of_model),
        "tests": tests_record(means),
        "agreement": agreement_record(stimuli.marks, means.values),
        "sos_a": figure(sos_a(stimuli.mean, stimuli.variance, lowest=low, highest=high)),
    }


def model_record(
    votes: pd.DataFrame,
    *,
    kind: Kind = "full",
    factors: Sequence[str] = (),
    start: Mapping[str, float] | None = None,
    reference: str | None = None,
    margin: float | None = None,
) -> dict[str, Any]:
    """The model; where it cannot be fitted the same keys, with the reason under `error`.

    With a reference, its differences to every other condition stand apart; with a margin, each difference says whether
    it is equivalence. `start` is that of fit_mixed_model.
    """
    try:
        model = fit_mixed_model(votes, kind=kind, factors=factors, start=start)
    except AppError as error:
        return {
            "kind": kind,
            "factors": list(factors),
            "error": {"code": error.code, "message": LazyMessage(error.message, **error.data)},
            "reml_criterion": None,
            "components": dict.fromkeys((*COMPONENTS["full"], RESIDUAL)),
            "dropped": {},
            "means": {},
            "contrasts": [],
            **({} if reference is None else {"to_reference": []}),
        }
    record = _fitted(model, margin)
    if reference is not None:
        found = to_reference(model, reference) if reference in model.conditions else []
        record["to_reference"] = [_contrast(each, margin) for each in found]
    return record


def _fitted(model: MixedModel, margin: float | None) -> dict[str, Any]:
    contrasts = all_pairs(model)
    letters = letters_of(model, contrasts)
    return {
        "kind": model.kind,
        "factors": list(model.factors),
        "error": None,
        "reml_criterion": figure(model.reml_criterion),
        "components": {
            name: figure(model.components[name]) if name in model.components else None
            for name in (*COMPONENTS["full"], RESIDUAL)
        },
        "dropped": {name: str(reason) for name, reason in model.dropped.items()},
        "means": {
            str(mean.condition): {
                "estimate": figure(mean.estimate),
                "se": figure(mean.se),
                "df": figure(mean.df),
                "ci95": [figure(mean.low), figure(mean.high)],
                "letters": letters[mean.condition],
            }
            for mean in model.means()
        },
        "contrasts": [_contrast(each, margin) for each in contrasts],
    }


def _contrast(contrast: Contrast, margin: float | None) -> dict[str, Any]:
    names = ("estimate", "se", "df", "low", "high", "t", "p", "p_holm")
    return {
        "a": str(contrast.a),
        "b": str(contrast.b),
        **{name: figure(getattr(contrast, name)) for name in names},
        "ci90": [figure(limit) for limit in within_limits(contrast)],
        **({} if margin is None else {"equivalence": _equivalence(contrast, margin)}),
    }


def _equivalence(contrast: Contrast, margin: float) -> dict[str, Any]:
    p = figure(equivalence(contrast, margin=margin).p)
    return {"margin": margin, "p": p, "equivalent": None if p is None else p < ALPHA}


def tests_record(means: ListenerMeans) -> dict[str, Any]:
    ranks, anova = rank_tests(means), repeated_anova(means)
    return {
        "n_listeners": len(means.listeners),
        "listeners_left_out": [str(name) for name in means.incomplete],
        "friedman": {
            "chi2": figure(ranks.friedman.chi2),
            "df": ranks.friedman.df,
            "p": figure(ranks.friedman.p),
            "kendall_w": figure(ranks.kendall_w),
        },
        "wilcoxon_holm": [
            {
                "a": str(pair.a),
                "b": str(pair.b),
                "n": pair.n,
                "w_plus": figure(pair.w_plus),
                "p": figure(pair.p),
                "p_holm": figure(pair.p_holm),
                "d_z": figure(pair.effect.value),
                "d_z_ci95": [figure(pair.effect.low), figure(pair.effect.high)],
            }
            for pair in ranks.pairs
        ],
        "least_p_holm": figure(ranks.least_p),
        "cannot_reach": ranks.cannot_reach,
        "rm_anova": {
            "f": figure(anova.f),
            "df": anova.df,
            "df_error": anova.df_error,
            "p": figure(anova.p),
            "epsilon": figure(anova.epsilon),
            "p_corrected": figure(anova.p_corrected),
        },
    }


def agreement_record(marks: Floats, means: Floats) -> dict[str, Any]:
    """Of listener x stimulus, and of listener x condition, which are the listeners' means."""
    single, of_means = intraclass_correlations(marks), intraclass_correlations(means)
    one = single["ICC(A,1)"]
    alpha, alpha_marks = interval_alpha(marks)
    return {
        "icc_a1": figure(one.value),
        "icc_a1_ci95": [figure(one.low), figure(one.high)],
        "icc_ak": figure(single["ICC(A,k)"].value),
        "icc_targets": one.n_targets,
        "icc": _named(single),
        "conditions_icc_a1": figure(of_means["ICC(A,1)"].value),
        "conditions_icc_ak": figure(of_means["ICC(A,k)"].value),
        "conditions_icc": _named(of_means),
        "alpha_ordinal": figure(ordinal_alpha(marks)[0]),
        "alpha_interval": figure(alpha),
        "alpha_marks": alpha_marks,
    }


def _named(found: Mapping[str, Icc]) -> dict[str, Any]:
    return {
        name: {"value": figure(each.value), "ci95": [figure(each.low), figure(each.high)]}
        for name, each in found.items()
    }


def _codes(votes: pd.DataFrame, by: Sequence[str]) -> Integers:
    """One number for each combination of these columns that occurs, in their order."""
    codes = np.zeros(len(votes), dtype=np.int64)
    for name in by:
        code, names = pd.factorize(votes[name], sort=True)
        codes = codes * len(names) + code
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
