"""What the reader of a report wants to see, out of the address, and the addresses of everything else."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar
from urllib.parse import urlencode

from analysis.reports.base import Asked


class Choices(ABC):
    """What a report can be asked for; what it does not know falls back to its default."""

    usual: ClassVar[Mapping[str, str]] = {}  # defaults that need no words in an address

    def __init__(self, asked: Asked) -> None:
        self.simulated = asked.get("simulated") == "1"

    @property
    @abstractmethod
    def chosen(self) -> Mapping[str, str | None]:
        """Each choice under its name in the address."""

    @property
    def kept(self) -> dict[str, str | int]:
        """Everything that was chosen: what a form that changes one choice sends along of the others."""
        return self._worded({})

    def query(self, **changes: str | int | None) -> str:
        """The same page with other choices, all in one order."""
        return urlencode(self._worded(changes))

    def _worded(self, changes: Mapping[str, str | int | None]) -> dict[str, str | int]:
        told = {"simulated": "1" if self.simulated else "", **self.chosen, **changes}
        return {name: value for name, value in told.items() if value and self.usual.get(name) != value}


def one_of(wanted: str | None, known: Sequence[str], usual: str = "") -> str:
    """What was asked for, or the usual, or the first there is."""
    if wanted in known:
        return str(wanted)
    return usual if usual in known else next(iter(known), "")
