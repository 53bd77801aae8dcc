"""Jobs of every app, each run twice, as after a kill before it was marked done: the second run changes nothing."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.core import mail
from django.test import Client
from django.utils import timezone

from analysis.models import ReportPdf, Result
from core import database, restoring
from core.jobs import JobKind, declared_jobs, enqueue, queue
from core.jobs.worker import work
from core.models import Job, User
from core.pdf import can_write_pdf, write_pdf
from core.services.accounts import create_account, random_password
from listening.design.base import DesignRequest
from listening.models import Design, Extension, Message, Panel, Recruitment, Seat
from listening.panels.services import alerts, demo, designs, extensions, panels, simulated_copies
from listening.panels.services.mailing import send_invitations
from rating.models import Experiment
from rating.services.disposal import DAYS_IN_BIN
from rating.services.votes import cast_vote
from tests.factories import make_experiment, make_panel_experiment, seated_visit, vote_event
from tests.scale import ALL
from tests.stimuli.job_examples import STIMULI_EXAMPLES
from tests.testapp.models import Effect
from tests.testapp.tasks import write, write_unfenced

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _one_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the short run a text is written once; that it gives the same bytes again is in tests/core/test_pdf.py."""
    if not ALL:
        monkeypatch.setattr("analysis.services.report_pdf.write_pdf", cache(write_pdf))


def an_experiment_with_votes() -> dict[str, Any]:
    experiment = make_experiment(seats=1)
    ballot = seated_visit(experiment).seat.ballot
    for trial in ballot.trials.all():
        cast_vote(ballot_id=ballot.pk, event=vote_event(trial))
    return {"experiment_id": str(experiment.pk)}


def enough_votes_for_a_model() -> dict[str, Any]:
    experiment = make_experiment(seats=2, items=5)
    for _ in range(2):
        ballot = seated_visit(experiment).seat.ballot
        for trial in ballot.trials.all():
            cast_vote(ballot_id=ballot.pk, event=vote_event(trial))
    return {"experiment_id": str(experiment.pk), "simulated": False}


def votes_somewhere() -> dict[str, Any]:
    an_experiment_with_votes()
    return {}


def a_report_to_write() -> dict[str, Any]:
    if not can_write_pdf():
        pytest.skip("libpango is not on this machine")
    asked = {"simulated": False, "language": "en", "asked_at": timezone.now().isoformat()}
    return {"experiment_id": str(make_experiment(seats=1).pk)} | asked


def a_design_to_adopt() -> dict[str, Any]:
    experiment, wanted = make_panel_experiment(items=4), DesignRequest(panels=1, seats=2, size=4, sessions=1)
    sha256 = designs.draft_design(experiment=experiment, wanted=wanted).sha256
    arguments = {"experiment_id": str(experiment.pk), "actor_id": str(experiment.owner.pk)}
    return arguments | {"wanted": wanted.to_json(), "sha256": sha256}


def an_extension_to_add() -> dict[str, Any]:
    experiment, wanted = make_panel_experiment(items=4), DesignRequest(panels=1, seats=2, size=4, sessions=1)
    draft = designs.draft_design(experiment=experiment, wanted=wanted)
    designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    experiment.refresh_from_db()
    sha256 = extensions.draft_extension(experiment=experiment, listeners=1).sha256
    arguments = {"experiment_id": str(experiment.pk), "actor_id": str(experiment.owner.pk), "sha256": sha256}
    return arguments | {"listeners": 1, "panels": 0, "reason": ""}


def a_design_of_a_file_to_lay_out() -> dict[str, Any]:
    arguments = an_extension_to_add()
    experiment = Experiment.objects.get(pk=arguments["experiment_id"])
    row = Design.objects.get(experiment=experiment)
    design = {**row.settings, "preset": row.preset, "seed": row.seed, "sha256": row.sha256}
    Design.objects.all().delete()
    Seat.objects.all().delete()
    extension = {"listeners": 1, "panels": 0, "reason": "", "sha256": arguments["sha256"]}
    kept = {name: arguments[name] for name in ("experiment_id", "actor_id")}
    return kept | {"design": design | {"extensions": [extension]}}


def a_panel_to_fill() -> dict[str, Any]:
    experiment = make_experiment(seats=1)
    Panel.objects.create(experiment=experiment, number=2)
    return {"experiment_id": str(experiment.pk), "panel": 2, "seats": 6}


def a_copy_for_bots() -> dict[str, Any]:
    experiment = make_experiment(seats=2)
    copy = simulated_copies.ask_for_simulation(experiment=experiment, actor=experiment.owner)
    Job.objects.all().delete()
    return {"experiment_id": str(copy.pk), "listeners": None, "seed": "1"}


def an_address_that_is_not_needed() -> dict[str, Any]:
    experiment = make_experiment(seats=1)
    token = panels.invite_many(experiment=experiment, now=timezone.now(), actor=None)
    Client().post(f"/join/{token}/", {"agree": "on"})
    Seat.objects.update(leased_until=timezone.now())
    assert not Recruitment.objects.filter(address="").exists()
    return {}


def an_experiment_past_its_time_in_the_bin() -> dict[str, Any]:
    an_experiment_with_votes()
    Experiment.objects.update(deleted_at=timezone.now() - timedelta(days=DAYS_IN_BIN + 1))
    return {}


def a_mailing() -> dict[str, Any]:
    experiment = make_experiment(seats=1)
    mailing = send_invitations(
        panel=experiment.panels.get(),
        recipients=[("P07", "anna@example.org")],
        subject="Test",
        text="{link}",
        now=timezone.now(),
        actor=experiment.owner,
    )
    return {"mailing_id": str(mailing.pk)}


def a_password_link() -> dict[str, Any]:
    user = create_account(name="erin", role=User.Role.EXPERIMENTER, password=None, actor=None, email="erin@example.org")
    User.objects.update(password_link_at=timezone.now())
    return {"user_id": str(user.pk), "language": "en"}


def a_copy_of_the_database() -> dict[str, Any]:
    database.make_copy()
    return {}


def a_wish_to_be_told() -> dict[str, Any]:
    experiment = make_experiment(seats=1)
    alerts.set_alert(experiment=experiment, user=experiment.owner, by_email=True, address="erin@example.org")
    seated_visit(experiment)
    return {}


def an_empty_demo() -> dict[str, Any]:
    create_account(name=demo.EXPERIMENTER, role=User.Role.EXPERIMENTER, password=random_password(), actor=None)
    return {"module": "tests.testapp.small_demo"}


def nothing_to_prepare() -> dict[str, Any]:
    return {}


# For every job: what prepares its world and returns its arguments, and whether the first run left anything behind.
EXAMPLES: dict[str, tuple[Callable[[], dict[str, Any]], Callable[[], bool]]] = {
    "analysis.fit_ordinal_model": (enough_votes_for_a_model, Result.objects.exists),
    "analysis.write_report_pdf": (a_report_to_write, ReportPdf.objects.exists),
    "analysis.refresh_results": (an_experiment_with_votes, Result.objects.exists),
    "analysis.refresh_stale_results": (votes_somewhere, Result.objects.exists),
    "listening.apply_design": (a_design_to_adopt, Design.objects.exists),
    "listening.extend_design": (an_extension_to_add, Extension.objects.exists),
    "listening.lay_out_file": (a_design_of_a_file_to_lay_out, Extension.objects.exists),
    "listening.fill_panel": (a_panel_to_fill, lambda: Seat.objects.filter(panel__number=2).count() == 6),
    "listening.forget_addresses": (
        an_address_that_is_not_needed,
        Recruitment.objects.filter(address="").exists,
    ),
    "listening.send_mailing": (a_mailing, Message.objects.filter(sent_at__isnull=False).exists),
    "listening.send_alerts": (a_wish_to_be_told, lambda: bool(mail.outbox)),
    "listening.empty_bin": (an_experiment_past_its_time_in_the_bin, lambda: not Experiment.objects.exists()),
    "listening.build_demo": (an_empty_demo, Experiment.objects.exists),
    "listening.simulate_listeners": (
        a_copy_for_bots,
        lambda: Seat.objects.filter(state=Seat.State.FINISHED, ballot__kind="simulated").count() == 2,
    ),
    **STIMULI_EXAMPLES,
    "core.send_password_link": (a_password_link, lambda: bool(mail.outbox)),
    "core.try_restore": (
        a_copy_of_the_database,
        lambda: restoring.last_outcome() is not None or settings.TEST_DATABASE != "sqlite",
    ),
    "core.copy_database": (nothing_to_prepare, lambda: bool(database.copies()) or settings.TEST_DATABASE != "sqlite"),
}


def apps_jobs() -> list[str]:
    return sorted(name for name, kind in declared_jobs().items() if not kind.function.__module__.startswith("tests."))


def snapshot() -> dict[str, Any]:
    """Everything that a job may have changed, except the job itself: every row and every file."""
    rows = {
        model._meta.label: list(model._base_manager.order_by("pk").values())
        for model in apps.get_models()
        if model is not Job
    }
    folders = [Path(settings.MEDIA_ROOT), database.copies_folder()]
    files = {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return {"rows": rows, "files": files}


def run_as_after_a_kill(job: Job) -> None:
    """Run the job; if it is done already, forget that first, as though the commit that said so had never been."""
    Job.objects.filter(pk=job.pk).update(state=Job.State.QUEUED, finished_at=None)
    claimed = queue.claim(worker="test", names=[job.name], job_id=job.pk)
    assert claimed is not None
    work(claimed)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error


def changed_by_second_run(kind: JobKind[...], arguments: dict[str, Any]) -> bool:
    job = enqueue(kind, **arguments)
    run_as_after_a_kill(job)
    first = snapshot()
    run_as_after_a_kill(job)
    return snapshot() != first


@pytest.mark.parametrize("name", apps_jobs())
def test_a_second_run_changes_nothing(name: str) -> None:
    assert name in EXAMPLES, f"add an example of {name} to this file"
    prepare, left_something = EXAMPLES[name]
    changed = changed_by_second_run(declared_jobs()[name], prepare())
    assert left_something(), f"the example of {name} gives it nothing to do"
    assert not changed


def test_there_is_no_example_of_a_job_that_is_gone() -> None:
    assert set(EXAMPLES) == set(apps_jobs())


def test_control_a_job_that_repeats_its_effect_is_found_out() -> None:
    assert changed_by_second_run(write_unfenced, {"effect": "a"})
    assert changed_by_second_run(write, {"effect": "b"}), "forgetting the commit that finished it doubles even this one"
    assert Effect.objects.count() == 4
