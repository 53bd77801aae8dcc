"""Queue of job rows: claimed once and in order, fenced, retried, failed, requeued, pruned."""

import itertools
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.jobs import JobRun, LeaseLost, declared_jobs, enqueue, queue
from core.jobs.waiting import wait_of
from core.jobs.worker import work
from core.models import Job
from tests.factories import make_user
from tests.testapp.models import Effect
from tests.testapp.tasks import count_up, refuse, stumble, write, write_bulk, write_result, write_unfenced, write_urgent

pytestmark = pytest.mark.django_db


def claim(job: Job | None = None) -> Job | None:
    return queue.claim(worker="test", names=list(declared_jobs()), job_id=job.pk if job else None)


def claimed(job: Job | None = None) -> Job:
    found = claim(job)
    assert found is not None, "nothing was due"
    return found


def fresh(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def skip_the_pause(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(not_before=Now())


def end_the_lease(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(lease_until=Now() - timedelta(seconds=1))


# --- Claiming ---------------------------------------------------------------------------------------------------------


def test_the_job_that_has_waited_longest_is_claimed_first() -> None:
    late, early = enqueue(write, effect="late"), enqueue(write, effect="early")
    Job.objects.filter(pk=early.pk).update(not_before=Now() - timedelta(minutes=1))
    assert [claimed(), claimed(), claim()] == [early, late, None]


def test_what_a_person_waits_for_is_claimed_before_bulk_work_that_has_waited_longer() -> None:
    waiting = [enqueue(write_bulk, effect=str(n)) for n in range(3)]
    result, urgent = enqueue(write_result, effect="result"), enqueue(write_urgent, effect="urgent")
    for age, job in enumerate([urgent, result, *reversed(waiting)]):
        Job.objects.filter(pk=job.pk).update(not_before=Now() - timedelta(minutes=age))
    assert [claimed() for _ in range(5)] == [urgent, result, *waiting]


def test_people_take_turns_in_a_queue_and_the_place_that_is_shown_is_the_order_of_claiming() -> None:
    anna, bert = make_user(), make_user()
    asked = [("a0", anna), ("a1", anna), ("a2", anna), ("a3", anna), ("b0", bert), ("n0", None), ("b1", bert)]
    jobs = {name: enqueue(write_bulk, effect=name, requested_by=owner) for name, owner in asked}
    for age, name in enumerate(reversed(jobs)):
        Job.objects.filter(pk=jobs[name].pk).update(not_before=Now() - timedelta(minutes=1 + age))

    def by_place() -> list[str]:
        waits = {name: wait_of(fresh(job), now=timezone.now()) for name, job in jobs.items()}
        places = {wait.place: name for name, wait in waits.items() if wait}
        assert sorted(places) == list(range(1, len(places) + 1))
        return [places[place] for place in sorted(places)]

    expected = ["a0", "b0", "n0", "a1", "b1", "a2", "a3"]
    assert by_place() == expected
    assert [claimed().arguments["effect"] for _ in range(3)] == expected[:3]
    jobs["b2"] = enqueue(write_bulk, effect="b2", requested_by=bert)
    expected = ["a1", "b1", "a2", "b2", "a3"]
    assert by_place() == expected
    assert [claimed().arguments["effect"] for _ in range(5)] == expected


def test_a_claim_without_bulk_leaves_bulk_jobs_to_others() -> None:
    enqueue(write_bulk, effect="bulk")
    result = enqueue(write_result, effect="result")
    assert [queue.claim(worker="test", names=list(declared_jobs()), bulk=False) for _ in range(2)] == [result, None]


def test_what_a_person_waits_for_is_interactive_and_only_results_are_in_between() -> None:
    queues = {name: kind.queue for name, kind in declared_jobs().items() if not name.startswith("testapp.")}
    interactive = {
        *("stimuli.check_import", "stimuli.commit_confirmed_import", "stimuli.normalise_copy"),
        *("listening.apply_design", "listening.extend_design", "listening.lay_out_file", "listening.fill_panel"),
        *("listening.send_mailing", "core.send_password_link"),
    }
    results = {
        *("analysis.refresh_results", "analysis.refresh_stale_results"),
        *("analysis.fit_ordinal_model", "analysis.write_report_pdf"),
    }
    assert {name for name, queue in queues.items() if queue is Job.Queue.INTERACTIVE} == interactive
    assert {name for name, queue in queues.items() if queue is Job.Queue.RESULTS} == results


# Bulk jobs that a person can see or has asked for: why each may stand behind the chunks of a day-long recording.
MAY_BE_BULK = {
    "core.copy_database": "the schedule asks for it every six hours; by hand it is a precaution that nobody waits for",
    "core.try_restore": "a drill, which reads and writes a whole database",
    "stimuli.ingest_chunk": "a chunk itself",
    "stimuli.merge_recording": "comes after all chunks of its recording",
    "listening.simulate_listeners": "hours of made-up answers, which go on while others work",
}


def test_what_has_a_title_is_bulk_only_for_a_stated_reason() -> None:
    kinds = {name: kind for name, kind in declared_jobs().items() if not name.startswith("testapp.")}
    assert {name for name, kind in kinds.items() if kind.title and kind.queue is Job.Queue.BULK} == set(MAY_BE_BULK)


@pytest.mark.parametrize("bulk", [True, False])
def test_every_query_of_a_claim_finds_its_rows_by_an_index(bulk: bool) -> None:
    owners = [make_user(), make_user(), None]
    for n in range(60):
        enqueue(write, effect=str(n), requested_by=owners[n % 3])
    with CaptureQueriesContext(connection) as asked:
        assert queue.claim(worker="test", names=list(declared_jobs()), bulk=bulk)
    selects = [query["sql"] for query in asked.captured_queries if query["sql"].startswith("SELECT")]
    # Whether any is due, whose turns there are, when each last had one, the job that is locked, and the job as it is.
    assert len(selects) == 3 + len(owners) + 1, selects
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # so small a table would be read whole and sorted
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        plans = [_plan(cursor, sql) for sql in selects]
    for sql, plan in zip(selects, plans, strict=True):
        assert "Seq Scan" not in plan, (sql, plan)
        assert not re.search(r"SCAN (?!.*USING .*INDEX)", plan), (sql, plan)
    assert sum("job_due" in plan for plan in plans) >= 2, plans
    assert sum("job_turns" in plan for plan in plans) >= len(owners), plans


def _plan(cursor: Any, sql: str) -> str:
    cursor.execute(("EXPLAIN " if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN ") + sql)
    return " | ".join(str(row[-1]) for row in cursor.fetchall())


def test_a_claim_counts_the_attempt_and_raises_the_token() -> None:
    job = claimed(enqueue(write, effect="a"))
    assert (job.state, job.attempts, job.token, job.worker) == (Job.State.RUNNING, 1, 1, "test")
    assert queue.fail_attempt(job=job, error="no")
    skip_the_pause(job)
    again = claimed(job)
    assert (again.attempts, again.token) == (2, 2)


def test_a_job_is_not_claimed_before_its_time() -> None:
    job = enqueue(write, effect="a")
    Job.objects.filter(pk=job.pk).update(not_before=Now() + timedelta(minutes=1))
    assert claim() is None
    assert claim(job) is None


def test_a_claimed_or_finished_job_is_not_claimed_again() -> None:
    job = claimed(enqueue(write, effect="a"))
    assert claim(job) is None
    assert queue.complete(job=job)
    assert claim(job) is None


def test_a_worker_leaves_jobs_alone_that_it_does_not_know() -> None:
    enqueue(write, effect="a")
    assert queue.claim(worker="old", names=["core.copy_database"]) is None


# --- The fence --------------------------------------------------------------------------------------------------------


def test_an_effect_and_the_end_of_its_job_are_one_commit() -> None:
    job = claimed(enqueue(write, effect="a"))
    with JobRun(job).finish():
        Effect.objects.create(key="a")
    assert fresh(job).state == Job.State.DONE
    assert Effect.objects.count() == 1


def test_an_effect_that_fails_leaves_its_job_unfinished() -> None:
    job = claimed(enqueue(write, effect="a"))
    with pytest.raises(RuntimeError), JobRun(job).finish():
        Effect.objects.create(key="a")
        raise RuntimeError
    assert fresh(job).state == Job.State.RUNNING
    assert not Effect.objects.exists()


def test_a_worker_that_was_taken_for_dead_can_neither_write_nor_finish_nor_fail_nor_return_the_job() -> None:
    stale = claimed(enqueue(write, effect="a"))
    end_the_lease(stale)
    assert queue.requeue_expired() == 1
    newer = claimed(stale)
    run = JobRun(stale)
    for guarded in (run.fenced, run.finish):
        with pytest.raises(LeaseLost), guarded():
            Effect.objects.create(key="stale")
    with pytest.raises(LeaseLost):
        run.progress(1, 2)
    assert not queue.heartbeat(job=stale)
    assert not queue.complete(job=stale)
    assert not queue.fail_attempt(job=stale, error="stale")
    assert not queue.fail(job=stale, error="stale")
    assert not queue.release(job=stale)
    assert not Effect.objects.exists()
    assert fresh(newer).state == Job.State.RUNNING
    with JobRun(newer).finish():
        Effect.objects.create(key="newer")
    assert Effect.objects.get().key == "newer"


def test_a_worker_whose_job_was_requeued_cannot_write_either() -> None:
    job = claimed(enqueue(write, effect="a"))
    end_the_lease(job)
    queue.requeue_expired()
    with pytest.raises(LeaseLost), JobRun(job).fenced():
        Effect.objects.create(key="a")
    assert not Effect.objects.exists()


def test_a_fence_outlasting_the_lease_extends_it(settings: Settings) -> None:
    settings.JOB_LEASE_S = 3600
    job = claimed(enqueue(write, effect="a"))
    with JobRun(job).fenced():
        end_the_lease(job)
    assert queue.requeue_expired() == 0


# --- Running ----------------------------------------------------------------------------------------------------------


def test_a_job_that_returns_is_done() -> None:
    for kind in (write, write_unfenced):
        job = claimed(enqueue(kind, effect=kind.name))
        work(job)
        assert (fresh(job).state, fresh(job).lease_until) == (Job.State.DONE, None)
    assert Effect.objects.count() == 2


def test_a_job_that_breaks_is_retried_later_each_time_and_fails_after_five_attempts_with_its_traceback() -> None:
    job = enqueue(stumble, effect="a")
    pauses = []
    for attempt in range(1, 6):
        work(claimed(job))
        row = fresh(job)
        assert row.attempts == attempt
        assert "cannot divide a by nothing" in row.error
        assert "Traceback" in row.error
        if row.state == Job.State.QUEUED:
            assert claim(job) is None
            assert row.started_at
            pauses.append(row.not_before - row.started_at)
        skip_the_pause(job)
    assert len(pauses) == 4
    assert all(later > 2 * sooner for sooner, later in itertools.pairwise(pauses))
    assert fresh(job).state == Job.State.FAILED
    assert claim(job) is None


def test_an_expected_error_fails_the_job_at_once_with_its_sentence() -> None:
    job = enqueue(refuse, effect="a")
    work(claimed(job))
    row = fresh(job)
    assert (row.state, row.attempts, row.error) == (
        Job.State.FAILED,
        1,
        "'a' is not to be written; choose another.",
    )


def test_a_failed_job_can_be_tried_again_with_all_its_attempts() -> None:
    job = enqueue(refuse, effect="a")
    assert not queue.retry(job=job, actor=None)
    work(claimed(job))
    assert queue.retry(job=job, actor=None)
    assert claimed(job).attempts == 1


def test_a_job_given_back_has_not_used_an_attempt() -> None:
    job = claimed(enqueue(write, effect="a"))
    assert queue.release(job=job)
    row = claimed(job)
    assert (row.attempts, row.token) == (1, 2)


def test_progress_is_written_sparingly_and_its_last_word_stays() -> None:
    job = claimed(enqueue(count_up, total=1000))
    run = JobRun(job)
    run.progress(1, 3, "first")
    run.progress(2, 3, "second, too soon after the first")
    assert (fresh(job).progress_done, fresh(job).progress_note) == (1, "first")
    work(job)
    assert (fresh(job).progress_done, fresh(job).progress_total, fresh(job).progress_note) == (1000, 1000, "step 1000")


# --- Requeuing and pruning --------------------------------------------------------------------------------------------


def test_jobs_of_silent_workers_are_requeued_and_others_left() -> None:
    silent, alive = claimed(enqueue(write, effect="a")), claimed(enqueue(write, effect="b"))
    end_the_lease(silent)
    assert queue.requeue_expired() == 1
    assert (fresh(silent).state, fresh(alive).state) == (Job.State.QUEUED, Job.State.RUNNING)
    assert "fell silent" in fresh(silent).error


def test_a_job_whose_lease_was_extended_is_not_requeued() -> None:
    job = claimed(enqueue(write, effect="a"))
    end_the_lease(job)
    assert queue.heartbeat(job=job)
    assert queue.requeue_expired() == 0


def test_a_job_that_kills_every_worker_fails_after_five_attempts() -> None:
    job = enqueue(write, effect="a")
    for _ in range(5):
        end_the_lease(claimed(job))
        assert queue.requeue_expired() == 1
    row = fresh(job)
    assert (row.state, row.attempts) == (Job.State.FAILED, 5)
    assert "attempt 5" in row.error


def test_finished_jobs_of_the_schedule_are_forgotten_after_a_day_and_others_kept() -> None:
    scheduled = [enqueue(write, key=f"schedule:{n}", effect="a") for n in range(3)]
    asked = enqueue(write, key="asked", effect="a")
    for job in (*scheduled[:2], asked):
        queue.complete(job=claimed(job))
    assert queue.prune() == 0
    Job.objects.exclude(pk=scheduled[1].pk).update(finished_at=Now() - timedelta(days=2))
    assert queue.prune() == 1
    assert set(Job.objects.all()) == {scheduled[1], scheduled[2], asked}
