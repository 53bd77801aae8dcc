"""The grid of THumBS in a browser: cells typed and pasted, each judged; a reload loses nothing."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from rating.models import Vote
from tests.e2e.captions import (
    begin,
    cell,
    choose,
    come_back,
    counted,
    heard_once,
    invitation,
    kept,
    leave_example,
    newest,
    paste,
    row,
)
from tests.e2e.conftest import Platform
from tests.e2e.listener import PointerListener
from tests.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def link(platform: Platform) -> str:
    return invitation(platform, grid=True)


def pasted_numbers() -> list[dict[str, float]]:
    """What every step so far says about the caption whose comment was pasted."""
    captions = [vote.payload["captions"]["c1"] for vote in Vote.objects.filter(trial__kind="test")]
    return [scored for scored in captions if scored.pop("comment", "") == "said twice"]


def test_a_block_from_a_spreadsheet_is_pasted_into_the_grid_and_judged_cell_by_cell(
    link: str, device: Callable[..., BrowserContext]
) -> None:
    page = device().new_page()
    listener = PointerListener(page)
    begin(listener, link)
    leave_example(listener)
    page.get_by_role("button", name="Grid").click()
    cell(page, 1, 1, "PRECISION").wait_for()

    paste(
        page,
        cell(page, 1, 1, "PRECISION"),
        "4\t3,5\t0\t0.3\t-0.1\tNo\tsaid twice",
        "5\t6\t-0.2\t0\t0\t\t",
        "3\tgood\t0\t0\t-2\tyes\t",
    )
    expect(page.locator("[data-part=doubts-text]")).to_contain_text("3 cells")
    expect(cell(page, 1, 1, "CONCISENESS")).to_have_attribute("aria-invalid", "true")  # positive: flagged, not flipped
    expect(cell(page, 1, 1, "CONCISENESS")).to_have_value("0.3")
    wait_until(lambda: {"PRECISION": 4, "RECALL": 3.5, "FLUENCY": 0, "IRRELEVANCE": -0.1} in pasted_numbers(), newest)
    page.get_by_role("button", name="Make positive penalties negative").click()
    expect(cell(page, 1, 1, "CONCISENESS")).to_have_value("−0.3")
    page.get_by_role("button", name="Done").click()
    expect(page.locator("[data-part=grid-status]")).to_have_text("Clip 1, caption 2: please rate Recall.")
    cell(page, 1, 2, "RECALL").fill("1")
    page.keyboard.press("Enter")
    expect(cell(page, 2, 1, "RECALL")).to_be_focused()  # Enter goes down
    page.keyboard.type("2")
    page.keyboard.press("Tab")
    expect(cell(page, 2, 1, "FLUENCY")).to_be_focused()
    kept(lambda payload: payload["captions"]["c1"].get("RECALL") == 2)

    page.get_by_role("button", name="One clip").click()
    expect(row(page, 1, "CONCISENESS").locator(".thumbs-row__exact")).to_have_value("−0.3")
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Continue anyway").click()
    expect(row(page, 1, "RECALL").locator("input:checked")).to_have_value("2")  # what the grid has made of clip 2
    choose(page, 1, "PRECISION", "3.5")
    kept(lambda payload: payload["captions"]["c1"].get("PRECISION") == 3.5)
    page.get_by_role("button", name="Grid").click()
    come_back(listener, "[data-part=rows-done]:has-text('3 of 4')")

    expect(cell(page, 2, 1, "IRRELEVANCE")).to_have_value("−2")  # the grid is remembered, and so is what stands in it
    expect(cell(page, 1, 1, "SYNTHESISED")).to_have_value("no")
    paste(page, cell(page, 2, 2, "PRECISION"), "2\t2\t0\t0\t0")
    page.get_by_role("button", name="Play clip 1").first.click()
    heard_once(page)
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Hand in").click()
    listener.code()
    assert [value for scale, value in counted() if scale == "OVERALL"] == pytest.approx([0.75, 2.0, 2.8, 3.35])
