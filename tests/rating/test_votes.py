"""Casting votes: stored once, replayed, rejected with a reason, chained, and never altered."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from listening.models import Visit
from listening.participation.services import visits
from rating.models import Ballot, RejectedVote, Score, Trial, Vote
from rating.services import experiments
from rating.services.votes import Receipt, VoteEvent, cast_vote, chain_holds
from tests.factories import make_experiment, marks, seated_visit, vote_event

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_visit(module_db: None) -> Visit:
    return seated_visit()


@pytest.fixture
def visit(shared_visit: Visit) -> Visit:
    return deepcopy(shared_visit)


@pytest.fixture
def ballot(visit: Visit) -> Ballot:
    return visit.seat.ballot


@pytest.fixture
def trial(ballot: Ballot) -> Trial:
    return ballot.trials.all()[0]


def cast(trial: Trial, event: VoteEvent) -> Receipt:
    return cast_vote(ballot_id=trial.ballot_id, event=event)


def again(event: VoteEvent, **changes: Any) -> VoteEvent:
    """The same event id with something else in it."""
    return VoteEvent(**{**vars(event), **changes})


def current_value(trial: Trial) -> float:
    trial.refresh_from_db()
    assert trial.current_vote is not None
    return trial.current_vote.scores.get().value


def everything(ballot: Ballot) -> tuple[Any, ...]:
    """All that an error must leave as it was."""
    return (
        *Ballot.objects.filter(pk=ballot.pk).values_list("chain", "vote_count", "closed_at"),
        *ballot.trials.values_list("id", "revision", "current_vote"),
        Vote.objects.count(),
        Score.objects.count(),
    )


# --- Stored, repeated, changed ----------------------------------------------------------------------------------------


def test_an_answer_is_stored_raw_with_its_score_and_what_it_was_asked_under(ballot: Ballot, trial: Trial) -> None:
    event = vote_event(trial, value=4, client="page 7", clock={"counter": 3})
    receipt = cast(trial, event)
    vote = Vote.objects.get()
    assert receipt == Receipt(event_id=event.event_id, status="stored", revision=1)
    assert (vote.event_id, vote.payload, vote.heard) == (event.event_id, event.payload, event.heard)
    assert vote.client == {"version": "page 7", "revision": 0, "clock": {"counter": 3}}
    assert (vote.protocol, vote.protocol_version, vote.label_set) == ("acr", "1.0", "acr-en-1")
    assert (vote.consent, vote.flags, vote.outcome) == (ballot.consent, [], "accepted")
    assert current_value(trial) == 4


def test_the_same_event_again_gets_the_same_receipt_and_leaves_no_trace(trial: Trial) -> None:
    event = vote_event(trial)
    cast(trial, event)
    before = everything(trial.ballot)
    receipts = [cast(trial, event) for _ in range(3)]
    assert receipts == [Receipt(event_id=event.event_id, status="replay", revision=1)] * 3
    assert everything(trial.ballot) == before
    assert not RejectedVote.objects.exists()


def test_equal_bodies_are_the_same_event_however_their_numbers_are_spelt(trial: Trial) -> None:
    event = vote_event(trial, clock={"a": 1.0, "b": 2})
    cast(trial, event)
    assert cast(trial, again(event, clock={"b": 2, "a": 1})).status == "replay"


@pytest.mark.parametrize(
    "change",
    [
        {"payload": marks(2)},
        {"payload": marks(99)},
        {"revision": 1},
        {"heard": {"plays": 2}},
        {"clock": {"counter": 2}},
        {"trial": uuid4()},
    ],
    ids=lambda change: next(iter(change)),
)
def test_an_event_id_used_again_for_another_answer_is_refused(trial: Trial, change: dict[str, Any]) -> None:
    event = vote_event(trial, value=4)
    cast(trial, event)
    before = everything(trial.ballot)
    receipt = cast(trial, again(event, **change))
    assert receipt.status == "refused"
    assert receipt.error is not None
    assert receipt.error.code == "vote.key_reused"
    assert everything(trial.ballot) == before
    assert RejectedVote.objects.get().code == "vote.key_reused"


def test_an_event_id_of_another_ballot_is_refused_and_shows_nothing_of_that_ballot(trial: Trial) -> None:
    event = vote_event(trial, value=5)
    cast(trial, event)
    other = seated_visit().seat.ballot
    other_trial = other.trials.all()[0]
    for stolen in (event, again(event, trial=other_trial.id)):
        receipt = cast_vote(ballot_id=other.id, event=stolen)
        assert (receipt.status, receipt.revision) == ("refused", None)
    assert set(RejectedVote.objects.values_list("ballot_id", "code")) == {(other.id, "vote.key_reused")}
    assert not other.votes.exists()


def test_a_change_of_mind_is_a_new_revision_and_the_old_answer_stays(trial: Trial) -> None:
    cast(trial, vote_event(trial, value=2))
    receipt = cast(trial, vote_event(trial, value=5, revision=1))
    assert (receipt.status, receipt.revision) == ("stored", 2)
    assert list(trial.votes.values_list("revision", "scores__value")) == [(1, 2.0), (2, 5.0)]
    assert current_value(trial) == 5
    assert list(Vote.objects.filter(current_for__isnull=False)) == [trial.votes.get(revision=2)]


@pytest.mark.parametrize("known", [0, 2, 7])
def test_an_answer_from_a_page_that_did_not_know_the_current_one_is_kept_and_does_not_count(
    trial: Trial, known: int
) -> None:
    cast(trial, vote_event(trial, value=2))
    event = vote_event(trial, value=5, revision=known)
    for _ in range(2):
        assert cast(trial, event) == Receipt(event_id=event.event_id, status="conflict", revision=1)
    kept = Vote.objects.get(event_id=event.event_id)
    assert (kept.outcome, kept.revision, kept.scores.count()) == ("conflict", None, 0)
    assert current_value(trial) == 2


# --- Late, finished ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [experiments.pause, experiments.close])
def test_a_late_answer_is_accepted_and_flagged(trial: Trial, stop: Callable[..., Any]) -> None:
    experiment = trial.ballot.experiment
    stop(experiment=experiment, actor=experiment.owner)
    assert cast(trial, vote_event(trial)).status == "stored"
    assert Vote.objects.get().flags == ["late"]


def finish(visit: Visit) -> list[VoteEvent]:
    events = [vote_event(trial) for trial in visit.seat.ballot.trials.all()]
    visits.submit_votes(visit=visit, events=events, now=timezone.now())
    visits.finish_visit(visit=visit, now=timezone.now())
    return events


def test_a_repeat_that_arrives_after_the_end_still_gets_its_receipt(visit: Visit, ballot: Ballot) -> None:
    events = finish(visit)
    before = everything(ballot)
    receipts = [cast_vote(ballot_id=ballot.id, event=event) for event in events]
    assert {(receipt.status, receipt.revision) for receipt in receipts} == {("replay", 1)}
    assert everything(ballot) == before
    assert not RejectedVote.objects.exists()


# --- Refused ----------------------------------------------------------------------------------------------------------


def refused(ballot: Ballot, event: VoteEvent, code: str) -> None:
    """Twice, because a repeat must neither pass nor pile up."""
    before = everything(ballot)
    for _ in range(2):
        receipt = cast_vote(ballot_id=ballot.id, event=event)
        assert (receipt.status, receipt.revision) == ("refused", None)
        assert receipt.error is not None
        assert receipt.error.code == code
    kept = RejectedVote.objects.get(event_id=event.event_id)
    assert (kept.code, kept.body, kept.ballot) == (code, event.body(), ballot)
    assert kept.sentence == str(receipt.error)
    assert everything(ballot) == before


@pytest.mark.parametrize(
    "payload",
    [
        marks(0),
        marks(6),
        marks(3.5),
        marks("4"),
        marks(True),
        marks(None),
        marks(10**400),
        marks(4, scale="LOUDNESS"),
        marks(4, slot="b"),
        {"marks": []},
        {"marks": marks(4)["marks"] * 2},
        {},
        [],
        None,
        "4",
    ],
    ids=lambda payload: str(payload)[:50],
)
def test_an_answer_that_does_not_fit_the_question_is_refused(trial: Trial, payload: Any) -> None:
    refused(trial.ballot, vote_event(trial, payload=payload), "vote.invalid")


def test_an_answer_to_a_page_that_does_not_exist_is_refused(trial: Trial) -> None:
    refused(trial.ballot, again(vote_event(trial), trial=uuid4()), "vote.unknown_trial")


def test_an_answer_to_a_page_of_another_ballot_is_refused(ballot: Ballot) -> None:
    foreign = seated_visit().seat.ballot.trials.all()[0]
    refused(ballot, vote_event(foreign), "vote.unknown_trial")


def test_an_answer_before_consent_is_refused() -> None:
    ballot = make_experiment(seats=1).panels.get().seats.get().ballot
    refused(ballot, vote_event(ballot.trials.all()[0]), "vote.no_consent")


def test_a_new_answer_after_the_end_is_refused(visit: Visit, trial: Trial) -> None:
    finish(visit)
    refused(trial.ballot, vote_event(trial, revision=1), "visit.finished")


def test_one_bad_answer_in_a_batch_does_not_hold_back_the_others(visit: Visit, ballot: Ballot) -> None:
    first, second, third = ballot.trials.all()[:3]
    batch = [vote_event(first), vote_event(second, value=9), vote_event(third)]
    receipts = visits.submit_votes(visit=visit, events=batch, now=timezone.now())
    assert [receipt.status for receipt in receipts] == ["stored", "refused", "stored"]
    assert Vote.objects.count() == 2


# --- What the database itself refuses ---------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["rating_vote", "rating_rejectedvote"])
def test_the_database_refuses_to_alter_a_vote_or_a_rejected_vote(trial: Trial, table: str) -> None:
    cast(trial, vote_event(trial))
    cast(trial, vote_event(trial, value=9))
    for attempt in (f"UPDATE {table} SET event_id = event_id", f"DELETE FROM {table}"):
        with pytest.raises(DatabaseError, match="never altered"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(attempt)


def test_the_database_refuses_a_second_vote_under_one_event_id(trial: Trial) -> None:
    cast(trial, vote_event(trial))
    vote = Vote.objects.get()
    vote.pk, vote.outcome, vote.revision = None, Vote.Outcome.CONFLICT, None
    with pytest.raises(DatabaseError, match=r"(?i)unique"), transaction.atomic():
        vote.save(force_insert=True)


def test_a_chain_of_no_votes_holds(ballot: Ballot) -> None:
    assert chain_holds(ballot=ballot)
