"""Questionnaires of webMUSHRA's pages as questions before the first clip or after the last."""

from collections.abc import Iterable, Mapping
from typing import Any

from core.i18n import LazyMessage
from listening.elsewhere.base import Converted
from rating.question_definitions import MOST_POINTS, QuestionUnfit, free_key, read_questions
from rating.questions import Kind, Place

KINDS = {"text": Kind.SHORT_TEXT, "long_text": Kind.LONG_TEXT, "number": Kind.NUMBER, "likert": Kind.ONE}
SLIDER = "slider"
KNOWN = {"type", "label", "name", "optional", "min", "max", "response", "left", "right"}
NOT_LIKE_THIS = LazyMessage("Earmark has nothing like it")


def take_questions(asked: Any, place: Place, found: Converted, where: str) -> None:
    """Add every question that can be asked here; each of the others is listed with the reason."""
    for question in asked if isinstance(asked, list) else []:
        known: Mapping[str, Any] = question if isinstance(question, Mapping) else {"label": question}
        label = str(known.get("label") or known.get("name") or "").strip()
        try:
            definition = _definition(known, label, place, (one["key"] for one in found.questions))
            read = read_questions([*found.questions, definition] if definition else [])
        except QuestionUnfit as error:
            _drop(found, where, label, error.problem)
            continue
        if not definition:
            _drop(found, where, label, NOT_LIKE_THIS)
            continue
        found.questions = [one.stored() for one in read]
        for key in known.keys() - KNOWN:
            _drop(found, where, label, LazyMessage("`{key}`: {why}", key=str(key), why=NOT_LIKE_THIS))


def _definition(known: Mapping[str, Any], label: str, place: Place, taken: Iterable[str]) -> dict[str, Any]:
    """The question in the form of this program; empty where it has no such kind of question."""
    kind, limits = str(known.get("type", "")), {"low": known.get("min"), "high": known.get("max")}
    own: dict[str, Any] = {}
    if kind == SLIDER:
        kind, own = _slider(known, limits)
    elif kind in KINDS:
        own = {"kind": KINDS[kind]}
    if kind == "number":
        own |= limits
    if kind == "likert":
        own["options"] = [_option(point) for point in known.get("response") or []]
    shared = {
        "key": free_key(str(known.get("name") or label), taken),
        "place": place,
        "text": label,
        "required": not known.get("optional"),
    }
    return shared | own if own else {}


def _slider(known: Mapping[str, Any], limits: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A scale where it has few points; otherwise a number."""
    low, high = limits.values()
    if isinstance(low, int) and isinstance(high, int) and 0 < high - low < MOST_POINTS:
        labels = {"low_label": str(known.get("left") or ""), "high_label": str(known.get("right") or "")}
        return SLIDER, {"kind": Kind.SCALE, **limits, **labels}
    return "number", {"kind": Kind.NUMBER}


def _option(point: Any) -> str:
    return str(point.get("label") or point.get("value") or "") if isinstance(point, Mapping) else str(point)


def _drop(found: Converted, where: str, label: str, why: str) -> None:
    found.drop(where, LazyMessage("the question '{label}': {why}", label=label[:80], why=why))
