"""Result of one check of the installation, shared by `doctor`, `check_database` and the start-up checks."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class CheckResult:
    """One line of `manage.py doctor`."""

    piece: str
    level: Level
    sentence: str
    remedy: str = ""

    def __str__(self) -> str:
        line = f"{self.level:<8} {self.piece}: {self.sentence}"
        return f"{line} -> {self.remedy}" if self.remedy else line
