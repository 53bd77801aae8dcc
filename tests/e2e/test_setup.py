"""Sound check, practice and receipt, as a person who has never seen one goes through it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from listening.models import Completion, Seat, SetupStep
from listening.panels.services import panels
from rating.models import Ballot, Vote
from rating.services.experiments import go_live
from tests.e2e.assistive import opened
from tests.e2e.conftest import Platform
from tests.e2e.listener import PointerListener
from tests.e2e.test_accessibility import overflows, scan
from tests.factories import make_experiment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def link(**options: Any) -> str:
    made = make_experiment(live=False, seats=1, items=2, conditions=1, options=options)
    panel = go_live(experiment=made, actor=made.owner).panels.get()
    return panels.link(panels.invite(panel=panel, count=1, now=timezone.now(), actor=None)[0])


# A browser that keeps the sound off, or no longer does.
KEEP_SOUND = """off => {
  const shared = BaseAudioContext.prototype;
  window.ownState ??= Object.getOwnPropertyDescriptor(shared, "state");
  Object.defineProperty(shared, "state", off ? { get: () => "suspended", configurable: true } : window.ownState);
}"""
PRESS_AND_HEAR = """play => new Promise((resolve) => {
  const look = () => play.hasAttribute("data-listening") && resolve(play.innerText);
  new MutationObserver(look).observe(play, { attributes: true });
  play.click();
})"""
SOUND_OFF = "Your browser keeps the sound off. Allow sound for this page, then press Play again."


def check_volume(page: Page) -> None:
    """The page says why it does not continue, plays, stops, and keeps fine tuning out of the way."""
    play, start, why = page.locator("#level-play"), page.locator("#start"), page.locator("#start-why")
    expect(play).to_have_text("Play sample Space")
    expect(page.locator("#level-lock")).to_be_hidden()  # one button for the level and the instructions below it
    expect(start).to_be_disabled()
    expect(why).to_have_text("Play the sample first.")
    expect(page.locator("#level-slider")).to_be_hidden()
    page.keyboard.press("ArrowRight")  # means nothing while what it changes is not seen
    page.evaluate(KEEP_SOUND, True)
    play.click()
    expect(page.locator("#level-note")).to_have_text(SOUND_OFF)
    expect(start).to_be_disabled()
    page.evaluate(KEEP_SOUND, False)
    play.click()
    expect(play).to_have_text("Stop Space")
    expect(page.locator("#level-note")).to_have_text("The sample repeats until you press Stop.")
    expect(why).to_be_empty()
    expect(start).to_be_enabled()
    play.click()
    expect(play).to_have_text("Play sample Space")
    page.locator("#level-fine > summary").click()
    middle = "e => { const box = e.getBoundingClientRect(); return box.x + box.width / 2; }"
    slider, tick = (page.locator(part).evaluate(middle) for part in ("#level-slider", ".level__ends > :nth-child(2)"))
    assert abs(slider - tick) < 1, "0 stands under the middle of the slider"
    assert scan(page, "level") + overflows(page, "level") == []
    start.click()


def check_sound_is_on(page: Page) -> None:
    """Play says why nothing is heard, and that something is."""
    play, note = page.locator("#screening-play"), page.locator("#screening-round")
    page.evaluate(KEEP_SOUND, True)
    page.locator("#screening-play:enabled").click()
    expect(note).to_have_text(SOUND_OFF)
    page.evaluate(KEEP_SOUND, False)
    assert play.evaluate(PRESS_AND_HEAR).startswith("Listening…")
    expect(note).to_have_text("1 of 3")
    expect(play).to_have_text("Play Space")


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "fr"])  # its texts are longer
@pytest.mark.parametrize(
    "protocol", ["acr", "p835", *(pytest.param(each, marks=pytest.mark.long) for each in ("dcr", "abx"))]
)
def test_start_is_in_a_low_window_and_on_a_phone_with_the_volume_above(
    platform: Platform, device: Callable[..., BrowserContext], protocol: str, language: str
) -> None:
    made = make_experiment(protocol=protocol, live=False, seats=1, items=2, language=language)
    page = device().new_page()
    play, start = page.locator("#level-play"), page.locator("#start")

    def both_are_in_sight() -> None:
        for width, height in ((1280, 720), (1024, 600), (390, 664)):
            page.set_viewport_size({"width": width, "height": height})
            expect(play).to_be_in_viewport(ratio=1)
            expect(start).to_be_in_viewport(ratio=1)

    PointerListener(page).join(opened(made, ear_check=False))
    expect(play).to_be_enabled()
    both_are_in_sight()
    play.click()
    expect(page.locator("#level-note")).not_to_be_empty()
    both_are_in_sight()


@pytest.mark.parametrize("width", [pytest.param(1440, marks=pytest.mark.long), 390])
def test_volume_practice_and_a_receipt_that_can_be_withdrawn_in_two_clicks(
    platform: Platform, device: Callable[..., BrowserContext], width: int
) -> None:
    page = device(viewport={"width": width, "height": 844}).new_page()
    listener = PointerListener(page)
    listener.join(link(practice=1))
    expect(page.locator("#screening-play")).to_have_text("Play Space")
    expect(page.locator("#screening-question")).to_have_text("Where did you hear it?")
    expect(page.locator("#screening-why")).to_be_visible()
    check_sound_is_on(page)
    for check in (1, 2):  # after two failures the check is over
        page.locator(f"#setup[data-check='{check}'] #screening-play:enabled").wait_for()
        listener.guess()
    page.locator("#level-play:enabled").wait_for()
    check_volume(page)
    expect(page.locator("#where")).to_have_text("Practice, clip 1 of 1")
    assert SetupStep.objects.get(step="level").outcome["level_db"] == 0
    expect(page.locator("#practice")).to_be_visible()
    listener.rate(3)
    expect(page.locator("#rest-title")).to_have_text("Practice is over")
    expect(page.locator("#rest-next")).to_have_text("Your answers count from now on.")
    expect(page.locator("#rest-clock")).to_be_hidden()
    listener.end_break()
    expect(page.locator("#where")).to_have_text("Clip 1 of 2")
    expect(page.locator("#practice")).to_be_hidden()
    listener.rate(3)
    listener.rate(4)

    assert listener.code() == Completion.objects.get().code
    expect(page.get_by_text("Your answers have arrived.")).to_be_visible()
    expect(page.get_by_text("Seal", exact=True)).to_be_hidden()
    assert scan(page, "receipt") + overflows(page, "receipt") == []
    page.get_by_text("Withdraw my answers").click()
    page.get_by_role("button", name="Withdraw all my answers").click()
    expect(page.locator("h1")).to_have_text("Your answers are withdrawn")
    assert listener.code() == Completion.objects.get().code
    assert Ballot.objects.filter(abandoned_at__isnull=False, vote_count=3).count() == 1
    assert Vote.objects.count() == 3
    assert Seat.objects.filter(state=Seat.State.OPEN, occupancy=2).exists()
