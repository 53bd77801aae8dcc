"""Panels, their seats, and the links to them."""

import secrets
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.jobs import JobRun, enqueue, job
from core.models import Job, User
from core.services import audit
from listening.models import Design, Invitation, Panel, Seat
from listening.panels.services.design_seats import SEATS_AT_ONCE, Fence, Progress
from listening.panels.services.seats import add_rehearsals, main_seats, no_seats
from listening.participation.access import token_digest
from rating.models import Ballot, Experiment
from rating.registry import get_protocol
from rating.services.ballots import copy_ballot, draw_plans, drawn_from, store_plans
from rating.services.experiments import check_for_people

LINK_DAYS = 180


def is_designed(experiment: Experiment) -> bool:
    """Whether all seats were laid out together, so that none can be added by itself."""
    return Design.objects.filter(experiment=experiment).exists()


def create_panel(*, experiment: Experiment, seats: int, actor: User, group: str = "") -> Panel:
    """Add the next panel to an experiment, each seat with a ballot drawn and frozen now for its group of people."""
    group = _plannable(experiment, group)
    panel = _next_panel(experiment=experiment, seats=seats, actor=actor, group=group)
    add_seats(panel=panel, count=seats)
    return panel


def ask_for_panel(*, experiment: Experiment, seats: int, actor: User, group: str = "") -> Job:
    """Add the next panel, and have its seats made in the background; what is rejected now is not begun."""
    group = _plannable(experiment, group)
    with transaction.atomic():
        panel = _next_panel(experiment=experiment, seats=seats, actor=actor, group=group)
        arguments = {"experiment_id": str(experiment.pk), "panel": panel.number, "seats": seats}
        key = f"{fill_panel.name}:{experiment.pk}:{panel.number}"
        return enqueue(fill_panel, key=key, requested_by=actor, **arguments)


@transaction.atomic
def ask_for_more(*, experiment: Experiment, panel: int, seats: int, actor: User) -> Job:
    """Have so many more seats made in a panel. The caller has locked the experiment."""
    check_for_people(experiment)
    if is_designed(experiment):
        raise _seats_designed()
    there = panel_of(experiment=experiment, number=panel).seats.filter(ballot__kind=Ballot.Kind.MAIN, occupancy=1)
    arguments = {"experiment_id": str(experiment.pk), "panel": panel, "seats": there.count() + seats}
    key = f"{fill_panel.name}:{experiment.pk}:{panel}"
    return enqueue(fill_panel, key=key, requested_by=actor, **arguments)


def _seats_designed() -> AppError:
    return AppError(
        "seat.designed",
        409,
        _(
            "The seats of this experiment were laid out together, and one more would break the balance. Add listeners "
            "to all panels, or give a seat that was left to another person."
        ),
    )


@job(queue="interactive", title=_("Making seats"))
def fill_panel(*, run: JobRun, experiment_id: str, panel: int, seats: int) -> None:
    """Make the seats that the panel still lacks, so that a run that was cut short goes on where it was."""
    experiment = Experiment.objects.get(pk=experiment_id)
    if is_designed(experiment):
        raise _seats_designed()
    filled = panel_of(experiment=experiment, number=panel)
    there = filled.seats.filter(ballot__kind=Ballot.Kind.MAIN, occupancy=1).count()

    def progress(done: int, total: int, note: str) -> None:
        run.progress(there + done, there + total, note)

    add_seats(panel=filled, count=max(0, seats - there), fence=run.fenced, progress=progress)


def seat_jobs(experiment: Experiment) -> dict[int, Job]:
    """The job that makes a panel's seats, by the number of the panel, as long as it is not done."""
    jobs = Job.objects.filter(key__startswith=f"{fill_panel.name}:{experiment.pk}:").exclude(state=Job.State.DONE)
    return {job.arguments["panel"]: job for job in jobs.order_by("created_at")}


def check_seats_ready(panel: Panel) -> None:
    """Reject links to a panel whose seats are still being made, and to one that is not for people."""
    check_for_people(panel.experiment)
    if Job.objects.unfinished().filter(key=f"{fill_panel.name}:{panel.experiment_id}:{panel.number}").exists():
        raise AppError(
            "panel.seats_pending",
            409,
            _("The seats of panel {number} are still being created. Create links when all seats are ready."),
            number=panel.number,
        )


def _plannable(experiment: Experiment, group: str) -> str:
    """The group of the next panel; what keeps its seats from being planned is rejected before anything is written."""
    check_for_people(experiment)
    group = known_group(experiment, group)
    draw_plans(experiment=experiment, seeds=["tried"], group=group)
    return group


@transaction.atomic
def _next_panel(*, experiment: Experiment, seats: int, actor: User, group: str) -> Panel:
    """A panel that has no seats yet."""
    Experiment.objects.select_for_update().get(pk=experiment.pk)
    if is_designed(experiment):
        raise _seats_designed()
    last = experiment.panels.aggregate(last=Max("number"))["last"] or 0
    panel = Panel.objects.create(experiment=experiment, number=last + 1, group=group)
    audit.record(
        actor=actor,
        action="panel.created",
        target=f"experiment/{experiment.slug}",
        after={"panel": panel.number, "seats": seats} | ({"group": group} if group else {}),
    )
    return panel


def known_group(experiment: Experiment, group: str) -> str:
    """The group that was asked for, or the first one where none was; nothing where the protocol has none."""
    groups = get_protocol(experiment.protocol).groups.names
    if group and group not in groups:
        raise AppError(
            "panel.group_unknown",
            400,
            _("The protocol has no group of people called {group}. Use one of: {known}."),
            group=group[:40],
            known=", ".join(groups) or "-",
        )
    return group or (groups[0] if groups else "")


def add_seats(
    *,
    panel: Panel,
    count: int,
    kind: Ballot.Kind = Ballot.Kind.MAIN,
    fence: Fence = transaction.atomic,
    progress: Progress = lambda done, total, note: None,
) -> list[Seat]:
    """Add seats after the last one, few at a time. Where all was laid out together, others than main ones repeat the
    main plans.

    Each few are planned before their transaction begins, so that on SQLite, which writes one after the other, nobody's
    vote waits for longer than it takes to write them.
    """
    added: list[Seat] = []
    while len(added) < count:
        progress(len(added), count, "")
        added += _few_seats(panel=panel, count=min(SEATS_AT_ONCE, count - len(added)), kind=kind, fence=fence)
    progress(len(added), count, "")
    return added


def _panel_unknown(*, number: int) -> AppError:
    return AppError("panel.unknown", 404, _("The experiment has no panel {number}."), number=number)


def _few_seats(*, panel: Panel, count: int, kind: Ballot.Kind, fence: Fence) -> list[Seat]:
    """Plan and write some seats; none where what they were planned by has changed in the meantime."""
    experiment = Experiment.objects.select_related("collection").get(pk=panel.experiment_id)
    designed, last = is_designed(experiment), _last_number(panel)
    numbers = range(last + 1, last + 1 + count)
    seeds = [f"panel {panel.number} seat {number}" for number in numbers]
    plans = {} if designed else draw_plans(experiment=experiment, seeds=seeds, group=panel.group)
    with fence():
        # A design is adopted, and options, protocol and collection are changed, under the same lock.
        now = Experiment.objects.select_for_update(of=("self",)).get(pk=experiment.pk)
        if not Panel.objects.select_for_update().filter(pk=panel.pk).exists():
            raise _panel_unknown(number=panel.number)
        if designed and kind == Ballot.Kind.MAIN:
            raise _seats_designed()
        if (is_designed(now), drawn_from(now), _last_number(panel)) != (designed, drawn_from(experiment), last):
            return []
        if designed:
            ballots = _copies(panel, count, kind)
        else:
            ballots = store_plans(experiment=experiment, plans=plans, kind=kind)
        return Seat.objects.bulk_create(
            Seat(panel=panel, number=number, ballot=ballot) for number, ballot in zip(numbers, ballots, strict=True)
        )


def _copies(panel: Panel, count: int, kind: Ballot.Kind) -> list[Ballot]:
    models, earlier = main_seats(panel), panel.seats.filter(ballot__kind=kind).count()
    if not models:
        raise no_seats()
    return [copy_ballot(ballot=models[(earlier + nth) % len(models)].ballot, kind=kind) for nth in range(count)]


def _last_number(panel: Panel) -> int:
    return Seat.objects.filter(panel=panel).aggregate(last=Max("number"))["last"] or 0


@transaction.atomic
def invite(
    *,
    panel: Panel,
    count: int,
    now: datetime,
    actor: User | None,
    days: int = LINK_DAYS,
    labels: Sequence[str] = (),
) -> list[str]:
    """Make links for any free seat of the panel, one for each label where there are labels.

    Their secrets are returned once and kept nowhere.
    """
    check_seats_ready(panel)
    expires_at = now + timedelta(days=days)
    tokens = [_invitation(panel=panel, expires_at=expires_at, label=label) for label in labels or [""] * count]
    audit.record(
        actor=actor,
        action="panel.invited",
        target=f"experiment/{panel.experiment.slug}",
        after={"panel": panel.number, "links": len(tokens), "days": days},
    )
    return tokens


@transaction.atomic
def invite_many(
    *, experiment: Experiment, now: datetime, actor: User | None, days: int = LINK_DAYS, service: str = ""
) -> str:
    """Make one link for many people: each who consents takes a seat in the panel that lacks the most.

    With a recruiting `service`, the link believes that service's ids of people.
    """
    panel = experiment.panels.first()
    if panel is None:
        raise no_seats()
    token = _invitation(panel=panel, expires_at=now + timedelta(days=days), many=True, service=service)
    told = {"days": days} | ({"service": service} if service else {})
    audit.record(actor=actor, action="experiment.opened", target=f"experiment/{experiment.slug}", after=told)
    return token


@transaction.atomic
def close_links_for_many(*, experiment: Experiment, now: datetime, actor: User) -> int:
    """Close all links for many; seats that are taken stay taken."""
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
    """Make links for colleagues who rehearse the whole test, before or while it is live; their answers never count."""
    check_for_people(experiment)
    seats = add_rehearsals(experiment=experiment, count=count)
    audit.record(
        actor=actor,
        action="experiment.rehearsed",
        target=f"experiment/{experiment.slug}",
        after={"links": count, "days": days},
    )
    return [invite_to_seat(seat=seat, now=now, days=days) for seat in seats]


def invite_to_seat(*, seat: Seat, now: datetime, days: int = LINK_DAYS, token: str = "") -> str:
    """Make the link for one particular seat, which is reserved for it from then on."""
    return _invitation(panel=seat.panel, seat=seat, expires_at=now + timedelta(days=days), token=token)


def panel_of(*, experiment: Experiment, number: int) -> Panel:
    panel = experiment.panels.filter(number=number).first()
    if panel is None:
        raise _panel_unknown(number=number)
    return panel


def links_for_many(*, experiment: Experiment, now: datetime) -> QuerySet[Invitation]:
    valid = Invitation.objects.filter(expires_at__gt=now, revoked_at__isnull=True)
    return valid.filter(panel__experiment=experiment, many=True)


def overview(*, experiment: Experiment, now: datetime) -> list[dict[str, Any]]:
    """How full each panel is and how many links it still needs; only seats that count are in the totals."""
    return overviews(experiments=[experiment], now=now).get(experiment.pk, [])


def overviews(*, experiments: Collection[Experiment], now: datetime) -> dict[UUID, list[dict[str, Any]]]:
    """The same of several experiments, by their keys, in one query."""
    main = Q(seats__ballot__kind=Ballot.Kind.MAIN) | Q(
        seats__ballot__kind=Ballot.Kind.SIMULATED, experiment__is_simulation=True
    )
    kept = main & Q(seats__ballot__abandoned_at__isnull=True)

    def seats(which: Q) -> Count:
        return Count("seats", filter=which, distinct=True)

    # A link to a seat that does not count, as rehearsals and simulated listeners have, is no participant's.
    kept_for_one = Q(invitations__seat__state=Seat.State.OPEN, invitations__seat__ballot__kind=Ballot.Kind.MAIN)
    unclaimed = Q(invitations__seat__isnull=True) | kept_for_one
    valid = Q(invitations__expires_at__gt=now, invitations__revoked_at__isnull=True)
    unused = unclaimed & valid & Q(invitations__many=False)
    panels = Panel.objects.filter(experiment__in=experiments).annotate(
        total=seats(kept),
        open=seats(kept & Q(seats__state=Seat.State.OPEN)),
        taken=seats(kept & Q(seats__state=Seat.State.TAKEN)),
        lapsed=seats(kept & Q(seats__state=Seat.State.TAKEN, seats__leased_until__lte=now)),
        finished=seats(kept & Q(seats__state=Seat.State.FINISHED)),
        abandoned=seats(main & Q(seats__state=Seat.State.ABANDONED)),
        simulated=seats(Q(seats__ballot__kind=Ballot.Kind.SIMULATED)),
        closed_to_people=F("experiment__is_simulation"),
        links=Count("invitations", filter=unused, distinct=True),
    )
    names = ("number", "total", "open", "taken", "lapsed", "finished", "abandoned", "simulated", "links")
    found: dict[UUID, list[dict[str, Any]]] = {}
    # Grouping has dropped the model's order.
    for row in panels.order_by("number").values("experiment", "closed_to_people", *names):
        needed = 0 if row.pop("closed_to_people") else max(0, row["open"] + row["lapsed"] - row["links"])
        found.setdefault(row.pop("experiment"), []).append(row | {"needed": needed})
    return found


def link(token: str) -> str:
    return str(settings.PUBLIC_URL) + reverse("listening:join", args=[token])


def _invitation(
    *,
    panel: Panel,
    expires_at: datetime,
    seat: Seat | None = None,
    many: bool = False,
    token: str = "",
    service: str = "",
    label: str = "",
) -> str:
    if seat is None or seat.ballot.kind != Ballot.Kind.SIMULATED:
        check_for_people(panel.experiment)
    token = token or secrets.token_urlsafe(24)
    kind = {"many": many, "service": service, "label": label}
    Invitation.objects.create(panel=panel, seat=seat, token_sha256=token_digest(token), expires_at=expires_at, **kind)
    return token
