"""Questionnaire in the browser: answered, reloaded in the middle while the server is away, and handed in."""

import re

import pytest
from playwright.sync_api import Page, expect

from listening.models import QuestionAnswer
from tests.e2e.conftest import Platform, held_back, intercepted
from tests.e2e.listener import PointerListener
from tests.e2e.test_accessibility import overflows, scan
from tests.factories import make_experiment, token_without_sound_check
from tests.listening.participation.test_questionnaires import QUESTIONS, given
from tests.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGE_HEIGHT = "document.documentElement.scrollHeight"


def test_a_reload_in_the_middle_keeps_every_answer_and_the_receipt_comes_after_the_last_question(
    platform: Platform, page: Page
) -> None:
    experiment = make_experiment(live=False, items=1, conditions=1, questions=QUESTIONS)
    page.set_viewport_size({"width": 390, "height": 844})
    listener = PointerListener(page)
    listener.join(platform.url(f"/join/{token_without_sound_check(experiment)}/"))
    page.get_by_label("25 to 34").check()
    wait_until(lambda: QuestionAnswer.objects.filter(question="age_band", value="25_34").exists())
    with intercepted(page, "**/questions/", lambda route: route.abort()):
        page.get_by_label("How long did you sleep?").fill("7.5")
        page.get_by_label("Hi-fi").check()
        expect(page.locator("#save-state")).to_have_text("Not sent yet")
        page.reload()
        expect(page.get_by_label("25 to 34")).to_be_checked()
        expect(page.get_by_label("How long did you sleep?")).to_have_value("7.5")
        expect(page.locator("#questions-note")).to_contain_text("The server cannot be reached.")
        height = page.evaluate(PAGE_HEIGHT)
    expect(page.locator("#save-state")).to_have_text("Saved", timeout=60_000)
    expect(page.locator("#questions-note")).to_be_empty()
    assert page.evaluate(PAGE_HEIGHT) == height, "a page that gets shorter moves what is being pressed"
    assert QuestionAnswer.objects.count() == 3
    assert scan(page, "questionnaire") + overflows(page, "questionnaire") == []
    page.get_by_role("button", name="Continue").click()
    listener.start()
    listener.rate(4)
    page.get_by_role("button", name="Continue").click()  # the scale is missing
    expect(page.locator(".errorlist")).to_have_text("Please answer this question.")
    expect(page.get_by_label("1", exact=True)).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Continue").click()
    assert listener.code()
    assert given() == {"age_band": "25_34", "hours": 7.5, "devices": ["Hi-fi"], "tired": 2, "comment": None}


def test_an_answer_that_is_given_before_the_script_runs_is_sent(platform: Platform, page: Page) -> None:
    experiment = make_experiment(live=False, items=1, conditions=1, questions=QUESTIONS)
    held = held_back(page, re.compile(r"/questionnaire[^/]*\.js"))
    PointerListener(page).join(platform.url(f"/join/{token_without_sound_check(experiment)}/"))
    page.get_by_label("25 to 34").check()
    page.get_by_label("How long did you sleep?").fill("7.5")
    assert not QuestionAnswer.objects.exists()
    held.pop().continue_()
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert dict(QuestionAnswer.objects.values_list("question", "value")) == {"age_band": "25_34", "hours": 7.5}
