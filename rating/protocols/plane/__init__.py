"""The TC/SD plane: summaries of a day-long recording as crosses, by temporal consistency and source diversity."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import ClassVar

from core.errors import sentence
from rating.protocols.base import (
    FULL_LENGTH,
    PLAYS_ALLOWED,
    REFERENCE,
    Answer,
    Entry,
    Json,
    LabelSet,
    LabelStatus,
    Mark,
    MaterialUnfit,
    RatingProtocol,
    Scale,
    ScaleLabels,
    Slot,
    TrialKind,
    TrialPlan,
)
from rating.protocols.material import by_item
from rating.protocols.plane.example import check_example
from rating.protocols.plane.payload import read_workspace
from rating.protocols.shapes import an_object, yes_or_no

HOURS, PROBES_AN_HOUR = 24, 5  # "5 time points spread across the hour", for each hour of the day
PLACES = 4  # decimals of a coordinate


class TemporalSourcePlane(RatingProtocol):
    """One page is one recording with all its summaries; one session is one page.

    The recording that the option `example` names is not rated: its crosses are shown with their reasons before the
    first session. Probes are planned as shares of the fifths of an hour; what an hour is, the recording says.
    """

    slug = "plane"
    version = "1.0"
    title = "Temporal consistency and source diversity (TC/SD plane)"
    view = "tcsd_plane"
    methods = ("plane",)
    scales = (Scale("TC", low=0, high=1, step=10**-PLACES), Scale("SD", low=0, high=1, step=10**-PLACES))
    roles = frozenset({"test", REFERENCE, "anchor", FULL_LENGTH})
    workspace = True
    sounds_needed = "some"
    one_page_at_a_time = True
    page_s = 20 * 60.0
    lease_hours = 60 * 24  # experts come back after weeks
    defaults: ClassVar[Mapping[str, Json]] = {
        "plays_allowed": 0,  # as often as wanted
        "probes": "same",  # for all raters; "rater": drawn for each; "own": the rater puts them
        "numbering": "same",  # of the summaries, for all raters; "rater": drawn for each
        "recordings": "shuffled",  # or "named": in the order of their names
        "example": {},  # {"item": ..., "crosses": [{"condition", "tc", "sd", "why", "hears": [[from_s, to_s], ...]}]}
    }
    option_choices: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "probes": ("same", "rater", "own"),
        "numbering": ("same", "rater"),
        "recordings": ("shuffled", "named"),
    }
    option_texts: ClassVar[Mapping[str, str]] = {
        "plays_allowed": PLAYS_ALLOWED,
        "probes": sentence(
            "Where the five probes of an hour lie: the same for all, drawn for each rater, or put there by the rater."
        ),
        "numbering": sentence("Whether a summary has the same number for all, or one that is drawn for each rater."),
        "recordings": sentence("Whether recordings come in an order drawn for each rater, or in that of their names."),
        "example": sentence(
            "A recording that is shown before the first and not rated, or nothing: its item, and for each cross the "
            "condition, tc and sd from 0 to 1, why it stands there, and the passages that the reason speaks of, in "
            "seconds."
        ),
    }
    paper = "plane_paper"

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
        full, summaries = _parts(entries)
        # What is the same for all raters follows from the material, whatever the seat.
        shared = Random(f"{full.item} {sorted(entry.condition for entry in summaries)}")
        numbered = (shared if options["numbering"] == "same" else rng).sample(summaries, len(summaries))
        if crosses is not None:  # an example is told in the order of its reasons
            told = [cross["condition"] for cross in crosses]
            numbered.sort(key=lambda entry: told.index(entry.condition) if entry.condition in told else len(told))
        drawn = {"same": shared, "rater": rng}.get(options["probes"])
        slots = (Slot("full", full), *(Slot(f"s{number}", entry) for number, entry in enumerate(numbered, start=1)))
        detail: dict[str, Json] = {"probes": _draw_probes(drawn) if drawn else []}
        if crosses is not None:
            detail["example"] = _shown_crosses(slots, crosses)
        kind = TrialKind.TEST if crosses is None else TrialKind.PRACTICE
        return TrialPlan(slots=slots, ask=("TC", "SD"), kind=kind, session=session, detail=detail)

    def check_options(self, options: Mapping[str, Json], material: Mapping[str, Mapping[str, str]]) -> None:
        if options.get("example"):
            check_example(options["example"], material)

    def present(self, trial: TrialPlan) -> Json:
        return {
            "slots": [slot.key for slot in trial.slots],
            "ask": list(trial.ask),
            "probes": trial.detail["probes"],
            "example": trial.detail.get("example"),
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

    def transcribe(self, answer: Answer, trial: TrialPlan) -> Json:
        """Say crosses on paper as crosses; on paper each one is decided, and no figure is seen while it is drawn."""
        if "example" in trial.detail:
            return {"seen": True, "finished": True}
        crosses: dict[str, dict[str, Json]] = {}
        for mark in answer.marks:
            crosses.setdefault(mark.slot, {"decided": True})[mark.scale.lower()] = round(mark.value, PLACES)
        moves = [
            {
                "slot": slot,
                "to": [crosses[slot]["tc"], crosses[slot]["sd"]] if slot in crosses else None,
                "decided": slot in crosses,
                "input": read_from,
                "plane_px": answer.detail.get("frame_px", 0) if read_from == "scan" else 0,
            }
            for slot, read_from in answer.detail.get("moved", {}).items()
        ]
        comment = answer.detail.get("comment", "")
        return {"crosses": crosses, "moves": moves, "comment": comment, "finished": answer.whole}

    def example(self, trial: TrialPlan, rng: Random) -> Json:
        if "example" in trial.detail:
            return {"seen": True, "finished": True}
        crosses = {
            slot.key: {"tc": tc, "sd": sd, "decided": True}
            for slot in trial.slots
            if slot.key != "full"
            for tc, sd in (_plausible(slot.entry, rng),)
        }
        moves = [
            {"slot": key, "to": [cross["tc"], cross["sd"]], "decided": True, "input": "bot", "plane_px": 560}
            for key, cross in crosses.items()
        ]
        return {"crosses": crosses, "moves": moves, "finished": True}

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
                    question="How far does the summary follow the day?",
                    attend=(
                        "High when the sources that are most present in each part of the day are in the summary, in "
                        "the order of the day. It does not ask for time to be shortened evenly."
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


def _parts(entries: list[Entry]) -> tuple[Entry, list[Entry]]:
    full = [entry for entry in entries if entry.role == FULL_LENGTH]
    summaries = [entry for entry in entries if entry.role != FULL_LENGTH]
    if len(full) != 1 or not summaries:
        raise MaterialUnfit(
            problem=(
                f"{entries[0].item} has {len(full)} full-length recordings and {len(summaries)} summaries. It must "
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
    parts = an_object(payload, "the answer", keys=("seen", "finished"), needs=("seen", "finished"))
    yes_or_no(parts["seen"], "seen")
    return Answer(marks=(), whole=yes_or_no(parts["finished"], "finished"))


def _plausible(entry: Entry, rng: Random) -> tuple[float, float]:
    """Near a place that belongs to the condition, with the trade-off that real raters show."""
    home = Random(entry.condition).uniform(0.15, 0.85)
    tc, sd = (min(max(rng.gauss(centre, 0.1), 0), 1) for centre in (home, 1 - home))
    return round(tc, PLACES), round(sd, PLACES)
