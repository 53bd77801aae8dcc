"""ABX: two labelled sounds and an unknown one that is one of them; free switching, then "X is A" or "X is B"."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, cycle
from random import Random
from typing import ClassVar

from core.i18n import LazyMessage, ngettext_noop
from core.i18n import gettext_noop as _
from rating.pace import ANSWER_S
from rating.payload import require_choice, require_integer, require_number, require_object
from rating.protocol import (
    PLAYS_ALLOWED,
    PLAYS_ALLOWED_HELP,
    PRACTICE,
    PRACTICE_HELP,
    PRACTICE_SESSION,
    PRACTICE_TRIALS,
    REFERENCE,
    Answer,
    Entry,
    Json,
    LabelSet,
    LabelStatus,
    Mark,
    MaterialUnfit,
    Option,
    OptionUnfit,
    PageAccess,
    Protocol,
    Scale,
    ScaleLabels,
    Slot,
    TrialColumn,
    TrialKind,
    TrialPlan,
    by_item,
    draw_practice,
    sounds,
    without_repeated_items,
)

LETTERS = ("a", "b")
MOST_REPETITIONS = 100
MOST_MS = 1e9
MOST_SWITCHES = 1_000_000
# Of every sound about twice as much is heard as its first seconds: people switch, and do not hear long sounds through.
HEARD_TWICE, LONGEST_HEARD_S = 2, 10.0
# Whether the pair's second sound is A, and which letter X is: two in a row balance both, four their combinations too.
ARRANGEMENTS = ((False, "a"), (True, "b"), (False, "b"), (True, "a"))


class AbxDiscrimination(Protocol):
    """One page is one trial. X has a slot and a media id of its own; which sound it is stays in the plan."""

    slug = "abx"
    version = "1.0"
    title = "ABX discrimination"
    summary = _("Listeners compare X with A and B and say which of the two it is.")
    scales = (Scale("ANSWER", low=1, high=2), Scale("CORRECT", low=0, high=1))
    access = PageAccess(workspace=True)  # sounds are switched between, not heard through
    options: ClassVar[Mapping[str, Option]] = {
        "plays_allowed": Option(0, PLAYS_ALLOWED, PLAYS_ALLOWED_HELP),
        "practice": Option(PRACTICE_TRIALS, PRACTICE, PRACTICE_HELP),
        "repetitions": Option(
            4,
            _("Trials for each pair"),
            _("How many trials each pair of sounds has in a seat; a multiple of 4 balances every pair."),
        ),
        "pairs": Option(
            "reference",
            _("Pairs"),
            _("Which conditions of an item are paired; without a reference, all of them."),
            choices={"reference": _("Each condition with the reference"), "all": _("All conditions with each other")},
        ),
        "sessions": Option(
            1,
            _("Sessions"),
            _("In how many sessions of equal length a seat's trials are heard."),
            by_design=True,
        ),
        "loop": Option(
            True, _("Loop"), _("Whether the sounds begin again at their end until they are stopped."), in_page=True
        ),
    }
    counted = ngettext_noop("%(n)s comparison", "%(n)s comparisons")
    answered_of = ngettext_noop(
        "You have answered %(answered)s of %(n)s comparison.", "You have answered %(answered)s of %(n)s comparisons."
    )
    webmushra_pages: ClassVar[Mapping[str, LazyMessage]] = {
        "paired_comparison": LazyMessage("X is the reference or the other sound, not always the reference")
    }
    trial_columns = (TrialColumn("x_is", "Which of the two labelled sounds X was."),)
    label_sets = (
        LabelSet(
            id="abx-en-1",
            language="en",
            version=1,
            status=LabelStatus.REVIEWED,
            source="Earmark's own wording; ABX tests have no standard one (Clark 1982 describes the method)",
            scales={
                "ANSWER": ScaleLabels(question="Which sound is X?", anchors=((1, "X is A"), (2, "X is B"))),
                "CORRECT": ScaleLabels(question="Was the answer correct?", anchors=((1, "Yes"), (0, "No"))),
            },
        ),
    )

    def check_options(self, options: Mapping[str, Json], material: Mapping[str, Mapping[str, str]]) -> None:
        if not 1 <= options.get("repetitions", 1) <= MOST_REPETITIONS:
            raise OptionUnfit(
                option="repetitions", problem=LazyMessage("it is a number from 1 to {most}.", most=MOST_REPETITIONS)
            )
        if options.get("sessions") == 0:
            raise OptionUnfit(option="sessions", problem=LazyMessage("there must be at least one session."))

    def plan(self, entries: Sequence[Entry], options: Mapping[str, Json], rng: Random) -> Iterable[TrialPlan]:
        wanted = {**self.defaults, **options}
        pairs = [pair for every in by_item(sounds(entries)).values() for pair in _pairs(every, wanted["pairs"])]
        first = rng.randrange(0, len(ARRANGEMENTS), 2)
        arrangements = cycle(ARRANGEMENTS[first:] + ARRANGEMENTS[:first])
        trials = [
            _slots(pair, next(arrangements))
            for pair in rng.sample(pairs, len(pairs))
            for _ in range(int(wanted["repetitions"]))
        ]
        shuffled = rng.sample(trials, len(trials))
        spread = without_repeated_items(shuffled, item_of=lambda trial: trial[0][0].entry.item)
        by_cell = {(one.item, f"{one.condition} {other.condition}"): (one, other) for one, other in pairs}
        for cell in draw_practice(by_cell, count=self.practice_wanted(options), rng=rng):
            slots, x_is = _slots(by_cell[cell], rng.choice(ARRANGEMENTS))
            yield TrialPlan(slots, ("ANSWER", "CORRECT"), TrialKind.PRACTICE, PRACTICE_SESSION, {"x_is": x_is})
        for position, (slots, x_is) in enumerate(spread):
            session = 1 + position * int(wanted["sessions"]) // len(spread)
            yield TrialPlan(slots=slots, ask=("ANSWER", "CORRECT"), session=session, detail={"x_is": x_is})

    def heard_s(self, trial: TrialPlan, options: Mapping[str, Json]) -> float:
        return sum(HEARD_TWICE * min(slot.entry.duration_s, LONGEST_HEARD_S) for slot in trial.slots)

    def page_s(self, trial: TrialPlan, options: Mapping[str, Json]) -> float:
        return self.heard_s(trial, options) + ANSWER_S

    def present(self, trial: TrialPlan) -> Json:
        return {"slots": [slot.key for slot in trial.slots], "ask": ["ANSWER"]}

    def read(self, payload: Json, trial: TrialPlan) -> Answer:
        parts = require_object(payload, "the answer", keys=("answer", "heard_ms", "switches"), needs=("answer",))
        answer = require_choice(parts["answer"], "answer", known=LETTERS)
        heard = require_object(parts.get("heard_ms", {}), "heard_ms", keys=("a", "b", "x"))
        listened = {key: require_number(value, f"heard_ms of {key}", most=MOST_MS) for key, value in heard.items()}
        switches = require_integer(parts.get("switches", 0), "switches", most=MOST_SWITCHES)
        return Answer(
            marks=(
                Mark("x", "ANSWER", float(1 + LETTERS.index(answer))),
                Mark("x", "CORRECT", float(answer == trial.detail["x_is"])),
            ),
            detail={"answer": answer, "heard_ms": listened, "switches": switches},
        )

    def example(self, trial: TrialPlan, rng: Random, *, listener: str = "") -> Json:
        """Some pairs are easy and some cannot be told apart; which ones follows from the conditions."""
        pair = " ".join(sorted(slot.entry.condition for slot in trial.slots[:2]))
        right = rng.random() < Random(pair).uniform(0.5, 1.0)
        x_is = trial.detail["x_is"]
        answer = x_is if right else next(letter for letter in LETTERS if letter != x_is)
        return {"answer": answer, "heard_ms": {"a": 800, "b": 700, "x": 1500}, "switches": rng.randrange(2, 9)}


def _pairs(entries: Sequence[Entry], which: str) -> list[tuple[Entry, Entry]]:
    """The pairs of an item, the reference first. Both sounds of a pair have one length, or the length would tell X."""
    references = [entry for entry in entries if entry.role == REFERENCE]
    if which == "reference" and len(references) == 1:
        pairs = [(references[0], entry) for entry in entries if entry.role != REFERENCE]
    else:
        pairs = list(combinations(sorted(entries, key=lambda entry: (entry.role != REFERENCE, entry.condition)), 2))
    if not pairs:
        raise MaterialUnfit(problem=f"{entries[0].item} has one sound. It must have at least two to be told apart.")
    for one, other in pairs:
        if round(one.duration_s, 3) != round(other.duration_s, 3):
            lengths = f"{one.duration_s:.3f} s and {other.duration_s:.3f} s"
            raise MaterialUnfit(
                problem=f"{one.condition} and {other.condition} of {one.item} last {lengths}. Cut them to one length."
            )
    return pairs


def _slots(pair: tuple[Entry, Entry], arrangement: tuple[bool, str]) -> tuple[tuple[Slot, ...], str]:
    swapped, x_is = arrangement
    a, b = reversed(pair) if swapped else pair
    return (Slot("a", a), Slot("b", b), Slot("x", a if x_is == "a" else b)), x_is
