"""Waiting time of a job: its place in the queue, an estimate from what others took, and where people read it."""

from datetime import datetime, timedelta

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from core.jobs import JobKind, declared_jobs, enqueue, queue
from core.jobs.waiting import wait_of
from core.models import Job
from tests.factories import make_user
from tests.testapp.tasks import write_bulk, write_result, write_urgent

pytestmark = pytest.mark.django_db


def later() -> datetime:
    return timezone.now() + timedelta(seconds=1)


def place_and_seconds(job: Job) -> tuple[int, float | None]:
    wait = wait_of(job, now=later())
    assert wait is not None
    return wait.place, wait.starts_in_s


def took(kind: JobKind[...], *seconds: float) -> None:
    """Jobs of this name that are done."""
    for each in seconds:
        began = timezone.now() - timedelta(hours=1)
        ended = began + timedelta(seconds=each)
        Job.objects.create(name=kind.name, state=Job.State.DONE, started_at=began, finished_at=ended)


def test_a_place_counts_those_that_are_claimed_before_and_the_estimate_what_they_usually_take() -> None:
    bulk = [enqueue(write_bulk, effect=str(n)) for n in range(3)]
    urgent = enqueue(write_urgent, effect="urgent")
    for age, job in enumerate(reversed(bulk), start=1):
        Job.objects.filter(pk=job.pk).update(not_before=timezone.now() - timedelta(minutes=age))
    for job in bulk:
        job.refresh_from_db()
    assert place_and_seconds(urgent) == (1, 0)
    assert place_and_seconds(bulk[2]) == (4, None)  # nothing is known of how long these take
    took(write_bulk, 30, 40, 300)
    took(write_urgent, 10)
    assert place_and_seconds(bulk[0]) == (2, 10)
    assert place_and_seconds(bulk[2]) == (4, 10 + 2 * 40)


def test_a_running_bulk_job_is_not_waited_for_by_what_goes_before_it_and_a_running_one_has_no_place() -> None:
    bulk = enqueue(write_bulk, effect="bulk")
    running = queue.claim(worker="test", names=[write_bulk.name])
    took(write_bulk, 7200)
    assert running == bulk
    assert wait_of(running, now=later()) is None
    assert place_and_seconds(enqueue(write_result, effect="result")) == (1, 0)
    (place, seconds) = place_and_seconds(enqueue(write_bulk, effect="another"))
    assert place == 2  # the result goes first
    assert seconds is None
    took(write_result, 5)
    assert 7000 < (place_and_seconds(enqueue(write_bulk, effect="third"))[1] or 0) < 2 * 7205


def test_who_waits_reads_the_place_and_the_minutes() -> None:
    reader = make_user()
    first, second = (enqueue(write_urgent, effect=each, requested_by=reader) for each in "ab")
    Job.objects.filter(pk=first.pk).update(not_before=timezone.now() - timedelta(hours=1))
    took(write_urgent, 65)
    client = Client()
    client.force_login(reader)
    Job.objects.filter(pk=second.pk).update(not_before=timezone.now() - timedelta(minutes=1))
    assert client.get(f"/api/v1/jobs/{first.pk}/").json()["waiting"] == "Place 1 in the queue, starts within a minute"
    said = client.get(f"/api/v1/jobs/{second.pk}/").json()["waiting"]
    assert said == "Place 2 in the queue, starts in about 1 minute"


def test_what_a_person_waits_for_is_named_in_words_and_what_it_makes_is_offered_when_it_is_done() -> None:
    kinds = [kind for name, kind in declared_jobs().items() if not name.startswith("testapp.")]
    waited_for = [kind for kind in kinds if kind.queue is Job.Queue.INTERACTIVE]
    named = [Job(name=kind.name).title for kind in waited_for]
    assert not [title for title in named if "." in title]
    made = "/collections/copy/"
    going = render_to_string("partials/job.html", {"job": enqueue(write_urgent, effect="a"), "result": made})
    over = render_to_string("partials/job.html", {"job": Job(name="x", state=Job.State.DONE), "result": made})
    offered = f'<p data-when="done"><a class="button" href="{made}">'
    assert offered not in going
    assert offered in over
