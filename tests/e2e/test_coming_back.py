"""Coming back by reload, Back, the link or another device: the page says how far one is, and folds the instructions."""

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from listening.panels.services import panels
from listening.panels.services.session_settings import change_session_settings
from protocols.speech_summaries.protocol import MAKER
from rating.models import Experiment, Vote
from rating.services.experiments import go_live
from tests.e2e.conftest import Platform, intercepted
from tests.e2e.listener import KeyboardListener, PointerListener
from tests.e2e.test_accessibility import overflows, scan
from tests.factories import make_experiment, token_without_sound_check
from tests.protocols.speech_summaries.material import summaries_experiment
from tests.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def scale_link(platform: Platform) -> str:
    """An invitation to rate four clips."""
    return platform.url(f"/join/{token_without_sound_check(make_experiment(live=False))}/")


@pytest.fixture
def maker_link(platform: Platform) -> str:
    """An invitation to shorten two utterances of eleven words to three to five."""
    experiment: Experiment = summaries_experiment(items=2, makers=1, judges=1, live=False)
    change_session_settings(experiment=experiment, actor=experiment.owner, ear_check=False, level_check=False)
    panel = go_live(experiment=experiment, actor=experiment.owner).panels.get(group=MAKER)
    return panels.link(panels.invite(panel=panel, count=1, now=timezone.now(), actor=None)[0])


def comes_back_to(page: Page, heading: str) -> None:
    expect(page.locator("#instructions h1")).to_have_text(heading)
    expect(page.locator("#start")).to_have_text("Continue")
    expect(page.locator("#instructions .how")).to_be_hidden()
    page.get_by_text("Instructions", exact=True).click()
    expect(page.locator("#instructions .how")).to_be_visible()


def saved(page: Page) -> None:
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved")


def continue_from_landing(page: Page) -> None:
    page.get_by_role("button", name="Continue").click()


def test_a_newcomer_sees_the_instructions_unfolded(scale_link: str, page: Page) -> None:
    listener = PointerListener(page)
    listener.join(scale_link)
    listener.set_up()
    expect(page.locator("#instructions .how")).to_be_visible()
    expect(page.get_by_text("You hear each clip once.")).to_be_visible()
    expect(page.locator("#instructions-folded")).to_be_hidden()
    expect(page.locator("#start")).to_have_text("Start")
    page.reload()  # nothing was answered: nothing to come back to
    expect(page.locator("#start")).to_have_text("Start")


def test_a_rater_of_clips_finds_the_place_again_after_reload_back_the_link_and_on_another_device(
    scale_link: str, device: Callable[..., BrowserContext]
) -> None:
    page = device().new_page()
    listener = PointerListener(page)
    listener.join(scale_link)
    listener.start()
    listener.rate(4)
    listener.rate(2)
    saved(page)

    page.reload()
    comes_back_to(page, "You have answered 2 of 4 clips.")
    assert scan(page, "coming back") + overflows(page, "coming back") == []
    page.go_back()
    page.go_forward()
    comes_back_to(page, "You have answered 2 of 4 clips.")
    page.goto(scale_link)
    continue_from_landing(page)
    comes_back_to(page, "You have answered 2 of 4 clips.")

    phone = KeyboardListener(device(viewport={"width": 390, "height": 844}).new_page())
    phone.page.goto(scale_link)
    continue_from_landing(phone.page)
    comes_back_to(phone.page, "You have answered 2 of 4 clips.")
    phone.start()
    phone.rate(5)
    saved(phone.page)
    page.reload()
    comes_back_to(page, "You have answered 3 of 4 clips.")


def test_answers_that_wait_on_this_device_count(scale_link: str, page: Page) -> None:
    listener = PointerListener(page)
    listener.join(scale_link)
    listener.start()
    listener.rate(4)
    saved(page)
    with intercepted(page, "**/votes/", lambda route: route.abort()):
        listener.rate(2)
        listener.rate(3)
        page.reload()
        comes_back_to(page, "You have answered 3 of 4 clips.")
    saved(page)
    listener.start()
    expect(page.locator("#where")).to_have_text("Clip 4 of 4")
    expect(page.locator("#previous")).to_be_visible()  # what arrives late is still this browser's own


@pytest.mark.long  # the journeys reload drafts too
def test_a_maker_of_summaries_finds_begun_and_finished_work_after_reload_back_and_on_another_device(
    maker_link: str, device: Callable[..., BrowserContext]
) -> None:
    page = device().new_page()
    maker = PointerListener(page)
    maker.join(maker_link)
    maker.start()
    page.locator(".word").first.click()
    wait_until(Vote.objects.exists, "the step reaches the server")

    page.reload()
    comes_back_to(page, "Your work so far is saved.")
    maker.start()
    expect(page.locator(".word[aria-pressed=true]")).to_have_count(1)
    for place in (1, 2):
        page.locator(".word").nth(place).click()
    page.locator("[data-part=finish]").click()
    expect(page.locator("[data-part=where]")).to_have_text("Sentence 2 of 2")
    saved(page)

    page.go_back()
    page.go_forward()
    comes_back_to(page, "You have answered 1 of 2 sentences.")
    other = device().new_page()
    other.goto(maker_link)
    continue_from_landing(other)
    comes_back_to(other, "You have answered 1 of 2 sentences.")
    PointerListener(other).start()
    expect(other.locator("[data-part=where]")).to_have_text("Sentence 2 of 2")
