"""Jobs that do nothing but leave a row to be counted, slowly, wrongly or not at all."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

from core.errors import AppError
from core.i18n import gettext_noop as _
from core.jobs import JobRun, job
from tests.testapp.models import Effect


@job(queue="interactive")
def write(*, run: JobRun, effect: str, work_s: float = 0.0) -> None:
    """The right way: the effect and the end of the job are one commit."""
    time.sleep(work_s)
    with run.finish():
        Effect.objects.create(key=effect)


@job(queue="bulk")
def write_bulk(*, run: JobRun, effect: str) -> None:
    with run.finish():
        Effect.objects.create(key=effect)


@job(queue="results")
def write_result(*, run: JobRun, effect: str) -> None:
    with run.finish():
        Effect.objects.create(key=effect)


@job(queue="bulk")
def hold(*, run: JobRun, effect: str) -> None:
    """Go on until the test writes the effect "released"."""
    while not Effect.objects.filter(key="released").exists():
        time.sleep(0.02)
    with run.finish():
        Effect.objects.create(key=effect)


@job(queue="interactive")
def write_urgent(*, run: JobRun, effect: str) -> None:
    with run.finish():
        Effect.objects.create(key=effect)


@job(queue="interactive")
def write_unfenced(*, run: JobRun, effect: str, work_s: float = 0.0) -> None:
    """The wrong way, for controls: the effect is committed by itself, and the job ends some time later."""
    Effect.objects.create(key=effect)
    time.sleep(work_s)


@job(queue="interactive")
def write_late(*, run: JobRun, effect: str, work_s: float = 0.0) -> None:
    """The effect is fenced, and the job goes on working after it in threads of its own, as those that decode do."""
    with run.fenced():
        Effect.objects.create(key=effect)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(time.sleep, work_s)


@job(queue="interactive")
def crash(*, run: JobRun, effect: str, point: str) -> None:
    """Take the whole process down at a named point of the first attempt, as a power cut would."""

    def reach(name: str) -> None:
        if name == point and run.job.attempts == 1:
            os._exit(137)

    reach("before the effect")
    with run.finish():
        Effect.objects.create(key=effect)
        reach("before the commit")
    reach("after the commit")


@job(queue="interactive")
def refuse(*, run: JobRun, effect: str) -> None:
    raise AppError("testapp.unwilling", 400, _("'{effect}' is not to be written; choose another."), effect=effect)


@job(queue="interactive")
def stumble(*, run: JobRun, effect: str) -> None:
    raise ZeroDivisionError(f"cannot divide {effect} by nothing")


@job(queue="interactive")
def count_up(*, run: JobRun, total: int) -> None:
    for done in range(1, total + 1):
        run.progress(done, total, f"step {done}")
