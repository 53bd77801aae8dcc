"""The values of a design: what is asked for, what each seat hears one after the other, and what a preset must do."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

ANCHORING = 0  # the session in which the reference stimuli are heard, before the first that counts

ScaleOrder = tuple[str, ...]


@dataclass(frozen=True)
class Sample:
    """An item that may be drawn into a subset, with the factors that subsets shall share out evenly."""

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
class DesignRequest:
    """What an experimenter decides. `subsets` holds one list of items a panel, `references` the anchoring stimuli."""

    subsets: Sequence[Sequence[str]]
    conditions: Sequence[str]
    seats: int  # listeners in each panel
    sessions: int = 4
    references: Sequence[tuple[str, str]] = ()  # (item, condition)
    scale_orders: Sequence[ScaleOrder] = ((),)
    seed: str = "0"

    @property
    def panels(self) -> int:
        return len(self.subsets)


@dataclass(frozen=True)
class Design:
    """A request carried out by a preset: the sequence of every seat, panel by panel."""

    preset: str
    request: DesignRequest
    sequences: tuple[SeatSequence, ...]

    def sequence(self, panel: int, seat: int) -> SeatSequence:
        return self.sequences[(panel - 1) * self.request.seats + seat - 1]


class Preset(ABC):
    """A way to lay out sequences. Same request, same design, on every machine."""

    slug: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]  # one sentence that says what it balances and what it leaves confounded

    @abstractmethod
    def lay_out(self, request: DesignRequest) -> Design: ...
