"""Jobs as admins see them: in groups with their subjects, cancelled and tried again, by either worker."""

import re
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from core.jobs import JobRun, LeaseLost, declared_jobs, enqueue, groups, queue
from core.jobs.worker import work
from core.models import AuditEntry, Job, User
from stimuli.models import Recording, Stimulus
from stimuli.services import ingest
from stimuli.services.ingest import ingest_chunk
from tests.factories import make_experiment, make_user
from tests.people import browser_of
from tests.testapp.models import Effect
from tests.testapp.tasks import count_up, write, write_unfenced

pytestmark = pytest.mark.django_db


def claimed() -> Job:
    job = queue.claim(worker="test", names=list(declared_jobs()))
    assert job is not None, "nothing was due"
    return job


def fresh(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def cancel(job: Job) -> tuple[int, int]:
    return groups.cancel(name=job.name, about=job.about, actor=make_user(User.Role.ADMIN))


def lines(state: str = "") -> list[groups.JobGroup]:
    return groups.groups(list(groups.rows(state)))


def test_seventy_chunks_of_a_recording_are_one_line_with_a_count_its_progress_and_its_collection() -> None:
    experiment = make_experiment()
    [stimulus, *_] = Stimulus.objects.filter(item__collection=experiment.collection).select_related("item")
    for number in range(70):
        key = f"chunk {number}"
        enqueue(
            ingest_chunk, key=key, requested_by=experiment.owner, recording_id=str(stimulus.recording_id), number=number
        )
    for _ in range(3):
        queue.complete(job=claimed())
    claimed()
    enqueue(write, effect="alone")
    [running, alone] = lines()
    assert (running.total, running.progress) == (70, (3, 70))
    assert (running.counts["running"], running.counts["queued"]) == (1, 66)
    assert running.subject is not None
    assert running.subject.name.startswith(experiment.collection.title)
    assert alone.subject is None
    page = browser_of(make_user(User.Role.ADMIN)).get(reverse("core:jobs")).content.decode()
    assert len(re.findall(r'class="code small[^>]*>stimuli.ingest_chunk<', page)) == 1
    assert "3 of 70" in page
    assert experiment.owner.username in page
    assert f'href="{running.subject.address}"' in page


def test_the_page_filters_by_state_and_pages_through_many() -> None:
    browser = browser_of(make_user(User.Role.ADMIN))
    for number in range(30):
        Job.objects.create(name="app.refresh", about=f"thing:{number:02}", state="done", finished_at=timezone.now())
    Job.objects.create(name="app.broken", state="failed", error="disk full")
    address = reverse("core:jobs")
    assert "app.refresh" not in browser.get(address).content.decode()
    first, second = (browser.get(address, {"state": "done", "page": page}).content.decode() for page in (1, 2))
    assert [first.count('scope="row"'), second.count('scope="row"')] == [25, 5]
    assert "app.broken" not in first
    failed = browser.get(address, {"state": "failed"}).content.decode()
    assert "disk full" in failed
    assert "app.broken" in browser.get(address, {"state": "nonsense"}).content.decode()


def test_a_waiting_job_is_cancelled_at_once_and_no_worker_takes_it() -> None:
    job = enqueue(write, key="once", effect="a")
    assert cancel(job) == (1, 0)
    assert fresh(job).state == "cancelled"
    assert queue.claim(worker="test", names=[job.name]) is None
    assert queue.claim(worker="test", names=[job.name], job_id=job.pk) is None  # as Celery's message would
    assert AuditEntry.objects.get(action="jobs.cancelled").after == {"waiting": 1, "running": 0}
    again = enqueue(write, key="once", effect="b")
    assert again != job
    assert groups.retry(name=job.name, about="", actor=make_user(User.Role.ADMIN)) == 1
    work(claimed())
    work(claimed())
    assert set(Effect.objects.values_list("key", flat=True)) == {"a", "b"}


@pytest.mark.django_db(transaction=True)
def test_a_running_job_stops_at_its_next_commit_and_writes_nothing() -> None:
    job = enqueue(write, effect="a")
    running = claimed()
    assert cancel(job) == (0, 1)
    assert cancel(job) == (0, 0)
    assert fresh(job).state == "running"
    work(running)
    assert fresh(job).state == "cancelled"
    assert not Effect.objects.exists()


def test_a_running_job_stops_at_its_next_report() -> None:
    enqueue(count_up, total=3)
    running = claimed()
    cancel(running)
    with pytest.raises(LeaseLost):
        JobRun(running).progress(1, 3)
    work(running)
    assert fresh(running).state == "cancelled"


def test_a_job_that_neither_reports_nor_commits_runs_to_its_end() -> None:
    enqueue(write_unfenced, effect="a")
    running = claimed()
    cancel(running)
    work(running)
    assert fresh(running).state == "done"


@pytest.mark.parametrize("ended", ["attempt failed", "failed", "given back", "worker died"])
def test_a_cancelled_job_that_ends_otherwise_is_not_tried_again(ended: str) -> None:
    enqueue(write, effect="a")
    running = claimed()
    cancel(running)
    if ended == "attempt failed":
        queue.fail_attempt(job=running, error="lost the connection")
    elif ended == "failed":
        queue.fail(job=running, error="no such file")
    elif ended == "given back":
        queue.release(job=running)
    else:
        Job.objects.filter(pk=running.pk).update(lease_until=timezone.now().replace(year=2000))
        queue.requeue_expired()
    assert fresh(running).state == "cancelled"


def test_a_cancelled_ingest_is_not_resumed_by_itself_but_when_a_person_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "missing_chunks", lambda recording: [0, 1])
    recording = Recording(pk=uuid4())
    assert ingest.ask_for_missing(recording=recording) == 2
    cancel(Job.objects.filter(name=ingest_chunk.name)[0])
    assert ingest.ask_for_missing(recording=recording) == 0
    assert ingest.ask_for_missing(recording=recording, requested_by=make_user()) == 2


def test_the_page_cancels_and_tries_again_in_one_click_each() -> None:
    browser = browser_of(make_user(User.Role.ADMIN))
    jobs = [enqueue(ingest_chunk, recording_id=str(uuid4()), number=0) for _ in range(2)]
    group = {"name": jobs[0].name, "about": jobs[0].about}
    page = browser.post(reverse("core:cancel_jobs"), group, follow=True).content.decode()
    assert "1 job is cancelled." in page
    assert [fresh(job).state for job in jobs] == ["cancelled", "queued"]
    browser.post(reverse("core:retry_jobs"), group)
    assert fresh(jobs[0]).state == "queued"
    assert "nothing to cancel" in browser.post(reverse("core:cancel_jobs"), {"name": "x"}, follow=True).content.decode()
