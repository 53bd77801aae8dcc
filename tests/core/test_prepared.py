"""Statements written once: they find, change and add what Django's own would, however often they are used."""

from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection
from django.db.models import QuerySet

from core.prepared import PreparedInsert, PreparedRead, PreparedUpdate
from rating.models import Ballot, RejectedVote, Trial
from tests.factories import seated_visit

pytestmark = pytest.mark.django_db
COLUMNS = ("id", "created_at", "position", "ask", "detail", "skipped_at", "ballot__experiment__options")


def new_refusal(ballot: Ballot) -> RejectedVote:
    return RejectedVote(event_id=uuid4(), ballot=ballot, body={"marks": [1.5, None, "é"]}, body_sha256="x", code="c")


@pytest.fixture
def ballots() -> list[Ballot]:
    return [seated_visit().seat.ballot for _ in range(2)]


def test_rows_are_those_of_the_queryset_for_every_id(ballots: list[Ballot]) -> None:
    read = PreparedRead(
        lambda ballot: Trial.objects.filter(ballot_id=ballot, position__gt=1).values_list(*COLUMNS),
        ballot=UUID(int=1),
    )
    for ballot in [*ballots, *ballots]:
        expected = list(Trial.objects.filter(ballot=ballot, position__gt=1).values_list(*COLUMNS))
        assert read.rows(ballot=ballot.id) == expected
        assert expected
    assert read.rows(ballot=uuid4()) == []


def test_the_statement_is_written_once(ballots: list[Ballot]) -> None:
    written = []

    def build(ballot: UUID) -> QuerySet[Trial, tuple[UUID]]:
        written.append(ballot)
        return Trial.objects.filter(ballot_id=ballot).values_list("id")

    read = PreparedRead(build, ballot=UUID(int=1))
    for ballot in [*ballots, *ballots]:
        read.rows(ballot=ballot.id)
    assert written == [UUID(int=1)]


def test_a_value_that_has_no_place_in_the_statement_is_a_defect(ballots: list[Ballot]) -> None:
    read = PreparedRead(
        lambda ballot, position: Trial.objects.filter(ballot_id=ballot).values_list("id"),
        ballot=UUID(int=1),
        position=7,
    )
    with pytest.raises(ValueError, match="position"):
        read.rows(ballot=ballots[0].id, position=1)


def test_a_change_reaches_one_row_and_the_named_columns_only(ballots: list[Ballot]) -> None:
    changed, other = (Ballot.objects.filter(pk=ballot.pk).values() for ballot in ballots)
    before = changed.get(), other.get()
    change = PreparedUpdate(Ballot, chain="a chain", vote_count=1)
    for count in (3, 4):
        change.change(ballots[0].pk, chain=f"link {count}", vote_count=count)
    assert (changed.get(), other.get()) == ({**before[0], "chain": "link 4", "vote_count": 4}, before[1])


def test_an_added_row_is_what_saving_would_have_made_of_it(ballots: list[Ballot]) -> None:
    add = PreparedInsert(RejectedVote)
    for ballot in ballots:
        row = new_refusal(ballot)
        add.add(row)
        stored = RejectedVote.objects.get(pk=row.pk)
        for name in ("event_id", "ballot_id", "body", "body_sha256", "code", "sentence", "received_at"):
            assert getattr(stored, name) == getattr(row, name)
        assert stored.received_at is not None


def test_a_broken_constraint_is_the_error_that_django_raises(ballots: list[Ballot]) -> None:
    add, row = PreparedInsert(RejectedVote), new_refusal(ballots[0])
    add.add(row)
    with pytest.raises(IntegrityError):
        add.add(row)


@pytest.mark.postgresql
def test_postgresql_keeps_the_plan(ballots: list[Ballot]) -> None:
    read = PreparedRead(lambda ballot: Ballot.objects.filter(pk=ballot).values_list("salt"), ballot=UUID(int=1))
    for _ in range(10):
        read.rows(ballot=ballots[0].id)
    with connection.cursor() as cursor:
        cursor.execute("SELECT generic_plans FROM pg_prepared_statements WHERE statement LIKE '%salt%'")
        assert cursor.fetchall() == [(5,)]
