"""Import plan: which file, or part of a file, becomes which stimulus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

ROLES = ("test", "reference", "anchor", "full-length", "trap", "gold")
LONGEST_NAME = 200

JSON = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """One stimulus to be: an item under a condition, and what it is made of."""

    item: str
    condition: str
    path: str  # the file it comes from, as the sender calls it
    start: int | None = None  # the part of the file, in samples; all of it where these are not given
    stop: int | None = None
    clip: int | None = None  # the number of the clip in an Audacity project, from 1
    sample_rate_hz: int | None = None  # of a cut that was heard, so that it can be shown in times
    text: JSON | None = None  # words instead of sound: {"kind", "text", "tokens", "language"}
    starts_at_s: float | None = None  # when its recording began, in seconds after midnight, if a table gives it
    clock: list[JSON] | None = None  # its corrected clock, where another collection's cell is copied

    @property
    def name(self) -> str:
        return f"{self.item} x {self.condition}"

    @property
    def is_part(self) -> bool:
        """Whether the sound must be taken out of a larger file."""
        return self.start is not None or self.clip is not None


@dataclass(frozen=True)
class Bundle:
    """A file that holds several stimuli, which are found by looking into it: a project, or sounds between long gaps."""

    path: str
    item: str
    condition: str = ""  # empty: every piece is another condition of the item; otherwise every piece is another item

    def cell(self, number: int, *, start: int | None = None, stop: int | None = None, clip: int | None = None) -> Cell:
        """The cell of its piece number so-and-so, counted from 1."""
        item = f"{self.item}-{number}" if self.condition else self.item
        return Cell(item, self.condition or str(number), self.path, start=start, stop=stop, clip=clip)


@dataclass(frozen=True)
class Ignored:
    """A file that stays out, and why; `msgid` is marked for translation, and the data fills it."""

    path: str
    msgid: str
    data: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> JSON:
        """The English reason for programs and logs; `msgid` and `data` for translation."""
        reason = self.msgid.format(**self.data)
        return {"path": self.path, "reason": reason, "msgid": self.msgid, "data": dict(self.data)}


@dataclass(frozen=True)
class LeftOut:
    """A file that a person left out of an import."""

    path: str
    person: str
    # Whether the plan had a place for it: then the other files are still read as they lay with it, so that one
    # condition with a single file does not become another layout when the file goes.
    is_placed: bool


@dataclass
class Plan:
    """The items with their factors, the conditions with their roles and factors, and the cells."""

    layout: str
    items: dict[str, dict[str, str]] = field(default_factory=dict)
    conditions: dict[str, str] = field(default_factory=dict)
    condition_factors: dict[str, dict[str, str]] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    bundles: list[Bundle] = field(default_factory=list)
    ignored: list[Ignored] = field(default_factory=list)
    attached: list[str] = field(default_factory=list)  # tables whose columns became factors or texts

    def add(self, cell: Cell, *, role: str = "test", factors: Mapping[str, str] | None = None) -> None:
        """Take a cell in; its item and its condition come along."""
        self.cells.append(cell)
        self.items.setdefault(cell.item, {}).update(factors or {})
        self.conditions.setdefault(cell.condition, role)

    def to_json(self) -> JSON:
        """The form in which a plan is stored and shown; only a plan whose bundles were looked into is worth it."""
        return {
            "layout": self.layout,
            "items": [{"name": name, "factors": factors} for name, factors in self.items.items()],
            "conditions": [
                {"name": name, "role": role, "factors": self.condition_factors.get(name, {})}
                for name, role in self.conditions.items()
            ],
            "stimuli": [_bare(vars(cell)) for cell in self.cells],
            "ignored": [ignored.to_json() for ignored in self.ignored],
            "attached": self.attached,
        }

    @classmethod
    def from_json(cls, facts: JSON) -> Self:
        return cls(
            layout=facts["layout"],
            items={item["name"]: item["factors"] for item in facts["items"]},
            conditions={condition["name"]: condition["role"] for condition in facts["conditions"]},
            condition_factors={
                condition["name"]: condition["factors"]
                for condition in facts["conditions"]
                if condition.get("factors")  # a plan that was stored before conditions had any
            },
            cells=[Cell(**cell) for cell in facts["stimuli"]],
            ignored=[Ignored(ignored["path"], ignored["msgid"], ignored["data"]) for ignored in facts["ignored"]],
            attached=facts["attached"],
        )


def _bare(facts: JSON) -> JSON:
    """Leave out what is not said; there may be thousands."""
    return {name: value for name, value in facts.items() if value is not None}
