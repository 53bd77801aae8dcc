"""Pages that are worked on, as assistive technology gets them: one journey a protocol."""

import re
from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from listening.panels.services import panels
from protocols.speech_summaries.protocol import JUDGE, MAKER
from stimuli.models import Condition
from stimuli.services.collections import add_stimulus, create_collection
from tests.e2e import captions
from tests.e2e import test_chapters as chapters
from tests.e2e.assistive import MOVES, ZOOMED, cut_off, in_order, opened, shows, space_plays, stands_out, stops
from tests.e2e.conftest import Platform
from tests.e2e.listener import PointerListener
from tests.factories import (
    make_experiment,
    make_user,
    token_without_sound_check,
    tone,
)
from tests.protocols.speech_summaries.material import summaries_experiment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(device: Callable[..., BrowserContext]) -> Page:
    """A page of a listener who wants no motion."""
    return device(reduced_motion="reduce").new_page()


def finish_clip(page: Page) -> None:
    page.locator("[data-part=synthesised] label:has(input)").first.click()
    page.get_by_role("button", name="Next").click()
    unheard = page.get_by_role("dialog", name="You have not played this clip")
    expect(unheard).to_have_accessible_description("Please listen first.")
    expect(unheard.get_by_role("button", name="Play")).to_be_focused()
    unheard.get_by_role("button", name="Continue anyway").click()


def test_thumbs(platform: Platform, page: Page) -> None:
    listener = PointerListener(page)
    captions.begin(listener, captions.invitation(platform))
    expect(page.get_by_role("heading", name="Worked example")).to_be_focused()
    shows(page, """
        - heading "Worked example" [level=1]
        - region "Clip":
          - button "Play"
        - article "Caption 2":
          - heading "Caption 2" [level=2]
          - term: Conciseness
          - definition: "−0.5"
          - paragraph: The car is said twice.
        - button "Next"
        """)  # fmt: skip
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
        - status: "Caption 2: please rate all five values. Please answer yes or no."
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
    page.keyboard.press("Escape")
    expect(page.get_by_role("radiogroup", name="Caption 2 Irrelevance not set")).to_be_focused()

    page.get_by_role("button", name="What the scores mean").press("Enter")
    shows(page, """
        - dialog "What the scores mean":
          - group "What the scores mean":
            - term: Precision
          - button "Close"
        """)  # fmt: skip
    page.keyboard.press("Escape")

    captions.score_by_pointer(page, 2)
    finish_clip(page)
    expect(page.get_by_role("heading", name="Clip 2 of 2")).to_be_focused()
    for number in (1, 2):
        captions.score_by_pointer(page, number)
    finish_clip(page)
    expect(page.get_by_role("heading", name="Everything is answered")).to_be_focused()
    shows(page, """
        - heading "Everything is answered" [level=1]
        - list:
          - listitem:
            - button "Clip 1 of 2"
          - listitem:
            - button "Clip 2 of 2"
        - button "Hand in"
        """)  # fmt: skip
    in_order(page, 'button "Clip 1 of 2"', 'button "Clip 2 of 2"', 'button "Hand in"')
    page.get_by_role("button", name="Clip 2 of 2").click()
    page.get_by_role("button", name="Keys").press("Enter")
    page.keyboard.press("Escape")
    space_plays(page)


def test_grid_of_thumbs(platform: Platform, page: Page) -> None:
    listener = PointerListener(page)
    captions.begin(listener, captions.invitation(platform, grid=True))
    captions.leave_example(listener)
    page.get_by_role("button", name="Grid").click()
    captions.cell(page, 1, 1, "RECALL").fill("6")
    page.keyboard.press("Tab")
    expect(captions.cell(page, 1, 1, "RECALL")).to_have_accessible_description(re.compile("1 to 5"))
    expect(page.locator("main")).to_match_aria_snapshot("""
        - heading "All clips" [level=1]
        - group "Show":
          - button "One clip"
          - button "Grid" [pressed]
        - region "Grid":
          - table "All captions, one per row":
            - rowgroup:
              - row:
                - columnheader "Precision"
            - rowgroup:
              - row:
                - rowheader /^1.1/:
                  - button "Play clip 1"
                - cell:
                  - textbox "Precision, clip 1, caption 1"
                - cell:
                  - textbox "Recall, clip 1, caption 1": "6"
                - cell:
                  - combobox "Synthesised, clip 1"
          - paragraph: 1 cell has an error and was not saved.
          - button "Show the first"
          - button "Done"
        """)
    names = stops(page)
    assert names[:3] == ['button "One clip"', 'button "Grid" [pressed]', 'button "Clips"']
    assert names[-1] == 'button "Done"'
    page.get_by_role("button", name="Play clip 1").first.click()
    page.get_by_role("button", name="Clips").press("Enter")
    page.keyboard.press("Escape")
    space_plays(page)
    page.wait_for_function(MOVES, arg=0)
    stands_out(page, "[data-mode][aria-pressed=true]", "[data-mode][aria-pressed=false]")
    for size in ZOOMED:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert cut_off(page) == [], size


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
        - heading "Sentence 1 of 2" [level=1]
        - heading "Which words make the best summary?" [level=2]
        - region "Choose words":
          - paragraph:
            - status: 2 more
          - 'group "Sentence: choose the words to keep"':
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

    for name, reason in {"Redo": "There is nothing to redo.", "Undo": "", "Clear": "No words chosen yet."}.items():
        maker.page.get_by_role("button", name=name).click(force=True)
        expect(maker.page.locator("[data-part=missing]")).to_have_text(reason)
    maker.page.get_by_role("button", name="Keys").press("Enter")
    maker.page.keyboard.press("Escape")
    expect(words.first).to_be_focused()

    judge = PointerListener(device(reduced_motion="reduce").new_page())
    judge.join(judged)
    judge.start()
    judge.page.locator(".version label").first.click()
    judge.page.get_by_role("button", name="Next").click(force=True)
    second = judge.page.get_by_role("radiogroup", name="Version 2")
    expect(second).to_have_accessible_description(re.compile("^Rain fell"))
    shows(judge.page, """
        - heading "Sentence 1 of 2" [level=1]
        - heading "How good is this summary of the sentence?" [level=2]
        - region "Versions":
          - heading "Sentence" [level=3]
          - list:
            - listitem:
              - radiogroup "Version 1":
                - radio "5 Best" [checked]
            - listitem:
              - radiogroup "Version 2"
          - textbox "Comment (optional)"
        - status: 1 of 3 rated
        - status: Please rate versions 2 and 3.
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
    stands_out(judge.page, ".scale__choice:has(:checked)", ".scale__choice:not(:has(:checked))")
    judge.page.get_by_role("button", name="Keys").press("Enter")
    shows(judge.page, """
        - dialog "Keys":
          - term: 1 … 5
          - definition: Rate this version and go to the next
          - button "Close"
        """)  # fmt: skip
    judge.page.keyboard.press("Escape")
    space_plays(judge.page)


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
          - button "I have finished"
        """)
    stands_out(page, ".chapters__part[data-chosen=yes]", ".chapters__part:not([data-chosen=yes])")
    stands_out(page, ".viewer__marker[aria-pressed=true] > span", ".chapters__part")
    page.wait_for_function(MOVES, arg=0)
    names = stops(page)
    main_steps = ('button "Play"', 'button "Chapter 2, 0:10.0"', 'button "Mark here"', 'textbox "Title of chapter 1"',
                  'textbox "Title of chapter 2"', 'button "I have finished"')  # fmt: skip
    places = [next(at for at, name in enumerate(names) if name.startswith(step)) for step in main_steps]
    assert places == sorted(places), names
    page.get_by_role("button", name="I have finished").click()
    closing = page.get_by_role("dialog", name="Finish this recording?")
    expect(closing).to_have_accessible_description(re.compile("No title yet: chapters 1, 2"))
    page.keyboard.press("Escape")
    space_plays(page)
    page.get_by_role("button", name="Keys").press("Enter")
    expect(page.locator("main")).to_match_aria_snapshot("""
        - dialog "Keys":
          - term: C
          - definition: Start a chapter at the cursor
          - button "Close"
        """)
    page.get_by_role("dialog", name="Keys").get_by_role("button", name="Close").press("Enter")
    space_plays(page)
    page.set_viewport_size(ZOOMED[0])  # type: ignore[arg-type]
    assert cut_off(page) == []


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
    expect(page.locator("main")).to_match_aria_snapshot("""
        - heading "Worked example" [level=1]
        - button "Start rating"
        - region "Full recording":
          - button "Play"
        - region "Summaries":
          - list:
            - listitem:
              - button "Summary 1, not heard yet" [pressed]
        - region "Plane":
          - application "Plane of temporal consistency (TC) and source diversity (SD)"
        """)
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
        - button "I have finished"
        - region "Full recording":
          - group "Hours of the recording":
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
    page.wait_for_function(MOVES, arg=0)
    stands_out(page, ".board__token[data-token=s1]", ".board__token[data-token=s2]")
    names = stops(page)
    steps = ('button "1 Explore', 'button "Play"', 'button "Summary 1, not heard', "application", 'button "Decide"')
    places = [next(at for at, name in enumerate(names) if name.startswith(step)) for step in steps]
    assert places == sorted(places), names
    same = page.locator(".board__same > summary").first
    same.click()
    expect(same).to_have_attribute("aria-disabled", "true")  # one cross alone has nothing to be like
    expect(page.locator(".board__same").first).not_to_have_attribute("open", "")
    expect(page.locator(".board__hint")).to_have_text("Needs two crosses on the plane")
    page.get_by_role("button", name="I have finished").click()
    closing = page.get_by_role("dialog", name="Finish this recording?")
    expect(closing).to_have_accessible_description(re.compile("Not on the plane yet: 2"))
    page.keyboard.press("Escape")
    expect(plane).to_be_focused()
    space_plays(page)
    page.get_by_role("button", name="TC and SD").press("Enter")
    expect(page.locator("main")).to_match_aria_snapshot("""
        - dialog "What TC and SD mean":
          - term: /TC/
          - definition
          - button "Close"
        """)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="1 Explore").click()
    page.get_by_role("textbox", name="A source that you hear").fill("Rain")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Rain", exact=True).click()
    page.locator(".chip__remove").click(force=True)
    expect(page.locator("[data-part=present-reason]")).to_have_text("Rain stands in 1 hour; take it out there first")
    page.get_by_role("button", name="Keys").press("Enter")
    page.keyboard.press("Escape")
    space_plays(page)

    page.set_viewport_size(ZOOMED[0])  # type: ignore[arg-type]
    expect(page.locator("main")).to_match_aria_snapshot('- heading "This test needs a computer screen" [level=1]')
    assert cut_off(page) == []


def test_what_waits_moves_only_for_those_who_want_motion(
    platform: Platform, device: Callable[..., BrowserContext]
) -> None:
    waiting = "<button class='button' aria-busy='true'>Loading</button><div class='skeleton'>A picture</div>"
    for motion, moving in {"reduce": 0, "no-preference": 2}.items():
        page = device(reduced_motion=motion).new_page()
        page.goto(platform.url("/"))
        page.evaluate("markup => document.body.insertAdjacentHTML('beforeend', markup)", waiting)
        page.wait_for_function(MOVES, arg=moving)
