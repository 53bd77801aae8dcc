"""Web servers and databases are killed while people vote: no acknowledged vote is lost, none is counted twice.

EARMARK_FAULT_SCALE multiplies the votes and the kills; 5 gives the 10,000 votes and 60 kills of a release.
"""

import random
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connection
from django.db.migrations import RemoveConstraint
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from listening.panels.services import panels
from rating.models import Ballot, Score, Trial, Vote
from rating.services.votes import chain_holds
from tests.factories import make_experiment
from tests.faults.voters import Voter
from tests.faults.web_server import WebServer, web_server
from tests.migrated import make_tables, working_on
from tests.scale import SCALE, scaled
from tests.servers import PostgresServer, postgres_server

pytestmark = pytest.mark.faults

VOTERS = 24 if SCALE >= 1 else 12
# Of the replies, so many are lost on the way back, so that a retry of a stored vote is certain to happen.
DROPPED = 0.03 if SCALE >= 1 else 0.06
PATIENCE_S = 300 * max(SCALE, 1)

Strike = Callable[[random.Random], None]


@dataclass(frozen=True)
class Place:
    """A database of the test's own, and the environment of processes that work on it."""

    environment: dict[str, str]
    postgres: PostgresServer | None


@pytest.fixture
def place(process_environment: dict[str, str], tmp_path: Path) -> Iterator[Place]:
    """Not the test run's database: this one is killed, and robbed of its constraints by the controls."""
    if connection.vendor == "sqlite":
        file = tmp_path / "votes.sqlite3"
        copy_empty_database(file)
        with working_on(NAME=str(file)):
            yield Place({**process_environment, "EARMARK_DATABASE_URL": f"sqlite:///{file}"}, None)
        return
    with postgres_server() as server:
        account = {"HOST": "127.0.0.1", "PORT": server.port, "USER": "earmark", "PASSWORD": server.password}
        with working_on(NAME="postgres", **account):
            make_tables()
            yield Place({**process_environment, "EARMARK_DATABASE_URL": server.url()}, server)


def copy_empty_database(file: Path) -> None:
    """Copy the test run's own SQLite database, which holds the tables and nothing in them yet."""
    connection.ensure_connection()
    with closing(sqlite3.connect(file)) as copy:
        connection.connection.backup(copy)


@dataclass(frozen=True)
class Outcome:
    """What the clients were told, against what the table holds."""

    acknowledged: dict[UUID, int]
    statuses: Counter[str]
    retries: int
    kills: Counter[str]
    seconds: float

    def rows(self) -> Counter[UUID]:
        return Counter(Vote.objects.values_list("event_id", flat=True))

    def lost(self) -> int:
        return len(self.acknowledged.keys() - self.rows().keys())

    def doubled(self) -> int:
        return sum(count - 1 for count in self.rows().values())

    def unasked(self) -> int:
        return len(self.rows().keys() - self.acknowledged.keys())

    def altered(self) -> int:
        stored = Vote.objects.values_list("event_id", "payload__marks__0__value")
        return sum(self.acknowledged.get(event_id) != value for event_id, value in stored)

    def __str__(self) -> str:
        said = ", ".join(f"{count} {status}" for status, count in sorted(self.statuses.items()))
        kills = ", ".join(f"{count} {victim}" for victim, count in sorted(self.kills.items()))
        return (
            f"{connection.vendor}: {len(self.acknowledged)} votes acknowledged ({said}; {self.retries} retries) "
            f"in {self.seconds:.0f} s and {self.kills.total()} kills ({kills}): "
            f"{self.lost()} lost, {self.doubled()} doubled"
        )


def vote_under_fire(
    place: Place,
    *,
    votes: int,
    kills: int,
    victims: dict[str, int],
    dropped: float,
    once_seated: Callable[[], None] | None = None,
) -> Outcome:
    """Let everybody vote and strike at random moments, until enough votes are in and enough blows have fallen."""
    panel = make_experiment(seats=VOTERS).panels.get()
    tokens = panels.invite(panel=panel, count=VOTERS, now=timezone.now(), actor=None)
    connection.close()
    started, stop = time.monotonic(), threading.Event()
    deadline = started + PATIENCE_S
    with web_server(place.environment, dropped=dropped) as web:
        voters = [Voter(url=web.url, token=token, seed=f"voter {n}") for n, token in enumerate(tokens)]
        with ThreadPoolExecutor(max_workers=VOTERS) as pool:
            list(pool.map(Voter.enter, voters))
            if once_seated is not None:
                once_seated()
            running = [pool.submit(voter.vote_until, stop, deadline=deadline) for voter in voters]
            campaign = Campaign(voters=voters, running=running, votes=votes, kills=kills, deadline=deadline)
            try:  # from this thread: a server dies with the thread that started it
                struck = campaign.strike(strikes(web, place.postgres, victims))
            finally:
                stop.set()
            for future in running:
                future.result()
    for voter in voters:
        voter.http.close()
    told = [voter.acknowledged for voter in voters]
    return Outcome(
        acknowledged={event_id: value for voter in told for event_id, value in voter.values.items()},
        statuses=sum((voter.statuses for voter in told), Counter()),
        retries=sum(voter.retries for voter in told),
        kills=struck,
        seconds=time.monotonic() - started,
    )


def strikes(web: WebServer, postgres: PostgresServer | None, victims: dict[str, int]) -> dict[str, tuple[int, Strike]]:
    """What may be killed here, each with its weight."""

    def master(_: random.Random) -> None:
        web.kill()
        web.start()

    def database(_: random.Random) -> None:
        assert postgres is not None
        postgres.kill()
        postgres.start()

    known: dict[str, Strike] = {"web worker": web.kill_a_worker, "web master": master, "database": database}
    able = {name: weight for name, weight in victims.items() if postgres is not None or name != "database"}
    return {name: (weight, known[name]) for name, weight in able.items()}


@dataclass(frozen=True)
class Campaign:
    """Blows against the servers while the voters vote."""

    voters: list[Voter]
    running: list[Future[None]]
    votes: int
    kills: int
    deadline: float

    def strike(self, able: dict[str, tuple[int, Strike]]) -> Counter[str]:
        """Spread the blows over the votes; each falls 0.3 to 1.1 s after votes have begun to flow again."""
        chance = random.Random(20260301)
        struck: Counter[str] = Counter()
        weights = [weight for weight, _ in able.values()]
        everybody = list(able)[: self.kills]  # each falls once, and chance says who falls again
        for blow in range(1, self.kills + 1):
            self._wait_for(max(self._count() + VOTERS, self.votes * blow // (self.kills + 1)))
            time.sleep(chance.uniform(0.3, 1.1))
            victim = everybody.pop() if everybody else chance.choices(list(able), weights=weights)[0]
            able[victim][1](chance)
            struck[victim] += 1
        self._wait_for(max(self._count() + VOTERS, self.votes))
        return struck

    def _count(self) -> int:
        return sum(len(voter.acknowledged.values) for voter in self.voters)

    def _wait_for(self, target: int) -> None:
        while self._count() < target:
            assert time.monotonic() < self.deadline, f"{self._count()} votes before the time limit"
            for future in self.running:
                if future.done():
                    future.result()
            time.sleep(0.02)


def test_no_acknowledged_vote_is_lost_or_doubled_while_servers_are_killed(
    place: Place, report: Callable[[str], None]
) -> None:
    outcome = vote_under_fire(
        place,
        votes=scaled(2000),
        kills=scaled(12, least=3),
        victims={"web worker": 3, "web master": 1, "database": 2},
        dropped=DROPPED,
    )
    report(str(outcome))
    assert (outcome.lost(), outcome.doubled(), outcome.unasked(), outcome.altered()) == (0, 0, 0, 0)
    assert set(outcome.statuses) == {"stored", "replay"}, "both must have happened, and nothing else"
    assert Score.objects.count() == Vote.objects.count()
    assert all(chain_holds(ballot=ballot) for ballot in Ballot.objects.all())
    answered = Trial.objects.exclude(revision=0)
    assert sum(answered.values_list("revision", flat=True)) == Vote.objects.count()
    assert all(trial.current_vote == trial.votes.get(revision=trial.revision) for trial in answered)


def drop_the_key() -> None:
    """As a migration would: SQLite builds the table anew from the models as the migration knows them."""
    before = MigrationLoader(connection).project_state()
    after, removal = before.clone(), RemoveConstraint("vote", "vote_event_once")
    removal.state_forwards("rating", after)
    with connection.schema_editor() as editor:
        removal.database_forwards("rating", editor, before, after)


@pytest.mark.long
def test_control_without_the_unique_key_votes_are_doubled(place: Place, report: Callable[[str], None]) -> None:
    """Were this to pass with single votes, the test above would prove nothing."""
    drop_the_key()
    outcome = vote_under_fire(place, votes=300, kills=2, victims={"web worker": 1}, dropped=0.2)
    report(str(outcome))
    assert outcome.lost() == 0
    assert outcome.doubled() > 0


def answer_before_flushing() -> None:
    """Turn synchronous_commit off, and let the database flush when it must rather than when it finds time."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER SYSTEM SET synchronous_commit = off")
        cursor.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")
        cursor.execute("SELECT pg_reload_conf()")
    connection.close()


@pytest.mark.postgresql
@pytest.mark.long
def test_control_a_database_that_answers_before_it_flushes_loses_acknowledged_votes(
    place: Place, report: Callable[[str], None]
) -> None:
    """Each kill loses the votes of the last unwritten page; a few kills make sure that there were some."""
    outcome = vote_under_fire(
        place, votes=200, kills=8, victims={"database": 1}, dropped=0, once_seated=answer_before_flushing
    )
    report(str(outcome))
    assert outcome.lost() > 0
