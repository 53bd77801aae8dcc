"""Visits: taking a seat by consent, coming back, submitting votes, finishing with a receipt; progress by session."""

import secrets
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max, Min, Sum
from django.utils.translation import gettext_noop as _

from core import sql
from core.errors import AppError
from core.hashing import digest
from core.models import User
from core.services import audit
from listening.durations import PRACTICE, rests_before, stated_minutes
from listening.models import Completion, Invitation, Panel, Participant, Recruitment, Seat, SessionSettings, Visit
from listening.panels.services.durations import duration_of, fresh_seat
from listening.panels.services.seats import (
    DRY_RUN,
    emptiest_panel,
    find_seat,
    first_lease_of,
    lease_of,
    open_from,
    renew_lease,
    seats_behind,
    touch,
)
from listening.participation.access import check_not_revoked, seat_abandoned
from listening.participation.recruitment import BROWSER, CODE_ALPHABET, Arrival, digests, is_resume_code, resume_code
from listening.participation.services.questionnaires import is_due
from listening.participation.services.verification import record_completion
from rating.models import UNANSWERED, Ballot, Experiment
from rating.questions import Place
from rating.registry import get_protocol
from rating.services.ballots import record_consent
from rating.services.votes import Receipt, VoteEvent, cast_vote

SITTING_GAP = timedelta(minutes=30)  # headphones and volume may have changed after a longer absence
_PROGRESS = """
SELECT COUNT(*) AS total, COUNT(*) FILTER (WHERE NOT answered AND skipped_at IS NULL) AS missing
FROM rating_trial WHERE ballot_id = %(ballot)s
"""


def seat_held(invitation: Invitation, arrival: Arrival | None = None, held: Collection[str] = ()) -> Seat | None:
    """The seat that this person has already taken: by this link, or by any link for many of the experiment.

    `held` are the visits that the same browser had before. Whether it may go on there, `check_resumable` says.
    """
    if invitation.seat is not None and invitation.seat.state != Seat.State.OPEN:
        return invitation.seat
    if arrival is None:
        return None
    experiment_id = invitation.panel.experiment_id
    seats = Seat.objects.select_related("ballot__experiment", "panel").filter(
        participant__recruitment__experiment=experiment_id
    )
    person = digests(experiment_id, arrival.service, arrival.person)
    by_name = seats.filter(
        participant__recruitment__service=arrival.service, participant__recruitment__person__in=person
    ).first()
    if by_name is not None or arrival.service != BROWSER:
        return by_name
    return seats.filter(visits__in=[UUID(visit) for visit in held]).order_by("-visits__created_at").first()


class SeatElsewhere(AppError):
    """A person's seat belongs to another browser; the landing page asks for the resume code."""

    def __init__(self) -> None:
        super().__init__(
            "seat.elsewhere",
            409,
            _(
                "This test was begun in another browser under the number that you came with. Go on there, or type the "
                "code that was shown there after you agreed."
            ),
        )


def check_resumable(*, seat: Seat, arrival: Arrival | None, held: Collection[str]) -> None:
    """Reject a browser that knows only a person's id with a recruiting service, which is no secret."""
    if arrival is None or arrival.service == BROWSER:
        return
    browser = digests(seat.panel.experiment_id, BROWSER, arrival.browser)
    began_here = Recruitment.objects.filter(participant=seat.participant_id, browser__in=browser).exists()
    if not began_here and not seat.visits.filter(pk__in=[UUID(visit) for visit in held]).exists():
        raise SeatElsewhere


def resume_code_of(seat: Seat) -> str:
    """What another browser needs to go on in this seat; nothing where a personal link leads there."""
    recruitment = Recruitment.objects.filter(participant=seat.participant_id).first()
    return resume_code(recruitment) if recruitment else ""


class ResumeCodeUnknown(AppError):
    """The resume code that was typed leads to no seat; the landing page asks again."""

    def __init__(self) -> None:
        super().__init__(
            "seat.resume_code",
            422,
            _("No place in this test has this code. It has 12 letters and digits, and no 0, 1, I or O."),
        )


def seat_of_code(*, experiment: Experiment, code: str) -> Seat:
    """The seat that a resume code leads to, whatever link for many of the experiment it is typed at."""
    for pk, participant in experiment.recruitments.values_list("pk", "participant"):
        if is_resume_code(pk, code):
            return Seat.objects.select_related("ballot__experiment", "panel").get(participant=participant)
    raise ResumeCodeUnknown


def may_come_again(seat: Seat) -> bool:
    """Whether a seat was lost before its first answer, so that the link for many leads to another one."""
    recruited = Recruitment.objects.filter(participant=seat.participant_id)
    return seat.ballot.vote_count == 0 and not hasattr(seat, "invitation") and not recruited.exists()


class PanelFull(AppError):
    """No seat is left behind a link; the landing page says so in its own words."""

    def __init__(self) -> None:
        super().__init__(
            "invitation.full", 409, _("All places in your group are taken. Thank you for wanting to take part.")
        )


class OtherGroup(AppError):
    """A person of one group asks for a place in the other; the landing page says so and leads back."""

    def __init__(self) -> None:
        super().__init__(
            "seat.other_group",
            409,
            _(
                "In this study some people make what others judge, and you have taken part in the other group. Thank "
                "you: please leave this place to another person."
            ),
        )


def check_claimable(invitation: Invitation, *, now: datetime, held: Collection[str] = (), address: str = "") -> None:
    """Raise what keeps this link from a seat, if anything does.

    `held` are the visits that the same browser had before, `address` is the network address that it comes from.
    """
    check_not_revoked(invitation)
    if invitation.expires_at <= now:
        raise AppError(
            "invitation.expired",
            410,
            _("This link expired on {date}. Ask the experimenter for a new one."),
            date=invitation.expires_at.date().isoformat(),
        )
    experiment = invitation.panel.experiment
    closed = experiment.state != Experiment.State.LIVE and not _is_dry_run(invitation)
    if closed or experiment.deleted_at is not None:
        raise AppError(
            "invitation.not_open",
            409,
            _("This listening test is not open at the moment. Try again later or ask the experimenter."),
        )
    if invitation.seat is None:
        seats = seats_behind(panel=invitation.panel, many=invitation.many)
        if not seats.free().exists() and not seats.lapsed(now).exists():
            raise PanelFull
    if _was_in_other_group(invitation, held):
        raise OtherGroup
    if invitation.many and address:
        _check_address_limit(invitation.panel.experiment, address, now)


def note_opened(invitation: Invitation, *, now: datetime) -> None:
    """Note the first time that a link was opened."""
    if invitation.opened_at is None:
        Invitation.objects.filter(pk=invitation.pk, opened_at__isnull=True).update(opened_at=now)


class TextChanged(AppError):
    """The consent text was amended after the page was opened; the landing page shows the new one."""

    def __init__(self) -> None:
        super().__init__(
            "consent.text_changed",
            409,
            _("The text that you agree to has changed since you opened the page. Read it again, then agree."),
        )


@transaction.atomic
def claim_seat(
    *,
    invitation: Invitation,
    now: datetime,
    device: dict[str, Any],
    arrival: Arrival | None = None,
    held: Collection[str] = (),
    address: str = "",
    text_sha256: str = "",
) -> Visit:
    """Take a seat and record the consent that was given; of two claims by one person, the second resumes.

    `text_sha256` is the digest of the text that the person read, where a page has shown it.
    """
    # Lock first, read afterwards: joined rows of a locking query are those from before the wait for the lock.
    Invitation.objects.select_for_update().get(pk=invitation.pk)
    invitation = _read(invitation)
    if (seat := seat_held(invitation)) is not None:
        return begin_visit(seat=seat, device=device, now=now, held=held)
    # Claims of one experiment follow each other, so that numbers stay unique and a seat goes to one person.
    experiment = Experiment.objects.select_for_update().get(pk=invitation.panel.experiment_id)
    invitation = _read(invitation)
    if (seat := seat_held(invitation, arrival, held)) is not None:
        check_resumable(seat=seat, arrival=arrival, held=held)
        return begin_visit(seat=seat, device=device, now=now, held=held)
    check_claimable(invitation, now=now, held=held, address=address)
    if text_sha256 and text_sha256 != digest(experiment.consent_text):
        raise TextChanged
    seat = invitation.seat or find_seat(seats=seats_behind(panel=invitation.panel, many=invitation.many), now=now)
    if seat is None:
        raise PanelFull
    _assign(seat, experiment=experiment, arrival=arrival, address=address, now=now)
    if not invitation.many:
        invitation.seat = seat
        invitation.save(update_fields=["seat"])
    record_consent(ballot=seat.ballot, experiment=experiment)
    return Visit.objects.create(seat=seat, device=device)


def begin_visit(*, seat: Seat, device: dict[str, Any], now: datetime, held: Collection[str] = ()) -> Visit:
    """Come back to a seat, on this device or another.

    `held` are the visits that the same browser had before. One that was active a moment ago goes on, with its sound
    check done; after a longer absence, or on another device, another sitting begins.
    """
    if seat.state == Seat.State.ABANDONED:
        raise seat_abandoned()
    recent = seat.visits.filter(pk__in=[UUID(visit) for visit in held], last_seen_at__gt=now - SITTING_GAP)
    visit = recent.last() or Visit.objects.create(seat=seat, device=device)
    renew_lease(seat=seat, now=now)
    return visit


def submit_votes(*, visit: Visit, events: Iterable[VoteEvent], now: datetime) -> list[Receipt]:
    """Cast each event in a transaction of its own: one bad answer never holds back the others.

    Only further answers to the same page wait with one whose sound is missing: they go on from its revision.
    """
    receipts: list[Receipt] = []
    waiting: dict[UUID, Receipt] = {}
    for event in events:
        if first := waiting.get(event.trial):
            receipts.append(replace(first, event_id=event.event_id))
            continue
        receipts.append(cast_vote(ballot_id=visit.seat.ballot_id, event=event, sound_needed=True))
        if receipts[-1].status == "sound_missing":
            waiting[event.trial] = receipts[-1]
    touch(visit=visit, now=now, answered=any(receipt.status == "stored" for receipt in receipts))
    return receipts


@transaction.atomic(durable=True)
def finish_visit(*, visit: Visit, now: datetime, on_paper: bool = False) -> Completion:
    """Issue the receipt and completion code, once, and only when every vote is here and every question was asked.

    A sheet of paper has no questionnaire.
    """
    ballot = Ballot.objects.select_for_update().get(pk=visit.seat.ballot_id)
    completion = Completion.objects.filter(seat=visit.seat).first()
    if completion is not None:
        return completion
    if ballot.abandoned_at is not None:
        raise seat_abandoned()
    if missing := ballot.trials.unanswered().count():
        raise AppError(
            "visit.incomplete",
            409,
            _("{missing} answers have not reached the server yet. They are needed for a receipt."),
            missing=missing,
        )
    if not on_paper and is_due(visit.seat, Place.AFTER):
        raise AppError(
            "visit.questions_left", 409, _("The questions after the last clip are not answered yet. Reload the page.")
        )
    answered = ballot.trials.filter(answered=True).count()
    completion = Completion.objects.create(seat=visit.seat, code=new_code(), vote_count=answered, chain=ballot.chain)
    Ballot.objects.filter(pk=ballot.pk).update(closed_at=now)
    Seat.objects.filter(pk=visit.seat_id).update(state=Seat.State.FINISHED)
    record_completion(completion=completion, ballot=ballot)
    return completion


@transaction.atomic
def completions_of(*, experiment: Experiment, actor: User) -> list[list[Any]]:
    """Code, pseudonym, time, number of answers and time of withdrawal of all finished seats; the request is logged."""
    rows = Completion.objects.filter(seat__panel__experiment=experiment, seat__ballot__kind=Ballot.Kind.MAIN)
    audit.record(actor=actor, action="completions.read", target=f"experiment/{experiment.slug}")
    return [
        [
            completion.code,
            completion.seat.participant or "",
            completion.created_at.isoformat(timespec="seconds"),
            completion.vote_count,
            withdrawn_at.isoformat(timespec="seconds") if (withdrawn_at := completion.seat.ballot.abandoned_at) else "",
        ]
        for completion in rows.select_related("seat__participant", "seat__ballot").order_by("created_at")
    ]


def progress(*, visit: Visit) -> dict[str, int]:
    (counts,) = sql.fetch(_PROGRESS, ballot=visit.seat.ballot_id)
    total, missing = counts["total"], counts["missing"]
    return {"answered": total - missing, "total": total}


def counted(*, ballot: Ballot) -> int:
    """How many clips (or what the protocol counts) a ballot has, practice left out."""
    pages_each = get_protocol(ballot.experiment.protocol).pages_each
    return ballot.trials.filter(session__gt=PRACTICE).count() // pages_each


def group_behind(invitation: Invitation) -> str:
    """The group of people whose seat a link leads to; a link for many fills the panel that lacks the most people."""
    panel = invitation.panel
    if not invitation.many or not get_protocol(panel.experiment.protocol).groups.names:
        return panel.group
    emptiest = emptiest_panel(seats_behind(panel=panel, many=True))
    return Panel.objects.get(pk=emptiest).group if emptiest else panel.group


def outlook(*, invitation: Invitation, group: str, session_settings: SessionSettings) -> dict[str, Any]:
    """What the start page says before anybody has agreed: minutes, clips and clips of practice of a whole seat.

    Everybody of a group reads the same, whatever others have done; a duration that the experimenter stated stands.
    """
    experiment, seat = invitation.panel.experiment, invitation.seat
    ballot = seat.ballot if seat else None
    planned = fresh_seat(experiment=experiment, group=group, ballot=ballot, session_settings=session_settings)
    if planned is None:
        raise PanelFull
    minutes = session_settings.stated_minutes or stated_minutes(planned.duration.total_s)
    return {"minutes": minutes, "clips": planned.clips, "practice": planned.practice}


def remaining(*, ballot: Ballot, session_settings: SessionSettings) -> dict[str, Any]:
    """What a person who comes back reads: how many clips are answered of those that count, and about how many minutes
    are left, practice with them.
    """
    sessions, pages_each = sessions_of(ballot=ballot), get_protocol(ballot.experiment.protocol).pages_each
    counted = [session for session in sessions if session["session"] != PRACTICE]
    answered, total = (sum(session[name] for session in counted) // pages_each for name in ("answered", "total"))
    left = {session["session"]: session["seconds_left"] for session in sessions if session["seconds_left"]}
    minutes = stated_minutes(duration_of(ballot.experiment, left, session_settings).after_checks_s)
    return {"answered": answered, "total": total, "minutes": minutes}


def _read(invitation: Invitation) -> Invitation:
    return Invitation.objects.select_related("panel__experiment", "seat__ballot__experiment").get(pk=invitation.pk)


def _is_dry_run(invitation: Invitation) -> bool:
    own = invitation.seat is not None and invitation.seat.ballot.kind in DRY_RUN
    return own or invitation.panel.experiment.is_simulation


def _was_in_other_group(invitation: Invitation, held: Collection[str]) -> bool:
    """Whether this browser had a seat in another group, where the protocol allows people in one group only."""
    panel = invitation.panel
    if not get_protocol(panel.experiment.protocol).groups.exclusive or _is_dry_run(invitation):
        return False
    seats = Seat.objects.filter(visits__in=[UUID(visit) for visit in held], panel__experiment=panel.experiment_id)
    return seats.exclude(panel__group=panel.group).exclude(ballot__kind__in=DRY_RUN).exists()


def _check_address_limit(experiment: Experiment, address: str, now: datetime) -> None:
    """Limit the seats without an answer per network address, so that nobody takes all seats of a link for many."""
    most = settings.UNANSWERED_SEATS_PER_ADDRESS
    addresses = digests(experiment.pk, "address", address)
    if most and (count := open_from(experiment=experiment, addresses=addresses, now=now)) >= most:
        raise AppError(
            "invitation.crowded",
            429,
            _(
                "{count} people have begun from your network and not answered yet. Try again in a few minutes, when "
                "some of them have, or from another network."
            ),
            count=count,
        )


def _assign(seat: Seat, *, experiment: Experiment, arrival: Arrival | None, address: str, now: datetime) -> None:
    last = experiment.participants.aggregate(last=Max("number"))["last"] or 0
    seat.participant = Participant.objects.create(experiment=experiment, number=last + 1)
    seat.state = Seat.State.TAKEN
    seat.taken_at = now
    seat.leased_until = now + (lease_of(experiment) if arrival is None else first_lease_of(experiment))
    seat.save(update_fields=["participant", "state", "taken_at", "leased_until"])
    if arrival is not None:
        Recruitment.objects.create(
            experiment=experiment,
            participant=seat.participant,
            service=arrival.service,
            person=digests(experiment.pk, arrival.service, arrival.person)[0],
            browser=digests(experiment.pk, BROWSER, arrival.browser)[0],
            address=digests(experiment.pk, "address", address)[0] if address else "",
        )


def new_code() -> str:
    letters = [secrets.choice(CODE_ALPHABET) for _ in range(8)]
    return "".join(letters[:4]) + "-" + "".join(letters[4:])


# --- Sessions of a ballot ---------------------------------------------------------------------------------------------


RECEIPT_DIGITS = 8


def sessions_of(*, ballot: Ballot) -> list[dict[str, Any]]:
    """One entry a session, in order; session 0 is practice."""
    rows = list(
        ballot.trials.order_by("session")
        .values("session")
        .annotate(
            total=Count("pk"),
            left=Count("pk", filter=UNANSWERED),
            left_s=Sum("planned_s", filter=UNANSWERED, default=0.0),
            whole_s=Sum("planned_s"),
        )
    )
    whole_s = {row["session"]: row["whole_s"] for row in rows}
    return [
        {
            "session": row["session"],
            "total": row["total"],
            "answered": row["total"] - row["left"],
            "seconds_left": round(row["left_s"]),
            "rest_before": rests_before(row["session"], whole_s),
        }
        for row in rows
    ]


def add_places(*, ballot: Ballot, pages: Iterable[dict[str, Any]]) -> None:
    """Add to every page its number within its session."""
    rows = ballot.trials.order_by().values("session").annotate(first=Min("position"), total=Count("pk"))
    sessions = {row["session"]: row for row in rows}
    for page in pages:
        session = sessions[page["session"]]
        page["place"] = {"number": page["position"] - session["first"] + 1, "of": session["total"]}


def receipt(*, ballot: Ballot) -> str:
    """A short fingerprint of every answer that the server holds, to be written down at a break."""
    digits = ballot.chain[:RECEIPT_DIGITS].upper() if ballot.vote_count else ""
    return f"{digits[:4]}-{digits[4:]}" if digits else ""
