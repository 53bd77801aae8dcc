"""Pages around the clips as assistive technology gets them: questions, coming back, waiting, and the way out."""

import re
from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from listening.models import Seat
from listening.panels.services import panels
from listening.panels.services.seats import abandon_seat
from rating.models import Experiment
from tests.e2e.assistive import in_order, opened, shows, stands_out
from tests.e2e.conftest import Platform, intercepted
from tests.e2e.listener import PointerListener
from tests.factories import make_experiment, token_without_sound_check
from tests.listening.participation.test_screening_questions import AGE, TOO_YOUNG

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Devices = Callable[..., BrowserContext]


def calm(device: Devices) -> Page:
    return device(reduced_motion="reduce").new_page()


def test_screening_the_page_of_who_is_turned_away_and_the_questionnaire(platform: Platform, device: Devices) -> None:
    experiment = make_experiment(live=False, items=1, conditions=1, seats=2, questions=[AGE, {"ready": "age_band"}])
    link = opened(experiment, ear_check=False, level_check=False)
    many = panels.invite_many(experiment=experiment, now=timezone.now(), actor=experiment.owner)
    other = calm(device)
    other.goto(platform.url(f"/join/{many}/"))
    other.get_by_label("How old are you?").fill(TOO_YOUNG)
    other.get_by_role("button", name="Continue").click()
    shows(other, """
        - heading /other listeners/ [level=1]
        - paragraph:
          - code
        """)  # fmt: skip

    page = calm(device)
    page.goto(link)
    page.get_by_role("button", name="Continue").click()
    shows(page, """
        - heading /question/ [level=1]
        - alert: /marked below/
        - textbox /How old are you/ [invalid]
        - button "Continue"
        """)  # fmt: skip
    age = page.get_by_label("How old are you?")
    expect(age).to_have_accessible_description(re.compile("Please answer this question"))
    in_order(page, 'textbox "Question 1 of 1 How old are you?" [invalid]', 'button "Continue"')
    age.fill("40")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Agree and begin").click()
    shows(page, """
        - heading /question/ [level=1]
        - group /How old are you/:
          - radio "25 to 34"
        - button "Continue"
        """)  # fmt: skip
    page.get_by_label("25 to 34").check()
    expect(page.locator("#save-state")).to_have_text("Saved")


def test_coming_back_waiting_for_the_server_and_taking_answers_back(platform: Platform, device: Devices) -> None:
    link = platform.url(f"/join/{token_without_sound_check(make_experiment(live=False, conditions=1))}/")
    page = calm(device)
    listener = PointerListener(page)
    listener.join(link)
    listener.start()
    with intercepted(page, "**/votes/", lambda route: route.abort()):
        page.context.set_offline(True)
        page.context.set_offline(False)
        listener.rate(4)
        trouble = page.locator("#trouble")
        expect(trouble).to_be_visible()
        shows(page, """
            - region:
              - status: /./
              - button "Try again now"
              - button "Copy my answers"
            """)  # fmt: skip
    expect(trouble).to_be_hidden()
    stands_out(page, "#next[aria-disabled=true]", "#play:enabled", "color")

    page.goto(link)
    shows(page, """
        - heading "A test" [level=1]
        - progressbar "Answered so far"
        - button "Continue"
        """)  # fmt: skip
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#instructions h1")).to_be_focused()
    shows(page, """
        - heading "You have answered 1 of 2 clips." [level=1]
        - group: Instructions
        - button "Continue"
        """)  # fmt: skip
    in_order(page, "text: Instructions", 'button "Continue"')
    listener.start()
    with intercepted(page, "**/finish/", lambda route: route.abort()):
        listener.rate(4)
        expect(page.locator("#checking h1")).to_be_focused()
        expect(page.locator("main")).to_match_aria_snapshot("- heading [level=1]\n- paragraph: /Checking/")
    listener.code()
    withdraw = page.locator("#withdraw > summary")
    withdraw.press("Enter")
    shows(page, """
        - button "Copy the code"
        - group:
          - paragraph: /cannot be undone/
          - paragraph:
            - button "Withdraw all my answers"
        """)  # fmt: skip
    receipt = page.url
    page.goto(link)
    shows(page, '- heading "A test" [level=1]\n- button "Show my receipt"')
    page.goto(receipt)
    page.locator("#withdraw > summary").click()
    page.get_by_role("button", name="Withdraw all my answers").click()
    shows(page, '- heading "Your answers are withdrawn" [level=1]\n- button "Copy the code"')
    page.goto(link)
    shows(page, '- heading "A test" [level=1]\n- paragraph: /withdrawn/')
    page.goto(platform.url("/join/nothing/"))
    shows(page, "- heading [level=1]\n- paragraph:\n  - code")


def test_a_place_that_belongs_to_another_browser_or_was_given_away(platform: Platform, device: Devices) -> None:
    experiment = make_experiment(live=False, conditions=1, seats=2)
    opened(experiment, ear_check=False, level_check=False)
    experiment = Experiment.objects.get()
    now = timezone.now()
    many = panels.invite_many(experiment=experiment, now=now, actor=experiment.owner, service="prolific")
    link = platform.url(f"/join/{many}/?PROLIFIC_PID=listener0001")
    page = calm(device)
    page.goto(link)
    page.get_by_role("button", name="Agree and begin").click()
    page.locator("#start").wait_for()
    other = calm(device)
    other.goto(link)
    shows(other, """
        - heading "A test" [level=1]
        - alert: /another browser/
        - textbox "Code"
        - button "Continue"
        """)  # fmt: skip
    in_order(other, 'textbox "Code"', 'button "Continue"')
    seat = Seat.objects.get(state=Seat.State.TAKEN)
    abandon_seat(seat=seat, ballot=seat.ballot, now=now)
    page.reload()
    shows(page, '- heading "A test" [level=1]\n- paragraph: /given to another person/')
