"""A trial fits into a low window and onto a phone with its hints: what Next waits for, and the answer before."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.assistive import opened
from tests.e2e.conftest import Platform
from tests.e2e.listener import READY, PointerListener
from tests.e2e.test_journeys import CLIPS, Clips
from tests.factories import make_experiment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SIZES = ((1280, 720), (390, 844))


def fits(page: Page, *parts: str) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => scrollTo(0, 0)")
        for part in parts:
            expect(page.locator(part)).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "fr"])  # its texts are longer
@pytest.mark.parametrize(
    "task",
    # ACR and DCR have less on their pages than these two.
    [
        pytest.param(task, marks=[] if task.name in {"p835", "abx"} else [pytest.mark.long], id=task.name)
        for task in CLIPS
    ],
)
def test_next_its_reason_and_the_answer_before_are_in_sight(
    task: Clips, language: str, platform: Platform, device: Callable[..., BrowserContext]
) -> None:
    made = make_experiment(protocol=task.name, live=False, seats=1, language=language, **task.parts)
    listener = PointerListener(device().new_page())
    page = listener.page
    listener.join(opened(made, ear_check=False, level_check=False))
    listener.start()
    page.locator(READY).first.wait_for()
    listener.press_next_too_early()
    expect(page.locator("#next-reason")).not_to_be_empty()
    fits(page, "#where", "#next", "#next-reason")

    task.rate(listener, 2)
    page.locator(READY).first.wait_for()
    fits(page, "#next", "#previous")
    listener.press_next_too_early()
    fits(page, "#next", "#next-reason", "#previous")

    listener.open_previous()
    expect(page.locator("#play-note")).not_to_be_empty()
    fits(page, "#where", "#play-note", "#next")
