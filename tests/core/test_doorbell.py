"""The doorbell and Celery: heard on commit, missed without harm, and never the truth."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.db import transaction
from django.db.models.functions import Now
from pytest_django.fixtures import Settings

from core import doorbell
from core.models import Job
from core.services import jobs
from core.tasks import declared_jobs, enqueue
from tests.servers import free_port
from tests.testapp.models import Effect
from tests.testapp.tasks import stumble, write, write_bulk, write_urgent

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _no_schedule(settings: Settings) -> None:
    settings.SCHEDULE = {}


@pytest.fixture
def bell(monkeypatch: pytest.MonkeyPatch) -> doorbell.Doorbell:
    """A doorbell that has met no trouble yet."""
    bell = doorbell.Doorbell()
    monkeypatch.setattr(doorbell, "ring", bell.ring)
    return bell


def test_a_silent_doorbell_fails_nothing_and_rests_so_that_the_next_request_does_not_wait(
    settings: Settings, bell: doorbell.Doorbell
) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    with transaction.atomic():
        Effect.objects.create(key="cause")
        enqueue(write, effect="a")
        assert not bell.rests
    assert Effect.objects.get().key == "cause"
    assert Job.objects.get().state == Job.State.QUEUED
    assert bell.rests


def test_without_redis_nothing_of_celery_is_loaded_by_a_request() -> None:
    script = (
        "import django, sys; django.setup(); import django.urls; django.urls.get_resolver().url_patterns;"
        "from core.doorbell import ring; import uuid; assert ring(uuid.uuid4()) is False;"
        "sys.exit('celery' in sys.modules or 'kombu' in sys.modules)"
    )
    environment = {"DJANGO_SETTINGS_MODULE": "config.settings", "EARMARK_DATA_DIR": str(django_settings.DATA_DIR)}
    asked = [sys.executable, "-c", script]
    assert subprocess.run(asked, env=environment, cwd=ROOT, check=False).returncode == 0


@pytest.mark.redis
def test_the_doorbell_rings_on_commit_and_not_before(settings: Settings, bell: doorbell.Doorbell) -> None:
    from redis import Redis

    queue = Redis.from_url(settings.REDIS_URL)
    queue.delete(doorbell.QUEUE)
    with transaction.atomic():
        enqueue(write, effect="a")
        assert queue.llen(doorbell.QUEUE) == 0
    assert queue.llen(doorbell.QUEUE) == 1
    with pytest.raises(RuntimeError), transaction.atomic():
        enqueue(write, effect="b")
        raise RuntimeError
    assert queue.llen(doorbell.QUEUE) == 1
    queue.delete(doorbell.QUEUE)


@pytest.mark.redis
def test_the_tick_sweeps_and_rings_again_for_jobs_nobody_came_for(settings: Settings, bell: doorbell.Doorbell) -> None:
    from redis import Redis

    from core.jobs_celery import tick

    queue = Redis.from_url(settings.REDIS_URL)
    enqueue(write, effect="waits")
    enqueue(write, effect="abandoned")
    assert jobs.claim(worker="test", names=list(declared_jobs())) is not None
    Job.objects.update(not_before=Now() - timedelta(minutes=1))
    Job.objects.filter(state=Job.State.RUNNING).update(lease_until=Now() - timedelta(seconds=1))
    queue.flushdb()
    tick()
    assert queue.llen(doorbell.QUEUE) == 2
    queue.flushdb()


def test_a_celery_task_runs_a_job_once_however_often_it_is_delivered() -> None:
    from core.jobs_celery import run_job

    enqueue(write, effect="a")
    assert [run_job() for _ in range(3)] == [True, False, False]
    assert Effect.objects.count() == 1


def test_a_celery_task_leaves_a_job_alone_that_is_not_due() -> None:
    from core.jobs_celery import run_job

    enqueue(stumble, effect="a")
    assert run_job()
    assert not run_job(), "the pause before the retry has not passed"


def test_celery_runs_what_a_person_waits_for_before_bulk_work_that_was_rung_for_earlier() -> None:
    """Rings are heard in the order in which they were sent; each takes the job that is most important by then."""
    from core.jobs_celery import run_job

    for n in range(3):
        enqueue(write_bulk, effect=f"bulk {n}")
    enqueue(write_urgent, effect="urgent")
    assert [run_job() for _ in range(5)] == [True] * 4 + [False]
    assert list(Effect.objects.order_by("pk").values_list("key", flat=True)) == ["urgent", "bulk 0", "bulk 1", "bulk 2"]
