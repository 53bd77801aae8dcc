"""Monitoring: how full panels are, each listener's progress, missing ratings, errors; never what was answered."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Any
from uuid import UUID

from django.core.cache import cache
from django.db.models import Count, Max, Q, Sum
from django.db.models.fields.json import KT

from core.stored_json import list_in, number_in, object_in
from listening.models import ClientReport, Seat, SetupStep, Visit
from listening.panels.flags import LOST_AFTER, Answer, Figures, Situation, figures_of, flags_of
from listening.panels.services import panels
from listening.panels.services.durations import duration_of
from listening.panels.services.session_settings import session_settings_of
from listening.participation.services.eligibility import turned_away_count
from rating.models import UNANSWERED, Ballot, Experiment, Score, Slot, Trial, Vote
from rating.questions import Place
from rating.services.attention import outcomes
from stimuli.models import Condition

MOST_ERRORS = 20
KEPT_S = 24 * 3600
COMPUTED_ONE_BY_ONE = 20
RECENT = timedelta(hours=24)


@dataclass(frozen=True)
class Progress:
    """Progress of a ballot."""

    total: int = 0
    done: int = 0
    session: int | None = None  # the one that goes on, None when nothing is left
    session_done: int = 0
    session_total: int = 0
    planned_s: float = 0.0  # of all its pages
    left_s: float = 0.0  # of the unanswered ones, with the breaks between


def experiment_status(*, experiment: Experiment, now: datetime) -> dict[str, Any]:
    """Everything that the page shows; the number of queries does not grow with the experiment."""
    seats = list(
        Seat.objects.filter(panel__experiment=experiment, ballot__kind=experiment.counted_kind)
        .exclude(state=Seat.State.OPEN)
        .select_related("panel", "ballot", "participant", "completion")
    )
    by_ballot = _progress_by_ballot(experiment)
    lines = _lines(experiment, seats, by_ballot, now)
    cells = _cells(experiment, seats)
    statuses = _with_states(panels.overview(experiment=experiment, now=now), lines)
    return {
        "now": now,
        "panels": statuses,
        "needed": [panel for panel in statuses if panel["needed"]],
        "lines": lines,
        "coverage": coverage(cells),
        "short": short_cells(cells, named=experiment.unblinded_at is not None),
        "errors": _errors(experiment),
        "turned_away": _turned_away(experiment),
        **_outlook(experiment, by_ballot, now),
    }


def _turned_away(experiment: Experiment) -> int | None:
    """How many people the screening questions have turned away; none where there are no such questions."""
    asks = any(question["place"] == Place.SCREENING for question in experiment.questions)
    return turned_away_count(experiment.pk) if asks else None


def all_statuses(*, experiments: Iterable[Experiment], now: datetime) -> list[dict[str, Any]]:
    """One row for each experiment."""
    shown = list(experiments)
    main = Seat.objects.counted().filter(panel__experiment__in=shown).order_by()
    seen = main.annotate(seen=Max("visits__last_seen_at"))
    taken = Q(state=Seat.State.TAKEN)
    rows = main.values("panel__experiment").annotate(
        total=Count("pk"),
        finished=Count("pk", filter=Q(state=Seat.State.FINISHED)),
        taken=Count("pk", filter=taken),
        open=Count("pk", filter=Q(state=Seat.State.OPEN)),
    )
    counts: dict[UUID, dict[str, Any]] = {row["panel__experiment"]: {**row} for row in rows}
    running: dict[UUID, int] = defaultdict(int)
    newest: dict[UUID, datetime] = {}
    for experiment_id, at, state in seen.filter(seen__isnull=False).values_list("panel__experiment", "seen", "state"):
        newest[experiment_id] = max(at, newest.get(experiment_id, at))
        running[experiment_id] += state == Seat.State.TAKEN and now - at <= LOST_AFTER
    empty = {"total": 0, "finished": 0, "taken": 0, "open": 0}
    return [
        {
            "experiment": experiment,
            **counts.get(experiment.pk, empty),
            "running": running[experiment.pk],
            "last_seen_at": newest.get(experiment.pk),
        }
        for experiment in shown
    ]


# --- One line a seat --------------------------------------------------------------------------------------------------


def _lines(
    experiment: Experiment, seats: list[Seat], by_ballot: dict[UUID, Progress], now: datetime
) -> list[dict[str, Any]]:
    last_seen = dict(
        Visit.objects.filter(seat__panel__experiment=experiment)
        .order_by()
        .values_list("seat")
        .annotate(Max("last_seen_at"))
    )
    figures = _figures(seats)
    reports, checks = _reports(experiment), _checks(experiment)
    attention = outcomes(experiment=experiment, ballots=[seat.ballot_id for seat in seats])
    lines = []
    for seat in seats:
        progress, own = by_ballot.get(seat.ballot_id, Progress()), figures[seat.ballot_id]
        situation = Situation(
            last_seen_at=last_seen.get(seat.pk),
            in_session=0 < progress.session_done < progress.session_total,
            lapsed=seat.state == Seat.State.TAKEN and seat.leased_until is not None and seat.leased_until <= now,
            taken=seat.state == Seat.State.TAKEN,
            failed_attention=attention[seat.ballot_id].failed if attention else 0,
            **reports.get(seat.pk, {}),
            **checks.get(seat.pk, {}),
        )
        line = _line(seat, progress, own, situation, now)
        lines.append(line | {"attention": attention.get(seat.ballot_id)})
    medians = _medians(lines)
    return [line | {"panel_pace_s": medians.get(line["panel"])} for line in lines]


def _line(seat: Seat, progress: Progress, figures: Figures, situation: Situation, now: datetime) -> dict[str, Any]:
    state = str(seat.state)
    if seat.state == Seat.State.TAKEN:
        seen = situation.last_seen_at
        state = "running" if seen is not None and now - seen <= LOST_AFTER else "paused"
    if seat.state == Seat.State.ABANDONED and hasattr(seat, "completion"):
        state = "withdrawn"  # only its own listener takes a finished seat back
    return {
        "panel": seat.panel.number,
        "seat": seat.number,
        "occupancy": seat.occupancy,
        "who": seat.participant.pseudonym if seat.participant else "",
        "state": state,
        "progress": progress,
        "last_seen_at": situation.last_seen_at,
        "pace_s": figures.pace_s,
        "minutes_left": _minutes(progress, figures) if seat.state == Seat.State.TAKEN else None,
        "flags": flags_of(figures, situation, now=now) if seat.state != Seat.State.ABANDONED else [],
    }


def _minutes(progress: Progress, figures: Figures) -> int:
    """What is left of the plan, at the listener's own pace as soon as it is known."""
    usual_s = progress.planned_s / progress.total if progress.total else 0.0
    pace = figures.pace_s / usual_s if figures.pace_s is not None and usual_s else 1.0
    return round(progress.left_s * pace / 60)


def _medians(lines: list[dict[str, Any]]) -> dict[int, float]:
    paces: dict[int, list[float]] = defaultdict(list)
    for line in lines:
        if line["pace_s"] is not None:
            paces[line["panel"]].append(line["pace_s"])
    return {panel: median(own) for panel, own in paces.items()}


def _progress_by_ballot(experiment: Experiment) -> dict[UUID, Progress]:
    """Progress of every ballot that counts."""
    rows = (
        Trial.objects.filter(ballot__experiment=experiment, ballot__kind=experiment.counted_kind)
        .order_by()
        .values_list("ballot", "session")
        .annotate(total=Count("pk"), left=Count("pk", filter=UNANSWERED), all_s=Sum("planned_s"))
        .annotate(left_s=Sum("planned_s", filter=UNANSWERED, default=0.0))
    )
    sessions: dict[UUID, list[tuple[int, int, int]]] = defaultdict(list)
    planned: dict[UUID, float] = defaultdict(float)
    left_by_session: dict[UUID, dict[int, float]] = defaultdict(dict)
    for ballot, session, total, left, planned_s, left_s in rows:
        sessions[ballot].append((session, total, total - left))
        planned[ballot] += planned_s
        if left:
            left_by_session[ballot][session] = left_s
    known = session_settings_of(experiment)
    return {
        ballot: _progress(
            sorted(own), planned[ballot], duration_of(experiment, left_by_session[ballot], known).after_checks_s
        )
        for ballot, own in sessions.items()
    }


def _progress(sessions: list[tuple[int, int, int]], planned_s: float, left_s: float) -> Progress:
    going = next(((number, total, done) for number, total, done in sessions if done < total), (None, 0, 0))
    return Progress(
        total=sum(total for _, total, _ in sessions),
        done=sum(done for _, _, done in sessions),
        session=going[0],
        session_total=going[1],
        session_done=going[2],
        planned_s=planned_s,
        left_s=left_s,
    )


# --- Figures of answers, computed once for every number of votes ------------------------------------------------------


def _figures(seats: list[Seat]) -> dict[UUID, Figures]:
    keys = {seat.ballot_id: _key(seat.ballot) for seat in seats}
    known = cache.get_many(keys.values())
    stale = [ballot for ballot, key in keys.items() if key not in known]
    fresh = _computed(stale) if stale else {}
    cache.set_many({keys[ballot]: figures for ballot, figures in fresh.items()}, timeout=KEPT_S)
    return {ballot: fresh[ballot] if ballot in fresh else known[key] for ballot, key in keys.items()}


def _key(ballot: Ballot) -> str:
    """Cache key; after the first few answers the figures are computed again for every ten and for the last."""
    votes = ballot.vote_count
    if ballot.closed_at is None and votes > COMPUTED_ONE_BY_ONE:
        votes -= votes % 10
    return f"listening.figures.{ballot.pk}.{votes}.{ballot.closed_at is not None}"


def _computed(ballots: list[UUID]) -> dict[UUID, Figures]:
    answers: dict[UUID, list[Answer]] = defaultdict(list)
    votes = Vote.objects.filter(ballot__in=ballots, current_for__isnull=False).order_by("id")
    rows = votes.values_list("ballot_id", "trial__session", "received_at", "heard", "client", "flags")
    for ballot, session, received_at, heard, client, flags in rows.iterator(chunk_size=2000):
        clock = object_in(client).get("clock")
        answers[ballot].append(Answer(session, received_at, heard, clock, list_in(flags)))
    values: dict[UUID, list[int]] = defaultdict(list)
    scores = Score.objects.filter(vote__ballot__in=ballots, vote__current_for__isnull=False).order_by()
    for ballot, _value, count in scores.values_list("vote__ballot_id", "value").annotate(Count("pk")):
        values[ballot].append(count)
    return {ballot: figures_of(answers[ballot], values[ballot]) for ballot in ballots}


@dataclass(frozen=True)
class Quality:
    """How one listener's answers were given, for the data: nothing in it depends on the time of day."""

    figures: Figures
    passed: dict[str, bool]  # the newest outcome of each sound check
    level_db: float | None
    flags: list[str]


def qualities(*, experiment: Experiment, seats: list[Seat]) -> dict[UUID, Quality]:
    """Return the quality of the answers of these seats, by ballot."""
    figures, reports = _computed([seat.ballot_id for seat in seats]), _reports(experiment)
    attention = outcomes(experiment=experiment, ballots=figures)
    outcome_of = _newest_checks(experiment)
    found = {}
    for seat in seats:
        own = outcome_of.get(seat.pk, {})
        situation = Situation(
            taken=False,
            failed_attention=attention[seat.ballot_id].failed if attention else 0,
            **reports.get(seat.pk, {}),
            **_told_checks(own),
        )
        raised = flags_of(figures[seat.ballot_id], situation, now=seat.created_at)
        passed = {step: one for step, (_, one) in own.items()}
        found[seat.ballot_id] = Quality(figures[seat.ballot_id], passed, situation.level_db, raised)
    return found


def _reports(experiment: Experiment) -> dict[UUID, dict[str, Any]]:
    found: dict[UUID, dict[str, Any]] = defaultdict(dict)
    # The end of a pause is reported too, and is no pause.
    told = ~Q(kind=ClientReport.Kind.PAUSE) | Q(detail__paused=True)
    rows = ClientReport.objects.filter(told, visit__seat__panel__experiment=experiment)
    counts = {"all": Count("pk"), "silent": Count("pk", filter=Q(detail__reason="silent")), "at": Max("created_at")}
    for seat, kind, count, silent, newest in rows.order_by().values_list("visit__seat", "kind").annotate(**counts):
        match kind:
            case ClientReport.Kind.CLIP:
                found[seat] |= {"clip_failures": count, "silent_clips": silent}
            case ClientReport.Kind.HIDDEN:
                found[seat]["hidden_reports"] = count
            case ClientReport.Kind.PAUSE:
                found[seat]["paused_at"] = newest
    return found


def _checks(experiment: Experiment) -> dict[UUID, dict[str, Any]]:
    return {seat: _told_checks(steps) for seat, steps in _newest_checks(experiment).items()}


def _newest_checks(experiment: Experiment) -> dict[UUID, dict[str, tuple[dict[str, Any], bool]]]:
    """The newest outcome of each check decides."""
    newest: dict[UUID, dict[str, tuple[dict[str, Any], bool]]] = defaultdict(dict)
    rows = SetupStep.objects.filter(visit__seat__panel__experiment=experiment).order_by("created_at")
    for seat, step, outcome, passed in rows.values_list("visit__seat", "step", "outcome", "passed"):
        newest[seat][step] = (outcome, passed)
    return newest


def _told_checks(steps: dict[str, tuple[dict[str, Any], bool]]) -> dict[str, Any]:
    return {
        "level_db": number_in(object_in(steps.get(SetupStep.Step.LEVEL, ({}, True))[0]).get("level_db")),
        "failed_checks": [step for step, (_, passed) in steps.items() if not passed],
    }


# --- The whole experiment ---------------------------------------------------------------------------------------------


def _with_states(statuses: list[dict[str, Any]], lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    states = [(line["panel"], line["state"]) for line in lines]
    return [
        panel | {state: states.count((panel["number"], state)) for state in ("running", "paused")} for panel in statuses
    ]


def _cells(experiment: Experiment, seats: list[Seat]) -> Any:
    """Cached until a vote or a seat changes."""
    votes = sum(seat.ballot.vote_count for seat in seats)
    occupancies = sum(seat.occupancy for seat in seats)
    key = f"listening.cells.{experiment.pk}.{votes}.{len(seats)}.{occupancies}"
    return cache.get_or_set(key, lambda: cells_of(experiment), timeout=60)


def _errors(experiment: Experiment) -> list[dict[str, Any]]:
    rows = (
        ClientReport.objects.filter(visit__seat__panel__experiment=experiment, kind=ClientReport.Kind.ERROR)
        .order_by()
        .annotate(message=KT("detail__message"))
        .values("message")
        .annotate(count=Count("pk"), seats=Count("visit__seat", distinct=True), newest=Max("created_at"))
        .order_by("-count", "message")
    )
    return [{**row} for row in rows[:MOST_ERRORS]]


def _outlook(experiment: Experiment, by_ballot: dict[UUID, Progress], now: datetime) -> dict[str, Any]:
    """Estimate of when the last answer arrives, at the pace of the last day."""
    kept = Seat.objects.counted().filter(panel__experiment=experiment).values_list("ballot_id", flat=True)
    own = [by_ballot[ballot] for ballot in kept if ballot in by_ballot]
    remaining = sum(progress.total - progress.done for progress in own)
    recent = Vote.objects.filter(
        ballot__experiment=experiment,
        ballot__kind=experiment.counted_kind,
        ballot__abandoned_at__isnull=True,
        received_at__gt=now - RECENT,
    ).count()
    finish = now + RECENT * (remaining / recent) if recent and remaining else None
    return {
        "remaining": remaining,
        "planned": sum(progress.total for progress in own),
        "recent": recent,
        "finish_at": finish,
    }


# --- Ratings per item, condition and scale, against what is planned ---------------------------------------------------


MOST_SHORT = 40


@dataclass(frozen=True)
class Cell:
    panel: int
    item: str
    condition: str
    scale: str
    planned: int
    given: int


def cells_of(experiment: Experiment) -> list[Cell]:
    """Planned and given ratings of every cell of the main seats, by one query."""
    rows = (
        Slot.objects.filter(
            trial__kind="test",
            trial__ballot__experiment=experiment,
            trial__ballot__kind=experiment.counted_kind,
            trial__ballot__abandoned_at__isnull=True,
        )
        .exclude(stimulus__condition__role=Condition.Role.FULL_LENGTH)  # it is listened to, and not rated
        .order_by()
        .values_list(
            "trial__ballot__seat__panel__number",
            "stimulus__item__name",
            "stimulus__condition__name",
            "trial__ask",
        )
        .annotate(planned=Count("trial"), given=Count("trial", filter=Q(trial__answered=True)))
    )
    counted: dict[tuple[int, str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for panel, item, condition, ask, planned, given in rows:
        for scale in ask:
            counts = counted[panel or 0, item, condition, scale]
            counts[0] += planned
            counts[1] += given
    return [Cell(*key, *counts) for key, counts in counted.items()]


def coverage(cells: list[Cell]) -> list[dict[str, Any]]:
    """Fewest, median and most ratings of a cell, for each panel and scale."""
    groups: dict[tuple[int, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[cell.panel, cell.scale].append(cell)
    return [
        {
            "panel": panel,
            "scale": scale,
            "cells": len(own),
            "target": max(cell.planned for cell in own),
            "fewest": min(cell.given for cell in own),
            "median": median(cell.given for cell in own),
            "most": max(cell.given for cell in own),
            "short": sum(cell.given < cell.planned for cell in own),
        }
        for (panel, scale), own in sorted(groups.items())
    ]


def short_cells(cells: list[Cell], *, named: bool) -> dict[str, Any]:
    """The items that lack the most ratings, and how many further ones there are.

    Conditions are named only where the experiment is unblinded: counts that differ would tell which letter is which.
    """
    groups: dict[tuple[int, str, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        if cell.given < cell.planned:
            groups[cell.panel, cell.item, cell.scale].append(cell)
    rows: list[dict[str, Any]] = [
        {
            "panel": panel,
            "item": item,
            "scale": scale,
            "missing": sum(cell.planned - cell.given for cell in own),
            "fewest": min(cell.given for cell in own),
            "conditions": len(own),
            "names": sorted(cell.condition for cell in own) if named else [],
        }
        for (panel, item, scale), own in groups.items()
    ]
    rows.sort(key=lambda row: (-row["missing"], row["panel"], row["item"], row["scale"]))
    return {"rows": rows[:MOST_SHORT], "more": max(0, len(rows) - MOST_SHORT)}
