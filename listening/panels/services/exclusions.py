"""Exclusions ledger: answers of a listener, a seat or a trial that results leave out, and the lifting of an entry.

No answer is altered. An entry says whether it was made before or after the experiment was unblinded, which is when its
`unblinded_at` was set; making, lifting and unblinding take the same lock, so that their order is certain.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from core.services import audit
from listening.models import Exclusion, ExclusionQuerySet, Seat
from listening.panels.services.seats import seat_unknown
from rating.models import Ballot, Experiment, Trial
from rating.services.experiments import locked

COUNTED = (Ballot.Kind.MAIN, Ballot.Kind.SIMULATED)  # kinds of ballots that results can be made of
LONGEST_REASON = 500
EXCLUSION_COLUMNS = ("excluded", "exclusion_reason")


@dataclass(frozen=True)
class Target:
    """What is excluded: a listener by pseudonym, or a seat by panel and number; one trial by its place in addition."""

    listener: str = ""
    panel: int | None = None
    seat: int | None = None
    position: int | None = None

    @property
    def kind(self) -> Exclusion.Kind:
        if self.position is not None:
            return Exclusion.Kind.TRIAL
        return Exclusion.Kind.LISTENER if self.listener else Exclusion.Kind.SEAT


@dataclass(frozen=True)
class RuleOutcome:
    """The rule that a listener is excluded by, and the figure that it was found with."""

    rule: str
    figure: float
    threshold: float
    scale: str = ""


@transaction.atomic
def exclude(
    *, experiment: Experiment, actor: User, target: Target, reason: str = "", outcome: RuleOutcome | None = None
) -> Exclusion:
    """Leave answers out of all results, for a reason that a person gives or by the outcome of a rule."""
    if outcome is None and not reason.strip():
        raise _reason_missing()
    experiment = locked(experiment)
    seat = _seat_of(experiment, target)
    trial = _trial_of(seat, target.position) if target.position is not None else None
    _check_answers(seat, trial)
    _check_new(seat, trial)
    found: dict[str, Any] = vars(outcome) if outcome else {}
    entry = Exclusion.objects.create(
        kind=target.kind,
        seat=seat,
        trial=trial,
        reason=reason.strip(),
        made_by=actor,
        after_unblinding=experiment.unblinded_at is not None,
        **found,
    )
    audit.record(
        actor=actor,
        action="exclusion.made",
        target=f"experiment/{experiment.slug}",
        after=_told(entry) | found | {"after_unblinding": entry.after_unblinding},
        reason=entry.reason,
    )
    return entry


@transaction.atomic
def exclude_by_rule(
    *, experiment: Experiment, actor: User, found: Iterable[tuple[Target, RuleOutcome]]
) -> list[Exclusion]:
    """Exclude all listeners that a rule proposes, or nobody."""
    return [exclude(experiment=experiment, actor=actor, target=target, outcome=outcome) for target, outcome in found]


@transaction.atomic
def lift(*, experiment: Experiment, entry_id: UUID, actor: User, reason: str) -> Exclusion:
    """Let excluded answers count again; the entry stays in the ledger."""
    if not reason.strip():
        raise _reason_missing()
    experiment = locked(experiment)
    entry = Exclusion.objects.of_experiment(experiment).select_for_update(of=("self",)).filter(pk=entry_id).first()
    if entry is None:
        raise AppError("exclusion.unknown", 404, _("The ledger of this experiment has no such exclusion."))
    if entry.lifted_at is not None:
        raise AppError("exclusion.lifted", 409, _("This exclusion was lifted before. Exclude again to leave it out."))
    entry.lifted_at, entry.lifted_by, entry.lifted_reason = timezone.now(), actor, reason.strip()
    entry.lifted_after_unblinding = experiment.unblinded_at is not None
    entry.save(update_fields=["lifted_at", "lifted_by", "lifted_reason", "lifted_after_unblinding"])
    audit.record(
        actor=actor,
        action="exclusion.lifted",
        target=f"experiment/{experiment.slug}",
        before=_told(entry),
        after={"after_unblinding": entry.lifted_after_unblinding},
        reason=entry.lifted_reason,
    )
    return entry


# --- Reading ----------------------------------------------------------------------------------------------------------


def ledger_of(experiment: Experiment) -> ExclusionQuerySet:
    """Every entry in the order in which they were made, with the names that a page needs."""
    named = ("seat__panel", "seat__participant", "seat__ballot", "trial", "made_by", "lifted_by")
    return Exclusion.objects.of_experiment(experiment).select_related(*named)


@dataclass(frozen=True)
class Excluded:
    """Why answers are excluded: of whole ballots, and of pages by ballot and position."""

    ballots: dict[UUID, str] = field(default_factory=dict)
    pages: dict[tuple[UUID, int], str] = field(default_factory=dict)

    def reason(self, ballot: UUID, position: int) -> str:
        """Why an answer is excluded; empty where it counts."""
        return self.ballots.get(ballot) or self.pages.get((ballot, position), "")

    def columns(self, ballot: UUID, position: int) -> dict[str, Any]:
        """The same as two columns, which every file of answers has."""
        why = self.reason(ballot, position)
        return dict(zip(EXCLUSION_COLUMNS, (bool(why), why), strict=True))

    def __bool__(self) -> bool:
        return bool(self.ballots or self.pages)


def excluded_now(experiment: Experiment) -> Excluded:
    standing = list(Exclusion.objects.of_experiment(experiment).standing().select_related("seat", "trial"))
    return Excluded(
        ballots={entry.seat.ballot_id: entry.told for entry in standing if entry.trial is None},
        pages={(entry.seat.ballot_id, entry.trial.position): entry.told for entry in standing if entry.trial},
    )


def seats_with_answers(experiment: Experiment) -> QuerySet[Seat]:
    """The seats whose answers can count, and so be excluded."""
    seats = Seat.objects.filter(panel__experiment=experiment, ballot__kind__in=COUNTED, ballot__vote_count__gt=0)
    return seats.filter(ballot__abandoned_at__isnull=True).select_related("panel", "participant", "ballot")


def name_of_listener(seat: Seat) -> str:
    """The participant's pseudonym, or the name that an erased one's answers have in every file."""
    return str(seat.participant) if seat.participant else f"erased-{seat.ballot_id.hex[:8]}"


def _told(entry: Exclusion) -> dict[str, Any]:
    seat = entry.seat
    told = {"kind": str(entry.kind), "panel": seat.panel.number, "seat": seat.number, "occupancy": seat.occupancy}
    return told | ({"position": entry.trial.position} if entry.trial else {})


# --- What can be excluded ---------------------------------------------------------------------------------------------


def _seat_of(experiment: Experiment, target: Target) -> Seat:
    seats = Seat.objects.filter(panel__experiment=experiment, ballot__kind__in=COUNTED)
    seats = seats.select_related("panel", "participant", "ballot").order_by("-occupancy")
    if target.listener:
        seat = _listeners_seat(seats, target.listener)
        if seat is None:
            raise AppError(
                "exclusion.listener_unknown",
                404,
                _("No listener of this experiment is called '{listener}'. Names are such as sub-0007."),
                listener=target.listener[:40],
            )
        return seat
    panel, number_of_seat = target.panel or 0, target.seat or 0
    seat = seats.filter(panel__number=panel, number=number_of_seat).first()
    if seat is None:
        raise seat_unknown(panel=panel, seat=number_of_seat)
    return seat


def _listeners_seat(seats: QuerySet[Seat], name: str) -> Seat | None:
    number = name.removeprefix("sub-")
    if number.isascii() and number.isdecimal() and len(number) < 10:
        return seats.filter(participant__number=int(number)).first()
    return next((seat for seat in seats.filter(participant__isnull=True) if name_of_listener(seat) == name), None)


def _trial_of(seat: Seat, position: int) -> Trial:
    trial = Trial.objects.filter(ballot=seat.ballot_id, position=position).first()
    if trial is None:
        raise AppError(
            "exclusion.trial_unknown",
            404,
            _("The ballot of {listener} has no trial {position}. Its trials are numbered from 1 to {last}."),
            listener=name_of_listener(seat),
            position=position,
            last=seat.ballot.trials.count(),
        )
    return trial


def _check_answers(seat: Seat, trial: Trial | None) -> None:
    who = name_of_listener(seat)
    if seat.ballot.abandoned_at is not None:
        raise AppError(
            "exclusion.not_counted",
            409,
            _("The seat of {listener} was released, so its answers do not count in any result."),
            listener=who,
        )
    if trial is not None and trial.current_vote_id is None:
        raise AppError(
            "exclusion.no_answers",
            409,
            _("Trial {position} of {listener} has no answer that could be excluded."),
            listener=who,
            position=trial.position,
        )
    if not seat.ballot.vote_count:
        raise AppError(
            "exclusion.no_answers_of_seat",
            409,
            _("Seat {seat} of panel {panel} has no answers that could be excluded."),
            panel=seat.panel.number,
            seat=seat.number,
        )


def _check_new(seat: Seat, trial: Trial | None) -> None:
    standing = Exclusion.objects.standing().filter(seat=seat)
    if standing.filter(trial__isnull=True).exists() or (trial and standing.filter(trial=trial).exists()):
        raise _excluded_already(seat, trial)


def _excluded_already(seat: Seat, trial: Trial | None) -> AppError:
    if trial is None:
        return AppError(
            "exclusion.repeated",
            409,
            _("{listener} is excluded already. Lift that exclusion first to give another reason."),
            listener=name_of_listener(seat),
        )
    return AppError(
        "exclusion.trial_repeated",
        409,
        _("Trial {position} of {listener} is excluded already, alone or with the whole listener."),
        listener=name_of_listener(seat),
        position=trial.position,
    )


def _reason_missing() -> AppError:
    return AppError(
        "exclusion.reason_missing", 422, _("Say why: the reason stands in the ledger and beside every excluded answer.")
    )
