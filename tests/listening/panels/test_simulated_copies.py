"""Copies for simulated listeners: the same seats, answered by bots, never mixed with people's answers."""

import re
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from analysis.services.results import read_result
from core.errors import AppError
from core.jobs import queue
from core.jobs.worker import work
from core.models import Job, User
from listening.design.base import DesignRequest
from listening.models import Design, Seat
from listening.panels.services import designs, monitoring, panels
from listening.panels.services.mailing import send_invitations
from listening.panels.services.simulated_copies import (
    ask_for_simulation,
    delete_simulation,
    job_of,
    simulate_listeners,
)
from rating.models import Ballot, Experiment, Vote
from rating.registry import protocols
from rating.services.experiments import condition_names, go_live, return_to_draft
from stimuli.services.collections import check_unfrozen
from tests.factories import make_collection, make_experiment, make_panel_experiment, make_user, seated_visit

pytestmark = pytest.mark.django_db


def run_jobs() -> None:
    while job := queue.claim(worker="test", names=[simulate_listeners.name]):
        work(job)
    assert not Job.objects.filter(state=Job.State.FAILED).exists(), Job.objects.values_list("error", flat=True)


def refused(code: str, function: Any, **arguments: Any) -> str:
    with pytest.raises(AppError) as raised:
        function(**arguments)
    assert raised.value.code == code
    return str(raised.value)


def browser_of(experiment: Experiment) -> Client:
    client = Client()
    client.force_login(experiment.owner)
    return client


@pytest.fixture(scope="module")
def designed(module_db: None) -> Experiment:
    """A draft with a design of two panels of two seats."""
    experiment = make_panel_experiment(items=4, conditions=2, references=0)
    wanted = DesignRequest(panels=2, seats=2, size=2, sessions=1)
    draft = designs.draft_design(experiment=experiment, wanted=wanted)
    designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    return Experiment.objects.select_related("owner", "collection").get(pk=experiment.pk)


@pytest.fixture(scope="module")
def simulated(designed: Experiment) -> Experiment:
    """Its copy, where three bots have answered."""
    copy = ask_for_simulation(experiment=designed, actor=designed.owner, listeners=3, seed="7")
    run_jobs()
    return Experiment.objects.select_related("owner", "collection").get(pk=copy.pk)


def test_bots_answer_the_seats_of_a_copy_that_hears_the_same_in_the_same_order(
    designed: Experiment, simulated: Experiment
) -> None:
    assert simulated.title == "A test (simulated)"
    assert designs.layout_of(simulated).sequences == designs.layout_of(designed).sequences
    assert designs.verify_design(simulated).holds
    assert Design.objects.get(experiment=simulated).seed == Design.objects.get(experiment=designed).seed
    states = Seat.objects.filter(panel__experiment=simulated).values_list("panel__number", "number", "state")
    assert list(states) == [(1, 1, "finished"), (1, 2, "finished"), (2, 1, "finished"), (2, 2, "open")]
    assert job_of(simulated).state == Job.State.DONE  # type: ignore[union-attr]
    assert set(simulated.ballots.values_list("kind", flat=True)) == {Ballot.Kind.SIMULATED}
    assert not Vote.objects.filter(ballot__experiment=designed).exists()
    assert (designed.simulations.get(), designed.state) == (simulated, Experiment.State.DRAFT)
    check_unfrozen(designed.collection)  # a clip of the draft can still be replaced


def test_the_monitor_of_the_copy_shows_the_seats_as_bots(simulated: Experiment) -> None:
    seen = monitoring.experiment_status(experiment=simulated, now=timezone.now())
    assert [(panel["finished"], panel["open"], panel["needed"]) for panel in seen["panels"]] == [(2, 0, 0), (1, 1, 0)]
    assert [line["state"] for line in seen["lines"]] == ["finished"] * 3
    assert not any(flag in line["flags"] for line in seen["lines"] for flag in ("fast", "sooner"))
    page = browser_of(simulated).get(f"/experiments/{simulated.slug}/monitor/").content.decode()
    assert page.count('class="badge">bot<') == 3


def test_the_pages_of_a_copy_say_how_far_the_simulation_is(designed: Experiment, simulated: Experiment) -> None:
    waiting = ask_for_simulation(experiment=designed, actor=designed.owner)
    client = browser_of(designed)

    def page_of(copy: Experiment, part: str = "") -> str:
        return str(client.get(f"/experiments/{copy.slug}/{part}").content.decode())

    progress = 'aria-label="Simulated listeners are answering"'
    for part in ("", "monitor/"):
        assert progress in page_of(waiting, part)
        assert progress not in page_of(simulated, part)
    assert "as soon as they are created" in page_of(waiting, "monitor/")
    assert "until you unblind them" not in page_of(waiting)
    assert "3 of 4 seats finished" in page_of(simulated)
    assert "until you unblind them" in page_of(simulated)


def test_results_of_the_copy_are_marked_and_those_of_the_source_stay_empty(
    designed: Experiment, simulated: Experiment
) -> None:
    client = browser_of(simulated)
    page = client.get(f"/experiments/{simulated.slug}/results/").content.decode()
    assert "They are not data." in page
    rows = b"".join(client.get(f"/api/v1/experiments/{simulated.slug}/votes.csv?simulated=1")).decode().splitlines()
    votes = Vote.objects.filter(ballot__experiment=simulated).count()
    assert votes == 3 * 4 * 3  # seats, clips of each, scales
    assert len(rows) == 1 + votes
    assert all(",simulated," in row for row in rows[1:])
    # Without being asked for, no export has a row of a bot, in the copy or in the source.
    for one in (simulated, designed):
        assert len(b"".join(client.get(f"/api/v1/experiments/{one.slug}/votes.csv")).decode().splitlines()) == 1
    assert read_result(experiment=designed, slug="mos", simulated=True)["vote_count"] == 0


def test_the_same_seed_answers_in_the_same_way_and_another_does_not(designed: Experiment) -> None:
    def payloads(seed: str) -> list[Any]:
        copy = ask_for_simulation(experiment=designed, actor=designed.owner, listeners=1, seed=seed)
        run_jobs()
        votes = Vote.objects.filter(ballot__experiment=copy).order_by("trial__position")
        return [[mark["value"] for mark in vote.payload["marks"]] for vote in votes]

    assert payloads("a") == payloads("a") != payloads("b")


def test_nobody_is_let_into_a_copy(simulated: Experiment) -> None:
    owner, now, panel = simulated.owner, timezone.now(), simulated.panels.first()
    refused("experiment.simulation", go_live, experiment=simulated, actor=owner)
    refused("experiment.simulation", panels.invite, panel=panel, count=1, now=now, actor=owner)
    refused("experiment.simulation", panels.invite_many, experiment=simulated, now=now, actor=owner)
    refused("experiment.simulation", panels.rehearse, experiment=simulated, count=1, now=now, actor=owner)
    refused("experiment.simulation", panels.create_panel, experiment=simulated, seats=1, actor=owner)
    mail = {"recipients": [("", "a@example.org")], "subject": "s", "text": "{link}", "now": now, "actor": owner}
    refused("experiment.simulation", send_invitations, panel=panel, **mail)
    refused("experiment.wrong_state", return_to_draft, experiment=simulated, actor=owner)
    with pytest.raises(IntegrityError), transaction.atomic():
        Experiment.objects.filter(pk=simulated.pk).update(state=Experiment.State.LIVE)


def test_who_unblinds_the_copy_learns_no_letter_of_the_source(designed: Experiment) -> None:
    copy = ask_for_simulation(experiment=designed, actor=designed.owner)
    assert copy.seed != designed.seed  # from which the letters are drawn
    assert set(condition_names(copy)) == set(condition_names(designed))


def test_what_cannot_be_simulated_is_refused_with_a_sentence(designed: Experiment, simulated: Experiment) -> None:
    owner = designed.owner
    without_seats = make_experiment(owner, live=False)
    assert "no seats yet" in refused("simulation.no_seats", ask_for_simulation, experiment=without_seats, actor=owner)
    empty = make_experiment(owner, live=False, collection=make_collection(owner, items=0))
    refused("experiment.no_stimuli", ask_for_simulation, experiment=empty, actor=owner)
    refused("experiment.simulation", ask_for_simulation, experiment=simulated, actor=owner)
    too_many = refused("simulation.too_many", ask_for_simulation, experiment=designed, actor=owner, listeners=5)
    assert "from 1 to 4" in too_many
    about = {"arguments": {"experiment_id": str(designed.pk)}}
    laying_out = Job.objects.create(name="listening.extend_design", queue=Job.Queue.INTERACTIVE, **about)
    refused("simulation.seats_pending", ask_for_simulation, experiment=designed, actor=owner)
    laying_out.delete()
    Job.objects.create(name="analysis.fit_ordinal_model", queue=Job.Queue.RESULTS, **about)  # which makes no seats
    ask_for_simulation(experiment=designed, actor=owner)
    refused("simulation.running", ask_for_simulation, experiment=designed, actor=owner)


def test_a_run_that_was_cut_short_goes_on_where_it_was(designed: Experiment) -> None:
    copy = ask_for_simulation(experiment=designed, actor=designed.owner, listeners=2)
    job = queue.claim(worker="test", names=[simulate_listeners.name])
    assert job is not None

    class Cut(Exception):
        pass

    class CutRun:
        fenced = staticmethod(transaction.atomic)
        answers = 0

        def progress(self, done: int, total: int, note: str = "") -> None:
            if done == 5:
                raise Cut

    with pytest.raises(Cut):
        simulate_listeners(run=CutRun(), **job.arguments)  # type: ignore[arg-type]
    assert Vote.objects.filter(ballot__experiment=copy).count() == 5
    queue.release(job=job)
    run_jobs()
    assert Seat.objects.filter(panel__experiment=copy, state=Seat.State.FINISHED).count() == 2
    assert Vote.objects.filter(ballot__experiment=copy).count() == 24


# The others are taken in tests/e2e/test_journeys.py, and tests/contracts/test_protocols.py reads an example of each.
IN_SHORT = {"p835", "chaptering"}


@pytest.mark.parametrize(
    "protocol", [pytest.param(slug, marks=[] if slug in IN_SHORT else pytest.mark.long) for slug in sorted(protocols())]
)
def test_bots_answer_every_protocol_to_its_receipt(protocol: str) -> None:
    experiment = make_experiment(seats=1, live=False, protocol=protocol)
    copy = ask_for_simulation(experiment=experiment, actor=experiment.owner)
    run_jobs()
    assert Seat.objects.get(panel__experiment=copy).state == Seat.State.FINISHED
    seen = monitoring.experiment_status(experiment=copy, now=timezone.now())
    assert (seen["remaining"], seen["lines"][0]["state"]) == (0, "finished")


def test_bots_answer_the_questions_before_and_after_the_clips() -> None:
    questions = [
        {"ready": "age_band", "place": "before", "required": True},
        {
            "key": "mood",
            "place": "after",
            "kind": "short_text",
            "text": "Mood?",
            "help": "",
            "required": True,
            "longest": 20,
        },
    ]
    experiment = make_experiment(seats=1, live=False, questions=questions)
    copy = ask_for_simulation(experiment=experiment, actor=experiment.owner)
    run_jobs()
    seat = Seat.objects.get(panel__experiment=copy)
    assert seat.state == Seat.State.FINISHED
    assert sorted(seat.question_answers.values_list("question", flat=True)) == ["age_band", "mood"]


def test_a_copy_is_left_out_of_lists_and_deleted_in_one_click_while_bots_answer(designed: Experiment) -> None:
    client = browser_of(designed)
    copy = ask_for_simulation(experiment=designed, actor=designed.owner)
    listed = [row["slug"] for row in client.get("/api/v1/experiments/").json()["results"]]
    assert (designed.slug in listed, copy.slug in listed) == (True, False)
    assert copy.slug not in client.get("/experiments/").content.decode()
    assert copy.slug in client.get("/experiments/?show=simulations").content.decode()
    assert copy.slug not in client.get("/monitor/").content.decode()
    admin = Client()
    admin.force_login(make_user(User.Role.ADMIN))
    counted = re.search(rf"q={designed.owner.username}\">(\d+)<", admin.get("/service/people/").content.decode())
    assert counted is not None
    assert int(counted[1]) == Experiment.objects.filter(owner=designed.owner, is_simulation=False).count()
    answer = client.post(f"/experiments/{copy.slug}/simulation/delete/", follow=True)
    assert answer.redirect_chain[-1][0] == f"/experiments/{designed.slug}/simulations/"
    assert Experiment.objects.get(pk=copy.pk).deleted_at is not None
    assert job_of(copy).state == Job.State.CANCELLED  # type: ignore[union-attr]
    refused("simulation.not_a_copy", delete_simulation, copy=designed, actor=designed.owner)


def test_the_page_starts_a_simulation_and_leads_to_the_monitor_of_the_copy() -> None:
    experiment = make_experiment(seats=2)
    client, address = browser_of(experiment), f"/experiments/{experiment.slug}/simulations/"
    assert address in client.get(f"/experiments/{experiment.slug}/").content.decode()
    answer = client.post(address, {"listeners": 9, "seed": "1"})
    assert answer.status_code == 422
    assert "Choose from 1 to 2 listeners" in answer.content.decode()
    answer = client.post(address, {"listeners": "", "seed": "1"}, follow=True)
    copy = experiment.simulations.get()
    assert answer.redirect_chain[-1][0] == f"/experiments/{copy.slug}/monitor/"
    for part in ("", "design/", "people/", "monitor/", "results/", "settings/", "questions/"):
        page = client.get(f"/experiments/{copy.slug}/{part}").content.decode()
        assert "Simulated listeners only" in page, part
        assert "Create links" not in page
        assert "Go live" not in page


def test_the_api_starts_lists_and_deletes_simulations() -> None:
    experiment = make_experiment(seats=2)
    seated_visit(experiment)
    client, address = browser_of(experiment), f"/api/v1/experiments/{experiment.slug}/simulations/"
    made = client.post(address, {"listeners": 1}, content_type="application/json")
    assert made.status_code == 201
    copy = made.json()["slug"]
    assert made.json()["job"]["state"] == "queued"
    assert client.post(address, {}, content_type="application/json").status_code == 409
    run_jobs()
    (row,) = client.get(address).json()
    assert (row["slug"], row["seats"], row["finished"], row["job"]["state"]) == (copy, 2, 1, "done")
    other = Client()
    other.force_login(make_user())
    assert other.post(address).status_code == 404
    assert client.delete(f"/api/v1/experiments/{copy}/simulation/").status_code == 204
    assert client.get(address).json() == []
