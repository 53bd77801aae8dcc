"""Removal of a draft's design, seats and links, and of everything that has been in the bin for its time."""

from dataclasses import asdict, dataclass

from django.db import transaction
from django.db.models import Sum
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from core.services import audit
from listening.models import ClientReport, Completion, Design, Exclusion, Invitation, Panel, Seat, SetupStep, Visit
from listening.panels.services.design_seats import STAGED, check_untouched, discard_unseated
from rating.models import Ballot, Consent, Experiment
from rating.services import disposal
from rating.services.experiments import adopt_layout, check_no_jobs


@dataclass(frozen=True)
class Removal:
    """What a removal takes away."""

    designs: int
    panels: int
    seats: int
    links: int
    begun: int  # previews and rehearsals that were opened


def would_remove(experiment: Experiment) -> Removal:
    """What would be lost."""
    seats = Seat.objects.filter(panel__experiment=experiment)
    main = seats.filter(ballot__kind=Ballot.Kind.MAIN)
    return Removal(
        designs=Design.objects.filter(experiment=experiment).count(),
        panels=experiment.panels.count(),
        seats=main.count(),
        links=Invitation.objects.filter(panel__experiment=experiment).count(),
        begun=seats.exclude(ballot__kind=Ballot.Kind.MAIN).exclude(state=Seat.State.OPEN).count(),
    )


def check_removable(experiment: Experiment) -> None:
    """Raise what keeps the seats in place: the state, a listener, a job, or an answer."""
    check_untouched(experiment)
    check_no_jobs(experiment)
    if answers := experiment.ballots.aggregate(answers=Sum("vote_count", default=0))["answers"]:
        raise AppError(
            "seat.answers_kept",
            409,
            _(
                "{count} answers were given in previews, rehearsals or simulations, and answers are never removed with "
                "a seat. Copy the experiment and change the copy."
            ),
            count=answers,
        )


def remove_seats(*, experiment: Experiment, actor: User) -> Removal:
    """Remove the design, all seats and all links of a draft."""
    with transaction.atomic():
        locked = Experiment.objects.select_for_update().get(pk=experiment.pk)
        check_removable(locked)
        removed = would_remove(locked)
        if locked.layout_sha256:
            adopt_layout(experiment=locked, sha256="", actor=actor)
        _delete_seats(locked)
        Consent.objects.filter(ballot__experiment=locked).delete()
        locked.ballots.update(kind=STAGED)  # to be discarded, a few at a time
        audit.record(
            actor=actor, action="experiment.seats_removed", target=f"experiment/{locked.slug}", before=asdict(removed)
        )
    discard_unseated(experiment)
    return removed


def empty_bin() -> int:
    """Remove for good what has been in the bin for its time; return how many experiments went. Safe to run twice."""
    removed = 0
    for experiment in disposal.past_bin().order_by("deleted_at"):
        disposal.record_removal(experiment)
        with transaction.atomic():
            _delete_seats(experiment)
        for ballot in experiment.ballots.order_by("pk"):
            disposal.remove_ballot(ballot)
        disposal.remove_experiment(experiment)
        removed += 1
    return removed


def _delete_seats(experiment: Experiment) -> None:
    """Delete what refers to the seats, then the seats and panels."""
    seats = Seat.objects.filter(panel__experiment=experiment)
    visits = Visit.objects.filter(seat__in=seats)
    SetupStep.objects.filter(visit__in=visits).delete()
    ClientReport.objects.filter(visit__in=visits).delete()
    visits.delete()
    Completion.objects.filter(seat__in=seats).delete()
    Exclusion.objects.filter(seat__in=seats).delete()
    Invitation.objects.filter(panel__experiment=experiment).delete()
    Design.objects.filter(experiment=experiment).delete()
    experiment.extensions.all().delete()
    seats.delete()
    experiment.participants.all().delete()
    Panel.objects.filter(experiment=experiment).delete()
