"""The schedule: one job a slot, however many workers keep it, and none while the last one is unfinished."""

import threading
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connections
from django.db.models.functions import Now
from pytest_django.fixtures import Settings

from core.database import clock
from core.jobs import declared_jobs, queue, schedule
from core.models import Job

NAME = "core.copy_database"
A_DAY_S = 24 * 3600
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _daily(settings: Settings) -> None:
    settings.SCHEDULE = {NAME: A_DAY_S}


def finish_all() -> None:
    while job := queue.claim(worker="test", names=list(declared_jobs())):
        queue.complete(job=job)


@pytest.mark.django_db
def test_a_slot_adds_its_job_once_even_after_that_has_run() -> None:
    assert schedule.run_due(now=NOON) == [NAME]
    assert schedule.run_due(now=NOON) == []
    finish_all()
    assert schedule.run_due(now=NOON) == []
    assert schedule.run_due(now=NOON + timedelta(days=1)) == [NAME]
    assert Job.objects.count() == 2


@pytest.mark.django_db
def test_slots_missed_while_no_worker_ran_are_not_made_up_for() -> None:
    schedule.run_due(now=NOON)
    finish_all()
    schedule.run_due(now=NOON + timedelta(days=30))
    assert Job.objects.count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize("state", ["waiting", "running", "tried again later"])
def test_nothing_is_added_while_the_last_one_is_unfinished(state: str) -> None:
    schedule.run_due(now=NOON)
    if state != "waiting":
        job = queue.claim(worker="test", names=[NAME])
        assert job is not None
        if state == "tried again later":
            queue.fail_attempt(job=job, error="no")
    assert schedule.run_due(now=NOON + timedelta(days=1)) == []
    assert Job.objects.count() == 1


@pytest.mark.django_db
def test_the_next_slot_follows_a_failed_one() -> None:
    schedule.run_due(now=NOON)
    job = queue.claim(worker="test", names=[NAME])
    assert job is not None
    queue.fail(job=job, error="no")
    assert schedule.run_due(now=NOON + timedelta(days=1)) == [NAME]


@pytest.mark.django_db(transaction=True)
def test_many_workers_at_once_add_one_job_a_slot(settings: Settings) -> None:
    start = threading.Barrier(8)
    added: list[str] = []
    mistakes: list[Exception] = []

    def keep() -> None:
        try:
            start.wait()
            added.extend(schedule.run_due(now=NOON))
        except Exception as mistake:
            mistakes.append(mistake)
            raise
        finally:
            connections.close_all()

    threads = [threading.Thread(target=keep) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert mistakes == []
    assert added == [NAME]
    assert Job.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_an_id_admits_one_job_even_where_the_first_look_found_nothing() -> None:
    """The primary key decides, not the look before it: the key is free again and the id is still taken."""
    job_id = uuid.uuid4()
    assert queue.add_once(job_id=job_id, name=NAME, key="schedule:one", queue=Job.Queue.BULK)
    finish_all()
    assert not queue.add_once(job_id=job_id, name=NAME, key="schedule:two", queue=Job.Queue.BULK)


@pytest.mark.django_db
def test_jobs_of_the_schedule_are_recognised_when_old_ones_are_pruned() -> None:
    schedule.run_due(now=NOON)
    finish_all()
    Job.objects.update(finished_at=Now() - timedelta(days=2))
    assert queue.prune() == 1


@pytest.mark.django_db
def test_a_name_that_no_app_declares_is_refused_at_start_and_does_not_stop_the_others(settings: Settings) -> None:
    settings.SCHEDULE = {"core.nothing": 5, NAME: 0}
    with pytest.raises(SystemCheckError, match=r"core\.nothing") as error:
        call_command("check")
    assert "core.E002" in str(error.value)
    settings.SCHEDULE = {"core.nothing": 5, NAME: A_DAY_S}
    assert schedule.run_due(now=NOON) == [NAME]


@pytest.mark.django_db
def test_the_time_is_the_databases_unless_given() -> None:
    assert schedule.run_due() == [NAME]
    finish_all()
    assert schedule.run_due(now=clock()) == []


def test_a_slot_has_the_same_id_everywhere_and_another_slot_another() -> None:
    ids = {schedule.slot_id(name=NAME, every_s=60, slot=slot) for slot in (1, 1, 2)}
    assert len(ids) == 2
