"""P.835 in small: one listener through practice and the first session, whatever happens on the way.

The size of the published test is played over HTTP (test_full_design.py); here it is the browser that counts.
"""

from collections import Counter
from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from listening.design.base import DesignRequest
from listening.models import ClientReport, Seat, SetupStep, Visit
from listening.panels.services import designs, panels
from rating.models import Trial, Vote
from rating.services.experiments import go_live
from tests.e2e.conftest import Platform
from tests.e2e.listener import CLIPS_FETCHED, KeyboardListener, PointerListener, TouchListener
from tests.e2e.test_accessibility import overflows, scan
from tests.factories import make_panel_experiment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

REFERENCES, ITEMS, CONDITIONS, SESSIONS = 4, 4, 2, 2
PRACTICE, SESSION = 3 * REFERENCES, 3 * ITEMS * CONDITIONS // SESSIONS  # presentations: each clip three times


@pytest.fixture
def link(platform: Platform) -> str:
    experiment = make_panel_experiment(items=ITEMS, conditions=CONDITIONS, references=REFERENCES)
    wanted = DesignRequest(panels=1, seats=2, size=ITEMS, sessions=SESSIONS)
    draft = designs.draft_design(experiment=experiment, wanted=wanted)
    designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    experiment.refresh_from_db()
    panel = go_live(experiment=experiment, actor=experiment.owner).panels.get()
    return panels.link(panels.invite(panel=panel, count=1, now=timezone.now(), actor=None)[0])


def listen(listener: PointerListener, presentations: int) -> list[str]:
    """Rate so many presentations, and return the titles of the breaks that came before them."""
    breaks = []
    for number in range(presentations):
        listener.page.locator("#rest:visible, #play:enabled").first.wait_for()
        if listener.page.locator("#rest").is_visible():
            breaks.append(listener.page.locator("#rest-title").inner_text())
            listener.end_break()
        listener.rate(1 + number % 5)
    return breaks


def votes_by_session() -> Counter[int]:
    return Counter(Vote.objects.filter(outcome="accepted").values_list("trial__session", flat=True))


@pytest.mark.long
def test_practice_and_a_session_with_a_reload_a_lost_network_and_a_second_device_lose_and_double_nothing(
    link: str, device: Callable[..., BrowserContext]
) -> None:
    laptop = device()
    first = KeyboardListener(laptop.new_page())
    first.join(link)
    first.start()
    assert f"Practice, clip 1 of {REFERENCES}" in first.position()
    assert listen(first, 4) == []

    first.page.reload()
    first.start()  # the sound check of this visit is done; it is not asked for again
    assert f"Practice, clip 2 of {REFERENCES}" in first.position()

    first.page.wait_for_function(CLIPS_FETCHED, arg=1)
    laptop.set_offline(True)
    listen(first, 2)
    expect(first.page.locator("#save-state")).to_contain_text("waiting to send", timeout=60_000)
    laptop.set_offline(False)
    assert listen(first, PRACTICE - 6) == ["The order changes"]

    first.page.locator("#rest").wait_for()
    expect(first.page.locator("#rest-title")).to_have_text("Practice is over")
    expect(first.page.locator("#rest-safe")).to_contain_text(f"{PRACTICE} answers are saved on the server")
    expect(first.page.locator("#save-state")).to_contain_text("Saved")
    assert votes_by_session() == {0: PRACTICE}

    phone = device(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    second = TouchListener(phone.new_page())
    second.page.goto(link)
    second.page.get_by_role("button", name="Continue").click()
    second.start()
    expect(second.page.locator("#rest-title")).to_have_text("Practice is over")
    assert listen(second, 1) == ["Practice is over"]
    second.open_previous()
    expect(second.page.locator("#next")).to_be_in_viewport(ratio=1)
    expect(second.page.locator("#view input:checked")).to_have_value("1")
    second.go_on()
    assert listen(second, SESSION - 1) == []
    second.page.locator("#rest").wait_for()
    expect(second.page.locator("#rest-safe")).to_contain_text(f"{PRACTICE + SESSION} answers are saved on the server")

    assert votes_by_session() == {0: PRACTICE, 1: SESSION}
    assert not Vote.objects.exclude(outcome="accepted").exists()
    seat = Seat.objects.exclude(participant=None).get()
    answered = Trial.objects.filter(ballot=seat.ballot, session__lte=1)
    assert set(answered.values_list("revision", flat=True)) == {1}
    assert Visit.objects.filter(seat=seat).count() == 2
    assert set(SetupStep.objects.values_list("step", flat=True)) == {"ears", "level"}
    heard = Vote.objects.latest("id").heard
    assert heard["heard_full"]
    assert (heard["plays"], heard["level_db"], heard["interruptions"]) == (1, 0.5, [])


@pytest.mark.long  # a journey takes back, test_aria opens both dialogs
def test_an_answer_is_taken_back_a_clip_reported_and_a_pause_kept(link: str, page: Page) -> None:
    listener = KeyboardListener(page)
    listener.join(link)
    listener.start()
    listener.rate(2)
    listener.open_previous()
    expect(page.locator("#part")).to_have_text("Listen 1 of 3")
    listener.choose(5)
    listener.go_on()
    expect(page.locator("#part")).to_have_text("Listen 2 of 3")
    page.locator("#play:enabled").wait_for()

    listener.press("p")
    expect(page.get_by_role("heading", name="Paused")).to_be_visible()
    listener.press("Enter")
    listener.press("x")  # nothing was played yet that could be reported
    expect(page.locator("#play")).to_be_focused()
    listener.press("Space")
    expect(page.locator("#problem")).to_be_visible()
    listener.press("x")
    expect(page.get_by_role("heading", name="What went wrong?")).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    listener.tab_to("#clip-problem input[name=reason]")
    listener.press("Space")
    page.get_by_role("button", name="Send").press("Enter")
    expect(page.locator("#notice")).to_contain_text("You will hear it again at the end.")
    expect(page.locator("#part")).to_have_text("Listen 3 of 3")
    listener.rate(3)

    changed = Vote.objects.filter(trial__position=1).order_by("revision")
    assert [vote.payload["marks"][0]["value"] for vote in changed] == [2, 5]
    assert Trial.objects.get(postponed=1, ballot__seat__participant__isnull=False).position == 2
    reports = ClientReport.objects.exclude(kind="stall")  # a busy machine may hold the sound up
    assert Counter(reports.values_list("kind", flat=True)) == {"pause": 2, "clip": 1}


def test_the_sound_check_the_trial_and_the_order_of_scales_are_accessible(link: str, page: Page) -> None:
    listener = PointerListener(page)
    listener.join(link)
    page.locator("#screening-play:enabled").wait_for()
    problems = scan(page, "ears") + overflows(page, "ears")
    for check in (1, 2):  # who fails twice goes on
        page.locator(f"#setup[data-check='{check}'] #screening-play:enabled").wait_for()
        listener.guess()
    page.locator("#level-play:enabled").wait_for()
    page.locator("#level-fine > summary").click()
    problems += scan(page, "level") + overflows(page, "level")
    page.locator("#level-fine > summary").click()
    listener.set_level()
    page.locator("#start:enabled").click()
    page.locator("#play:enabled").wait_for()
    problems += scan(page, "trial") + overflows(page, "trial")
    listener.play()
    page.locator("#problem").click()
    problems += scan(page, "clip problem")
    assert problems == []
