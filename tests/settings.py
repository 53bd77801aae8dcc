"""The settings of a test run: Earmark's own, on a temporary folder and the database that the run asks for.

EARMARK_TEST_DATABASE chooses sqlite (the default) or postgresql; the latter starts a PostgreSQL and a Redis of its own.
"""

import atexit
import os
from contextlib import ExitStack

from tests.servers import scratch_folder

TEST_DATABASE = os.environ.setdefault("EARMARK_TEST_DATABASE", "sqlite")
if TEST_DATABASE not in {"sqlite", "postgresql"}:
    raise ValueError(f"EARMARK_TEST_DATABASE is {TEST_DATABASE!r}; it must be sqlite or postgresql.")

# Waiting for the disk is most of what a small transaction takes: in a file system in memory the same flushes cost
# nothing. The kill tests are run on a disk.
IN_MEMORY = os.environ.get("EARMARK_TEST_ON_DISK") != "1"

_stack = ExitStack()
atexit.register(_stack.close)


def _prepare_environment() -> None:
    """Shut out the developer's own EARMARK_ settings and put the test run's in their place."""
    kept = ("EARMARK_TEST_", "EARMARK_FAULT_")
    for name in [name for name in os.environ if name.startswith("EARMARK_") and not name.startswith(kept)]:
        del os.environ[name]
    os.environ["EARMARK_DATA_DIR"] = str(_stack.enter_context(scratch_folder("test")))
    if TEST_DATABASE == "postgresql":
        _prepare_servers()


def _prepare_servers() -> None:
    """Start the servers once; the processes of a parallel run find them through the environment."""
    if "EARMARK_TEST_POSTGRESQL" not in os.environ:
        from tests.servers import postgres_server, redis_server

        os.environ["EARMARK_TEST_POSTGRESQL"] = _stack.enter_context(postgres_server(in_memory=IN_MEMORY)).url(
            "earmark"
        )
        os.environ["EARMARK_TEST_REDIS"] = _stack.enter_context(redis_server()).url().rpartition("/")[0]
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    os.environ["EARMARK_DATABASE_URL"] = os.environ["EARMARK_TEST_POSTGRESQL"]
    os.environ["EARMARK_REDIS_URL"] = f"{os.environ['EARMARK_TEST_REDIS']}/{worker}"


# A process that a test starts (the fixture process_environment) works on that test's own database and folder.
if "EARMARK_TEST_CHILD" not in os.environ:
    _prepare_environment()

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, INSTALLED_APPS, MIDDLEWARE, REST_FRAMEWORK, SCHEDULE, STORAGES  # noqa: E402

INSTALLED_APPS = [*INSTALLED_APPS, "tests.testapp"]
# A file, not memory: threads and processes of a test must meet in the same database, as they do in real life.
DATABASES["default"].setdefault("TEST", {})
if TEST_DATABASE == "sqlite" and "EARMARK_TEST_CHILD" not in os.environ:
    _database_folder = _stack.enter_context(scratch_folder("sqlite", in_memory=IN_MEMORY))
    DATABASES["default"]["TEST"]["NAME"] = str(_database_folder / "test.sqlite3")
# A connection kept by a server thread would stop the test database from being dropped.
DATABASES["default"]["CONN_MAX_AGE"] = 0
# How full the disk of this machine is decides no test; the tests about that say so themselves.
LEAST_FREE_MB = 0
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
# Tests ask more of one address in a minute than a laboratory does; those of the limits themselves set their own.
REST_FRAMEWORK = {**REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"visit": "1000000/m", "address": "1000000/m"}}
if os.environ.get("EARMARK_TEST_CHILD") == "browser":
    # In a database that was emptied for the next test every job of the schedule is due again.
    SCHEDULE = {name: every_s for name, every_s in SCHEDULE.items() if name == "analysis.refresh_stale_results"}
if "EARMARK_TEST_CHILD" in os.environ:
    WHITENOISE_USE_FINDERS = True
    WHITENOISE_AUTOREFRESH = True
else:
    # It would look for a file at every request, a fifth of what a test's request takes. A live server of Django has
    # static files without it.
    MIDDLEWARE = [name for name in MIDDLEWARE if name != "whitenoise.middleware.WhiteNoiseMiddleware"]
