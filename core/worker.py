"""Does the work: runs claimed jobs under a heartbeat, and, in the embedded set-up, finds them by looking."""

import logging
import os
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connections

from core import schedule
from core.errors import AppError
from core.models import Job
from core.services import jobs
from core.tasks import JobRun, LeaseLost, declared_jobs

logger = logging.getLogger(__name__)

CHORES_EVERY_S = 1.0
SWEEP_EVERY_S = 30.0
PRUNE_EVERY_S = 3600.0
# How long jobs may go on after the worker was asked to stop, before they are given back.
GRACE_S = 20.0
AFTER_TROUBLE_S = 1.0


def worker_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}:{threading.get_native_id()}"


def work(job: Job) -> None:
    """Run one claimed job to its end: done, back in the queue, or parked. Only the process's death stops it short."""
    run = JobRun(job)
    with _heartbeat(job):
        try:
            declared_jobs()[job.name](run, **job.arguments)
            run.complete()
        except LeaseLost as lost:
            logger.warning("%s; another attempt goes on.", lost)
        except AppError as refusal:  # An expected refusal does not get better by trying again.
            logger.warning("%s %s was parked: %s", job.name, job.pk, refusal)
            jobs.park(job=job, error=str(refusal))
        except Exception:
            logger.exception("%s %s failed in attempt %s.", job.name, job.pk, job.attempts)
            jobs.fail(job=job, error=traceback.format_exc())


@contextmanager
def _heartbeat(job: Job) -> Iterator[None]:
    """Extend the job's lease from a thread of its own for as long as the work goes on."""
    over = threading.Event()
    heart = threading.Thread(target=_beat, args=(job, over), name=f"heartbeat-{job.pk}", daemon=True)
    heart.start()
    try:
        yield
    finally:
        over.set()
        heart.join()


def _beat(job: Job, over: threading.Event) -> None:
    try:
        while not over.wait(settings.JOB_LEASE_S / 3):
            try:
                if not jobs.heartbeat(job=job):
                    return
            except Exception as problem:  # The database may be away for a moment; two more beats fit in the lease.
                logger.warning("The heartbeat of %s %s failed: %s", job.name, job.pk, problem)
                connections.close_all()
    finally:
        connections.close_all()


class Worker:
    """Several threads that claim and run jobs, and a main thread that sweeps, prunes and keeps the schedule."""

    def __init__(self, *, threads: int, poll_s: float, grace_s: float = GRACE_S) -> None:
        self.poll_s = poll_s
        self.grace_s = grace_s
        self._stop = threading.Event()
        self._stop_requests = 0
        self._running: dict[threading.Thread, Job] = {}
        self._threads = [threading.Thread(target=self._serve, name=f"jobs-{n}", daemon=True) for n in range(threads)]
        # Half a lease at most, so that a dead worker's job starts again within two leases.
        sweep_s = min(SWEEP_EVERY_S, settings.JOB_LEASE_S / 2)
        self._chores = [
            Chore(schedule.run_due, CHORES_EVERY_S),
            Chore(jobs.sweep, sweep_s),
            Chore(jobs.prune, PRUNE_EVERY_S),
        ]

    def stop(self) -> None:
        """Ask the worker to finish what it does and to leave; asked again, it leaves at once.

        A signal handler calls this in the middle of anything, so it may only count: setting an event could deadlock.
        """
        self._stop_requests += 1

    def run(self) -> None:
        """Work until stopped; jobs that do not end in time go back to the queue for somebody else."""
        for thread in self._threads:
            thread.start()
        while not self._stop_requests:
            for chore in self._chores:
                chore.do_if_due()
            time.sleep(self.poll_s)
        self._stop.set()
        self._await_threads()
        for job in list(self._running.values()):
            if jobs.release(job=job):
                logger.warning("%s %s was given back unfinished.", job.name, job.pk)
        connections.close_all()

    def _await_threads(self) -> None:
        asked_at = time.monotonic()
        while any(thread.is_alive() for thread in self._threads):
            if self._stop_requests > 1 or time.monotonic() - asked_at >= self.grace_s:
                return
            time.sleep(0.05)

    def _serve(self) -> None:
        while not self._stop.is_set():
            pause_s = self.poll_s
            try:
                if self._serve_one():
                    pause_s = 0
            except Exception:  # The database is away, most likely; the job's lease runs out or the next look finds it.
                logger.exception("The worker could not look for jobs or settle one.")
                connections.close_all()
                pause_s = AFTER_TROUBLE_S
            if pause_s:
                self._stop.wait(pause_s)
        connections.close_all()

    def _serve_one(self) -> bool:
        job = jobs.claim(worker=worker_name(), names=list(declared_jobs()))
        if job is None:
            return False
        me = threading.current_thread()
        self._running[me] = job
        try:
            work(job)
        finally:
            connections.close_all()
            self._running.pop(me, None)
        return True


class Chore:
    """Something to be done every so often; a failure is told and waits for the next turn."""

    def __init__(self, act: Callable[[], object], every_s: float) -> None:
        self.act = act
        self.every_s = every_s
        self._due_at = float("-inf")

    def do_if_due(self) -> None:
        if time.monotonic() < self._due_at:
            return
        self._due_at = time.monotonic() + self.every_s
        try:
            self.act()
        except Exception:
            logger.exception("The worker's chore %s failed.", getattr(self.act, "__name__", self.act))
            connections.close_all()
