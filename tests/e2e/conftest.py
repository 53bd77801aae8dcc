"""A whole Earmark for every test: gunicorn, a worker and a browser, on the test's own database."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from django.test import override_settings
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from core.models import User
from listening.demos import acr
from listening.panels.services import demo
from rating.models import Experiment
from scripts.platform import running
from scripts.provision import CHROMIUM_FLAGS
from stimuli.services.collections import create_collection
from tests.people import browser_of, experimenter
from tests.servers import chromium_path, free_port

PATIENCE_MS = 20_000  # a busy machine is not a defect
CLIP_S = 0.8
expect.set_options(timeout=PATIENCE_MS)


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


@dataclass(frozen=True)
class Platform:
    """The running server and how to reach it."""

    address: str

    def url(self, path: str) -> str:
        return self.address + path


@pytest.fixture
def platform(process_environment: dict[str, str]) -> Iterator[Platform]:
    """The web server and the worker as `./earmark run` starts them."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    environment = {**process_environment, "EARMARK_PUBLIC_URL": address}
    with running(port=port, environment=environment), override_settings(PUBLIC_URL=address):
        yield Platform(address)


@pytest.fixture
def short_demo(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """The demo with shorter clips, where they are heard to their end one after the other."""
    monkeypatch.setattr(acr, "DURATION_S", CLIP_S)
    return demo.create_demo()[0]


def let_in(context: BrowserContext, address: str, person: User) -> None:
    """As if the person had signed in with this browser; the form itself is filled in by tests.e2e.test_journey."""
    cookie = browser_of(person).cookies["earmark"].value
    context.add_cookies([{"name": "earmark", "value": cookie, "url": address}])


@pytest.fixture
def desk(page: Page, platform: Platform) -> Page:
    """The page on which files are handed in, for an empty collection."""
    owner = experimenter()
    create_collection(owner=owner, slug="sounds", title="Sounds")
    let_in(page.context, platform.address, owner)
    page.goto(platform.url("/collections/sounds/import/"))
    return page
