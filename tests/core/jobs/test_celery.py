"""Celery: every job is a task of its name in its queue; messages are sent on commit and may be lost or repeated."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import transaction
from django.db.models.functions import Now
from pytest_django.fixtures import Settings

from core.jobs import declared_jobs, enqueue, notify, queue
from core.models import Job
from tests.factories import make_user
from tests.scale import ALL
from tests.servers import free_port
from tests.testapp.models import Effect
from tests.testapp.tasks import hold, stumble, write, write_bulk, write_result, write_urgent
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).resolve().parents[3]
CHUNKS_OF_A_DAY = 132 if ALL else 12
PATIENCE_S = 90


@pytest.fixture(autouse=True)
def _no_schedule(settings: Settings) -> None:
    settings.SCHEDULE = {}


@pytest.fixture
def notifier(monkeypatch: pytest.MonkeyPatch) -> notify.Notifier:
    """A notifier that has met no trouble yet."""
    notifier = notify.Notifier()
    monkeypatch.setattr(notify, "notify", notifier.notify)
    return notifier


@pytest.fixture
def redis(settings: Settings) -> Iterator[Any]:
    from redis import Redis

    client = Redis.from_url(settings.REDIS_URL)
    client.flushdb()
    yield client
    client.flushdb()


def messages(redis: Any, name: str) -> int:
    """How many messages wait in a queue; Redis keeps those of a lower priority in a list of their own."""
    priority = Job.Queue[name.upper()].value
    return int(redis.llen(f"{name}\x06\x16{priority}" if priority else name))


def effects() -> list[str]:
    return list(Effect.objects.exclude(key="released").order_by("pk").values_list("key", flat=True))


# --- Tasks ------------------------------------------------------------------------------------------------------------


def test_every_job_is_a_celery_task_of_its_name_in_its_queue_with_time_limits() -> None:
    from config.celery import QUEUES, app

    app.loader.import_default_modules()
    assert Job.Queue.labels == QUEUES
    for name, kind in declared_jobs().items():
        task, sent = app.tasks[name], app.amqp.router.route({}, name)
        assert (sent["queue"].name, sent["priority"]) == (kind.queue.label, kind.queue.value)
        assert 0 < (task.soft_time_limit or 0) < (task.time_limit or 0)
    assert {"stimuli.check_import", "analysis.refresh_results", "stimuli.ingest_chunk"} <= set(app.tasks)


def test_beat_sends_the_tasks_that_keep_the_table_in_order() -> None:
    from config.celery import app

    app.loader.import_default_modules()
    sent = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert sent == {"core.add_scheduled_jobs", "core.requeue_expired_jobs", "core.prune_jobs"}
    assert sent <= set(app.tasks)


def test_a_celery_task_runs_a_job_once_however_often_it_is_delivered() -> None:
    from core.jobs.celery_tasks import TASKS

    job = enqueue(write, effect="a")
    assert [TASKS["testapp.write"](str(job.pk)) for _ in range(3)] == [True, False, False]
    assert Effect.objects.count() == 1


def test_a_celery_task_leaves_a_job_alone_that_is_not_due() -> None:
    from core.jobs.celery_tasks import TASKS

    job = enqueue(stumble, effect="a")
    assert TASKS["testapp.stumble"](str(job.pk))
    assert not TASKS["testapp.stumble"](str(job.pk)), "the pause before the retry has not passed"


def test_a_celery_task_takes_the_job_of_its_name_whose_turn_it_is(caplog: pytest.LogCaptureFixture) -> None:
    from core.jobs.celery_tasks import TASKS

    anna, bert = make_user(), make_user()
    enqueue(write_urgent, effect="urgent")
    many = [enqueue(write_bulk, effect=f"anna {n}", requested_by=anna) for n in range(3)]
    bert_job = enqueue(write_bulk, effect="bert", requested_by=bert)
    messages = [*many, many[2]]  # the last one is sent twice, that of the second person is lost
    with caplog.at_level("INFO", logger="core.jobs.celery_tasks"):
        assert [TASKS["testapp.write_bulk"](str(job.pk)) for job in messages] == [True] * 4
    assert effects() == ["anna 0", "bert", "anna 1", "anna 2"]
    said = f"testapp.write_bulk: claimed job {bert_job.pk} on the message of job {many[1].pk}."
    assert said in caplog.messages
    assert not TASKS["testapp.write_bulk"](str(many[0].pk))


# --- Notifications ----------------------------------------------------------------------------------------------------


def test_an_absent_redis_fails_nothing_and_the_next_request_does_not_wait_for_it(
    settings: Settings, notifier: notify.Notifier
) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    with transaction.atomic():
        Effect.objects.create(key="cause")
        enqueue(write, effect="a")
        assert not notifier.backing_off
    assert Effect.objects.get().key == "cause"
    assert Job.objects.get().state == Job.State.QUEUED
    assert notifier.backing_off


@pytest.mark.long  # tests/contracts/test_light_processes.py looks at the same in a process that looks for more
def test_without_redis_nothing_of_celery_is_loaded_by_a_request() -> None:
    script = (
        "import django, sys; django.setup(); import django.urls; django.urls.get_resolver().url_patterns;"
        "from core.models import Job; from core.jobs.notify import notify; assert notify(Job(name='a')) is False;"
        "sys.exit('celery' in sys.modules or 'kombu' in sys.modules)"
    )
    environment = {"DJANGO_SETTINGS_MODULE": "config.settings", "EARMARK_DATA_DIR": str(django_settings.DATA_DIR)}
    environment["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix or ""  # or it compiles all that it imports
    asked = [sys.executable, "-c", script]
    assert subprocess.run(asked, env=environment, cwd=ROOT, check=False).returncode == 0


@pytest.mark.redis
def test_celery_is_notified_on_commit_and_not_before(redis: Any, notifier: notify.Notifier) -> None:
    with transaction.atomic():
        enqueue(write, effect="a")
        assert messages(redis, "interactive") == 0
    assert messages(redis, "interactive") == 1
    with pytest.raises(RuntimeError), transaction.atomic():
        enqueue(write, effect="b")
        raise RuntimeError
    assert messages(redis, "interactive") == 1


@pytest.mark.redis
def test_each_message_goes_to_the_queue_of_its_job(redis: Any, notifier: notify.Notifier) -> None:
    for kind in (write, write_result, write_bulk):
        enqueue(kind, effect="a")
    assert [messages(redis, name) for name in Job.Queue.labels] == [1, 1, 1]


@pytest.mark.redis
def test_beat_requeues_expired_jobs_and_sends_the_messages_of_unclaimed_jobs_again(
    redis: Any, notifier: notify.Notifier
) -> None:
    from core.jobs.celery_tasks import requeue_expired_jobs

    enqueue(write, effect="waits")
    enqueue(write, effect="abandoned")
    assert queue.claim(worker="test", names=list(declared_jobs())) is not None
    Job.objects.update(not_before=Now() - timedelta(minutes=1))
    Job.objects.filter(state=Job.State.RUNNING).update(lease_until=Now() - timedelta(seconds=1))
    redis.flushdb()
    requeue_expired_jobs()
    assert messages(redis, "interactive") == 2


# --- A person who waits is never behind a bulk job --------------------------------------------------------------------


@contextmanager
def celery_worker(environment: dict[str, str], *options: str) -> Iterator[None]:
    """A worker with one process, until the end of the block."""
    quiet = ("--loglevel", "ERROR", "--without-gossip", "--without-mingle", "--without-heartbeat")
    command = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", "--concurrency", "1", *quiet, *options]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def state_of(job: Job) -> str:
    return Job.objects.get(pk=job.pk).state


def ask_for_a_day(redis: Any) -> list[Job]:
    """As many bulk jobs as a recording of 24 hours has chunks; return once the first of them runs."""
    day = [enqueue(hold, effect=f"chunk {n}") for n in range(CHUNKS_OF_A_DAY)]
    wait_until(lambda: state_of(day[0]) == Job.State.RUNNING, patience_s=PATIENCE_S)
    assert messages(redis, "bulk") == CHUNKS_OF_A_DAY - 1
    return day


@pytest.mark.redis
@pytest.mark.long  # each message goes to its queue, as tested above; the rest is Celery's
def test_with_a_worker_for_bulk_an_import_check_and_a_refresh_run_while_a_chunk_runs(
    redis: Any, notifier: notify.Notifier, process_environment: dict[str, str]
) -> None:
    with (
        celery_worker(process_environment, "-Q", "interactive,results", "-n", "people@%h"),
        celery_worker(process_environment, "-Q", "bulk", "-n", "bulk@%h"),
    ):
        day = ask_for_a_day(redis)
        check, refresh = enqueue(write_urgent, effect="check"), enqueue(write_result, effect="refresh")
        wait_until(lambda: {state_of(check), state_of(refresh)} == {Job.State.DONE}, patience_s=PATIENCE_S)
        assert effects() == ["check", "refresh"]
        assert (state_of(day[0]), state_of(day[1])) == (Job.State.RUNNING, Job.State.QUEUED)
        redis.flushdb()  # the other chunks need not run
        Effect.objects.create(key="released")


@pytest.mark.redis
def test_one_celery_worker_for_all_queues_takes_a_check_and_a_refresh_before_the_next_chunk(
    redis: Any, notifier: notify.Notifier, process_environment: dict[str, str]
) -> None:
    with celery_worker(process_environment):
        ask_for_a_day(redis)
        enqueue(write_result, effect="refresh")
        enqueue(write_urgent, effect="check")
        Effect.objects.create(key="released")
        wait_until(lambda: len(effects()) > 3, patience_s=PATIENCE_S)
        assert effects()[:4] == ["chunk 0", "check", "refresh", "chunk 1"]
        redis.flushdb()
