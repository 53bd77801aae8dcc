"""The document of an Audacity 3 project: XML in a binary form with a dictionary of names, read back into a tree.

The form is that of Audacity's ProjectSerializer: a byte says what follows, names are numbers from the dictionary,
integers are little-endian, and strings are in the character size of the machine that wrote them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from core.i18n import LazyMessage

DEEPEST = 50
MOST_ELEMENTS = 2_000_000
ENCODINGS = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}


class Sign(IntEnum):
    """What a byte announces."""

    CHARACTER_SIZE = 0
    START_TAG = 1
    END_TAG = 2
    STRING = 3
    INT = 4
    BOOL = 5
    LONG = 6
    LONG_LONG = 7
    SIZE = 8
    FLOAT = 9
    DOUBLE = 10
    DATA = 11
    RAW = 12
    PUSH = 13
    POP = 14
    NAME = 15


# Each attribute's value; a float is followed by the number of digits that Audacity would print.
VALUES = {
    Sign.INT: struct.Struct("<i"),
    Sign.BOOL: struct.Struct("<?"),
    Sign.LONG: struct.Struct("<i"),
    Sign.LONG_LONG: struct.Struct("<q"),
    Sign.SIZE: struct.Struct("<I"),
    Sign.FLOAT: struct.Struct("<fi"),
    Sign.DOUBLE: struct.Struct("<di"),
}
SHORT = struct.Struct("<H")
LENGTH = struct.Struct("<i")


class MalformedDocument(ValueError):
    """The bytes are no such document."""

    def __init__(self, problem: LazyMessage) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass
class Element:
    name: str
    values: dict[str, Any] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)

    def all(self, name: str) -> Iterator[Element]:
        """Its children of that name, not theirs."""
        return (child for child in self.children if child.name == name)

    def number(self, name: str, default: float = 0.0) -> float:
        value = self.values.get(name, default)
        try:
            return float(value)
        except (TypeError, ValueError):
            raise MalformedDocument(
                LazyMessage("its {element} {value} is no number", element=self.name, value=name)
            ) from None

    def whole(self, name: str, default: int = 0) -> int:
        value = self.values.get(name, default)
        try:
            return int(value)
        except (TypeError, ValueError, OverflowError):
            raise MalformedDocument(
                LazyMessage("its {element} {value} is no whole number", element=self.name, value=name)
            ) from None


def read_document(content: bytes) -> Element:
    """Read a dictionary followed by a document; the root is what the outermost tag holds."""
    reader = _Reader(content)
    try:
        return reader.read()
    except (struct.error, IndexError):
        raise MalformedDocument(LazyMessage("it breaks off")) from None


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0
        self._encoding = ENCODINGS[4]
        self._names: dict[int, str] = {}
        self._kept: list[dict[int, str]] = []
        self._open = [Element("")]
        self._count = 0

    def read(self) -> Element:
        while self._at < len(self._content):
            self._step()
        if len(self._open) != 1 or not self._open[0].children:
            raise MalformedDocument(LazyMessage("its tags do not match"))
        return self._open[0].children[0]

    def _step(self) -> None:
        try:
            sign = Sign(self._content[self._at])
        except ValueError:
            byte = self._content[self._at]
            raise MalformedDocument(
                LazyMessage("the byte {byte} at {place} means nothing", byte=byte, place=self._at)
            ) from None
        self._at += 1
        if sign in VALUES:
            name = self._name()
            self._open[-1].values[name] = self._take(VALUES[sign])[0]
        elif sign is Sign.STRING:
            name = self._name()
            self._open[-1].values[name] = self._text(self._take(LENGTH)[0])
        elif sign in {Sign.START_TAG, Sign.END_TAG}:
            self._tag(sign, self._name())
        elif sign in {Sign.DATA, Sign.RAW}:
            self._text(self._take(LENGTH)[0])
        else:
            self._dictionary(sign)

    def _dictionary(self, sign: Sign) -> None:
        if sign is Sign.CHARACTER_SIZE:
            size = self._content[self._at]
            self._at += 1
            if size not in ENCODINGS:
                raise MalformedDocument(LazyMessage("its characters have {size} bytes", size=size))
            self._encoding = ENCODINGS[size]
        elif sign is Sign.NAME:
            number, length = self._take(SHORT)[0], self._take(SHORT)[0]
            self._names[number] = self._text(length)
        elif sign is Sign.PUSH:
            if len(self._kept) == DEEPEST:
                raise MalformedDocument(LazyMessage("it is nested too deeply"))
            self._kept.append(self._names)
            self._names = {}
        elif self._kept:
            self._names = self._kept.pop()
        else:
            raise MalformedDocument(LazyMessage("a dictionary ends that never began"))

    def _tag(self, sign: Sign, name: str) -> None:
        if sign is Sign.END_TAG:
            if len(self._open) == 1 or self._open[-1].name != name:
                raise MalformedDocument(LazyMessage("its tags do not match"))
            self._open.pop()
            return
        self._count += 1
        if len(self._open) > DEEPEST or self._count > MOST_ELEMENTS:
            raise MalformedDocument(LazyMessage("it holds more than a project does"))
        element = Element(name)
        self._open[-1].children.append(element)
        self._open.append(element)

    def _take(self, form: struct.Struct) -> tuple[Any, ...]:
        found = form.unpack_from(self._content, self._at)
        self._at += form.size
        return found

    def _name(self) -> str:
        number = self._take(SHORT)[0]
        if number not in self._names:
            raise MalformedDocument(LazyMessage("the name {number} is not in its dictionary", number=number))
        return self._names[number]

    def _text(self, length: int) -> str:
        if not 0 <= length <= len(self._content) - self._at:
            raise MalformedDocument(LazyMessage("it breaks off"))
        found = self._content[self._at : self._at + length]
        self._at += length
        return found.decode(self._encoding, errors="replace")
