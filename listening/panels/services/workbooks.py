"""Workbooks of seats: written for people who work without a browser, and entered again as ordinary votes."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO, cast
from uuid import UUID, uuid5

from django.db import transaction
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop as _

from audio.sandbox.client import Limits
from core.errors import AppError
from core.i18n import LazyMessage
from core.models import User
from listening.models import Completion, Invitation, Seat, Visit
from listening.panels.services.panels import invite_to_seat, link
from listening.panels.services.paper import Sheet, cast_for_seat, hand_in, record_about_seat, seats_for_paper, sheets_of
from listening.panels.services.seats import renew_lease
from listening.participation.access import token_digest
from listening.participation.services.visits import claim_seat
from listening.workbooks.base import Book, BookPage, Choices, Returned, Workbook
from rating.errors import wrong_state
from rating.label_sets import labels_of
from rating.models import Experiment
from rating.registry import module_of
from stimuli.errors import TableUnreadable
from stimuli.sandbox import SandboxFailure, run_sandboxed

CLIENT = "workbook"  # where a browser would say its version
DEVICE = {"browser": "", "device_class": "workbook"}
EVENTS = UUID("2b1f6f0e-6c0c-4c7e-9f57-8d3a0f1c5b7a")  # the same cells on the same revision are the same event
MOST_BYTES = 10 * 2**20
LIMITS = Limits(cpu_s=20, memory_bytes=256 * 2**20, wall_s=60.0, result_bytes=32 * 2**20)


@dataclass(frozen=True)
class Entered:
    """Result of entering a workbook: its content, and how much of it was stored."""

    returned: Returned
    stands_open: int  # findings that kept everything from being stored
    closed: int = 0
    drafts: int = 0


def workbook_of(experiment: Experiment) -> Workbook:
    """The workbook form of an experiment's protocol."""
    module = module_of(experiment.protocol, "workbook")
    if module is None:
        raise AppError(
            "workbook.not_offered",
            409,
            _("This protocol has no workbook. Its answers are given on the listener's own page."),
        )
    return cast(Workbook, module)


def seats_with_workbooks(experiment: Experiment) -> Iterator[Seat]:
    """Seats that can still be filled in."""
    workbook_of(experiment)
    return iter(seats_for_paper(experiment).exclude(state=Seat.State.FINISHED))


@transaction.atomic
def write_workbook(*, seat: Seat, now: datetime, actor: User) -> bytes:
    """Write a seat's workbook with the answers so far; an open seat is reserved for the recipient of the file."""
    made = workbook_of(seat.ballot.experiment).write_book(_book(seat, link_to=_link(seat, now), now=now))
    record_about_seat(seat, "workbook.made", actor)
    return made


def write_workbooks(*, experiment: Experiment, now: datetime, actor: User) -> bytes:
    """All workbooks that are still wanted, in one archive."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_STORED) as archive:  # a workbook is compressed already
        for seat in seats_with_workbooks(experiment):
            archive.writestr(workbook_name(seat), write_workbook(seat=seat, now=now, actor=actor))
    return kept.getvalue()


def workbook_name(seat: Seat) -> str:
    return f"{seat.panel.experiment.slug}-{seat.panel.number}-{seat.number}.xlsx"


def enter_workbook(
    *, seat: Seat, file: BinaryIO, name: str, choices: Choices, agreed: bool, now: datetime, actor: User
) -> Entered:
    """Store a workbook's answers, or nothing as long as a doubtful cell is undecided."""
    if seat.state == Seat.State.OPEN and not agreed:
        raise AppError(
            "workbook.no_consent",
            422,
            _(
                "Nobody has agreed to take part in this seat yet. Tick the box once you hold the consent, and send the "
                "file again."
            ),
        )
    sheets = {str(sheet.trial.pk): sheet for sheet in sheets_of(seat=seat)}
    book = _book(seat, link_to="", now=now)
    returned = workbook_of(seat.ballot.experiment).read_book(_cells(file, name), book)
    stands_open = len(returned.stands_open(choices))
    if stands_open:
        return Entered(returned, stands_open)
    _take_seat(seat, now=now, actor=actor)
    for key, answer in returned.answers.items():
        payload = workbook_of(seat.ballot.experiment).payload_of(answer, sheets[key].plan)
        _cast(seat, sheets[key], payload, actor)
    closed = sum(answer.whole for answer in returned.answers.values())
    decided = {"closed": closed, "drafts": len(returned.answers) - closed}
    with transaction.atomic():
        told = {"sha256": _sha256(file), "flipped": choices.flip, "replaced": choices.replace}
        record_about_seat(seat, "ballot.entered_from_workbook", actor, **told, **decided)
        renew_lease(seat=seat, now=now)
    return Entered(returned, 0, **decided)


def finish_from_workbook(*, seat: Seat, now: datetime, actor: User) -> Completion:
    """Close the ballot once every clip is answered."""
    workbook = workbook_of(seat.ballot.experiment)
    visit = seat.visits.order_by("created_at").last()
    if visit is None:
        raise AppError("workbook.not_taken", 409, _("Nobody has this seat yet. Enter a workbook that came back first."))
    return hand_in(visit=visit, seat=seat, now=now, actor=actor, client=CLIENT, paper=workbook)


def _book(seat: Seat, *, link_to: str, now: datetime) -> Book:
    experiment = seat.ballot.experiment
    return Book(
        title=experiment.title,
        seat=f"{seat.panel.number}.{seat.number}",
        link=link_to,
        labels=labels_of(experiment),
        pages=[_page(sheet) for sheet in sheets_of(seat=seat)],
        made_at=now,
    )


def _page(sheet: Sheet) -> BookPage:
    media = {slot.key: str(slot.media) for slot in sheet.trial.slots.all()}
    return BookPage(str(sheet.trial.pk), sheet.number, sheet.plan, media, sheet.newest)


def _link(seat: Seat, now: datetime) -> str:
    """The link that stands in the seat's workbook, each time the same: its secret follows from the server's own.

    Where the listener has a link of their own, the workbook has none, as only its digest is known.
    """
    secret = salted_hmac("listening.workbook", str(seat.pk), algorithm="sha256").hexdigest()[:40]
    invitation = Invitation.objects.filter(seat=seat).first()
    if invitation is None and seat.state == Seat.State.OPEN:
        invite_to_seat(seat=seat, now=now, token=secret)
        return link(secret)
    return link(secret) if invitation and invitation.token_sha256 == token_digest(secret) else ""


@transaction.atomic
def _take_seat(seat: Seat, *, now: datetime, actor: User) -> None:
    """Take an open seat for the person who filled in the workbook; a taken seat stays as it is."""
    experiment = Experiment.objects.select_for_update().get(pk=seat.panel.experiment_id)
    seat.refresh_from_db()
    if seat.state != Seat.State.OPEN:
        return
    if experiment.state != Experiment.State.LIVE:
        raise wrong_state(experiment, needed="live")
    _link(seat, now)
    visit: Visit = claim_seat(invitation=Invitation.objects.get(seat=seat), now=now, device=dict(DEVICE))
    record_about_seat(visit.seat, "seat.taken_by_workbook", actor, consent="held by the organiser")


def _cast(seat: Seat, sheet: Sheet, payload: Any, actor: User) -> None:
    told = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()
    event_id = uuid5(EVENTS, f"{sheet.trial.pk} {sheet.trial.revision} {told}")
    cast_for_seat(seat, sheet.trial, event_id, sheet.trial.revision, payload, actor, client=CLIENT)


def _cells(file: BinaryIO, name: str) -> dict[str, Any]:
    """Read an untrusted file in the sandbox."""
    if file.seek(0, io.SEEK_END) > MOST_BYTES:
        raise AppError(
            "workbook.too_large",
            413,
            _(
                "The file is larger than {size} MB, which no workbook is. Send the one that was downloaded for this "
                "seat."
            ),
            size=MOST_BYTES >> 20,
        )
    file.seek(0)
    try:
        read = run_sandboxed("stimuli.imports.xlsx:read_cells", file, name=name, limits=LIMITS)
    except SandboxFailure:
        problem = LazyMessage("it is damaged, or holds far more cells than it should")
        raise TableUnreadable(name=name, problem=problem) from None
    found: dict[str, Any] = read.facts["sheets"]
    return found


def _sha256(file: BinaryIO) -> str:
    file.seek(0)
    return hashlib.sha256(file.read(MOST_BYTES)).hexdigest()
