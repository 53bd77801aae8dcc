"""Material of a design: a collection's complete items, their factors, conditions, references and lengths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import AppError
from core.i18n import gettext_noop as _
from listening.design.base import Sample, ScaleOrder
from rating.models import Experiment
from rating.protocol import REFERENCE, WHOLE_ITEM, Cell, Designable, Entry, PageHolds, Protocol, TrialKind, pages_of
from rating.registry import get_protocol
from stimuli.imports.reports import some
from stimuli.models import Condition, Stimulus

CHECK_ROLES = (Condition.Role.TRAP, Condition.Role.GOLD)


@dataclass(frozen=True)
class Material:
    """The rated part of a collection, every item under every condition, and the references apart."""

    samples: Sequence[Sample]
    conditions: Sequence[str]
    references: Sequence[Cell]
    showing_s: Mapping[Cell, float]  # how long each page takes, on all scales
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
    """Read what can be laid out; reject with the exact cells where an item lacks a condition."""
    holds = designable(get_protocol(experiment.protocol)).page_holds
    rows = _stimuli(experiment, offered_only=True)
    is_reference = {condition: role == Condition.Role.REFERENCE for _, _, condition, role, _ in rows}
    rated = _chosen([name for name, reference in is_reference.items() if not reference], conditions)
    factors = {item: levels for item, levels, condition, _, _ in rows if condition in rated}
    if not factors:
        raise AppError(
            "design.nothing",
            409,
            _("'{collection}' holds nothing to rate but references. Import items under test conditions first."),
            collection=experiment.collection.title,
        )
    there = {(item, condition) for item, _, condition, _, _ in rows}
    missing = [(item, condition) for item in factors for condition in rated if (item, condition) not in there]
    if missing:
        named = [f"{item} x {condition}" for item, condition in missing]
        raise AppError(
            "design.cells_missing",
            409,
            _(
                "Every item needs every condition, and {count} are missing: {cells}. Import them, leave the condition "
                "out, or exclude the items on the collection's page."
            ),
            count=len(missing),
            cells=some(named, most=12),
            missing=named,
        )
    references = [(item, condition) for item, _, condition, _, _ in rows if is_reference[condition]]
    return Material(
        samples=[Sample(name, {key: str(level) for key, level in levels.items()}) for name, levels in factors.items()],
        conditions=[WHOLE_ITEM] if holds is PageHolds.ITEM else rated,
        # A reference that is heard beside what it is compared with is not also heard by itself beforehand.
        references=references if holds is PageHolds.STIMULUS else [],
        showing_s=showings_s(experiment),
        scale_orders=scale_orders_of(get_protocol(experiment.protocol)),
    )


def designable(protocol: Protocol) -> Designable:
    if not isinstance(protocol, Designable):
        raise AppError(
            "design.not_for_protocol",
            409,
            _("{protocol} plans each seat by itself, so panels cannot be laid out together. Add panels instead."),
            protocol=protocol.title,
        )
    return protocol


def scale_orders_of(protocol: Protocol) -> tuple[ScaleOrder, ...]:
    """The orders among which a design may choose; one empty order where the protocol asks as it declares."""
    return designable(protocol).scale_orders or ((),)


def written_orders(protocol: Protocol) -> tuple[ScaleOrder, ...]:
    """The same with the scales by name, as files spell them."""
    return designable(protocol).scale_orders or (tuple(scale.key for scale in protocol.scales),)


def condition_on(page: Sequence[tuple[str, str]], holds: PageHolds) -> str:
    """The condition under which a design knows a page, out of the condition and role of each of its slots."""
    if holds is PageHolds.ITEM:
        return WHOLE_ITEM
    return next((name for name, role in page if holds is PageHolds.STIMULUS or role != REFERENCE), page[0][0])


def showings_s(experiment: Experiment) -> dict[Cell, float]:
    """How long every page takes, its sounds and answers on all scales, by the protocol's estimate."""
    protocol = get_protocol(experiment.protocol)
    planner = designable(protocol)
    entries = [Entry("", item, name, role, duration_s=s) for item, _, name, role, s in _stimuli(experiment)]
    return {
        cell: sum(
            protocol.page_s(trial, experiment.options)
            for trial in planner.trials_for(page, session=1, kind=TrialKind.TEST)
        )
        for cell, page in pages_of(entries, planner.page_holds).items()
    }


def _chosen(known: Sequence[str], conditions: Sequence[str]) -> list[str]:
    if unknown := [name for name in conditions if name not in known]:
        raise AppError(
            "design.unknown_condition",
            422,
            _("The collection has no rated condition {names}. Known: {known}."),
            names=", ".join(unknown),
            known=", ".join(known),
        )
    return [name for name in known if name in conditions] if conditions else list(known)


def _stimuli(
    experiment: Experiment, *, offered_only: bool = False
) -> list[tuple[str, dict[str, str], str, str, float]]:
    """Item, factors, condition, role and length of everything that may be heard whole.

    Designs that were laid out before an item was excluded still hold it, so lengths are known of all items.
    Sorted here: databases sort names each in its own way, and a design must not depend on which one is used.
    """
    rows = (
        (Stimulus.objects.offered() if offered_only else Stimulus.objects.all())
        .filter(item__collection=experiment.collection)
        .exclude(condition__role__in=(Condition.Role.FULL_LENGTH, *CHECK_ROLES))
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
