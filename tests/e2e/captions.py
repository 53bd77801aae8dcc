"""Captions of two soundscapes to be scored in a browser, and the hands that the tests of THumBS share."""

from collections.abc import Callable
from typing import Any

import numpy as np
from django.db.models import F
from playwright.sync_api import Locator, Page, expect

from audio.synthesis import clip_bytes
from rating.models import Score, Vote
from stimuli.services.collections import add_stimulus, add_text, create_collection
from tests.e2e.conftest import Platform
from tests.e2e.listener import PointerListener
from tests.factories import make_experiment, make_user, token_without_sound_check
from tests.waiting import wait_until

RATE_HZ = 8000
PAGE = ".thumbs[data-mode=page]"
CAPTIONS = {"describer": "A car passes, and a car passes.", "system": "Birds sing by a church."}
EXAMPLE = {
    "item": "sample",
    "captions": [
        {"condition": "describer", "PRECISION": 4, "RECALL": 3, "FLUENCY": 0, "CONCISENESS": -0.5, "IRRELEVANCE": 0,
         "why": "The car is said twice."},
    ],
    "synthesised": False,
}  # fmt: skip


def invitation(platform: Platform, **options: object) -> str:
    """An invitation to score two captions of each of two clips, after an example."""
    owner = make_user()
    collection = create_collection(owner=owner, slug="soundscapes", title="Soundscapes")
    for number, item in enumerate(("sample", "street", "garden")):
        time_s = np.arange(RATE_HZ) / RATE_HZ
        sound = (0.1 * np.sin(2 * np.pi * (300 + 200 * number) * time_s)).astype(np.float32)
        add_stimulus(collection=collection, item=item, condition="sound", content=clip_bytes(sound, RATE_HZ))
        for condition, text in CAPTIONS.items():
            caption = {"kind": "caption", "text": text, "tokens": None}
            add_text(collection=collection, item=item, condition=condition, text=caption)
    experiment = make_experiment(
        owner, collection=collection, protocol="thumbs", live=False, options={"example": EXAMPLE, **options}
    )
    return platform.url(f"/join/{token_without_sound_check(experiment)}/")


def begin(listener: PointerListener, link: str) -> None:
    listener.join(link)
    listener.start()
    expect(listener.page.get_by_text("The car is said twice.")).to_be_visible()


def leave_example(listener: PointerListener) -> None:
    listener.page.get_by_role("button", name="Next").click()
    listener.page.locator(PAGE).wait_for()


def come_back(listener: PointerListener, place: str) -> None:
    """Load the page again, as after a crash, once everything is safe."""
    saved(listener.page)
    listener.page.reload()
    listener.start()
    listener.page.locator(f"#rest-ready:visible, {place}").wait_for()
    if listener.page.locator("#rest-ready").is_visible():  # a block begins with a break, also for who comes back to it
        listener.end_break()
    listener.page.locator(place).wait_for()


def saved(page: Page) -> None:
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved", timeout=60_000)


def heard_once(page: Page) -> None:
    expect(page.get_by_text("Played 1 time")).to_be_visible(timeout=60_000)


def newest() -> dict[str, Any]:
    vote = Vote.objects.filter(trial__kind="test").last()
    return vote.payload if vote else {"captions": {"c1": {}}}


def kept(wanted: Callable[[dict[str, Any]], bool]) -> None:
    """Wait until the newest step on the server is as wanted: a step is made when the hand rests."""
    wait_until(lambda: wanted(newest()), newest)


def caption(page: Page, number: int) -> Locator:
    return page.locator(f"[data-slot=c{number}]")


def row(page: Page, number: int, scale: str) -> Locator:
    return caption(page, number).locator(f"[data-scale={scale}]")


def choose(page: Page, number: int, scale: str, value: str) -> None:
    row(page, number, scale).locator(f"label:has(input[value='{value}'])").click()


def score_by_pointer(page: Page, number: int) -> None:
    choose(page, number, "PRECISION", "4")
    choose(page, number, "RECALL", "2.5")
    caption(page, number).get_by_role("button", name="No penalties").click()


def counted() -> list[tuple[str, float]]:
    """What the newest answers say about captions."""
    newest_ones = Score.objects.filter(vote__trial__kind="test", vote__trial__current_vote=F("vote"))
    return sorted(newest_ones.exclude(scale="SYNTHESISED").values_list("scale", "value"))


PASTE = """([cell, text]) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  cell.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""


def cell(page: Page, clip: int, number: int, column: str) -> Locator:
    # The question about a clip stands in the first of its rows.
    return (
        page.locator("[data-part=rows] tr").nth(2 * clip + number - 3).locator(f"[data-column={column}] > :first-child")
    )


def paste(page: Page, at: Locator, *lines: str) -> None:
    at.focus()
    page.evaluate(PASTE, [at.element_handle(), "\n".join(lines)])
