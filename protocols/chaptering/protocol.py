"""Chaptering: a recording of any length, in which people mark where chapters begin and what they are called."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import ClassVar

from core.i18n import gettext_noop as _
from core.i18n import ngettext_noop
from rating.pace import ANSWER_S, TYPED_WORD_S
from rating.payload import require_bool, require_integer, require_list, require_number, require_object, require_text
from rating.protocol import (
    FULL_LENGTH,
    PLAYS_ALLOWED,
    PLAYS_ALLOWED_HELP,
    REFERENCE,
    Answer,
    Entry,
    InvalidAnswer,
    Json,
    LabelSet,
    LabelStatus,
    Mark,
    Needs,
    Option,
    PageAccess,
    Protocol,
    Scale,
    ScaleLabels,
    Slot,
    TrialPlan,
    by_item,
    texts,
    the_sound,
)

MOST_CHAPTERS = 2000
LONGEST_TITLE = 300
MOST_PASSAGES = 20_000  # that were heard, each apart from the others
LONGEST_S = 1e7  # more than three months
PARTS = ("boundaries", "opening", "listened", "finished")
# How people work, as far as it can be known beforehand: they hear the recording through, find a chapter every four
# minutes, hear the passage around each mark a few times, and give it a short title.
CHAPTER_S = 4 * 60.0
PASSAGE_S = 15.0
TITLE_WORDS = 4


class Chaptering(Protocol):
    """One page is one recording. The first chapter begins at 0, which is no boundary; it may have a title as all have.

    Chapters of systems and of a reference are texts of the kind "chapters" in the collection: they are compared with
    what people marked, and never shown.
    """

    slug = "chaptering"
    version = "1.0"
    title = "Chapters of a recording"
    summary = _("Listeners mark where the chapters of a long recording begin and name them.")
    scales = (Scale("CHAPTERS", low=1, high=MOST_CHAPTERS + 1),)
    roles = frozenset({"test", REFERENCE, "anchor", FULL_LENGTH})
    text_kinds = frozenset({"transcript"})
    access = PageAccess(workspace=True, sounds_needed="some")
    needs = Needs(headphones=False, least_width_px=1024)
    counted = ngettext_noop("%(n)s recording", "%(n)s recordings")
    answered_of = ngettext_noop(
        "You have answered %(answered)s of %(n)s recording.", "You have answered %(answered)s of %(n)s recordings."
    )
    options: ClassVar[Mapping[str, Option]] = {
        "plays_allowed": Option(0, PLAYS_ALLOWED, PLAYS_ALLOWED_HELP),
        "titles": Option(True, _("Titles"), _("Whether chapters are given titles, or only marked.")),
        "titles_needed": Option(
            False, _("Titles required"), _("Whether every chapter needs a title before the recording can be closed.")
        ),
        "transcript": Option(
            True, _("Transcript"), _("Whether the transcript is shown beside the sound, where an item has one.")
        ),
    }

    def plan(self, entries: Sequence[Entry], options: Mapping[str, Json], rng: Random) -> Iterable[TrialPlan]:
        wanted = {**self.defaults, **options}
        items = by_item(entries)
        for item in rng.sample(sorted(items), len(items)):
            slots = [Slot("full", the_sound(items[item]))]
            if wanted["transcript"]:
                slots += [Slot("transcript", entry) for entry in texts(items[item])[:1]]
            titles = bool(wanted["titles"])
            detail = {"titles": titles, "titles_needed": titles and bool(wanted["titles_needed"])}
            yield TrialPlan(slots=tuple(slots), ask=("CHAPTERS",), detail=detail)

    def page_s(self, trial: TrialPlan, options: Mapping[str, Json]) -> float:
        length_s = trial.slots[0].entry.duration_s
        each_s = PASSAGE_S + ANSWER_S + (TITLE_WORDS * TYPED_WORD_S if trial.detail["titles"] else 0)
        return length_s + each_s * (1 + length_s / CHAPTER_S)

    def present(self, trial: TrialPlan) -> Json:
        return {"slots": [slot.key for slot in trial.slots], "ask": list(trial.ask), **trial.detail}

    def read(self, payload: Json, trial: TrialPlan) -> Answer:
        parts = require_object(payload, "the answer", keys=PARTS, needs=["boundaries"])
        duration_s = trial.slots[0].entry.duration_s
        boundaries = require_list(parts["boundaries"], "boundaries", most=MOST_CHAPTERS)
        marked = [_read_boundary(each, duration_s) for each in boundaries]
        times_s = [at_s for at_s, _ in marked]
        if any(later <= earlier for earlier, later in pairwise(times_s)):
            raise InvalidAnswer(problem="boundaries come in the order of time, each once.")
        opening = require_text(parts.get("opening", ""), "opening", longest=LONGEST_TITLE)
        titles = [opening, *(title for _, title in marked)]
        whole = require_bool(parts.get("finished", False), "finished")
        if whole and trial.detail["titles_needed"] and not all(title.strip() for title in titles):
            raise InvalidAnswer(problem="every chapter needs a title, the first one too.")
        detail = {
            "boundaries_s": times_s,
            "titles": [[title, at_s] for title, at_s in zip(titles, [0.0, *times_s], strict=True)],
            "heard_s": round(_read_heard_s(parts.get("listened", {}), duration_s), 3),
        }
        return Answer(marks=(Mark("full", "CHAPTERS", float(len(titles))),), detail=detail, whole=whole)

    def example(self, trial: TrialPlan, rng: Random, *, listener: str = "") -> Json:
        """Boundaries near those that belong to the recording, a few left out, so that simulated people half agree."""
        entry = trial.slots[0].entry
        home = Random(entry.item)
        places = sorted(home.uniform(0.05, 0.95) for _ in range(home.randint(2, 6)))
        found = {
            round(min(max(place + rng.gauss(0, 0.004), 0.01), 0.99) * entry.duration_s, 3): f"Part {number}"
            for number, place in enumerate(places, start=2)
            if rng.random() < 0.85
        }
        boundaries = [
            {"at_s": at_s, "title": title} for at_s, title in sorted(found.items()) if 0 < at_s < entry.duration_s
        ]
        return {"boundaries": boundaries, "opening": "Opening", "finished": True}

    label_sets = (
        LabelSet(
            id="chapters-en-1",
            language="en",
            version=1,
            status=LabelStatus.REVIEWED,
            source="Earmark's own wording",
            scales={
                "CHAPTERS": ScaleLabels(
                    word="Chapters",
                    question="Where does a new chapter begin, and what is it called?",
                    attend="Mark the moment when the subject changes. The first chapter always begins at 0:00.",
                    anchors=((1, "One chapter: nothing to divide"),),
                ),
            },
        ),
    )


def _read_boundary(value: Json, duration_s: float) -> tuple[float, str]:
    boundary = require_object(value, "a boundary", keys=("at_s", "title"), needs=["at_s"])
    at_s = require_number(boundary["at_s"], "at_s of a boundary", most=duration_s)
    if not 0 < at_s < duration_s:
        raise InvalidAnswer(problem=f"a boundary lies inside the recording, after 0 and before {duration_s:g} s.")
    return at_s, require_text(boundary.get("title", ""), "title of a boundary", longest=LONGEST_TITLE)


def _read_heard_s(value: Json, duration_s: float) -> float:
    """How much of the recording was heard at least once, out of the passages that were."""
    listened = require_object(value, "listened", keys=("full", "plays"))
    require_integer(listened.get("plays", 0), "plays", most=10**9)
    passages = require_list(listened.get("full", []), "full", most=MOST_PASSAGES)
    heard_s = reached_s = 0.0
    for from_s, to_s in sorted(_read_passage(each) for each in passages):
        end_s = min(to_s, duration_s)
        heard_s += max(end_s - max(from_s, reached_s), 0.0)
        reached_s = max(reached_s, end_s)
    return heard_s


def _read_passage(value: Json) -> tuple[float, float]:
    ends = require_list(value, "a passage of full", most=2)
    if len(ends) != 2:
        raise InvalidAnswer(problem="a passage of full is [from, to] in seconds.")
    return (
        require_number(ends[0], "the beginning of a passage", most=LONGEST_S),
        require_number(ends[1], "the end of a passage", most=LONGEST_S),
    )
