"""Pages with several sounds: a reference before the clip that is rated, and free switching between A, B and X."""

from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from listening.models import Completion
from listening.panels.services import panels
from listening.panels.services.session_settings import change_session_settings
from rating.models import Vote
from rating.services.experiments import go_live
from tests.e2e.conftest import Platform
from tests.e2e.listener import KeyboardListener, PointerListener
from tests.e2e.test_accessibility import overflows, scan
from tests.factories import make_experiment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAMES_SEEN = """() => {
  globalThis.names = [];
  const name = document.querySelector("#sound-name");
  new MutationObserver(() => names.push(name.textContent)).observe(name, { childList: true });
}"""


def link(protocol: str, **parts: Any) -> str:
    made = make_experiment(protocol=protocol, live=False, seats=1, **parts)
    change_session_settings(experiment=made, actor=made.owner, ear_check=False, level_check=False)
    panel = go_live(experiment=made, actor=made.owner).panels.get()
    return panels.link(panels.invite(panel=panel, count=1, now=timezone.now(), actor=None)[0])


@pytest.mark.long
def test_a_reference_and_a_clip_are_heard_twice_and_the_clip_is_rated(platform: Platform, page: Page) -> None:
    listener = PointerListener(page)
    listener.join(link("dcr", items=2, conditions=1, options={"rounds": 2, "gap_s": 0.2, "round_gap_s": 0.4}))
    listener.start()
    page.evaluate(NAMES_SEEN)
    expect(page.locator("legend", has_text="compared with the reference")).to_be_visible()
    listener.rate(4)
    names = [name for name in page.evaluate("names") if name != "Listening…"]
    assert names == ["Reference", "Clip to rate"] * 2
    assert scan(page, "pair") + overflows(page, "pair") == []
    listener.rate(2)
    assert listener.code() == Completion.objects.get().code
    votes = Vote.objects.order_by("id")
    assert [vote.payload["marks"] for vote in votes] == [[{"slot": "b", "scale": "DEG", "value": n}] for n in (4, 2)]
    assert [(vote.heard["plays"], vote.heard["heard_full"], vote.flags) for vote in votes] == [(1, True, [])] * 2


@pytest.mark.parametrize("cross", [False, True])
def test_while_a_clip_plays_a_loudspeaker_is_shown_or_a_cross_where_the_experiment_wants_it(
    cross: bool, platform: Platform, page: Page
) -> None:
    listener = PointerListener(page)
    listener.join(link("acr", items=2, conditions=1, options={"fixation_cross": cross}))
    listener.start()
    page.locator("#play:enabled").wait_for()
    page.evaluate("document.querySelector('#listening').hidden = false")  # as while a clip plays
    expect(page.locator(".play__speaker")).to_be_visible(visible=not cross)
    expect(page.locator("#sound-name")).to_have_text("" if cross else "Listening…")


@pytest.mark.long
def test_x_is_identified_by_keys_and_by_pointer_when_all_three_were_heard(platform: Platform, page: Page) -> None:
    listener = KeyboardListener(page)
    listener.join(link("abx", items=2, conditions=2, options={"repetitions": 1}))
    listener.start()
    sounds, note = page.locator(".abx__sound"), page.locator("#play-note")
    expect(sounds.first).to_be_enabled()
    assert scan(page, "before") == []
    listener.press("1")
    expect(note).to_have_text("You can answer when you have heard A, B and X.")
    for place, key in enumerate("abx"):
        listener.press(key)
        expect(sounds.nth(place)).to_have_attribute("aria-pressed", "true")
        expect(sounds.nth(place)).to_have_attribute("data-heard", "")
    expect(page.locator("#clip-problem")).to_be_hidden()
    listener.press("2")
    expect(note).to_contain_text("X is B.")
    listener.press("Space")
    expect(page.locator("[data-part=play-label]")).to_have_text("Play")
    assert scan(page, "answered") + overflows(page, "answered") == []
    listener.press("Enter")
    expect(page.locator("#where")).to_have_text("Comparison 2 of 2")
    expect(sounds.first).to_be_enabled()
    page.locator("#next").click(force=True)
    expect(page.locator("#next-reason")).to_have_text("Listen to A, B and X first.")
    for place in range(3):
        sounds.nth(place).click()
        expect(sounds.nth(place)).to_have_attribute("data-heard", "")
    listener.press("2")
    listener.press("Enter")
    assert listener.code() == Completion.objects.get().code

    first, last = Vote.objects.order_by("id")
    assert [vote.payload["answer"] for vote in (first, last)] == ["b", "b"]
    assert (first.payload["switches"], first.flags) == (2, [])
    assert min(first.payload["heard_ms"].values()) > 300
    assert first.heard["plays"] >= 1
    assert set(last.trial.votes.get().payload["heard_ms"]) == {"a", "b", "x"}


def test_a_reopened_comparison_says_why_its_sounds_are_off_and_can_be_left_as_it_was(
    platform: Platform, page: Page
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    listener = KeyboardListener(page)
    listener.join(link("abx", items=2, conditions=2, options={"repetitions": 1}))
    listener.start()
    sounds, note = page.locator(".abx__sound"), page.locator("#play-note")
    expect(sounds.first).to_be_enabled()
    for place, key in enumerate("abx"):
        listener.press(key)
        expect(sounds.nth(place)).to_have_attribute("data-heard", "")
    listener.press("2")
    listener.press("Enter")
    expect(page.locator("#where")).to_have_text("Comparison 2 of 2")
    expect(page.locator(".trial__keep")).to_have_count(0)

    listener.open_previous()
    off = "The sounds are not played again."
    expect(note).to_have_text(f"This was your answer. You can change it. {off}")
    sounds.first.click(force=True)
    expect(note).to_have_text(off)
    listener.press("1")
    expect(note).to_have_text(f"Press Next to go on. {off}")
    listener.press("b")
    expect(note).to_have_text(off)
    assert scan(page, "opened again") + overflows(page, "opened again") == []
    page.get_by_role("button", name="Keep my answer").click()
    expect(page.locator("#where")).to_have_text("Comparison 2 of 2")
    assert [vote.payload["answer"] for vote in Vote.objects.all()] == ["b"]
