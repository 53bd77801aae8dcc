"""Pages that are worked on, by touch, without a network and in a second tab: nothing is lost, nothing overwritten."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from listening.panels.services.session_settings import change_session_settings
from protocols.speech_summaries.protocol import MAKER
from rating.services.experiments import go_live
from tests.e2e import captions, test_chapters, test_summaries
from tests.e2e.conftest import Platform
from tests.e2e.listener import PointerListener
from tests.protocols.speech_summaries.material import summaries_experiment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CHANGED = "This page was changed in another tab"


def state(page: Page, wanted: str) -> None:
    expect(page.locator("#save-state")).to_have_attribute("data-state", wanted)


def second_tab(page: Page) -> Page:
    """The same visit once more in the same browser."""
    other = page.context.new_page()
    other.goto(page.url)
    PointerListener(other).start()
    return other


def test_captions_are_scored_by_touch_offline_and_changed_in_a_second_tab(
    platform: Platform, device: Callable[..., BrowserContext]
) -> None:
    page = device(**PHONE).new_page()
    captions.begin(PointerListener(page), captions.invitation(platform))
    captions.leave_example(PointerListener(page))
    state(page, "saved")
    expect(page.locator(".thumbs kbd:visible, [data-act=keys]:visible")).to_have_count(0)

    page.context.set_offline(True)
    captions.row(page, 1, "PRECISION").locator("label:has(input[value='4'])").tap()
    state(page, "kept")
    page.context.set_offline(False)
    state(page, "saved")
    assert captions.newest()["captions"]["c1"] == {"PRECISION": 4}

    other = second_tab(page)
    captions.row(other, 1, "RECALL").locator("label:has(input[value='2'])").tap()
    state(other, "saved")
    expect(page.get_by_text(CHANGED)).to_be_visible()
    expect(captions.row(page, 1, "RECALL").locator("input:checked")).to_have_value("2")
    expect(captions.row(page, 1, "PRECISION").locator("input:checked")).to_have_value("4")


def test_words_are_chosen_by_touch_offline_and_changed_in_a_second_tab(
    platform: Platform, device: Callable[..., BrowserContext]
) -> None:
    made = summaries_experiment(items=2, makers=1, judges=1, live=False)
    change_session_settings(experiment=made, actor=made.owner, ear_check=False, level_check=False)
    page = device(**PHONE).new_page()
    maker = PointerListener(page)
    maker.join(test_summaries.link(go_live(experiment=made, actor=made.owner), MAKER))
    maker.start()
    page.locator(".word").first.wait_for()
    state(page, "saved")

    page.context.set_offline(True)
    for place in (0, 1):
        page.locator(".word").nth(place).tap()
    page.locator("[data-part=finish]").tap(force=True)
    expect(page.locator("[data-part=missing]")).to_have_text("Choose 1 more word (3–5 in all).")
    state(page, "kept")
    page.context.set_offline(False)
    state(page, "saved")

    other = second_tab(page)
    other.locator(".word").nth(10).tap()
    state(other, "saved")
    expect(page.get_by_text(CHANGED)).to_be_visible()
    expect(page.locator("[data-part=summary]")).to_have_text("Rain fell bridge.")  # and not the next utterance
    other.close()
    page.locator("[data-part=finish]").tap()
    expect(page.locator("[data-part=where]")).to_have_text("Utterance 2 of 2")
    state(page, "saved")
    assert test_summaries.newest() == {"picked": [1, 2, 11], "listened": {"plays": 0}, "finished": True}


def test_chapters_are_marked_offline_and_changed_in_a_second_tab(platform: Platform, page: Page) -> None:
    test_chapters.enter(PointerListener(page), test_chapters.invitation(platform))
    state(page, "saved")
    page.context.set_offline(True)
    page.locator(".viewer__field").click(position={"x": 300, "y": 100})
    page.locator("[data-act=mark]").click()
    state(page, "kept")
    page.context.set_offline(False)
    state(page, "saved")
    test_chapters.kept(1)

    other = second_tab(page)
    other.locator(test_chapters.READY).wait_for()
    other.get_by_label("Title of chapter 2").fill("Later")
    state(other, "saved")
    expect(page.get_by_text(CHANGED)).to_be_visible()
    expect(page.get_by_label("Title of chapter 2")).to_have_value("Later")
