"""Journey from a link to a completion code, and the experimenter sees the MOS change."""

import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from core.models import User
from listening.models import Completion
from listening.panels.services import demo
from listening.panels.services.simulation import Bot
from rating.models import Experiment, Score, Vote
from tests.e2e.conftest import CLIP_S, Platform
from tests.e2e.listener import PHONE, KeyboardListener, PointerListener, TouchListener
from tests.factories import marks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


SILENCE_S = 0.4


@pytest.fixture
def experiment(short_demo: Experiment) -> Experiment:
    return short_demo


def fresh_link() -> str:
    return next(iter(demo.fresh_links(now=timezone.now()).values()))


def sign_in(page: Page, platform: Platform) -> None:
    page.goto(platform.url("/accounts/login/"))
    page.get_by_label("Name").fill(demo.EXPERIMENTER)
    page.get_by_label("Password").fill(demo.logins()[demo.EXPERIMENTER])
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/experiments/")


def take_test(listener: PointerListener, *, value: int) -> str:
    listener.join(fresh_link())
    listener.start()
    for _ in range(12):
        listener.rate(value)
    return listener.code()


@pytest.mark.long
@pytest.mark.parametrize("hands", [PointerListener, KeyboardListener])
def test_a_listener_takes_the_demo_and_the_experimenter_sees_the_mos_change(
    hands: type[PointerListener],
    experiment: Experiment,
    platform: Platform,
    device: Callable[..., BrowserContext],
) -> None:
    staff_page = device().new_page()
    sign_in(staff_page, platform)
    staff_page.goto(platform.url(f"/experiments/{experiment.slug}/results/"))
    expect(staff_page.locator("[data-result-table]")).to_contain_text("No answers yet")

    code = take_test(hands(device().new_page()), value=4)

    assert Completion.objects.get().code == code
    assert set(Score.objects.values_list("value", flat=True)) == {4.0}
    table = staff_page.locator("[data-result-table] tbody")
    expect(table.locator("tr")).to_have_count(3, timeout=60_000)
    expect(table).to_contain_text("4.00")
    over_listeners = table.locator("tr").first.locator("td").nth(6)
    expect(over_listeners).to_have_text("-")  # one listener has no interval

    with Bot(link=fresh_link(), answers=lambda page: marks(2), rng=Random(1)) as another:
        another.play()

    expect(table).to_contain_text("3.00", timeout=60_000)
    expect(table).not_to_contain_text("4.00")
    expect(staff_page.locator("svg.ci-plot")).to_be_visible()


def test_what_was_heard_is_recorded_to_the_end(experiment: Experiment, page: Page) -> None:
    listener = PointerListener(page)
    listener.join(fresh_link())
    listener.start()
    listener.rate(5)
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved")
    expect(page.locator("#save-state")).to_have_text(re.compile(r"Saved \d\d:\d\d$"))
    heard = Vote.objects.get().heard
    assert heard["heard_full"] is True
    assert heard["plays"] == 1
    assert heard["heard_ms"] == pytest.approx(1000 * (CLIP_S + SILENCE_S), abs=150)


@pytest.mark.parametrize(
    ("hands", "screen"),
    [(PointerListener, {}), pytest.param(TouchListener, PHONE, marks=pytest.mark.long), (KeyboardListener, {})],
)
def test_the_scale_stays_closed_until_the_clip_has_ended_and_says_so(
    hands: type[PointerListener], screen: dict[str, Any], experiment: Experiment, device: Callable[..., BrowserContext]
) -> None:
    page = device(**screen).new_page()
    listener = hands(page)
    listener.join(fresh_link())
    listener.start()
    page.locator("#play:enabled").wait_for()
    expect(page.locator("#play-note")).to_contain_text("Plays once.")
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#save-state")).to_have_text("")
    expect(page.locator("#play kbd")).to_be_visible(visible=hands is not TouchListener)
    listener.press_locked_scale()
    expect(page.locator("#play-note")).to_have_text("The scale opens when the sound has ended.")
    expect(page.locator("#gate")).to_have_attribute("disabled", "")
    listener.press_next_too_early()
    expect(page.locator("#next-reason")).to_have_text("Press Play first.")
    expect(page.locator("#next-reason")).to_be_in_viewport(ratio=1)
    listener.play()
    listener.press_locked_scale()
    expect(page.locator("#view input:checked")).to_have_count(0)
    page.wait_for_selector("#gate:not([disabled])")
    listener.press_next_too_early()
    expect(page.locator("#next-reason")).to_have_text("Choose an answer first.")
    listener.choose(3)
    expect(page.locator("#view input:checked")).to_have_count(1)
    expect(page.locator("#next-reason")).to_have_text("")


def test_an_account_of_an_experimenter_signs_in_and_out(experiment: Experiment, platform: Platform, page: Page) -> None:
    sign_in(page, platform)
    expect(page.get_by_role("link", name=experiment.title)).to_be_visible()
    assert User.objects.get(username=demo.EXPERIMENTER).last_login is not None
