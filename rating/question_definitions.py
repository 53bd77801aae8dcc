"""Definitions of questions, as experimenters and the API give them: read, or refused with what is wrong."""

import re
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from rating.questions import (
    CHOICES,
    OWN_FIELDS,
    READY,
    READY_FIELDS,
    SCREENING_FIELDS,
    SEPARATOR,
    SHARED_FIELDS,
    TEXTS,
    Json,
    Kind,
    Place,
    Question,
)

Choice = TypeVar("Choice", bound=StrEnum)

KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
# Columns of the download that are no questions.
RESERVED = ("subject_id", "panel", "seat", "row_type", "handed_in_at")
MOST_QUESTIONS = 50
FEWEST_OPTIONS, MOST_OPTIONS = 2, 30
MOST_POINTS = 11
LONGEST_PROMPT = 500
LONGEST_OPTION = 200
LONGEST_UNIT = 20
LARGEST_NUMBER = 1e9
LONGEST_ANSWER = {Kind.SHORT_TEXT: 200, Kind.LONG_TEXT: 5000}
USUAL_ANSWER = {Kind.SHORT_TEXT: 200, Kind.LONG_TEXT: 2000}


class QuestionUnfit(AppError):
    """A definition that is no question; `field` says where to correct it."""

    def __init__(self, *, key: str, field: str, problem: str) -> None:
        super().__init__(
            "questions.unfit",
            422,
            _("The question '{key}' cannot be used like this: {problem}"),
            key=key,
            field=field,
            problem=problem,
        )
        self.key, self.problem = key, problem


def read_questions(stored: Json) -> list[Question]:
    """Read definitions, in their order; raise QuestionUnfit for the first that is none."""
    if not isinstance(stored, list) or len(stored) > MOST_QUESTIONS:
        raise _unfit("?", "", LazyMessage("questions are a list of at most {most}.", most=MOST_QUESTIONS))
    questions = [_read(each) for each in stored]
    keys = [question.key for question in questions]
    for key in keys:
        if keys.count(key) > 1:
            raise _unfit(key, "key", LazyMessage("another question has the same name."))
    return questions


def free_key(text: str, taken: Iterable[str]) -> str:
    """A name for a question, made of its first words, with a number where another question has it."""
    words = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:30].strip("_")
    stem = words if KEY.fullmatch(words) else "question"
    used = {*taken, *RESERVED, *READY}
    return next(key for key in (stem, *(f"{stem}_{number}" for number in range(2, 1000))) if key not in used)


def _unfit(key: str, field: str, problem: str) -> QuestionUnfit:
    return QuestionUnfit(key=key, field=field, problem=problem)


def _read(stored: Json) -> Question:
    if not isinstance(stored, dict):
        raise _unfit("?", "", LazyMessage("each question is an object."))
    if "ready" in stored:
        return _read_ready(stored)
    key = stored.get("key")
    if not isinstance(key, str) or not KEY.fullmatch(key) or key in (*RESERVED, *READY):
        said = LazyMessage(
            "its name has up to 40 small letters without accents, digits and underscores, begins with a letter, and is "
            "none of {reserved}.",
            reserved=", ".join((*RESERVED, *READY)),
        )
        raise _unfit(str(key)[:40], "key", said)
    kind, place = _one_of(Kind, stored.get("kind"), key, "kind"), _one_of(Place, stored.get("place"), key, "place")
    _reject_unknown(stored, (*SHARED_FIELDS, *OWN_FIELDS[kind], *_screening_fields(kind, place, key)), key)
    question = Question(
        key=key,
        place=place,
        kind=kind,
        text=_text(stored, key, "text", LONGEST_PROMPT, needed=True),
        help=_text(stored, key, "help", LONGEST_PROMPT),
        required=_bool(stored, key),
    )
    return _with_accepted(replace(question, **_own_fields(stored, key, kind)), stored)


def _read_ready(stored: dict[str, Json]) -> Question:
    name = stored["ready"]
    ready = READY.get(name) if isinstance(name, str) else None
    if ready is None:
        raise _unfit(str(name)[:40], "ready", LazyMessage("ready-made questions are {known}.", known=", ".join(READY)))
    place = _one_of(Place, stored.get("place", ready.place), name, "place")
    _reject_unknown(stored, (*READY_FIELDS, *_screening_fields(ready.kind, place, name)), name)
    read = replace(ready, place=place, required=_bool({"required": ready.required} | stored, name))
    return _with_accepted(read, stored)


def _screening_fields(kind: Kind, place: Place, key: str) -> tuple[str, ...]:
    """The fields that say which answers are accepted, where the place is the screening."""
    if place is not Place.SCREENING:
        return ()
    if kind not in SCREENING_FIELDS:
        raise _unfit(key, "kind", LazyMessage("a screening takes one option, yes or no, a number or a scale."))
    return SCREENING_FIELDS[kind]


def _with_accepted(question: Question, stored: dict[str, Json]) -> Question:
    """The question with the answers that the screening accepts: some of those that can be given, and not all."""
    key, fields = question.key, _screening_fields(question.kind, question.place, question.key)
    if not fields:
        return question
    if "accepted" in fields:
        accepted = stored.get("accepted")
        known = isinstance(accepted, list) and all(value in question.values for value in accepted)
        if not known or not accepted or len(set(accepted)) == len(question.values):
            said = LazyMessage(
                "accept one or more of these answers, and not all: {known}.", known=", ".join(question.values)
            )
            raise _unfit(key, "accepted", said)
        return replace(question, required=True, accepted=tuple(dict.fromkeys(accepted)))
    limits = _number_range(stored, key, names=("accept_low", "accept_high"))
    if not limits:
        raise _unfit(key, "accept_low", LazyMessage("say from or up to which value an answer is accepted."))
    return replace(question, required=True, **limits)


def _own_fields(stored: dict[str, Json], key: str, kind: Kind) -> dict[str, Json]:
    if kind in CHOICES:
        options = _options(stored.get("options"), key)
        return {"options": options} | (_choices_range(stored, key, len(options)) if kind is Kind.SEVERAL else {})
    if kind in TEXTS:
        most = LONGEST_ANSWER[kind]
        longest = _whole(stored.get("longest", USUAL_ANSWER[kind]), key, "longest", 1, most)
        return {"longest": longest}
    if kind is Kind.SCALE:
        low, high = (_whole(stored.get(name), key, name, -100, 100) for name in ("low", "high"))
        if not low < high < low + MOST_POINTS:
            raise _unfit(
                key, "high", LazyMessage("the highest point is 1 to {most} above the lowest.", most=MOST_POINTS - 1)
            )
        labels = {name: _text(stored, key, name, LONGEST_OPTION) for name in ("low_label", "high_label")}
        return {"low": low, "high": high, **labels}
    if kind is Kind.NUMBER:
        return _number_range(stored, key) | {"unit": _text(stored, key, "unit", LONGEST_UNIT)}
    return {}


def _options(given: Json, key: str) -> tuple[tuple[str, str], ...]:
    """The options of an own question: what is stored of an answer is the label itself."""
    labels = [each.strip() for each in given if isinstance(each, str)] if isinstance(given, list) else []
    if not isinstance(given, list) or len(labels) != len(given) or "" in labels:
        raise _unfit(key, "options", LazyMessage("each option is a text."))
    if not FEWEST_OPTIONS <= len(labels) <= MOST_OPTIONS:
        raise _unfit(
            key, "options", LazyMessage("there are {least} to {most} options.", least=FEWEST_OPTIONS, most=MOST_OPTIONS)
        )
    if len(set(labels)) != len(labels):
        raise _unfit(key, "options", LazyMessage("two options are the same."))
    if any(len(label) > LONGEST_OPTION or SEPARATOR in label for label in labels):
        said = LazyMessage(
            "an option has at most {most} characters and no '{sign}'.", most=LONGEST_OPTION, sign=SEPARATOR
        )
        raise _unfit(key, "options", said)
    return tuple((label, label) for label in labels)


def _choices_range(stored: dict[str, Json], key: str, options: int) -> dict[str, Json]:
    given = {name: stored.get(name) for name in ("low", "high")}
    found = {name: _whole(n, key, name, 1, options) for name, n in given.items() if n is not None}
    if found.get("low", 1) > found.get("high", options):
        raise _unfit(key, "high", LazyMessage("the largest number of choices is not below the smallest."))
    return found


def _number_range(stored: dict[str, Json], key: str, names: tuple[str, str] = ("low", "high")) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name in names:
        value = stored.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST_NUMBER:
            raise _unfit(key, name, LazyMessage("a limit is a number up to a thousand million."))
        found[name] = value
    if len(found) == 2 and found[names[0]] >= found[names[1]]:
        raise _unfit(key, names[1], LazyMessage("the largest number is above the smallest."))
    return found


def _reject_unknown(stored: dict[str, Json], known: tuple[str, ...], key: str) -> None:
    if unknown := [name for name in stored if name not in known]:
        name = str(unknown[0])[:40]
        raise _unfit(key, "", LazyMessage("it has no '{name}'. Known: {known}.", name=name, known=", ".join(known)))


def _one_of(choices: type[Choice], value: Json, key: str, field: str) -> Choice:
    try:
        return choices(value)
    except ValueError:
        raise _unfit(
            key, field, LazyMessage("'{field}' is one of {known}.", field=field, known=", ".join(choices))
        ) from None


def _text(stored: dict[str, Json], key: str, field: str, most: int, *, needed: bool = False) -> str:
    value = stored.get(field, "")
    text = value.strip() if isinstance(value, str) else None
    if text is None or "\0" in text or len(text) > most or (needed and not text):
        said = LazyMessage(
            "'{field}' is a text of {least} to {most} characters.", field=field, least=int(needed), most=most
        )
        raise _unfit(key, field, said)
    return text


def _bool(stored: dict[str, Json], key: str) -> bool:
    value = stored.get("required", True)
    if not isinstance(value, bool):
        raise _unfit(key, "required", LazyMessage("'required' is true or false."))
    return value


def _whole(value: Json, key: str, field: str, least: int, most: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        said = LazyMessage("'{field}' is a whole number from {least} to {most}.", field=field, least=least, most=most)
        raise _unfit(key, field, said)
    return value
