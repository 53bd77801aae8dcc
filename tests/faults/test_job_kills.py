"""Workers are killed and Redis is emptied, again and again: no job is lost, no effect happens twice.

EARMARK_FAULT_SCALE multiplies the number of jobs and kills; 4 gives the 4,000 jobs and 40 kills of a release.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings as django_settings

from core.jobs import JobKind, enqueue
from core.models import Job
from core.querysets import JobQuerySet
from scripts.processes import dies_with_parent
from tests.scale import SCALE, scaled
from tests.testapp.models import Effect
from tests.testapp.tasks import crash, write, write_unfenced
from tests.waiting import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).resolve().parents[2]
LEASE_S = 2
PATIENCE_S = 240 * max(SCALE, 1)

TABLE_WORKER = [sys.executable, "manage.py", "run_worker", "--threads", "2", "--poll", "0.05"]
ONE_AT_A_TIME = [sys.executable, "manage.py", "run_worker", "--threads", "1", "--poll", "0.05"]
CELERY = [sys.executable, "-m", "celery", "-A", "config.celery:app"]
CELERY_WORKER = [*CELERY, "worker", "--concurrency", "2", "--loglevel", "ERROR", "--without-gossip", "--without-mingle"]
CELERY_BEAT = [*CELERY, "beat", "--loglevel", "ERROR"]


@pytest.fixture(autouse=True)
def _no_messages_of_other_tests() -> Iterator[None]:
    """Empty this run's own Redis database, never the server: other tests may share it."""
    empty_redis()
    yield
    empty_redis()


def empty_redis() -> int:
    """Lose every message of the test's jobs, which are interactive, and return how many there were."""
    if not django_settings.REDIS_URL:
        return 0
    from redis import Redis

    redis = Redis.from_url(django_settings.REDIS_URL)
    messages = redis.llen(Job.Queue.INTERACTIVE.label)
    redis.flushdb()
    return int(messages)


class Crew:
    """Processes, each leading a group of its own, so that a kill takes its children along."""

    def __init__(self, environment: dict[str, str]) -> None:
        # Short leases, and a short period in the schedule, so that beat sends its tasks often too.
        hurry = {"EARMARK_JOB_LEASE_S": str(LEASE_S), "EARMARK_RESULTS_EVERY_S": str(LEASE_S)}
        self.environment = environment | hurry
        self.members: list[subprocess.Popen[bytes]] = []

    def hire(self, command: list[str]) -> "subprocess.Popen[bytes]":
        leave_together = dies_with_parent(signal.SIGKILL)
        member = subprocess.Popen(
            command,
            cwd=ROOT,
            env=self.environment,
            process_group=0,
            preexec_fn=leave_together,  # noqa: PLW1509 - this test has one thread
        )
        self.members.append(member)
        return member

    def kill(self, member: "subprocess.Popen[bytes]") -> None:
        if member.poll() is None:
            os.killpg(member.pid, signal.SIGKILL)
            member.wait()
        self.members.remove(member)

    def dismiss(self) -> None:
        for member in list(self.members):
            self.kill(member)


@contextmanager
def crew_of(environment: dict[str, str], *commands: list[str]) -> Iterator[Crew]:
    crew = Crew(environment)
    try:
        for command in commands:
            crew.hire(command)
        yield crew
    finally:
        crew.dismiss()


def ask_for(kind: JobKind[...], count: int, work_s: float) -> list[str]:
    keys = [f"effect {n}" for n in range(count)]
    for key in keys:
        enqueue(kind, effect=key, work_s=work_s)
    return keys


def asked_for() -> JobQuerySet:
    """The test's own jobs; the workers keep the schedule besides."""
    return Job.objects.filter(name__startswith="testapp.")


def done() -> int:
    return asked_for().filter(state=Job.State.DONE).count()


def wait_until_done(count: int) -> None:
    def complaint() -> str:
        return f"waited in vain for {count} done jobs: {Counter(asked_for().values_list('state', flat=True))}"

    wait_until(lambda: done() >= count, complaint, patience_s=PATIENCE_S, every_s=0.05)


def run_with_faults(count: int, faults: int, strike: Callable[[random.Random], None]) -> None:
    """Strike at random moments, spread over the work, and wait for its end."""
    chance = random.Random(20260301)
    for n in range(faults):
        wait_until_done(int(count * (n + 0.5) / (faults + 1)))
        time.sleep(chance.uniform(0, 0.2))
        strike(chance)
    wait_until_done(count)


def effects() -> Counter[str]:
    return Counter(Effect.objects.values_list("key", flat=True))


def repeated() -> int:
    return asked_for().filter(attempts__gt=1).count()


def kill_and_replace(
    crew: Crew, command: list[str], *, once: Callable[[Job], bool] = lambda job: True
) -> Callable[[random.Random], None]:
    """Kill a worker in the middle of a job that is so far; which of the jobs is left to chance."""

    def strike(chance: random.Random) -> None:
        crew.kill(stopped_at_work(crew, asked_for(), chance, once))
        crew.hire(command)

    return strike


def stopped_at_work(
    crew: Crew, jobs: JobQuerySet, chance: random.Random, once: Callable[[Job], bool] = lambda job: True
) -> "subprocess.Popen[bytes]":
    """A worker that stands still and holds an unfinished job: it is frozen first, and looked at afterwards."""
    found: list[subprocess.Popen[bytes]] = []

    def stop_one() -> bool:
        running = list(jobs.filter(state=Job.State.RUNNING).order_by("pk"))
        if not running:
            return False
        job = chance.choice(running)
        group = group_of(int(job.worker.split(":")[1]))
        member = next((member for member in crew.members if member.pid == group), None)
        if member is None:  # its worker was killed before, and the lease goes on
            return False
        os.killpg(member.pid, signal.SIGSTOP)
        time.sleep(0.05)  # a commit that it has just sent comes to its end
        if jobs.filter(pk=job.pk, state=Job.State.RUNNING, token=job.token).exists() and once(job):
            found.append(member)
            return True
        os.killpg(member.pid, signal.SIGCONT)
        return False

    wait_until(stop_one, "no worker was met at work", patience_s=PATIENCE_S, every_s=0.01)
    return found[0]


def group_of(process: int) -> int | None:
    """The group of a process, unless it is gone."""
    try:
        return os.getpgid(process)
    except ProcessLookupError:
        return None


def has_effect(job: Job) -> bool:
    return Effect.objects.filter(key=job.arguments["effect"]).exists()


def test_jobs_survive_worker_kills_and_each_effect_happens_once(process_environment: dict[str, str]) -> None:
    count, kills = scaled(1000), scaled(10, least=2)
    keys = ask_for(write, count, work_s=0.02)
    with crew_of(process_environment, TABLE_WORKER, TABLE_WORKER) as crew:
        run_with_faults(count, kills, kill_and_replace(crew, TABLE_WORKER))
    assert effects() == Counter(keys)
    assert repeated() > 0, "no kill hit a running job, so nothing was tested"


@pytest.mark.long
def test_control_effects_outside_the_fence_are_doubled_by_the_same_kills(process_environment: dict[str, str]) -> None:
    """Were this to pass with single effects, the test above would prove nothing."""
    count, kills = scaled(60), scaled(6)
    keys = ask_for(write_unfenced, count, work_s=0.3)
    with crew_of(process_environment, TABLE_WORKER, TABLE_WORKER) as crew:
        run_with_faults(count, kills, kill_and_replace(crew, TABLE_WORKER, once=has_effect))
    assert set(effects()) == set(keys), "even so, no job is lost"
    assert effects().total() > count


def test_a_crash_at_any_step_leaves_no_half_state_behind(process_environment: dict[str, str]) -> None:
    points = {"before the effect": 2, "before the commit": 2, "after the commit": 1}
    asked = {enqueue(crash, effect=point, point=point).pk: attempts for point, attempts in points.items()}
    with crew_of(process_environment) as crew:
        for _ in points:
            assert crew.hire(ONE_AT_A_TIME).wait(PATIENCE_S) == 137
        crew.hire(ONE_AT_A_TIME)
        wait_until_done(len(points))
    assert effects() == Counter(points.keys())
    assert dict(asked_for().values_list("pk", "attempts")) == asked


@pytest.mark.redis
def test_celery_workers_lose_no_job_when_redis_is_emptied_and_workers_are_killed(
    process_environment: dict[str, str],
) -> None:
    count, faults = scaled(300, least=120), scaled(6, least=2)
    emptied: list[int] = []
    with crew_of(process_environment, CELERY_WORKER, CELERY_WORKER, CELERY_BEAT) as crew:
        kill = kill_and_replace(crew, CELERY_WORKER)

        def strike(chance: random.Random) -> None:
            if len(emptied) % 2:
                kill(chance)
            emptied.append(empty_redis())

        keys = ask_for(write, count, work_s=0.05)
        run_with_faults(count, faults, strike)
    assert effects() == Counter(keys)
    assert max(emptied) > 0, "Redis held no message when it was emptied, so nothing was tested"


@pytest.mark.redis
@pytest.mark.long
def test_control_messages_alone_do_not_bring_every_job_to_its_end(process_environment: dict[str, str]) -> None:
    """Without beat the emptied Redis loses jobs: the table carries the promise, not the broker."""
    ask_for(write, 20, work_s=0.0)
    assert empty_redis() == 20
    with crew_of(process_environment, CELERY_WORKER):
        enqueue(write, effect="asked for after the flush")
        wait_until(lambda: done() == 1, patience_s=PATIENCE_S)
        assert empty_redis() == 0
    assert effects().total() == 1  # one message, one job: the one that has waited longest
