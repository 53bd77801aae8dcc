"""Listeners in results: who has not answered everything, figures without them, unequal panels."""

import csv
import io
import zipfile
from html import unescape
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from analysis.services.results import read_result
from listening.models import Seat
from listening.panels.services import panels
from listening.participation.services import visits
from rating.models import Ballot, Experiment
from rating.registry import get_protocol
from rating.services.ballots import postpone_trial
from rating.services.experiments import go_live
from rating.services.pages import plan_of
from rating.services.votes import cast_vote
from tests.analysis.p835_material import refresh
from tests.factories import consent_to, make_experiment, seated_visit, vote_event

pytestmark = pytest.mark.django_db


def answer(ballot: Ballot, *, value: int, pages: int | None = None) -> None:
    """Answer what is open, or so many pages of it."""
    for trial in ballot.trials.unanswered()[:pages]:
        assert cast_vote(ballot_id=ballot.pk, event=vote_event(trial, value=value)).status == "stored"


def table(experiment: Experiment) -> dict[str, Any]:
    tables: dict[str, Any] = read_result(experiment=experiment, slug="mos", simulated=False)["table"]
    return tables


def warned(experiment: Experiment, code: str) -> list[dict[str, Any]]:
    return [row for row in table(experiment)["warnings"] if row["code"] == code]


def page(client: Client, experiment: Experiment) -> str:
    client.force_login(experiment.owner)
    return unescape(client.get(f"/experiments/{experiment.slug}/results/").content.decode())


def test_a_stray_vote_is_not_a_whole_listener(client: Client) -> None:
    """One vote of 1 beside ten of 4 would give 2.5 if both listeners weighed the same."""
    experiment = make_experiment(seats=2, items=10, conditions=1)
    whole, begun = seated_visit(experiment).seat, seated_visit(experiment).seat
    answer(whole.ballot, value=4)
    answer(begun.ballot, value=1, pages=1)
    refresh()
    (complete,), (everybody,) = table(experiment)["rows"], table(experiment)["all_listeners"]
    assert (complete["mos"], complete["n_listeners"], complete["n_votes"]) == (4.0, 1, 10)
    assert (everybody["mos"], everybody["n_listeners"], everybody["n_votes"]) == (2.5, 2, 11)
    assert [row["mos"] for row in table(experiment)["votes_level"]] == [pytest.approx(41 / 11)]
    assert [row["mos"] for row in table(experiment)["panels"] if row["unit"] == "listener"] == [4.0]
    person = {"listener": str(begun.participant), "panel": 1, "pages": 1, "of_pages": 10}
    assert warned(experiment, "incomplete_listeners") == [
        {"code": "incomplete_listeners", "listeners": 1, "of": 2, "people": [person], "apart": True}
    ]
    html = page(client, experiment)
    assert f"is left out of figures over listeners: {begun.participant} (1 of 10 pages)." in html
    assert "Incomplete listeners" in html
    assert "With and without incomplete listeners" in html
    assert "1 of the listeners had not answered every page." in html
    answer(begun.ballot, value=1)
    refresh()
    assert warned(experiment, "incomplete_listeners") == []
    assert table(experiment)["all_listeners"] == []
    assert [row["mos"] for row in table(experiment)["rows"]] == [2.5]
    assert "Incomplete listeners" not in page(client, experiment)


def test_everybody_counts_while_nobody_is_complete(client: Client) -> None:
    experiment = make_experiment(seats=2, items=3, conditions=1)
    for value in (4, 1):
        answer(seated_visit(experiment).seat.ballot, value=value, pages=1)
    refresh()
    assert [(row["mos"], row["n_listeners"]) for row in table(experiment)["rows"]] == [(2.5, 2)]
    assert not warned(experiment, "incomplete_listeners")[0]["apart"]
    html = page(client, experiment)
    assert "still count as whole listeners" in html
    assert "Nobody has answered every page yet" in html


@pytest.mark.parametrize("protocol", ["tcsd_plane", "thumbs", "chaptering"])
def test_every_method_warns_of_incomplete_listeners(client: Client, protocol: str) -> None:
    experiment = make_experiment(seats=2, items=3, protocol=protocol)
    rng = Random(1)
    for pages in (None, 1):
        ballot = seated_visit(experiment).seat.ballot
        for trial in ballot.trials.filter(kind="test").order_by("position")[:pages]:
            payload = get_protocol(protocol).example(plan_of(trial, trial.slots.all()), rng)
            assert cast_vote(ballot_id=ballot.pk, event=vote_event(trial, payload=payload)).status == "stored"
    refresh()
    html = page(client, experiment)
    assert "1 of 2 listeners has not answered every page" in html
    assert "(1 of 3 pages)" in html
    assert ("Complete listeners only" in html) == (protocol != "chaptering")


def test_the_files_tell_who_is_complete(client: Client) -> None:
    experiment = make_experiment(seats=3, items=3, conditions=1)
    answer(seated_visit(experiment).seat.ballot, value=4)
    answer(seated_visit(experiment).seat.ballot, value=1, pages=2)
    refresh()
    client.force_login(experiment.owner)
    figures = client.get(f"/api/v1/experiments/{experiment.slug}/results/mos.csv").getvalue().decode()
    rows = list(csv.DictReader(io.StringIO(figures)))
    assert [row["mos"] for row in rows if row["table"] == "conditions" and row["unit"] == "listener"] == ["4.0"]
    assert [row["mos"] for row in rows if row["table"] == "all_listeners"] == ["2.5"]
    data = client.get(f"/api/v1/experiments/{experiment.slug}/dataset.zip").getvalue()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        (name,) = (name for name in archive.namelist() if "participants_data.csv" in name)
        people = list(csv.DictReader(io.StringIO(archive.read(name).decode())))
    told = sorted((row["pages"], row["of_pages"], row["complete"]) for row in people)
    assert told == [("0", "3", "false"), ("2", "3", "false"), ("3", "3", "true")]


def test_a_listener_whose_last_clip_would_not_play_is_complete_once_finished() -> None:
    experiment = make_experiment(seats=1, items=4, conditions=1)
    visit = seated_visit(experiment)
    ballot = visit.seat.ballot
    answer(ballot, value=4, pages=3)
    refresh()
    assert warned(experiment, "incomplete_listeners")[0]["people"][0]["pages"] == 3
    left = ballot.trials.unanswered().get()
    for _ in range(2):
        postpone_trial(ballot=ballot, trial_id=left.pk, now=timezone.now())
    visits.finish_visit(visit=visit, now=timezone.now())
    assert read_result(experiment=experiment, slug="mos", simulated=False)["stale"]
    refresh()
    assert warned(experiment, "incomplete_listeners") == []


def test_panels_that_are_filled_unequally_are_warned_about(client: Client) -> None:
    experiment = make_experiment(live=False)
    for _ in range(2):
        panels.create_panel(experiment=experiment, seats=2, actor=experiment.owner)
    go_live(experiment=experiment, actor=experiment.owner)
    first, second = (
        Seat.objects.filter(panel__experiment=experiment, panel__number=number).earliest("number") for number in (1, 2)
    )
    answer(consent_to(first).seat.ballot, value=4)
    refresh()
    filled = [{"panel": 1, "n_listeners": 1}, {"panel": 2, "n_listeners": 0}]
    assert warned(experiment, "unequal_panels") == [{"code": "unequal_panels", "group": "", "panels": filled}]
    assert "Panels have unequal numbers of listeners (panel 1: 1, panel 2: 0)." in page(client, experiment)
    answer(consent_to(second).seat.ballot, value=4)
    refresh()
    assert warned(experiment, "unequal_panels") == []
