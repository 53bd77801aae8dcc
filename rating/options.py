"""Options of an experiment: the type of each, taken from its default, and the checks of given values."""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from rating.protocol import OptionUnfit, Protocol

LARGEST_NUMBER = 1000


class Kind(StrEnum):
    YES_OR_NO = "yes-or-no"
    WHOLE_NUMBER = "whole-number"
    NUMBER = "number"
    CHOICE = "choice"
    TEXT = "text"
    OBJECT = "object"


def kind_of(protocol: Protocol, option: str) -> Kind:
    match protocol.options[option].default:
        case bool():
            return Kind.YES_OR_NO
        case int():
            return Kind.WHOLE_NUMBER
        case float():
            return Kind.NUMBER
        case str():
            return Kind.CHOICE if protocol.options[option].choices else Kind.TEXT
        case _:
            return Kind.OBJECT


def check_options(protocol: Protocol, options: Mapping[str, Any], material: Mapping[str, Mapping[str, str]]) -> None:
    """Reject an option that the protocol does not have, a value of another kind, and what the protocol rejects."""
    for option, value in options.items():
        if option not in protocol.options:
            raise AppError(
                "experiment.unknown_option",
                422,
                _("The protocol has no option called '{option}'. Known: {known}."),
                option=option,
                known=", ".join(protocol.options),
            )
        if (wanted := _missed(protocol, option, value)) is not None:
            given = json.dumps(value, default=str)[:40]
            problem = LazyMessage("it takes {wanted}, not {given}.", wanted=wanted, given=given)
            raise OptionUnfit(option=option, problem=problem)
    protocol.check_options(options, material)


def _missed(protocol: Protocol, option: str, value: Any) -> LazyMessage | None:
    """What the option takes, if this value is none of it."""
    match kind_of(protocol, option):
        case Kind.YES_OR_NO:
            return None if isinstance(value, bool) else LazyMessage("true or false")
        case Kind.WHOLE_NUMBER:
            whole = isinstance(value, int) and _is_number(value)
            return None if whole else LazyMessage("a whole number from 0 to {most}", most=LARGEST_NUMBER)
        case Kind.NUMBER:
            return None if _is_number(value) else LazyMessage("a number from 0 to {most}", most=LARGEST_NUMBER)
        case Kind.CHOICE:
            choices = protocol.options[option].choices
            return (
                None
                if isinstance(value, str) and value in choices
                else LazyMessage("one of {choices}", choices=", ".join(choices))
            )
        case Kind.TEXT:
            return None if isinstance(value, str) else LazyMessage("a text")
        case Kind.OBJECT:
            return None if isinstance(value, dict) else LazyMessage("an object in braces")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LARGEST_NUMBER
