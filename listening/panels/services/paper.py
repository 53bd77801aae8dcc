"""Answers on paper: the sheets of a seat, and what was drawn on them entered by an organiser as ordinary votes."""

import typing
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from core.services import audit
from core.stored_json import object_in
from listening.models import Completion, Seat, SeatQuerySet, Visit
from listening.panels.services.panels import invite_to_seat, panel_of
from listening.panels.services.seats import renew_lease, seat_unknown
from listening.participation.access import invitation_for
from listening.participation.services.visits import claim_seat, finish_visit
from rating.errors import KeyReused, wrong_state
from rating.models import Experiment, Trial, Vote
from rating.protocol import FULL_LENGTH, Answer, Json, Mark, Protocol, TrialKind, TrialPlan
from rating.registry import get_protocol, module_of
from rating.services.pages import plan_of
from rating.services.votes import Receipt, VoteEvent, cast_vote

CLIENT = "paper"  # where a browser would say its version
ON_PAPER = {"browser": "", "device_class": "paper"}  # the device of a visit without one
SHOWN = UUID("6f1d4c52-93c5-4e4e-8f0e-3d1f6a0f6d3b")  # names the events of pages that a sheet shows and does not ask


@dataclass(frozen=True)
class Sheet:
    """One page of a seat on paper: what stands there, and what was last entered of it."""

    number: int  # 1, 2, ... in the order of the seat; 0 where nothing is to be rated
    trial: Trial
    plan: TrialPlan
    page: Json
    newest: Answer | None

    @property
    def slots(self) -> list[str]:
        """What is rated, in the order of its numbers: the first is number 1."""
        keys = [slot.key for slot in self.plan.slots if slot.entry.role != FULL_LENGTH]
        return sorted(keys, key=lambda key: (len(key), key))

    @property
    def entered_by(self) -> str:
        vote = self.trial.current_vote
        clock = object_in(object_in(vote.client).get("clock")) if vote else {}
        return str(clock.get("entered_by", ""))


@dataclass(frozen=True)
class Reading:
    """What an organiser read off one sheet. `read_from` tells how each slot's place was found: typed in, or a scan."""

    event_id: UUID
    revision: int
    marks: tuple[Mark, ...]
    read_from: Mapping[str, str]
    frame_px: int = 0
    comment: str = ""
    whole: bool = False


class PaperForm(typing.Protocol):
    """What a protocol's module `paper` offers, beside its templates paper.html and paper_guide.html."""

    def payload_of(self, answer: Answer, trial: TrialPlan) -> Json: ...


def paper_of(experiment: Experiment) -> PaperForm:
    """The paper form of an experiment's protocol."""
    module = module_of(experiment.protocol, "paper")
    if module is None:
        raise AppError(
            "paper.not_offered",
            409,
            _("This protocol has no version for paper. Its answers are given on the listener's own page."),
        )
    return typing.cast(PaperForm, module)


def seats_for_paper(experiment: Experiment) -> SeatQuerySet:
    """The seats that count, each with whether it is filled in on paper."""
    papers = Visit.objects.filter(seat=OuterRef("pk"), device__device_class=ON_PAPER["device_class"])
    return (
        Seat.objects.main()
        .filter(panel__experiment=experiment)
        .select_related("panel__experiment", "ballot__experiment", "participant")
        .annotate(on_paper=Exists(papers))
    )


def seat_for_paper(*, experiment: Experiment, panel_number: int, seat_number: int) -> Seat:
    panel = panel_of(experiment=experiment, number=panel_number)
    seat = seats_for_paper(experiment).filter(panel=panel, number=seat_number).first()
    if seat is None:
        raise seat_unknown(panel=panel_number, seat=seat_number)
    return seat


def sheets_of(*, seat: Seat) -> list[Sheet]:
    protocol, number = get_protocol(seat.ballot.experiment.protocol), 0
    trials = seat.ballot.trials.order_by("position").select_related("current_vote")
    sheets = []
    for trial in trials.prefetch_related(
        "slots__stimulus__item", "slots__stimulus__condition", "slots__stimulus__recording"
    ):
        plan = plan_of(trial, trial.slots.all())
        rated = plan.kind == TrialKind.TEST
        number += rated
        newest = protocol.read(trial.current_vote.payload, plan) if trial.current_vote else None
        sheets.append(Sheet(number if rated else 0, trial, plan, protocol.present(plan), newest))
    return sheets


def _paper_consent_missing() -> AppError:
    return AppError(
        "paper.no_consent", 422, _("Tick the box once you hold the signed consent; nothing is entered before that.")
    )


@transaction.atomic
def begin_on_paper(*, seat: Seat, agreed: bool, now: datetime, actor: User) -> Visit:
    """Record the consent that was given on paper, and take the seat for this rater."""
    if not agreed:
        raise _paper_consent_missing()
    experiment = Experiment.objects.select_for_update().get(pk=seat.panel.experiment_id)
    seat = seats_for_paper(experiment).get(pk=seat.pk)
    if seat.state != Seat.State.OPEN:
        return visit_on_paper(seat)
    if experiment.state != Experiment.State.LIVE:
        raise wrong_state(experiment, needed="live")
    # As every listener does, by a link to this seat; its secret is not kept.
    invitation = invitation_for(invite_to_seat(seat=seat, now=now))
    visit = claim_seat(invitation=invitation, now=now, device=ON_PAPER)
    record_about_seat(seat, "seat.taken_on_paper", actor, consent="on paper")
    return visit


def enter_sheet(*, seat: Seat, sheet: Sheet, reading: Reading, now: datetime, actor: User) -> Receipt:
    """Store what was read off a sheet as the seat's answer; until the seat is finished it can be entered again."""
    visit_on_paper(seat)
    paper = paper_of(seat.ballot.experiment)
    moved = _moved(get_protocol(seat.ballot.experiment.protocol), sheet, reading)
    detail = {"comment": reading.comment, "moved": moved, "frame_px": reading.frame_px}
    answer = Answer(marks=reading.marks, detail=detail, whole=reading.whole)
    payload = paper.payload_of(answer, sheet.plan)
    receipt = cast_for_seat(seat, sheet.trial, reading.event_id, reading.revision, payload, actor, client=CLIENT)
    if receipt.status == "stored":
        # A vote is a durable transaction of its own, so the log comes second; the vote itself says who entered it.
        with transaction.atomic():
            record_about_seat(
                seat,
                "ballot.entered_from_paper",
                actor,
                sheet=sheet.number,
                event=str(reading.event_id),
                moved=moved,
                closed=reading.whole,
            )
            renew_lease(seat=seat, now=now)
    return receipt


def finish_on_paper(*, seat: Seat, now: datetime, actor: User) -> Completion:
    """Close the ballot once every recording is closed; what the sheets only show counts as seen."""
    paper = paper_of(seat.ballot.experiment)
    return hand_in(visit=visit_on_paper(seat), seat=seat, now=now, actor=actor, client=CLIENT, paper=paper)


def hand_in(*, visit: Visit, seat: Seat, now: datetime, actor: User, client: str, paper: PaperForm) -> Completion:
    """Close a ballot whose answers the organiser entered; pages that are only shown count as seen."""
    waiting = [sheet for sheet in sheets_of(seat=seat) if not sheet.trial.answered]
    if still_open := [sheet for sheet in waiting if sheet.number]:
        raise AppError(
            "paper.sheets_open",
            409,
            _("{count} recordings of this seat are still open. Close each of them, then finish the seat."),
            count=len(still_open),
        )
    for sheet in waiting:
        payload = paper.payload_of(Answer(marks=()), sheet.plan)
        event_id = uuid5(SHOWN, str(sheet.trial.pk))
        cast_for_seat(seat, sheet.trial, event_id, sheet.trial.revision, payload, actor, client=client)
    completion = finish_visit(visit=visit, now=now, on_paper=True)
    with transaction.atomic():
        record_about_seat(seat, f"ballot.closed_from_{client}", actor, answers=completion.vote_count)
    return completion


class SheetChanged(AppError):
    """Another person saved the sheet first; the page shows it as it stands now."""

    def __init__(self) -> None:
        super().__init__(
            "paper.sheet_changed",
            409,
            _("This sheet was saved in the meantime. It is shown as it stands now; enter your change again."),
        )


def cast_for_seat(
    seat: Seat, trial: Trial, event_id: UUID, revision: int, payload: Json, actor: User, *, client: str
) -> Receipt:
    """Cast a vote for the seat's rater; the vote names who entered it and by which client."""
    event = VoteEvent(
        event_id=event_id,
        trial=trial.pk,
        revision=revision,
        payload=payload,
        heard={},
        clock={"entered_by": actor.username},
        client=client,
    )
    receipt = cast_vote(ballot_id=seat.ballot_id, event=event)
    if receipt.status == "conflict" or isinstance(receipt.error, KeyReused):
        raise SheetChanged
    if receipt.error is not None:
        raise receipt.error
    return receipt


def _moved(protocol: Protocol, sheet: Sheet, reading: Reading) -> dict[str, str]:
    """How each mark was read that changed since the given revision, so that the same form gives the same payload."""
    known = Vote.objects.filter(trial=sheet.trial, revision=reading.revision).first()
    before = set(protocol.read(known.payload, sheet.plan).marks) if known else set()
    slots = {mark.slot for mark in before ^ set(reading.marks)}
    return {slot: reading.read_from.get(slot, "paper") for slot in sheet.slots if slot in slots}


def visit_on_paper(seat: Seat) -> Visit:
    """The visit under which a seat's sheets are entered; a seat that is open or answered online has none."""
    if seat.state == Seat.State.OPEN:
        raise _paper_consent_missing()
    visit = seat.visits.filter(device__device_class=ON_PAPER["device_class"]).first()
    if visit is None:
        raise AppError(
            "paper.seat_online",
            409,
            _(
                "Seat {seat} was taken by a person who answers online. Choose another seat, or give this one away "
                "first."
            ),
            seat=seat.number,
        )
    return visit


def record_about_seat(seat: Seat, action: str, actor: User, **after: Json) -> None:
    place = {"panel": seat.panel.number, "seat": seat.number, "occupancy": seat.occupancy}
    audit.record(actor=actor, action=action, target=f"experiment/{seat.panel.experiment.slug}", after=place | after)
