"""The viewer in a browser: what is shown is what is heard, to the sample, anywhere in a recording of any length."""

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from core.jobs.worker import Worker
from core.models import User
from scripts.console import words
from scripts.install import FRONTEND, node_environment
from stimuli.models import Recording, Stimulus
from tests.audio.long_recordings import day_mp3
from tests.audio.material import noise, on_grid, written
from tests.e2e.conftest import FIRST_JOB_MS, Platform, let_in
from tests.e2e.test_accessibility import overflows, scan
from tests.e2e.viewing import AUDIO_CAPTURE, DRAWN, Viewing, last_bit, passages
from tests.people import experimenter
from tests.scale import ALL
from tests.stimuli.sound_browser import decoded

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MS = 1000
CLIP_RATE = 16_000
DAY_HOURS = 24 if ALL else 14  # the latter are just more than 2^31 samples
PREPARED_RATE = 44_100 if ALL else 11_025  # a quarter to prepare, and an hour still has two chunks
SMALL_SCREEN = {"viewport": {"width": 1024, "height": 640}}  # a picture is painted anew at every frame while it sounds


@pytest.fixture
def owner(transactional_db: None) -> User:
    return experimenter()


@pytest.fixture
def incoming(tmp_path: Path) -> Path:
    folder = tmp_path / "incoming"
    folder.mkdir()
    return folder


def bring_in(folder: Path, *, wait: bool = True) -> dict[str, Stimulus]:
    call_command("import_stimuli", str(folder), collection="Days", wait=wait, verbosity=0)
    return {stimulus.item.name: stimulus for stimulus in Stimulus.objects.select_related("item", "recording")}


@pytest.fixture
def open_viewer(device: Callable[..., BrowserContext], owner: User) -> Iterator[Callable[..., Viewing]]:
    """The owner's browser; whatever its console complains about, the security policy too, fails the test."""
    complaints: list[str] = []

    def sit_down(address: str, **options: Any) -> Viewing:
        context = device(**options)
        let_in(context, address, owner)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type in {"error", "warning"} else None)
        return Viewing(page)

    yield sit_down
    assert complaints == []


@pytest.fixture
def capturing(live_server: LiveServer, settings: Settings, open_viewer: Callable[..., Viewing]) -> Viewing:
    """The owner's browser with an audio capture in it."""
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, AUDIO_CAPTURE]
    viewing = open_viewer(live_server.url, **({} if ALL else SMALL_SCREEN))
    viewing.page.add_init_script(path=AUDIO_CAPTURE / "capture.js")
    return viewing


def page_of(stimulus: Stimulus) -> str:
    return f"/collections/days/{stimulus.pk}/sound/"


def test_a_long_recording_is_looked_through_and_heard_with_the_keyboard_alone(
    platform: Platform, open_viewer: Callable[..., Viewing], incoming: Path
) -> None:
    day_mp3(incoming / "day.mp3", hours=1, vbr=True, rate=PREPARED_RATE)
    stimulus = bring_in(incoming)["day"]
    viewing = open_viewer(platform.address)
    viewing.open(platform.url(page_of(stimulus)))
    page, shown = viewing.page, viewing.page.locator(".viewer__parameters")
    assert min(viewing.colours(name) for name in (".viewer__spectrum", ".viewer__strip")) > 100
    assert viewing.colours(".viewer__wave") > 1
    expect(page.get_by_role("slider", name="Position")).to_have_attribute("aria-valuetext", "0 h 0 min 0 s")

    viewing.press("End", "Home", *["+"] * 10)
    expect(page.get_by_role("button", name="Zoom in")).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_text("Showing 0 h 0 min 5 s from 0 h 0 min 0 s")).to_be_attached()
    expect(shown).to_contain_text("one column every")
    viewing.press(*["PageDown"] * 4)
    expect(page.get_by_text("Showing 0 h 0 min 5 s from 0 h 0 min 18 s")).to_be_attached()
    viewing.settle()
    assert viewing.colours() > 100

    viewing.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".viewer__time")).to_have_text(re.compile(r"^0:(18\.[5-9]|19|2)"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    viewing.evaluate(DRAWN)
    rest = page.locator(".viewer__time").inner_text()
    assert "0:18.5" <= rest < "0:30"
    viewing.press("e")
    expect(shown).to_contain_text("each column the maximum over")
    expect(page.locator(".viewer__time")).to_have_text(rest)
    assert scan(page, "viewer") + overflows(page, "viewer") == []


def test_what_is_heard_is_what_is_shown_anywhere_in_a_day_even_before_it_is_prepared(
    live_server: LiveServer, capturing: Viewing, incoming: Path
) -> None:
    day = day_mp3(incoming / "day.mp3", hours=DAY_HOURS, vbr=True)
    stimulus = bring_in(incoming, wait=False)["day"]
    capturing.open(live_server.url + page_of(stimulus))
    capturing.listen()
    rng = Random(5)
    late = next(number for number in day.numbers if day.position(number) > 2**31)
    numbers = [0, late, day.numbers[-4]]
    if ALL:
        numbers[1:1] = [rng.randrange(late), rng.randrange(late, len(day.numbers) - 3)]
    for start_s, stop_s in passages(day, numbers, rng):
        heard = capturing.hear(start_s, stop_s)
        start, stop = round(start_s * day.code.rate), round(stop_s * day.code.rate)
        beside = heard.beside_the_picture(day, start, stop)
        assert len(beside) > 20, "the picture followed the sound"
        assert max(map(abs, beside)) <= day.code.rate / MS
        assert len(heard.sounding) == pytest.approx(stop - start, abs=100), "it ended where the selection does"
        assert all(clock_text(entry.sample / day.code.rate) == entry.text for entry in heard.shown)


def clock_text(seconds: float) -> str:
    whole = round(seconds * MS)
    minutes, rest = divmod(whole, 60 * MS)
    hours, minutes = divmod(minutes, 60)
    return (f"{hours}:{minutes:02}" if hours else f"{minutes}") + f":{rest // MS:02}.{rest % MS:03}"


# The machine is busy with something else when the first node is started, for longer than it was scheduled ahead.
BUSY = """() => {
  const { start } = AudioBufferSourceNode.prototype;
  let busyMs = 45;
  AudioBufferSourceNode.prototype.start = function (...rest) {
    const until = performance.now() + busyMs;
    while (performance.now() < until);
    busyMs = 0;
    return start.apply(this, rest);
  };
}"""


# Two decoders of MP3 round differently: a little, and by up to two of the last bits of one that knows 16.
@pytest.mark.long
@pytest.mark.parametrize(("kind", "tolerance", "bits"), [("flac", 0.0, 0), ("mp3", 4e-6, 2)])
def test_slices_join_without_a_seam(
    kind: str, tolerance: float, bits: int, live_server: LiveServer, capturing: Viewing, incoming: Path
) -> None:
    path = incoming / f"long.{kind}"
    if kind == "mp3":
        day_mp3(path, hours=0.2, vbr=True)
    else:
        path.write_bytes(written(on_grid(noise(CLIP_RATE * 605, level=0.1)), CLIP_RATE, kind))
    stimulus = bring_in(incoming, wait=False)["long"]
    asked: list[str] = []
    capturing.page.on("request", lambda request: asked.append(request.url) if "/slice/" in request.url else None)
    capturing.open(live_server.url + page_of(stimulus))
    capturing.listen()
    heard = capturing.hear(300.001, 307.5)
    rate = Recording.objects.get().sample_rate_hz
    start, stop = round(300.001 * rate), round(307.5 * rate)
    wanted = decoded(path).read(start, stop - start)[:, 0]
    assert len(asked) >= 4, "four slices have three joints"
    assert np.abs(heard.like(wanted) - wanted).max() <= tolerance + bits * last_bit(heard.sounding)
    capturing.evaluate(BUSY)
    heard = capturing.hear(300.001, 307.5)
    assert np.abs(heard.like(wanted) - wanted).max() <= tolerance + bits * last_bit(heard.sounding)


def test_a_short_clip_is_drawn_and_heard_as_it_is(live_server: LiveServer, capturing: Viewing, incoming: Path) -> None:
    samples = on_grid(noise(CLIP_RATE * 4, level=0.1))
    (incoming / "clip.wav").write_bytes(written(samples, CLIP_RATE, "wav"))
    capturing.open(live_server.url + page_of(bring_in(incoming)["clip"]))
    assert capturing.colours() > 100
    capturing.listen()
    heard = capturing.hear(0, 4)
    assert np.array_equal(heard.like(samples[:, 0]), samples[:, 0])


@pytest.mark.long  # test_ingest has every state, the keyboard test above looks at one
def test_a_recording_fills_in_while_it_is_prepared(live_server: LiveServer, capturing: Viewing, incoming: Path) -> None:
    day_mp3(incoming / "day.mp3", hours=1, rate=PREPARED_RATE)
    stimulus = bring_in(incoming, wait=False)["day"]
    capturing.open(live_server.url + page_of(stimulus))
    notice = capturing.page.locator(".viewer__notice")
    expect(notice).to_contain_text("Still being prepared: 0 percent can be seen")
    blank = capturing.colours(".viewer__strip")
    with at_work():
        expect(notice).to_have_text("", timeout=FIRST_JOB_MS)
    capturing.settle()
    assert Recording.objects.get().state == Recording.State.READY
    assert capturing.colours(".viewer__strip") > 100 > blank


@contextmanager
def at_work() -> Iterator[None]:
    worker = Worker(threads=1, poll_s=0.05)
    thread = Thread(target=worker.run)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join()


MOUNT = """async ({ base, times }) => {
  const root = document.querySelector("main");
  for (let nth = 0; nth < times; nth += 1) {
    const viewer = mountViewer(root, { base, scope: outer });
    await viewer.ready;
    viewer.setMarkers([{ id: "a", at: 1000, label: "A", movable: true }]);
    if (nth % 40 === 0) {
      viewer.play(0);
      await new Promise((done) => viewer.events.addEventListener("start", done));
    }
    viewer.dispose();
  }
  return { owned: outer.size, contexts: openContexts(), viewers: document.querySelectorAll(".viewer").length };
}"""
HOOK = """
import { Scope } from "./src/lib/scope.ts";
import { openContexts } from "./src/player/output.ts";
import { mountViewer } from "./src/viewer/viewer.ts";
Object.assign(globalThis, { outer: new Scope(), openContexts, mountViewer });
"""


@pytest.mark.long
def test_viewers_that_come_and_go_leave_nothing_behind(
    live_server: LiveServer, open_viewer: Callable[..., Viewing], incoming: Path
) -> None:
    (incoming / "clip.wav").write_bytes(written(on_grid(noise(CLIP_RATE * 2)), CLIP_RATE, "wav"))
    base = page_of(bring_in(incoming)["clip"])
    page = open_viewer(live_server.url).page
    script = {"body": bundled(HOOK), "content_type": "text/javascript"}
    page.route("**/static/dist/sound.js", lambda route: route.fulfill(**script))
    page.goto(live_server.url + base)
    page.locator("h1").click()  # a hand has to touch the page before anything may sound
    page.evaluate(MOUNT, {"base": base, "times": 41})
    before = left_in(page)
    times = 200 if ALL else 60
    assert page.evaluate(MOUNT, {"base": base, "times": times}) == {"owned": 0, "contexts": 0, "viewers": 0}
    after = left_in(page)
    assert after["jsEventListeners"] <= before["jsEventListeners"]
    assert after["nodes"] <= before["nodes"] + 50


def bundled(source: str) -> str:
    command = words(FRONTEND / "node_modules" / ".bin" / "esbuild", "--bundle", "--format=esm", "--loader=ts")
    how: dict[str, Any] = {"cwd": FRONTEND, "env": node_environment(), "capture_output": True, "text": True}
    return str(subprocess.run(command, input=source, check=True, **how).stdout)


def left_in(page: Page) -> dict[str, int]:
    wire = page.context.new_cdp_session(page)
    for _ in range(3):
        wire.send("HeapProfiler.collectGarbage")
        page.wait_for_timeout(100)
    counters: dict[str, int] = wire.send("Memory.getDOMCounters")
    wire.detach()
    return counters
