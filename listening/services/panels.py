"""Panels and their seats, and the links that lead there."""

import secrets
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max, Q
from django.urls import reverse

from core.models import User
from core.services import audit
from listening.access import token_digest
from listening.errors import PanelUnknown
from listening.models import Invitation, Panel, Seat
from rating.models import Ballot, Experiment
from rating.services.ballots import open_ballot

LINK_DAYS = 180


@transaction.atomic
def create_panel(*, experiment: Experiment, seats: int, actor: User) -> Panel:
    """Add the next panel to an experiment, each seat with a ballot drawn and frozen now."""
    Experiment.objects.select_for_update().get(pk=experiment.pk)
    last = experiment.panels.aggregate(last=Max("number"))["last"] or 0
    panel = Panel.objects.create(experiment=experiment, number=last + 1)
    add_seats(panel=panel, count=seats)
    audit.record(
        actor=actor,
        action="panel.created",
        target=f"experiment/{experiment.slug}",
        after={"panel": panel.number, "seats": seats},
    )
    return panel


@transaction.atomic
def add_seats(*, panel: Panel, count: int, kind: Ballot.Kind = Ballot.Kind.MAIN) -> list[Seat]:
    Panel.objects.select_for_update().get(pk=panel.pk)
    last = panel.seats.aggregate(last=Max("number"))["last"] or 0
    return [
        Seat.objects.create(
            panel=panel,
            number=number,
            ballot=open_ballot(experiment=panel.experiment, seed=f"panel {panel.number} seat {number}", kind=kind),
        )
        for number in range(last + 1, last + 1 + count)
    ]


@transaction.atomic
def invite(*, panel: Panel, count: int, now: datetime, actor: User | None, days: int = LINK_DAYS) -> list[str]:
    """Make links for any free seat of the panel. Their secrets are returned once and kept nowhere."""
    tokens = [_invitation(panel=panel, seat=None, expires_at=now + timedelta(days=days)) for _ in range(count)]
    audit.record(
        actor=actor,
        action="panel.invited",
        target=f"experiment/{panel.experiment.slug}",
        after={"panel": panel.number, "links": count, "days": days},
    )
    return tokens


def invite_to_seat(*, seat: Seat, now: datetime, days: int = LINK_DAYS) -> str:
    """Make the link for one particular seat, as simulated listeners use."""
    return _invitation(panel=seat.panel, seat=seat, expires_at=now + timedelta(days=days))


def panel_of(*, experiment: Experiment, number: int) -> Panel:
    panel = experiment.panels.filter(number=number).first()
    if panel is None:
        raise PanelUnknown(number=number)
    return panel


def overview(*, experiment: Experiment) -> list[dict[str, Any]]:
    """How full each panel is; simulated seats are counted apart."""
    main = Q(seats__ballot__kind=Ballot.Kind.MAIN)
    panels = experiment.panels.annotate(
        total=Count("seats", filter=main, distinct=True),
        taken=Count("seats", filter=main & Q(seats__state=Seat.State.TAKEN), distinct=True),
        finished=Count("seats", filter=main & Q(seats__state=Seat.State.FINISHED), distinct=True),
        simulated=Count("seats", filter=~main & Q(seats__isnull=False), distinct=True),
        links=Count("invitations", filter=Q(invitations__seat__isnull=True), distinct=True),
    )
    return [dict(row) for row in panels.values("number", "total", "taken", "finished", "simulated", "links")]


def link(token: str) -> str:
    return str(settings.PUBLIC_URL) + reverse("listening:join", args=[token])


def _invitation(*, panel: Panel, seat: Seat | None, expires_at: datetime) -> str:
    token = secrets.token_urlsafe(24)
    Invitation.objects.create(panel=panel, seat=seat, token_sha256=token_digest(token), expires_at=expires_at)
    return token
