"""What a check found out: a piece of the installation, how it is, and the command that mends it."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """One line of `manage.py doctor`."""

    piece: str
    level: Level
    sentence: str
    remedy: str = ""

    def __str__(self) -> str:
        line = f"{self.level:<8} {self.piece}: {self.sentence}"
        return f"{line} -> {self.remedy}" if self.remedy else line
