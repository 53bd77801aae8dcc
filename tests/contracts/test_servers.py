"""The servers that the tests start are as durable as the ones they stand for, and can be killed."""

import psycopg
import pytest
import redis
from django.db import connection

from tests.servers import PostgresServer, redis_server

DURABLE = ("fsync", "full_page_writes", "synchronous_commit", "data_checksums")


@pytest.mark.postgresql
@pytest.mark.django_db
def test_postgresql_is_as_durable_as_where_it_is_used() -> None:
    with connection.cursor() as cursor:
        for name in DURABLE:
            cursor.execute("SELECT current_setting(%s)", [name])
            assert cursor.fetchone() == ("on",), name


@pytest.mark.postgresql
@pytest.mark.long  # tests/faults/test_vote_kills.py kills such a server and counts what it acknowledged
def test_postgresql_keeps_what_it_acknowledged_through_a_kill(own_postgres: PostgresServer) -> None:
    with psycopg.connect(own_postgres.url(), autocommit=True) as line:
        for name in DURABLE:
            assert line.execute("SELECT current_setting(%s)", [name]).fetchone() == ("on",)
        line.execute("CREATE TABLE kept (number int)")
        line.execute("INSERT INTO kept VALUES (7)")
        own_postgres.kill()
    own_postgres.start()
    with psycopg.connect(own_postgres.url()) as line:
        assert line.execute("SELECT number FROM kept").fetchall() == [(7,)]


@pytest.mark.redis
def test_redis_forgets_everything_in_a_kill() -> None:
    with redis_server() as server:
        with redis.Redis(port=server.port) as client:
            client.set("ring", "once")
        server.kill()
        server.start()
        with redis.Redis(port=server.port) as client:
            assert client.get("ring") is None
