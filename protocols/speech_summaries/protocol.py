"""Speech summaries by word extraction: makers pick words of a transcript, judges rate versions of hidden source."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import ClassVar

from core.i18n import LazyMessage, ngettext_noop
from core.i18n import gettext_noop as _
from rating.pace import ANSWER_S, FURTHER_MARK_S, WORD_S
from rating.payload import require_bool, require_integer, require_list, require_object, require_text
from rating.protocol import (
    FULL_LENGTH,
    PLAYS_ALLOWED,
    PLAYS_ALLOWED_HELP,
    REFERENCE,
    Answer,
    Entry,
    Groups,
    InvalidAnswer,
    Json,
    LabelSet,
    LabelStatus,
    Mark,
    MaterialUnfit,
    Needs,
    Option,
    OptionUnfit,
    PageAccess,
    Protocol,
    Scale,
    ScaleLabels,
    Slot,
    TrialPlan,
    by_item,
    sounds,
    texts,
    the_sound,
)

MAKER, JUDGE = "maker", "judge"
MOST_WORDS = 10_000
LONGEST_COMMENT = 5000
READINGS = 3  # of a sentence: once to know it, once while words are picked or versions compared, once to check
COMPARISONS = 2  # readings of a version, each beside the sentence
PICK_S = 2.0  # to decide on a word and pick it; some are taken back


class SpeechSummaries(Protocol):
    """One page is one utterance. Words keep their order, and a word is known by its position: two equal ones differ.

    The transcript of an utterance is a text of words in the role "reference" (or "full-length"); every other text is a
    version. Makers and judges sit in different panels, so nobody judges what they summarised.
    """

    slug = "speech_summaries"
    version = "1.0"
    title = "Speech summaries by picking words"
    summary = _("Some people shorten a transcript by picking words; others judge the result.")
    scales = (Scale("QUALITY", low=1, high=5), Scale("WORDS", low=1, high=MOST_WORDS))
    roles = frozenset({"test", REFERENCE, "anchor", FULL_LENGTH})
    text_kinds = frozenset({"tokens", "summary"})
    groups = Groups(
        (MAKER, JUDGE),
        exclusive=True,
        tasks={
            MAKER: _("You shorten each sentence by choosing the words that stay."),
            JUDGE: _("You rate short versions of each sentence."),
        },
    )
    access = PageAccess(workspace=True, revisable=True, sounds_needed="none")  # the utterance can be read
    needs = Needs(headphones=False)
    counted = ngettext_noop("%(n)s sentence", "%(n)s sentences")
    answered_of = ngettext_noop(
        "You have answered %(answered)s of %(n)s sentence.", "You have answered %(answered)s of %(n)s sentences."
    )
    options: ClassVar[Mapping[str, Option]] = {
        "plays_allowed": Option(0, PLAYS_ALLOWED, PLAYS_ALLOWED_HELP),
        "ratio": Option(
            0.4, _("Share of words to keep"), _("The share of the words that a summary keeps, above 0 and up to 1.")
        ),
        "tolerance": Option(
            0.05,
            _("Tolerance of that share"),
            _("By how much that share may be missed, up or down; 0.05 is 5 of 100 words."),
        ),
        "sound": Option(
            True,
            _("Sound on demand"),
            _("Whether the utterance can be heard on demand, where the collection has its sound."),
        ),
    }

    def plan(self, entries: Sequence[Entry], options: Mapping[str, Json], rng: Random) -> Iterable[TrialPlan]:
        wanted = {**self.defaults, **options}
        items = by_item(entries)
        page = self._judged if wanted.get("group") == JUDGE else self._made
        for item in rng.sample(sorted(items), len(items)):
            yield page(items[item], wanted, rng)

    def _made(self, entries: list[Entry], options: Mapping[str, Json], rng: Random) -> TrialPlan:
        transcript, _ = _parts(entries)
        count, ratio = len(words_of(transcript)), float(options["ratio"])
        least, most = words_allowed(count, ratio, float(options["tolerance"]))
        target = min(max(round(ratio * count), least), most)
        detail = {"group": MAKER, "ratio": ratio, "target": target, "least": least, "most": most}
        return TrialPlan(slots=_slots(transcript, entries, options), ask=("WORDS",), detail=detail)

    def _judged(self, entries: list[Entry], options: Mapping[str, Json], rng: Random) -> TrialPlan:
        transcript, versions = _parts(entries)
        if not versions:
            raise MaterialUnfit(problem=f"{entries[0].item} has no versions to judge. Bring in at least one.")
        shuffled = rng.sample(versions, len(versions))
        shown = tuple(Slot(f"v{number}", entry) for number, entry in enumerate(shuffled, start=1))
        slots = _slots(transcript, entries, options) + shown
        return TrialPlan(slots=slots, ask=("QUALITY",), detail={"group": JUDGE})

    def check_options(self, options: Mapping[str, Json], material: Mapping[str, Mapping[str, str]]) -> None:
        if not 0 < options.get("ratio", 1) <= 1:
            raise OptionUnfit(option="ratio", problem=LazyMessage("it is a share of the words, above 0 and up to 1."))
        if not 0 <= options.get("tolerance", 0) < 1:
            raise OptionUnfit(option="tolerance", problem=LazyMessage("it is a share of the words, from 0 to below 1."))

    def page_s(self, trial: TrialPlan, options: Mapping[str, Json]) -> float:
        """The sentence is heard once where it has a sound, and read; then words are picked, or versions rated."""
        heard_s = sum(slot.entry.duration_s for slot in trial.slots)
        read_s = READINGS * len(words_of(_transcript(trial))) * WORD_S
        if trial.detail["group"] == JUDGE:
            versions = [slot.entry.text or {} for slot in _versions(trial)]
            words = sum(len(str(text.get("text", "")).split()) for text in versions)
            return heard_s + read_s + COMPARISONS * words * WORD_S + len(versions) * ANSWER_S + FURTHER_MARK_S
        return heard_s + read_s + int(trial.detail["target"]) * PICK_S + ANSWER_S + FURTHER_MARK_S

    def present(self, trial: TrialPlan) -> Json:
        return {"versions": [slot.key for slot in _versions(trial)], "ask": list(trial.ask), **trial.detail}

    def read(self, payload: Json, trial: TrialPlan) -> Answer:
        return _read_judged(self, payload, trial) if trial.detail["group"] == JUDGE else _read_made(payload, trial)

    def example(self, trial: TrialPlan, rng: Random, *, listener: str = "") -> Json:
        if trial.detail["group"] == JUDGE:
            marks = {slot.key: self._drawn(slot.entry, listener, rng) for slot in _versions(trial)}
            return {"marks": marks, "finished": True}
        transcript = _transcript(trial)
        wanted = rng.randint(trial.detail["least"], trial.detail["most"])
        # Long words tend to matter, and each has a weight of its own: simulated makers agree to a degree.
        weights = {
            place: Random(f"{transcript.item} {place}").random() + rng.random() / 2 + len(word) / 8
            for place, word in enumerate(words_of(transcript), start=1)
        }
        return {"picked": sorted(sorted(weights, key=lambda place: -weights[place])[:wanted]), "finished": True}

    def _drawn(self, entry: Entry, listener: str, rng: Random) -> int:
        scale = self.scale("QUALITY")
        centre = Random(entry.condition).uniform(1.5, 4.5)
        return int(scale.vote(centre + entry.judged(scale, listener).effects(scale.components), rng))

    label_sets = (
        LabelSet(
            id="summaries-en-1",
            language="en",
            version=1,
            status=LabelStatus.REVIEWED,
            source="Earmark's own wording; the ends of the scale as in Hori, Hori and Furui (2003)",
            scales={
                "QUALITY": ScaleLabels(
                    word="Quality",
                    question="How good is this summary of the sentence?",
                    attend="Does it keep what matters, and does it read well? Each version only leaves words out.",
                    anchors=((5, "Best"), (4, "Good"), (3, "Fair"), (2, "Poor"), (1, "Incorrect")),
                ),
                "WORDS": ScaleLabels(
                    word="Words",
                    question="Which words make the best summary?",
                    attend="Their order stays the same, and no word can be changed.",
                    anchors=((1, "One word"),),
                ),
            },
        ),
    )


def words_of(entry: Entry) -> list[str]:
    return list((entry.text or {}).get("tokens") or ())


def words_allowed(count: int, ratio: float, tolerance: float) -> tuple[int, int]:
    """How few and how many of so many words may be picked; the nearest number, where none is within the tolerance."""
    fit = [n for n in range(1, count + 1) if abs(n / count - ratio) <= tolerance + 1e-9]
    nearest = min(range(1, count + 1), key=lambda n: round(abs(n / count - ratio), 9), default=0)
    return (fit[0], fit[-1]) if fit else (nearest, nearest)


def _parts(entries: list[Entry]) -> tuple[Entry, list[Entry]]:
    found = texts(entries)
    transcripts = [entry for entry in found if entry.role in (REFERENCE, FULL_LENGTH) and words_of(entry)]
    if len(transcripts) != 1:
        raise MaterialUnfit(
            problem=(
                f"{entries[0].item} has {len(transcripts)} transcripts. It must have one: a text of words in the role "
                f"{REFERENCE}."
            )
        )
    return transcripts[0], [entry for entry in found if entry is not transcripts[0]]


def _slots(transcript: Entry, entries: list[Entry], options: Mapping[str, Json]) -> tuple[Slot, ...]:
    heard = [the_sound(entries)] if options["sound"] and sounds(entries) else []
    return (Slot("transcript", transcript), *(Slot("sound", entry) for entry in heard))


def _transcript(trial: TrialPlan) -> Entry:
    return next(slot.entry for slot in trial.slots if slot.key == "transcript")


def _versions(trial: TrialPlan) -> list[Slot]:
    """The versions in the order of their numbers, in whichever order the slots were stored."""
    versions = [slot for slot in trial.slots if slot.key.startswith("v")]
    return sorted(versions, key=lambda slot: int(slot.key.removeprefix("v")))


def _read_made(payload: Json, trial: TrialPlan) -> Answer:
    parts = require_object(payload, "the answer", keys=("picked", "listened", "finished"), needs=["picked"])
    count = len(words_of(_transcript(trial)))
    require_object(parts.get("listened", {}), "listened", keys=("plays",))
    picked = [
        require_integer(position, "a position", least=1, most=count)
        for position in require_list(parts["picked"], "picked", most=count)
    ]
    if any(later <= earlier for earlier, later in pairwise(picked)):
        raise InvalidAnswer(problem="positions come in the order of the transcript, each once.")
    whole = require_bool(parts.get("finished", False), "finished")
    least, most = trial.detail["least"], trial.detail["most"]
    if whole and not least <= len(picked) <= most:
        raise InvalidAnswer(problem=f"a summary of this sentence has {least} to {most} words, not {len(picked)}.")
    marks = (Mark("transcript", "WORDS", float(len(picked))),) if picked else ()
    return Answer(marks=marks, detail={"picked": picked}, whole=whole)


def _read_judged(protocol: SpeechSummaries, payload: Json, trial: TrialPlan) -> Answer:
    parts = require_object(payload, "the answer", keys=("marks", "comment", "listened", "finished"), needs=["marks"])
    versions = [slot.key for slot in _versions(trial)]
    given = require_object(parts["marks"], "marks", keys=versions)
    require_object(parts.get("listened", {}), "listened", keys=("plays",))
    marks = tuple(Mark(key, "QUALITY", protocol.scale("QUALITY").accept(value)) for key, value in sorted(given.items()))
    whole = require_bool(parts.get("finished", False), "finished")
    if whole and (missing := [key for key in versions if key not in given]):
        raise InvalidAnswer(problem=f"every version is rated; still open: {', '.join(missing)}.")
    comment = require_text(parts.get("comment", ""), "comment", longest=LONGEST_COMMENT)
    return Answer(marks=marks, detail={"comment": comment}, whole=whole)
