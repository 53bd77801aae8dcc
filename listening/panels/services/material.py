"""Material of a design: a collection's complete items, their factors, conditions, references and lengths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from listening.design.base import Sample, ScaleOrder
from listening.design.errors import CellsMissing, ConditionUnknown, NothingToDesign, PlannedSingly
from rating.models import Experiment
from rating.protocols.base import Entry, RatingProtocol, TrialKind
from rating.registry import get_protocol
from stimuli.intake.reports import some
from stimuli.models import Condition, Stimulus

Cell = tuple[str, str]  # item, condition


@dataclass(frozen=True)
class Material:
    """The rated part of a collection, every item under every condition, and the references apart."""

    samples: Sequence[Sample]
    conditions: Sequence[str]
    references: Sequence[Cell]
    clip_s: Mapping[Cell, float]
    scale_orders: Sequence[ScaleOrder]

    def factor_levels(self) -> dict[str, int]:
        """How many levels each factor has; a factor that some item lacks is left out."""
        levels: dict[str, set[str]] = {}
        for sample in self.samples:
            for name, level in sample.factors.items():
                levels.setdefault(name, set()).add(level)
        everywhere = [name for name in levels if all(name in sample.factors for sample in self.samples)]
        return {name: len(levels[name]) for name in sorted(everywhere)}


def material_of(experiment: Experiment, conditions: Sequence[str] = ()) -> Material:
    """Read what can be laid out; refuse with the exact cells where an item lacks a condition."""
    rows = _stimuli(experiment)
    is_reference = {condition: role == Condition.Role.REFERENCE for _, _, condition, role, _ in rows}
    rated = _chosen([name for name, reference in is_reference.items() if not reference], conditions)
    factors = {item: levels for item, levels, condition, _, _ in rows if condition in rated}
    if not factors:
        raise NothingToDesign(collection=experiment.collection.title)
    there = {(item, condition) for item, _, condition, _, _ in rows}
    missing = [(item, condition) for item in factors for condition in rated if (item, condition) not in there]
    if missing:
        named = [f"{item} x {condition}" for item, condition in missing]
        raise CellsMissing(count=len(missing), cells=some(named, most=12), missing=named)
    return Material(
        samples=[Sample(name, {key: str(level) for key, level in levels.items()}) for name, levels in factors.items()],
        conditions=rated,
        references=[(item, condition) for item, _, condition, _, _ in rows if is_reference[condition]],
        clip_s={(item, condition): seconds for item, _, condition, _, seconds in rows},
        scale_orders=scale_orders_of(get_protocol(experiment.protocol)),
    )


def scale_orders_of(protocol: RatingProtocol) -> tuple[ScaleOrder, ...]:
    """The orders among which a design may choose; one empty order where the protocol asks as it declares."""
    trial = protocol.show(Entry("", "", ""), session=1, kind=TrialKind.TEST)
    if not trial:
        raise PlannedSingly(protocol=protocol.title)
    return protocol.scale_orders or ((),)


def written_orders(protocol: RatingProtocol) -> tuple[ScaleOrder, ...]:
    """The same with the scales by name, as files spell them."""
    return protocol.scale_orders or (tuple(scale.key for scale in protocol.scales),)


def lengths_of(experiment: Experiment) -> dict[Cell, float]:
    return {(item, condition): seconds for item, _, condition, _, seconds in _stimuli(experiment)}


def _chosen(known: Sequence[str], conditions: Sequence[str]) -> list[str]:
    if strangers := [name for name in conditions if name not in known]:
        raise ConditionUnknown(names=", ".join(strangers), known=", ".join(known))
    return [name for name in known if name in conditions] if conditions else list(known)


def _stimuli(experiment: Experiment) -> list[tuple[str, dict[str, str], str, str, float]]:
    """Item, factors, condition, role and length of everything that may be heard whole.

    Sorted here: databases sort names each in its own way, and a design must not depend on which one is used.
    """
    rows = (
        Stimulus.objects.filter(item__collection=experiment.collection)
        .exclude(condition__role=Condition.Role.FULL_LENGTH)
        .values_list(
            "item__name",
            "item__factors",
            "condition__name",
            "condition__role",
            "recording__length_samples",
            "recording__sample_rate_hz",
        )
    )
    stimuli = [
        (item, factors, condition, role, length / rate if rate else 0.0)
        for item, factors, condition, role, length, rate in rows
    ]
    return sorted(stimuli, key=lambda stimulus: (stimulus[2], stimulus[0]))
