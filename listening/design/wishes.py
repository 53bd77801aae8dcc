"""What an experimenter asks of a design, in the few numbers and names that a form, a command and a row all hold."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

DEFAULT_PRESET = "crossed"
IMPORTED = "imported"  # the preset of a design whose sequences came from files


@dataclass(frozen=True)
class Wanted:
    """A request in the experimenter's words; which items go into which panel follows from it and the collection."""

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
