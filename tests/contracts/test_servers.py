"""The servers that the tests start are as durable as the ones they stand for, and can be killed."""

import psycopg
import pytest
import redis

from tests.servers import PostgresServer, redis_server


@pytest.mark.postgresql
def test_postgresql_keeps_what_it_acknowledged_through_a_kill(own_postgres: PostgresServer) -> None:
    with psycopg.connect(own_postgres.url(), autocommit=True) as connection:
        for name in ("fsync", "full_page_writes", "synchronous_commit", "data_checksums"):
            assert connection.execute("SELECT current_setting(%s)", [name]).fetchone() == ("on",)
        connection.execute("CREATE TABLE kept (number int)")
        connection.execute("INSERT INTO kept VALUES (7)")
        own_postgres.kill()
    own_postgres.start()
    with psycopg.connect(own_postgres.url()) as connection:
        assert connection.execute("SELECT number FROM kept").fetchall() == [(7,)]


@pytest.mark.redis
def test_redis_forgets_everything_in_a_kill() -> None:
    with redis_server() as server:
        with redis.Redis(port=server.port) as client:
            client.set("ring", "once")
        server.kill()
        server.start()
        with redis.Redis(port=server.port) as client:
            assert client.get("ring") is None
