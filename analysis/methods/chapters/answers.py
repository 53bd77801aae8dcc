"""Everything that was said about the recordings of an experiment: by a reference, by systems and by people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from analysis.methods.base import AnsweredPage, HeardSlot
from analysis.methods.chapters.evaluation import Answer
from analysis.methods.chapters.titles import Title

KIND = "chapters"  # of the texts that hold what a system, or the reference, says
FULL_LENGTH, REFERENCE = "full-length", "reference"  # roles of conditions


class Source(NamedTuple):
    """Who said it: a person by number, or a system by the name of its condition."""

    annotator: int | None = None
    condition: str | None = None


@dataclass
class Recording:
    """One item: how long it is, and what was said about it."""

    duration_s: float
    reference: Answer | None = None
    systems: dict[str, Answer] = field(default_factory=dict)
    people: dict[int, Answer] = field(default_factory=dict)
    heard_s: dict[int, float] = field(default_factory=dict)  # of it, by each person

    @property
    def given(self) -> dict[Source, Answer]:
        """Every answer but the reference, systems before people."""
        systems = {Source(condition=name): answer for name, answer in sorted(self.systems.items())}
        return systems | {Source(annotator=number): answer for number, answer in sorted(self.people.items())}


def gathered(pages: Iterable[AnsweredPage], material: Sequence[HeardSlot]) -> dict[str, Recording]:
    """Recordings by item, in the order of their names; those that nobody was asked about count for the systems."""
    recordings = {item: Recording(duration_s) for item, duration_s in _durations_s(material).items()}
    for page in pages:
        heard = page.slots["full"]
        recording = recordings.setdefault(heard.item, Recording(heard.duration_s))
        recording.duration_s = heard.duration_s
        recording.people[page.listener] = _answer(page.detail["boundaries_s"], page.detail["titles"])
        recording.heard_s[page.listener] = page.detail["heard_s"]
    for told in sorted((slot for slot in material if _is_told(slot)), key=lambda slot: slot.condition):
        found = recordings.get(told.item)
        if found is None:
            continue  # a text about a sound that is not there has no length to be measured in
        answer = chapters_of(told.text or {})
        if told.role == REFERENCE and found.reference is None:
            found.reference = answer
        else:
            found.systems[told.condition] = answer
    return {item: recording for item, recording in sorted(recordings.items()) if recording.given or recording.reference}


def chapters_of(text: Mapping[str, Any]) -> Answer:
    """Read a text of that kind: seconds with titles, or seconds alone. A chapter at 0 has a title and no boundary."""
    told = [(each, "") if isinstance(each, int | float) else (each[0], each[1]) for each in text["chapters"]]
    starts = sorted((float(start_s), str(title)) for start_s, title in told)
    return _answer([start_s for start_s, _ in starts], [(title, start_s) for start_s, title in starts])


def _answer(starts_s: Iterable[float], titles: Iterable[Sequence[Any]]) -> Answer:
    """Who named no chapter at all was not asked for titles, or gave none: there is nothing to compare, not nothing."""
    named = [Title(str(title), float(start_s)) for title, start_s in titles if str(title).strip()]
    return Answer([start_s for start_s in starts_s if start_s > 0], named or None)


def _durations_s(material: Sequence[HeardSlot]) -> dict[str, float]:
    """How long the sound of each item is; where it has several, the full-length one."""
    sounds = [slot for slot in material if slot.text is None]
    return {slot.item: slot.duration_s for slot in sorted(sounds, key=lambda slot: slot.role == FULL_LENGTH)}


def _is_told(slot: HeardSlot) -> bool:
    return slot.text is not None and slot.text.get("kind") == KIND
