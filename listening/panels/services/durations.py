"""Durations of seats by their plans: of a fresh one, which participants read before they agree, and of what is left."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, OuterRef, Subquery, Sum

from listening.durations import SeatDuration, checks_s, is_far_off, minutes_text, seat_duration, stated_minutes
from listening.models import Seat, SessionSettings
from listening.panels.services.session_settings import session_settings_of
from rating.models import Ballot, Experiment, Trial
from rating.pace import QUESTION_S
from rating.protocol import CHECKS, TrialKind
from rating.questions import Place
from rating.registry import get_protocol


@dataclass(frozen=True)
class FreshSeat:
    """A seat that nobody has taken: how long it takes, and how many clips (or what the protocol counts) it has."""

    duration: SeatDuration
    clips: int
    practice: int


def fresh_seat(
    *,
    experiment: Experiment,
    group: str = "",
    ballot: Ballot | None = None,
    session_settings: SessionSettings | None = None,
) -> FreshSeat | None:
    """The plan of the group's longest panel, so that all read the same; where no panel has seats, of the ballot."""
    own = Seat.objects.main().filter(panel=OuterRef("pk")).order_by("number")
    panels = experiment.panels.filter(group=group).annotate(first=Subquery(own.values("ballot")[:1]))
    ballots = [first for first in panels.values_list("first", flat=True) if first] or ([ballot.pk] if ballot else [])
    plans = _plans(experiment, ballots, session_settings or session_settings_of(experiment))
    return max(plans, key=lambda plan: plan.duration.total_s, default=None)


def _plans(experiment: Experiment, ballots: list[UUID], session_settings: SessionSettings) -> list[FreshSeat]:
    rows = Trial.objects.filter(ballot__in=ballots).order_by().values_list("ballot", "session", "kind")
    sessions: dict[UUID, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    pages: dict[UUID, Counter[str]] = defaultdict(Counter)
    for ballot, session, kind, count, seconds in rows.annotate(n=Count("pk"), s=Sum("planned_s")):
        sessions[ballot][session] += seconds
        pages[ballot][kind] += count
    protocol = get_protocol(experiment.protocol)
    return [
        FreshSeat(
            duration=duration_of(experiment, seconds, session_settings),
            clips=sum(pages[ballot][kind] for kind in (TrialKind.TEST, *CHECKS)) // protocol.pages_each,
            practice=0 if protocol.access.example else pages[ballot][TrialKind.PRACTICE] // protocol.pages_each,
        )
        for ballot, seconds in sessions.items()
    ]


def duration_of(
    experiment: Experiment, sessions_s: Mapping[int, float], session_settings: SessionSettings | None = None
) -> SeatDuration:
    """A seat's sessions with the questions, checks and breaks of its experiment."""
    known = session_settings or session_settings_of(experiment)
    questions_s = QUESTION_S * questions_asked(experiment)
    return seat_duration(sessions_s, rest_s=known.rest_s, checks_s=checks_s_of(known) + questions_s)


def questions_asked(experiment: Experiment) -> int:
    """How many questions are asked after consent."""
    return sum(question["place"] != Place.SCREENING for question in experiment.questions)


def checks_s_of(session_settings: SessionSettings) -> float:
    return checks_s(
        ears=session_settings.ear_check,
        level=session_settings.level_check,
        headphones=session_settings.headphone_screen != SessionSettings.HeadphoneScreen.OFF,
    )


def planned_minutes(experiment: Experiment) -> dict[str, float]:
    """What would be stated to each group of people, as far as they have seats."""
    groups, known = sorted(set(experiment.panels.values_list("group", flat=True))), session_settings_of(experiment)
    seats = {group: fresh_seat(experiment=experiment, group=group, session_settings=known) for group in groups}
    return {group: stated_minutes(seat.duration.total_s) for group, seat in seats.items() if seat}


def misleading_minutes(experiment: Experiment) -> list[dict[str, Any]]:
    """The groups whose plan differs from the stated duration by more than a third."""
    stated = session_settings_of(experiment).stated_minutes
    if stated is None:
        return []
    planned = planned_minutes(experiment)
    return [
        {"group": group, "planned": minutes_text(minutes), "stated": stated}
        for group, minutes in planned.items()
        if is_far_off(stated, 60 * minutes)
    ]
