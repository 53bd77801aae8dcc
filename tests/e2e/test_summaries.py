"""Speech summaries in the browser: makers and judges by pointer, and by keyboard alone."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from listening.models import Completion
from listening.panels.services import panels
from listening.panels.services.session_settings import change_session_settings
from protocols.speech_summaries.protocol import JUDGE, MAKER
from rating.models import Experiment, Vote
from rating.services.experiments import go_live
from tests.e2e.conftest import Platform
from tests.e2e.listener import KeyboardListener, PointerListener
from tests.e2e.test_accessibility import overflows, scan
from tests.protocols.speech_summaries.material import WORDS, summaries_experiment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def experiment(platform: Platform) -> Experiment:
    """Two utterances of eleven words, of which three to five are wanted."""
    made = summaries_experiment(items=2, makers=1, judges=1, live=False)
    change_session_settings(experiment=made, actor=made.owner, ear_check=False, level_check=False)
    return go_live(experiment=made, actor=made.owner)


def link(experiment: Experiment, group: str) -> str:
    panel = experiment.panels.get(group=group)
    return panels.link(panels.invite(panel=panel, count=1, now=timezone.now(), actor=None)[0])


def saved(page: Page) -> None:
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved")


def picked(page: Page, *words: str) -> None:
    expect(page.locator(".word[aria-pressed=true]")).to_have_text(words)


def newest() -> dict[str, object]:
    payload: dict[str, object] = Vote.objects.latest("id").payload
    return payload


@pytest.mark.long
def test_a_maker_picks_words_by_pointer_and_goes_on_after_a_reload(experiment: Experiment, page: Page) -> None:
    maker = PointerListener(page)
    maker.join(link(experiment, MAKER))
    maker.start()
    word = page.locator(".word")
    expect(word).to_have_text(WORDS)
    expect(page.locator("[data-part=counter]")).to_have_text("Words: 0 (3–5 needed)")
    word.nth(0).click()
    word.nth(1).click()
    expect(page.locator("[data-part=verdict]")).to_have_text("1 more")
    expect(page.locator("[data-part=summary]")).to_have_text("Rain fell")
    page.locator("[data-part=finish]").click(force=True)  # too short: the page stays and says why
    expect(page.locator("[data-part=missing]")).to_have_text("Choose 1 more word (3–5 in all).")
    expect(page.locator("[data-part=where]")).to_have_text("Sentence 1 of 2")
    word.nth(10).click(modifiers=["Shift"])
    expect(page.locator("[data-part=verdict]")).to_have_text("6 too many")
    page.locator("[data-part=undo]").click()
    word.nth(10).click()
    expect(page.locator("[data-part=verdict]")).to_have_text("Done")
    assert scan(page, "maker") + overflows(page, "maker") == []
    page.locator("[data-part=play]").click()
    expect(page.locator("[data-part=play]")).to_have_text("Play")
    page.wait_for_timeout(600)  # the hand rests
    saved(page)

    page.reload()
    maker.start()
    expect(page.locator("[data-part=summary]")).to_have_text("Rain fell bridge.")
    assert newest() == {"picked": [1, 2, 11], "listened": {"plays": 1}, "finished": False}
    page.locator("[data-part=finish]").click()
    expect(page.locator("[data-part=where]")).to_have_text("Sentence 2 of 2")
    for place in (0, 5, 10):
        word.nth(place).click()
    page.locator("[data-part=finish]").click()
    maker.push("#submit")
    assert Completion.objects.filter(code=maker.code()).exists()
    assert newest() == {"picked": [1, 6, 11], "listened": {"plays": 0}, "finished": True}


@pytest.mark.long  # the journey makes one by touch
def test_a_maker_needs_no_pointer(experiment: Experiment, page: Page) -> None:
    maker = KeyboardListener(page)
    maker.join(link(experiment, MAKER))
    maker.start()
    expect(page.locator(".word").first).to_be_focused()
    maker.tab_to("[data-part=finish]")
    maker.press("Enter")
    expect(page.locator("[data-part=missing]")).to_have_text("Choose 3 more words (3–5 in all).")
    page.locator("#key-sheet").evaluate("sheet => sheet.showModal()")
    expect(page.locator("#key-sheet")).to_contain_text("Choose the word, or remove it")
    expect(page.locator("#key-sheet")).not_to_contain_text("Rate this version")
    maker.press("Escape")
    maker.tab_to(".word")
    for key in ("Space", "Shift+ArrowRight", "End", "Space"):
        maker.press(key)
    picked(page, "Rain", "fell", "bridge.")
    maker.press("Enter")  # the sentence
    expect(page.locator("[data-part=verdict]")).to_have_text("6 too many")
    maker.press("Control+z")
    maker.press("Control+z")
    picked(page, "Rain", "fell")
    maker.press("Control+Shift+Z")
    picked(page, "Rain", "fell", "bridge.")
    maker.tab_to("[data-part=finish]")
    maker.press("Enter")
    expect(page.locator("[data-part=where]")).to_have_text("Sentence 2 of 2")
    for key in ("Space", "ArrowRight", "ArrowRight", "Space", "ArrowLeft", "Space"):
        maker.press(key)
    maker.tab_to("[data-part=finish]")
    maker.press("Enter")
    review = page.locator("#review-pages button")
    expect(review).to_have_text(["Sentence 1 of 2", "Sentence 2 of 2"])
    page.reload()
    maker.start()
    expect(review).to_have_text(["Sentence 1 of 2", "Sentence 2 of 2"])
    maker.push("#review-pages li:first-child button")
    picked(page, "Rain", "fell", "bridge.")
    maker.press("Escape")  # as it was, and nothing is stored
    maker.push("#submit")
    maker.code()
    assert newest() == {"picked": [1, 2, 3], "listened": {"plays": 0}, "finished": True}


@pytest.mark.long
def test_a_judge_rates_versions_by_keyboard_and_goes_on_after_a_reload(experiment: Experiment, page: Page) -> None:
    judge = KeyboardListener(page)
    judge.join(link(experiment, JUDGE))
    judge.start()
    expect(page.locator("[data-part=transcript]")).to_have_text(" ".join(WORDS))
    expect(page.locator(".version")).to_have_count(3)
    assert "secret" not in page.content()
    judge.press("Digit4")
    judge.press("Digit2")
    expect(page.locator("[data-part=rated]")).to_have_text("2 of 3 rated")
    assert scan(page, "judge") + overflows(page, "judge") == []
    page.wait_for_timeout(600)
    saved(page)

    page.reload()
    judge.start()
    expect(page.locator("[data-part=rated]")).to_have_text("2 of 3 rated")
    expect(page.locator(".version[data-slot=v3] :focus")).to_have_count(1)
    judge.tab_to("[data-part=finish]")
    judge.press("Enter")  # one is open: the page says which
    expect(page.locator("[data-part=missing]")).to_have_text("Please rate version 3.")
    expect(page.locator(".version[aria-invalid=true]")).to_have_attribute("data-slot", "v3")
    judge.press("Digit5")
    expect(page.locator("[data-part=finish]")).to_be_focused()
    judge.press("Enter")
    expect(page.locator("[data-part=where]")).to_have_text("Sentence 2 of 2")
    for digit in (1, 2, 3):
        judge.press(f"Digit{digit}")
    judge.press("Enter")
    judge.push("#submit")
    judge.code()
    assert newest() == {"marks": {"v1": 1, "v2": 2, "v3": 3}, "comment": "", "listened": {"plays": 0}, "finished": True}


@pytest.mark.long  # the journey judges with the keyboard
def test_a_judge_can_do_it_all_by_pointer(experiment: Experiment, page: Page) -> None:
    judge = PointerListener(page)
    judge.join(link(experiment, JUDGE))
    judge.start()
    for number in (1, 2):
        expect(page.locator("[data-part=where]")).to_have_text(re.compile(rf"Sentence {number} of 2"))
        for version in page.locator(".version").all():
            version.locator("label:has(input[value='3'])").click()
        page.locator("[data-part=comment]").fill("All alike.")
        page.locator("[data-part=finish]").click()
    page.locator("#review-pages button").first.click()
    judge.push("[data-part=keep]")
    judge.push("#submit")
    judge.code()
    assert newest()["comment"] == "All alike."
