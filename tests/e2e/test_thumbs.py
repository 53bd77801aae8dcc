"""THumBS in a browser: captions scored by pointer, and by keys alone; a reload loses nothing."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.captions import (
    PAGE,
    begin,
    caption,
    cell,
    choose,
    come_back,
    counted,
    heard_once,
    invitation,
    kept,
    leave_example,
    paste,
    row,
    score_by_pointer,
)
from tests.e2e.conftest import Platform
from tests.e2e.listener import KeyboardListener, PointerListener
from tests.e2e.test_accessibility import overflows, scan

SCALES = ("PRECISION", "RECALL", "FLUENCY", "CONCISENESS", "IRRELEVANCE")
ALL_ELSE = "Caption 2: please rate all five values. Please answer yes or no."
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def link(platform: Platform) -> str:
    return invitation(platform)


@pytest.mark.long
def test_captions_are_scored_by_pointer_and_an_earlier_answer_is_changed_before_handing_in(
    link: str, device: Callable[..., BrowserContext]
) -> None:
    page = device().new_page()
    begin(PointerListener(page), link)
    leave_example(PointerListener(page))

    expect(row(page, 1, "FLUENCY")).to_contain_class("is-empty")  # unanswered is not zero
    expect(caption(page, 1).locator("[data-part=total]")).to_contain_text("after all five values")
    score_by_pointer(page, 1)
    exact = row(page, 1, "CONCISENESS").locator(".thumbs-row__exact")
    exact.fill("0.3")
    exact.blur()
    expect(row(page, 1, "CONCISENESS")).to_contain_text("0.3 was entered as −0.3")
    expect(caption(page, 1).locator("[data-part=total]")).to_contain_text("(4 + 2.5) / 2 − 0 − 0.3 − 0 = 2.95")
    row(page, 1, "FLUENCY").locator(".thumbs-row__exact").fill("-3")
    page.get_by_role("button", name="Next").click()
    expect(page.locator("[data-part=status]")).to_have_text(f"Caption 1: please rate Fluency. {ALL_ELSE}")
    expect(row(page, 1, "FLUENCY")).to_contain_text("-3 was not saved")
    choose(page, 1, "FLUENCY", "0")
    expect(row(page, 1, "FLUENCY").locator(".thumbs-row__exact")).to_have_value("0")
    expect(row(page, 1, "FLUENCY")).not_to_contain_text("was not saved")

    caption(page, 1).locator("[data-part=text]").select_text()
    caption(page, 1).get_by_role("button", name="Quote the selected words").click()
    page.keyboard.type("said twice")
    score_by_pointer(page, 2)
    page.locator(".thumbs-ask__choice", has_text="No").click()
    kept(lambda payload: payload["captions"]["c1"].get("comment", "").endswith(": said twice"))
    come_back(PointerListener(page), "[data-slot=c1] [data-scale=CONCISENESS]:not(.is-empty)")
    expect(row(page, 1, "CONCISENESS").locator(".thumbs-row__exact")).to_have_value("−0.3")

    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Continue anyway").click()  # nothing was played
    expect(page.get_by_role("heading", name="Clip 2 of 2")).to_be_visible()
    page.get_by_role("button", name="Play").click()
    heard_once(page)
    for number in (1, 2):
        score_by_pointer(page, number)
    page.locator(".thumbs-ask__choice", has_text="Yes").click()
    page.get_by_role("button", name="Next").click()

    page.locator("#review-pages button").nth(0).click()
    choose(page, 1, "PRECISION", "1.5")
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Continue anyway").click()
    page.get_by_role("button", name="Hand in").click()
    PointerListener(page).code()
    precisions = [value for scale, value in counted() if scale == "PRECISION"]
    assert precisions == [1.5, 4, 4, 4]
    assert sorted(value for scale, value in counted() if scale == "OVERALL") == pytest.approx([1.7, 3.25, 3.25, 3.25])


def score_by_keys(listener: KeyboardListener, score: str) -> None:
    for key in ("p", f"Digit{score}", "r", f"Digit{score}", "ArrowRight", "o", "f", "-", "0", ".", "4", "Enter"):
        listener.press(key)


@pytest.mark.long
def test_captions_are_scored_with_keys_alone(link: str, device: Callable[..., BrowserContext]) -> None:
    page = device().new_page()
    listener = KeyboardListener(page)
    begin(listener, link)
    listener.press("Enter")
    page.locator(PAGE).wait_for()
    expect(page.get_by_role("heading", name="Clip 1 of 2")).to_be_visible()
    listener.press("Space")
    heard_once(page)
    listener.press("h")
    expect(page.get_by_role("dialog")).to_contain_text("The car is said twice.")
    listener.press("Escape")

    score_by_keys(listener, "4")
    expect(caption(page, 1).locator("[data-part=total]")).to_contain_text("(4 + 4.5) / 2 − 0.4 − 0 − 0 = 3.85")
    kept(lambda payload: payload["captions"]["c1"].get("FLUENCY") == -0.4)
    come_back(listener, "[data-slot=c1] [data-scale=FLUENCY]:not(.is-empty)")
    listener.press("n")
    score_by_keys(listener, "2")
    listener.press("Enter")
    expect(page.locator("[data-part=status]")).to_contain_text("yes or no")
    expect(page.locator("[data-part=synthesised]")).to_have_attribute("aria-invalid", "true")
    listener.press("ArrowDown")  # from Yes, on which the focus is, to No
    listener.press("Enter")
    expect(page.get_by_role("heading", name="Clip 2 of 2")).to_be_visible()

    listener.press("Backspace")
    expect(page.get_by_role("heading", name="Clip 1 of 2")).to_be_visible()
    expect(row(page, 2, "RECALL").locator("input:checked")).to_have_value("2.5")
    listener.press("Control+Enter")
    expect(page.get_by_role("heading", name="Clip 2 of 2")).to_be_visible()
    listener.press("Space")
    heard_once(page)
    score_by_keys(listener, "3")
    listener.press("n")
    score_by_keys(listener, "5")
    listener.press("s")
    listener.press("Space")
    listener.tab_to("[data-act=next]")
    listener.press("Enter")
    page.get_by_role("heading", name="Everything is answered").wait_for()
    listener.tab_to("#submit")
    listener.press("Enter")
    listener.code()
    assert [value for scale, value in counted() if scale == "PRECISION"] == [2, 3, 4, 5]
    assert {value for scale, value in counted() if scale == "FLUENCY"} == {-0.4}


# Whether the middle of an element is what is seen there, and not the player or the bar with Next.
IN_SIGHT = """element => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}"""


@pytest.mark.parametrize(("width", "height"), [pytest.param(1440, 900, marks=pytest.mark.long), (390, 844)])
def test_next_says_beside_itself_what_is_missing_and_marks_every_line_that_lacks_a_value(
    link: str, device: Callable[..., BrowserContext], width: int, height: int
) -> None:
    page = device(viewport={"width": width, "height": height}).new_page()
    begin(PointerListener(page), link)
    leave_example(PointerListener(page))
    choose(page, 1, "PRECISION", "4")
    forward = page.get_by_role("button", name="Next")
    forward.click()
    alert = page.locator("[data-part=status]")
    expect(alert).to_have_text(f"Caption 1: please rate Recall, Fluency, Conciseness, Irrelevance. {ALL_ELSE}")
    expect(row(page, 1, "RECALL")).to_be_focused()
    assert all(part.evaluate(IN_SIGHT) for part in (alert, forward, row(page, 1, "RECALL")))
    marked = page.locator(".thumbs-row[aria-invalid=true]")
    assert marked.evaluate_all("rows => rows.map((row) => row.dataset.scale)") == [*SCALES[1:], *SCALES]
    choose(page, 1, "RECALL", "3")
    expect(row(page, 1, "RECALL")).not_to_have_attribute("aria-invalid", "true")

    for scale in SCALES:  # a caption stays in sight while any of its lines is rated
        row(page, 1, scale).evaluate("row => row.focus()")
        assert row(page, 1, scale).evaluate(IN_SIGHT), scale
        assert caption(page, 1).locator("[data-part=text]").evaluate(IN_SIGHT), scale


def test_without_the_option_there_is_no_grid(link: str, device: Callable[..., BrowserContext]) -> None:
    page = device().new_page()
    page.add_init_script("localStorage.setItem('earmark-thumbs-mode', 'grid')")  # of another experiment
    begin(PointerListener(page), link)
    leave_example(PointerListener(page))
    expect(page.locator("[data-part=modes]")).to_be_hidden()
    page.locator("[data-act=list]").click()
    expect(page.locator(".thumbs-list__page")).to_have_text(
        ["Worked exampledone", "Clip 1 of 2not started", "Clip 2 of 2not started"]
    )


def test_the_pages_are_accessible_in_every_look(platform: Platform, device: Callable[..., BrowserContext]) -> None:
    page = device().new_page()
    begin(PointerListener(page), invitation(platform, grid=True))
    problems = scan(page, "example") + overflows(page, "example")
    leave_example(PointerListener(page))
    score_by_pointer(page, 1)
    problems += scan(page, "captions") + overflows(page, "captions")
    page.get_by_role("button", name="What the scores mean").click()
    problems += scan(page, "rubric")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Grid").click()
    paste(page, cell(page, 1, 1, "PRECISION"), "4\tgood\t0\t0.3")
    problems += scan(page, "grid") + overflows(page, "grid")
    assert problems == []
