"""Asking for work: written with its cause, refused where it is wrong, and once for each waiting key."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction

from core.jobs import declared_jobs, enqueue, queue
from core.jobs import job as declare
from core.models import Job
from tests.contracts.tree import APPS, ROOT
from tests.testapp.tasks import write, write_bulk

pytestmark = pytest.mark.django_db


def test_a_job_exists_only_if_its_cause_was_committed() -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        enqueue(write, effect="a")
        raise RuntimeError
    assert not Job.objects.exists()
    with transaction.atomic():
        asked = enqueue(write, effect="a")
    assert (asked.state, asked.name, asked.arguments) == (Job.State.QUEUED, "testapp.write", {"effect": "a"})


def test_arguments_that_the_job_does_not_take_are_refused_where_they_are_given() -> None:
    with pytest.raises(TypeError, match="effect"):
        enqueue(write)
    with pytest.raises(TypeError, match="colour"):
        enqueue(write, effect="a", colour="red")
    assert not Job.objects.exists()


def test_a_job_is_named_after_its_app_and_its_function_and_waits_in_its_queue() -> None:
    job = enqueue(write_bulk, effect="a")
    assert (job.name, job.queue) == ("testapp.write_bulk", Job.Queue.BULK)


def test_every_declared_job_is_found_through_the_tasks_module_of_its_app() -> None:
    """A job that only its own module knows would be asked for in a web process and unknown to the workers."""
    declared = {kind.function.__module__ for kind in declared_jobs().values()}
    sources = [path for app in APPS for path in (ROOT / app).rglob("*.py") if "\n@job(" in path.read_text()]
    assert {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in sources} <= declared


def test_two_jobs_may_not_share_a_name() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"testapp\.write"):
        declare(queue="bulk")(write.function)


def test_a_key_that_waits_returns_the_waiting_job() -> None:
    first = enqueue(write, key="w", effect="a")
    assert enqueue(write, key="w", effect="a") == first
    assert enqueue(write, key="other", effect="a") != first


def test_without_a_key_the_same_work_may_wait_twice() -> None:
    assert enqueue(write, effect="a") != enqueue(write, effect="a")


@pytest.mark.parametrize("then", ["runs", "done", "tried again later", "failed", "given back"])
def test_a_key_whose_job_was_claimed_gets_a_new_job_because_the_claimed_one_may_have_looked_already(then: str) -> None:
    first = enqueue(write, key="w", effect="a")
    job = queue.claim(worker="test", names=list(declared_jobs()))
    assert job == first
    ends = {"done": queue.complete, "given back": queue.release}
    if then in ends:
        assert ends[then](job=job)
    elif then in {"tried again later", "failed"}:
        assert (queue.fail if then == "failed" else queue.fail_attempt)(job=job, error="no")
    second = enqueue(write, key="w", effect="a")
    assert second != first
    assert enqueue(write, key="w", effect="a") == second
