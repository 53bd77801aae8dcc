"""Withdrawal of a participant who has finished: the votes stay stored and count no more."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.services import audit
from listening.models import Completion, QuestionAnswer, Seat, Visit
from listening.panels.services.seats import abandon_seat
from listening.participation.services.verification import WITHDRAWN
from rating.models import Ballot, Experiment


def may_withdraw(ballot: Ballot) -> bool:
    """Whether answers that count can still be withdrawn: until the experiment is closed and its results are final."""
    is_open = ballot.experiment.state in (Experiment.State.LIVE, Experiment.State.PAUSED)
    return is_open and ballot.kind == Ballot.Kind.MAIN and ballot.abandoned_at is None


def is_withdrawn(seat: Seat) -> bool:
    """Whether a finished seat was taken back by its own listener, the only one who can."""
    return seat.state == Seat.State.ABANDONED and Completion.objects.filter(seat=seat).exists()


@transaction.atomic
def withdraw(*, visit: Visit, now: datetime) -> None:
    """Take a finished participant's answers out of all results; asking twice is asking once."""
    Experiment.objects.select_for_update().get(pk=visit.seat.panel.experiment_id)  # closing takes the same lock
    Ballot.objects.select_for_update().get(pk=visit.seat.ballot_id)
    seat = Seat.objects.select_related("panel", "ballot__experiment").get(pk=visit.seat_id)
    is_finished = Completion.objects.filter(seat=seat).exists()
    if is_finished and seat.ballot.abandoned_at is not None:
        return
    if not (is_finished and may_withdraw(seat.ballot)):
        raise AppError(
            "visit.cannot_withdraw",
            409,
            _(
                "Answers can be withdrawn after the last one and until the experiment is closed. Write to the "
                "experimenter instead."
            ),
        )
    QuestionAnswer.objects.filter(seat=seat).delete()  # unlike votes, they are in no chain and may go
    successor = abandon_seat(seat=seat, ballot=seat.ballot, now=now)
    where = {"panel": seat.panel.number, "seat": seat.number, "occupancy": seat.occupancy}
    audit.record(
        actor=None, action=WITHDRAWN, target=seat.ballot, before=where, after={"occupancy": successor.occupancy}
    )
