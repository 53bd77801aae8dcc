"""TC/SD plane: summaries of a day-long recording as crosses, by temporal consistency and source diversity."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from core.i18n import LazyMessage, ngettext_noop
from core.i18n import gettext_noop as _
from protocols.tcsd_plane.cues import passages_by_condition
from rating.pace import ANSWER_S, FURTHER_MARK_S, HEARD_AGAIN, WORD_S
from rating.payload import (
    require_bool,
    require_choice,
    require_integer,
    require_list,
    require_number,
    require_object,
    require_text,
)
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
    MaterialUnfit,
    Needs,
    Option,
    OptionUnfit,
    PageAccess,
    Protocol,
    Scale,
    ScaleLabels,
    Slot,
    TrialKind,
    TrialPlan,
    by_item,
    sounds,
    texts,
)
from rating.variance import VarianceComponents

# Of the 128 published marks of four experts on four days of sound (docs.md), two typing errors corrected.
TC_COMPONENTS = VarianceComponents(0.0015, 0.0, 0.0004, 0.0042, 0.0218)
SD_COMPONENTS = VarianceComponents(0.0021, 0.0, 0.0028, 0.0021, 0.0109)
INPUTS = ("pointer", "keys", "range", "same", "undo", "redo", "paper", "scan", "bot")
PARTS = ("crosses", "moves", "sources", "hours", "probes", "comment", "lines", "listened", "finished")
MOVE = ("slot", "to", "decided", "input", "plane_px", "numbers", "at_ms")  # numbers: whether figures were on the screen
MOST_MOVES = 500  # in one step: a step is sent once the hand rests
MOST_SOURCES, MOST_HOURS, MOST_PROBES = 200, 200, 2000
LONGEST_LINE, LONGEST_COMMENT = 500, 5000
LARGEST_PLANE_PX = 100_000
LONGEST_VISIT_MS = 1e15

Accept = Callable[[Json], float]


@dataclass(frozen=True)
class Cross:
    """A place on the plane; only a decided one is final."""

    tc: float
    sd: float
    decided: bool


@dataclass(frozen=True)
class Workspace:
    """The crosses that were placed, what was written, and whether the recording is closed."""

    crosses: Mapping[str, Cross]
    notes: Mapping[str, Json]
    finished: bool


def read_workspace(payload: Json, tokens: Sequence[str], *, accept: Accept) -> Workspace:
    """Accept a payload as a whole, or raise InvalidAnswer."""
    parts = require_object(payload, "the answer", keys=PARTS, needs=["crosses"])
    placed = require_object(parts["crosses"], "crosses", keys=tokens)
    crosses = {key: _read_cross(key, cross, accept) for key, cross in placed.items()}
    for move in require_list(parts.get("moves", []), "moves", most=MOST_MOVES):
        _check_move(move, tokens, accept)
    for probe in require_list(parts.get("probes", []), "probes", most=MOST_PROBES):
        _check_probe(probe)
    require_object(parts.get("listened", {}), "listened", keys=("full", "plays", "probes"))
    finished = require_bool(parts.get("finished", False), "finished")
    if finished and (open_ones := [key for key in tokens if key not in crosses or not crosses[key].decided]):
        raise InvalidAnswer(problem=f"every cross must be placed and decided; still open: {', '.join(open_ones)}.")
    return Workspace(crosses, _read_notes(parts, tokens), finished)


def _read_cross(key: str, cross: Json, accept: Accept) -> Cross:
    places = ("tc", "sd", "decided")
    cross = require_object(cross, f"the cross of {key}", keys=places, needs=places)
    return Cross(accept(cross["tc"]), accept(cross["sd"]), require_bool(cross["decided"], "decided"))


def _check_move(move: Json, tokens: Sequence[str], accept: Accept) -> None:
    move = require_object(move, "a move", keys=MOVE, needs=MOVE[:5])
    require_choice(move["slot"], "slot of a move", known=tokens)
    require_choice(move["input"], "input of a move", known=INPUTS)
    require_bool(move["decided"], "decided of a move")
    require_bool(move.get("numbers", False), "numbers of a move")
    require_number(move["plane_px"], "plane_px of a move", most=LARGEST_PLANE_PX)
    require_number(move.get("at_ms", 0), "at_ms of a move", most=LONGEST_VISIT_MS)
    to = move["to"]
    if to is not None and (not isinstance(to, list) or len(to) != len(("TC", "SD"))):
        raise InvalidAnswer(problem="to of a move is [TC, SD], or null for the tray.")
    for value in to or ():
        accept(value)


def _check_probe(probe: Json) -> None:
    """A probe that the rater put somewhere else: at a share of the hour's fifth."""
    probe = require_object(probe, "a probe", keys=("hour", "number", "share"), needs=("hour", "number", "share"))
    require_integer(probe["hour"], "hour of a probe", most=1000)
    require_integer(probe["number"], "number of a probe", least=1, most=10)
    require_number(probe["share"], "share of a probe", most=1)


def _read_notes(parts: Mapping[str, Json], tokens: Sequence[str]) -> dict[str, Json]:
    lines = require_object(parts.get("lines", {}), "lines", keys=tokens)
    hours = [_read_hour(hour) for hour in require_list(parts.get("hours", []), "hours", most=MOST_HOURS)]
    return {
        "sources": _sources(parts.get("sources", [])),
        "hours": hours,
        "comment": require_text(parts.get("comment", ""), "comment", longest=LONGEST_COMMENT),
        "lines": {
            key: require_text(line, f"the line of {key}", longest=LONGEST_COMMENT) for key, line in lines.items()
        },
    }


def _read_hour(hour: Json) -> dict[str, Json]:
    hour = require_object(hour, "an hour", keys=("hour", "present", "note"), needs=["hour"])
    return {
        "hour": require_integer(hour["hour"], "hour", most=1000),
        "present": _sources(hour.get("present", [])),
        "note": require_text(hour.get("note", ""), "the note of an hour", longest=LONGEST_LINE),
    }


def _sources(value: Json) -> list[str]:
    return [
        require_text(each, "a source", longest=LONGEST_LINE)
        for each in require_list(value, "sources", most=MOST_SOURCES)
    ]


def check_example(example: Json, material: Mapping[str, Mapping[str, str]]) -> None:
    item, crosses = example.get("item"), example.get("crosses")
    if example.keys() != {"item", "crosses"} or not isinstance(item, str) or not isinstance(crosses, list):
        raise _unfit(LazyMessage("it takes an item and a list of crosses, and nothing else."))
    if material and item not in material:
        raise _unfit(LazyMessage("the collection has no item {item}.", item=item[:40]))
    summaries = [name for name, role in material.get(item, {}).items() if role != FULL_LENGTH]
    placed: set[str] = set()
    for number, cross in enumerate(crosses, start=1):
        name = cross.get("condition") if isinstance(cross, dict) else None
        if not isinstance(name, str) or name in placed or (material and name not in summaries):
            known = ", ".join(sorted(set(summaries) - placed)) or "-"
            raise _unfit(
                LazyMessage(
                    "cross {number} must name a summary of its own; left are {known}.", number=number, known=known
                )
            )
        placed.add(name)
        _check_shown(cross, number)


def _check_shown(cross: Json, number: int) -> None:
    if unknown := sorted(cross.keys() - {"condition", "tc", "sd", "why", "hears"}):
        raise _unfit(
            LazyMessage("cross {number} has {unknown}, which nothing reads.", number=number, unknown=unknown[0][:40])
        )
    if not _is_number(cross.get("tc"), most=1) or not _is_number(cross.get("sd"), most=1):
        raise _unfit(LazyMessage("cross {number} needs tc and sd, each a number from 0 to 1.", number=number))
    if not isinstance(cross.get("why"), str) or not cross["why"].strip():
        raise _unfit(LazyMessage("cross {number} needs a reason, as a text called why.", number=number))
    hears = cross.get("hears", [])
    if not isinstance(hears, list) or not all(_is_passage(each) for each in hears):
        problem = LazyMessage(
            "hears of cross {number} is a list of passages, each a beginning and an end in seconds.", number=number
        )
        raise _unfit(problem)


def _unfit(problem: LazyMessage) -> OptionUnfit:
    return OptionUnfit(option="example", problem=problem)


def _is_passage(value: Json) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)) and value[0] < value[1]


def _is_number(value: Json, most: float = math.inf) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most


HOURS, PROBES_AN_HOUR = 24, 5  # "5 time points spread across the hour", for each hour of the day
PLACES = 4  # decimals of a coordinate
# How people work: they browse a day for about five minutes, as the instructions say, hear its probes and note what they
# hear, and play every summary. A shorter recording is browsed for less.
BROWSED_S, BROWSED_SHARE = 300.0, 0.5
PROBE_S = 2.0
PLACED_S = ANSWER_S + 2 * FURTHER_MARK_S  # to decide on both criteria, and to move other crosses again
REASON_WORDS = 30  # of a cross in the worked example


class TemporalSourcePlane(Protocol):
    """One page is one recording with all its summaries; one session is one page.

    The recording that the option `example` names is not rated: its crosses are shown with their reasons before the
    first session. Probes are planned as shares of the fifths of an hour; what an hour is, the recording says.
    """

    slug = "tcsd_plane"
    version = "1.0"
    title = "Temporal consistency and source diversity (TC/SD plane)"
    summary = _("Listeners place the summaries of a day of sound on a plane with two axes.")
    scales = (
        Scale("TC", low=0, high=1, step=10**-PLACES, published=TC_COMPONENTS),
        Scale("SD", low=0, high=1, step=10**-PLACES, published=SD_COMPONENTS),
    )
    roles = frozenset({"test", REFERENCE, "anchor", FULL_LENGTH})
    text_kinds = frozenset({"cues"})
    access = PageAccess(
        workspace=True,
        example=True,
        sounds_needed="some",
        one_at_a_time=True,
        absence_hours=60 * 24,  # experts come back after weeks
    )
    needs = Needs(least_width_px=1024)
    counted = ngettext_noop("%(n)s recording", "%(n)s recordings")
    answered_of = ngettext_noop(
        "You have answered %(answered)s of %(n)s recording.", "You have answered %(answered)s of %(n)s recordings."
    )
    options: ClassVar[Mapping[str, Option]] = {
        "plays_allowed": Option(0, PLAYS_ALLOWED, PLAYS_ALLOWED_HELP),
        "probes": Option(
            "same",
            _("Places of the probes"),
            _("Where the five probes of an hour lie."),
            choices={
                "same": _("The same for all"),
                "rater": _("Drawn for each rater"),
                "own": _("Chosen by the rater"),
            },
        ),
        "numbering": Option(
            "same",
            _("Numbers of the summaries"),
            _("Whether a summary has the same number for all raters."),
            choices={"same": _("The same for all"), "rater": _("Drawn for each rater")},
        ),
        "recordings": Option(
            "shuffled",
            _("Order of the recordings"),
            _("In which order a rater gets the recordings."),
            choices={"shuffled": _("Drawn for each rater"), "named": _("By name")},
        ),
        "others": Option(
            "shown",
            _("Crosses of other summaries"),
            _("Whether the crosses of the other summaries are seen while one is placed."),
            choices={"shown": _("Always shown"), "after_placing": _("Shown after placing")},
        ),
        "passages": Option(
            "shown",
            _("Origin of a passage"),
            _("Whether raters can look up where in the day a part of a summary comes from, where a cue sheet says it."),
            choices={"shown": _("Can be looked up"), "hidden": _("Hidden")},
        ),
        # An object with item and crosses (each with condition, tc, sd, why, and hears as [from_s, to_s] pairs).
        "example": Option(
            {},
            _("Worked example"),
            _(
                "A recording that is shown before the first and not rated, or nothing: its item, and for each cross "
                "the condition, tc and sd from 0 to 1, why it stands there, and the passages that the reason speaks "
                "of, in seconds."
            ),
            sample={
                "item": "day-1",
                "crosses": [{"condition": "system-a", "tc": 0.6, "sd": 0.8, "why": "Rain.", "hears": [[12, 18.5]]}],
            },
        ),
    }

    def plan(self, entries: Sequence[Entry], options: Mapping[str, Json], rng: Random) -> Iterable[TrialPlan]:
        wanted = {**self.defaults, **options}
        recordings = by_item(entries)
        example = wanted["example"] or {}
        if shown := recordings.pop(example.get("item", ""), None):
            yield self._page(shown, wanted, rng, session=0, crosses=example["crosses"])
        order = sorted(recordings)
        if wanted["recordings"] == "shuffled":
            order = rng.sample(order, len(order))
        for session, item in enumerate(order, start=1):
            yield self._page(recordings[item], wanted, rng, session=session)

    def _page(
        self, entries: list[Entry], options: Mapping[str, Json], rng: Random, *, session: int, crosses: Json = None
    ) -> TrialPlan:
        full, summaries = _parts(entries[0].item, sounds(entries))
        # What is the same for all raters follows from the material, whatever the seat.
        shared = Random(f"{full.item} {sorted(entry.condition for entry in summaries)}")
        numbered = (shared if options["numbering"] == "same" else rng).sample(summaries, len(summaries))
        if crosses is not None:  # an example is told in the order of its reasons
            told = [cross["condition"] for cross in crosses]
            numbered.sort(key=lambda entry: told.index(entry.condition) if entry.condition in told else len(told))
        drawn = {"same": shared, "rater": rng}.get(options["probes"])
        slots = (Slot("full", full), *(Slot(f"s{number}", entry) for number, entry in enumerate(numbered, start=1)))
        detail: dict[str, Json] = {"probes": _draw_probes(drawn) if drawn else [], "others": options["others"]}
        if options["passages"] == "shown" and (known := passages_by_condition(full, summaries, texts(entries))):
            named = {slot.key: slot.entry.condition for slot in slots}
            detail["passages"] = {key: known[name] for key, name in named.items() if name in known}
        if crosses is not None:
            detail["example"] = _shown_crosses(slots, crosses)
        kind = TrialKind.TEST if crosses is None else TrialKind.PRACTICE
        return TrialPlan(slots=slots, ask=("TC", "SD"), kind=kind, session=session, detail=detail)

    def check_options(self, options: Mapping[str, Json], material: Mapping[str, Mapping[str, str]]) -> None:
        if options.get("example"):
            check_example(options["example"], material)

    def page_s(self, trial: TrialPlan, options: Mapping[str, Json]) -> float:
        summaries = [slot.entry for slot in trial.slots if slot.key != "full"]
        if crosses := trial.detail.get("example"):
            passages = [float(end_s - from_s) for cross in crosses.values() for from_s, end_s in cross["hears"]]
            return sum(passages) + len(crosses) * REASON_WORDS * WORD_S + ANSWER_S
        length_s = next(slot.entry.duration_s for slot in trial.slots if slot.key == "full")
        hours = min(math.ceil(length_s / 3600), HOURS)
        noted_s = hours * (PROBES_AN_HOUR * PROBE_S + ANSWER_S)
        heard_s = HEARD_AGAIN * sum(entry.duration_s for entry in summaries)
        return min(BROWSED_S, BROWSED_SHARE * length_s) + noted_s + heard_s + len(summaries) * PLACED_S

    def present(self, trial: TrialPlan) -> Json:
        return {
            "slots": [slot.key for slot in trial.slots],
            "ask": list(trial.ask),
            "probes": trial.detail["probes"],
            "others": trial.detail.get("others", "shown"),
            "example": trial.detail.get("example"),
            **({"passages": trial.detail["passages"]} if "passages" in trial.detail else {}),
        }

    def read(self, payload: Json, trial: TrialPlan) -> Answer:
        if "example" in trial.detail:
            return _read_tour(payload)
        tokens = [slot.key for slot in trial.slots if slot.key != "full"]
        done = read_workspace(payload, tokens, accept=self.scale("TC").accept)
        marks = tuple(
            Mark(key, scale, value)
            for key, cross in sorted(done.crosses.items())
            for scale, value in (("TC", cross.tc), ("SD", cross.sd))
        )
        return Answer(marks=marks, detail=done.notes, whole=done.finished)

    def example(self, trial: TrialPlan, rng: Random, *, listener: str = "") -> Json:
        if "example" in trial.detail:
            return {"seen": True, "finished": True}
        crosses = {
            slot.key: {"tc": tc, "sd": sd, "decided": True}
            for slot in trial.slots
            if slot.key != "full"
            for tc, sd in (self._drawn(slot.entry, listener, rng),)
        }
        moves = [
            {"slot": key, "to": [cross["tc"], cross["sd"]], "decided": True, "input": "bot", "plane_px": 560}
            for key, cross in crosses.items()
        ]
        return {"crosses": crosses, "moves": moves, "finished": True}

    def _drawn(self, entry: Entry, listener: str, rng: Random) -> tuple[float, float]:
        """About a place that belongs to the condition, with the trade-off that real raters show."""
        home = Random(entry.condition).uniform(0.15, 0.85)
        tc, sd = (
            scale.vote(centre + entry.judged(scale, listener).effects(scale.components), rng)
            for scale, centre in zip(self.scales, (home, 1 - home), strict=True)
        )
        return tc, sd

    label_sets = (
        LabelSet(
            id="plane-en-1",
            language="en",
            version=1,
            status=LabelStatus.REVIEWED,
            source="Earmark's own wording of the two criteria of the audio-summary evaluation of 2025",
            scales={
                "TC": ScaleLabels(
                    word="Temporal consistency",
                    question="How far does the summary follow the recording?",
                    attend=(
                        "High when the sources that are most present in each part of the recording are in the summary, "
                        "in the same order. It does not ask for time to be shortened evenly."
                    ),
                    anchors=((1, "As consistent as a summary can be"), (0, "Not at all")),
                ),
                "SD": ScaleLabels(
                    word="Source diversity",
                    question="How much of the variety of sound sources does the summary hold?",
                    attend=(
                        "High when the different sound sources of the full recording are in the summary, whenever they "
                        "sound. Both criteria are relative to what this recording contains."
                    ),
                    anchors=((1, "As diverse as a summary can be"), (0, "Not at all")),
                ),
            },
        ),
    )


def _parts(item: str, entries: list[Entry]) -> tuple[Entry, list[Entry]]:
    full = [entry for entry in entries if entry.role == FULL_LENGTH]
    summaries = [entry for entry in entries if entry.role != FULL_LENGTH]
    if len(full) != 1 or not summaries:
        raise MaterialUnfit(
            problem=(
                f"{item} has {len(full)} full-length recordings and {len(summaries)} summaries. It must "
                "have one recording and at least one summary."
            )
        )
    return full[0], summaries


def _draw_probes(rng: Random) -> list[list[float]]:
    """Where each probe begins, as a share of its fifth of the hour."""
    return [[round(rng.random(), 4) for _ in range(PROBES_AN_HOUR)] for _ in range(HOURS)]


def _shown_crosses(slots: Sequence[Slot], crosses: Json) -> dict[str, Json]:
    """The example's crosses by the key of their summary, without the names of conditions."""
    by_condition = {slot.entry.condition: slot.key for slot in slots}
    return {
        by_condition[cross["condition"]]: {
            "tc": cross["tc"],
            "sd": cross["sd"],
            "why": cross["why"],
            "hears": cross.get("hears", []),
        }
        for cross in crosses
        if cross["condition"] in by_condition
    }


def _read_tour(payload: Json) -> Answer:
    """The example is looked at and not rated."""
    parts = require_object(payload, "the answer", keys=("seen", "finished"), needs=("seen", "finished"))
    require_bool(parts["seen"], "seen")
    return Answer(marks=(), whole=require_bool(parts["finished"], "finished"))
