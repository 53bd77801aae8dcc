"""Workers that meet: threads and processes on one table, claiming, beating, stopping."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings as django_settings
from django.db import connection, connections, transaction
from pytest_django.fixtures import Settings

from core.jobs import declared_jobs, enqueue, queue
from core.jobs.worker import Worker
from core.models import Job
from tests.scale import ALL
from tests.testapp.models import Effect
from tests.testapp.tasks import (
    hold,
    refuse,
    stumble,
    write,
    write_bulk,
    write_late,
    write_result,
    write_unfenced,
    write_urgent,
)
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

MANAGE = Path(__file__).resolve().parents[3] / "manage.py"
PATIENCE_S = 30


def claim() -> Job | None:
    return queue.claim(worker="test", names=list(declared_jobs()))


def in_threads(count: int, act: Callable[[], None]) -> None:
    """Run the same at once in several threads, each with a database connection of its own."""
    start = threading.Barrier(count)

    def body() -> None:
        try:
            start.wait()
            act()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=body) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class RunningWorker:
    """A worker in a thread of the test's own process."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.thread = threading.Thread(target=worker.run)

    def __enter__(self) -> "RunningWorker":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.worker.stop()
        self.thread.join()


@pytest.fixture(autouse=True)
def _no_schedule(settings: Settings) -> None:
    settings.SCHEDULE = {}


def test_the_worker_does_what_a_person_waits_for_before_bulk_work_that_was_asked_for_earlier() -> None:
    for n in range(3):
        enqueue(write_bulk, effect=f"bulk {n}")
    enqueue(write_urgent, effect="urgent")
    with RunningWorker(Worker(threads=1, poll_s=0.01)):
        wait_until(lambda: Effect.objects.count() == 4, patience_s=PATIENCE_S)
    assert list(Effect.objects.order_by("pk").values_list("key", flat=True)) == ["urgent", "bulk 0", "bulk 1", "bulk 2"]


def test_with_the_chunks_of_a_day_waiting_an_import_check_and_a_results_refresh_are_next() -> None:
    day = [enqueue(hold, effect=f"chunk {n}") for n in range(132 if ALL else 12)]
    with RunningWorker(Worker(threads=2, poll_s=0.01)):
        wait_until(lambda: Job.objects.get(pk=day[0].pk).state == Job.State.RUNNING, patience_s=PATIENCE_S)
        with transaction.atomic():
            enqueue(write_result, effect="refresh")
            enqueue(write_urgent, effect="check")
        wait_until(lambda: Effect.objects.count() == 2, patience_s=PATIENCE_S)
        assert list(Effect.objects.order_by("pk").values_list("key", flat=True)) == ["check", "refresh"]
        assert [Job.objects.get(pk=job.pk).state for job in day[:2]] == [Job.State.RUNNING, Job.State.QUEUED]
        Job.objects.filter(pk__in=[job.pk for job in day], state=Job.State.QUEUED).delete()
        Effect.objects.create(key="released")


@pytest.mark.parametrize(("threads", "for_bulk"), [(1, 1), (2, 1), (3, 1), (4, 2)])
def test_half_of_the_threads_take_bulk_jobs_and_the_others_stay_free(threads: int, for_bulk: int) -> None:
    for n in range(5):
        enqueue(hold, effect=f"chunk {n}")
    with RunningWorker(Worker(threads=threads, poll_s=0.01)) as running:
        wait_until(lambda: len(running.worker._running) == for_bulk, patience_s=PATIENCE_S)
        if threads > for_bulk:
            enqueue(write_urgent, effect="check")
            wait_until(lambda: Effect.objects.filter(key="check").exists(), patience_s=PATIENCE_S)
        assert Job.objects.filter(name=hold.name, state=Job.State.RUNNING).count() == for_bulk
        Effect.objects.create(key="released")


def test_many_claims_at_once_take_every_job_exactly_once() -> None:
    asked = {enqueue(write, effect=str(n)).pk for n in range(40)}
    taken: list[UUID] = []

    def take_all() -> None:
        while len(taken) < len(asked):
            job = claim()
            if job is not None:
                taken.append(job.pk)

    in_threads(6, take_all)
    assert sorted(taken) == sorted(asked)


def test_many_who_ask_at_once_under_one_key_get_one_job() -> None:
    got = []
    in_threads(8, lambda: got.append(enqueue(write, key="same", effect="a").pk))
    assert len(got) == 8
    assert set(got) == {Job.objects.get().pk}


def test_a_waiting_job_that_is_asked_for_again_is_not_claimed_before_the_asker_commits() -> None:
    """Otherwise the worker would read the tables before the asker's rows are there, and no job would see them."""
    enqueue(write, key="same", effect="a")
    asked, seen = threading.Event(), []

    def look() -> None:
        asked.wait(PATIENCE_S)
        while (job := claim()) is None:
            time.sleep(0.01)
        seen.append(Effect.objects.filter(key="cause").exists())
        queue.complete(job=job)
        connections.close_all()

    worker = threading.Thread(target=look)
    worker.start()
    with transaction.atomic():
        Effect.objects.create(key="cause")
        enqueue(write, key="same", effect="a")
        asked.set()
        time.sleep(0.3)  # Time for a worker that does not wait to be wrong.
    worker.join()
    assert seen == [True]


def test_a_worker_runs_what_waits_and_stops_when_asked() -> None:
    for n in range(10):
        enqueue(write, effect=str(n))
    with RunningWorker(Worker(threads=2, poll_s=0.02)):
        wait_until(lambda: Job.objects.filter(state=Job.State.DONE).count() == 10)
    assert Effect.objects.values("key").distinct().count() == Effect.objects.count() == 10


def test_a_worker_survives_jobs_that_break() -> None:
    broken, sound = enqueue(stumble, effect="a"), enqueue(write, effect="b")
    with RunningWorker(Worker(threads=1, poll_s=0.02)):
        wait_until(Effect.objects.exists)
    assert Job.objects.get(pk=sound.pk).state == Job.State.DONE
    assert "ZeroDivisionError" in Job.objects.get(pk=broken.pk).error


def test_a_worker_that_is_told_to_stop_ends_the_job_that_runs_and_takes_no_other() -> None:
    jobs = [enqueue(hold, effect=str(n)) for n in range(2)]
    # The thread ends its job long before the main thread has seen that it was told to stop.
    with RunningWorker(Worker(threads=1, poll_s=0.5)) as running:
        wait_until(lambda: Job.objects.get(pk=jobs[0].pk).state == Job.State.RUNNING, patience_s=PATIENCE_S)
        running.worker.stop()
        Effect.objects.create(key="released")
        running.thread.join(PATIENCE_S)
    assert [Job.objects.get(pk=job.pk).state for job in jobs] == [Job.State.DONE, Job.State.QUEUED]


def test_a_job_that_outlives_its_lease_runs_once_because_its_lease_is_extended(settings: Settings) -> None:
    settings.JOB_LEASE_S = 0.6
    enqueue(write_unfenced, effect="long", work_s=2)
    with RunningWorker(Worker(threads=2, poll_s=0.02)):
        wait_until(lambda: Job.objects.get().state == Job.State.DONE)
    assert Effect.objects.count() == Job.objects.get().attempts == 1


def test_without_a_heartbeat_such_a_job_runs_again_and_its_effect_is_still_there_once(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fence alone keeps the count; the unfenced job beside it is the control that shows the second run."""
    settings.JOB_LEASE_S = 0.5
    monkeypatch.setattr(queue, "heartbeat", lambda *, job: True)
    enqueue(write, effect="fenced", work_s=1.2)
    enqueue(write_unfenced, effect="unfenced", work_s=1.2)
    with RunningWorker(Worker(threads=6, poll_s=0.02)):
        wait_until(lambda: Effect.objects.filter(key="unfenced").count() > 1)
        # From here on the leases are extended, so that both jobs come to an end.
        monkeypatch.undo()
        wait_until(lambda: not Job.objects.unfinished().exists())
    assert Job.objects.get(name="testapp.write").attempts > 1
    assert Effect.objects.filter(key="fenced").count() == 1


def once(test: Callable[..., None]) -> Callable[..., None]:
    """What a signal and a log do is the same on every database: the short run starts these processes on PostgreSQL."""
    return pytest.mark.long(test) if django_settings.TEST_DATABASE == "sqlite" else test


def start_worker(environment: dict[str, str], *arguments: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, str(MANAGE), "run_worker", "--poll", "0.05", *arguments]
    return subprocess.Popen(command, env=environment)


@pytest.mark.long  # a signal stops the worker as above, which is shown for the longer job below
def test_sigterm_lets_a_job_end_within_its_grace(process_environment: dict[str, str]) -> None:
    job = enqueue(write, effect="a", work_s=1)
    process = start_worker(process_environment)
    wait_until(lambda: Job.objects.get(pk=job.pk).state == Job.State.RUNNING)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    assert (Job.objects.get(pk=job.pk).state, Effect.objects.count()) == (Job.State.DONE, 1)


@once
@pytest.mark.parametrize("form", [pytest.param("line", marks=pytest.mark.long), "json"])  # which holds the same words
def test_the_log_of_a_worker_has_a_line_for_the_start_and_the_end_of_every_job(
    process_environment: dict[str, str], tmp_path: Path, form: str
) -> None:
    done, failed = enqueue(write, effect="a"), enqueue(refuse, effect="b")
    log = tmp_path / "worker.log"
    with log.open("wb") as stream:
        command = [sys.executable, str(MANAGE), "run_worker", "--poll", "0.05"]
        environment = process_environment | {"EARMARK_LOG_FORMAT": form}
        process = subprocess.Popen(command, env=environment, stdout=stream, stderr=subprocess.STDOUT)
    wait_until(lambda: not Job.objects.filter(pk__in=[done.pk, failed.pk]).unfinished().exists())
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    lines = log.read_text().splitlines()
    for job, end in ((done, "done"), (failed, "failed for good")):
        [start, over] = [line for line in lines if str(job.pk) in line]
        assert f"{job.name} {job.pk} started, attempt 1." in start
        assert f"{job.name} {job.pk} {end}" in over
        assert re.search(r"\(\d+\.\d+ s\)", over)
        if form == "json":
            told = json.loads(over)
            assert (told["job"], told["job_id"], told["logger"]) == (job.name, str(job.pk), "core.jobs.worker")
            assert told["seconds"] >= 0


@once
def test_sigterm_gives_back_a_job_that_takes_longer_and_the_attempt_does_not_count(
    process_environment: dict[str, str],
) -> None:
    job = enqueue(write_late, effect="a", work_s=600)
    process = start_worker(process_environment, "--grace", "0.2")
    wait_until(Effect.objects.exists)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    row = Job.objects.get(pk=job.pk)
    assert (row.state, row.attempts, row.token) == (Job.State.QUEUED, 0, 1)


@once
def test_a_second_sigterm_does_not_wait(process_environment: dict[str, str]) -> None:
    job = enqueue(write, effect="a", work_s=600)
    process = start_worker(process_environment, "--grace", "600")
    wait_until(lambda: Job.objects.get(pk=job.pk).state == Job.State.RUNNING)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    assert process.poll() is None

    def given_back() -> bool:
        """Ask again; a signal that arrives before the one before it was handled is one with it."""
        if Job.objects.get(pk=job.pk).state == Job.State.RUNNING:
            process.send_signal(signal.SIGTERM)
        return Job.objects.get(pk=job.pk).state == Job.State.QUEUED

    wait_until(given_back, every_s=0.5)
    assert process.wait(PATIENCE_S) == 0
    assert Job.objects.get(pk=job.pk).state == Job.State.QUEUED


def test_a_job_claimed_while_the_worker_is_told_to_leave_at_once_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    job = enqueue(hold, effect="a")
    at_claim, go_on = threading.Event(), threading.Event()

    def slow_claim(**arguments: Any) -> Job | None:
        at_claim.set()
        go_on.wait(PATIENCE_S)
        return claim_at_once(**arguments)

    claim_at_once = queue.claim
    monkeypatch.setattr(queue, "claim", slow_claim)
    with RunningWorker(Worker(threads=1, poll_s=0.01)) as running:
        assert at_claim.wait(PATIENCE_S)
        running.worker.stop()
        running.worker.stop()
        running.thread.join(0.3)
        go_on.set()
        running.thread.join(PATIENCE_S)
        row = Job.objects.get(pk=job.pk)
        assert (row.state, row.token) == (Job.State.QUEUED, 1)
        Effect.objects.create(key="released")
        # Otherwise it may look for the effect only when the database is empty again, and hold its connection for good.
        wait_until(lambda: not any(thread.is_alive() for thread in running.worker._threads))


def test_a_job_leaves_no_connection_open_in_its_thread() -> None:
    """Connections of a long-lived worker would outlive a database restart."""
    enqueue(write, effect="a")
    worker, left_open = Worker(threads=1, poll_s=0.02), []

    def serve() -> None:
        worker._serve_one()
        left_open.append(connection.connection is not None)

    thread = threading.Thread(target=serve)
    thread.start()
    thread.join()
    assert left_open == [False]


def test_within_one_poll_one_look_that_finds_no_job_does_for_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    claim_now, looks = queue.claim, []

    def counted(*, bulk: bool, **options: Any) -> Job | None:
        looks.append(bulk)
        return claim_now(bulk=bulk, **options)

    monkeypatch.setattr(queue, "claim", counted)
    worker = Worker(threads=4, poll_s=PATIENCE_S)
    assert [worker._serve_one(bulk=bulk) for bulk in (False, False, True, True, False)] == [False] * 5
    assert looks == [False, True]  # who looks for bulk jobs too needs a look at them
    enqueue(write_bulk, effect="a")
    fresh = Worker(threads=4, poll_s=PATIENCE_S)
    assert [fresh._serve_one(bulk=bulk) for bulk in (False, True, False, True, True)] == [
        False,
        True,
        False,
        False,
        False,
    ]
    assert looks[2:] == [False, True, False, True]  # after a job, which may have added others, each kind once more
