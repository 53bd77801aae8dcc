"""Chapters in a browser: marked, moved, named and removed by pointer, and by keys alone; a reload loses nothing."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from audio.synthesis import clip_bytes
from rating.models import Vote
from stimuli.services.collections import add_stimulus, add_text, create_collection
from tests.e2e.conftest import Platform
from tests.e2e.listener import KeyboardListener, PointerListener
from tests.e2e.test_accessibility import scan
from tests.factories import make_experiment, make_user, token_without_sound_check
from tests.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

RATE_HZ, DURATION_S = 8000, 40.0
TRANSCRIPT = "[0:00] A low tone.\n[0:20] A high one."
READY = ".viewer[data-ready]"
# The cursor stands on the mark at 20.9 s until the sound begins, two seconds before it.
BEFORE_THE_MARK = """() => {
  const shown = document.querySelector(".viewer__time").textContent;
  return shown > "0:19.2" && shown < "0:20.9";
}"""


def invitation(platform: Platform, language: str = "en") -> str:
    """An invitation to divide one recording of 40 seconds: a low tone, then a high one."""
    owner = make_user()
    collection = create_collection(owner=owner, slug=f"recordings-{language}", title="Recordings")
    time_s = np.arange(round(DURATION_S * RATE_HZ)) / RATE_HZ
    sound = 0.1 * np.sin(2 * np.pi * np.where(time_s < 20, 300, 900) * time_s)
    content = clip_bytes(sound.astype(np.float32), RATE_HZ)
    add_stimulus(collection=collection, item="tones", condition="sound", content=content)
    words = {"kind": "transcript", "text": TRANSCRIPT, "tokens": None}
    add_text(collection=collection, item="tones", condition="words", text=words)
    experiment = make_experiment(owner, collection=collection, protocol="chaptering", language=language, live=False)
    return platform.url(f"/join/{token_without_sound_check(experiment)}/")


@pytest.fixture
def link(platform: Platform) -> str:
    return invitation(platform)


def enter(listener: PointerListener, link: str) -> None:
    listener.join(link)
    listener.start()
    listener.page.locator(READY).wait_for()


def come_back(listener: PointerListener) -> None:
    """Load the page again, as after a crash, once everything is safe."""
    expect(listener.page.locator("#save-state")).to_contain_text("Saved")
    listener.page.reload()
    listener.start()
    listener.page.locator(READY).wait_for()


def shown(page: Page) -> list[tuple[str, str]]:
    """Times and titles as they stand in the list."""
    fields = page.locator(".chapter input").evaluate_all("fields => fields.map((field) => field.value)")
    return list(zip(fields[::2], fields[1::2], strict=True))


def newest() -> Any:
    """What the server holds: the newest answer that it accepted."""
    vote = Vote.objects.filter(outcome="accepted").order_by("id").last()
    return vote.payload if vote else {"boundaries": []}


def kept(count: int) -> None:
    wait_until(lambda: len(newest()["boundaries"]) == count, "the step reaches the server")


def receipt(page: Page) -> None:
    page.wait_for_url("**/receipt/")
    expect(page.locator("#completion-code")).to_be_visible()


@pytest.mark.long
def test_chapters_are_marked_moved_named_and_closed_by_pointer(link: str, page: Page) -> None:
    hand = PointerListener(page)
    enter(hand, link)
    field = page.locator(".viewer__field")
    box = field.bounding_box()
    assert box is not None
    mark, later = page.locator("[data-act=mark]"), page.locator("[data-act=later]")

    page.locator("[data-act=remove]").click(force=True)
    expect(page.locator("[data-part=status]")).to_have_text("Select a mark first.")
    mark.click()
    expect(page.locator("[data-part=status]")).to_contain_text("cannot begin at the very start")
    for share in (0.25, 0.75):
        field.click(position={"x": box["width"] * share, "y": box["height"] / 2})
        mark.click()
    expect(page.locator(".viewer__marker")).to_have_count(2)
    later.click()
    page.locator("[data-act=bit-earlier]").click()
    page.get_by_label("Title of chapter 3").fill("Later")
    start = page.get_by_label("Chapter 2 begins at")
    start.fill("9:99:99")
    start.blur()
    expect(start).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#chapter-m1-note")).to_contain_text("Enter a time within the recording")
    start.fill("0:20.5")
    start.blur()
    page.get_by_role("button", name="0:20", exact=True).click()
    mark.click()
    assert [time for time, _ in shown(page)][:3] == ["0:00.000", "0:20.000", "0:20.500"]
    page.get_by_label("Remove the mark of chapter 2").click()
    page.locator("[data-act=undo]").click()
    page.locator("[data-act=redo]").click()
    kept(2)
    near = page.get_by_label("Chapter 3 begins at")
    near.fill("0:20.6")
    near.blur()
    expect(page.locator(".viewer__marker[data-lane='1']")).to_have_count(1)  # two labels, one below the other
    page.locator("[data-act=undo]").click()

    come_back(hand)
    (_, opening), (second, _), (third, title) = shown(page)
    assert (opening, second, title) == ("", "0:20.500", "Later")
    assert 30.5 < float(third.removeprefix("0:")) < 31.5  # three quarters of 40.4 s, and nine tenths of a second

    marker = page.locator(".viewer__marker").first
    grip = marker.bounding_box()
    assert grip is not None
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + 60)
    page.mouse.down()
    page.mouse.move(grip["x"] + grip["width"] / 2 - 60, grip["y"] + 60, steps=4)
    page.mouse.up()
    assert shown(page)[1][0] < "0:20.000"
    page.locator("[data-part=finish]").click()
    expect(page.locator("[data-fact=untitled]")).to_contain_text("1, 2")
    page.get_by_role("button", name="Finish", exact=True).click()
    receipt(page)
    assert newest()["finished"]
    assert [boundary["title"] for boundary in newest()["boundaries"]] == ["", "Later"]


@pytest.mark.long  # the journey marks and names by pointer
def test_chapters_are_marked_moved_named_and_closed_by_keys_alone(link: str, page: Page) -> None:
    hand = KeyboardListener(page)
    enter(hand, link)
    hand.tab_to(".viewer__stage")
    for _ in range(2):
        hand.press("l")
    hand.press("c")
    hand.press("Shift+ArrowRight")
    hand.press("ArrowLeft")
    hand.press("Enter")
    page.keyboard.type("High")
    hand.press("Enter")
    assert shown(page) == [("0:00.000", ""), ("0:20.900", "High")]
    hand.press("Escape")
    hand.press("l")
    hand.press("c")
    hand.press("i")
    hand.press("o")
    hand.press("Backspace")
    hand.press("Control+z")
    kept(2)

    come_back(hand)
    assert [time for time, _ in shown(page)] == ["0:00.000", "0:20.900", "0:30.900"]
    hand.tab_to(".viewer__stage")
    hand.press("o")
    hand.press("Space")
    expect(page.locator(".viewer")).not_to_have_attribute("data-playing", "idle")
    page.wait_for_function(BEFORE_THE_MARK)
    hand.press("Space")
    expect(page.locator(".viewer")).to_have_attribute("data-playing", "idle")
    hand.tab_to("[data-part=finish]")
    hand.press("Enter")
    page.locator("[data-part=closing][open]").wait_for()
    hand.tab_to("[value=finish]")
    hand.press("Enter")
    receipt(page)
    answer = newest()
    assert [boundary["at_s"] for boundary in answer["boundaries"]] == [20.9, 30.9]
    (from_s, to_s), *_ = answer["listened"]["full"]
    assert (from_s, to_s > from_s) == (18.9, True)  # two seconds before the mark


def test_the_page_is_accessible_and_says_so_where_it_is_too_narrow(
    link: str, device: Callable[..., BrowserContext]
) -> None:
    page = device().new_page()
    enter(PointerListener(page), link)
    page.locator(".viewer__field").click(position={"x": 300, "y": 100})
    page.keyboard.press("c")
    assert scan(page, "chapters") == []
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("heading", name="This test needs a computer screen")).to_be_visible()
    page.wait_for_function("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_a_browser_without_scripts_is_told_too(link: str, device: Callable[..., BrowserContext]) -> None:
    page = device(viewport={"width": 390, "height": 844}, java_script_enabled=False).new_page()
    page.goto(link)
    expect(page.get_by_text("this test needs a window at least 1024 pixels wide")).to_be_visible()


TRANSFERRED = """() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/texts/"))
  .map(({ transferSize }) => transferSize > 0)"""


def test_a_french_test_loads_the_translations_once_and_an_english_one_none(
    platform: Platform, device: Callable[..., BrowserContext]
) -> None:
    english, page = (device(locale=language).new_page() for language in ("fr-FR", "en-GB"))
    english.goto(invitation(platform))
    assert english.evaluate(TRANSFERRED) == []
    page.goto(invitation(platform, "fr"))
    assert page.evaluate(TRANSFERRED) == [True]

    page.get_by_role("button", name="Accepter et commencer").click()
    page.locator("#start:enabled").click()
    page.locator(READY).wait_for()
    assert page.evaluate(TRANSFERRED) == [False]
    expect(page.locator("[data-part=where]")).to_have_text("Enregistrement")
    expect(page.locator(".viewer")).to_have_attribute("aria-label", "Visionneuse de son")
    expect(page.locator("#save-state")).to_have_text("")  # nothing was done yet
    page.locator(".viewer__field").click(position={"x": 200, "y": 50})
    page.keyboard.press("c")
    expect(page.locator("[data-part=status]")).to_contain_text("Le chapitre 2 commence à")
    expect(page.locator("#save-state")).to_have_text(re.compile(r"Enregistré à \d\d:\d\d$"))
