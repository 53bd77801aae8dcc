"""The monitor: panels, seats, flags, missing ratings and errors; never a rating, and a fixed number of queries."""

import csv
import re
from copy import deepcopy
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import User
from listening.models import ClientReport, Seat, SetupStep, Visit
from listening.panels.services import monitoring, panels, seats
from listening.participation.services import visits
from rating.models import Experiment, Trial
from rating.services.experiments import unblind
from tests.factories import Sitting, event, make_experiment, make_user, seated_visit, sit_down, vote_event
from tests.scale import ALL

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_three_seats(module_db: None) -> Experiment:
    return make_experiment(seats=3)


@pytest.fixture
def three_seats(shared_three_seats: Experiment) -> Experiment:
    return deepcopy(shared_three_seats)


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=1)


def look(experiment: Experiment) -> dict[str, Any]:
    return monitoring.experiment_status(experiment=experiment, now=timezone.now())


def answer(sitting: Sitting, count: int) -> None:
    for page in sitting.upcoming()["trials"][:count]:
        sitting.vote(event(page["trial"]))


def page_of(experiment: Experiment, reader: User | None = None, part: str = "") -> str:
    client = Client()
    client.force_login(reader or experiment.owner)
    answer = client.get(f"/experiments/{experiment.slug}/monitor/{part}")
    assert answer.status_code == 200
    return answer.content.decode()


# --- Seats ------------------------------------------------------------------------------------------------------------


def test_a_panel_is_shown_by_what_its_seats_are_doing() -> None:
    experiment = make_experiment(seats=5)
    done, running, paused, gone = (sit_down(experiment) for _ in range(4))
    done.answer_all()
    done.client.post(f"{done.api}finish/")
    Visit.objects.filter(pk=paused.visit.pk).update(last_seen_at=timezone.now() - timedelta(hours=1))
    seats.reissue_seat(seat=gone.visit.seat, now=timezone.now(), actor=experiment.owner)
    (panel,) = look(experiment)["panels"]
    counts = {
        state: panel[state] for state in ("total", "finished", "running", "paused", "open", "abandoned", "needed")
    }
    assert counts == {"total": 5, "finished": 1, "running": 1, "paused": 1, "open": 2, "abandoned": 1, "needed": 2}
    assert [line["state"] for line in look(experiment)["lines"]] == ["finished", "running", "paused", "abandoned"]
    assert running.visit.seat.number == 2


def test_a_line_says_how_far_in_which_session_a_person_is(experiment: Experiment) -> None:
    Trial.objects.filter(position__gt=2).update(session=2)
    sitting = sit_down(experiment)
    Trial.objects.filter(position__lte=2).update(session=1)
    answer(sitting, 3)
    (line,) = look(experiment)["lines"]
    progress = line["progress"]
    assert (progress.done, progress.total, progress.session, progress.session_done, progress.session_total) == (
        3,
        4,
        2,
        1,
        2,
    )
    assert "session 2, 1 of 2" in page_of(experiment)


def test_simulated_rehearsed_and_previewed_seats_are_not_monitored(experiment: Experiment) -> None:
    panels.rehearse(experiment=experiment, count=1, now=timezone.now(), actor=experiment.owner)
    seats.open_preview(panel=experiment.panels.get(), seat_number=1, from_session=0, now=timezone.now(), device={})
    seen = look(experiment)
    assert (seen["lines"], seen["panels"][0]["total"], seen["planned"]) == ([], 1, 4)


def test_the_pace_stands_beside_the_median_of_the_panel(three_seats: Experiment) -> None:
    experiment = three_seats
    for every_s in (4, 10):
        sitting = sit_down(experiment)
        for n, page in enumerate(sitting.upcoming()["trials"][:3]):
            sitting.vote(event(page["trial"], clock={"monotonic_ms": 1000 * every_s * n}))
    lines = look(experiment)["lines"]
    assert [(line["pace_s"], line["panel_pace_s"]) for line in lines] == [(4, 7), (10, 7)]


def test_flags_come_from_answers_reports_checks_and_silence() -> None:
    experiment = make_experiment(seats=1, items=6, conditions=2)
    visit = seated_visit(experiment)
    first, *others = visit.seat.ballot.trials.all()
    heard = {"answer_ms": 200, "interruptions": ["hidden"]}
    visits.submit_votes(visit=visit, events=[vote_event(trial, heard=heard) for trial in others], now=timezone.now())
    ClientReport.objects.create(event_id=uuid4(), visit=visit, trial=first, kind="clip")
    SetupStep.objects.create(visit=visit, step="level", outcome={"level_db": 6.0}, passed=True)
    SetupStep.objects.create(visit=visit, step="headphones", outcome={}, passed=False)
    Visit.objects.update(last_seen_at=timezone.now() - timedelta(minutes=5))
    (line,) = look(experiment)["lines"]
    assert line["flags"] == ["fast", "flat", "level", "hidden", "lost", "clips", "checks"]
    page = page_of(experiment)
    for word in (
        "Too fast",
        "Same rating throughout",
        "Level at its limit",
        "Often hidden",
        "Lost connection",
        "Clips failed",
    ):
        assert word in page


def test_a_check_that_was_repeated_counts_as_it_came_out_last(experiment: Experiment) -> None:
    visit = seated_visit(experiment)
    SetupStep.objects.create(visit=visit, step="headphones", outcome={}, passed=False)
    SetupStep.objects.create(visit=visit, step="headphones", outcome={}, passed=True)
    assert look(experiment)["lines"][0]["flags"] == []


def test_a_seat_whose_lease_has_ended_is_pointed_at(experiment: Experiment) -> None:
    seated_visit(experiment)
    Seat.objects.update(leased_until=timezone.now() - timedelta(hours=1))
    seen = look(experiment)
    assert seen["lines"][0]["flags"] == ["lapsed"]
    assert seen["panels"][0]["needed"] == 1


# --- Cells ------------------------------------------------------------------------------------------------------------


def test_every_cell_is_held_against_the_votes_that_are_planned_for_it(three_seats: Experiment) -> None:
    experiment = three_seats
    sit_down(experiment).answer_all()
    answer(sit_down(experiment), 1)
    (row,) = look(experiment)["coverage"]
    counts = {name: row[name] for name in ("cells", "target", "fewest", "most", "short")}
    assert counts == {"cells": 4, "target": 3, "fewest": 1, "most": 2, "short": 4}
    assert row["median"] == 1


def test_what_a_person_left_behind_fills_no_cell(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    sitting.answer_all()
    seats.reissue_seat(seat=sitting.visit.seat, now=timezone.now(), actor=experiment.owner)
    (row,) = look(experiment)["coverage"]
    assert (row["target"], row["most"]) == (1, 0)


def test_short_cells_are_listed_by_item_and_vanish_when_they_are_full(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    assert {row["item"]: row["missing"] for row in look(experiment)["short"]["rows"]} == {
        "secretitem0": 2,
        "secretitem1": 2,
    }
    sitting.answer_all()
    assert look(experiment)["short"]["rows"] == []


def test_a_long_list_of_short_cells_is_cut_and_says_so() -> None:
    seen = look(make_experiment(seats=1, items=45, conditions=1))
    assert (len(seen["short"]["rows"]), seen["short"]["more"]) == (40, 5)


def test_conditions_are_not_named_before_the_experiment_is_unblinded(experiment: Experiment) -> None:
    answer(sit_down(experiment), 1)
    assert "secretcondition" not in page_of(experiment)
    unblind(experiment=experiment, actor=experiment.owner, reason="finished")
    assert "secretcondition" in page_of(experiment)


def test_no_rating_reaches_the_page() -> None:
    """Two experiments that differ only in what was answered look the same."""
    pages = []
    for value in (1, 5):
        cache.clear()
        experiment = make_experiment(seats=1, title="Same", slug=f"same-{value}", owner=make_user(name=f"same{value}"))
        sitting = sit_down(experiment)
        for n, trial in enumerate(sitting.upcoming()["trials"]):
            sitting.vote(event(trial["trial"], value=value, clock={"monotonic_ms": 9000 * n}))
        part = re.sub(r"<time.*?</time>", "", page_of(experiment, part="?part=live"))
        pages.append(part.replace(experiment.slug, "same"))
    assert pages[0] == pages[1]


# --- The whole experiment ---------------------------------------------------------------------------------------------


def test_errors_in_browsers_are_grouped_by_what_they_say(three_seats: Experiment) -> None:
    experiment = three_seats
    one, other = seated_visit(experiment), seated_visit(experiment)
    for visit, message in ((one, "boom"), (other, "boom"), (one, "boom"), (one, "<b>crash</b>")):
        ClientReport.objects.create(event_id=uuid4(), visit=visit, kind="error", detail={"message": message})
    ClientReport.objects.create(event_id=uuid4(), visit=one, kind="error", detail={})
    found = [(row["message"], row["count"], row["seats"]) for row in look(experiment)["errors"]]
    assert found[0] == ("boom", 3, 2)
    assert len(found) == 3
    assert "&lt;b&gt;crash" in page_of(experiment)


def test_the_finish_is_expected_at_the_rate_of_the_last_day(three_seats: Experiment) -> None:
    experiment = three_seats
    assert look(experiment)["finish_at"] is None
    sit_down(experiment).answer_all()
    seen = look(experiment)
    assert (seen["planned"], seen["remaining"], seen["recent"]) == (12, 8, 4)
    assert seen["finish_at"] == seen["now"] + timedelta(hours=48)


def test_times_have_their_zone_and_no_pace_is_nought(three_seats: Experiment) -> None:
    experiment = three_seats
    sitting = sit_down(experiment)
    for n, page in enumerate(sitting.upcoming()["trials"][:3]):
        sitting.vote(event(page["trial"], clock={"monotonic_ms": 10 * n}))
    html = page_of(experiment)
    assert "&lt; 0.1" in html
    assert not re.search(r">\s*0\.0\b", html)
    finish = look(experiment)["finish_at"]
    assert f"{finish:%Y-%m-%d %H:%M}"[:13] in html
    assert "expected finish at this rate (UTC)" in html


def test_the_lines_of_the_seats_are_a_file_too(three_seats: Experiment) -> None:
    experiment = three_seats
    answer(sit_down(experiment), 3)
    client = Client()
    client.force_login(experiment.owner)
    file = client.get(f"/experiments/{experiment.slug}/monitor/seats/")
    assert f'filename="{experiment.slug}-seats.csv"' in file["Content-Disposition"]
    (line,) = csv.DictReader(file.content.decode().splitlines())
    told = {name: line[name] for name in ("panel", "seat", "subject_id", "state", "answered", "planned", "flags")}
    assert told == {
        "panel": "1",
        "seat": "1",
        "subject_id": "sub-0001",
        "state": "running",
        "answered": "3",
        "planned": "4",
        "flags": "",
    }
    assert datetime.fromisoformat(line["last_seen_at"]).tzinfo is not None


def test_an_experiment_without_panels_has_an_empty_monitor() -> None:
    assert "No panels yet." in page_of(make_experiment(live=False))


def test_the_part_that_follows_is_the_same_without_its_frame(experiment: Experiment) -> None:
    part = page_of(experiment, part="?part=live")
    assert "<html" not in part
    assert part.strip() in page_of(experiment)


def test_the_number_of_questions_does_not_grow_with_people_or_pages() -> None:
    small, large = make_experiment(seats=1), make_experiment(seats=6 if ALL else 3, items=6 if ALL else 4, conditions=2)
    panels.create_panel(experiment=large, seats=3, actor=large.owner)
    for experiment, people in ((small, 1), (large, 5 if ALL else 3)):
        for _ in range(people):
            answer(sit_down(experiment), 3)
    counts = []
    for experiment in (small, large):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            look(experiment)
        counts.append(len(asked))
    assert counts[0] == counts[1]
    assert counts[0] <= 13


def computations(experiment: Experiment) -> int:
    """How many ballots' answers are read for one look."""
    with CaptureQueriesContext(connection) as asked:
        look(experiment)
    return sum('"rating_vote"."heard"' in query["sql"] for query in asked)


def test_answers_are_folded_once_and_again_when_there_are_more(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    answer(sitting, 2)
    assert [computations(experiment) for _ in range(2)] == [1, 0]
    answer(sitting, 1)
    assert [computations(experiment) for _ in range(2)] == [1, 0]


def test_after_the_first_few_ten_more_answers_are_worth_another_look_and_so_is_the_last() -> None:
    experiment = make_experiment(seats=1, items=16, conditions=2)
    visit = seated_visit(experiment)
    looks = []
    unseen = 0 if ALL else 17  # of the first answers, after each of which there is something new
    for number, trial in enumerate(visit.seat.ballot.trials.all()):
        visits.submit_votes(visit=visit, events=[vote_event(trial)], now=timezone.now())
        if number >= unseen:
            looks.append(computations(experiment))
    assert looks == [1] * (20 - unseen) + [0] * 9 + [1] + [0] * 2
    visits.finish_visit(visit=visit, now=timezone.now())
    assert computations(experiment) == 1


# --- All experiments --------------------------------------------------------------------------------------------------


def test_an_admin_sees_every_experiment_and_an_experimenter_those_that_are_theirs() -> None:
    mine, foreign = make_experiment(seats=2), make_experiment(seats=1)
    draft = make_experiment(mine.owner, live=False)
    sit_down(mine)
    answers = {}
    for reader in (mine.owner, make_user(User.Role.ADMIN)):
        client = Client()
        client.force_login(reader)
        answers[reader] = client.get("/monitor/").content.decode()
    of_owner, of_admin = answers.values()
    assert f"/experiments/{mine.slug}/monitor/" in of_owner
    assert f"/experiments/{foreign.slug}/monitor/" not in of_owner
    assert f"/experiments/{draft.slug}/monitor/" not in of_admin
    assert f"/experiments/{foreign.slug}/monitor/" in of_admin


def test_the_lines_of_all_experiments_count_only_what_counts(three_seats: Experiment) -> None:
    experiment = three_seats
    sit_down(experiment)
    gone = sit_down(experiment)
    seats.reissue_seat(seat=gone.visit.seat, now=timezone.now(), actor=experiment.owner)
    panels.rehearse(experiment=experiment, count=2, now=timezone.now(), actor=experiment.owner)
    (row,) = monitoring.all_statuses(experiments=[experiment], now=timezone.now())
    assert (row["total"], row["taken"], row["running"], row["open"], row["finished"]) == (3, 1, 1, 2, 0)
    assert row["last_seen_at"] is not None
