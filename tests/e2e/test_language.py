"""A French experiment in an English browser: every page of the visit is in French, and only the scale in English."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from rating.services.experiments import go_live
from tests.contracts.participant_texts import sentences
from tests.e2e.conftest import Platform
from tests.e2e.listener import PointerListener
from tests.factories import make_experiment, new_token

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ENGLISH = sentences()


def check_french(page: Page) -> None:
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    shown = " ".join(page.locator("body").inner_text().split())
    assert len(shown) > 100
    assert [text for text in ENGLISH if text in shown] == []
    expect(page.locator("[name=language]")).to_have_count(0)


def pass_ear_check(page: Page) -> None:
    """Answer with the letters that the page announces; nobody here has ears, so what is answered is a guess."""
    expect(page.locator("#screening-choices kbd")).to_have_text(["G", "B", "D"])
    check_french(page)
    page.locator("#screening-play:enabled").click()
    for number in (1, 2, 3):
        expect(page.locator("#screening-round")).to_have_text(f"{number} sur 3")
        page.locator("#screening-choices button:not([aria-disabled=true])").first.wait_for()
        page.keyboard.press("g")


def test_landing_checks_trial_and_receipt_of_a_french_experiment_are_in_french(
    platform: Platform, device: Callable[..., BrowserContext]
) -> None:
    experiment = make_experiment(
        language="fr", live=False, items=1, title="Essai d’écoute", consent_text="Mes réponses sont gardées."
    )
    link = platform.url(f"/join/{new_token(experiment)}/")
    go_live(experiment=experiment, actor=experiment.owner)
    page = device(locale="en-GB").new_page()
    listener = PointerListener(page)
    page.goto(link)
    expect(page.get_by_text("Les textes de la tâche elle-même sont en anglais.")).to_be_visible()
    check_french(page)
    page.get_by_role("button", name="Accepter et commencer").click()

    for check in range(1, 4):
        page.locator(f"#setup[data-check='{check}']:visible, #start:enabled:visible").first.wait_for()
        if page.locator("[data-setup=level]").is_visible():
            break
        pass_ear_check(page)
    page.locator("#level-play:enabled").click()
    page.locator("#level-fine > summary").click()
    page.locator("#level-raise").click()
    expect(page.locator("#level-shown")).to_have_text(re.compile(r"^\+\d,\d dB$"))
    check_french(page)
    page.locator("#start:enabled").click()
    page.locator("#play:enabled").wait_for()
    page.keyboard.press("?")
    expect(page.locator("#key-sheet")).to_be_visible()
    check_french(page)
    page.keyboard.press("Escape")
    expect(page.locator("#view [lang=en]").first).to_be_visible()
    for _ in range(2):
        listener.rate(4)
    assert listener.code()
    check_french(page)
