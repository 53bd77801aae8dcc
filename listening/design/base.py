"""Values of a design: the request, the layout that a preset makes of it, and the sequence of every seat."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, Self

from core.errors import AppError
from core.i18n import gettext_noop as _

ANCHORING = 0  # the practice session, in which the reference stimuli are heard, before the first that counts

ScaleOrder = tuple[str, ...]


def item_twice(*, item: str, places: str) -> AppError:
    return AppError(
        "subsets.item_twice",
        422,
        _("The item '{item}' is there twice: {places}. Keep one of them, or choose another column as the name."),
        item=item,
        places=places,
    )


def value_missing(*, column: str, places: str, **data: Any) -> AppError:
    return AppError(
        "subsets.value_missing",
        422,
        _("'{column}' is empty for {places}. Every item needs a name and a level of each factor."),
        column=column,
        places=places,
        **data,
    )


def factor_unknown(*, factor: str, known: str) -> AppError:
    return AppError(
        "subsets.factor_unknown",
        422,
        _("There is no column '{factor}'. The columns are: {known}."),
        factor=factor,
        known=known,
    )


@dataclass(frozen=True)
class Sample:
    """An item that may be drawn into a subset, with the factors to balance across subsets."""

    name: str
    factors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Showing:
    """One stimulus in a seat's sequence: presented once for each scale of its order, in the session given."""

    session: int
    item: str
    condition: str
    scales: ScaleOrder = ()


@dataclass(frozen=True)
class SeatSequence:
    """Everything that one seat hears; panel and seat are counted from 1."""

    panel: int
    seat: int
    showings: tuple[Showing, ...]


@dataclass(frozen=True)
class LayoutRequest:
    """Request to a preset. `subsets` holds one list of items for each panel, `references` the practice stimuli."""

    subsets: Sequence[Sequence[str]]
    conditions: Sequence[str]
    seats: int  # listeners in each panel
    sessions: int = 4
    references: Sequence[tuple[str, str]] = ()  # (item, condition)
    scale_orders: Sequence[ScaleOrder] = ((),)
    seed: str = "0"
    grown: Sequence[tuple[int, int]] = ()  # panels and seats before each extension; what those seats hear stays

    @property
    def panels(self) -> int:
        return len(self.subsets)

    @property
    def stages(self) -> list[tuple[int, int]]:
        """Panels and seats of the first layout and after each extension."""
        return [*self.grown, (self.panels, self.seats)]


@dataclass(frozen=True)
class Design:
    """A request carried out by a preset: the sequence of every seat, panel by panel."""

    preset: str
    request: LayoutRequest
    sequences: tuple[SeatSequence, ...]

    def sequence(self, panel: int, seat: int) -> SeatSequence:
        return self.sequences[(panel - 1) * self.request.seats + seat - 1]


class Preset(ABC):
    """A way to lay out sequences. Same request, same design, on every machine; an extension changes no earlier seat."""

    slug: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]  # one sentence that says what it balances and what it leaves confounded

    @abstractmethod
    def lay_out(self, request: LayoutRequest) -> Design: ...


DEFAULT_PRESET = "crossed"
IMPORTED = "imported"  # the preset of a design whose sequences came from files


@dataclass(frozen=True)
class DesignRequest:
    """Request of an experimenter; which items go into which panel follows from it and the collection."""

    preset: str = DEFAULT_PRESET
    panels: int = 4
    seats: int = 8  # listeners in each panel
    size: int = 32  # items for each panel
    factors: tuple[str, ...] = ()
    sessions: int = 4
    seed: str = "0"
    conditions: tuple[str, ...] = ()  # none named: all that are rated

    def to_json(self) -> dict[str, Any]:
        return {name: list(part) if isinstance(part, tuple) else part for name, part in asdict(self).items()}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Self:
        known: dict[str, Any] = {part.name: facts[part.name] for part in fields(cls) if part.name in facts}
        for name in ("factors", "conditions"):
            known[name] = tuple(known.get(name, ()))
        return cls(**known)
