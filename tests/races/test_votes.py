"""Votes cast at the same moment: identical ones are one vote, different ones have one winner, and all are kept."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from uuid import UUID

import pytest
from django.db import connection

from rating.models import Ballot, RejectedVote, Score, Trial, Vote
from rating.services.votes import Receipt, VoteEvent, cast_vote, chain_holds
from tests.factories import event, make_experiment, marks, new_token, seated_visit, vote_event
from tests.faults.voters import Voter
from tests.faults.web_server import web_server
from tests.races.parallel import at_once, side_by_side
from tests.scale import ALL

SENDERS = 20 if ALL else 6
EVENTS = 500 if ALL else 20
OTHERS_EACH = 50 if ALL else 5
CHANGES = 300 if ALL else 30
SEATS = 8 if ALL else 4

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]


def casting(ballot: Ballot, vote: VoteEvent) -> Callable[[], Receipt]:
    return partial(cast_vote, ballot_id=ballot.id, event=vote)


@pytest.fixture
def ballot() -> Ballot:
    """Ten pages on one ballot."""
    return seated_visit(make_experiment(seats=1, items=5, conditions=2)).seat.ballot


def answers(ballot: Ballot, count: int) -> list[VoteEvent]:
    """Answers page after page, then changes of mind, each of which knows the one before."""
    trials = list(ballot.trials.all())
    return [vote_event(trials[n % len(trials)], value=1 + n % 5, revision=n // len(trials)) for n in range(count)]


def test_events_each_sent_many_times_at_once_are_one_vote_each(ballot: Ballot) -> None:
    events = answers(ballot, EVENTS)
    for receipts in side_by_side(*[[casting(ballot, vote) for vote in events]] * SENDERS):
        assert Counter(receipt.status for receipt in receipts) == {"stored": 1, "replay": SENDERS - 1}
        assert len({receipt.revision for receipt in receipts}) == 1
    assert list(Vote.objects.values_list("event_id", flat=True)) == [vote.event_id for vote in events]
    assert Score.objects.count() == EVENTS
    assert set(ballot.trials.values_list("revision", flat=True)) == {EVENTS // 10}
    assert chain_holds(ballot=Ballot.objects.get(pk=ballot.pk))


def test_control_without_the_unique_key_identical_events_are_stored_several_times(ballot: Ballot) -> None:
    """Were this to pass with single votes, the test above would prove nothing."""
    key = "ALTER TABLE rating_vote {} CONSTRAINT vote_event_once"
    with connection.cursor() as cursor:
        cursor.execute(key.format("DROP"))
        try:
            side_by_side(*[[casting(ballot, vote) for vote in answers(ballot, 10)]] * 4)
            assert Vote.objects.count() > Vote.objects.values("event_id").distinct().count() == 10
        finally:
            cursor.execute("TRUNCATE rating_vote CASCADE")
            cursor.execute(key.format("ADD") + " UNIQUE (event_id)")


def test_an_event_id_sent_with_other_answers_is_refused_every_time(ballot: Ballot) -> None:
    trial = ballot.trials.all()[0]
    first = vote_event(trial, value=4)
    cast_vote(ballot_id=ballot.id, event=first)

    def send_others(sender: int) -> list[str]:
        others = [
            VoteEvent(**{**vars(first), "payload": marks(1 + n % 5), "clock": {"sender": sender, "n": n}})
            for n in range(OTHERS_EACH)
        ]
        receipts = [cast_vote(ballot_id=ballot.id, event=other) for other in others]
        return [receipt.error.code for receipt in receipts if receipt.error]

    codes = at_once(*[partial(send_others, sender) for sender in range(SENDERS)])
    assert Counter(code for sent in codes for code in sent) == {"vote.key_reused": SENDERS * OTHERS_EACH}
    assert RejectedVote.objects.count() == SENDERS * OTHERS_EACH
    assert Vote.objects.get().payload == marks(4)


def test_two_answers_racing_under_one_event_id_store_one_and_refuse_the_other(ballot: Ballot) -> None:
    for trial in ballot.trials.all():
        one = vote_event(trial, value=1)
        other = VoteEvent(**{**vars(one), "payload": marks(5)})
        receipts = at_once(casting(ballot, one), casting(ballot, other))
        assert sorted(receipt.status for receipt in receipts) == ["refused", "stored"]
    assert Vote.objects.count() == RejectedVote.objects.count() == 10


def test_two_tabs_that_answer_the_same_pages_leave_one_current_answer_and_both_in_the_log(ballot: Ballot) -> None:
    tabs = answers(ballot, CHANGES), answers(ballot, CHANGES)
    turns = side_by_side(*[[casting(ballot, vote) for vote in tab] for tab in tabs])
    for receipts, rivals in zip(turns, zip(*tabs, strict=True), strict=True):
        assert sorted(receipt.status for receipt in receipts) == ["conflict", "stored"]
        assert {receipt.revision for receipt in receipts} == {rivals[0].revision + 1}, (
            "the loser learns what is current"
        )
        (winner,) = [receipt.event_id for receipt in receipts if receipt.status == "stored"]
        assert Vote.objects.get(trial=rivals[0].trial, revision=rivals[0].revision + 1).event_id == winner
    assert Score.objects.count() == CHANGES
    assert set(ballot.trials.values_list("revision", "current_vote__revision")) == {(CHANGES // 10, CHANGES // 10)}
    assert Counter(Vote.objects.values_list("outcome", flat=True)) == {"accepted": CHANGES, "conflict": CHANGES}
    assert chain_holds(ballot=Ballot.objects.get(pk=ballot.pk))


def test_votes_of_many_ballots_at_once_do_not_hold_each_other_up_or_mix() -> None:
    experiment = make_experiment(seats=SEATS)
    seats = [seated_visit(experiment).seat.ballot for _ in range(SEATS)]
    count = 40 if ALL else 8
    per_seat = [answers(seat, count) for seat in seats]

    def fill(number: int) -> list[str]:
        return [cast_vote(ballot_id=seats[number].id, event=vote).status for vote in per_seat[number]]

    said = at_once(*[partial(fill, number) for number in range(SEATS)])
    assert said == [["stored"] * count] * SEATS
    for seat, events in zip(seats, per_seat, strict=True):
        assert list(seat.votes.values_list("event_id", flat=True)) == [vote.event_id for vote in events]
        assert chain_holds(ballot=Ballot.objects.get(pk=seat.pk))


@pytest.mark.long  # the same races are run above and in test_claims.py without a web server
def test_over_http_identical_votes_two_tabs_and_two_finishes_end_the_same_way(
    process_environment: dict[str, str],
) -> None:
    token = new_token(make_experiment(seats=1))
    with web_server(process_environment) as web:
        tabs = [Voter(url=web.url, token=token, seed=str(n)) for n in range(8)]
        at_once(*[tab.enter for tab in tabs])
        pages = list(tabs[0].revisions)
        for page in pages:
            made = event(page, value=3)
            said = at_once(*[partial(tab.offer, made) for tab in tabs])
            assert Counter(result["status"] for result in said if result) == {"stored": 1, "replay": 7}
            said = at_once(*[partial(tab.offer, event(page, revision=1)) for tab in tabs])
            assert Counter(result["status"] for result in said if result) == {"stored": 1, "conflict": 7}
        codes = {receipt["code"] for receipt in at_once(*[tab.finish for tab in tabs])}
        for tab in tabs:
            tab.http.close()
    assert len(codes) == 1
    assert Counter(Vote.objects.values_list("outcome", flat=True)) == {
        "accepted": 2 * len(pages),
        "conflict": 7 * len(pages),
    }
    assert {UUID(page) for page in pages} == set(Trial.objects.filter(revision=2).values_list("id", flat=True))
