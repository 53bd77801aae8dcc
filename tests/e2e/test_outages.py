"""Outages: the tab is closed, the network lost, the device changed, and no answer is lost and none is doubled."""

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from listening.panels.services import demo
from rating.models import Experiment, Score, Vote
from rating.services.votes import chain_holds
from tests.e2e.conftest import intercepted
from tests.e2e.listener import CLIPS_FETCHED, MOVED_ON, KeyboardListener, PointerListener

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def experiment(short_demo: Experiment) -> Experiment:
    return short_demo


@pytest.fixture
def link(experiment: Experiment) -> str:
    return next(iter(demo.fresh_links(now=timezone.now()).values()))


@pytest.mark.long
def test_answers_given_without_a_network_arrive_after_a_reload(link: str, page: Page) -> None:
    listener = KeyboardListener(page)
    listener.join(link)
    listener.start()
    listener.rate(3)
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved")
    page.wait_for_function(CLIPS_FETCHED, arg=3)
    page.context.set_offline(True)
    listener.rate(2)
    listener.rate(1)
    expect(page.locator("#save-state")).to_have_attribute("data-state", "kept")
    assert Vote.objects.count() == 1
    page.context.set_offline(False)
    page.reload()
    listener.start()
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved", timeout=60_000)
    assert sorted(Score.objects.values_list("value", flat=True)) == [1, 2, 3]
    assert "4" in listener.position()


def test_a_page_whose_view_does_not_come_says_so_and_opens_when_it_does(link: str, page: Page) -> None:
    listener = PointerListener(page)
    waiting = page.locator("#waiting")
    with intercepted(page, "**/view-*.js*", lambda route: route.abort()):
        listener.join(link)
        listener.start()
        expect(waiting).to_have_text("Waiting for the server.")
        expect(waiting).to_be_visible()
    listener.rate(3)
    expect(waiting).to_be_hidden()


@pytest.mark.long
def test_the_same_link_on_another_device_goes_on_where_the_first_stopped(
    link: str, device: Callable[..., BrowserContext]
) -> None:
    first = PointerListener(device().new_page())
    first.join(link)
    first.start()
    for _ in range(2):
        first.rate(4)
    expect(first.page.locator("#save-state")).to_have_attribute("data-state", "saved")
    first.page.close()
    phone = device(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
    second = PointerListener(phone)
    phone.goto(link)
    phone.get_by_role("button", name="Continue").click()
    second.start()
    assert "3" in second.position()
    for _ in range(10):
        second.rate(5)
    assert len(second.code()) == 9
    votes = Vote.objects.all()
    assert votes.count() == 12
    assert len({vote.trial_id for vote in votes}) == 12
    assert chain_holds(ballot=votes[0].ballot)


@pytest.mark.long
def test_two_tabs_answering_one_clip_leave_one_answer_and_tell_the_loser(
    link: str, device: Callable[..., BrowserContext]
) -> None:
    first = PointerListener(device().new_page())
    first.join(link)
    first.start()
    other = device().new_page()  # another device: the two tabs share no storage
    other.goto(link)
    other.get_by_role("button", name="Continue").click()
    second = PointerListener(other)
    second.start()
    assert first.position() == second.position()
    second.play()
    other.wait_for_selector("#gate:not([disabled])")
    second.choose(1)
    first.rate(5)
    expect(first.page.locator("#save-state")).to_have_attribute("data-state", "saved")
    second.go_on()
    expect(other.locator("#notice")).to_be_visible()
    trial = Vote.objects.get(outcome="accepted").trial
    assert {vote.outcome for vote in trial.votes.all()} == {"accepted", "conflict"}
    assert trial.current_vote is not None
    assert trial.current_vote.payload["marks"][0]["value"] == 5


def test_a_lost_cookie_keeps_the_answers_until_the_link_is_opened_again(link: str, page: Page) -> None:
    listener = PointerListener(page)
    listener.join(link)
    listener.start()
    listener.rate(3)
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved")
    page.context.clear_cookies()
    listener.rate(2)
    expect(page.locator("#trouble")).to_be_visible()
    assert Vote.objects.count() == 1
    page.goto(link)
    page.get_by_role("button", name="Continue").click()
    listener.start()
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved", timeout=60_000)
    assert Vote.objects.count() == 2


def test_a_browser_without_storage_waits_for_the_server_before_it_goes_on(
    link: str, device: Callable[..., BrowserContext]
) -> None:
    context = device()
    context.add_init_script("Object.defineProperty(window, 'indexedDB', { value: undefined });")
    page = context.new_page()
    listener = PointerListener(page)
    listener.join(link)
    listener.start()
    before = listener.position()
    page.wait_for_function(CLIPS_FETCHED, arg=1)
    context.set_offline(True)
    listener.play()
    page.wait_for_selector("#gate:not([disabled])")
    listener.choose(4)
    listener.go_on()
    page.wait_for_timeout(1500)
    assert listener.position() == before
    context.set_offline(False)
    page.wait_for_function(MOVED_ON, arg=before, timeout=60_000)
    assert Vote.objects.count() == 1
