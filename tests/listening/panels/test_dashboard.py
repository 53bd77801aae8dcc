"""Dashboard: lines above the list of experiments, by role."""

from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.models import Job, User
from listening.models import Seat
from listening.panels.dashboard import Need, needs_of
from listening.panels.services import panels
from rating.models import Collaborator, Experiment
from stimuli.models import Import
from tests.factories import make_experiment, make_user, opened
from tests.people import browser_of
from tests.stimuli.import_material import begin

pytestmark = pytest.mark.django_db


def needs(user: User) -> list[Need]:
    return needs_of(user, now=timezone.now())


def only(user: User) -> Need:
    [need] = needs(user)
    return need


def change(experiment: Experiment, **fields: Any) -> None:
    Experiment.objects.filter(pk=experiment.pk).update(**fields)


def test_a_draft_asks_for_seats_and_then_to_go_live() -> None:
    owner = make_user()
    experiment = make_experiment(owner, live=False)
    assert (only(owner).level, only(owner).sentence) == ("info", "A draft without seats for listeners.")
    panels.create_panel(experiment=experiment, seats=2, actor=owner)
    assert (only(owner).level, only(owner).address) == ("ok", f"/experiments/{experiment.slug}/#next-steps")
    Job.objects.create(name="listening.apply_design", about=f"experiment:{experiment.pk}")
    assert needs(owner) == [], "while a job works on it, nobody has to do anything"


def test_a_live_experiment_asks_for_links_then_waits_for_listeners_and_has_results_in_the_end() -> None:
    owner = make_user()
    experiment = make_experiment(owner, seats=3)
    assert (only(owner).level, only(owner).sentence) == ("warn", "3 open seats have no link yet.")
    panels.invite_many(experiment=experiment, now=timezone.now(), actor=owner)
    assert (only(owner).level, only(owner).sentence) == ("info", "3 of 3 seats are still open.")
    change(experiment, state="paused")
    assert only(owner).sentence == "Paused: no listener can start."
    change(experiment, state="closed")
    assert needs(owner) == [], "nobody has finished, so there is no result"
    Seat.objects.update(state=Seat.State.FINISHED)
    assert (only(owner).level, only(owner).address) == ("ok", reverse("analysis:results", args=[experiment.slug]))
    change(experiment, unblinded_at=timezone.now())
    assert needs(owner) == []


def test_what_is_archived_deleted_or_only_to_be_read_asks_for_nothing() -> None:
    owner, editor, viewer = make_user(), make_user(), make_user()
    experiment = make_experiment(owner, seats=1)
    for person, role in ((editor, "editor"), (viewer, "viewer")):
        Collaborator.objects.create(experiment=experiment, user=person, role=role)
    assert [len(needs(person)) for person in (owner, editor, viewer, make_user())] == [1, 1, 0, 0]
    change(experiment, archived_at=timezone.now())
    assert needs(owner) == []
    change(experiment, archived_at=None, deleted_at=timezone.now())
    assert needs(owner) == []


def test_own_failed_jobs_and_checked_imports_are_told() -> None:
    owner = make_user()
    draft = make_experiment(owner, live=False, seats=1)
    import_ = begin(draft.collection)
    experiment = opened(draft)
    panels.invite_many(experiment=experiment, now=timezone.now(), actor=owner)
    fields = {"name": "listening.apply_design", "about": f"experiment:{experiment.pk}", "requested_by": owner}
    Job.objects.create(state="failed", finished_at=timezone.now(), **fields)
    Job.objects.create(state="failed", finished_at=timezone.now() - timedelta(days=30), **fields)
    assert [need.level for need in needs(owner)] == ["bad", "info"]
    Import.objects.update(state=Import.State.PROPOSED, owner=owner)
    [failed, checked, _open] = needs(owner)
    assert "Laying out the design" in failed.sentence
    assert checked.address.endswith(f"/imports/{import_.pk}/")


def test_an_admin_is_told_of_failed_jobs_missing_backups_and_workers(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    ada, erin = make_user(User.Role.ADMIN), make_user()
    make_experiment(erin, seats=1)
    Job.objects.create(name="app.broken", state="failed", finished_at=timezone.now())
    said = {need.sentence: need.address for need in needs(ada)}
    assert said["Some jobs have failed."] == reverse("core:jobs") + "?state=failed"
    assert "No worker is running, or jobs wait for long." in said
    if connection.vendor == "sqlite":
        assert said["There is no recent backup of the database."] == reverse("core:backups")
    assert not any("seat" in sentence for sentence in said), "other people's experiments are not the admin's to do"
    page = unescape(browser_of(ada).get(reverse("rating:experiments")).content.decode())
    assert "Some jobs have failed." in page
    assert "Some jobs have failed." not in browser_of(erin).get(reverse("rating:experiments")).content.decode()


def test_the_lines_stand_above_the_unfiltered_list_and_cost_no_more_queries_for_more_experiments() -> None:
    owner = make_user()
    browser = browser_of(owner)
    assert "Nothing needs you now." in browser.get(reverse("rating:experiments")).content.decode()

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            needs(owner)
        return len(captured)

    make_experiment(owner, seats=1)
    one = queries()
    for _ in range(8):
        make_experiment(owner, seats=1)
    assert queries() == one
    page = browser.get(reverse("rating:experiments")).content.decode()
    assert page.index("What needs you now") < page.index('class="list"')
    assert "3 more" in page
    assert "What needs you now" not in browser.get(reverse("rating:experiments"), {"show": "draft"}).content.decode()
