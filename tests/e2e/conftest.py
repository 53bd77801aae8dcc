"""One running Earmark for the browser tests of a process, and Chromium; each test begins with an empty database."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from django.test import override_settings
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect, sync_playwright

from core.models import Job, User
from listening.panels.services import demo
from protocols.acr import demo as acr_demo
from rating.models import Experiment
from scripts.provision import CHROMIUM_FLAGS
from scripts.testserver import running
from stimuli.services.collections import create_collection
from tests.people import browser_of, experimenter
from tests.scale import ALL
from tests.servers import chromium_path, free_port
from tests.waiting import wait_until

pytest.register_assert_rewrite("tests.e2e.assistive")  # its failures say what was found, as those of tests do

HERE = Path(__file__).parent
PATIENCE_MS = 60_000  # a busy machine is not a defect
CLIP_S = 0.8
JOB_S = 10  # what a job may still take when its test is over
# The first job that decodes also compiles its kernels, where nothing was compiled on this machine yet.
FIRST_JOB_MS = 300_000
expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that bring a server of their own come last, so that the shared one is started once."""
    items.sort(key=_has_own_server)


def _has_own_server(item: pytest.Item) -> bool:
    return item.path.is_relative_to(HERE) and "platform" not in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    # Playwright runs an event loop in this thread; Django would refuse the database there although nothing is shared.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def device(chromium: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Make browsers that share nothing, as two devices do; any error on their pages fails the test."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def new(**options: object) -> BrowserContext:
        context = chromium.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        context.on("weberror", lambda error: errors.append(str(error.error)))
        contexts.append(context)
        return context

    yield new
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def page(device: Callable[..., BrowserContext]) -> Page:
    return device().new_page()


@contextmanager
def intercepted(page: Page, addresses: str, handle: Callable[[Route], object]) -> Iterator[None]:
    """Handle these requests while the block runs; afterwards they pass.

    The route stays: Chromium never answers a request that is under way while Playwright's `unroute` ends interception.
    """
    over = False
    page.route(addresses, lambda route: route.fallback() if over else handle(route))
    yield
    over = True


def held_back(page: Page, addresses: str | re.Pattern[str]) -> list[Route]:
    """The requests to these addresses, which wait until they are told to go on."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(addresses, hold)
    return held


class Platform:
    """The web server and the worker as `./earmark run` starts them, shared by the tests of a process that want them."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        # A second web process warms up everything once more, and starts a sandbox of its own.
        processes = "2" if ALL else "1"
        own = {"EARMARK_PUBLIC_URL": self.address, "EARMARK_TEST_CHILD": "browser", "WEB_CONCURRENCY": processes}
        self.environment = {**environment, **own}
        self._processes = ExitStack()
        self._runs = False

    def url(self, path: str) -> str:
        return self.address + path

    def start(self) -> None:
        if not self._runs:
            self._processes.enter_context(running(port=self.port, environment=self.environment))
            self._runs = True

    def stop(self) -> None:
        self._processes.close()
        self._runs = False

    def finish_jobs(self) -> None:
        """Take back what a test has left in the queue and wait for what is running, so that it meets no other test."""
        try:
            wait_until(lambda: not self._drop_queued_jobs(), patience_s=JOB_S)
        except AssertionError:  # a long job, which the test did not need
            self.stop()
            self.start()

    @staticmethod
    def _drop_queued_jobs() -> bool:
        """Returns whether a job is still running."""
        Job.objects.filter(state=Job.State.QUEUED).delete()
        return Job.objects.filter(state=Job.State.RUNNING).exists()


@pytest.fixture(scope="session")
def server(server_environment: dict[str, str]) -> Iterator[Platform]:
    shared = Platform(server_environment)
    yield shared
    shared.stop()


@pytest.fixture(autouse=True)
def _no_worker_of_other_tests(request: pytest.FixtureRequest, server: Platform) -> None:
    """A test that brings a server of its own does its jobs itself; one without the database has none."""
    if "platform" not in request.fixturenames and request.node.get_closest_marker("django_db"):
        server.stop()


@pytest.fixture
def platform(server: Platform, transactional_db: None) -> Iterator[Platform]:
    """The running server, on a database that holds nothing yet."""
    server.start()
    with override_settings(PUBLIC_URL=server.address):
        yield server
    server.finish_jobs()


@pytest.fixture
def short_demo(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """One experiment of the demo without practice, with shorter clips, which are heard to their end one by one."""
    monkeypatch.setattr(acr_demo, "DURATION_S", CLIP_S)
    monkeypatch.setattr(acr_demo, "PRACTICE", 0)
    return acr_demo.build(owner=demo.create_accounts())


def let_in(context: BrowserContext, address: str, person: User) -> None:
    """As if the person had signed in with this browser; the form itself is filled in by tests.e2e.test_journey."""
    cookie = browser_of(person).cookies["earmark"].value
    context.add_cookies([{"name": "earmark", "value": cookie, "url": address}])


@pytest.fixture
def import_page(page: Page, platform: Platform) -> Page:
    """The page on which files are handed in, for an empty collection."""
    owner = experimenter()
    create_collection(owner=owner, slug="sounds", title="Sounds")
    let_in(page.context, platform.address, owner)
    page.goto(platform.url("/collections/sounds/import/"))
    return page
