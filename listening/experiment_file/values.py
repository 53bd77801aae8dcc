"""Kinds of values in a file: each checks a value that was read, and describes itself as JSON schema."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from core.i18n import LazyMessage

Json = Any
MOST_KNOWN = 12  # names that a sentence lists


class Value(ABC):
    """A kind of value that a key of the file may have."""

    @abstractmethod
    def problems(self, value: Json, path: str) -> Iterator[LazyMessage]:
        """What is wrong with a value, and what would be right; the path says where it stands in the file."""

    @abstractmethod
    def schema(self) -> dict[str, Json]:
        """The same as JSON schema."""


@dataclass(frozen=True)
class Text(Value):
    longest: int
    pattern: str = ""
    form: LazyMessage | None = None  # what the pattern asks for, in words
    needed: bool = False  # whether it cannot be empty

    def problems(self, value: Json, path: str) -> Iterator[LazyMessage]:
        if not isinstance(value, str):
            if isinstance(value, bool | int | float):
                yield LazyMessage(
                    "`{path}` takes a text, not {given}. Put it into quotes.", path=path, given=_written(value)
                )
            else:
                yield _wrong(path, LazyMessage("a text"), value)
        elif len(value) > self.longest:
            yield LazyMessage("`{path}` takes at most {longest} characters.", path=path, longest=self.longest)
        elif "\0" in value:
            yield LazyMessage("`{path}` holds a character that cannot be kept.", path=path)
        elif self.needed and not value.strip():
            yield LazyMessage("`{path}` cannot be empty.", path=path)
        elif value and self.pattern and not re.fullmatch(self.pattern, value):
            yield _wrong(path, self.form or LazyMessage("a text"), value)

    def schema(self) -> dict[str, Json]:
        wanted: dict[str, Json] = {"type": "string", "maxLength": self.longest}
        if self.needed:
            wanted["minLength"] = 1
        if self.pattern:
            wanted["pattern"] = f"^(?:{self.pattern})?$"
        return wanted


@dataclass(frozen=True)
class Flag(Value):
    def problems(self, value: Json, path: str) -> Iterator[LazyMessage]:
        if not isinstance(value, bool):
            yield _wrong(path, LazyMessage("true or false"), value)

    def schema(self) -> dict[str, Json]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Number(Value):
    low: int
    high: int
    whole: bool = True

    def problems(self, value: Json, path: str) -> Iterator[LazyMessage]:
        kinds = int if self.whole else int | float
        if isinstance(value, bool) or not isinstance(value, kinds) or not self.low <= value <= self.high:
            wanted = (
                LazyMessage("a whole number from {low} to {high}", low=self.low, high=self.high)
                if self.whole
                else LazyMessage("a number from {low} to {high}", low=self.low, high=self.high)
            )
            yield _wrong(path, wanted, value)

    def schema(self) -> dict[str, Json]:
        return {"type": "integer" if self.whole else "number", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Choice(Value):
    values: Sequence[Json]

    def problems(self, value: Json, path: str) -> Iterator[LazyMessage]:
        # Python takes true for 1.
        if any(value == known and type(value) is type(known) for known in self.values):
            return
        near = get_close_matches(value, self.values, n=1) if isinstance(value, str) else []
        if near:
            yield LazyMessage(
                "`{path}` has no value {given}. Did you mean `{near}`?", path=path, given=_written(value), near=near[0]
            )
        else:
            yield _wrong(path, LazyMessage("one of {choices}", choices=_listed(self.values)), value)

    def schema(self) -> dict[str, Json]:
        return {"enum": list(self.values)}


@dataclass(frozen=True)
class Anything(Value):
    """Keys and values that something else judges, such as a protocol."""

    def problems(self, value: Json, path: str) -> Iterator[LazyMessage]:
        if not isinstance(value, dict):
            yield _wrong(path, LazyMessage("keys with values"), value)

    def schema(self) -> dict[str, Json]:
        return {"type": "object"}


@dataclass(frozen=True)
class ListOf(Value):
    each: Value
    most: int

    def problems(self, value: Json, path: str) -> Iterator[LazyMessage]:
        if not isinstance(value, list):
            yield _wrong(path, LazyMessage("a list"), value)
            return
        if len(value) > self.most:
            yield LazyMessage("`{path}` takes a list of at most {most}.", path=path, most=self.most)
            return
        for number, part in enumerate(value, start=1):
            yield from self.each.problems(part, f"{path}[{number}]")

    def schema(self) -> dict[str, Json]:
        return {"type": "array", "items": self.each.schema(), "maxItems": self.most}


@dataclass(frozen=True)
class MapOf(Value):
    """Names that the file chooses, each with a value of one kind."""

    each: Value
    most: int
    longest_name: int = 200

    def problems(self, value: Json, path: str) -> Iterator[LazyMessage]:
        if not isinstance(value, dict):
            yield _wrong(path, LazyMessage("keys with values"), value)
            return
        if len(value) > self.most:
            yield LazyMessage("`{path}` takes at most {most} keys.", path=path, most=self.most)
            return
        for name, part in value.items():
            yield from Text(self.longest_name, needed=True).problems(name, f"{path}.{name}")
            yield from self.each.problems(part, f"{path}.{name}")

    def schema(self) -> dict[str, Json]:
        names = {"minLength": 1, "maxLength": self.longest_name}
        each = self.each.schema()
        return {"type": "object", "additionalProperties": each, "propertyNames": names, "maxProperties": self.most}


@dataclass(frozen=True)
class Key:
    """A key of a record: what it takes, what it means, and whether it must be there."""

    value: Value
    help: str
    required: bool = False


@dataclass(frozen=True)
class Record(Value):
    """Keys that are declared; any other is refused with a suggestion."""

    keys: Mapping[str, Key] = field(default_factory=dict)

    def problems(self, value: Json, path: str) -> Iterator[LazyMessage]:
        if not isinstance(value, dict):
            yield _wrong(path or "file", LazyMessage("keys with values"), value)
            return
        for name in value:
            if name not in self.keys:
                yield self._unknown(name, path)
        for name, key in self.keys.items():
            here = f"{path}.{name}" if path else name
            if name in value:
                yield from key.value.problems(value[name], here)
            elif key.required:
                yield LazyMessage("`{path}` is missing.", path=here)

    def _unknown(self, name: Json, path: str) -> LazyMessage:
        given = f"{path}.{name}" if path else str(name)
        near = get_close_matches(str(name), self.keys, n=1)
        if near:
            return LazyMessage("Unknown key `{path}`. Did you mean `{near}`?", path=given, near=near[0])
        return LazyMessage("Unknown key `{path}`. Known: {known}.", path=given, known=_listed(list(self.keys)))

    def schema(self) -> dict[str, Json]:
        return {
            "type": "object",
            "properties": {name: {**key.value.schema(), "description": key.help} for name, key in self.keys.items()},
            "required": [name for name, key in self.keys.items() if key.required],
            "additionalProperties": False,
        }


def _wrong(path: str, wanted: LazyMessage, value: Json) -> LazyMessage:
    return LazyMessage("`{path}` takes {wanted}, not {given}.", path=path, wanted=wanted, given=_written(value))


def _written(value: Json) -> str:
    """A value as people would type it, short enough for a sentence."""
    if value is None:
        return "nothing"
    return json.dumps(value, ensure_ascii=False, default=str)[:40]


def _listed(names: Sequence[Json]) -> str:
    shown = ", ".join(str(name) for name in names[:MOST_KNOWN])
    return f"{shown}, ..." if len(names) > MOST_KNOWN else shown
