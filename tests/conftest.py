"""Fixtures that every folder needs, and the choice of tests for each pass."""

import gc
import os
import string
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from importlib import import_module
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.management.commands import flush
from django.db import connection, transaction
from django.middleware import csrf
from django.test import Client
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django import DjangoDbBlocker

from core.append_only import ALLOW_ON_SQLITE, NEVER, REFUSE_ON_SQLITE
from rating.models import Experiment
from tests.factories import Sitting
from tests.migrated import make_tables, working_on
from tests.scale import ALL
from tests.servers import PostgresServer, chromium_path, postgres_server

# A busy machine is not a defect: examples are judged by what they do, never by how long they take. The same examples in
# every run, so that one run says the same as the next; with --all more of them, and others each time.
hypothesis_settings.register_profile(
    "earmark",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not ALL,
    max_examples=100 if ALL else 30,
)
hypothesis_settings.load_profile("earmark")
# Pages are searched for short names such as OVRL, which a token of letters spells once in a while.
csrf.CSRF_ALLOWED_CHARS = string.digits

# The garbage collector comes at ten times as many new objects as usual: most that a request makes go by themselves.
gc.set_threshold(7_000, 10, 10)

APPEND_ONLY = ("core_auditentry", "rating_vote", "rating_rejectedvote")
WRITTEN_BY_DJANGO = ("auth_permission", "django_content_type")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give every test that does not belong into this pass its reason to be skipped."""
    for item in items:
        if reason := reason_to_skip({mark.name for mark in item.iter_markers()}):
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_collection_finish() -> None:
    """What collecting has made stays to the end: the garbage collector need not walk through it again and again."""
    gc.collect()
    gc.freeze()


def reason_to_skip(marks: set[str]) -> str:
    """On a build server (CI=true) a missing browser is no reason: there its tests fail."""
    if settings.TEST_DATABASE == "sqlite" and marks & {"postgresql", "redis"}:
        return "runs in the PostgreSQL and Redis pass (EARMARK_TEST_DATABASE=postgresql)"
    if settings.TEST_DATABASE == "postgresql" and "browser" in marks:
        return "browser tests run once, on SQLite"
    if "browser" in marks and chromium_path() is None and os.environ.get("CI") != "true":
        return "Chromium is not on this machine; ./earmark test installs it where it can"
    return ""


@pytest.fixture(autouse=True)
def _fresh_cache() -> Iterator[None]:
    """Rate limits counted by one test must not stop the next."""
    yield
    cache.clear()


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """The language of a test's last request stays in the thread, as in a server; the next test begins in English."""
    yield
    translation.activate(settings.LANGUAGE_CODE)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> Iterator[None]:
    """Give a new test database its tables before Django applies the migrations, which then finds none to apply."""
    creation: Any = type(connection.creation)
    create = creation._create_test_db

    def create_with_tables(self: Any, *arguments: Any) -> Any:
        name = create(self, *arguments)
        with working_on(NAME=name):
            make_tables()
        return name

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(creation, "_create_test_db", create_with_tables)
        yield


@pytest.fixture(scope="module")
def module_db(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """A transaction around the tests of a module, for rows that a fixture of the module makes once for all of them.

    What a test changes in the rows is undone after it; of the objects it gets a copy.
    """
    for item in request.session.items:
        if item.path == request.path and _commits(item):
            raise pytest.UsageError(f"{item.nodeid} commits, so its module cannot keep rows in a transaction.")
    around = transaction.atomic()
    around._from_testcase = True  # type: ignore[attr-defined]  # services ask for one that nothing surrounds
    with django_db_blocker.unblock(), around:
        yield
        transaction.set_rollback(True)


@pytest.fixture
def experiment(shared_experiment: Experiment) -> Experiment:
    """A copy of the experiment that a module makes once (`shared_experiment`, with module_db), for a test to change."""
    return deepcopy(shared_experiment)


@pytest.fixture
def sitting(shared_sitting: Sitting) -> Sitting:
    """A participant who sat down once for a module (`shared_sitting`, with module_db), for a test to go on with."""
    client = Client()
    client.cookies = deepcopy(shared_sitting.client.cookies)
    return replace(shared_sitting, client=client, visit=deepcopy(shared_sitting.visit))


def _commits(item: pytest.Item) -> bool:
    mark = item.get_closest_marker("django_db")
    asked = bool(mark and mark.kwargs.get("transaction"))
    return asked or "transactional_db" in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def server_environment(django_db_setup: None) -> dict[str, str]:
    """The environment for a server that outlives a test; the tests empty its database, and nothing else changes."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        url = f"sqlite:///{database['NAME']}"
    else:
        account = f"{database['USER']}:{quote(database['PASSWORD'])}"
        url = f"postgres://{account}@{database['HOST']}:{database['PORT']}/{database['NAME']}"
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "EARMARK_TEST_CHILD": "1",
        "EARMARK_DATABASE_URL": url,
        "EARMARK_DATA_DIR": str(settings.DATA_DIR),
        "EARMARK_REDIS_URL": settings.REDIS_URL,
    }


@pytest.fixture
def process_environment(server_environment: dict[str, str], transactional_db: None) -> dict[str, str]:
    """The environment for a process that works on this test's database: manage.py, a worker, a web server."""
    return server_environment


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL of the test's own, which it may kill and start again."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session", autouse=True)
def _tables_can_be_emptied() -> Iterator[None]:
    """Between tests that commit, tables are emptied: the triggers against that stand aside.

    What Django itself writes after a migration is the same for every test, so it stays and is not written again.
    """
    operations = type(connection.ops)
    empty = operations.sql_flush
    past_bin = import_module("rating.migrations.0001_initial").DELETABLE["sqlite"]

    def deletable(table: str) -> str:
        return past_bin if table.startswith("rating_") else NEVER["sqlite"]

    def sql_flush(self: Any, style: Any, tables: Any, **options: Any) -> list[str]:
        emptied = [table for table in tables if table not in WRITTEN_BY_DJANGO]
        if connection.vendor != "sqlite":
            # TRUNCATE makes new files for every table and index, which takes far longer than to delete a few rows.
            deletes = [f"DELETE FROM {self.quote_name(table)}" for table in emptied]
            return ["; ".join(["SET LOCAL session_replication_role = replica", *deletes])]
        steps = empty(self, style, emptied, **options)
        drop = [step.format(table=table) for table in APPEND_ONLY for step in ALLOW_ON_SQLITE]
        create = [
            step.format(table=table, deletable=deletable(table)) for table in APPEND_ONLY for step in REFUSE_ON_SQLITE
        ]
        return [*drop, *steps, *create]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(operations, "sql_flush", sql_flush)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *arguments, **options: None)
        yield
