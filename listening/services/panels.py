"""Panels and their seats, and the links that lead there."""

import secrets
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.urls import reverse

from core.models import User
from core.services import audit
from listening.access import token_digest
from listening.errors import NoSeats, PanelUnknown, SeatsDesigned, UnknownGroup
from listening.models import Invitation, Panel, Seat
from listening.services.seats import add_rehearsals, main_seats
from rating.models import Ballot, Experiment
from rating.registry import protocol
from rating.services.ballots import copy_ballot, open_ballot

LINK_DAYS = 180


def is_designed(experiment: Experiment) -> bool:
    """Whether all seats were laid out together, so that none can be added by itself."""
    return hasattr(experiment, "design")


@transaction.atomic
def create_panel(*, experiment: Experiment, seats: int, actor: User, group: str = "") -> Panel:
    """Add the next panel to an experiment, each seat with a ballot drawn and frozen now for its group of people."""
    group = known_group(experiment, group)
    Experiment.objects.select_for_update().get(pk=experiment.pk)
    last = experiment.panels.aggregate(last=Max("number"))["last"] or 0
    panel = Panel.objects.create(experiment=experiment, number=last + 1, group=group)
    add_seats(panel=panel, count=seats)
    audit.record(
        actor=actor,
        action="panel.created",
        target=f"experiment/{experiment.slug}",
        after={"panel": panel.number, "seats": seats} | ({"group": group} if group else {}),
    )
    return panel


def known_group(experiment: Experiment, group: str) -> str:
    """The group that was asked for, or the first one where none was; nothing where the protocol has none."""
    groups = protocol(experiment.protocol).groups
    if group and group not in groups:
        raise UnknownGroup(group=group[:40], known=", ".join(groups) or "-")
    return group or (groups[0] if groups else "")


@transaction.atomic
def add_seats(*, panel: Panel, count: int, kind: Ballot.Kind = Ballot.Kind.MAIN) -> list[Seat]:
    """Add seats after the last one. Where all was laid out together, others than main ones repeat the main plans."""
    Panel.objects.select_for_update().get(pk=panel.pk)
    designed = is_designed(panel.experiment)
    if designed and kind == Ballot.Kind.MAIN:
        raise SeatsDesigned
    models = main_seats(panel) if designed else []
    if designed and not models:
        raise NoSeats
    earlier = panel.seats.filter(ballot__kind=kind).count()
    last = panel.seats.aggregate(last=Max("number"))["last"] or 0

    def ballot(nth: int) -> Ballot:
        if models:
            return copy_ballot(ballot=models[(earlier + nth) % len(models)].ballot, kind=kind)
        seed = f"panel {panel.number} seat {last + 1 + nth}"
        return open_ballot(experiment=panel.experiment, seed=seed, group=panel.group, kind=kind)

    return [Seat.objects.create(panel=panel, number=last + 1 + nth, ballot=ballot(nth)) for nth in range(count)]


@transaction.atomic
def invite(*, panel: Panel, count: int, now: datetime, actor: User | None, days: int = LINK_DAYS) -> list[str]:
    """Make links for any free seat of the panel. Their secrets are returned once and kept nowhere."""
    tokens = [_invitation(panel=panel, expires_at=now + timedelta(days=days)) for _ in range(count)]
    audit.record(
        actor=actor,
        action="panel.invited",
        target=f"experiment/{panel.experiment.slug}",
        after={"panel": panel.number, "links": count, "days": days},
    )
    return tokens


@transaction.atomic
def invite_many(*, experiment: Experiment, now: datetime, actor: User | None, days: int = LINK_DAYS) -> str:
    """Make one link that everybody may use: each person who consents takes a seat where most people are missing."""
    panel = experiment.panels.first()
    if panel is None:
        raise NoSeats
    token = _invitation(panel=panel, expires_at=now + timedelta(days=days), many=True)
    audit.record(actor=actor, action="experiment.opened", target=f"experiment/{experiment.slug}", after={"days": days})
    return token


@transaction.atomic
def close_links_for_many(*, experiment: Experiment, now: datetime, actor: User) -> int:
    """Let nobody new in by a link for many; whoever has a seat keeps it."""
    closed = links_for_many(experiment=experiment, now=now).update(expires_at=now)
    if closed:
        audit.record(
            actor=actor,
            action="experiment.links_closed",
            target=f"experiment/{experiment.slug}",
            after={"links": closed},
        )
    return closed


@transaction.atomic
def rehearse(*, experiment: Experiment, count: int, now: datetime, actor: User, days: int = LINK_DAYS) -> list[str]:
    """Make links for colleagues who try the whole way, before it is live or while it is; their answers never count."""
    seats = add_rehearsals(experiment=experiment, count=count)
    audit.record(
        actor=actor,
        action="experiment.rehearsed",
        target=f"experiment/{experiment.slug}",
        after={"links": count, "days": days},
    )
    return [invite_to_seat(seat=seat, now=now, days=days) for seat in seats]


def invite_to_seat(*, seat: Seat, now: datetime, days: int = LINK_DAYS, token: str = "") -> str:
    """Make the link for one particular seat, as simulated listeners use; from then on nobody else gets the seat."""
    return _invitation(panel=seat.panel, seat=seat, expires_at=now + timedelta(days=days), token=token)


def panel_of(*, experiment: Experiment, number: int) -> Panel:
    panel = experiment.panels.filter(number=number).first()
    if panel is None:
        raise PanelUnknown(number=number)
    return panel


def links_for_many(*, experiment: Experiment, now: datetime) -> QuerySet[Invitation]:
    return Invitation.objects.filter(panel__experiment=experiment, many=True, expires_at__gt=now)


def overview(*, experiment: Experiment, now: datetime) -> list[dict[str, Any]]:
    """How full each panel is and how many links it still needs; only seats that count are in the totals."""
    main = Q(seats__ballot__kind=Ballot.Kind.MAIN)
    kept = main & Q(seats__ballot__abandoned_at__isnull=True)

    def seats(which: Q) -> Count:
        return Count("seats", filter=which, distinct=True)

    # A link to a seat that does not count, as rehearsals and simulated listeners have, is no participant's.
    kept_for_one = Q(invitations__seat__state=Seat.State.OPEN, invitations__seat__ballot__kind=Ballot.Kind.MAIN)
    unclaimed = Q(invitations__seat__isnull=True) | kept_for_one
    unused = unclaimed & Q(invitations__many=False, invitations__expires_at__gt=now)
    panels = experiment.panels.annotate(
        total=seats(kept),
        open=seats(kept & Q(seats__state=Seat.State.OPEN)),
        taken=seats(kept & Q(seats__state=Seat.State.TAKEN)),
        lapsed=seats(kept & Q(seats__state=Seat.State.TAKEN, seats__leased_until__lte=now)),
        finished=seats(kept & Q(seats__state=Seat.State.FINISHED)),
        left=seats(main & Q(seats__state=Seat.State.LEFT)),
        simulated=seats(Q(seats__ballot__kind=Ballot.Kind.SIMULATED)),
        links=Count("invitations", filter=unused, distinct=True),
    )
    names = ("number", "total", "open", "taken", "lapsed", "finished", "left", "simulated", "links")
    rows = panels.order_by("number").values(*names)  # grouping has dropped the model's order
    return [row | {"needed": max(0, row["open"] + row["lapsed"] - row["links"])} for row in rows]


def link(token: str) -> str:
    return str(settings.PUBLIC_URL) + reverse("listening:join", args=[token])


def _invitation(
    *, panel: Panel, expires_at: datetime, seat: Seat | None = None, many: bool = False, token: str = ""
) -> str:
    token = token or secrets.token_urlsafe(24)
    Invitation.objects.create(
        panel=panel, seat=seat, many=many, token_sha256=token_digest(token), expires_at=expires_at
    )
    return token
