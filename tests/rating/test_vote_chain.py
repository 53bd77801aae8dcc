"""The chain over a ballot's votes: every change of a stored vote shows."""

from copy import deepcopy
from typing import Any

import pytest

from rating.models import Ballot, Vote
from rating.services.votes import cast_vote, chain_holds
from tests.factories import seated_visit, vote_event
from tests.scale import ALL
from tests.tampering import tampering

pytestmark = pytest.mark.django_db

# Numbers that a database may spell differently from how they came: they must not look like tampering.
AWKWARD = {"wall": "2026-03-01T10:00:00.000Z", "numbers": [1e22, -0.0, 1.5e300, 5e-324, 0.1, 4.0, 2**60 + 1, 10**400]}
NEW_VALUES: dict[str, Any] = {
    "event_id": "00000000-0000-4000-8000-000000000000",
    "outcome": "conflict",
    "revision": 9,
    "payload": '{"marks": [{"slot": "a", "scale": "QUALITY", "value": 5}]}',
    "heard": '{"plays": 2}',
    "client": '{"version": "test", "revision": 0, "clock": {"counter": 8}}',
    "flags": '["late"]',
    "body_hmac": "0" * 64,
    "seal": "0" * 64,
    "protocol": "other",
    "protocol_version": "9.9",
    "label_set": "other",
    "label_set_sha256": "0" * 64,
    "chain": "0" * 64,
    "received_at": "2020-01-01 00:00:00+00:00",
}
# Columns that point at other rows need one to point at; they have a test of their own.
POINTERS = {"ballot_id", "trial_id", "consent_id"}


@pytest.fixture(scope="module")
def shared_ballot(module_db: None) -> Ballot:
    """Four trials, each answered and then changed, one answer in conflict."""
    ballot = seated_visit().seat.ballot
    for trial in ballot.trials.all():
        cast_vote(ballot_id=ballot.id, event=vote_event(trial, value=2))
        cast_vote(ballot_id=ballot.id, event=vote_event(trial, value=3, revision=1, clock=AWKWARD))
    cast_vote(ballot_id=ballot.id, event=vote_event(trial, value=4))
    assert ballot.votes.count() == 9
    return ballot


@pytest.fixture
def ballot(shared_ballot: Ballot) -> Ballot:
    return deepcopy(shared_ballot)


def votes_of(ballot: Ballot) -> list[Vote]:
    """Every vote; in the short run the first, one in the middle and the last, which is the one in conflict."""
    votes = list(ballot.votes.all())
    return votes if ALL else votes[::4]


def holds(ballot: Ballot) -> bool:
    return chain_holds(ballot=Ballot.objects.get(pk=ballot.pk))


def test_an_untouched_chain_holds_also_with_numbers_that_databases_spell_differently(ballot: Ballot) -> None:
    assert holds(ballot)


def test_every_column_of_a_vote_is_put_to_the_test() -> None:
    columns = {field.column for field in Vote._meta.concrete_fields} - {"id"}
    assert columns == NEW_VALUES.keys() | POINTERS


@pytest.mark.parametrize("column", sorted(NEW_VALUES))
def test_an_edit_of_any_column_of_any_vote_shows(ballot: Ballot, column: str) -> None:
    for vote in votes_of(ballot):
        new = "accepted" if (column, vote.outcome) == ("outcome", "conflict") else NEW_VALUES[column]
        with tampering() as cursor:
            cursor.execute(
                f"UPDATE rating_vote SET {column} = %s WHERE id = %s",
                [new, vote.pk],
            )
            assert not holds(ballot), vote.pk
    assert holds(ballot)


@pytest.mark.parametrize("column", sorted(POINTERS))
def test_a_vote_moved_to_another_ballot_trial_or_consent_shows(ballot: Ballot, column: str) -> None:
    other = seated_visit().seat.ballot
    targets = {"ballot_id": other.pk, "trial_id": other.trials.all()[0].pk, "consent_id": other.consent.pk}
    for vote in votes_of(ballot):
        with tampering():
            Vote.objects.filter(pk=vote.pk).update(**{column: targets[column]})
            assert not holds(ballot), vote.pk


def test_a_removed_vote_shows(ballot: Ballot) -> None:
    for vote in votes_of(ballot):
        with tampering() as cursor:
            cursor.execute("DELETE FROM rating_vote WHERE id = %s", [vote.pk])
            assert not holds(ballot), vote.pk


def test_two_votes_in_each_others_place_show(ballot: Ballot) -> None:
    votes = [vote.pk for vote in votes_of(ballot)]
    for first in votes:
        for second in votes:
            if first < second:
                with tampering() as cursor:
                    for before, after in ((first, 0), (second, first), (0, second)):
                        cursor.execute("UPDATE rating_vote SET id = %s WHERE id = %s", [after, before])
                    assert not holds(ballot), (first, second)


def test_an_inserted_vote_shows(ballot: Ballot) -> None:
    for vote in votes_of(ballot):
        with tampering():
            vote.pk = None
            vote.event_id, vote.revision = NEW_VALUES["event_id"], 77
            vote.save(force_insert=True)
            assert not holds(ballot)


@pytest.mark.parametrize(("column", "new"), [("chain", "0" * 64), ("salt", "0" * 64), ("vote_count", 8)])
def test_an_edit_of_the_head_of_the_chain_shows(ballot: Ballot, column: str, new: Any) -> None:
    Ballot.objects.filter(pk=ballot.pk).update(**{column: new})
    assert not holds(ballot)


def test_without_the_salt_the_links_still_tell_that_no_vote_was_removed(ballot: Ballot) -> None:
    Ballot.objects.filter(pk=ballot.pk).update(salt="")
    assert holds(ballot)
    with tampering() as cursor:
        cursor.execute("DELETE FROM rating_score")
        cursor.execute("UPDATE rating_trial SET current_vote_id = NULL, revision = 0, answered = false")
        cursor.execute("DELETE FROM rating_vote WHERE id = %s", [ballot.votes.order_by("id")[3].pk])
        Ballot.objects.filter(pk=ballot.pk).update(vote_count=8)
        assert not holds(ballot)
