"""Messages that are stored in JSON and translated where they are shown.

A worker does not know the reader's language, so job results, import findings and design reports keep the English text
together with the message id and the data that it was made from.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Translate = Callable[[str], str]

PARTS = "parts"
PLACE = re.compile(r"\{(\w+)\}")
DEEPEST = 3  # a message may hold messages, such as a list of names that ends in "and 5 more"
# Between groups of three digits, by ISO 80000-1: in other languages a comma would be taken for a decimal sign.
THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"


def gettext_noop(message: str) -> str:
    """Mark a message for the catalogue, as Django's does, in modules that run without Django and its settings."""
    return message


def ngettext_noop(singular: str, plural: str) -> tuple[str, str]:
    """Mark both forms of a message for the catalogue; ngettext(*forms, number) chooses where it is shown."""
    return singular, plural


class LazyMessage(str):
    """An English message, its {places} filled and whole numbers grouped, that remembers its id and data."""

    __slots__ = ("data", "msgid")

    msgid: str
    data: Mapping[str, Any]

    def __new__(cls, msgid: str, /, **data: Any) -> "LazyMessage":
        message = super().__new__(cls, _fill(msgid, data, ","))
        message.msgid, message.data = msgid, data
        return message


def join_problems(problems: Sequence[LazyMessage]) -> LazyMessage:
    """The first two in one message, and how many more there are."""
    if len(problems) == 1:
        return problems[0]
    if len(problems) == 2:
        return LazyMessage("{one}; {two}", one=problems[0], two=problems[1])
    one, two, *rest = problems
    return LazyMessage("{one}; {two}; and {count} more", one=one, two=two, count=len(rest))


def pack_messages(data: Mapping[str, Any]) -> dict[str, Any]:
    """Make data that JSON can hold: each LazyMessage as English text, and under "parts" its id and data."""
    messages = {name: value for name, value in data.items() if isinstance(value, LazyMessage)}
    if not messages:
        return dict(data)
    parts = {name: {"msgid": message.msgid, "data": pack_messages(message.data)} for name, message in messages.items()}
    return {**data, **{name: str(message) for name, message in messages.items()}, PARTS: data.get(PARTS, {}) | parts}


def translate_messages(data: Mapping[str, Any], gettext: Translate, depth: int = DEEPEST) -> dict[str, Any]:
    """Translate the messages of packed data with gettext.

    Data may come from the sandbox, which is not trusted: only a message that the catalogue knows is filled, and
    anything else leaves the English text.
    """
    parts = data.get(PARTS)
    if not isinstance(parts, dict):
        return dict(data)
    return {**data, **{name: _translate(data.get(name), part, gettext, depth) for name, part in parts.items()}}


def _translate(english: Any, part: Any, gettext: Translate, depth: int) -> Any:
    match part:
        case {"msgid": str() as msgid, "data": dict() as data} if msgid and depth:
            translation = gettext(msgid)
            if translation != msgid:
                return _fill(translation, translate_messages(data, gettext, depth - 1), THIN_SPACE)
    return english


def _fill(message: str, data: Mapping[str, Any], separator: str) -> str:
    """Fill places by name alone: the attributes and widths of str.format are not for data of untrusted files."""
    return PLACE.sub(lambda place: _written(data.get(place[1], place[0]), separator), message)


def _written(value: Any, separator: str) -> str:
    return f"{value:,}".replace(",", separator) if isinstance(value, int) else str(value)
