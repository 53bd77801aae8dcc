"""The plane in a browser: eight crosses placed and revised by pointer, and by keys alone; every move is kept."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, Position, Route, expect

from rating.models import Experiment, Score, Vote
from stimuli.services.collections import create_collection
from tests.audio.material import noise, written
from tests.e2e.conftest import Platform
from tests.e2e.listener import KeyboardListener, PointerListener
from tests.e2e.viewing import DRAWN
from tests.factories import make_experiment, make_user, token_without_sound_check
from tests.stimuli.test_imports import bring
from tests.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

RATE_HZ = 8000
HOURS = 24
TOKENS = tuple(f"s{number}" for number in range(1, 9))
AIMS = {"s1": (0.2, 0.3), "s2": (0.6, 0.8), "s3": (0.64, 0.8), "s4": (0.6, 0.76), "s5": (0.4, 0.1), "s6": (0.9, 0.5),
        "s7": (0.1, 0.9), "s8": (1.3, 1.3)}  # fmt: skip
# The same crosses three times on the screen: on the plane, in the tray and in the list, whose figures are exact.
ROWS = """rows => rows.map((row) => [
  row.querySelector(".board__row-number").textContent,
  row.dataset.state,
  ...[...row.querySelectorAll("output")].map((figure) => figure.textContent),
])"""
MARGIN_PX = 22, 46  # before the origin and beyond the maximum: protocols/tcsd_plane/view/geometry.ts

Shown = dict[str, tuple[list[float] | None, bool]]
Move = tuple[
    str, list[float] | None, bool, str, bool
]  # which, where to, whether decided, how, whether figures were seen


@pytest.fixture
def link(platform: Platform, tmp_path: Path) -> str:
    """An invitation to rate a "day" of three minutes with eight summaries of two seconds."""
    owner = make_user()
    collection = create_collection(owner=owner, slug="days", title="Days")
    _write_recording(tmp_path / "sounds" / "A")
    bring(tmp_path / "sounds", collection)
    experiment = make_experiment(
        owner, collection=collection, protocol="tcsd_plane", label_set="plane-en-1", live=False
    )
    return platform.url(f"/join/{token_without_sound_check(experiment)}/")


@pytest.fixture
def whole_day_link(platform: Platform, tmp_path: Path) -> str:
    """The same with a worked example before it, and with a summary of which it is known where it comes from."""
    owner = make_user()
    collection = create_collection(owner=owner, slug="days", title="Days")
    for item in ("A", "X"):
        _write_recording(tmp_path / "sounds" / item)
    (tmp_path / "sounds" / "A" / "cues.csv").write_text('item,condition,cues\nA,0,"0:00 00:01:10; 0:01 00:00:30"\n')
    bring(tmp_path / "sounds", collection)
    why = "Half of the sources of the day are heard in it, in the order in which they come."
    crosses = [{"condition": f"{n}", "tc": n / 8, "sd": 0.5, "why": why, "hears": [[1, 3]]} for n in range(8)]
    experiment = make_experiment(
        owner,
        collection=collection,
        protocol="tcsd_plane",
        label_set="plane-en-1",
        options={"example": {"item": "X", "crosses": crosses}},
        live=False,
    )
    return platform.url(f"/join/{token_without_sound_check(experiment)}/")


def as_a_day(route: Route) -> None:
    """Let the clock of a recording of minutes run through 24 hours."""
    answer = route.fetch()
    if not answer.ok:  # the page that asked was closed meanwhile
        route.fulfill(response=answer)
        return
    manifest = answer.json()
    hour = manifest["length_samples"] // HOURS
    if hour > RATE_HZ:  # not a summary
        manifest["clock"] = [
            {"start": n * hour, "stop": (n + 1) * hour, "clock_s": n * 3600, "status": "agreed"} for n in range(HOURS)
        ]
    route.fulfill(response=answer, json=manifest)


def _write_recording(folder: Path) -> None:
    item = folder.name
    folder.mkdir(parents=True)
    silence = np.zeros((5 * RATE_HZ, 1), np.float32)
    stretches = [part for seed in range(3) for part in (noise(60 * RATE_HZ, seed=seed, level=0.1), silence)]
    (folder / f"{item}_full-length.flac").write_bytes(written(np.concatenate(stretches[:-1]), RATE_HZ, "flac"))
    for seed in range(len(TOKENS)):
        summary = written(noise(2 * RATE_HZ, seed=10 + seed, level=0.1), RATE_HZ, "flac")
        (folder / f"{item}_summary-{seed}.flac").write_bytes(summary)


class Board:
    """The plane as a rater sees it, and a ledger of what was done to it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.plane = page.locator(".board__plane")
        self.done: list[Move] = []

    def open(self) -> None:
        """Go to the third step, which shows the plane."""
        self.page.locator("[data-step=place]").click()
        self.plane.wait_for()

    def shown(self) -> Shown:
        rows = self.page.locator(".board__row").evaluate_all(ROWS)
        return {
            f"s{number}": (
                [float(figure.replace(",", ".")) for figure in figures] if state != "tray" else None,
                state == "decided",
            )
            for number, state, *figures in rows
        }

    def place_of(self, token: str) -> list[float]:
        place, _ = self.shown()[token]
        assert place is not None, f"{token} lies in the tray"
        return place

    def note(self, token: str, way: str) -> None:
        """Write down what the screen shows of a cross after it was moved this way."""
        place, decided = self.shown()[token]
        self.done.append((token, place, decided, way, self.figures))

    @property
    def figures(self) -> bool:
        return self.page.locator(".board__list[open]").count() > 0

    def point(self, tc: float, sd: float) -> Position:
        """Where a place lies on the drawing."""
        before, after = MARGIN_PX
        side = self.plane.evaluate("plane => plane.clientWidth") - before - after
        return {"x": before + tc * side, "y": after + (1 - sd) * side}

    def token(self, token: str) -> None:
        self.page.locator(f".board__token[data-token={token}]").click()

    def click(self, tc: float, sd: float) -> None:
        self.plane.click(position=self.point(tc, sd))

    def place(self, token: str, tc: float, sd: float) -> None:
        self.token(token)
        self.click(min(tc, 1.04), min(sd, 1.04))  # beyond the dashed lines, and still on the drawing
        self.note(token, "pointer")

    def drag(self, token: str, tc: float, sd: float) -> None:
        self.plane.hover(position=self.point(*self.place_of(token)))
        self.page.mouse.down()
        self.plane.hover(position=self.point(tc, sd))
        self.page.mouse.up()
        self.note(token, "pointer")

    def act(self, name: str) -> None:
        self.page.locator(f".board [data-act={name}]").click()

    def decide_rest(self, way: str) -> None:
        """What closing the recording does to every cross that is still tentative."""
        open_ones = [(token, place) for token, (place, decided) in self.shown().items() if not decided]
        self.done += [(token, place, True, way, self.figures) for token, place in open_ones]

    def saved(self) -> None:
        """Wait until the server has all that was done: a step is made when the hand rests."""
        wait_until(lambda: len(moves_on_the_server()) >= len(self.done), moves_on_the_server)
        expect(self.page.locator("#save-state")).to_have_attribute("data-state", "saved", timeout=60_000)

    def kept_here(self) -> None:
        expect(self.page.locator("#save-state")).to_have_attribute("data-state", "kept", timeout=60_000)


def close_by_pointer(page: Page) -> None:
    page.get_by_role("button", name="I have finished").click()
    page.get_by_role("button", name="Decide all and finish").click()


def moves_on_the_server() -> list[Move]:
    votes = Vote.objects.filter(outcome="accepted").order_by("revision")
    moves: list[dict[str, Any]] = [move for vote in votes for move in vote.payload["moves"]]
    assert all(move["plane_px"] > 300 and move["at_ms"] > 0 for move in moves)
    return [(move["slot"], move["to"], move["decided"], move["input"], move["numbers"]) for move in moves]


def assert_kept(board: Board, shown: Shown) -> None:
    assert moves_on_the_server() == board.done
    newest = Vote.objects.filter(outcome="accepted").latest("revision")
    assert newest.payload["finished"] is True
    scores = {(row.slot.key, row.scale): row.value for row in Score.objects.filter(vote=newest).select_related("slot")}
    places = {token: place or [] for token, (place, _) in shown.items()}
    assert scores == {
        (token, scale): places[token][axis] for token in TOKENS for axis, scale in enumerate(("TC", "SD"))
    }


STEPS = ("explore", "hours", "place")
LEAST_PICTURE_PX = 60
OVERFLOW = """() => ({
  page: document.scrollingElement.scrollHeight - innerHeight,
  main: document.querySelector("main").scrollHeight - document.querySelector("main").clientHeight,
})"""
# What lies below the lower edge of the left pane cannot be reached: the pane does not scroll.
BELOW_THE_PANE = """() => {
  const edge = document.querySelector(".planepage__sound").getBoundingClientRect().bottom;
  const parts = [...document.querySelectorAll(".planepage__sound :is(.panel, .viewer__spectrum)")];
  return parts.filter((part) => part.getBoundingClientRect().bottom > edge + 0.5).map((part) => part.className);
}"""


SIZES = ((1280, 720), (1024, 768), (1440, 900))
COLOURS = "element => ['color', 'backgroundColor'].map((name) => getComputedStyle(element)[name])"


def assert_fits(page: Page, step: str, *controls: str) -> None:
    """At every size nothing scrolls, nothing is cut off, and these controls are seen whole."""
    for width, height in SIZES:
        at = f"{step} at {width} x {height}"
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(DRAWN)
        assert page.evaluate(OVERFLOW) == {"page": 0, "main": 0}, at
        assert page.evaluate(BELOW_THE_PANE) == [], at
        for picture in page.locator(".planepage__sound .viewer__spectrum:visible").all():
            assert picture.evaluate("canvas => canvas.clientHeight") >= LEAST_PICTURE_PX, at
        for control in (*controls, "[data-part=full-play]", "[data-part=summary-play]", ".token >> nth=-1"):
            expect(page.locator(control), at).to_be_in_viewport(ratio=1)


def wait_for_pictures(page: Page) -> None:
    page.wait_for_selector(".full .viewer[data-ready]")
    page.wait_for_selector(".summary .viewer[data-ready] .viewer__stage")


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "fr"])  # its texts are longer
def test_the_guided_task_of_a_day_fits_one_window_without_scrolling(
    whole_day_link: str, page: Page, language: str
) -> None:
    Experiment.objects.update(language=language)
    page.route("**/manifest/", as_a_day)
    listener = PointerListener(page)
    listener.join(whole_day_link)
    listener.start()
    board = Board(page)

    wait_for_pictures(page)
    page.locator(".board__token").nth(1).click()
    assert_fits(page, "the worked example", "[data-part=seen]", ".board__plane", ".board__reason")
    page.locator("[data-part=seen]").click()
    page.locator("[data-part=workspace][data-kind=rating]").wait_for()
    wait_for_pictures(page)
    expect(page.locator(".hours button")).to_have_count(HOURS)
    expect(page.locator("[data-part=pad] > li")).to_have_count(HOURS)
    for step in STEPS:
        page.locator(f"[data-step={step}]").click()
        expect(page.locator(f"[data-step={step}]")).to_have_attribute("aria-current", "step")
        hours = [] if step == "place" else ["[data-part=pad] > li >> nth=11", "[data-part=pad] > li >> nth=-1"]
        assert_fits(page, step, "[data-part=finish]", "[data-part=passage-find]", *hours)
    page.locator("[data-step=explore]").click()
    for number in range(12):
        page.locator("[data-part=source-form] input").fill(f"source number {number} with a long name")
        page.keyboard.press("Enter")
    assert_fits(page, "many sources", "[data-part=finish]")
    chip = page.locator(".chip").first
    chip.click()
    under_the_pointer = chip.evaluate(COLOURS)
    page.locator(".chip__remove").first.click(force=True)
    assert chip.evaluate(COLOURS) == under_the_pointer
    assert_fits(page, "why a source stays", "[data-part=finish]", "[data-part=present-reason]")
    expect(board.plane).to_be_hidden()
    board.open()
    for token, (tc, sd) in AIMS.items():
        board.place(token, tc, sd)
    placed = ("[data-part=finish]", ".board__plane", ".board [data-act=settle]")
    assert_fits(page, "eight crosses", *placed)
    for fold, *parts in (("[data-part=comment-fold]",), (".board__list", ".board__row >> nth=3")):
        page.locator(f"{fold} > summary").click()
        assert_fits(page, f"{fold} open", *placed[:1], *parts)
        page.locator(f"{fold} > summary").click()
    page.locator("[data-part=finish]").click()
    assert_fits(page, "the closing dialog", "dialog[open]")
    page.keyboard.press("Escape")
    page.context.set_offline(True)
    expect(page.locator("[data-part=offline]")).to_be_visible()
    assert_fits(page, "without a network", *placed, "[data-part=offline]", ".board [data-act=undo]")
    expect(page.locator("[data-part=ready]")).to_be_empty()


def test_a_cross_of_a_summary_that_was_never_played_is_marked(link: str, page: Page) -> None:
    listener = PointerListener(page)
    listener.join(link)
    listener.start()
    board = Board(page)
    board.open()
    board.place("s1", 0.5, 0.5)
    token = page.locator(".board__token[data-token=s1]")
    expect(token).to_have_attribute("data-heard", "no")
    expect(page.locator(".board__hint")).to_contain_text("not heard it yet")
    page.get_by_role("button", name="Play summary 1").click()
    expect(token).to_have_attribute("data-heard", "yes")


@pytest.mark.long
def test_by_pointer_with_a_reload_and_an_offline_spell(link: str, page: Page) -> None:
    listener = PointerListener(page)
    listener.join(link)
    listener.start()
    board = Board(page)
    board.open()
    for token, (tc, sd) in AIMS.items():
        board.place(token, tc, sd)
    assert board.shown()["s8"] == ([1, 1], False), "outside it sticks to the maximum"

    board.drag("s3", 0.7, 0.7)
    board.plane.dblclick(position=board.point(0.7, 0.7))
    board.note("s3", "pointer")
    board.token("s5")
    board.act("lift")
    board.note("s5", "pointer")
    board.place("s5", 0.5, 0.2)
    board.token("s6")
    page.locator(".board__same", has_text="Same SD").locator("summary").click()
    page.get_by_role("button", name="Same SD as summary 2").click()
    board.note("s6", "same")
    assert board.place_of("s6")[1] == board.place_of("s2")[1]
    board.act("undo")
    board.note("s6", "undo")
    board.saved()

    before = board.shown()
    page.reload()
    listener.start()
    board.plane.wait_for()
    assert board.shown() == before
    board.act("redo")  # the way back survives a reload, and so does the way forth
    board.note("s6", "redo")
    board.saved()

    drawn = board.plane.bounding_box()
    page.context.set_offline(True)
    board.drag("s1", 0.25, 0.35)
    board.token("s7")
    board.click(0.15, 0.95)
    board.note("s7", "pointer")
    board.kept_here()
    expect(page.locator("#trouble")).to_be_visible()
    assert board.plane.bounding_box() == drawn, "what is said does not move the plane under the hand"
    page.context.set_offline(False)
    board.saved()

    board.decide_rest("pointer")
    shown = board.shown()
    close_by_pointer(page)
    listener.code()
    assert_kept(board, shown)


@pytest.mark.long
def test_by_keyboard_alone_with_a_reload_and_an_offline_spell(link: str, page: Page) -> None:
    listener = KeyboardListener(page)
    listener.join(link)
    listener.start()
    board = Board(page)
    listener.press("g")
    board.plane.wait_for()

    def press(*keys: str) -> None:
        for key in keys:
            listener.press(key)

    def move(token: str, *keys: str, way: str = "keys") -> None:
        for key in keys:
            press(key)
            board.note(token, way)

    for number, token in enumerate(TOKENS, start=1):
        press(f"Digit{number}", "g", *["Shift+ArrowLeft"] * number, "PageUp", *["ArrowDown"] * number)
        move(token, "Enter")
    assert board.shown()["s4"] == ([0.3, 0.56], False)
    move("s8", "Enter", "End", "PageUp", "Shift+ArrowUp")  # decided, and open again once it moves
    press("Digit2", "s")
    move("s2", "Digit7", way="same")
    press("t")
    move("s2", "Digit1", way="same")
    move("s2", "Backspace")
    move("s2", "Control+z", "Control+z", way="undo")
    move("s2", "Control+Shift+z", way="redo")
    move("s2", "Control+z", way="undo")
    board.saved()

    before = board.shown()
    page.reload()
    listener.start()
    board.plane.wait_for()
    assert board.shown() == before
    press("Digit3", "g")
    move("s3", "Home", "Shift+ArrowRight", "Enter")
    board.saved()

    page.context.set_offline(True)
    press("Digit5")
    move("s5", "PageDown", "Enter")
    board.kept_here()
    page.context.set_offline(False)
    board.saved()

    listener.tab_to(".board__list > summary")
    press("Enter")
    listener.tab_to("input[aria-label='TC of summary 6']")
    move("s6", "ArrowRight", "Enter", way="range")
    board.decide_rest("keys")
    shown = board.shown()
    listener.tab_to("[data-part=finish]")
    press("Enter")
    listener.tab_to("dialog[open] button[value=finish]")
    press("Enter")
    listener.code()
    assert_kept(board, shown)
