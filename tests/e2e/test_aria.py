"""Participant pages as assistive technology gets them: names and states, focus order, zoom, no motion, forced colours.

One journey a protocol, with a look at the accessibility tree in each state that matters.
"""

import re
from collections.abc import Callable, Iterator
from random import Random

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from listening.design.base import DesignRequest
from listening.panels.services import designs, panels
from listening.panels.services.session_settings import change_session_settings
from protocols.speech_summaries.protocol import JUDGE, MAKER
from rating.models import Experiment, Trial
from rating.registry import get_protocol
from rating.services.experiments import go_live
from rating.services.pages import plan_of
from rating.services.votes import cast_vote
from stimuli.models import Condition
from stimuli.services.collections import add_stimulus, create_collection
from tests.e2e import captions
from tests.e2e import test_chapters as chapters
from tests.e2e.conftest import Platform
from tests.e2e.listener import HEARD, PointerListener
from tests.e2e.test_comparisons import link
from tests.factories import (
    make_experiment,
    make_panel_experiment,
    make_user,
    token_without_sound_check,
    tone,
    vote_event,
)
from tests.protocols.speech_summaries.material import summaries_experiment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MOST_STOPS = 80
# A screen of 1440 by 900 at 200 %, and the width that WCAG 1.4.10 asks of pages that are read.
ZOOMED = ({"width": 720, "height": 450}, {"width": 320, "height": 640})
WHOLE = {"width": 1440, "height": 900}
# After two frames, because what takes no time still begins and ends with one.
MOVING = """() => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)).then(() =>
  document.getAnimations().filter(({ playState }) => playState === "running").length
  + (getComputedStyle(document.documentElement).scrollBehavior === "smooth" ? 1 : 0))"""
# What reaches over the edge of a page that scrolls sideways.
CUT_OFF = """() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const isOver = (element) => element.getBoundingClientRect().right > clientWidth + 1;
  const all = scrollWidth > clientWidth ? [...document.querySelectorAll("body *")] : [];
  return all.filter(isOver).map(({ outerHTML }) => outerHTML.slice(0, 90));
}"""
# Whether anything of what has the focus can be seen: not covered by a bar, and not outside of the window (WCAG 2.4.11).
IN_SIGHT = """() => {
  const active = document.activeElement;
  if (!active.closest("main")) return null;
  const isLine = getComputedStyle(active).pointerEvents === "none"; // of which only the flag can be hit
  const shown = active.matches(".fills-label") ? active.parentElement : isLine ? active.firstElementChild : active;
  const { left, top, width, height } = shown.getBoundingClientRect();
  const hits = [0.1, 0.5, 0.9].map((share) => document.elementFromPoint(left + width / 2, top + height * share));
  return hits.some((hit) => hit && (shown.contains(hit) || hit.contains(shown)));
}"""
GROUND = "element => getComputedStyle(element).backgroundColor"


@pytest.fixture
def page(device: Callable[..., BrowserContext]) -> Page:
    """A page of a listener who wants no motion."""
    return device(reduced_motion="reduce").new_page()


def shows(page: Page, tree: str) -> None:
    """The tree has these parts in this order, nothing moves, and nothing is cut off when it is enlarged."""
    expect(page.locator("main")).to_match_aria_snapshot(tree)
    assert page.evaluate(MOVING) == 0
    for size in ZOOMED:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert page.evaluate(CUT_OFF) == [], size
    page.set_viewport_size(WHOLE)  # type: ignore[arg-type]


def tabbed(page: Page) -> Iterator[None]:
    """Tab through the page's content, once; each stop can be seen."""
    page.locator(".skip-link").focus()
    page.keyboard.press("Enter")
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        seen = page.evaluate(IN_SIGHT)
        if seen is None:
            return
        assert seen, page.locator(":focus").aria_snapshot()
        yield
    raise AssertionError("Tab comes to no end")


def stops(page: Page) -> list[str]:
    """Roles and names of what Tab comes to, one after the other."""
    trees = (page.locator(":focus").aria_snapshot() for _ in tabbed(page))
    return [tree.splitlines()[0].removeprefix("- ").removesuffix(":") for tree in trees]


def in_order(page: Page, *names: str) -> None:
    assert stops(page) == list(names)
    for size in ZOOMED:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert len(list(tabbed(page))) == len(names), size
    page.set_viewport_size(WHOLE)  # type: ignore[arg-type]


def stands_out(page: Page, chosen: str, other: str) -> None:
    """What is chosen has another ground than what is not, also where the system's colours replace all others."""
    page.emulate_media(forced_colors="active")
    assert page.locator(chosen).first.evaluate(GROUND) != page.locator(other).first.evaluate(GROUND)
    page.emulate_media(forced_colors="none")


def opened(experiment: Experiment, group: str = "", **settings: bool) -> str:
    """A personal link to an experiment that goes live without these parts of the sound check."""
    change_session_settings(experiment=experiment, actor=experiment.owner, **settings)
    live = go_live(experiment=experiment, actor=experiment.owner)
    invited = panels.invite(panel=live.panels.get(group=group), count=1, now=timezone.now(), actor=None)
    return panels.link(invited[0])


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

    play = page.get_by_role("button", name="Play")
    expect(play).to_be_focused()
    expect(play).to_have_accessible_description(re.compile("^Left and right Put your headphones on"))
    shows(
        page,
        """
        - heading "Left and right" [level=1]
        - button "Play"
        - status: 1 of 3
        - group "Where did you hear it?":
          - heading "Where did you hear it?" [level=2]
          - button "Left" [disabled]
          - button "Both" [disabled]
          - button "Right" [disabled]
          - paragraph: Play the sound to its end, then answer.
        """,
    )
    play.click()
    left = page.get_by_role("button", name="Left")
    expect(left).to_be_enabled()
    in_order(page, 'button "Play"', 'button "Left"', 'button "Both"', 'button "Right"')
    left.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#screening-round")).to_have_text("2 of 3")
    expect(left).to_be_focused()  # and not lost while the next sound plays


def test_level_instructions_a_trial_its_dialogs_and_the_receipt(platform: Platform, page: Page) -> None:
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
        - button "Sounds good, continue" [disabled]
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
        - button "Sounds good, continue"
        - group:
          - slider "Level"
          - button "Softer"
          - button "Louder"
          - button "Back to 0 dB"
        """,
    )
    in_order(
        page,
        'button "Stop"',
        'button "Sounds good, continue"',
        "text: Fine tuning",
        'slider "Level": "0"',
        'button "Softer": −',
        'button "Louder": +',
        'button "Back to 0 dB"',
        "text: No sound?",
    )
    page.get_by_role("button", name="Sounds good, continue").click()

    expect(page.get_by_role("heading", name="How it works")).to_be_focused()
    shows(
        page,
        """
        - heading "How it works" [level=1]
        - list
        - img "A clip is played, then one of five answers is chosen."
        - button "Start"
        """,
    )
    in_order(page, 'button "Start"')
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
          - status: Play the clip first.
        """,
    )
    assert stops(page) == ['button "Play"', 'button "Keys"', 'button "Pause"', 'button "Next" [disabled]']
    listener.play()
    page.wait_for_selector(HEARD)
    listener.choose(3)
    shows(
        page,
        """
        - paragraph: Heard to the end
        - status: Now choose your answer.
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
        - dialog "What went wrong with this clip?":
          - radiogroup "What went wrong with this clip?":
            - radio "I heard nothing"
          - button "Send" [disabled]
          - button "Back to the clip"
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

    for trial in Trial.objects.filter(session__lte=1, ballot__seat__visits__isnull=False).order_by("position"):
        payload = get_protocol("p835").example(plan_of(trial, trial.slots.all()), Random("any"))
        cast_vote(ballot_id=trial.ballot_id, event=vote_event(trial, payload=payload))
    page.reload()
    listener.start()
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
        - region "Clip 1 of 2":
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
        - region "Clip 1 of 2":
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
        - status: X is B. You can go on listening and change it.
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


def test_thumbs(platform: Platform, page: Page) -> None:
    listener = PointerListener(page)
    captions.begin(listener, captions.invitation(platform))
    expect(page.get_by_role("heading", name="Worked example")).to_be_focused()
    captions.leave_example(listener)
    expect(page.get_by_role("heading", name="Clip 1 of 2")).to_be_focused()
    captions.score_by_pointer(page, 1)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("radiogroup", name="Caption 2 Precision not set")).to_be_focused()
    expect(page.get_by_role("radiogroup", name="Caption 2 Precision not set")).to_have_accessible_description(
        "Hardly anything it says is right Everything it says is right"
    )
    shows(page, """
        - heading "Clip 1 of 2" [level=1]
        - progressbar "Clip 1 of 2"
        - region "Clip":
          - button "Play"
          - group "Sound viewer":
            - slider "Position"
        - article "Caption 1":
          - heading "Caption 1" [level=2]
          - text: Done
          - radiogroup "Caption 1 Precision":
            - radio "4" [checked]
          - radiogroup "Caption 1 Recall":
            - radio "2.5" [checked]
          - heading "Penalties" [level=3]
          - button "No penalties"
          - radiogroup "Caption 1 Fluency":
            - radio "0 None" [checked]
            - 'textbox "Fluency: other value, from 0 to −2"'
          - textbox "Comment on caption 1"
        - article "Caption 2":
          - text: 0 of 5
          - radiogroup "Caption 2 Precision not set"
          - radiogroup "Caption 2 Irrelevance not set"
        - radiogroup "Is this soundscape synthesised?"
        - status: "Caption 2: please rate Precision, Recall, Fluency, Conciseness, Irrelevance."
        - button "Back"
        - button "Next"
        """)  # fmt: skip
    stands_out(page, ".thumbs-choice:has(:checked)", ".thumbs-choice:not(:has(:checked))")
    penalties = [
        stop
        for scale in ("Fluency", "Conciseness", "Irrelevance")
        for stop in ('radio "0 None"', f"'textbox \"{scale}: other value, from 0 to −2\"'")
    ]
    in_order(
        page,
        'button "Clips"',
        'button "What the scores mean"',
        'button "Keys"',
        'button "Play"',
        'group "Waveform and spectrogram"',
        'slider "Position": "0"',
        'radio "4" [checked]',
        'radio "2.5" [checked]',
        'button "No penalties"',
        *(stop.replace('"0 None"', '"0 None" [checked]') for stop in penalties),
        'textbox "Comment on caption 1"',
        'radio "1"',
        'radio "1"',
        'button "No penalties"',
        *penalties,
        'textbox "Comment on caption 2"',
        'radio "Yes"',
        'button "Back"',
        'button "Next"',
    )
    page.get_by_role("button", name="Clips").click()
    shows(page, """
        - dialog "Clips":
          - list:
            - listitem:
              - button "Worked example done"
            - listitem:
              - button "Clip 1 of 2 started"
            - listitem:
              - button "Clip 2 of 2 not started"
          - button "Close"
        """)  # fmt: skip
    expect(page.get_by_role("button", name="Clip 1 of 2 started")).to_be_focused()


def test_makers_and_judges_of_speech_summaries(platform: Platform, device: Callable[..., BrowserContext]) -> None:
    experiment = summaries_experiment(items=2, makers=1, judges=1, live=False)
    judged = opened(experiment, JUDGE, ear_check=False, level_check=False)
    maker = PointerListener(device(reduced_motion="reduce").new_page())
    panel = experiment.panels.get(group=MAKER)
    maker.join(panels.link(panels.invite(panel=panel, count=1, now=timezone.now(), actor=None)[0]))
    maker.start()
    words = maker.page.locator(".word")
    expect(words.first).to_be_focused()
    words.first.click()
    maker.page.get_by_role("button", name="Next").click(force=True)
    shows(maker.page, """
        - heading "Utterance 1 of 2" [level=1]
        - heading "Which words make the best summary?" [level=2]
        - region "Choose words":
          - paragraph:
            - status: 2 more
          - 'group "Transcript: choose the words to keep"':
            - button "Rain" [pressed]
            - button "fell"
          - button "Undo"
          - button "Redo" [disabled]
          - button "Clear"
          - heading "Your summary" [level=3]
          - paragraph: Rain
        - button "Play"
        - status: Choose 2 more words (3–5 in all).
        - button "Next" [disabled]
        """)  # fmt: skip
    stands_out(maker.page, ".word[aria-pressed=true]", ".word[aria-pressed=false]")
    in_order(
        maker.page,
        'button "Keys"',
        'button "Rain" [pressed]',
        'button "Undo"',
        'button "Redo" [disabled]',
        'button "Clear"',
        'button "Play"',
        'button "Next" [disabled]',
    )

    judge = PointerListener(device(reduced_motion="reduce").new_page())
    judge.join(judged)
    judge.start()
    judge.page.locator(".version label").first.click()
    judge.page.get_by_role("button", name="Next").click(force=True)
    second = judge.page.get_by_role("radiogroup", name="Version 2")
    expect(second).to_have_accessible_description(re.compile("^Rain fell"))
    shows(judge.page, """
        - heading "Utterance 1 of 2" [level=1]
        - heading "How good is this summary of the utterance?" [level=2]
        - region "Versions":
          - heading "Full text" [level=3]
          - list:
            - listitem:
              - radiogroup "Version 1":
                - radio "5 Best" [checked]
            - listitem:
              - radiogroup "Version 2"
          - textbox "Comment (optional)"
        - status: 1 of 3 rated
        - status: Please rate version 2, 3.
        - button "Next" [disabled]
        """)  # fmt: skip
    in_order(
        judge.page,
        'button "Keys"',
        'radio "5 Best" [checked]',
        'radio "5 Best"',
        'radio "5 Best"',
        'textbox "Comment (optional)"',
        'button "Play"',
        'button "Next" [disabled]',
    )


def test_chapters(platform: Platform, page: Page) -> None:
    chapters.enter(PointerListener(page), chapters.invitation(platform))
    expect(page.get_by_role("heading", name="Recording")).to_be_focused()
    page.keyboard.press("l")
    page.keyboard.press("c")
    expect(page.locator(".chapter")).to_have_count(2)
    expect(page.locator("main")).to_match_aria_snapshot("""
        - heading "Recording" [level=1]
        - region "Recording":
          - group "Sound viewer":
            - group "Controls":
              - button "Play"
            - group "Waveform and spectrogram":
              - button "Chapter 2, 0:10.0" [pressed]
            - slider "Position"
          - group "Marks":
            - button "Mark here"
            - status: Chapter 2 begins at 0:10.0.
          - group "Chapter 2, 0:10.0":
            - button "Play from 2 s before"
            - button "−1 s"
            - button "Remove"
        - region "Chapters":
          - heading "Chapters" [level=2]
          - list:
            - listitem "Chapter 1":
              - textbox "Chapter 1 begins at" [disabled]
              - textbox "Title of chapter 1"
            - listitem "Chapter 2":
              - button "Play from 2 s before chapter 2"
              - textbox "Chapter 2 begins at"
              - textbox "Title of chapter 2"
              - button "Remove the mark of chapter 2"
          - button "Finish recording"
        """)
    names = stops(page)
    main_steps = ('button "Play"', 'button "Chapter 2, 0:10.0"', 'button "Mark here"', 'textbox "Title of chapter 1"',
                  'textbox "Title of chapter 2"', 'button "Finish recording"')  # fmt: skip
    places = [next(at for at, name in enumerate(names) if name.startswith(step)) for step in main_steps]
    assert places == sorted(places), names
    page.get_by_role("button", name="Finish recording").click()
    closing = page.get_by_role("dialog", name="Finish this recording?")
    expect(closing).to_have_accessible_description(re.compile("No title yet: chapter 1, 2"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Finish recording")).to_be_focused()


def test_plane(platform: Platform, page: Page) -> None:
    owner = make_user()
    collection = create_collection(owner=owner, slug="days", title="Days")
    whole = {"content": tone(200, duration_s=60), "role": Condition.Role.FULL_LENGTH}
    for item in ("Example", "Day"):
        add_stimulus(collection=collection, item=item, condition="full", **whole)  # type: ignore[arg-type]
        for number in (1, 2):
            add_stimulus(collection=collection, item=item, condition=f"c{number}", content=tone(300, duration_s=2))
    crosses = [{"condition": f"c{n}", "tc": n / 4, "sd": 0.5, "why": "Half of it.", "hears": [[1, 3]]} for n in (1, 2)]
    example = {"item": "Example", "crosses": crosses}
    experiment = make_experiment(
        owner, collection=collection, protocol="tcsd_plane", live=False, options={"example": example}
    )
    listener = PointerListener(page)
    listener.join(platform.url(f"/join/{token_without_sound_check(experiment)}/"))
    listener.start()
    expect(page.get_by_role("heading", name="Worked example")).to_be_focused()
    page.get_by_role("button", name="Start rating").click()
    expect(page.get_by_role("heading", name="Recording", level=1)).to_be_focused()
    expect(page.locator("main")).to_match_aria_snapshot("""
        - list "Steps":
          - listitem:
            - button "1 Explore 0 min, 0 sources"
          - listitem:
            - button "2 Hours 0/1"
          - listitem:
            - button "3 Place 0/2"
        - status: All sound ready
        - button "Finish recording"
        - region "Full recording":
          - group "Hours of the day":
            - button /probes heard$/
          - button "Play"
          - group "Sound viewer":
            - group "Waveform and spectrogram":
              - button /^Probe 1 in the picture/
          - list "Probes of this hour":
            - listitem:
              - button /^Probe 1 [0-9]/
        - region "Summaries":
          - list:
            - listitem:
              - button "Summary 1, not heard yet" [pressed]
        - region "My notes":
          - textbox "A source that you hear"
          - button "Add"
          - textbox "Note"
        """)
    page.get_by_role("button", name="3 Place").click()
    plane = page.get_by_role("application")
    expect(plane).to_be_focused()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_match_aria_snapshot("""
        - region "Plane":
          - application "Plane of temporal consistency (TC) and source diversity (SD)"
          - list "Summaries":
            - listitem:
              - button /^Summary 1, TC .* tentative, not heard yet$/ [pressed]
              - button "Play summary 1"
            - listitem:
              - button "Summary 2, not placed, not heard yet"
          - button "Decide"
          - button "Remove"
          - status: /^Summary 1, TC .* tentative$/
        """)
    assert page.evaluate(MOVING) == 0
    stands_out(page, ".board__token[data-token=s1]", ".board__token[data-token=s2]")
    names = stops(page)
    steps = ('button "1 Explore', 'button "Play"', 'button "Summary 1, not heard', "application", 'button "Decide"')
    places = [next(at for at, name in enumerate(names) if name.startswith(step)) for step in steps]
    assert places == sorted(places), names
    same = page.locator(".board__same > summary").first
    same.click()
    expect(same).to_have_attribute("aria-disabled", "true")  # one cross alone has nothing to be like
    expect(page.locator(".board__same").first).not_to_have_attribute("open", "")
    page.get_by_role("button", name="Finish recording").click()
    closing = page.get_by_role("dialog", name="Close this recording?")
    expect(closing).to_have_accessible_description(re.compile("Not on the plane yet: 2"))
    page.keyboard.press("Escape")

    page.set_viewport_size(ZOOMED[0])  # type: ignore[arg-type]
    expect(page.locator("main")).to_match_aria_snapshot('- heading "This test needs a computer screen" [level=1]')
    assert page.evaluate(CUT_OFF) == []


def test_what_waits_moves_only_for_those_who_want_motion(
    platform: Platform, device: Callable[..., BrowserContext]
) -> None:
    waiting = "<button class='button' aria-busy='true'>Loading</button><div class='skeleton'>A picture</div>"
    for motion, moving in {"reduce": 0, "no-preference": 2}.items():
        page = device(reduced_motion=motion).new_page()
        page.goto(platform.url("/"))
        page.evaluate("markup => document.body.insertAdjacentHTML('beforeend', markup)", waiting)
        assert page.evaluate(MOVING) == moving
