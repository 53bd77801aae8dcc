"""Asking for work: written with its cause, refused where it is wrong, and once for each waiting key."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction

from core.models import Job
from core.services import jobs
from core.tasks import declared_jobs, enqueue
from core.tasks import job as declare
from tests.testapp.tasks import write

pytestmark = pytest.mark.django_db


def test_a_job_exists_only_if_its_cause_was_committed() -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        enqueue(write, effect="a")
        raise RuntimeError
    assert not Job.objects.exists()
    with transaction.atomic():
        asked = enqueue(write, effect="a")
    assert (asked.state, asked.name, asked.arguments) == (Job.State.QUEUED, "testapp.write", {"effect": "a"})


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(LookupError, match=r"testapp\.nothing"):
        enqueue("testapp.nothing")
    assert not Job.objects.exists()


def test_arguments_that_the_job_does_not_take_are_refused_where_they_are_given() -> None:
    with pytest.raises(TypeError, match="effect"):
        enqueue(write)
    with pytest.raises(TypeError, match="colour"):
        enqueue(write, effect="a", colour="red")
    assert not Job.objects.exists()


def test_a_job_may_be_asked_for_by_name() -> None:
    assert enqueue("testapp.write", effect="a").name == "testapp.write"


def test_two_jobs_may_not_share_a_name() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"testapp\.write"):
        declare("testapp.write")(write)


def test_a_key_that_waits_returns_the_waiting_job() -> None:
    first = enqueue(write, key="w", effect="a")
    assert enqueue(write, key="w", effect="a") == first
    assert enqueue(write, key="other", effect="a") != first


def test_without_a_key_the_same_work_may_wait_twice() -> None:
    assert enqueue(write, effect="a") != enqueue(write, effect="a")


@pytest.mark.parametrize("then", ["runs", "done", "failed", "parked", "given back"])
def test_a_key_whose_job_was_claimed_gets_a_new_job_because_the_claimed_one_may_have_looked_already(then: str) -> None:
    first = enqueue(write, key="w", effect="a")
    job = jobs.claim(worker="test", names=list(declared_jobs()))
    assert job == first
    ends = {"done": jobs.complete, "given back": jobs.release}
    if then in ends:
        assert ends[then](job=job)
    elif then in {"failed", "parked"}:
        assert (jobs.fail if then == "failed" else jobs.park)(job=job, error="no")
    second = enqueue(write, key="w", effect="a")
    assert second != first
    assert enqueue(write, key="w", effect="a") == second
