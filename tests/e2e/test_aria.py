"""Shared participant pages and pages of clips, as assistive technology gets them: one journey a protocol."""

import re
from collections.abc import Callable
from random import Random

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from listening.design.base import DesignRequest
from listening.panels.services import designs
from rating.models import Trial
from rating.registry import get_protocol
from rating.services.pages import plan_of
from rating.services.votes import cast_vote
from tests.e2e.assistive import in_order, opened, shows, stands_out, stops
from tests.e2e.conftest import Platform
from tests.e2e.listener import HEARD, PointerListener
from tests.e2e.test_comparisons import link
from tests.factories import (
    make_experiment,
    make_panel_experiment,
    vote_event,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(device: Callable[..., BrowserContext]) -> Page:
    """A page of a listener who wants no motion."""
    return device(reduced_motion="reduce").new_page()


def shows_check(page: Page, title: str, told: str, rounds: int, question: str, *answers: str) -> None:
    """An equipment check before its first sound was played: Play has the focus, and no answer can be given yet."""
    play = page.get_by_role("button", name="Play")
    expect(play).to_be_focused()
    expect(play).to_have_accessible_description(re.compile(f"^{title} {told}"))
    buttons = "".join(f"""
          - button "{answer}" [disabled]""" for answer in answers)  # fmt: skip
    shows(
        page,
        f"""
        - heading "{title}" [level=1]
        - button "Play"
        - status: 1 of {rounds}
        - group "{question}":
          - heading "{question}" [level=2]{buttons}
          - paragraph: Play the sound to its end, then answer.
        """,
    )


def test_landing_page_and_check_of_the_ears(platform: Platform, page: Page) -> None:
    page.goto(opened(make_experiment(live=False, seats=1)))
    shows(
        page,
        """
        - heading "A test" [level=1]
        - heading "What you need" [level=2]
        - heading "What you agree to" [level=2]
        - region "What you agree to"
        - button "Agree and begin"
        """,
    )
    in_order(page, 'region "What you agree to"', 'button "Agree and begin"')
    page.get_by_role("button", name="Agree and begin").click()

    shows_check(page, "Left and right", "Put your headphones on", 3, "Where did you hear it?", "Left", "Both", "Right")
    page.get_by_role("button", name="Play").click()
    left = page.get_by_role("button", name="Left")
    expect(left).to_be_enabled()
    in_order(page, 'button "Play"', 'button "Left"', 'button "Both"', 'button "Right"')
    left.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#screening-round")).to_have_text("2 of 3")
    expect(left).to_be_focused()  # and not lost while the next sound plays


def test_level_and_check_of_headphones(platform: Platform, page: Page) -> None:
    page.goto(opened(make_experiment(live=False, seats=1), ear_check=False, headphone_screen="flag"))
    page.get_by_role("button", name="Agree and begin").click()
    play = page.get_by_role("button", name="Play sample")
    expect(play).to_be_focused()
    shows(page, """
        - heading "Set the volume" [level=1]
        - button "Play sample"
        - button "Sounds good, continue" [disabled]
        - text: Play the sample first.
        """)  # fmt: skip
    play.click()
    in_order(page, 'button "Stop"', 'button "Sounds good, continue"', "text: Fine tuning", "text: No sound?")
    page.get_by_role("button", name="Sounds good, continue").click()
    asked = "Which part had the hidden tone?"
    shows_check(page, "Headphones", "Each sound is three parts of noise", 6, asked, "1", "2", "3")


def test_level_with_instructions_a_trial_its_dialogs_and_the_receipt(platform: Platform, page: Page) -> None:
    listener = PointerListener(page)
    listener.join(opened(make_experiment(live=False, seats=1, conditions=1), ear_check=False))
    play = page.get_by_role("button", name="Play sample")
    expect(play).to_be_focused()
    expect(play).to_have_accessible_description(re.compile("^Set the volume Turn your computer’s volume"))
    shows(
        page,
        """
        - heading "Set the volume" [level=1]
        - button "Play sample"
        - heading "How it works" [level=1]
        - list
        - img "A clip is played, then one of five answers is chosen."
        - button "Start" [disabled]
        - text: Play the sample first.
        """,
    )
    play.click()
    page.locator("#level-fine > summary").click()
    shows(
        page,
        """
        - button "Stop"
        - status: The sample repeats until you press Stop.
        - group:
          - slider "Level"
          - button "Softer"
          - button "Louder"
          - button "Back to 0 dB"
        - button "Start"
        """,
    )
    in_order(
        page,
        'button "Stop"',
        "text: Fine tuning",
        'slider "Level": "0"',
        'button "Softer": −',
        'button "Louder": +',
        'button "Back to 0 dB"',
        "text: No sound?",
        'button "Start"',
    )
    page.get_by_role("button", name="Start").click()

    play = page.get_by_role("button", name="Play")
    expect(play).to_be_focused()
    expect(play).to_have_accessible_description("Clip 1 of 2")
    listener.press_next_too_early()
    shows(
        page,
        """
        - region "Clip 1 of 2":
          - heading "Clip 1 of 2" [level=1]
          - progressbar "Clip 1 of 2"
          - button "Play"
          - status: Plays once. Press Play when you are ready.
          - group "Your answer":
            - group "How good was the quality of this clip?":
              - radio "5 Excellent" [disabled]
              - radio "1 Bad" [disabled]
          - button "Next" [disabled]
          - status: Press Play first.
        """,
    )
    assert stops(page) == ['button "Play"', 'button "Keys"', 'button "Pause"', 'button "Next" [disabled]']
    listener.play()
    page.wait_for_selector(HEARD)
    expect(page.locator("#play-note")).to_have_text("Now choose your answer.")
    listener.choose(3)
    shows(
        page,
        """
        - paragraph: Heard to the end
        - status
        - group "Your answer":
          - group "How good was the quality of this clip?":
            - radio "3 Fair" [checked]
        - button "Next"
        - status
        """,
    )
    in_order(page, 'radio "3 Fair" [checked]', 'button "Keys"', 'button "Pause"', 'button "Problem"', 'button "Next"')
    stands_out(page, ".scale__choice:has(:checked)", ".scale__choice:not(:has(:checked))")

    page.get_by_role("button", name="Keys").click()
    shows(page, """
        - dialog "Keys":
          - heading "Keys" [level=2]
          - checkbox "Use these keys. Tab, arrows and Esc always work." [checked]
          - button "Close"
        """)  # fmt: skip
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Pause").click()
    shows(page, """
        - dialog "Paused":
          - heading "Paused" [level=2]
          - button "Continue"
        """)  # fmt: skip
    expect(page.get_by_role("dialog")).to_have_accessible_description(re.compile("^Take your time"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Problem").click()
    shows(page, """
        - dialog "What went wrong?":
          - radiogroup "What went wrong?":
            - radio "I heard nothing"
          - button "Send" [disabled]
          - button "Back"
          - paragraph: Choose what happened, then send it.
        """)  # fmt: skip
    page.keyboard.press("Escape")
    expect(page.locator("#view")).to_be_focused()  # back at the answers

    listener.go_on()
    expect(play).to_be_focused()
    expect(play).to_have_accessible_description("Clip 2 of 2")
    listener.rate(3)
    listener.code()
    shows(page, """
        - heading "Thank you!" [level=1]
        - paragraph: Your completion code
        - paragraph: /^[A-Z0-9]{4}-[A-Z0-9]{4}$/
        - button "Copy the code"
        """)  # fmt: skip


def test_p835_says_before_each_clip_what_to_attend_to_and_has_breaks(platform: Platform, page: Page) -> None:
    experiment = make_panel_experiment(items=4, conditions=2, references=1)
    wanted = DesignRequest(panels=1, seats=2, size=4, sessions=2)
    draft = designs.draft_design(experiment=experiment, wanted=wanted)
    designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    experiment.refresh_from_db()
    listener = PointerListener(page)
    listener.join(opened(experiment, ear_check=False, level_check=False))
    listener.start()
    expect(page.get_by_role("button", name="Play")).to_be_focused()
    expect(page.get_by_role("button", name="Play")).to_have_accessible_description(
        re.compile("^Practice, clip 1 of 1 Listen 1 of 3 (SPEECH|BACKGROUND) Attend ONLY to the ")
    )
    shows(page, """
        - region "Practice, clip 1 of 1":
          - heading "Practice, clip 1 of 1" [level=1]
          - paragraph: /^(SPEECH|BACKGROUND)$/
          - paragraph: /^Attend ONLY/
          - button "Play"
          - group "Your answer":
            - group /^The (SPEECH|BACKGROUND)/
        """)  # fmt: skip
    in_order(page, 'button "Play"', 'button "Keys"', 'button "Pause"', 'button "Next" [disabled]')

    trials = list(Trial.objects.filter(session__lte=1, ballot__seat__visits__isnull=False).order_by("position"))

    def answer_before(last: Trial | None) -> None:
        """Answer all pages before this one elsewhere, and come back to it."""
        while trials and trials[0] != last:
            trial = trials.pop(0)
            payload = get_protocol("p835").example(plan_of(trial, trial.slots.all()), Random("any"))
            cast_vote(ballot_id=trial.ballot_id, event=vote_event(trial, payload=payload))
        page.reload()
        listener.start()

    answer_before(next(trial for trial in trials if trial.session == 1))
    expect(page.get_by_role("heading", name="Practice is over")).to_be_focused()
    shows(page, """
        - region "Practice is over":
          - heading "Practice is over" [level=1]
          - button "I am ready"
        """)  # fmt: skip
    answer_before(None)
    expect(page.get_by_role("heading", name="Rest your ears")).to_be_focused()
    shows(page, """
        - region "Rest your ears":
          - heading "Rest your ears" [level=1]
          - progressbar "Rest"
          - button "I am ready"
          - button "Stop for today"
        """)  # fmt: skip
    in_order(page, 'button "I am ready"', 'button "Stop for today"')
    page.get_by_role("button", name="Stop for today").click()
    expect(page.locator("#rest-goodbye")).to_be_focused()


def test_dcr(platform: Platform, page: Page) -> None:
    listener = PointerListener(page)
    listener.join(link("dcr", conditions=1))
    listener.start()
    expect(page.get_by_role("button", name="Play")).to_be_focused()
    shows(page, """
        - region "Pair 1 of 2":
          - button "Play"
          - group "Your answer":
            - group /compared with the reference/:
              - radio "5 Degradation is inaudible" [disabled]
          - button "Next" [disabled]
        """)  # fmt: skip
    in_order(page, 'button "Play"', 'button "Keys"', 'button "Pause"', 'button "Next" [disabled]')


def test_abx(platform: Platform, page: Page) -> None:
    listener = PointerListener(page)
    listener.join(link("abx", options={"repetitions": 1}))
    listener.start()
    shows(page, """
        - region "Comparison 1 of 2":
          - group "Sounds":
            - button "A"
            - button "B"
            - button "X"
          - button "Play"
          - slider "Position in the sounds"
          - status: Press A, B or X to hear it.
          - group "Your answer":
            - group "Which sound is X?":
              - radio "1 X is A" [disabled]
              - radio "2 X is B" [disabled]
          - button "Next" [disabled]
        """)  # fmt: skip
    for sound in ("A", "B", "X"):
        page.get_by_role("button", name=sound, exact=True).click()
        expect(page.get_by_role("button", name=f"{sound} heard", pressed=True)).to_be_visible()
    page.keyboard.press("2")
    page.keyboard.press("Space")
    shows(page, """
        - group "Sounds":
          - button "A heard"
          - button "B heard"
          - button "X heard" [pressed]
        - button "Play"
        - status: "Your answer: X is B. You can listen again and change it."
        - group "Your answer":
          - group "Which sound is X?":
            - radio "2 X is B" [checked]
        - button "Next"
        """)  # fmt: skip
    stands_out(page, ".abx__sound[data-sound=x]", ".abx__sound[data-sound=a]")
    names = stops(page)
    assert [name for name in names if "Position" not in name] == [
        'button "A heard"',
        'button "B heard"',
        'button "X heard" [pressed]',
        'button "Play"',
        'radio "2 X is B" [checked]',
        'button "Keys"',
        'button "Pause"',
        'button "Problem"',
        'button "Next"',
    ]
