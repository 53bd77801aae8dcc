"""Tables of the dataset: every seat, page, answer, visit, check and text, one row each, as they are written to CSV."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Min, QuerySet

from analysis import datasets
from analysis.datasets import CountedBallot
from analysis.exports import subject_id
from analysis.services.dataset import columns as described_columns
from core.hashing import digest
from core.stored_json import number_in, object_in
from listening.models import ClientReport, Seat, SetupStep, Visit
from listening.panels.services.exclusions import excluded_now, ledger_of, name_of_listener
from listening.panels.services.monitoring import Quality, qualities
from rating.label_sets import labels_of
from rating.models import Ballot, Consent, Experiment, Score, Slot, Vote
from rating.services.attention import outcomes
from rating.services.experiments import condition_names
from rating.services.texts import TEXTS, amendments, consent_counts, published_texts
from stimuli.models import Stimulus

ROWS_AT_ONCE = 2000
JOINED = "|"
WITHDRAWN = "withdrawn"
# What a row of the pages tells, and where it comes from; as tuples, because rows of four models take long to make.
PAGE_COLUMNS = {
    "ballot_id": "trial__ballot",
    "trial_id": "trial",
    "position": "trial__position",
    "session": "trial__session",
    "kind": "trial__kind",
    "ask": "trial__ask",
    "detail": "trial__detail",
    "slot": "key",
    "item": "stimulus__item__name",
    "condition": "stimulus__condition__name",
    "planned_s": "trial__planned_s",
    "postponed": "trial__postponed",
    "skipped": "trial__skipped_at",
    "answered": "trial__answered",
    "revision": "trial__revision",
}
Row = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """A table of the dataset: its columns with their meanings, and its rows."""

    name: str
    columns: Mapping[str, Any]
    rows: Iterable[Row]


class History(NamedTuple):
    """What a listener had heard of an item before a page."""

    repetition: int
    previous_condition: str


class DatasetTables:
    """The tables of one experiment; people and conditions are called in all of them as they are at this moment."""

    def __init__(self, experiment: Experiment, *, simulated: bool) -> None:
        self.experiment, self.simulated = experiment, simulated
        self.names = condition_names(experiment)
        self.blind = experiment.unblinded_at is None

    def all(self) -> Iterator[Table]:
        makers: dict[str, tuple[Mapping[str, str], Callable[[], Iterable[Row]]]] = {
            "participants": (described_columns.PARTICIPANTS, self.participants),
            "seats": (described_columns.SEATS, self.seats),
            "trials": (described_columns.TRIALS, self.trials),
            "answers": (described_columns.ANSWERS, self.answers),
            "visits": (described_columns.VISITS, self.visits),
            "checks": (described_columns.CHECKS, self.checks),
            "interruptions": (described_columns.INTERRUPTIONS, self.interruptions),
            "exclusions": (described_columns.EXCLUSIONS, self.exclusions),
            "texts": (described_columns.TEXTS, self.texts),
            "labels": (described_columns.LABELS, self.labels),
        }
        for name, (columns, make) in makers.items():
            yield Table(name, columns, make())
        yield Table("stimuli", described_columns.STIMULI | self.factor_meanings, self.stimuli())

    # --- Seats and who sat there --------------------------------------------------------------------------------------

    @cached_property
    def _seats(self) -> dict[UUID, Seat]:
        """Every seat that counts or was released, by its ballot, in one order."""
        kinds = [Ballot.Kind.MAIN, *([Ballot.Kind.SIMULATED] if self.simulated else [])]
        seats = Seat.objects.filter(panel__experiment=self.experiment, ballot__kind__in=kinds)
        seats = seats.select_related("panel", "ballot", "participant", "completion")
        return {seat.ballot_id: seat for seat in seats.order_by("panel__number", "number", "occupancy", "pk")}

    @cached_property
    def _told(self) -> dict[UUID, Seat]:
        """The seats of which answers are told: all but those whose listener has withdrawn."""
        return {ballot: seat for ballot, seat in self._seats.items() if _state(seat) != WITHDRAWN}

    def _who(self, ballot: UUID) -> str:
        seat = self._seats[ballot]
        if seat.participant is None and not seat.ballot.vote_count:
            return ""
        return subject_id(seat.participant.number if seat.participant else None, ballot)

    def since_start(self, ballot: UUID, moment: datetime | None) -> float | None:
        """Seconds from when the seat was taken, or from its first visit or answer where that is not known."""
        began = self._starts.get(ballot)
        return round((moment - began).total_seconds(), 3) if moment and began else None

    @cached_property
    def _starts(self) -> dict[UUID, datetime]:
        known = {ballot: seat.taken_at for ballot, seat in self._seats.items() if seat.taken_at}
        missing = [ballot for ballot, seat in self._seats.items() if ballot not in known and seat.ballot.vote_count]
        first = Vote.objects.filter(ballot__in=missing).values_list("ballot").annotate(Min("received_at")).order_by()
        return known | dict(first)

    @cached_property
    def _consents(self) -> dict[UUID, Consent]:
        consents = Consent.objects.filter(ballot__experiment=self.experiment).select_related("text_version")
        return {consent.ballot_id: consent for consent in consents}

    def _text_version(self, ballot: UUID) -> int | None:
        """The version that was agreed to, where listeners could read it and not only previews of a draft."""
        version = self._consents[ballot].text_version if ballot in self._consents else None
        return version.number if version and version.published_at else None

    def seats(self) -> Iterator[Row]:
        for ballot, seat in self._seats.items():
            consent, own = self._consents.get(ballot), seat.ballot
            yield {
                "ballot_id": ballot,
                "panel": seat.panel.number,
                "group": seat.panel.group,
                "seat": seat.number,
                "occupancy": seat.occupancy,
                "row_type": str(own.kind),
                "subject_id": "" if ballot not in self._told else self._who(ballot),
                "state": _state(seat),
                "taken_at": seat.taken_at,
                "released_at": own.abandoned_at,
                "released_s": self.since_start(ballot, own.abandoned_at),
                "finished_at": own.closed_at if own.abandoned_at is None else None,
                "finished_s": self.since_start(ballot, own.closed_at) if own.abandoned_at is None else None,
                "votes": own.vote_count if ballot in self._told else None,
                "text_version": self._text_version(ballot),
                "consent_sha256": consent.text_sha256 if consent else None,
                "consent_language": consent.language if consent else None,
                "seed": own.seed,
                "plan_sha256": own.plan_sha256,
            }

    def participants(self, ballots: Sequence[CountedBallot] = ()) -> Iterator[Row]:
        ballots = ballots or datasets.counted_ballots(self.experiment, simulated=self.simulated)
        progress = datasets.progress(self.experiment, ballots, simulated=self.simulated)
        excluded = excluded_now(self.experiment).ballots
        attention = outcomes(experiment=self.experiment, ballots=[ballot.ballot for ballot in ballots])
        quality = qualities(experiment=self.experiment, seats=list(self._told.values()))
        devices = self.devices()
        for each, ballot in zip(progress, ballots, strict=True):
            found = attention.get(ballot.ballot)
            yield {
                "ballot_id": ballot.ballot,
                "subject_id": subject_id(ballot.participant, ballot.ballot) if ballot.vote_count else "",
                "subject_column": f"subject_{each.listener}",
                "panel": ballot.panel,
                "seat": ballot.seat,
                "row_type": ballot.kind,
                "votes": ballot.vote_count,
                "pages": each.pages,
                "of_pages": each.of_pages,
                "complete": each.complete,
                "text_version": self._text_version(ballot.ballot),
                "excluded": ballot.ballot in excluded,
                "exclusion_reason": excluded.get(ballot.ballot, ""),
                "checks_passed": found.passed if found else None,
                "checks_failed": found.failed if found else None,
                "repeat_pairs": len(found.pairs) if found else None,
                "repeat_difference": found.difference if found else None,
                "repeat_r": found.correlation if found else None,
                **_concordance(found.pairs if found else ()),
                **{name: JOINED.join(values) for name, values in devices.get(ballot.ballot, {}).items()},
                **_quality(quality.get(ballot.ballot)),
            }

    def devices(self) -> dict[UUID, dict[str, list[str]]]:
        """The class of device and the browser of each ballot's visits."""
        found: dict[UUID, dict[str, list[str]]] = {}
        for visit in self._visits():
            own = found.setdefault(visit.seat.ballot_id, {"device_class": [], "browser": []})
            for name, values in own.items():
                if (value := object_in(visit.device).get(name)) and value not in values:
                    values.append(str(value))
        return found

    # --- Pages and answers --------------------------------------------------------------------------------------------

    @cached_property
    def history(self) -> dict[tuple[UUID, str], History]:
        """Of each page and slot what was heard of the item before. Pages in a row that ask about the same sounds
        count as one."""
        found: dict[tuple[UUID, str], History] = {}
        for pages in self._plans():
            heard: dict[tuple[str, str], int] = defaultdict(int)
            last: dict[str, str] = {}  # the conditions of each item when it was heard last
            same: set[tuple[str, str]] = set()
            now: dict[tuple[str, str], History] = {}
            for _position, trial, slots in pages:
                cells = {(item, condition) for _key, item, condition in slots}
                if cells != same:
                    now = {cell: History(heard[cell] + 1, last.get(cell[0], "")) for cell in cells}
                    for cell in cells:
                        heard[cell] += 1
                    for item in {item for item, _condition in cells}:
                        last[item] = JOINED.join(sorted(self.names[name] for other, name in cells if other == item))
                    same = cells
                found |= {(trial, key): now[item, condition] for key, item, condition in slots}
        return found

    def _plans(self) -> Iterator[list[tuple[int, UUID, list[tuple[str, str, str]]]]]:
        """The pages of each ballot, in their order, with the key, item and condition of every slot."""
        pages: dict[UUID, dict[tuple[int, UUID], list[tuple[str, str, str]]]] = {ballot: {} for ballot in self._told}
        names = ("trial__ballot", "trial__position", "trial", "key", "stimulus__item__name")
        rows = self._slots().values_list(*names, "stimulus__condition__name")
        for ballot, position, trial, *slot in rows.iterator(chunk_size=ROWS_AT_ONCE):
            if ballot in pages:
                pages[ballot].setdefault((position, trial), []).append(tuple(slot))
        for own in pages.values():
            yield [(position, trial, slots) for (position, trial), slots in sorted(own.items())]

    def _slots(self) -> QuerySet[Slot]:
        kinds = {seat.ballot.kind for seat in self._seats.values()}
        return Slot.objects.filter(trial__ballot__experiment=self.experiment, trial__ballot__kind__in=kinds)

    def trials(self) -> Iterator[Row]:
        by_ballot: dict[UUID, list[tuple[Any, ...]]] = {ballot: [] for ballot in self._told}
        rows = self._slots().order_by("trial__position", "key").values_list(*PAGE_COLUMNS.values())
        for row in rows.iterator(chunk_size=ROWS_AT_ONCE):
            if row[0] in by_ballot:
                by_ballot[row[0]].append(row)
        for own in by_ballot.values():
            for row in own:
                page = dict(zip(PAGE_COLUMNS, row, strict=True))
                yield page | {
                    "ask": JOINED.join(page["ask"]),
                    "detail": page["detail"] if page["detail"] and not self.blind else None,
                    "condition": self.names[page["condition"]],
                    "skipped": page["skipped"] is not None,
                    **self.history[page["trial_id"], page["slot"]]._asdict(),
                }

    def answers(self) -> Iterator[Row]:
        """Every answer that the server holds, in the order in which they came; released seats included."""
        marks = self._marks()
        votes = Vote.objects.filter(ballot__in=list(self._told)).select_related("trial").order_by("id")
        for vote in votes.iterator(chunk_size=ROWS_AT_ONCE):
            yield {
                **{name: getattr(vote, name) for name in described_columns.ANSWERS if hasattr(vote, name)},
                "answer": vote.pk,
                "subject_id": self._who(vote.ballot_id),
                "outcome": str(vote.outcome),
                "current": vote.trial.current_vote_id == vote.pk,
                "counts": self._seats[vote.ballot_id].ballot.abandoned_at is None,
                "marks": marks.get(vote.pk, []),
                "flags": " ".join(map(str, vote.flags)),
                "elapsed_s": self.since_start(vote.ballot_id, vote.received_at),
            }

    def _marks(self) -> dict[int, list[list[Any]]]:
        found: dict[int, list[list[Any]]] = defaultdict(list)
        scores = Score.objects.filter(vote__ballot__in=list(self._told)).order_by("vote_id", "slot__key", "scale")
        rows = scores.values_list("vote_id", "slot__key", "scale", "value")
        for vote, *mark in rows.iterator(chunk_size=ROWS_AT_ONCE):
            found[vote].append(mark)
        return found

    # --- Visits, checks and what went wrong ---------------------------------------------------------------------------

    def _visits(self) -> Iterator[Visit]:
        visits = Visit.objects.filter(seat__panel__experiment=self.experiment).select_related("seat")
        return (visit for visit in visits.order_by("created_at", "pk") if visit.seat.ballot_id in self._told)

    def visits(self) -> Iterator[Row]:
        for visit in self._visits():
            yield {
                **self._of_visit(visit),
                "began_at": visit.created_at,
                "last_seen_at": visit.last_seen_at,
                "device_class": object_in(visit.device).get("device_class"),
                "browser": object_in(visit.device).get("browser"),
            }

    def checks(self) -> Iterator[Row]:
        steps = SetupStep.objects.filter(visit__seat__panel__experiment=self.experiment).select_related("visit__seat")
        for step in steps.order_by("created_at", "pk"):
            if step.visit.seat.ballot_id in self._told:
                yield {
                    **self._of_visit(step.visit, step.created_at),
                    "check": str(step.step),
                    "passed": step.passed,
                    "level_db": number_in(object_in(step.outcome).get("level_db")),
                    "outcome": step.outcome,
                }

    def interruptions(self) -> Iterator[Row]:
        reports = ClientReport.objects.filter(visit__seat__panel__experiment=self.experiment)
        for report in reports.select_related("visit__seat", "trial").order_by("created_at", "pk"):
            if report.visit.seat.ballot_id in self._told:
                yield {
                    **self._of_visit(report.visit, report.created_at),
                    "position": report.trial.position if report.trial else None,
                    "what": str(report.kind),
                    "detail": report.detail,
                }

    def _of_visit(self, visit: Visit, at: datetime | None = None) -> Row:
        ballot = visit.seat.ballot_id
        named = {"visit_id": visit.pk, "ballot_id": ballot, "subject_id": self._who(ballot)}
        return named | ({"at": at, "elapsed_s": self.since_start(ballot, at)} if at else {})

    # --- Exclusions, texts and material -------------------------------------------------------------------------------

    def exclusions(self) -> Iterator[Row]:
        for entry in ledger_of(self.experiment):
            if entry.seat.ballot_id in self._told:
                yield {name: getattr(entry, name, None) for name in described_columns.EXCLUSIONS} | {
                    "ballot_id": entry.seat.ballot_id,
                    "kind": str(entry.kind),
                    "subject_id": name_of_listener(entry.seat),
                    "panel": entry.seat.panel.number,
                    "seat": entry.seat.number,
                    "position": entry.trial.position if entry.trial else None,
                    "made_at": entry.created_at,
                    "made_by": entry.made_by.username,
                    "lifted": entry.lifted_at is not None,
                    "lifted_by": entry.lifted_by.username if entry.lifted_by else None,
                }

    def texts(self) -> Iterator[Row]:
        counts = consent_counts(self.experiment)
        changed = {amendment.version.pk: amendment.changed for amendment in amendments(self.experiment)}
        for version in published_texts(self.experiment):
            yield {
                "text_version": version.number,
                "published_at": version.published_at,
                "reason": version.reason,
                "changed": " ".join(changed.get(version.pk, ())),
                "consents": counts.get(version.pk, 0),
                "design_sha256": version.design_sha256,
                "consent_sha256": digest(version.consent_text),
                **{name: getattr(version, name) for name in TEXTS},
            }

    def labels(self) -> Iterator[Row]:
        labels = labels_of(self.experiment)
        about = {"label_set": labels.id, "language": labels.language, "status": str(labels.status)}
        for scale, words in labels.scales.items():
            asked = {"scale": scale, "question": words.question, "attend": words.attend, "word": words.word}
            for value, label in words.anchors or [(None, "")]:
                yield about | asked | {"value": value, "label": label}

    @cached_property
    def factors(self) -> dict[str, str]:
        """The column of each factor of the items."""
        rows = self.experiment.collection.items.values_list("factors", flat=True)
        return described_columns.factor_columns({name for factors in rows for name in factors})

    @cached_property
    def condition_factors(self) -> dict[str, str]:
        """The column of each factor of the conditions; none while they are letters."""
        rows = [] if self.blind else self.experiment.collection.conditions.values_list("factors", flat=True)
        names = {name for factors in rows for name in factors}
        return described_columns.factor_columns(names, prefix="condition_factor_")

    @property
    def factor_meanings(self) -> dict[str, str]:
        of_items = {column: f"The item's factor '{name}'." for name, column in self.factors.items()}
        return of_items | {
            column: f"The condition's factor '{name}'." for name, column in self.condition_factors.items()
        }

    def factor_cells(self, item: Mapping[str, Any] | None, condition: Mapping[str, Any] | None) -> Row:
        """One cell for each factor of an item and of a condition."""
        cells = {column: (item or {}).get(name) for name, column in self.factors.items()}
        return cells | {column: (condition or {}).get(name) for name, column in self.condition_factors.items()}

    def stimuli(self) -> list[Row]:
        """What was heard and read. A hash, a length or a level would tell which condition a letter is."""
        stimuli = Stimulus.objects.filter(item__collection=self.experiment.collection_id)
        rows = [self._stimulus(one) for one in stimuli.select_related("item", "condition", "recording__made_from")]
        return sorted(rows, key=lambda row: (row["item"], len(row["condition"]), row["condition"]))

    def _stimulus(self, stimulus: Stimulus) -> Row:
        item, condition, recording = stimulus.item, stimulus.condition, stimulus.recording
        told: Row = {
            "item": item.name,
            "condition": self.names[condition.name],
            "factors": item.factors,
            **self.factor_cells(item.factors, condition.factors),
            "left_out": item.excluded_reason,
        }
        if self.blind:
            return told
        told |= {"condition_role": str(condition.role), "condition_factors": condition.factors or None}
        if recording is None:
            return told | {"sha256": digest(stimulus.text), "text": stimulus.text}
        measures = object_in(recording.measures)
        columns = ("sha256", "format", "byte_count", "sample_rate_hz", "channels", "duration_s", "gain_db")
        return told | {
            **{name: getattr(recording, name) for name in columns},
            "loudness_lufs": number_in(measures.get("integrated_lufs")),
            "true_peak_dbtp": number_in(measures.get("true_peak_dbtp")),
        }


def _state(seat: Seat) -> str:
    if seat.state == Seat.State.ABANDONED and hasattr(seat, "completion"):
        return WITHDRAWN  # only its own listener takes a finished seat back
    return str(seat.state)


def _concordance(pairs: Sequence[tuple[float, float]]) -> dict[str, float | None]:
    """Lin's concordance of what was rated twice."""
    import numpy as np

    from analysis.statistics.agreement import concordance
    from analysis.statistics.estimates import figure

    first, second = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    found = concordance(first, second)
    values = {"repeat_ccc": found.value, "repeat_ccc_low": found.low, "repeat_ccc_high": found.high}
    return {name: figure(value) for name, value in values.items()}


def _quality(quality: Quality | None) -> Row:
    if quality is None:
        return {}
    passed, figures = quality.passed, quality.figures
    return {
        "ears_passed": passed.get(SetupStep.Step.EARS),
        "headphones_passed": passed.get(SetupStep.Step.HEADPHONES),
        "level_db": quality.level_db,
        "response_ms": figures.answer_ms,
        "pace_s": figures.pace_s,
        "stalled": figures.stalls,
        "interrupted": figures.hidden,
        "qc_flags": " ".join(quality.flags),
    }
