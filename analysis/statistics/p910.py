"""Bias and inconsistency of listeners after ITU-T P.910 and P.913, with quality estimates that allow for both.

A vote is the quality of its stimulus, plus the bias of its listener, plus an error as large as that listener is
inconsistent. All three are estimated together by alternating projection; consistent listeners weigh more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtri

from analysis.statistics.estimates import CONFIDENCE, Floats, Integers, connected_parts

Method = Literal["weighted", "bias_removed"]

STEP = 1e-8  # between two rounds in the norm of all qualities, below which they are taken as final
SMALLEST_WEIGHT_DIVISOR = 1e-8  # added to squared inconsistencies, as in the Recommendation's example program
MOST_ROUNDS = 1000
COLLAPSED = 1e-3  # inconsistency, in points: nobody repeats themselves so exactly
MOST_WEIGHT = 0.5  # of one listener, of the sum over all


class Bias(NamedTuple):
    """One value for each listener, one quality for each stimulus."""

    bias: Floats
    inconsistency: Floats
    quality: Floats


@dataclass(frozen=True)
class ListenerModel:
    method: Method  # what the figures are: bias_removed where the weighted estimate collapsed
    bias: Floats
    inconsistency: Floats  # standard deviation of a listener's errors, divisor n
    quality: Floats  # of each stimulus
    half_width: Floats  # of the 95 % interval of each quality
    collapsed: tuple[int, ...]  # listeners to whom the weighted estimate gave all the weight
    groups: int  # of listeners without a stimulus in common; bias is known within each alone
    rounds: int


def listener_model(listener: Integers, stimulus: Integers, score: Floats) -> ListenerModel:
    """Fit votes with their listener's and stimulus's code, each from 0 without gaps; repeated votes are allowed.

    With few votes a stimulus the likelihood has no maximum: one listener's inconsistency runs to 0, and the qualities
    become this person's votes. Then nothing weighted is given; the figures are those of P.913's removal of bias, in
    which every listener weighs the same.
    """
    votes = _Votes(listener, stimulus, score)
    start = votes.bias_removed()
    found, rounds = votes.weighted(start)
    collapsed = _collapsed(found.inconsistency)
    kept = start if collapsed else found
    groups, group_of_listener, group_of_stimulus = votes.groups()
    bias, quality = _centred(kept, groups, group_of_listener, group_of_stimulus)
    return ListenerModel(
        method="bias_removed" if collapsed else "weighted",
        bias=bias,
        inconsistency=kept.inconsistency,
        quality=quality,
        half_width=votes.half_width(kept),
        collapsed=collapsed,
        groups=groups,
        rounds=rounds,
    )


class _Votes:
    def __init__(self, listener: Integers, stimulus: Integers, score: Floats) -> None:
        self.listener, self.stimulus, self.score = listener, stimulus, score
        self.by_listener = np.bincount(listener)
        self.by_stimulus = np.bincount(stimulus)

    def bias_removed(self) -> Bias:
        quality = np.bincount(self.stimulus, weights=self.score) / self.by_stimulus
        bias = self._bias(quality)
        return Bias(bias, self._inconsistency(bias, quality), quality)

    def weighted(self, start: Bias) -> tuple[Bias, int]:
        bias, inconsistency, quality = start
        rounds, step = 0, math.inf
        while step >= STEP and rounds < MOST_ROUNDS:
            inconsistency = self._inconsistency(bias, quality)
            weight = (1 / (inconsistency**2 + SMALLEST_WEIGHT_DIVISOR))[self.listener]
            total = np.bincount(self.stimulus, weights=weight)
            before = quality
            quality = np.bincount(self.stimulus, weights=weight * (self.score - bias[self.listener])) / total
            bias = self._bias(quality)
            rounds, step = rounds + 1, float(np.linalg.norm(quality - before))
        return Bias(bias, inconsistency, quality), rounds

    def half_width(self, found: Bias) -> Floats:
        """1.96 standard errors: the spread of a stimulus's errors, divisor n, over the root of its votes."""
        left = self._left(found.bias, found.quality)
        mean = np.bincount(self.stimulus, weights=left) / self.by_stimulus
        variance = np.bincount(self.stimulus, weights=(left - mean[self.stimulus]) ** 2) / self.by_stimulus
        half = float(ndtri(0.5 + CONFIDENCE / 2)) * np.sqrt(variance / self.by_stimulus)
        return np.asarray(np.where(self.by_stimulus > 1, half, math.nan))

    def groups(self) -> tuple[int, Integers, Integers]:
        """Parts of the table that no vote joins: their number, and that of each listener and stimulus."""
        listeners, stimuli = connected_parts(self.listener, self.stimulus)
        return int(listeners.max()) + 1, listeners, stimuli

    def _left(self, bias: Floats, quality: Floats) -> Floats:
        return np.asarray(self.score - quality[self.stimulus] - bias[self.listener])

    def _bias(self, quality: Floats) -> Floats:
        return np.asarray(np.bincount(self.listener, weights=self.score - quality[self.stimulus]) / self.by_listener)

    def _inconsistency(self, bias: Floats, quality: Floats) -> Floats:
        """The errors of a listener have mean 0, since their mean is the bias."""
        left = self._left(bias, quality)
        return np.asarray(np.sqrt(np.bincount(self.listener, weights=left**2) / self.by_listener))


def _collapsed(inconsistency: Floats) -> tuple[int, ...]:
    if len(inconsistency) < 2:
        return ()
    weight = 1 / (inconsistency**2 + SMALLEST_WEIGHT_DIVISOR)
    alone = weight > MOST_WEIGHT * weight.sum() if len(inconsistency) > 2 else np.zeros(len(weight), dtype=bool)
    return tuple(np.flatnonzero((inconsistency < COLLAPSED) | alone).tolist())


def _centred(
    found: Bias, groups: int, group_of_listener: Integers, group_of_stimulus: Integers
) -> tuple[Floats, Floats]:
    """Biases that add up to 0 in each group of listeners; what they had in common goes into the qualities."""
    sums = np.bincount(group_of_listener, weights=found.bias, minlength=groups)
    shift = sums / np.bincount(group_of_listener, minlength=groups)
    return found.bias - shift[group_of_listener], found.quality + shift[group_of_stimulus]
