"""Seats of a design: ballots are staged in small transactions and then replace the old ones in one."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import groupby, islice
from typing import Any, TypeVar
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext_noop

from core.errors import AppError
from core.models import User
from core.services import audit
from listening.design.base import ANCHORING, ScaleOrder, SeatSequence, Showing
from listening.design.base import Design as Layout
from listening.models import Design, Invitation, Panel, Seat
from listening.panels.services.material import condition_on, designable
from rating.errors import wrong_state
from rating.models import Ballot, Experiment, Slot
from rating.protocol import COUNTED, Cell, Designable, Entry, PageHolds, TrialKind, TrialPlan, pages_of
from rating.registry import get_protocol
from rating.services.attention import with_checks
from rating.services.ballots import drawn_from, entries_of, store_plans
from rating.services.experiments import adopt_layout

# Seats of one transaction, few enough that no vote waits for long: a seat has some 600 pages.
SEATS_AT_ONCE = 4
READ_AT_ONCE = 16
# Staged ballots have a kind that never counts, and no seat.
STAGED = Ballot.Kind.PREVIEW

Fence = Callable[[], AbstractContextManager[None]]
Progress = Callable[[int, int, str], None]
Some = TypeVar("Some")


def adopt_design(
    *,
    experiment: Experiment,
    layout: Layout,
    settings: Mapping[str, Any],
    report: Mapping[str, Any],
    sha256: str,
    actor: User,
    fence: Fence = transaction.atomic,
    progress: Progress = lambda done, total, note: None,
) -> Design:
    """Give every seat of a design its ballot, in place of the draft's old seats, none of which may be taken."""
    check_untouched(experiment)
    discard_unseated(experiment)
    laid_out_for = drawn_from(experiment)
    ballots = stage_ballots(experiment, layout.sequences, progress)
    with fence():
        experiment = adopt_layout(experiment=experiment, sha256=sha256, actor=actor)  # locks it for what follows
        check_untouched(experiment)
        complete = Ballot.objects.filter(pk__in=ballots).count() == len(ballots)
        if not complete or drawn_from(experiment) != laid_out_for:
            raise changed_meanwhile()
        removed = _clear(experiment)
        experiment.extensions.all().delete()
        _seat(experiment, layout, ballots)
        fields = {"preset": layout.preset, "seed": layout.request.seed, "sha256": sha256}
        kept = {"settings": settings, "subsets": [list(part) for part in layout.request.subsets], "report": report}
        design, _ = Design.objects.update_or_create(experiment=experiment, defaults=fields | kept)
        audit.record(
            actor=actor,
            action="design.adopted",
            target=f"experiment/{experiment.slug}",
            before=removed,
            after=fields | {"panels": layout.request.panels, "seats": len(ballots)},
        )
    discard_unseated(experiment)
    return design


def changed_meanwhile() -> AppError:
    return AppError(
        "design.changed_meanwhile",
        409,
        gettext_noop(
            "Another design was applied, or the settings were changed, at the same time. Check both, and apply this "
            "one again if needed."
        ),
    )


def check_untouched(experiment: Experiment) -> None:
    if experiment.state != Experiment.State.DRAFT:
        raise wrong_state(experiment, needed="draft")
    taken = Seat.objects.filter(panel__experiment=experiment, ballot__kind=Ballot.Kind.MAIN)
    if count := taken.exclude(state=Seat.State.OPEN).count():
        raise AppError(
            "design.seats_taken",
            409,
            gettext_noop(
                "{count} seats are taken already. A design can only be applied before the first listener starts."
            ),
            count=count,
        )


def discard_unseated(experiment: Experiment) -> None:
    """Throw ballots away that were staged and have no seat: replaced ones, and those of an interrupted run."""
    unseated = Ballot.objects.filter(experiment=experiment, kind=STAGED, seat__isnull=True, vote_count=0)
    for some in _batches(list(unseated.values_list("pk", flat=True)), SEATS_AT_ONCE):
        Ballot.objects.filter(pk__in=some, seat__isnull=True).delete()


# --- Staging ----------------------------------------------------------------------------------------------------------


def stage_ballots(experiment: Experiment, sequences: Sequence[SeatSequence], progress: Progress) -> list[UUID]:
    """Write a ballot for each sequence that has no seat yet and does not count."""
    protocol = designable(get_protocol(experiment.protocol))
    pages = pages_of(entries_of(experiment), protocol.page_holds)
    ballots: list[UUID] = []
    for some in _batches(sequences, SEATS_AT_ONCE):
        progress(len(ballots), len(sequences), "")
        drawn = {f"panel {one.panel} seat {one.seat}": list(_trials(one, protocol, pages)) for one in some}
        plans = with_checks(experiment=experiment, plans=drawn)
        ballots += [ballot.pk for ballot in store_plans(experiment=experiment, plans=plans, kind=STAGED)]
    progress(len(ballots), len(sequences), "")
    return ballots


def _trials(sequence: SeatSequence, protocol: Designable, pages: Mapping[Cell, Sequence[Entry]]) -> Iterator[TrialPlan]:
    for showing in sequence.showings:
        yield from protocol.trials_for(
            pages[showing.item, showing.condition],
            session=showing.session,
            kind=TrialKind.PRACTICE if showing.session == ANCHORING else TrialKind.TEST,
            scales=showing.scales,
        )


# --- Replacing the old seats ------------------------------------------------------------------------------------------


def _clear(experiment: Experiment) -> dict[str, int]:
    """Remove open seats and unused links; return how many there were."""
    seats = Seat.objects.filter(panel__experiment=experiment, state=Seat.State.OPEN)
    ballots = list(seats.values_list("ballot_id", flat=True))
    links = Invitation.objects.filter(panel__experiment=experiment).exclude(
        seat__in=Seat.objects.exclude(state=Seat.State.OPEN)
    )
    removed = {"seats": len(ballots), "links": links.count()}
    links.delete()
    seats.delete()
    Ballot.objects.filter(pk__in=ballots).update(kind=STAGED)
    return removed


def _seat(experiment: Experiment, layout: Layout, ballots: Sequence[UUID]) -> None:
    numbers = sorted({sequence.panel for sequence in layout.sequences})
    panels = {number: Panel.objects.get_or_create(experiment=experiment, number=number)[0] for number in numbers}
    _renumber_rehearsals(experiment, panels, first_free=layout.request.seats + 1)
    Panel.objects.filter(experiment=experiment).exclude(number__in=numbers).delete()
    Ballot.objects.filter(pk__in=ballots).update(kind=Ballot.Kind.MAIN)
    Seat.objects.bulk_create(
        Seat(panel=panels[sequence.panel], number=sequence.seat, ballot_id=ballot)
        for sequence, ballot in zip(layout.sequences, ballots, strict=True)
    )


def _renumber_rehearsals(experiment: Experiment, panels: Mapping[int, Panel], *, first_free: int) -> None:
    """Keep rehearsals that were taken, numbered after the design's seats."""
    kept = Seat.objects.filter(panel__experiment=experiment).select_related("panel").order_by("created_at")
    last = kept.aggregate(last=Max("number"))["last"] or 0
    for number, seat in enumerate(kept, start=max(first_free, last + 1)):
        seat.panel = panels.get(seat.panel.number) or next(iter(panels.values()))
        seat.number = number
        seat.save(update_fields=["panel", "number"])
        Invitation.objects.filter(seat=seat).update(panel=seat.panel)


# --- Reading back -----------------------------------------------------------------------------------------------------


def sequences_of(experiment: Experiment) -> Iterator[SeatSequence]:
    """What each seat hears, read from its ballot: the first turn of every seat that counts, panel by panel."""
    protocol = designable(get_protocol(experiment.protocol))
    has_orders = bool(protocol.scale_orders)
    seats = (
        Seat.objects.filter(panel__experiment=experiment, ballot__kind=experiment.counted_kind, occupancy=1)
        .order_by("panel__number", "number")
        .values_list("ballot_id", "panel__number", "number")
    )
    for some in _batches(list(seats), READ_AT_ONCE):
        pages = _pages_of([ballot for ballot, _, _ in some], protocol.page_holds)
        for ballot, panel, number in some:
            showings = tuple(_showings(pages[ballot], has_orders=has_orders))
            yield SeatSequence(panel, number, showings)


Page = tuple[int, str, str, ScaleOrder]  # session, item, condition, scales asked


def _pages_of(ballots: Sequence[UUID], holds: PageHolds) -> dict[UUID, list[Page]]:
    pages: dict[UUID, list[Page]] = {ballot: [] for ballot in ballots}
    rows = (
        Slot.objects.filter(trial__ballot__in=ballots, trial__kind__in=COUNTED)
        .order_by("trial__ballot", "trial__position", "key")
        .values_list(
            *("trial__ballot", "trial__position", "trial__session", "stimulus__item__name", "trial__ask"),
            *("stimulus__condition__name", "stimulus__condition__role"),
        )
    )
    for (ballot, _), slots in groupby(rows, key=lambda row: row[:2]):
        page = list(slots)
        _, _, session, item, ask, *_ = page[0]
        pages[ballot].append((session, item, condition_on([slot[5:] for slot in page], holds), tuple(ask)))
    return pages


def _showings(pages: Iterable[Page], *, has_orders: bool) -> Iterator[Showing]:
    """Pages of one stimulus that follow each other are one showing, until a scale comes again."""
    now: Showing | None = None
    for session, item, condition, asked in pages:
        if now is not None:
            if (now.session, now.item, now.condition) == (session, item, condition) and not set(asked) & set(
                now.scales
            ):
                now = Showing(session, item, condition, now.scales + asked)
                continue
            yield now if has_orders else Showing(now.session, now.item, now.condition)
        now = Showing(session, item, condition, asked)
    if now is not None:
        yield now if has_orders else Showing(now.session, now.item, now.condition)


def _batches(things: Sequence[Some], size: int) -> Iterator[list[Some]]:
    rest = iter(things)
    while some := list(islice(rest, size)):
        yield some
