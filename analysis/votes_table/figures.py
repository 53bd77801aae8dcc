"""Figures of a table of votes: conditions, mixed model, tests, agreement, screening and listeners, scale by scale.

The keys are documented in docs/methods/any-table.md and stay as they are; what is not known is None.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from scipy.special import ndtri

from analysis.statistics.agreement import concordance
from analysis.statistics.bootstrap import ROUNDS, two_way_bootstrap
from analysis.statistics.categories import bounded_mean
from analysis.statistics.contrasts import no_margin, unknown_condition
from analysis.statistics.estimates import CONFIDENCE, Estimate, Floats, figure
from analysis.statistics.medians import median_of
from analysis.statistics.mixed_model import ITEM, LISTENER, Dropped, Kind
from analysis.statistics.ordinal_model import ordinal_record
from analysis.statistics.p910 import listener_model
from analysis.statistics.scale_record import model_record, scale_record
from analysis.statistics.screening import (
    bs1534_mid_anchor,
    bs1534_reference,
    bt500,
    low_variance,
    p808_correlation,
    p913_correlation,
)
from analysis.votes_table.reading import BETWEEN, PERCENT, Range, VotesTable
from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _

CiMethod = Literal["t", "normal", "bounded", "bootstrap"]
CI_METHODS: tuple[CiMethod, ...] = get_args(CiMethod)

FORMAT = 1  # of the keys; a change that breaks a reader gets the next number
FEW_LISTENERS = 8
FEW_OF_THE_USUAL = 0.5  # of the median number of votes, below which a listener is named as incomplete
AT_AN_END = 0.4  # share of a condition's votes at one end of the scale
UNKNOWN: list[float | None] = [None, None]


@dataclass(frozen=True)
class Options:
    model: Kind = "full"
    ci_method: CiMethod = "t"
    model_factors: tuple[str, ...] = ()  # columns that are fixed effects of the model
    seed: int = 0  # of the bootstrap
    ordinal: bool = False  # whether the ordinal model is fitted as well
    reference: str = ""  # the condition to which differences are told apart from all pairs
    margin: float | None = None  # of equivalence, in points

    @property
    def of_model(self) -> dict[str, Any]:
        return {
            "kind": self.model,
            "factors": self.model_factors,
            "reference": self.reference or None,
            "margin": self.margin,
        }


def analyse(table: VotesTable, options: Options, *, content: bytes, whole: VotesTable | None = None) -> dict[str, Any]:
    """All figures; with `whole`, the table before listeners were excluded, also those with everybody."""
    _check_factors(table, options)
    _check_differences(table, options)
    found: dict[str, Any] = {
        "format": FORMAT,
        "file": {"name": table.name, "sha256": hashlib.sha256(content).hexdigest()},
        "options": {
            "model": options.model,
            "ci_method": options.ci_method,
            "model_factors": list(options.model_factors),
            "seed": options.seed,
            "ordinal": options.ordinal,
            "reference": options.reference or None,
            "margin": options.margin,
        },
        "counts": {
            "votes": len(table.votes),
            "listeners": int(table.votes["listener"].nunique()),
            "items": int(table.votes["item"].nunique()),
            "conditions": int(table.votes["condition"].nunique()),
        },
        "excluded": list(table.excluded),
        "not_counted": dict(table.not_counted),
        "factors": list(table.factors),
        "columns_not_used": list(table.not_factors),
        "warnings": [],
        "scales": {},
    }
    for scale, votes in _by_scale(table.votes):
        found["scales"][scale] = _scale(votes, scale, table, options)
        found["warnings"] += found["scales"][scale]["warnings"]
    if whole is not None and table.excluded:
        found["with_excluded"] = {
            "scales": {
                scale: _with_everybody(votes, whole.ranges[scale], options) for scale, votes in _by_scale(whole.votes)
            }
        }
    return found


def _by_scale(votes: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [(str(scale), part.reset_index(drop=True)) for scale, part in votes.groupby("scale", sort=True)]


def _check_factors(table: VotesTable, options: Options) -> None:
    unknown = [name for name in options.model_factors if name not in table.factors]
    if unknown:
        raise AppError(
            "votes.factor_unknown",
            422,
            _("'{name}' is no factor of '{file}': a column with 2 to 30 different values. Known: {known}."),
            name=unknown[0],
            file=table.name,
            known=", ".join(table.factors) or "-",
        )


def _check_differences(table: VotesTable, options: Options) -> None:
    conditions = sorted(table.votes["condition"].unique())
    if options.reference and options.reference not in conditions:
        raise unknown_condition(options.reference, conditions)
    if options.margin is not None and not 0 < options.margin < math.inf:
        raise no_margin(options.margin)


def _scale(votes: pd.DataFrame, scale: str, table: VotesTable, options: Options) -> dict[str, Any]:
    limits = table.ranges[scale]
    record = scale_record(votes, low=limits.low, high=limits.high, **options.of_model)
    ordinal = {"ordinal": ordinal_record(votes, kind=options.model)} if options.ordinal else {}
    stimuli = votes["item"].str.cat(votes["condition"], sep=BETWEEN)
    by_stimulus = votes["score"].groupby(stimuli)
    found = {
        "range": {"low": limits.low, "high": limits.high, "source": limits.source},
        "n_votes": len(votes),
        "n_listeners": int(votes["listener"].nunique()),
        "n_items": int(votes["item"].nunique()),
        "conditions": _conditions(votes, record["model"], limits, options),
        **ordinal,
        "model": record["model"],
        "items": _items(by_stimulus),
        "factors": {name: _factor(votes, name) for name in table.factors},
        "tests": record["tests"],
        "agreement": record["agreement"],
        "sos_a": record["sos_a"],
        "screening": _screening(votes, stimuli, limits),
        "p910": _p910(votes, stimuli),
        "repeats": _repeats(votes, stimuli),
        "incomplete": _incomplete(votes, record["tests"]["listeners_left_out"]),
    }
    return found | {"warnings": _warnings(scale, found, votes, limits)}


# Conditions


def _with_everybody(votes: pd.DataFrame, limits: Range, options: Options) -> dict[str, Any]:
    model = model_record(votes, **options.of_model)
    return {"conditions": _conditions(votes, model, limits, options), "model": model}


def _conditions(votes: pd.DataFrame, model: Mapping[str, Any], limits: Range, options: Options) -> dict[str, Any]:
    mixed = {condition: mean["ci95"] for condition, mean in model["means"].items()}
    drawn = (
        two_way_bootstrap(votes, np.random.default_rng(options.seed), rounds=ROUNDS).means
        if options.ci_method == "bootstrap"
        else {}
    )
    stray = _stray(votes)
    found = {}
    for condition, part in votes.groupby("condition", sort=True):
        score = part["score"].to_numpy(np.float64)
        people = part.groupby("listener")["score"].mean()
        counted = people[~people.index.isin(stray)].to_numpy(np.float64)
        over = {
            "votes": score,
            "listeners": counted,
            "items": part.groupby("item")["score"].mean().to_numpy(np.float64),
        }
        ci95 = {unit: _interval(values, options.ci_method) for unit, values in over.items()}
        if options.ci_method == "bounded":
            ci95["votes"] = _bounded(score, limits)
        ci95["mixed"] = mixed.get(str(condition), UNKNOWN)
        if drawn:
            ci95["two_way"] = [figure(drawn[condition].low), figure(drawn[condition].high)]
        whole = Estimate.over(score)
        found[str(condition)] = {
            "n_votes": len(score),
            "n_listeners": len(people),
            "n_listeners_counted": len(counted),
            "n_items": len(over["items"]),
            "mean": figure(whole.mean),
            "sd": figure(whole.sd),
            "ci95": ci95,
            "ci95_all_listeners": _interval(people.to_numpy(np.float64), options.ci_method),
            "median": _median(part[~part["listener"].isin(stray)]),
        }
    return found


def _median(votes: pd.DataFrame) -> dict[str, Any]:
    """Of listeners' medians over items, with its exact interval; quartiles are of the same."""
    found = median_of(votes.groupby("listener")["score"].median().to_numpy(np.float64))
    return {
        "estimate": figure(found.value),
        "q1": figure(found.q1),
        "q3": figure(found.q3),
        "ci95": [figure(found.low), figure(found.high)],
    }


def _interval(values: Floats, method: CiMethod) -> list[float | None]:
    """The mean of one value a unit +/- t or 1.96 standard errors."""
    found = Estimate.over(values)
    half = found.half_width
    if method == "normal":
        half = float(ndtri(0.5 + CONFIDENCE / 2)) * found.sd / math.sqrt(found.n) if found.n > 1 else math.nan
    return [figure(found.mean - half), figure(found.mean + half)]


def _bounded(score: Floats, limits: Range) -> list[float | None]:
    whole = (*score.tolist(), limits.low, limits.high)
    if any(not each.is_integer() for each in whole):
        raise AppError(
            "votes.not_categories",
            422,
            _("A bounded interval is for whole numbers on a scale between whole numbers. Choose another interval."),
        )
    found = bounded_mean(score, lowest=round(limits.low), highest=round(limits.high))
    return [figure(found.low), figure(found.high)]


def _items(by_stimulus: Any) -> dict[str, Any]:
    table = by_stimulus.agg(["size", "mean", "std"])
    return {
        str(key): {"n": int(n), "mean": figure(mean), "sd": figure(sd)}
        for key, n, mean, sd in table.itertuples(name=None)
    }


def _factor(votes: pd.DataFrame, name: str) -> dict[str, Any]:
    """Means by level of a factor and condition; an empty cell of the table is a level of its own."""
    found: dict[str, Any] = {}
    for (level, condition), score in votes.groupby([name, "condition"], sort=True)["score"]:
        row = Estimate.over(score.to_numpy(np.float64))
        found.setdefault(str(level), {})[str(condition)] = {
            "n": row.n,
            "mean": figure(row.mean),
            "sd": figure(row.sd),
        }
    return found


# Listeners


def _matrix(votes: pd.DataFrame, columns: pd.Series[Any]) -> tuple[Floats, list[str]]:
    """Listener x column, the mean where there are several votes, and the listeners' names."""
    table = votes["score"].groupby([votes["listener"], columns]).mean().unstack()
    return table.to_numpy(np.float64), [str(name) for name in table.index]


def _screening(votes: pd.DataFrame, stimuli: pd.Series[Any], limits: Range) -> dict[str, Any]:
    presented = stimuli
    for name in ("session", "repetition"):
        if name in votes:
            presented = presented.str.cat(votes[name], sep="\n")
    marks, listeners = _matrix(votes, presented)
    literal, guarded = bt500(marks, guarded=False), bt500(marks, guarded=True)
    p913, p808, spread = p913_correlation(marks), p808_correlation(marks), low_variance(marks)
    found: dict[str, Any] = {
        "bt500": {
            "literal": _named(literal.rejected, listeners),
            "guarded": _named(guarded.rejected, listeners),
            "counts": {
                name: {"p": int(p), "q": int(q), "n": int(n)}
                for name, p, q, n in zip(listeners, guarded.above, guarded.below, guarded.votes, strict=True)
            },
        },
        "p913_correlation": _ruled(p913.rejected, listeners, p913.least, r=p913.r),
        "p808_correlation": _ruled(p808.rejected, listeners, p808.least, r=p808.r),
        "low_variance": _ruled(spread.rejected, listeners, spread.least, variance=spread.variance),
    }
    if "role" in votes and (limits.low, limits.high) == PERCENT:
        found["bs1534"] = {
            name: _post_screened(votes, role, rule)
            for name, role, rule in (
                ("reference", "reference", bs1534_reference),
                ("mid_anchor", "mid_anchor", bs1534_mid_anchor),
            )
        }
    return found


def _post_screened(votes: pd.DataFrame, role: str, rule: Any) -> list[str]:
    part = votes[votes["role"].str.casefold().str.replace("-", "_") == role]
    if not len(part):
        return []
    marks, listeners = _matrix(part, part["item"])
    return _named(rule(marks).rejected, listeners)


def _named(codes: Sequence[int], listeners: Sequence[str]) -> list[str]:
    return [listeners[code] for code in codes]


def _ruled(codes: Sequence[int], listeners: Sequence[str], least: float, **values: Floats) -> dict[str, Any]:
    by_listener = {
        name: dict(zip(listeners, map(figure, found.tolist()), strict=True)) for name, found in values.items()
    }
    return {"least": least, "rejected": _named(codes, listeners), **by_listener}


def _p910(votes: pd.DataFrame, stimuli: pd.Series[Any]) -> dict[str, Any]:
    listener, listeners = pd.factorize(votes["listener"], sort=True)
    stimulus, names = pd.factorize(stimuli, sort=True)
    found = listener_model(listener.astype(np.int64), stimulus.astype(np.int64), votes["score"].to_numpy(np.float64))
    low, high = found.quality - found.half_width, found.quality + found.half_width
    return {
        "method": found.method,
        "collapsed": bool(found.collapsed),
        "collapsed_listeners": [str(listeners[code]) for code in found.collapsed],
        "groups": found.groups,
        "bias": dict(zip(map(str, listeners), map(figure, found.bias), strict=True)),
        "inconsistency": dict(zip(map(str, listeners), map(figure, found.inconsistency), strict=True)),
        "quality": {
            str(name): {"estimate": figure(estimate), "ci95": [figure(below), figure(above)]}
            for name, estimate, below, above in zip(names, found.quality, low, high, strict=True)
        },
    }


def _repeats(votes: pd.DataFrame, stimuli: pd.Series[Any]) -> dict[str, Any]:
    """Lin's concordance of the first two votes of a listener on the same stimulus.

    In the order of their repetitions, numbers before names, or else in that of the table.
    """
    if "repetition" in votes:
        numbers = pd.to_numeric(votes["repetition"], errors="coerce")
        votes = votes.assign(number=numbers).sort_values(["number", "repetition"], kind="stable")
        stimuli = stimuli.loc[votes.index]
    place = votes.groupby([votes["listener"], stimuli]).cumcount()
    pairs = votes["score"].groupby([votes["listener"], stimuli, place]).first().unstack()
    if 1 not in pairs:
        return {"pairs": 0, "ccc": None, "ccc_ci95": UNKNOWN, "mean_absolute_difference": None}
    first, second = (pairs.loc[pairs[1].notna(), at].to_numpy(np.float64) for at in (0, 1))
    found = concordance(first, second)
    return {
        "pairs": len(first),
        "ccc": figure(found.value),
        "ccc_ci95": [figure(found.low), figure(found.high)],
        "mean_absolute_difference": figure(float(np.abs(first - second).mean())),
    }


def _incomplete(votes: pd.DataFrame, left_out: Sequence[str]) -> dict[str, Any]:
    """Listeners who lack a condition, or have fewer than half as many votes as is usual."""
    counts = votes["listener"].value_counts()
    usual = float(counts.median())
    named = sorted(_stray(votes).union(left_out))
    return {name: {"n_votes": int(counts[name]), "usual": usual} for name in named}


def _stray(votes: pd.DataFrame) -> set[str]:
    """Listeners with so few votes that they must not count as whole ones, beside those who voted on everything."""
    counts = votes["listener"].value_counts()
    return {str(name) for name, n in counts.items() if n < FEW_OF_THE_USUAL * float(counts.median())}


# What a reader has to know first


def _warnings(scale: str, found: Mapping[str, Any], votes: pd.DataFrame, limits: Range) -> list[LazyMessage]:
    return [
        *_model_warnings(scale, found),
        *_listener_warnings(scale, found),
        *_vote_warnings(scale, found, votes, limits),
    ]


def _model_warnings(scale: str, found: Mapping[str, Any]) -> Iterator[LazyMessage]:
    if found["model"]["error"]:
        reason = found["model"]["error"]["message"]
        yield LazyMessage("{scale}: no mixed model. {reason}", scale=scale, reason=reason)
    dropped = found["model"]["dropped"]
    if dropped.get(LISTENER) == Dropped.FIXED:
        yield LazyMessage(
            "{scale}: these votes do not show how listeners differ, as with a single one. Intervals of the mixed model "
            "hold for these listeners alone.",
            scale=scale,
        )
    if dropped.get(ITEM) == Dropped.FIXED:
        yield LazyMessage(
            "{scale}: these votes do not show how items differ, as with a single one. Intervals of the mixed model "
            "hold for these items alone.",
            scale=scale,
        )
    if found.get("ordinal", {}).get("fallback"):
        yield LazyMessage(
            "{scale}: these votes have too many random effects for the interactions with conditions, so only listeners "
            "and items are random in the ordinal model. Standard errors of differences are then too small for other "
            "listeners and items.",
            scale=scale,
        )
    if found["tests"]["cannot_reach"]:
        yield LazyMessage(
            "{scale}: with {count} listeners, Wilcoxon's test after Holm cannot bring any pair below 5 %, whatever the "
            "votes. A large p there says nothing.",
            scale=scale,
            count=found["tests"]["n_listeners"],
        )


def _listener_warnings(scale: str, found: Mapping[str, Any]) -> Iterator[LazyMessage]:
    if found["n_listeners"] < FEW_LISTENERS:
        yield LazyMessage("{scale}: few listeners ({count}).", scale=scale, count=found["n_listeners"])
    if found["incomplete"]:
        names = ", ".join(found["incomplete"])
        yield LazyMessage(
            "{scale}: listeners who lack a condition or have few votes: {names}.", scale=scale, names=names
        )
    stray = [name for name, row in found["incomplete"].items() if row["n_votes"] < FEW_OF_THE_USUAL * row["usual"]]
    if stray:
        yield LazyMessage(
            "{scale}: with fewer than half of the usual votes, these count neither in intervals over listeners nor in "
            "medians: {names}.",
            scale=scale,
            names=", ".join(stray),
        )
    if found["p910"]["collapsed"]:
        yield LazyMessage(
            "{scale}: the weighted estimate of P.910 rests on {names} alone and is not given; what stands there is the "
            "removal of bias of P.913.",
            scale=scale,
            names=", ".join(found["p910"]["collapsed_listeners"]),
        )


def _vote_warnings(scale: str, found: Mapping[str, Any], votes: pd.DataFrame, limits: Range) -> Iterator[LazyMessage]:
    unanimous = sum(row["n"] > 1 and row["sd"] == 0 for row in found["items"].values())
    if unanimous:
        yield LazyMessage(
            "{scale}: all votes agree on {count} of {of} stimuli; by the letter, BT.500 counts these against every "
            "listener.",
            scale=scale,
            count=unanimous,
            of=len(found["items"]),
        )
    for condition, score in votes.groupby("condition", sort=True)["score"]:
        share = max(float((score == end).mean()) for end in (limits.low, limits.high))
        if share > AT_AN_END:
            yield LazyMessage(
                "{scale}: votes on '{condition}' at one end of the scale: {percent} %.",
                scale=scale,
                percent=round(100 * share),
                condition=str(condition),
            )
