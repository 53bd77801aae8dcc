"""Seats: leases, release to the next person with the same plan, copies for previews and rehearsals."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max, Q
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from core.services import audit
from listening.models import Panel, Recruitment, Seat, SeatQuerySet, Visit
from listening.panels.flags import SEEN_WITHIN
from listening.panels.services.session_settings import session_settings_of
from rating.models import Ballot, Experiment, Trial
from rating.services.ballots import abandon_ballot, copy_ballot, record_consent

DRY_RUN = (Ballot.Kind.PREVIEW, Ballot.Kind.REHEARSAL)  # what may be opened before an experiment is live


def lease_of(experiment: Experiment) -> timedelta:
    return timedelta(hours=session_settings_of(experiment).lease_hours)


def first_lease_of(experiment: Experiment) -> timedelta:
    """How long a seat that was taken by a link for many waits for the first answer."""
    return min(timedelta(minutes=settings.UNANSWERED_SEAT_MINUTES), lease_of(experiment))


def renew_lease(*, seat: Seat, now: datetime) -> None:
    """Renew the lease; a seat that was released in the meantime stays released."""
    experiment, held = seat.ballot.experiment, Seat.objects.filter(pk=seat.pk, state=Seat.State.TAKEN)
    if seat.ballot.vote_count or not Recruitment.objects.filter(participant__seat=seat).exists():
        held.update(leased_until=now + lease_of(experiment))
    else:
        # Only onwards: a first answer may have come in this moment.
        until = now + first_lease_of(experiment)
        held.filter(leased_until__lt=until).update(leased_until=until)


def touch(*, visit: Visit, now: datetime, answered: bool = False) -> None:
    """Note that the visit is active, at most every few seconds, and after a first answer at once."""
    until = visit.seat.leased_until if answered else None
    if until is not None and until <= now + timedelta(minutes=settings.UNANSWERED_SEAT_MINUTES):
        renew_lease(seat=visit.seat, now=now)
    if visit.last_seen_at >= now - SEEN_WITHIN:
        return
    if Visit.objects.filter(pk=visit.pk, last_seen_at__lt=now - SEEN_WITHIN).update(last_seen_at=now):
        renew_lease(seat=visit.seat, now=now)


def seats_behind(*, panel: Panel, many: bool) -> SeatQuerySet:
    """The seats that a link may lead to: those of its panel, or of the whole experiment."""
    seats = Seat.objects.main()
    return seats.filter(panel__experiment=panel.experiment_id) if many else seats.filter(panel=panel)


def emptiest_panel(seats: SeatQuerySet) -> UUID | None:
    """The key of the panel that has the most free seats of these."""
    counts = seats.free().order_by().values_list("panel").annotate(n=Count("pk")).order_by("-n", "panel__number")
    first = counts.first()
    return first[0] if first else None


def find_seat(*, seats: SeatQuerySet, now: datetime) -> Seat | None:
    """The seat for the next person, inside a transaction that holds the experiment's lock.

    A free one in the panel that lacks the most people; otherwise one whose lease has run out.
    """
    if panel := emptiest_panel(seats):
        return seats.free().filter(panel=panel).select_related("ballot").first()
    for lapsed in seats.lapsed(now):
        successor = _release(lapsed, now=now, actor=None, reason="The lease had run out.", if_lapsed=True)
        if successor is not None:
            return successor
    return None


@transaction.atomic
def reissue_seat(*, seat: Seat, now: datetime, actor: User, reason: str = "") -> Seat:
    """Release a taken seat by hand; the next person gets the same plan, and the answers so far are kept."""
    Experiment.objects.select_for_update().get(pk=seat.panel.experiment_id)
    successor = _release(seat, now=now, actor=actor, reason=reason, if_lapsed=False)
    if successor is None:
        raise AppError(
            "seat.not_taken",
            409,
            _("Seat {seat} is not taken. Only a seat that is taken and not finished can be released."),
            seat=seat.number,
        )
    return successor


def turn_away(*, seat: Seat, now: datetime, reason: str) -> bool:
    """Release the seat of a person who cannot take part; not once there are answers, for work that was done is kept.

    Inside a transaction. The person keeps the link to this seat, so that it cannot be tried again and again.
    """
    Experiment.objects.select_for_update().get(pk=seat.panel.experiment_id)
    if Ballot.objects.select_for_update().get(pk=seat.ballot_id).vote_count:
        return False
    return _release(seat, now=now, actor=None, reason=reason, if_lapsed=False) is not None


def _release(seat: Seat, *, now: datetime, actor: User | None, reason: str, if_lapsed: bool) -> Seat | None:
    """Abandon a taken seat and create its successor. Votes and receipts lock the ballot, lease renewals the seat."""
    ballot = Ballot.objects.select_for_update(of=("self",)).select_related("experiment").get(pk=seat.ballot_id)
    Seat.objects.select_for_update().get(pk=seat.pk)
    seat = Seat.objects.select_related("panel").get(pk=seat.pk)
    if seat.state != Seat.State.TAKEN or (if_lapsed and _is_alive(seat, ballot, now)):
        return None
    successor = abandon_seat(seat=seat, ballot=ballot, now=now)
    if if_lapsed and not ballot.vote_count:
        # No answer was given, so the person may use the link for many again.
        Recruitment.objects.filter(participant=seat.participant_id).delete()
    audit.record(
        actor=actor,
        action="seat.reissued",
        target=f"experiment/{ballot.experiment.slug}",
        before={
            "panel": seat.panel.number,
            "seat": seat.number,
            "occupancy": seat.occupancy,
            "answers": ballot.vote_count,
        },
        after={"occupancy": successor.occupancy},
        reason=reason,
    )
    return successor


def abandon_seat(*, seat: Seat, ballot: Ballot, now: datetime) -> Seat:
    """Count a ballot no more, and open the seat with the same plan for another person; both are locked already."""
    abandon_ballot(ballot=ballot, now=now)
    Seat.objects.filter(pk=seat.pk).update(state=Seat.State.ABANDONED)
    return Seat.objects.create(
        panel=seat.panel,
        number=seat.number,
        occupancy=seat.occupancy + 1,
        ballot=copy_ballot(ballot=ballot, kind=Ballot.Kind(ballot.kind)),
    )


def open_from(*, experiment: Experiment, addresses: Collection[str], now: datetime) -> int:
    """How many seats people from one network address hold without an answer."""
    held = Seat.objects.filter(state=Seat.State.TAKEN, ballot__vote_count=0, leased_until__gt=now)
    return held.filter(participant__recruitment__in=experiment.recruitments.filter(address__in=addresses)).count()


def forget_addresses(*, now: datetime) -> None:
    """Delete the digests of addresses that no limit needs any more."""
    waiting = Seat.objects.filter(state=Seat.State.TAKEN, ballot__vote_count=0, leased_until__gt=now)
    Recruitment.objects.exclude(address="").exclude(participant__seat__in=waiting).update(address="")


def _is_alive(seat: Seat, ballot: Ballot, now: datetime) -> bool:
    """Whether the lease still holds, or a vote came in so recently that it has not renewed the lease yet."""
    if seat.leased_until is None or seat.leased_until > now:
        return True
    newest = ballot.votes.aggregate(newest=Max("received_at"))["newest"]
    return newest is not None and newest + lease_of(ballot.experiment) > now


# --- Copies for previews and rehearsals, which never count ------------------------------------------------------------


def main_seats(panel: Panel) -> list[Seat]:
    """The panel's seats that count, one for each number, in order."""
    return list(panel.seats.main().select_related("ballot__experiment", "panel").order_by("number"))


def copy_seat(*, seat: Seat, kind: Ballot.Kind) -> Seat:
    """A new seat of another kind in the same panel, with the same plan."""
    Panel.objects.select_for_update().get(pk=seat.panel_id)
    last = Seat.objects.filter(panel=seat.panel_id).aggregate(last=Max("number"))["last"] or 0
    ballot = copy_ballot(ballot=seat.ballot, kind=kind)
    return Seat.objects.create(panel=seat.panel, number=last + 1, ballot=ballot)


def seat_unknown(*, panel: int, seat: int) -> AppError:
    return AppError(
        "seat.unknown", 404, _("Panel {panel} has no seat {seat}. Choose one of its seats."), panel=panel, seat=seat
    )


@transaction.atomic
def open_preview(*, panel: Panel, seat_number: int, from_session: int, now: datetime, device: dict[str, Any]) -> Visit:
    """Let a signed-in experimenter hear and see what one seat will, from one session on."""
    seat = panel.seats.main().select_related("ballot__experiment", "panel").filter(number=seat_number).first()
    if seat is None:
        raise seat_unknown(panel=panel.number, seat=seat_number)
    sessions = seat.ballot.trials.aggregate(first=Max("session", filter=Q(position=1)), last=Max("session"))
    if sessions["last"] is None or from_session > sessions["last"]:
        raise AppError(
            "preview.session",
            422,
            _("The seat's plan has no page from session {session} on. Choose a session from {first} to {last}."),
            session=from_session,
            **sessions,
        )
    preview = copy_seat(seat=seat, kind=Ballot.Kind.PREVIEW)
    Trial.objects.filter(ballot=preview.ballot, session__lt=from_session).update(skipped_at=now)
    Seat.objects.filter(pk=preview.pk).update(state=Seat.State.TAKEN, taken_at=now)
    experiment = Experiment.objects.select_for_update().get(pk=preview.ballot.experiment_id)
    record_consent(ballot=preview.ballot, experiment=experiment)
    return Visit.objects.create(seat=preview, device=device)


def no_seats() -> AppError:
    return AppError("seat.none", 409, _("The experiment has no seats yet. Add a panel or apply a design first."))


@transaction.atomic
def add_rehearsals(*, experiment: Experiment, count: int) -> list[Seat]:
    """Seats for rehearsals, spread over the panels."""
    rows = [main_seats(panel) for panel in experiment.panels.all()]
    in_turn = [seats[n] for n in range(max(map(len, rows), default=0)) for seats in rows if n < len(seats)]
    if not in_turn:
        raise no_seats()
    earlier = Seat.objects.filter(panel__experiment=experiment, ballot__kind=Ballot.Kind.REHEARSAL).count()
    return [copy_seat(seat=in_turn[(earlier + n) % len(in_turn)], kind=Ballot.Kind.REHEARSAL) for n in range(count)]
