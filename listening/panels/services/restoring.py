"""Seats restored from a dataset: panels, plans, people, visits, checks, reports, exclusions and receipts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import models, transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from listening.models import (
    ClientReport,
    Completion,
    Design,
    Exclusion,
    Extension,
    Panel,
    Participant,
    QuestionAnswer,
    Seat,
    SetupStep,
    Visit,
)
from listening.participation.services.verification import record_completion
from listening.participation.services.visits import new_code
from rating.models import Ballot, Experiment, Trial
from rating.protocol import Entry, TrialKind, TrialPlan
from rating.protocol import Slot as PlannedSlot
from rating.services.ballots import store_plans
from rating.services.experiments import adopt_layout
from rating.services.pages import entry_of
from stimuli.models import Stimulus

ROWS_AT_ONCE = 500


@dataclass(frozen=True)
class RestoredPage:
    """A page as a dataset has it: its slots by key, item and condition."""

    trial: str
    session: int
    kind: str
    ask: tuple[str, ...]
    detail: Mapping[str, Any]
    slots: tuple[tuple[str, str, str], ...]
    postponed: int
    skipped: bool


@dataclass(frozen=True)
class RestoredSeat:
    """A seat as a dataset has it."""

    ballot: str
    panel: int
    group: str
    number: int
    occupancy: int
    kind: str
    participant: int | None
    state: str
    taken_at: datetime | None
    seed: str
    plan_sha256: str
    pages: tuple[RestoredPage, ...]


@dataclass(frozen=True)
class Seated:
    """The seats that were made, and the pages, by their keys in the dataset."""

    seats: dict[str, Seat]
    trials: dict[str, UUID]


@transaction.atomic
def restore_seats(*, experiment: Experiment, seats: Sequence[RestoredSeat], now: datetime) -> Seated:
    """Write every seat with the plan that it had; a plan that does not have its hash is rejected."""
    entries = _entries(experiment)
    panels = {
        number: Panel.objects.create(experiment=experiment, number=number, group=group)
        for number, group in sorted({(seat.panel, seat.group) for seat in seats})
    }
    people = {seat.participant for seat in seats if seat.participant is not None}
    participants = {number: Participant(experiment=experiment, number=number) for number in sorted(people)}
    Participant.objects.bulk_create(participants.values())
    found = Seated({}, {})
    for seat in seats:
        plan = [_plan(page, entries) for page in seat.pages]
        (ballot,) = store_plans(experiment=experiment, plans={seat.seed: plan}, kind=Ballot.Kind(seat.kind))
        if ballot.plan_sha256 != seat.plan_sha256:
            raise _unfit(f"the plan of panel {seat.panel} seat {seat.number} does not have its hash")
        found.seats[seat.ballot] = Seat.objects.create(
            panel=panels[seat.panel],
            number=seat.number,
            occupancy=seat.occupancy,
            ballot=ballot,
            participant=participants.get(seat.participant) if seat.participant is not None else None,
            state=seat.state,
            taken_at=seat.taken_at,
        )
        trials = list(ballot.trials.order_by("position"))
        for page, trial in zip(seat.pages, trials, strict=True):
            found.trials[page.trial] = trial.pk
            trial.postponed, trial.skipped_at = page.postponed, (seat.taken_at or now) if page.skipped else None
        Trial.objects.bulk_update(
            [trial for trial in trials if trial.postponed or trial.skipped_at], ["postponed", "skipped_at"]
        )
    return found


def _entries(experiment: Experiment) -> dict[tuple[str, str], Entry]:
    stimuli = Stimulus.objects.filter(item__collection=experiment.collection_id)
    rows = stimuli.select_related("item", "condition", "recording")
    return {(stimulus.item.name, stimulus.condition.name): entry_of(stimulus) for stimulus in rows}


def _plan(page: RestoredPage, entries: Mapping[tuple[str, str], Entry]) -> TrialPlan:
    try:
        slots = tuple(PlannedSlot(key, entries[item, condition]) for key, item, condition in page.slots)
        return TrialPlan(
            slots=slots, ask=page.ask, kind=TrialKind(page.kind), session=page.session, detail=dict(page.detail)
        )
    except (KeyError, ValueError) as error:
        raise _unfit(f"a page has {error}, which the collection or the protocol does not know") from None


@transaction.atomic
def restore_design(*, experiment: Experiment, design: Mapping[str, Any], actor: User) -> None:
    """Restore how the seats were laid out together, where they were, and what was added later."""
    if design.get("preset"):
        fields = {name: design[name] for name in ("preset", "settings", "subsets", "report")}
        Design.objects.create(
            experiment=experiment, seed=design["design_seed"], sha256=design["first_layout_sha256"], **fields
        )
    for written in design["extensions"]:
        values = {name: value for name, value in written.items() if name != "date"}
        extension = Extension.objects.create(experiment=experiment, **values)
        Extension.objects.filter(pk=extension.pk).update(created_at=datetime.fromisoformat(written["date"]))
    if design["layout_sha256"]:
        adopt_layout(experiment=experiment, sha256=design["layout_sha256"], actor=actor)


@transaction.atomic
def restore_visits(
    *,
    visits: Mapping[str, tuple[Seat, Mapping[str, Any], datetime, datetime]],
    checks: Iterable[tuple[str, dict[str, Any], datetime]],
    reports: Iterable[tuple[str, dict[str, Any], datetime]],
) -> None:
    """Restore sittings (seat, device, begin, last sign of life) with their checks and reports, by their old keys."""
    rows = {key: Visit(seat=seat, device=dict(device)) for key, (seat, device, _began, _seen) in visits.items()}
    _create(Visit.objects, list(rows.values()), [began for _seat, _device, began, _seen in visits.values()])
    for key, (_seat, _device, _began, seen) in visits.items():
        rows[key].last_seen_at = seen
    Visit.objects.bulk_update(rows.values(), ["last_seen_at"], batch_size=ROWS_AT_ONCE)
    for model, found, own in ((SetupStep, list(checks), {}), (ClientReport, list(reports), {"event_id": uuid4})):
        made = [
            model(visit=rows[key], **{name: make() for name, make in own.items()}, **fields)
            for key, fields, _at in found
        ]
        _create(model.objects, made, [at for _key, _fields, at in found])


def _create(manager: "models.Manager[Any]", rows: Sequence[Any], times: Sequence[datetime]) -> None:
    """Write rows that were made at other times; on creation a row has the present one."""
    manager.bulk_create(rows, batch_size=ROWS_AT_ONCE)
    for row, at in zip(rows, times, strict=True):
        row.created_at = at
    manager.bulk_update(rows, ["created_at"], batch_size=ROWS_AT_ONCE)


@transaction.atomic
def restore_exclusions(*, entries: Iterable[tuple[dict[str, Any], datetime]]) -> None:
    """Restore the ledger, lifted entries included."""
    found = list(entries)
    _create(Exclusion.objects, [Exclusion(**fields) for fields, _at in found], [at for _fields, at in found])


@transaction.atomic
def restore_questionnaire(*, answers: Iterable[tuple[Seat, str, Any, datetime]]) -> None:
    QuestionAnswer.objects.bulk_create(
        QuestionAnswer(
            seat=seat, participant=seat.participant, question=question, value=value, saved_at=at, handed_in_at=at
        )
        for seat, question, value, at in answers
    )


@transaction.atomic
def restore_endings(*, closed: Mapping[UUID, datetime], abandoned: Mapping[UUID, datetime]) -> None:
    """Close ballots: those that were finished get a new receipt, those that were released count no more."""
    for key, at in abandoned.items():
        Ballot.objects.filter(pk=key).update(abandoned_at=at, closed_at=at)
    for seat in Seat.objects.filter(ballot__in=closed).select_related("ballot"):
        ballot = seat.ballot
        ballot.closed_at = closed[ballot.pk]
        ballot.save(update_fields=["closed_at"])
        answered = ballot.trials.filter(answered=True).count()
        completion = Completion.objects.create(seat=seat, code=new_code(), vote_count=answered, chain=ballot.chain)
        record_completion(completion=completion, ballot=ballot)


def _unfit(problem: str) -> AppError:
    return AppError(
        "dataset.seat_unfit", 422, _("The seats of the dataset cannot be restored: {problem}."), problem=problem
    )
