"""A person of ordinary pace on a virtual clock, who goes through planned pages step by step.

Steps last as in the keystroke-level model (Card, Moran and Newell, "The Psychology of Human-Computer Interaction",
1983): 1.1 s to point, 0.2 s to click, 1.35 s to make up one's mind, 0.28 s for a keystroke. Reading: 238 words a minute
(Brysbaert 2019). What people do on a page is written here once more, apart from the estimates of the protocols.
"""

from collections.abc import Callable, Mapping
from random import Random

from listening.participation.screening import EARS, HUGGINS, LEVEL_S
from protocols.tcsd_plane.protocol import HOURS, PROBES_AN_HOUR
from rating.protocol import Json, Protocol, TrialPlan

POINT_S, CLICK_S, MIND_S, KEY_S = 1.1, 0.2, 1.35, 0.28
WORDS_A_MINUTE = 238
SPREAD = 0.3  # of every step, as a share of it


class Person:
    """Does things that take time; `clock_s` says how long all of it took."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.clock_s = 0.0

    def hear(self, seconds: float) -> None:
        self.clock_s += seconds

    def spend(self, seconds: float) -> None:
        self.clock_s += seconds * max(self.rng.gauss(1, SPREAD), 0.3)

    def press(self) -> None:
        self.spend(POINT_S + CLICK_S)

    def decide(self) -> None:
        self.spend(MIND_S)
        self.press()

    def weigh(self) -> None:
        self.spend(MIND_S)
        self.decide()

    def read(self, words: int) -> None:
        self.spend(words * 60 / WORDS_A_MINUTE)

    def write(self, letters: int) -> None:
        self.spend(letters * KEY_S)

    def happens(self, chance: float) -> bool:
        return self.rng.random() < chance


def get_ready(person: Person, *, ears: bool, level: bool, headphones: bool) -> None:
    """Instructions and checks."""
    person.read(80)
    person.decide()
    person.press()
    if ears:
        for _ in range(EARS.rounds):
            person.press()
            person.hear(EARS.duration_s)
            person.decide()
    if level:
        person.spend(12)  # to fetch headphones and put them on
        person.press()
        person.hear(3 * LEVEL_S)
        person.decide()
        person.decide()
    if headphones:
        for _ in range(HUGGINS.rounds):
            person.press()
            person.hear(HUGGINS.duration_s)
            person.weigh()


def answer_questions(person: Person, count: int) -> None:
    """Read each question and its choices, make up one's mind, choose; Continue once for all of them."""
    for _ in range(count):
        person.read(25)
        person.weigh()
    if count:
        person.press()


def rate(person: Person, trial: TrialPlan, protocol: Protocol, options: Mapping[str, Json]) -> None:
    """Play, hear all that is played, choose, Next."""
    again = options["plays_allowed"] != 1 and person.happens(0.25)
    for _ in range(1 + again):
        person.press()
        for round_ in range(options.get("rounds", 1)):
            person.hear(options.get("round_gap_s", 0) if round_ else 0)
            for number, slot in enumerate(trial.slots):
                person.hear(options.get("gap_s", 0) if number else 0)
                person.hear(slot.entry.duration_s)
    for _ in trial.ask:
        person.decide()
    person.press()


def compare(person: Person, trial: TrialPlan, protocol: Protocol, options: Mapping[str, Json]) -> None:
    """Hear all three, then switch between them while they go on, a few times more."""
    person.press()
    for slot in trial.slots:
        person.hear(slot.entry.duration_s)
    for _ in range(person.rng.choice((2, 3, 4))):
        person.hear(trial.slots[0].entry.duration_s)
    person.decide()
    person.press()


def divide(person: Person, trial: TrialPlan, protocol: Protocol, options: Mapping[str, Json]) -> None:
    """Hear the recording through; hear around every mark, move it, and give the chapter a title."""
    person.press()
    person.hear(trial.slots[0].entry.duration_s)
    for chapter in [{"title": "Opening"}, *protocol.example(trial, person.rng)["boundaries"]]:
        for _ in range(3):
            person.press()
            person.hear(4)
        person.weigh()
        person.write(4 * len(chapter["title"]))
    person.decide()


def shorten(person: Person, trial: TrialPlan, protocol: Protocol, options: Mapping[str, Json]) -> None:
    """Hear and read the sentence, then pick words or rate versions."""
    texts = {slot.key: slot.entry.text or {} for slot in trial.slots if slot.entry.text}
    words = len(texts["transcript"]["tokens"])
    person.press()
    person.hear(sum(slot.entry.duration_s for slot in trial.slots))
    person.read(words)
    if trial.detail["group"] == "judge":
        for key in [key for key in texts if key != "transcript"]:
            person.read(2 * len(texts[key]["text"].split()))
            person.weigh()
            person.spend(MIND_S)
        person.read(2 * words)
    else:
        for _ in protocol.example(trial, person.rng)["picked"]:
            person.press()
            if person.happens(0.5):
                person.spend(MIND_S)
        person.read(2 * words)
        for _ in range(2):  # words that are exchanged for others
            person.decide()
    person.decide()


def score(person: Person, trial: TrialPlan, protocol: Protocol, options: Mapping[str, Json]) -> None:
    """Hear the clip, read each caption, mostly hear the clip again, give two scores and three penalties."""
    clip_s = trial.slots[0].entry.duration_s
    captions = [len(slot.entry.text["text"].split()) for slot in trial.slots if slot.entry.text]
    person.press()
    person.hear(clip_s)
    for words in captions:
        person.read(2 * words)
        if "example" in trial.detail:
            person.read(25)
            continue
        if person.happens(0.8):
            person.press()
            person.hear(clip_s)
        for _ in range(2):
            person.weigh()
            person.spend(MIND_S)
        for _ in range(3):
            person.decide()
    if "example" not in trial.detail:
        person.decide()
    person.decide()


def take_tour(person: Person, crosses: Mapping[str, Json]) -> None:
    for cross in crosses.values():
        for from_s, to_s in cross["hears"]:
            person.hear(to_s - from_s)
        person.read(len(cross["why"].split()))
        person.press()


def place(person: Person, trial: TrialPlan, protocol: Protocol, options: Mapping[str, Json]) -> None:
    """Browse the day, hear the probes of each hour and note what is there, then hear and place every summary."""
    if "example" in trial.detail:
        take_tour(person, trial.detail["example"])
        return
    full, *summaries = (slot.entry for slot in trial.slots)
    person.spend(min(300, full.duration_s / 2))
    for _ in range(min(HOURS, round(full.duration_s / 3600))):
        for _ in range(PROBES_AN_HOUR):
            person.spend(KEY_S)
            person.hear(2)
        person.weigh()
    for summary in summaries:
        for _ in range(1 + person.happens(0.25)):
            person.press()
            person.hear(summary.duration_s)
        person.weigh()  # both criteria, and then the others that must move for it
        for _ in range(2):
            person.decide()


WORK: dict[str, Callable[[Person, TrialPlan, Protocol, Mapping[str, Json]], None]] = {
    "acr": rate,
    "dcr": rate,
    "p835": rate,
    "abx": compare,
    "chaptering": divide,
    "speech_summaries": shorten,
    "thumbs": score,
    "tcsd_plane": place,
}
