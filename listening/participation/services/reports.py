"""Reports: what happened in a participant's browser and is no answer, kept once however often it is sent."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from listening.models import ClientReport, Visit
from listening.panels.services.seats import touch
from rating.errors import KeyReused, unknown_trial
from rating.models import Ballot, SoundFetch, Trial
from rating.registry import get_protocol
from rating.services.ballots import SECOND_FAILURE, postpone_trial

MOST_PER_SEAT = 2000  # far more than a test has pages; a page that loops must not fill the database


@dataclass(frozen=True)
class ReportEvent:
    """A report of the browser about what went wrong, under an id of its own."""

    event_id: UUID
    kind: str
    trial: UUID | None = None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What becomes of the page that a report is about."""

    skipped: bool = False  # it is left out of the test from now on
    enough: bool = False  # it failed again, and no further page can be left out

    @classmethod
    def of(cls, trial: Trial) -> "Outcome":
        skipped = trial.skipped_at is not None
        return cls(skipped=skipped, enough=trial.postponed >= SECOND_FAILURE and not skipped and not trial.answered)


def receive_report(*, visit: Visit, event: ReportEvent, now: datetime) -> Outcome:
    """Keep a report, and tell what becomes of its page.

    A clip that failed comes again at the end of its session; a page whose clip fails there too is left out, as long as
    few are. A report about a page that is not due, or about a sound that was not asked for, is only kept.
    """
    touch(visit=visit, now=now)
    try:
        return _keep(visit, event, now)
    except IntegrityError:
        return _again(visit, event)


@transaction.atomic
def _keep(visit: Visit, event: ReportEvent, now: datetime) -> Outcome:
    # Reports on one ballot follow each other, so that one failure of a clip counts as one.
    Ballot.objects.select_for_update().get(pk=visit.seat.ballot_id)
    trial = _trial(visit, event)
    failed = trial if event.kind == ClientReport.Kind.CLIP else None
    if ClientReport.objects.filter(visit__seat=visit.seat_id).count() < MOST_PER_SEAT:
        ClientReport.objects.create(
            event_id=event.event_id, visit=visit, trial=trial, kind=event.kind, detail=event.detail
        )
    if failed is None:
        return Outcome()
    if _is_due(visit.seat.ballot, failed) and _was_asked_for(failed):
        failed = postpone_trial(ballot=visit.seat.ballot, trial_id=failed.pk, now=now)
    return Outcome.of(failed)


def _is_due(ballot: Ballot, trial: Trial) -> bool:
    """Whether this page comes next, or is open at all where pages may be answered in any order."""
    waiting = ballot.trials.unanswered().values_list("pk", flat=True)
    return trial.pk in (waiting if get_protocol(ballot.experiment.protocol).access.revisable else waiting[:1])


def _was_asked_for(trial: Trial) -> bool:
    sounds = trial.slots.filter(stimulus__recording__isnull=False)
    return not sounds.exists() or SoundFetch.objects.filter(slot__trial=trial).exists()


def _trial(visit: Visit, event: ReportEvent) -> Trial | None:
    if event.trial is None and event.kind != ClientReport.Kind.CLIP:
        return None
    trial = visit.seat.ballot.trials.filter(pk=event.trial).first() if event.trial else None
    if trial is None:
        raise unknown_trial()
    return trial


def _again(visit: Visit, event: ReportEvent) -> Outcome:
    report = ClientReport.objects.select_related("visit", "trial").get(event_id=event.event_id)
    if report.visit.seat_id != visit.seat_id or report.kind != event.kind or report.trial_id != event.trial:
        raise KeyReused
    is_clip = report.kind == ClientReport.Kind.CLIP
    return Outcome.of(report.trial) if is_clip and report.trial is not None else Outcome()
