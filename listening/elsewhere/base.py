"""Values of a test from elsewhere: what becomes an experiment, where its sounds are, and what is not carried over."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from rating.protocol import Cell, Protocol

TEST, REFERENCE, ANCHOR = "test", "reference", "anchor"


@dataclass(frozen=True)
class FoundSound:
    """A sound that can be had: how long it is, and how to open it."""

    path: str
    byte_count: int
    open: Callable[[], AbstractContextManager[BinaryIO]]


class Sounds:
    """The sounds that came along, found by the end of their path: a folder more or less does not matter."""

    def __init__(self, sounds: Iterable[FoundSound]) -> None:
        self._by_name: dict[str, list[FoundSound]] = {}
        for sound in sounds:
            self._by_name.setdefault(_steps(sound.path)[-1], []).append(sound)

    def find(self, wanted: str) -> FoundSound | None:
        """The sound whose path agrees with the wanted one over the most steps from its end; None if two do."""
        steps = _steps(wanted)
        ranked = sorted(
            ((_agreeing(steps, _steps(sound.path)), sound) for sound in self._by_name.get(steps[-1], [])),
            key=lambda pair: -pair[0],
        )
        if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
            return None
        return ranked[0][1]


def _steps(path: str) -> list[str]:
    """The folders and the name of a path or an address, in small letters."""
    bare = unquote(urlsplit(path).path) if "://" in path else path
    return [step for step in bare.replace("\\", "/").casefold().split("/") if step not in {"", ".", ".."}] or [""]


def _agreeing(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for ours, theirs in zip(reversed(one), reversed(other), strict=False):
        if ours != theirs:
            break
        count += 1
    return count


@dataclass(frozen=True)
class Placed:
    """A sound and the cell that it goes into."""

    sound: FoundSound
    item: str
    condition: str
    role: str = TEST


@dataclass
class Part:
    """What becomes one experiment: pages that one protocol asks."""

    protocol: Protocol
    label_set: str
    options: dict[str, Any] = field(default_factory=dict)
    placed: list[Placed] = field(default_factory=list)
    expected: dict[Cell, str] = field(default_factory=dict)  # the answers to trap and gold clips that are used

    def item_called(self, name: str) -> str:
        """A name that no item has yet."""
        taken = {one.item for one in self.placed}
        number, free = 1, name
        while free in taken:
            number += 1
            free = f"{name}-{number}"
        return free


@dataclass
class Converted:
    """A test from elsewhere, as far as it can be an experiment here."""

    source: str  # the program it was made for
    title: str = ""
    language: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    session: dict[str, Any] = field(default_factory=dict)
    questions: list[dict[str, Any]] = field(default_factory=list)  # before the clips and after them
    parts: list[Part] = field(default_factory=list)
    changed: list[LazyMessage] = field(default_factory=list)  # carried over, but not as it was
    dropped: list[LazyMessage] = field(default_factory=list)  # not carried over, each with its reason

    def drop(self, what: str, why: LazyMessage) -> None:
        self.dropped.append(LazyMessage("{what}: {why}", what=what, why=why))

    def change(self, what: str, how: LazyMessage) -> None:
        self.changed.append(LazyMessage("{what}: {why}", what=what, why=how))


def sound_missing(path: str) -> LazyMessage:
    return LazyMessage("the sound '{path}' is not there, or there are several of that name", path=path[-100:])


def unreadable(name: str, problem: LazyMessage) -> AppError:
    return AppError(
        "experiment_file.elsewhere_unreadable",
        422,
        _("'{name}' cannot be read: {problem}."),
        name=name[-100:],
        problem=problem,
    )


def known_options(protocol: Protocol, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options that the protocol has."""
    return {name: value for name, value in wanted.items() if name in protocol.options}
