"""Reports from the browser: each kept once, a failed clip comes again at the end and is then left out."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from listening.models import ClientReport, Seat, Visit
from listening.panels.services import seats
from listening.participation.services import reports
from rating.models import Trial
from rating.services.ballots import postpone_trial
from tests.factories import Sitting, event, make_experiment, sit_down
from tests.scale import ALL

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_sitting(module_db: None) -> Sitting:
    return sit_down()


def report(sitting: Sitting, **body: Any) -> Any:
    sent = {"event_id": str(uuid4()), "kind": "clip", "detail": {}} | body
    return sitting.client.post(f"{sitting.api}reports/", sent, content_type="application/json")


def upcoming(sitting: Sitting) -> list[str]:
    return [trial["trial"] for trial in sitting.upcoming()["trials"]]


def test_a_clip_that_failed_comes_again_at_the_end_of_its_session(sitting: Sitting) -> None:
    first, *others = upcoming(sitting)
    assert report(sitting, trial=first).json() == {"skipped": False, "enough": False}
    assert upcoming(sitting) == [*others, first]


def test_a_clip_that_fails_again_is_left_out_and_the_receipt_does_not_wait_for_it(sitting: Sitting) -> None:
    first, *others = upcoming(sitting)
    report(sitting, trial=first)
    sitting.vote(*map(event, others))
    assert report(sitting, trial=first).json() == {"skipped": True, "enough": False}
    assert upcoming(sitting) == []
    assert sitting.client.post(f"{sitting.api}finish/").json()["vote_count"] == len(others)


def fail_everywhere(sitting: Sitting, reports: int) -> None:
    """Report whatever page comes next, again and again; a page that was reported comes last."""
    while reports and (due := upcoming(sitting)[:reports]):
        for trial in due:
            report(sitting, trial=trial)
        reports -= len(due)


@pytest.mark.parametrize(("items", "left_out"), [(20, 4), (5, 3), (1, 1)])
def test_only_a_few_pages_are_left_out_and_a_code_is_not_had_by_reports_alone(items: int, left_out: int) -> None:
    """3 pages or a tenth, whichever is more, and never all."""
    sitting = sit_down(make_experiment(seats=1, items=items, conditions=2))
    for trial in sitting.ballot.trials.all():
        postpone_trial(ballot=sitting.ballot, trial_id=trial.pk, now=timezone.now())
    fail_everywhere(sitting, 2 * items if ALL else left_out + 2)
    assert Trial.objects.filter(skipped_at__isnull=False).count() == left_out
    answer = sitting.client.post(f"{sitting.api}finish/")
    assert (answer.status_code, answer.json()["code"]) == (409, "visit.incomplete")
    assert answer.json()["data"]["missing"] == 2 * items - left_out


def test_a_listener_with_too_many_failures_is_told_so_and_can_still_answer() -> None:
    pages = 10 if ALL else 4
    sitting = sit_down(make_experiment(seats=1, items=pages // 2, conditions=2))
    fail_everywhere(sitting, 2 * pages)
    assert report(sitting, trial=upcoming(sitting)[0]).json() == {"skipped": False, "enough": True}
    sitting.answer_all()
    assert sitting.client.post(f"{sitting.api}finish/").json()["vote_count"] == pages - 3


def test_a_report_counts_only_for_the_page_that_is_due(sitting: Sitting) -> None:
    before = upcoming(sitting)
    assert report(sitting, trial=before[1]).json() == {"skipped": False, "enough": False}
    assert upcoming(sitting) == before
    assert ClientReport.objects.count() == 1, "it is kept all the same"


def test_where_pages_are_answered_in_any_order_every_open_page_is_due() -> None:
    sitting = sit_down(make_experiment(seats=1, items=3, protocol="thumbs"))
    first, second, third = upcoming(sitting)
    report(sitting, trial=second)
    assert upcoming(sitting) == [first, third, second]


def test_a_report_counts_only_for_a_clip_that_was_asked_for() -> None:
    sitting = sit_down(fetched=False)
    before = upcoming(sitting)
    report(sitting, trial=before[0])
    assert upcoming(sitting) == before
    for sound in sitting.upcoming()["trials"][0]["media"].values():
        sitting.client.get(sound["url"])
    report(sitting, trial=before[0])
    assert upcoming(sitting) == [*before[1:], before[0]]


def test_reports_about_one_clip_without_end_do_not_fill_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_PER_SEAT", 3)
    sitting = sit_down(make_experiment(seats=1, items=1, conditions=1))
    for _ in range(5):
        assert report(sitting, trial=upcoming(sitting)[0]).status_code == 200
    assert ClientReport.objects.count() == 3


def test_the_same_report_sent_again_is_one_report_and_one_failure(sitting: Sitting) -> None:
    first, *_ = upcoming(sitting)
    event_id = str(uuid4())
    answers = [report(sitting, trial=first, event_id=event_id).json() for _ in range(3)]
    assert answers == [{"skipped": False, "enough": False}] * 3
    assert ClientReport.objects.count() == 1
    assert first in upcoming(sitting)


def test_an_id_that_was_used_for_something_else_is_refused() -> None:
    experiment = make_experiment(seats=2)
    one, other = sit_down(experiment), sit_down(experiment)
    event_id = str(uuid4())
    report(one, kind="pause", event_id=event_id)
    for sitting, kind in ((one, "device"), (other, "pause")):
        answer = report(sitting, kind=kind, event_id=event_id)
        assert (answer.status_code, answer.json()["code"]) == (422, "vote.key_reused")


def test_a_failed_clip_of_an_answered_page_changes_nothing(sitting: Sitting) -> None:
    first, *others = upcoming(sitting)
    sitting.vote(event(first))
    assert report(sitting, trial=first).json() == {"skipped": False, "enough": False}
    assert upcoming(sitting) == others
    assert ClientReport.objects.count() == 1


def test_a_page_of_another_person_and_a_clip_without_a_page_are_refused() -> None:
    experiment = make_experiment(seats=2)
    one, other = sit_down(experiment), sit_down(experiment)
    for trial in (upcoming(other)[0], None):
        answer = report(one, trial=trial)
        assert (answer.status_code, answer.json()["code"]) == (404, "vote.unknown_trial")
    assert not ClientReport.objects.exists()


@pytest.mark.parametrize("kind", ["device", "hidden", "stall", "error", "pause"])
def test_every_other_kind_is_kept_with_its_detail(kind: str, sitting: Sitting) -> None:
    assert report(sitting, kind=kind, detail={"message": "x"}).json() == {"skipped": False, "enough": False}
    kept = ClientReport.objects.get()
    assert (kept.kind, kept.detail, kept.trial) == (kind, {"message": "x"}, None)


@pytest.mark.parametrize(
    "body", [{"kind": "gossip"}, {"detail": []}, {"event_id": "1"}, {"trial": "one"}, {"kind": None}]
)
def test_what_has_no_shape_is_refused(body: dict[str, Any], sitting: Sitting) -> None:
    answer = report(sitting, **body)
    assert (answer.status_code, answer.json()["code"]) == (400, "request.invalid")
    assert not ClientReport.objects.exists()


def test_a_report_larger_than_the_limit_is_refused(sitting: Sitting) -> None:
    answer = report(sitting, kind="error", detail={"message": "x" * 9000})
    assert answer.status_code == 413
    assert not ClientReport.objects.exists()


def test_a_page_that_reports_without_end_does_not_fill_the_database(
    monkeypatch: pytest.MonkeyPatch, sitting: Sitting
) -> None:
    monkeypatch.setattr(reports, "MOST_PER_SEAT", 3)
    assert {report(sitting, kind="error").status_code for _ in range(5)} == {200}
    assert ClientReport.objects.count() == 3
    first, *others = upcoming(sitting)
    report(sitting, trial=first)
    assert upcoming(sitting) == [*others, first]


def test_a_report_is_a_sign_of_life(sitting: Sitting) -> None:
    then = timezone.now() - timedelta(hours=3)
    Visit.objects.update(last_seen_at=then)
    report(sitting, kind="pause")
    sitting.visit.refresh_from_db()
    assert sitting.visit.last_seen_at > then


def test_who_has_lost_the_seat_is_told_so_and_reports_nothing(sitting: Sitting) -> None:
    seats.reissue_seat(seat=Seat.objects.get(), now=timezone.now(), actor=sitting.ballot.experiment.owner)
    answer = report(sitting, kind="pause")
    assert (answer.status_code, json.loads(answer.content)["code"]) == (410, "visit.abandoned")
    assert not ClientReport.objects.exists()
