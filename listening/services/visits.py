"""Visits: a seat claimed by consent, resumed anywhere by the same link, finished with a receipt."""

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max

from listening.errors import InvitationExpired, NotOpen, PanelFull, VisitIncomplete
from listening.models import Completion, Invitation, Panel, Participant, Seat, Visit
from rating.models import Ballot, Experiment
from rating.services.ballots import record_consent
from rating.services.votes import Receipt, VoteEvent, cast_vote

CODE_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # no 0/O and no 1/I: codes are read aloud and typed
SEEN_EVERY = timedelta(seconds=15)
SECONDS_TO_ANSWER = 5  # from the end of a clip to the start of the next, as lab listeners take


def is_claimed(invitation: Invitation) -> bool:
    return invitation.seat is not None and invitation.seat.state != Seat.State.OPEN


def check_claimable(invitation: Invitation, *, now: datetime) -> None:
    """Raise what stands between this link and a seat, if anything does. Opening a link never changes a row."""
    if invitation.expires_at <= now:
        raise InvitationExpired(date=invitation.expires_at.date().isoformat())
    if invitation.panel.experiment.state != Experiment.State.LIVE:
        raise NotOpen
    if invitation.seat is None and not _free_seats(invitation).exists():
        raise PanelFull


@transaction.atomic
def claim_seat(*, invitation: Invitation, now: datetime, language: str, device: dict[str, Any]) -> Visit:
    """Take a seat and record the consent that was given; of two claims of one link, the second resumes."""
    # Lock first, read afterwards: joined rows of a locking query are those from before the wait for the lock.
    Invitation.objects.select_for_update().get(pk=invitation.pk)
    invitation = Invitation.objects.select_related("panel__experiment", "seat__ballot").get(pk=invitation.pk)
    if is_claimed(invitation):
        return begin_visit(seat=invitation.seat, device=device)  # type: ignore[arg-type]
    check_claimable(invitation, now=now)
    # Claims of one experiment follow each other, so that numbers stay unique and a seat goes to one person.
    experiment = Experiment.objects.select_for_update().get(pk=invitation.panel.experiment_id)
    seat = invitation.seat or _free_seats(invitation).select_related("ballot").first()
    if seat is None:
        raise PanelFull
    last = experiment.participants.aggregate(last=Max("number"))["last"] or 0
    seat.participant = Participant.objects.create(experiment=experiment, number=last + 1)
    seat.state = Seat.State.TAKEN
    seat.taken_at = now
    seat.save(update_fields=["participant", "state", "taken_at"])
    invitation.seat = seat
    invitation.save(update_fields=["seat"])
    record_consent(ballot=seat.ballot, text=experiment.consent_text, language=language)
    return begin_visit(seat=seat, device=device)


def begin_visit(*, seat: Seat, device: dict[str, Any]) -> Visit:
    return Visit.objects.create(seat=seat, device=device)


def submit_votes(*, visit: Visit, events: Iterable[VoteEvent], now: datetime) -> list[Receipt]:
    """Cast each event in a transaction of its own: one bad answer never holds back the others."""
    receipts = [cast_vote(ballot_id=visit.seat.ballot_id, event=event) for event in events]
    Visit.objects.filter(pk=visit.pk, last_seen_at__lt=now - SEEN_EVERY).update(last_seen_at=now)
    return receipts


@transaction.atomic(durable=True)
def finish_visit(*, visit: Visit, now: datetime) -> Completion:
    """Issue the receipt and completion code, once, and only when every vote is here."""
    ballot = Ballot.objects.select_for_update().get(pk=visit.seat.ballot_id)
    completion = Completion.objects.filter(seat=visit.seat).first()
    if completion is not None:
        return completion
    if missing := ballot.trials.unanswered().count():
        raise VisitIncomplete(missing=missing)
    completion = Completion.objects.create(
        seat=visit.seat, code=_new_code(), vote_count=ballot.trials.count(), chain=ballot.chain
    )
    Ballot.objects.filter(pk=ballot.pk).update(closed_at=now)
    Seat.objects.filter(pk=visit.seat_id).update(state=Seat.State.FINISHED)
    return completion


def progress(*, visit: Visit) -> dict[str, int]:
    trials = visit.seat.ballot.trials
    total = trials.count()
    return {"answered": total - trials.unanswered().count(), "total": total}


def outlook(*, panel: Panel, seat: Seat | None) -> dict[str, int]:
    """What a participant is told before starting: how many clips, how many done, about how many minutes."""
    seat = seat or panel.seats.select_related("ballot").first()
    if seat is None:
        return {"answered": 0, "total": 0, "minutes": 0}
    total = seat.ballot.trials.count()
    listening_s = sum(
        length / rate
        for length, rate in seat.ballot.trials.values_list(
            "slots__stimulus__recording__length_samples", "slots__stimulus__recording__sample_rate_hz"
        )
    )
    minutes = max(1, round((listening_s + total * SECONDS_TO_ANSWER) / 60))
    return {"answered": total - seat.ballot.trials.unanswered().count(), "total": total, "minutes": minutes}


def _free_seats(invitation: Invitation) -> Any:
    return invitation.panel.seats.free().filter(ballot__kind=Ballot.Kind.MAIN)


def _new_code() -> str:
    letters = [secrets.choice(CODE_ALPHABET) for _ in range(8)]
    return "".join(letters[:4]) + "-" + "".join(letters[4:])
