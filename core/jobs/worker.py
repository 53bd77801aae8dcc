"""Worker: runs claimed jobs under a heartbeat, and in the embedded set-up polls the job table for them."""

import logging
import math
import os
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connections

from core.errors import AppError
from core.jobs import JobRun, LeaseLost, declared_jobs, queue, schedule
from core.models import Job

logger = logging.getLogger(__name__)

SCHEDULE_EVERY_S = 1.0
REQUEUE_EVERY_S = 30.0
PRUNE_EVERY_S = 3600.0
# How long jobs may go on after the worker was asked to stop, before they are given back.
GRACE_S = 20.0
ERROR_BACKOFF_S = 1.0


def worker_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}:{threading.get_native_id()}"


def work(job: Job) -> None:
    """Run one claimed job to its end: done, back in the queue, failed or cancelled. The log has a line for each."""
    run, begun = JobRun(job), time.monotonic()

    facts = {"job": job.name, "job_id": str(job.pk)}

    def log(level: int, outcome: str, *, is_defect: bool = False) -> None:
        """Write a line that names the job, with the seconds since it was claimed."""
        seconds = round(time.monotonic() - begun, 2)
        more = facts | {"seconds": seconds}
        logger.log(level, "%s %s %s (%s s)", job.name, job.pk, outcome, seconds, extra=more, exc_info=is_defect)

    logger.info("%s %s started, attempt %s.", job.name, job.pk, job.attempts, extra=facts)
    with _heartbeat(job):
        try:
            declared_jobs()[job.name](run=run, **job.arguments)
            run.complete()
            log(logging.INFO, "done")
        except LeaseLost as lost:
            if queue.stop(job=job):
                log(logging.INFO, "cancelled")
            else:
                log(logging.WARNING, f"stopped: {lost} Another attempt goes on.")
        except AppError as error:  # An expected error does not get better by trying again.
            log(logging.WARNING, f"failed for good: {error}")
            queue.fail(job=job, error=str(error))
        except Exception:
            log(logging.ERROR, f"failed in attempt {job.attempts}", is_defect=True)
            queue.fail_attempt(job=job, error=traceback.format_exc())


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
                if not queue.heartbeat(job=job):
                    return
            except Exception as problem:  # The database may be away for a moment; two more beats fit in the lease.
                logger.warning("The heartbeat of %s %s failed: %s", job.name, job.pk, problem)
                connections.close_all()
    finally:
        connections.close_all()


class Worker:
    """Threads that claim and run jobs, and a main thread that requeues, prunes and keeps the schedule.

    Every thread takes interactive jobs first and results second; half of them take bulk jobs when neither waits. The
    others stay free, so that a person who waits never waits for a bulk job. Only a single thread has to take turns.
    """

    def __init__(self, *, threads: int, poll_s: float, grace_s: float = GRACE_S) -> None:
        self.poll_s = poll_s
        self.grace_s = grace_s
        self._stop = threading.Event()
        # Held from the look at _stop_requests to the entry in _running: no job is claimed once those that run are given
        # back.
        self._claiming = threading.Lock()
        self._stop_requests = 0
        self._running: dict[threading.Thread, Job] = {}
        # When a thread that takes bulk jobs, and one that does not, found none last.
        self._found_none_at: dict[bool, float] = {}
        for_bulk = max(1, threads // 2)
        self._threads = [
            threading.Thread(target=self._serve, kwargs={"bulk": n < for_bulk}, name=f"jobs-{n}", daemon=True)
            for n in range(threads)
        ]
        # Half a lease at most, so that a dead worker's job starts again within two leases.
        requeue_s = min(REQUEUE_EVERY_S, settings.JOB_LEASE_S / 2)
        self._periodic = [
            PeriodicTask(schedule.run_due, SCHEDULE_EVERY_S),
            PeriodicTask(queue.requeue_expired, requeue_s),
            PeriodicTask(queue.prune, PRUNE_EVERY_S),
        ]

    def stop(self) -> None:
        """Ask the worker to finish what it does and to leave; asked again, it leaves at once.

        A signal handler calls this in the middle of anything, so it may only count: setting an event could deadlock.
        """
        self._stop_requests += 1

    def run(self) -> bool:
        """Work until stopped; jobs that do not end in time go back to the queue. Returns whether every thread ended."""
        for thread in self._threads:
            thread.start()
        while not self._stop_requests:
            for task in self._periodic:
                task.run_if_due()
            time.sleep(self.poll_s)
        with self._claiming:
            self._stop.set()
        self._await_threads()
        for job in list(self._running.values()):
            if queue.release(job=job):
                logger.warning("%s %s was given back unfinished.", job.name, job.pk)
        connections.close_all()
        return not any(thread.is_alive() for thread in self._threads)

    def _await_threads(self) -> None:
        asked_at = time.monotonic()
        while any(thread.is_alive() for thread in self._threads):
            if self._stop_requests > 1 or time.monotonic() - asked_at >= self.grace_s:
                return
            time.sleep(0.05)

    def _serve(self, *, bulk: bool) -> None:
        while not self._stop.is_set():
            pause_s = self.poll_s
            try:
                if self._serve_one(bulk=bulk):
                    pause_s = 0
            except Exception:  # The database is away, most likely; the job's lease ends or the next poll finds it.
                logger.exception("The worker could not claim or finish a job.")
                connections.close_all()
                pause_s = ERROR_BACKOFF_S
            if pause_s:
                self._stop.wait(pause_s)
        connections.close_all()

    def _serve_one(self, *, bulk: bool = True) -> bool:
        me = threading.current_thread()
        with self._claiming:
            if self._stop_requests or self._looked_just_now(bulk=bulk):
                return False
            job = queue.claim(worker=worker_name(), names=list(declared_jobs()), bulk=bulk)
            if job is None:
                self._found_none_at[bulk] = time.monotonic()
                return False
            self._running[me] = job
        try:
            work(job)
        finally:
            connections.close_all()
            self._running.pop(me, None)
            self._found_none_at = {}  # it may have added jobs
        return True

    def _looked_just_now(self, *, bulk: bool) -> bool:
        """Whether another thread has looked for the same jobs within a poll and found none: one look does for all."""
        latest = max((at for for_bulk, at in self._found_none_at.items() if for_bulk or not bulk), default=-math.inf)
        return time.monotonic() - latest < self.poll_s


class PeriodicTask:
    """A function that is called every so often; a failure is logged and waits for the next turn."""

    def __init__(self, act: Callable[[], object], every_s: float) -> None:
        self.act = act
        self.every_s = every_s
        self._due_at = float("-inf")

    def run_if_due(self) -> None:
        if time.monotonic() < self._due_at:
            return
        self._due_at = time.monotonic() + self.every_s
        try:
            self.act()
        except Exception:
            logger.exception("The worker's periodic task %s failed.", getattr(self.act, "__name__", self.act))
            connections.close_all()
