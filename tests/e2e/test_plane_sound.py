"""The sound of the plane's page: probes that sound at once, notes that stay, a task that survives a dead network."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from playwright.sync_api import BrowserContext, Page, Route, expect

from core.models import Job
from rating.models import Trial, Vote
from stimuli.models import Recording
from stimuli.services.collections import create_collection
from tests.audio.long_recordings import day_mp3
from tests.audio.material import noise, written
from tests.e2e.conftest import Platform, intercepted
from tests.e2e.listener import PointerListener
from tests.e2e.test_accessibility import scan
from tests.e2e.viewing import DRAWN
from tests.factories import make_experiment, make_user, token_without_sound_check
from tests.stimuli.test_imports import bring
from tests.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

RATE_HZ = 8000
SUMMARIES, SUMMARY_S = 3, 2
PROBE_S, PROBES = 2, 5
# Crosses that are 0.04 apart stay readable; in a window of 1024 by 768, beside the day, they still stand apart.
LEAST_PLANE_PX = {(1024, 768): 400, (1440, 900): 540, (1920, 1080): 700}
ROW_MS = 60_000  # five probes take twelve seconds on a machine that has nothing else to do
FETCHED = """(part) => {
  const over = ({ name, responseEnd }) => name.includes(part) && responseEnd;
  const all = performance.getEntriesByType("resource").filter(over);
  return all.length ? all.map(({ name }) => name) : null;
}"""
SOUNDING = ".full .viewer[data-playing=playing]"


@pytest.fixture
def link(platform: Platform, tmp_path: Path) -> str:
    """An invitation to rate two hours with three short summaries, while they are being prepared."""
    return invitation(platform, tmp_path)


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of the database with a recording that is prepared, which takes longer than most tests here."""
    return tmp_path_factory.mktemp("copies")


@pytest.fixture
def prepared_link(platform: Platform, tmp_path: Path, copies: Path) -> str:
    """An invitation to rate two hours that are prepared: by the first test that asks for them."""
    path, link = copies / "prepared.sqlite3", copies / "link"
    connection.ensure_connection()
    if path.exists():
        with closing(sqlite3.connect(path)) as copy:
            copy.backup(connection.connection)
    else:
        link.write_text(invitation(platform, tmp_path))
        prepared()
        with closing(sqlite3.connect(path)) as copy:
            connection.connection.backup(copy)
    return link.read_text()


def invitation(platform: Platform, tmp_path: Path, cues: str = "") -> str:
    """With a cue sheet of the first summary, where one is given."""
    owner = make_user()
    collection = create_collection(owner=owner, slug="days", title="Days")
    folder = tmp_path / "sounds" / "A"
    folder.mkdir(parents=True)
    day_mp3(folder / "A_full-length.mp3", hours=2, rate=RATE_HZ, kbits=8)
    for seed in range(SUMMARIES):
        summary = written(noise(SUMMARY_S * RATE_HZ, seed=seed, level=0.1), RATE_HZ, "flac")
        (folder / f"A_summary-{seed}.flac").write_bytes(summary)
    if cues:
        (folder / "cues.csv").write_text(f'item,condition,cues\nA,0,"{cues}"\n')
    bring(tmp_path / "sounds", collection)
    experiment = make_experiment(
        owner, collection=collection, protocol="tcsd_plane", label_set="plane-en-1", live=False
    )
    return platform.url(f"/join/{token_without_sound_check(experiment)}/")


def prepared() -> None:
    """Wait until the recording is ready, after which the page asks the server for nothing about it again."""
    wait_until(lambda: not Job.objects.unfinished().exists(), patience_s=120)
    assert not Recording.objects.filter(state=Recording.State.INGESTING).exists()


def opened(page: Page) -> None:
    PointerListener(page).start()
    page.wait_for_selector(".full .viewer[data-ready]")


def heard_probes(page: Page, count: int) -> None:
    expect(page.locator("[data-part=probe-count]")).to_have_text(f"{count}/{PROBES} probes heard", timeout=ROW_MS)


def kept() -> dict[str, Any]:
    """What the server holds of the page by now."""
    vote = Vote.objects.order_by("revision").last()
    return dict(vote.payload) if vote else {}


def saved(page: Page) -> None:
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved", timeout=60_000)


@pytest.mark.long  # prefetch.test.ts shows what is fetched when
def test_manifest_and_picture_of_the_day_are_fetched_while_instructions_are_read(
    prepared_link: str, device: Callable[..., BrowserContext]
) -> None:
    page = device().new_page()
    PointerListener(page).join(prepared_link)
    page.wait_for_function(FETCHED, arg="/tiles/")
    day = page.evaluate(FETCHED, "/tiles/")[0].partition("tiles/")[0]
    opened(page)
    assert [url for url in page.evaluate(FETCHED, "/manifest/") if url.startswith(day)] == [f"{day}manifest/"]


def test_probes_sound_one_by_one_and_five_in_a_row_and_what_was_heard_and_noted_is_there_again(
    link: str, device: Callable[..., BrowserContext]
) -> None:
    page = device().new_page()
    PointerListener(page).join(link)
    opened(page)

    page.keyboard.press("r")
    page.wait_for_selector(SOUNDING)
    heard_probes(page, 1)
    page.keyboard.press("b")
    heard_probes(page, PROBES)

    page.get_by_label("A source that you hear").fill("church bells")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="church bells", exact=True).click()
    page.keyboard.press("n")
    page.keyboard.type("b and r are letters here")
    page.reload()  # before the hand has rested
    opened(page)

    heard_probes(page, PROBES)
    expect(page.get_by_role("button", name="church bells", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("textbox", name="Note")).to_have_value("b and r are letters here")
    wait_until(lambda: kept().get("hours"), kept)
    assert kept()["listened"]["probes"] == [f"0.{number}" for number in range(1, PROBES + 1)]
    lengths = [to - start for start, to in kept()["listened"]["full"]]
    assert lengths == pytest.approx([PROBE_S] * PROBES, abs=0.2)


@pytest.mark.long
def test_a_reload_comes_back_to_the_same_hour_and_step(
    prepared_link: str, device: Callable[..., BrowserContext]
) -> None:
    page = device().new_page()
    PointerListener(page).join(prepared_link)
    opened(page)
    page.get_by_role("button", name="Next hour").click()
    page.locator("[data-step=place]").click()
    expect(page.locator("[data-part=hour-title]")).to_have_text("01:00–02:00")
    page.reload()
    opened(page)
    expect(page.locator("[data-part=hour-title]")).to_have_text("01:00–02:00")
    expect(page.locator("[data-step=place]")).to_have_attribute("aria-current", "step")
    page.get_by_role("button", name="Zoom in").click()
    expect(page.locator("[data-part=hour-range]")).to_have_text("01:00:00–01:30:00")


def test_play_says_that_it_is_loading_until_sound_comes(
    prepared_link: str, device: Callable[..., BrowserContext]
) -> None:
    page = device().new_page()
    PointerListener(page).join(prepared_link)
    opened(page)
    held: list[Route] = []
    play = page.locator("[data-part=full-play]")
    with intercepted(page, "**/slice/**", held.append):
        page.locator(".full .viewer__stage").click(position={"x": 300, "y": 100})  # where no probe is loaded
        play.click()
        expect(play).to_have_text("Loading…")
        wait_until(lambda: held)
    for route in held:
        route.continue_()
    expect(play).to_have_text("Pause")
    page.keyboard.press("Escape")
    expect(play).to_have_text("Play")


def test_a_part_of_a_summary_is_looped_and_without_cue_sheets_nothing_is_said_of_passages(
    prepared_link: str, device: Callable[..., BrowserContext]
) -> None:
    page = device().new_page()
    PointerListener(page).join(prepared_link)
    opened(page)
    page.wait_for_selector(".summary .viewer[data-ready]")
    page.locator(".summary .viewer__stage").focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".summary .viewer__selection")).to_be_visible()
    page.keyboard.press("o")
    expect(page.locator("[data-part=summary-loop]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Space")
    page.wait_for_selector(".summary .viewer[data-playing=playing]")
    place = "() => Number(document.querySelector('.summary .viewer__position').value)"
    wait_until(lambda: page.evaluate(place) > RATE_HZ * SUMMARY_S / 4)
    wait_until(lambda: page.evaluate(place) < RATE_HZ * SUMMARY_S / 4)  # it has begun again
    page.keyboard.press("Escape")
    expect(page.locator("[data-part=passage-find]")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.get_by_text("Loop the selected part, or all of it")).to_be_visible()
    expect(page.get_by_text("Show where in the recording it comes from")).to_be_hidden()


@pytest.mark.long  # passages.test.ts and the tests of the protocol find it
def test_a_passage_of_a_summary_is_found_in_the_day_by_key_and_by_button(
    platform: Platform, tmp_path: Path, device: Callable[..., BrowserContext]
) -> None:
    link = invitation(platform, tmp_path, cues="0:00 01:10:00; 0:01 00:30:00")
    prepared()
    page = device().new_page()
    PointerListener(page).join(link)
    opened(page)
    [token] = Trial.objects.get().detail["passages"]
    button, status = page.locator("[data-part=passage-find]"), page.locator("[data-part=passage-status]")
    mark, hour = page.locator(".full .viewer__region"), page.locator("[data-part=hour-title]")

    page.keyboard.press(token[1:])
    page.wait_for_selector(".summary .viewer[data-ready]:visible")
    expect(page.locator(".summary .viewer__marker:visible")).to_have_count(1)
    page.keyboard.press("f")
    expect(mark).to_have_attribute("aria-label", re.compile("^Summary ., 01:10:00 – 01:10:01$"))
    expect(mark).to_be_in_viewport()
    expect(hour).to_have_text("01:00–02:00")
    expect(status).to_have_text("From 01:10:00 to 01:10:01. Press again to play.")
    assert scan(page, "plane with passages") == []
    page.set_viewport_size({"width": 1024, "height": 768})
    page.evaluate(DRAWN)
    assert page.locator(".planepage__sound").evaluate("(side) => side.scrollHeight - side.clientHeight") == 0
    page.keyboard.press("f")
    page.wait_for_selector(SOUNDING)
    page.wait_for_timeout(1500)
    page.keyboard.press("Escape")
    wait_until(lambda: kept().get("listened", {}).get("full"), kept)
    [[start_s, stop_s]] = kept()["listened"]["full"]
    assert start_s == pytest.approx(4200, abs=0.1)
    assert start_s < stop_s < start_s + 60
    assert kept()["listened"]["plays"] == {}

    page.locator(".summary .viewer__stage:visible").focus()
    page.keyboard.press("ArrowRight")
    expect(status).to_have_text("")
    button.click()
    expect(mark).to_have_count(1)
    expect(mark).to_have_attribute("aria-label", re.compile("00:30:00 – 00:30:01$"))
    expect(hour).to_have_text("00:00–01:00")
    mark.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(SOUNDING)
    page.keyboard.press("Escape")

    page.keyboard.press("1" if token != "s1" else "2")
    expect(button).to_have_attribute("aria-disabled", "true")
    expect(status).to_have_text("It is not known where this part of the summary comes from.")
    page.keyboard.press("?")
    expect(page.get_by_text("Show where in the recording it comes from")).to_be_visible()


@pytest.mark.long
def test_without_a_network_probes_summaries_and_notes_go_on(
    prepared_link: str, device: Callable[..., BrowserContext]
) -> None:
    context = device()
    page = context.new_page()
    PointerListener(page).join(prepared_link)
    opened(page)
    expect(page.locator("[data-part=ready]")).to_have_text("All sound ready", timeout=ROW_MS)

    context.set_offline(True)
    expect(page.locator("[data-part=offline]")).to_be_visible()
    page.get_by_role("button", name="Next hour").click()
    page.keyboard.press("b")
    heard_probes(page, PROBES)
    page.keyboard.press("3")
    page.keyboard.press("Space")
    expect(page.locator("[data-part=summary-plays]")).to_have_text("played 1×")
    page.keyboard.press("n")
    page.keyboard.type("rain")
    expect(page.locator("#save-state")).to_have_attribute("data-state", "kept", timeout=60_000)

    context.set_offline(False)
    saved(page)
    wait_until(lambda: kept().get("listened", {}).get("plays") == {"s3": 1}, kept)
    assert kept()["hours"] == [{"hour": 1, "present": [], "note": "rain"}]
    assert kept()["listened"]["probes"] == [f"1.{number}" for number in range(1, PROBES + 1)]


def test_a_probe_is_moved_without_a_drag_and_stays_there(
    prepared_link: str, device: Callable[..., BrowserContext]
) -> None:
    page = device().new_page()
    PointerListener(page).join(prepared_link)
    opened(page)
    page.get_by_role("button", name=re.compile("^Probe 2 \\d")).click()
    page.get_by_role("button", name="Move", exact=True).click()
    picture = page.locator(".full .viewer__spectrum")
    box = picture.bounding_box()
    assert box is not None
    picture.click(position={"x": box["width"] * 0.35, "y": 20})  # three quarters into the second fifth
    wait_until(lambda: kept().get("probes"), kept)
    [probe] = kept()["probes"]
    assert (probe["hour"], probe["number"]) == (0, 2)
    two_columns = 2 * PROBES / box["width"]  # as shares of a fifth
    assert probe["share"] == pytest.approx(0.75, abs=two_columns)
    fifth_s = 3600 / PROBES
    at_s = int(fifth_s + probe["share"] * (fifth_s - PROBE_S))
    around = "|".join(f"00:{second // 60}:{second % 60:02}" for second in (at_s - 1, at_s, at_s + 1))
    expect(page.get_by_role("button", name=re.compile(f"^Probe 2 ({around})"))).to_be_visible()


def test_the_workspace_can_be_used_by_everybody_and_fits_from_1024_px_on(
    prepared_link: str, device: Callable[..., BrowserContext]
) -> None:
    page = device().new_page()
    PointerListener(page).join(prepared_link)
    opened(page)
    assert scan(page, "plane") == []
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator("[data-step=place]").click()
    assert scan(page, "plane") == []
    plane = page.locator(".board__plane")
    for (width, height), least_px in LEAST_PLANE_PX.items():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(DRAWN)  # the plane is measured anew after its pane
        box = plane.bounding_box()
        assert box is not None
        assert box["width"] >= least_px
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    page.set_viewport_size({"width": 1000, "height": 900})
    expect(page.get_by_role("heading", name="This test needs a computer screen")).to_be_visible()
    expect(plane).to_be_hidden()
