"""Variance components of a scale, by which simulated listeners answer and studies are planned; plain Python.

A vote is the mean of its condition plus what the listener, the item, listener:condition and item:condition add, and an
error. docs/methods/planning.md says where the figures come from.
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import NamedTuple


class VarianceComponents(NamedTuple):
    listener: float
    item: float
    listener_condition: float
    item_condition: float
    residual: float

    @property
    def total(self) -> float:
        """The variance of a vote within its condition."""
        return sum(self)

    @property
    def listener_share(self) -> float:
        """The part of it by which listeners differ."""
        return (self.listener + self.listener_condition) / self.total

    @property
    def of_differences(self) -> float:
        """What does not cancel in the difference of two conditions."""
        return self.listener_condition + self.item_condition + self.residual

    def times(self, factor: float) -> "VarianceComponents":
        """All of them larger by a factor of the variance."""
        return VarianceComponents(*(part * factor for part in self))

    def without(self, others: Mapping["VarianceComponents", float]) -> "VarianceComponents":
        """What is left for effects of its own where the rest comes from other scales, each with its weight."""
        inherited = [sum(weight**2 * part[place] for part, weight in others.items()) for place in range(4)]
        own = [max(mine - taken, 0.0) for mine, taken in zip(self[:4], inherited, strict=True)]
        return self._replace(**dict(zip(self._fields, own, strict=False)))

    def before_rounding(self, step: float) -> "VarianceComponents":
        """The same with the error that votes have before they are rounded to steps (Sheppard's correction)."""
        return self._replace(residual=max(self.residual - step**2 / 12, 0.0))


# Overall quality of speech from 1 to 5, which is also taken for scales of which no votes are known. Fitted by REML to
# OVRL in the votes of 10 listeners that were published with track 3 of the VoiceMOS Challenge 2024: P.835, 7
# conditions, 40 items in two panels of 20, 1,400 votes.
OVERALL_QUALITY = VarianceComponents(0.157, 0.194, 0.095, 0.125, 0.286)
POINTS = 4.0  # from one end of that scale to the other


def usual_components(low: float, high: float) -> VarianceComponents:
    """Those of overall quality, stretched to a scale with other ends."""
    return OVERALL_QUALITY.times(((high - low) / POINTS) ** 2)


class Judged(NamedTuple):
    """What is judged by whom on which scale: the names on which the effects depend."""

    scale: str
    listener: str
    item: str
    condition: str

    def effects(self, components: VarianceComponents) -> float:
        """What listener, item and both interactions add. The same names always give the same numbers."""
        levels = (
            (self.listener,),
            (self.item,),
            (self.listener, self.condition),
            (self.item, self.condition),
        )
        return sum(
            _draw(math.sqrt(variance), part, self.scale, *names)
            for part, variance, names in zip(components._fields[:4], components[:4], levels, strict=True)
        )


@lru_cache(maxsize=10_000)  # most of them are needed for every vote of a listener
def _draw(deviation: float, *names: str) -> float:
    return Random("\n".join(names)).gauss(0.0, deviation) if deviation else 0.0
