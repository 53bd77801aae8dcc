"""Contract of a rating protocol and the values it speaks in; plain Python, no Django, no database."""

import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from random import Random
from string import ascii_lowercase
from typing import Any, ClassVar, TypeVar

from core.errors import AppError
from core.i18n import LazyMessage, ngettext_noop
from core.i18n import gettext_noop as _
from rating.pace import ANSWER_S, FURTHER_MARK_S, HEARD_AGAIN
from rating.variance import Judged, VarianceComponents, usual_components

Json = Any
Cell = tuple[str, str]  # item, condition
Thing = TypeVar("Thing")

# The roles of conditions (stimuli.models.Condition.Role), as far as protocols tell them apart.
REFERENCE = "reference"
FULL_LENGTH = "full-length"
TRAP = "trap"
GOLD = "gold"

PLAYS_ALLOWED = _("Plays allowed")
PLAYS_ALLOWED_HELP = _("How often a sound may be played on its page; 0 means as often as wanted.")
FIXATION_CROSS = _("Fixation cross")
FIXATION_CROSS_HELP = _("While a clip plays, show a cross to look at instead of a loudspeaker.")
PRACTICE = _("Practice trials")
PRACTICE_HELP = _(
    "How many practice trials come first. They are taken from the collection and not counted. 0 means none."
)
PRACTICE_TRIALS = 3
OUTER_SHARE = 0.15  # of a scale at either end, in which no simulated condition has its mean


class OptionUnfit(AppError):
    """A value that the protocol cannot use for one of its options."""

    def __init__(self, *, option: str, problem: str) -> None:
        super().__init__(
            "experiment.option_unfit",
            422,
            _("The option '{option}' cannot be used like this: {problem}"),
            option=option,
            problem=problem,
        )


class InvalidAnswer(AppError):
    """A payload that is no answer to its page. Protocol.read raises it, and nothing else judges answers."""

    def __init__(self, *, problem: str) -> None:
        super().__init__("vote.invalid", 422, _("The answer does not fit the question: {problem}"), problem=problem)


class MaterialUnfit(AppError):
    """A collection whose items and conditions are not those that the protocol needs."""

    def __init__(self, *, problem: str) -> None:
        super().__init__(
            "plan.material_unfit", 409, _("The collection does not fit the protocol: {problem}"), problem=problem
        )


@dataclass(frozen=True)
class Scale:
    """A set of numbers that may be given: low, low + step, ... high."""

    key: str
    low: float
    high: float
    step: float = 1.0
    published: VarianceComponents | None = None  # of published votes on this scale

    @property
    def components(self) -> VarianceComponents:
        """Those of published votes, or else the usual ones."""
        return self.published or usual_components(self.low, self.high)

    def accept(self, value: Json) -> float:
        """Return the value as a number, or raise InvalidAnswer saying which values would be right."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidAnswer(problem=f"{self.key} takes a number, not {json.dumps(value)[:40]}.")
        # The range first: an integer of 400 digits fits no float, so it must not reach the division.
        if self.low <= value <= self.high:
            steps = (value - self.low) / self.step
            if abs(steps - round(steps)) <= 1e-9:
                return float(value)
        raise InvalidAnswer(
            problem=f"{self.key} takes {self.low:g} to {self.high:g} in steps of {self.step:g}, not {str(value)[:20]}."
        )

    def vote(self, perceived: float, rng: Random) -> float:
        """What a person gives who thinks so: with the error of a vote, on one of the values of the scale."""
        error = self.components.before_rounding(self.step).residual
        steps = round((rng.gauss(perceived, math.sqrt(error)) - self.low) / self.step)
        return min(max(round(self.low + steps * self.step, 9), self.low), self.high)

    def values(self) -> list[float]:
        # Rounded, so that the values of -2, -1.9 ... 0 are what people would write.
        return [round(self.low + self.step * n, 9) for n in range(round((self.high - self.low) / self.step) + 1)]


class LabelStatus(StrEnum):
    """How far the wording of a label set can be trusted; a draft may be looked at but never collects data."""

    OFFICIAL = "official"
    PUBLISHED = "published"
    REVIEWED = "reviewed"
    DRAFT = "draft"


@dataclass(frozen=True)
class ScaleLabels:
    """The words around one scale: what is asked, and a name for each labelled number, best first."""

    question: str
    anchors: tuple[tuple[float, str], ...]
    attend: str = ""
    word: str = ""  # what the scale is about in one word, where several take turns and must not be mistaken


@dataclass(frozen=True)
class LabelSet:
    """The exact words of a protocol in one language. Wording is part of the method, so it is versioned and hashed."""

    id: str
    language: str
    version: int
    status: LabelStatus
    source: str
    scales: Mapping[str, ScaleLabels]

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


class TrialKind(StrEnum):
    """What a page is for. Attention checks look like test pages to the listener, and never count in a mean."""

    PRACTICE = "practice"
    TEST = "test"
    TRAP = "trap"
    GOLD = "gold"
    REPEAT = "repeat"

    @property
    def shown(self) -> str:
        """What the browser is told."""
        return self.value if self is TrialKind.PRACTICE else TrialKind.TEST.value


CHECKS = (TrialKind.TRAP, TrialKind.GOLD, TrialKind.REPEAT)
COUNTED = (TrialKind.PRACTICE, TrialKind.TEST)  # the pages that designs and tables know


PRACTICE_SESSION = 0  # the session before the first that counts


@dataclass(frozen=True)
class Entry:
    """Something that may be planned: one stimulus, what it contains (item) and what was done to it (condition)."""

    stimulus: str
    item: str
    condition: str
    role: str = "test"
    factors: Mapping[str, str] = field(default_factory=dict)
    text: Mapping[str, Json] | None = None  # where it is read and not heard: {"kind", "text", "tokens"}
    duration_s: float = 0.0

    def judged(self, scale: Scale, listener: str) -> Judged:
        return Judged(scale.key, listener, self.item, self.condition)


@dataclass(frozen=True)
class Slot:
    """A place for one stimulus on a trial's page; its key is all that the answer refers to."""

    key: str
    entry: Entry


@dataclass(frozen=True)
class TrialPlan:
    """One page: what is heard, on which scales it is rated, in which session of the visit."""

    slots: tuple[Slot, ...]
    ask: tuple[str, ...]
    kind: TrialKind = TrialKind.TEST
    session: int = 1
    detail: Mapping[str, Json] = field(default_factory=dict)  # whatever else `present` needs; stored with the trial


@dataclass(frozen=True)
class Mark:
    """One number about one slot on one scale."""

    slot: str
    scale: str
    value: float


@dataclass(frozen=True)
class Answer:
    """What a payload means: the marks, and in `detail` whatever is not a number.

    An answer that is not whole is a draft: it is kept like any other, but no mark of it counts and its page stays open.
    """

    marks: tuple[Mark, ...]
    detail: Mapping[str, Json] = field(default_factory=dict)
    whole: bool = True


@dataclass(frozen=True)
class Option:
    """An option of an experiment. The kind of its default is the kind of value it takes."""

    default: Json
    label: str  # marked for translation, as are help and the labels of the choices
    help: str
    choices: Mapping[str, str] = field(default_factory=dict)  # where it is one of a few words: each with its label
    in_page: bool = False  # whether the browser is told
    by_design: bool = False  # whether a design that panels share takes its place
    sample: Json = None  # of an object, a value as a person could write it


@dataclass(frozen=True)
class Groups:
    """Groups of people, such as experts, whose panels are planned differently or analysed apart."""

    names: tuple[str, ...] = ()
    exclusive: bool = False  # whether nobody may take a seat in panels of two groups
    tasks: Mapping[str, str] = field(default_factory=dict)  # of each group in one sentence, marked for translation


@dataclass(frozen=True)
class PageAccess:
    """How participants move through their pages, and what they can reach from one."""

    workspace: bool = False  # a page is worked on in drafts, and not heard through and then rated
    example: bool = False  # practice is a worked example, which is looked at
    revisable: bool = False  # answers may be changed until everything is handed in
    overview_option: str = ""  # the option under which pages that were never opened may be read, as in one table of all
    sounds_needed: str = "every"  # of a page's sounds, how many must be fetched to answer: every, some, none
    one_at_a_time: bool = False  # only the open page's sound can be reached
    absence_hours: int = 168  # before a seat may be given to another person, unless the experimenter decides otherwise


@dataclass(frozen=True)
class Needs:
    """What a participant needs; said before consent, and the width is checked there."""

    headphones: bool = True  # loudspeakers do where nothing is judged by ear alone
    least_width_px: int = 0  # of the window, where pages do not fit a phone


@dataclass(frozen=True)
class TrialColumn:
    """A column that a protocol adds to tables of marks: a key of `TrialPlan.detail`."""

    key: str
    help: str

    def of(self, detail: Mapping[str, Json]) -> str | int | None:
        """The value on one page; a list is written with hyphens, such as SIG-BAK-OVRL."""
        value = detail.get(self.key)
        return "-".join(value) if isinstance(value, list) else value


class Protocol(ABC):
    """A rating protocol: constants and four methods. The rest of the platform is the same for every protocol."""

    slug: ClassVar[str]  # the label of its app
    version: ClassVar[str]  # stored on every vote
    title: ClassVar[str]
    summary: ClassVar[str] = ""  # what listeners do, in one sentence for experimenters; marked for translation
    scales: ClassVar[tuple[Scale, ...]]
    label_sets: ClassVar[tuple[LabelSet, ...]]
    options: ClassVar[Mapping[str, Option]] = {"plays_allowed": Option(1, PLAYS_ALLOWED, PLAYS_ALLOWED_HELP)}
    roles: ClassVar[frozenset[str]] = frozenset({"test", REFERENCE, "anchor"})  # of the conditions that are planned
    text_kinds: ClassVar[frozenset[str]] = frozenset()  # of the texts that are planned beside sounds
    groups: ClassVar[Groups] = Groups()
    access: ClassVar[PageAccess] = PageAccess()
    needs: ClassVar[Needs] = Needs()
    counted: ClassVar[tuple[str, str]] = ngettext_noop("%(n)s clip", "%(n)s clips")  # what participants call a page
    answered_of: ClassVar[tuple[str, str]] = ngettext_noop(  # said to those who come back, by the same noun
        "You have answered %(answered)s of %(n)s clip.", "You have answered %(answered)s of %(n)s clips."
    )
    pages_each: ClassVar[int] = 1  # how many pages each of what is counted has
    trial_columns: ClassVar[tuple[TrialColumn, ...]] = ()
    shows_reference: ClassVar[bool] = False  # whether pages tell which sound is the reference, as in DCR
    # Types of webMUSHRA's pages that ask the same, each with how it differs here.
    webmushra_pages: ClassVar[Mapping[str, LazyMessage]] = {}

    @abstractmethod
    def plan(self, entries: Sequence[Entry], options: Mapping[str, Json], rng: Random) -> Iterable[TrialPlan]:
        """Shape one seat's trials: same entries, options and seed, same trials.

        The options are those of the experiment and, where the protocol has groups, "group": that of the seat's panel.
        """

    @abstractmethod
    def present(self, trial: TrialPlan) -> Json:
        """Return what the browser receives besides media ids and labels; it names no item, condition or file."""

    @abstractmethod
    def read(self, payload: Json, trial: TrialPlan) -> Answer:
        """Accept a payload, or raise InvalidAnswer. Nothing else judges an answer."""

    @abstractmethod
    def example(self, trial: TrialPlan, rng: Random, *, listener: str = "") -> Json:
        """Answer as a plausible participant would: the bot behind tests, the demo and load.

        Answers of one listener go together: what is peculiar to a person depends on this name, the rest on chance.
        """

    def page_s(self, trial: TrialPlan, options: Mapping[str, Json]) -> float:
        """Estimate how long a page takes, by the paces of rating/pace.py; stored with the trial when it is planned."""
        return self.heard_s(trial, options) + ANSWER_S + FURTHER_MARK_S * (len(trial.ask) - 1)

    def heard_s(self, trial: TrialPlan, options: Mapping[str, Json]) -> float:
        """How long the sounds of a page are heard: one after the other, and again where they may be played again."""
        return hearings(options) * sum(slot.entry.duration_s for slot in trial.slots)

    def check_options(self, options: Mapping[str, Json], material: Mapping[str, Mapping[str, str]]) -> None:
        """Reject what a kind cannot say. The material: roles by condition by item; empty before the first import."""
        return

    @property
    def defaults(self) -> dict[str, Json]:
        return {name: option.default for name, option in self.options.items()}

    def practice_wanted(self, options: Mapping[str, Json]) -> int:
        """How many practice trials an experiment with these options begins with."""
        return int(options.get("practice", self.defaults.get("practice", 0)))

    def scale(self, key: str) -> Scale:
        return next(scale for scale in self.scales if scale.key == key)

    def label_set(self, id: str) -> LabelSet:
        return next(labels for labels in self.label_sets if labels.id == id)


def hearings(options: Mapping[str, Json]) -> float:
    """How often a sound is heard on its page, on average."""
    return 1.0 if options.get("plays_allowed", 1) == 1 else HEARD_AGAIN


WHOLE_ITEM = "*"  # instead of a condition, where a page holds an item under all of them


class PageHolds(StrEnum):
    """What one page of a designed panel holds."""

    STIMULUS = "stimulus"  # an item under one condition
    PAIR = "pair"  # the reference of an item, then the item under one condition
    ITEM = "item"  # an item under all its conditions


class Designable(ABC):
    """Capability: pages can be arranged for a whole panel, with subsets and orders (listening.design)."""

    page_holds: ClassVar[PageHolds] = PageHolds.STIMULUS
    scale_orders: ClassVar[tuple[tuple[str, ...], ...]] = ()  # in which scales may be asked; none: as declared

    @abstractmethod
    def trials_for(
        self, page: Sequence[Entry], *, session: int, kind: TrialKind, scales: Sequence[str] = ()
    ) -> tuple[TrialPlan, ...]:
        """Plan the trials of one page of entries, with the scales in this order."""


class ScaleProtocol(Designable, Protocol):
    """A protocol that only asks for numbers: every scale on every page. Declarations are enough."""

    options: ClassVar[Mapping[str, Option]] = {
        "plays_allowed": Option(1, PLAYS_ALLOWED, PLAYS_ALLOWED_HELP),
        "practice": Option(PRACTICE_TRIALS, PRACTICE, PRACTICE_HELP),
        "fixation_cross": Option(False, FIXATION_CROSS, FIXATION_CROSS_HELP, in_page=True),
    }

    def plan(self, entries: Sequence[Entry], options: Mapping[str, Json], rng: Random) -> Iterable[TrialPlan]:
        pages = pages_of(entries, self.page_holds)
        cells = without_repeated_items(rng.sample(list(pages), len(pages)), item_of=lambda cell: cell[0])
        for cell in draw_practice(pages, count=self.practice_wanted(options), rng=rng):
            yield from self.trials_for(pages[cell], session=PRACTICE_SESSION, kind=TrialKind.PRACTICE)
        for cell in cells:
            yield from self.trials_for(pages[cell], session=1, kind=TrialKind.TEST)

    def trials_for(
        self, page: Sequence[Entry], *, session: int, kind: TrialKind, scales: Sequence[str] = ()
    ) -> tuple[TrialPlan, ...]:
        ask = tuple(scales) or tuple(scale.key for scale in self.scales)
        slots = tuple(Slot(key, entry) for key, entry in zip(ascii_lowercase, page, strict=False))
        return (TrialPlan(slots=slots, ask=ask, kind=kind, session=session),)

    def rated(self, trial: TrialPlan) -> tuple[Slot, ...]:
        """The slots that are asked about: all but a reference that is shown as such, which is the first of a pair."""
        return trial.slots[1:] if self.shows_reference else trial.slots

    def page_s(self, trial: TrialPlan, options: Mapping[str, Json]) -> float:
        marks = len(self.rated(trial)) * len(trial.ask)
        return self.heard_s(trial, options) + ANSWER_S + FURTHER_MARK_S * (marks - 1)

    def heard_s(self, trial: TrialPlan, options: Mapping[str, Json]) -> float:
        """The sounds and the silences between them, as often as the options say."""
        rounds = int(options.get("rounds", 1))
        gap_s, round_gap_s = (float(options.get(name, 0)) for name in ("gap_s", "round_gap_s"))
        once_s = sum(slot.entry.duration_s for slot in trial.slots) + (len(trial.slots) - 1) * gap_s
        return hearings(options) * (rounds * once_s + (rounds - 1) * round_gap_s)

    def present(self, trial: TrialPlan) -> Json:
        shown = {"reference": trial.slots[0].key} if self.shows_reference else {}
        return {"slots": [slot.key for slot in self.rated(trial)], "ask": list(trial.ask), **shown}

    def read(self, payload: Json, trial: TrialPlan) -> Answer:
        marks = payload.get("marks") if isinstance(payload, dict) else None
        if not isinstance(marks, list) or not all(isinstance(mark, dict) for mark in marks):
            raise InvalidAnswer(problem='it must hold a list called "marks" of {"slot", "scale", "value"}.')
        wanted = {(slot.key, scale) for slot in self.rated(trial) for scale in trial.ask}
        read: dict[tuple[str, str], float] = {}
        for mark in marks:
            place = (str(mark.get("slot")), str(mark.get("scale")))
            if place not in wanted:
                known = ", ".join(f"{slot}/{scale}" for slot, scale in sorted(wanted))
                raise InvalidAnswer(problem=f"this page asks for {known}, not for {place[0][:40]}/{place[1][:40]}.")
            if place in read:
                raise InvalidAnswer(problem=f"{place[0]}/{place[1]} is answered twice.")
            read[place] = self.scale(place[1]).accept(mark.get("value"))
        if missing := wanted - read.keys():
            raise InvalidAnswer(problem="no value for " + ", ".join(f"{s}/{k}" for s, k in sorted(missing)) + ".")
        return Answer(marks=tuple(Mark(slot, scale, value) for (slot, scale), value in sorted(read.items())))

    def example(self, trial: TrialPlan, rng: Random, *, listener: str = "") -> Json:
        return {
            "marks": [
                {"slot": slot.key, "scale": key, "value": self._drawn(slot.entry, self.scale(key), listener, rng)}
                for slot in self.rated(trial)
                for key in trial.ask
            ]
        }

    def _drawn(self, entry: Entry, scale: Scale, listener: str, rng: Random) -> float:
        return scale.vote(self.perceived(entry, scale, listener), rng)

    def perceived(self, entry: Entry, scale: Scale, listener: str) -> float:
        """What a simulated listener thinks of a stimulus: the mean of its condition and effects by the components.

        The mean follows from the condition's name, so that a simulated panel has an order to recover.
        """
        margin = (scale.high - scale.low) * OUTER_SHARE
        centre = Random(f"{entry.condition} {scale.key}").uniform(scale.low + margin, scale.high - margin)
        return centre + entry.judged(scale, listener).effects(scale.components)


def without_repeated_items(things: Sequence[Thing], *, item_of: Callable[[Thing], str]) -> list[Thing]:
    """Move entries or pages apart, as far as can be, so that the same item is not heard twice in a row."""
    spread: list[Thing] = []
    waiting = [(item_of(thing), thing) for thing in things]
    last = None
    while waiting:
        counts = Counter(item for item, _ in waiting)
        # An item that fills more than half of the rest must go now, or it ends up beside itself.
        pressing = [each for each in waiting if counts[each[0]] > len(waiting) / 2 and each[0] != last]
        free = [each for each in waiting if each[0] != last]
        chosen = (pressing or free or waiting)[0]
        waiting.remove(chosen)
        spread.append(chosen[1])
        last = chosen[0]
    return spread


def draw_practice(cells: Iterable[Cell], *, count: int, rng: Random) -> list[Cell]:
    """Draw pages to practise with, of different items and conditions as far as there are."""
    left = sorted(cells)
    rng.shuffle(left)
    drawn: list[Cell] = []
    while left and len(drawn) < count:
        best = min(left, key=lambda cell: sum((cell[0] == item) + (cell[1] == name) for item, name in drawn))
        left.remove(best)
        drawn.append(best)
    return drawn


def pages_of(entries: Iterable[Entry], holds: PageHolds) -> dict[Cell, tuple[Entry, ...]]:
    """What every page that can be arranged holds, by its item and condition."""
    items = by_item(entries)
    if holds is PageHolds.ITEM:
        return {(item, WHOLE_ITEM): tuple(every) for item, every in items.items()}
    if holds is PageHolds.STIMULUS:
        return {(entry.item, entry.condition): (entry,) for every in items.values() for entry in every}
    return {
        (entry.item, entry.condition): (the_reference(every), entry)
        for every in items.values()
        for entry in every
        if entry.role != REFERENCE
    }


def by_item(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Entries under the name of their item, items and entries in the order in which they came."""
    items: dict[str, list[Entry]] = {}
    for entry in entries:
        items.setdefault(entry.item, []).append(entry)
    return items


def sounds(entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.text is None]


def texts(entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.text is not None]


def the_reference(entries: Sequence[Entry]) -> Entry:
    """The one reference of an item, with which its other conditions are compared."""
    found = [entry for entry in entries if entry.role == REFERENCE]
    if len(found) != 1:
        problem = f"{entries[0].item} has {len(found)} sounds in the role {REFERENCE}. It must have one."
        raise MaterialUnfit(problem=problem)
    return found[0]


def the_sound(entries: Sequence[Entry]) -> Entry:
    """The sound that an item's texts are about: its only one, else its full-length one, else its reference."""
    found = sounds(entries)
    for role in ("", FULL_LENGTH, REFERENCE):
        chosen = [entry for entry in found if not role or entry.role == role]
        if len(chosen) == 1:
            return chosen[0]
    raise MaterialUnfit(
        problem=(
            f"{entries[0].item} has {len(found)} sounds. It must have one, or one in the role {FULL_LENGTH} or "
            f"{REFERENCE}."
        )
    )
