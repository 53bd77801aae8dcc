"""Reports: what happened in a participant's browser and is no answer, kept once however often it is sent."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from listening.models import ClientReport, Visit
from listening.services.seats import note_life
from rating.errors import KeyReused, UnknownTrial
from rating.models import Ballot, Trial
from rating.services.ballots import postpone_trial

MOST_PER_VISIT = 2000  # far more than a test has pages; a page that loops must not fill the database


@dataclass(frozen=True)
class ReportEvent:
    """What the browser says went wrong, under an id of its own."""

    event_id: UUID
    kind: str
    trial: UUID | None = None
    detail: dict[str, Any] = field(default_factory=dict)


def receive_report(*, visit: Visit, event: ReportEvent, now: datetime) -> bool:
    """Keep a report, and tell whether its page is left out of the test from now on.

    A clip that failed comes again at the end of its session; a page whose clip fails there too is left out.
    """
    note_life(visit=visit, now=now)
    try:
        return _keep(visit, event, now)
    except IntegrityError:
        return _again(visit, event)


@transaction.atomic
def _keep(visit: Visit, event: ReportEvent, now: datetime) -> bool:
    # Reports on one ballot follow each other, so that one failure of a clip counts as one.
    Ballot.objects.select_for_update().get(pk=visit.seat.ballot_id)
    trial = _trial(visit, event)
    failed = trial if event.kind == ClientReport.Kind.CLIP else None
    waits = failed is not None and not failed.answered and failed.skipped_at is None
    if waits or visit.reports.count() < MOST_PER_VISIT:
        ClientReport.objects.create(
            event_id=event.event_id, visit=visit, trial=trial, kind=event.kind, detail=event.detail
        )
    if failed is not None and waits:
        failed = postpone_trial(ballot=visit.seat.ballot, trial_id=failed.pk, now=now)
    return failed is not None and failed.skipped_at is not None


def _trial(visit: Visit, event: ReportEvent) -> Trial | None:
    if event.trial is None and event.kind != ClientReport.Kind.CLIP:
        return None
    trial = visit.seat.ballot.trials.filter(pk=event.trial).first() if event.trial else None
    if trial is None:
        raise UnknownTrial
    return trial


def _again(visit: Visit, event: ReportEvent) -> bool:
    report = ClientReport.objects.select_related("visit", "trial").get(event_id=event.event_id)
    if report.visit.seat_id != visit.seat_id or report.kind != event.kind or report.trial_id != event.trial:
        raise KeyReused
    return report.trial is not None and report.kind == ClientReport.Kind.CLIP and report.trial.skipped_at is not None
