"""A small study as the method gets it: three utterances of ten words, makers' picks, versions and judges' ratings."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.method import AnsweredPage, HeardSlot

WORDS = ("rain", "fell", "on", "the", "old", "harbour", "and", "on", "the", "bridge")
ITEMS = ("u1", "u2", "u3")


def slot(item: str, condition: str, role: str = "test", **text: Any) -> HeardSlot:
    return HeardSlot(item, condition, role, {}, {"kind": "tokens", "tokens": list(WORDS), **text}, 0)


def transcript(item: str) -> HeardSlot:
    return slot(item, "spoken", "reference")


def version(item: str, condition: str, positions: Sequence[int | str]) -> HeardSlot:
    words = [WORDS[token - 1] if isinstance(token, int) else token[1:] for token in positions]
    return slot(item, condition, kind="summary", tokens=words, positions=list(positions))


def made(maker: int, item: str, picked: Sequence[int], kind: str = "test") -> AnsweredPage:
    return AnsweredPage(
        listener=maker,
        group="maker",
        panel=1,
        session=1,
        position=1 + ITEMS.index(item),
        kind=kind,
        slots={"transcript": transcript(item)},
        marks={("transcript", "WORDS"): float(len(picked))},
        detail={"picked": list(picked)},
    )


def judged(judge: int, item: str, marks: Mapping[str, float]) -> AnsweredPage:
    shown = {f"v{number}": slot(item, condition) for number, condition in enumerate(marks, start=1)}
    return AnsweredPage(
        listener=judge,
        group="judge",
        panel=2,
        session=1,
        position=1 + ITEMS.index(item),
        kind="test",
        slots={"transcript": transcript(item), **shown},
        marks={(f"v{number}", "QUALITY"): mark for number, mark in enumerate(marks.values(), start=1)},
        detail={"comment": ""},
    )


PICKS = {1: (1, 2, 3, 5, 6), 2: (1, 2, 8, 10), 3: (1, 2, 3, 6), 4: (1, 2, 8, 9, 10)}
MATERIAL = [
    part
    for item in ITEMS
    for part in (transcript(item), version(item, "close", (1, 2, 3, 10)), version(item, "far", (4, "?plum", 7, 9)))
]
MADE = [made(maker, item, picked) for maker, picked in PICKS.items() for item in ITEMS]
JUDGED = [
    judged(11, "u1", {"close": 5, "far": 1}),
    judged(11, "u2", {"close": 4, "far": 2}),
    judged(12, "u1", {"close": 4, "far": 2}),
]
