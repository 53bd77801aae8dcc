"""Limits of one participant: requests a minute, answers and bytes, rejected votes."""

from typing import Any

import pytest
from django.core.cache import cache

from listening.participation import throttles
from rating.models import Ballot, RejectedVote, Vote
from rating.services import votes
from rating.services.votes import Limits
from tests.factories import Sitting, event, marks, sit_down

pytestmark = pytest.mark.django_db

MINUTE = 1_800_000_000.0 - 1_800_000_000.0 % 60


@pytest.fixture(scope="module")
def shared_sitting(module_db: None) -> Sitting:
    return sit_down()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that the limits go by, at the beginning of a minute."""
    now = [MINUTE]
    monkeypatch.setattr(throttles.CountingThrottle, "timer", staticmethod(lambda: now[0]))
    cache.clear()
    return now


def limit(monkeypatch: pytest.MonkeyPatch, **rates: str | None) -> None:
    monkeypatch.setattr(throttles.CountingThrottle, "THROTTLE_RATES", {"visit": None, "address": None} | rates)


def codes(sitting: Sitting, count: int) -> list[int]:
    return [sitting.client.get(f"{sitting.api}upcoming/").status_code for _ in range(count)]


def results(sitting: Sitting, *events: dict[str, Any]) -> list[dict[str, Any]]:
    answer: list[dict[str, Any]] = sitting.vote(*events).json()["results"]
    return answer


def first_trial(sitting: Sitting) -> str:
    return str(sitting.upcoming()["trials"][0]["trial"])


def test_a_visit_that_asks_too_often_is_told_when_to_ask_again(
    monkeypatch: pytest.MonkeyPatch, clock: list[float], sitting: Sitting
) -> None:
    one, other = sitting, sit_down()
    trial = first_trial(one)
    limit(monkeypatch, visit="5/m")
    clock[0] += 20
    assert codes(one, 5) == [200] * 4 + [429], "one was asked for before"
    answer = one.vote(event(trial))
    assert (answer.status_code, answer.json()["code"]) == (429, "request.throttled")
    assert answer.headers["Retry-After"] == "40"
    assert not Vote.objects.exists()
    assert codes(other, 1) == [200], "another visit is not held up"
    clock[0] += 40
    assert results(one, event(trial))[0]["status"] == "stored"


def test_an_address_has_a_limit_for_all_its_visits(
    monkeypatch: pytest.MonkeyPatch, clock: list[float], sitting: Sitting
) -> None:
    one, other = sitting, sit_down()
    limit(monkeypatch, visit="100/m", address="4/m")
    assert codes(one, 3) + codes(other, 2) == [200] * 4 + [429]
    elsewhere = other.client.get(f"{other.api}upcoming/", REMOTE_ADDR="192.0.2.7")
    assert elsewhere.status_code == 200


def test_an_empty_rate_is_no_limit(monkeypatch: pytest.MonkeyPatch, clock: list[float], sitting: Sitting) -> None:
    limit(monkeypatch)
    assert set(codes(sitting, 10)) == {200}


def test_a_cache_that_fails_stops_no_vote(
    monkeypatch: pytest.MonkeyPatch, clock: list[float], sitting: Sitting
) -> None:
    asked = []

    def fail(key: str) -> int:
        asked.append(key)
        raise ConnectionError("no Redis here")

    limit(monkeypatch, visit="1/m", address="1/m")
    monkeypatch.setattr(throttles.CountingThrottle, "paused_until", float("-inf"))
    monkeypatch.setattr(cache, "incr", fail)
    assert codes(sitting, 3) == [200] * 3
    assert len(asked) == 1, "and nobody waits for it again and again"


def test_refused_answers_without_end_do_not_fill_the_database(
    monkeypatch: pytest.MonkeyPatch, sitting: Sitting
) -> None:
    monkeypatch.setattr(votes, "MOST_REJECTED", 5)
    trial = first_trial(sitting)
    for _ in range(3):
        said = results(sitting, *[event(trial, value=99) for _ in range(4)])
        assert {result["code"] for result in said} == {"vote.invalid"}, "the answer is the same"
    assert RejectedVote.objects.count() == 5


def test_large_refused_answers_are_kept_whole_only_at_first(monkeypatch: pytest.MonkeyPatch, sitting: Sitting) -> None:
    monkeypatch.setattr(votes, "REJECTED_KEPT_WHOLE", 1)
    trial = first_trial(sitting)
    results(sitting, *[event(trial, payload={"junk": "x" * 7000}) for _ in range(3)], event(trial, value=99))
    sizes = [len(str(vote.body)) for vote in RejectedVote.objects.order_by("pk")]
    assert [size > 7000 for size in sizes] == [True, False, False, False]
    assert RejectedVote.objects.latest("pk").body["payload"] == marks(99)


def test_an_answer_larger_than_any_answer_is_refused(sitting: Sitting) -> None:
    (said,) = results(sitting, event(first_trial(sitting), payload=marks(4) | {"junk": "x" * 9000}))
    assert (said["status"], said["code"]) == ("refused", "vote.too_large")
    assert not Vote.objects.exists()


def test_a_page_has_so_many_revisions_and_the_last_one_counts(
    monkeypatch: pytest.MonkeyPatch, sitting: Sitting
) -> None:
    monkeypatch.setattr(votes, "RATED", Limits(answer_bytes=8192, revisions=3, ballot_bytes=10**6))
    trial = first_trial(sitting)
    said = results(sitting, *[event(trial, value=1 + n, revision=n) for n in range(4)])
    assert [result["status"] for result in said] == ["stored", "stored", "stored", "refused"]
    assert said[-1]["code"] == "vote.too_many"
    assert Ballot.objects.get(pk=sitting.ballot.pk).vote_count == 3


def test_answers_and_conflicts_of_a_seat_share_its_room(monkeypatch: pytest.MonkeyPatch, sitting: Sitting) -> None:
    monkeypatch.setattr(votes, "RATED", Limits(answer_bytes=8192, revisions=100, ballot_bytes=20_000))
    trial = first_trial(sitting)
    large = marks(4) | {"junk": "x" * 7000}
    said = results(sitting, *[event(trial, payload=large, revision=77) for _ in range(4)])
    assert [result["status"] for result in said] == ["conflict", "conflict", "refused", "refused"]
    assert said[-1]["code"] == "vote.ballot_full"
    ballot = Ballot.objects.get(pk=sitting.ballot.pk)
    assert (ballot.vote_count, 14_000 < ballot.vote_bytes < 16_000) == (2, True)
