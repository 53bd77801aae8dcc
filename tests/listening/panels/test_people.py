"""The experimenter's page of panels: seats are added, links are shown once and kept nowhere."""

import re
import time
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.utils import timezone

from core.encryption import KEPT_FOR
from core.jobs import queue
from core.jobs.worker import work
from core.models import Job
from listening.design.base import DesignRequest
from listening.models import Invitation, Panel, Seat
from listening.panels.services import panels
from listening.panels.services.designs import adopt_draft, draft_design
from protocols.acr.protocol import AbsoluteCategoryRating
from rating.models import Ballot, Experiment
from rating.services.ballots import open_ballot, store_plans
from stimuli.services.collections import create_collection
from tests.factories import make_experiment, make_panel_experiment, make_user, sit_down

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client: Client) -> str:
    experiment = make_experiment(seats=2)
    client.force_login(experiment.owner)
    return f"/experiments/{experiment.slug}/"


def run_job(job: Job) -> Job:
    claimed = queue.claim(worker="test", names=[job.name], job_id=job.pk)
    assert claimed is not None
    work(claimed)
    job.refresh_from_db()
    return job


def sessions() -> str:
    return "".join(str(session.get_decoded()) for session in Session.objects.all())


def test_new_links_are_shown_on_the_next_page_and_never_again(client: Client, page: str) -> None:
    made = client.post(f"{page}panels/1/invitations/", {"count": 2})
    waiting = sessions()
    answer = client.get(made.headers["Location"])
    links = set(re.findall(r"/join/([\w-]+)/", answer.content.decode()))
    assert len(links) == Invitation.objects.count() == 2
    again = client.get(made.headers["Location"]).content.decode()
    assert "they were shown already" in again
    later = again + client.get(f"{page}people/").content.decode() + sessions()
    for link in links:
        assert Client().get(f"/join/{link}/").status_code == 200
        assert link not in waiting
        assert link not in later


def test_new_links_wait_a_quarter_of_an_hour_for_their_page(
    client: Client, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = client.post(f"{page}panels/1/invitations/", {"count": 2})
    later = time.time() + KEPT_FOR.total_seconds() + 1
    monkeypatch.setattr("cryptography.fernet.time.time", lambda: later)
    assert "/join/" not in client.get(made.headers["Location"]).content.decode()


def test_new_links_are_shown_on_the_page_of_their_own_experiment_alone(client: Client, page: str) -> None:
    client.post(f"{page}panels/1/invitations/", {"count": 2})
    other = make_experiment(Experiment.objects.get().owner)
    assert "/join/" not in client.get(f"/experiments/{other.slug}/people/links/new/").content.decode()


def test_a_panel_is_added_and_its_seats_are_made_in_the_background(client: Client, page: str) -> None:
    assert client.post(f"{page}panels/", {"seats": 3}).status_code == 400  # it is live: why?
    assert client.post(f"{page}panels/", {"seats": 3, "reason": "more data"}).status_code == 302
    assert Seat.objects.filter(panel__number=2).count() == 0
    [job] = Job.objects.all()
    shown = client.get(f"{page}people/").content.decode()
    assert "The seats of this panel are being created." in shown
    assert f'data-job="{job.pk}" data-job-reload' in shown
    assert f"{page}panels/1/invitations/" in shown
    assert f"{page}panels/2/invitations/" not in shown
    assert run_job(job).state == Job.State.DONE
    shown = client.get(f"{page}people/").content.decode()
    assert "0 of 3 seats finished" in shown
    assert "data-job" not in shown
    assert f"{page}panels/2/invitations/" in shown


def test_a_panel_that_is_being_filled_gets_no_links_yet(client: Client, page: str) -> None:
    client.post(f"{page}panels/", {"seats": 3, "reason": "more data"})
    refused = client.post(f"{page}panels/2/invitations/", {"count": 3})
    assert refused.status_code == 409
    assert "The seats of panel 2 are still being created." in refused.content.decode()
    assert not Invitation.objects.exists()
    assert "data-job-reload" not in refused.content.decode()  # a page with what was typed is not loaded anew
    run_job(Job.objects.get())
    assert client.post(f"{page}panels/2/invitations/", {"count": 3}).status_code == 302


def test_what_could_not_be_filled_is_refused_at_once(client: Client) -> None:
    owner = make_user()
    empty = create_collection(owner=owner, slug="empty", title="Empty")
    experiment = make_experiment(owner, collection=empty, live=False)
    client.force_login(owner)
    assert client.post(f"/experiments/{experiment.slug}/panels/", {"seats": 3}).status_code == 409
    assert not Panel.objects.exists()
    assert not Job.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_seats_are_planned_outside_of_transactions_and_written_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """On SQLite a transaction that writes keeps every vote waiting."""
    planned, written = [], []
    plan = AbsoluteCategoryRating.plan

    def watched_plan(*args: Any) -> Any:
        planned.append(connection.in_atomic_block)
        return plan(*args)

    def watched_store(**asked: Any) -> Any:
        written.append((connection.in_atomic_block, len(asked["plans"])))
        return store_plans(**asked)

    experiment = make_experiment(seats=1)
    monkeypatch.setattr(AbsoluteCategoryRating, "plan", watched_plan)
    monkeypatch.setattr(panels, "store_plans", watched_store)
    run_job(panels.ask_for_panel(experiment=experiment, seats=9, actor=experiment.owner))
    assert not any(planned)
    assert written == [(True, 4), (True, 4), (True, 1)]
    assert experiment.panels.get(number=2).seats.main().count() == 9


@pytest.mark.django_db(transaction=True)
def test_a_killed_job_goes_on_where_it_was_and_makes_no_seat_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = make_experiment(seats=1)
    job = panels.ask_for_panel(experiment=experiment, seats=10, actor=experiment.owner)

    class Killed(BaseException):
        """What no job catches, as a power cut is."""

    def die(**asked: Any) -> Any:
        if Seat.objects.filter(panel__number=2).count() >= 4:
            raise Killed
        return store_plans(**asked)

    monkeypatch.setattr(panels, "store_plans", die)
    with pytest.raises(Killed):
        run_job(job)
    monkeypatch.undo()
    assert Seat.objects.filter(panel__number=2).count() == 4
    Job.objects.update(lease_until=timezone.now() - timedelta(hours=1))
    assert queue.requeue_expired() == 1
    assert run_job(job).state == Job.State.DONE
    assert (job.progress_done, job.progress_total) == (10, 10)
    seats = Seat.objects.filter(panel__number=2).order_by("number")
    assert [seat.number for seat in seats] == list(range(1, 11))
    assert not Ballot.objects.filter(seat__isnull=True).exists()
    unbroken = [open_ballot(experiment=experiment, seed=f"panel 2 seat {number}") for number in range(1, 11)]
    assert [seat.ballot.plan_sha256 for seat in seats] == [ballot.plan_sha256 for ballot in unbroken]


def test_panels_are_designed_together_only_where_the_protocol_can(client: Client) -> None:
    for protocol, offered in (("acr", True), ("tcsd_plane", False)):
        experiment = make_experiment(live=False, protocol=protocol)
        client.force_login(experiment.owner)
        page = client.get(f"/experiments/{experiment.slug}/people/").content.decode()
        assert ("Design panels together" in page) is offered


def test_a_design_that_comes_first_ends_the_job_with_a_sentence() -> None:
    experiment = make_panel_experiment()
    job = panels.ask_for_panel(experiment=experiment, seats=2, actor=experiment.owner)
    wanted = DesignRequest(panels=2, seats=2, size=4, factors=(), sessions=2)
    adopt_draft(experiment=experiment, draft=draft_design(experiment=experiment, wanted=wanted), actor=experiment.owner)
    assert run_job(job).state == Job.State.FAILED
    assert "laid out together" in job.error
    assert Seat.objects.count() == 4


@pytest.mark.parametrize(
    ("path", "body"),
    [("panels/", {"seats": 0}), ("panels/", {"seats": "many"}), ("panels/1/invitations/", {"count": 501})],
)
def test_a_senseless_number_is_refused_and_adds_nothing(
    client: Client, page: str, path: str, body: dict[str, object]
) -> None:
    assert client.post(page + path, body).status_code == 400
    assert client.post(f"{page}panels/9/invitations/", {"count": 1}).status_code == 404
    assert (Seat.objects.count(), Invitation.objects.count()) == (2, 0)


def test_every_seat_is_listed_with_its_state(client: Client) -> None:
    experiment = make_experiment(seats=3)
    sit_down(experiment)
    client.force_login(experiment.owner)
    html = client.get(f"/experiments/{experiment.slug}/people/").content.decode()
    listed = html.partition('id="all-seats"')[2].partition("</details>")[0]
    assert re.findall(r'data-state="(\w+)"', listed) == ["taken", "open", "open"]
    aside = html.partition("<aside")[2].partition("</aside>")[0]
    assert "session-settings" not in aside  # in the full width, below the two columns
    assert 'id="try"' not in aside


def test_a_preview_leads_back_to_people(client: Client) -> None:
    experiment = make_experiment(seats=1)
    client.force_login(experiment.owner)
    people = f"/experiments/{experiment.slug}/people/"
    seen = client.post(
        f"/experiments/{experiment.slug}/previews/", {"panel": 1, "seat": 1, "from_session": 0}, follow=True
    )
    assert f'<a href="{people}">Back to People</a>' in seen.content.decode()
