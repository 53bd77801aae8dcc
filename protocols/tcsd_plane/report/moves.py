"""Files of the plane's report: every move of every cross, the marks in the study's own shape, and the notes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils.dateparse import parse_datetime

from analysis.datasets import counted
from analysis.exports import MEANINGS as VOTE_MEANINGS
from analysis.exports import subject_id
from core.stored_json import number_in, object_in, text_in
from listening.panels.services.exclusions import EXCLUSION_COLUMNS, excluded_now
from rating.models import Experiment, Trial, Vote
from rating.services.experiments import condition_names

Row = dict[str, Any]

MEANINGS = {
    "subject_id": "The rater's pseudonym in this experiment, such as sub-0007; erased-... after erasure.",
    "recording": "The full-length recording whose summaries were placed.",
    "summary": "The number that the summary had on the rater's page.",
    "condition": "The condition: a letter until the experiment is unblinded, then its name.",
    "tc": "Temporal consistency, 0 to 1; empty where the cross went back to the tray.",
    "sd": "Source diversity, 0 to 1; empty where the cross went back to the tray.",
    "status": "tentative, final (the rater had decided), or tray (taken off the plane).",
    "counts": "true for the one move that gave the mark which counts; false for all others.",
    "seq": "The number of the move on this page, from 1, in the order in which the server stored them.",
    "plane_px": "The side of the square on the rater's screen, or of the frame of a scan, in pixels; 0 on paper.",
    "input": "pointer, keys, range, same, undo, redo, paper, scan or bot; empty where a mark came without a move.",
    "numbers_visible": "Whether figures of the coordinates were on the screen.",
    "plays": "How often the summary had been played when the step was kept, as the browser says.",
    "moved_at": "The time of the move by the rater's clock: data, not order.",
    "received_at": "When the server stored the step.",
    "revision": "Which step of the page it came with; empty where another device had been faster (a conflict).",
    "row_type": "main or simulated.",
    **{name: VOTE_MEANINGS[name] for name in EXCLUSION_COLUMNS},
}
SHEET = ("annotator_id", "condition", "dataset", "file_id", "faithfulness", "scenism", *EXCLUSION_COLUMNS)
NOTES = ("subject_id", "recording", "about", "hour", "summary", "condition", "sources", "text", *EXCLUSION_COLUMNS)


@dataclass(frozen=True)
class Page:
    """A rated page: who worked on it, and what each of its crosses stands for under the names of the moment."""

    trial: Trial
    subject: str
    recording: str
    conditions: Mapping[str, str]  # by slot
    excluded: Mapping[str, Any]  # whether and why, as columns

    @property
    def newest(self) -> Mapping[str, Any]:
        """The newest answer as it arrived, whole or a draft."""
        vote = self.trial.current_vote
        return vote.payload if vote else {}

    def summaries(self) -> Iterator[tuple[str, Row]]:
        """Yield each summary's slot and what every file tells of it, by number."""
        for slot in sorted(self.conditions, key=_number_of):
            yield slot, {"recording": self.recording, "summary": _number_of(slot), "condition": self.conditions[slot]}


def pages(experiment: Experiment, *, simulated: bool) -> Iterator[Page]:
    """Yield every page with an answer or a draft on a ballot that counts, rater by rater; the example is not rated."""
    names, excluded = condition_names(experiment), excluded_now(experiment)
    for trial in _worked_on(experiment, simulated=simulated):
        slots = list(trial.slots.all())
        seat = getattr(trial.ballot, "seat", None)
        participant = seat.participant if seat else None
        yield Page(
            trial=trial,
            subject=subject_id(participant.number if participant else None, trial.ballot_id),
            recording=slots[0].stimulus.item.name,
            conditions={slot.key: names[slot.stimulus.condition.name] for slot in slots if _is_summary(slot.key)},
            excluded=excluded.columns(trial.ballot_id, trial.position),
        )


def _worked_on(experiment: Experiment, *, simulated: bool) -> QuerySet[Trial]:
    trials = Trial.objects.filter(
        ballot__in=counted(experiment, simulated=simulated), kind="test", current_vote__isnull=False
    )
    return (
        trials.select_related("ballot__seat__participant", "current_vote")
        .prefetch_related("slots__stimulus__item", "slots__stimulus__condition")
        .order_by(
            "ballot__seat__panel__number", "ballot__seat__number", "ballot__seat__occupancy", "ballot_id", "position"
        )
    )


def moves(experiment: Experiment, *, simulated: bool) -> Iterator[Row]:
    """Yield every move of every cross in the order in which the server learned of it."""
    for page in pages(experiment, simulated=simulated):
        about = dict(page.summaries())
        made = [row for vote in page.trial.votes.order_by("id") for row in _moves_of(vote)]
        if page.trial.answered:
            _flag_marks(made, page)
        for seq, row in enumerate(made, start=1):
            yield {
                "subject_id": page.subject,
                **about[row["slot"]],
                "row_type": page.trial.ballot.kind,
                **page.excluded,
                "seq": seq,
                "counts": False,
                **row,
            }


def _moves_of(vote: Vote) -> Iterator[Row]:
    payload, clock = vote.payload, object_in(object_in(vote.client).get("clock"))
    plays = (payload.get("listened") or {}).get("plays") or {}
    for move in payload.get("moves", []):
        yield _step(vote, move["slot"], move["to"], decided=move["decided"]) | {
            "plane_px": move["plane_px"],
            "input": move["input"],
            "numbers_visible": move.get("numbers"),
            "plays": plays.get(move["slot"]),
            "moved_at": _wall_time(clock, move.get("at_ms")),
        }


def _step(vote: Vote, slot: str, to: Any, *, decided: bool) -> Row:
    tc, sd = to or (None, None)
    status = "tray" if to is None else "final" if decided else "tentative"
    received = {"received_at": vote.received_at, "revision": vote.revision}
    return {"slot": slot, "tc": tc, "sd": sd, "status": status, **received}


def _flag_marks(made: list[Row], page: Page) -> None:
    """Say which move each mark came from, so that every mark that counts is in the file exactly once."""
    vote = page.trial.current_vote
    last = {row["slot"]: row for row in made if row["revision"] is not None}
    for slot, cross in sorted(page.newest.get("crosses", {}).items()):
        row = last.get(slot)
        if not row or (row["tc"], row["sd"], row["status"]) != (cross["tc"], cross["sd"], "final"):
            row = _step(vote, slot, [cross["tc"], cross["sd"]], decided=True)  # type: ignore[arg-type]
            made.append(row)
        row["counts"] = True


def _wall_time(clock: Mapping[str, Any], at_ms: float | None) -> datetime | None:
    """When a move was made: a page's moves and its clock count from the same moment."""
    now_ms, made_ms = number_in(clock.get("monotonic_ms")), number_in(at_ms)
    try:
        kept_at = parse_datetime(text_in(clock.get("wall")) or "")
        if kept_at is None or now_ms is None or made_ms is None:
            return None
        return kept_at - timedelta(milliseconds=now_ms - made_ms)
    except (ValueError, OverflowError):  # it has the form of a time, and is none
        return None


def authors_sheet(experiment: Experiment, *, simulated: bool) -> Iterator[Row]:
    """Yield every mark that counts as the study's own sheet has it, where TC is faithfulness and SD is scenism."""
    for page in pages(experiment, simulated=simulated):
        crosses = page.newest.get("crosses", {}) if page.trial.answered else {}
        for slot, about in page.summaries():
            if slot in crosses:
                yield {
                    "annotator_id": page.subject,
                    "condition": about["condition"],
                    "dataset": page.recording,
                    "file_id": about["summary"],
                    "faithfulness": crosses[slot]["tc"],
                    "scenism": crosses[slot]["sd"],
                    **page.excluded,
                }


def notes(experiment: Experiment, *, simulated: bool) -> Iterator[Row]:
    """Yield what raters wrote: their sources, the pad of hours, the comment, and a line about each summary."""
    for page in pages(experiment, simulated=simulated):
        for row in _written(page):
            yield {"subject_id": page.subject, "recording": page.recording, **page.excluded, **row}


def _written(page: Page) -> Iterator[Row]:
    for source in page.newest.get("sources", []):
        yield {"about": "source", "text": source}
    for hour in page.newest.get("hours", []):
        present = "; ".join(hour.get("present", []))
        yield {"about": "hour", "hour": hour["hour"], "sources": present, "text": hour.get("note", "")}
    if comment := page.newest.get("comment"):
        yield {"about": "comment", "text": comment}
    lines = page.newest.get("lines", {})
    for slot, about in page.summaries():
        if line := lines.get(slot):
            yield {"about": "summary", **about, "text": line}


def _is_summary(slot: str) -> bool:
    return slot != "full"


def _number_of(slot: str) -> int:
    return int(slot.removeprefix("s"))
