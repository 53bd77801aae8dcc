"""Plain SQL gives what the ORM would, in the ORM's types, on both databases."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection

from core import sql
from rating.models import Ballot, Trial
from tests.factories import seated_visit

pytestmark = pytest.mark.django_db
COLUMNS = ("id", "created_at", "position", "ask", "detail", "skipped_at", "answered")
TRIALS = f"SELECT {', '.join(COLUMNS)} FROM rating_trial WHERE ballot_id = %(ballot)s ORDER BY position"


@pytest.fixture(scope="module")
def ballots(module_db: None) -> list[Ballot]:
    return [seated_visit().seat.ballot for _ in range(2)]


def trials_of(ballot_id: UUID) -> list[dict[str, Any]]:
    return sql.fetch(
        TRIALS,
        ballot=ballot_id,
        uuids=("id",),
        jsons=("ask", "detail"),
        times=("created_at", "skipped_at"),
        bools=("answered",),
    )


def test_rows_are_those_of_the_queryset_for_every_ballot(ballots: list[Ballot]) -> None:
    first = ballots[0].trials.order_by("position")[0]
    Trial.objects.filter(pk=first.pk).update(skipped_at=datetime(2026, 3, 1, 12, 30, 0, 123456, tzinfo=UTC))
    for ballot in [*ballots, *ballots]:
        expected = list(Trial.objects.filter(ballot=ballot).order_by("position").values(*COLUMNS))
        assert expected
        assert trials_of(ballot.id) == expected
        assert isinstance(trials_of(ballot.id)[0]["answered"], bool)
    assert trials_of(uuid4()) == []


@pytest.mark.parametrize("value", [{"marks": [1.5, None, "é"]}, [], "text", 3, None, True])
def test_any_json_value_is_stored_as_the_orm_stores_it(ballots: list[Ballot], value: Any) -> None:
    trial = ballots[0].trials.order_by("position")[0]
    sql.execute("UPDATE rating_trial SET detail = %(detail)s WHERE id = %(id)s", id=trial.pk, detail=sql.Json(value))
    trial.refresh_from_db()
    assert trial.detail == value


def test_a_time_is_stored_as_the_orm_stores_it(ballots: list[Ballot]) -> None:
    trial, now = ballots[0].trials.order_by("position")[0], datetime(2026, 3, 1, 12, 30, 0, 5, tzinfo=UTC)
    sql.execute("UPDATE rating_trial SET skipped_at = %(now)s WHERE id = %(id)s", id=trial.pk, now=now)
    assert Trial.objects.filter(skipped_at=now).get() == trial


def test_a_broken_constraint_is_djangos_error(ballots: list[Ballot]) -> None:
    first, second = ballots[0].trials.order_by("position")[:2]
    with pytest.raises(IntegrityError):
        sql.execute("UPDATE rating_trial SET position = %(n)s WHERE id = %(id)s", n=first.position, id=second.pk)


@pytest.mark.postgresql
def test_postgresql_keeps_the_plan(ballots: list[Ballot]) -> None:
    trials_of(ballots[0].id)
    trials_of(ballots[1].id)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s", ["%FROM rating_trial%"])
        assert cursor.fetchone() == (1,)
