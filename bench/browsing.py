"""Browsing of a day of sound: what a browser fetches, how long it takes, and whether what is heard is what is shown."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from random import Random
from shutil import copy
from statistics import median, quantiles
from threading import Thread

from django.conf import settings
from django.core.management import call_command
from playwright.sync_api import Browser, Page, sync_playwright

from bench.listening import SHORT_SLICES, differing_samples, heard_minus_shown
from bench.material import hour_of_mp3, repeated
from bench.processes import NO_CHROMIUM, chromium_for_pages
from core.jobs.worker import Worker
from core.models import User
from scripts.provision import CHROMIUM_FLAGS
from scripts.testserver import running
from stimuli.models import Recording, Stimulus
from tests.audio.long_recordings import Day, day_flac, day_mp3, day_opus, day_wav
from tests.e2e.firefox import firefox, firefox_to_drive
from tests.e2e.viewing import AUDIO_CAPTURE, AnyViewing, Viewing
from tests.people import browser_of, experimenter
from tests.servers import free_port

HOURS = int(os.environ.get("EARMARK_BENCH_HOURS", "24"))
CODED_H = min(14, HOURS)  # at 44.1 kHz sample 2^31 is passed after 13.5 hours, at 48 kHz after 12.4
CLICKS, POSITIONS, ZOOMS, TILES = 100, 8, 5, 20
CAPTURE_SCRIPT = (AUDIO_CAPTURE / "capture.js").read_text() + "performance.setResourceTimingBufferSize(100000);"
NAMES = {"mp3-cbr": "CBR MP3", "mp3-vbr": "VBR MP3", "flac": "FLAC", "wav": "RF64 WAV", "opus": "Ogg Opus"}


@dataclass(frozen=True)
class ViewerOpener:
    """An experimenter's browsers on the running platform; each knows nothing yet when it opens a sound."""

    browser: Browser
    address: str
    cookie: str
    stimuli: dict[str, Stimulus]
    recordings: dict[str, Recording]

    def url(self, name: str) -> str:
        return f"{self.address}/collections/days/{self.stimuli[name].pk}/sound/"

    @contextmanager
    def at(self, name: str, script: str = "") -> Iterator[Viewing]:
        """Open a sound in Chromium; the script runs before those of the page."""
        context = self.browser.new_context(viewport={"width": 1440, "height": 900})
        context.add_cookies([{"name": "earmark", "value": self.cookie, "url": self.address}])
        context.add_init_script(CAPTURE_SCRIPT + script)
        viewing = Viewing(context.new_page())
        viewing.open(self.url(name))
        yield viewing
        context.close()

    @contextmanager
    def at_in_firefox(self, program: Path, name: str, script: str = "") -> Iterator[AnyViewing]:
        with firefox(program) as viewing:
            viewing.add_cookie("earmark", self.cookie, self.address)
            viewing.add_script(CAPTURE_SCRIPT + script)
            viewing.open(self.url(name))
            yield viewing


def run() -> Iterator[str]:
    program = chromium_for_pages()
    if program is None:
        yield NO_CHROMIUM
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        days = _recordings(folder)
        owner = experimenter("browsing")
        call_command("import_stimuli", str(folder), collection="Days", stdout=StringIO(), stderr=StringIO())
        began = time.perf_counter()
        _ingest()
        yield (
            f"{len(days) + 1} recordings, a soundscape of {HOURS} h and time codes of {CODED_H} h, "
            f"made browsable in {time.perf_counter() - began:.0f} s; load of the machine now {os.getloadavg()[0]:.1f}"
        )
        with _opener(owner, str(program)) as opener:
            yield from _looking(opener)
            yield from _clicking(opener)
            yield from _hearing(opener, days, folder)


def _recordings(folder: Path) -> dict[str, Day]:
    with tempfile.TemporaryDirectory() as scratch:
        hour = Path(scratch) / "hour.mp3"
        hour_of_mp3(hour)
        repeated(hour, folder / "soundscape.mp3", hours=HOURS)
    return {
        "mp3-cbr": day_mp3(folder / "mp3-cbr.mp3", hours=CODED_H),
        "mp3-vbr": day_mp3(folder / "mp3-vbr.mp3", hours=CODED_H, vbr=True),
        "flac": day_flac(folder / "flac.flac", hours=CODED_H),
        "wav": day_wav(folder / "wav.wav", hours=CODED_H),
        "opus": day_opus(folder / "opus.opus", hours=CODED_H),
    }


def _ingest() -> None:
    worker = Worker(threads=4, poll_s=0.05)
    thread = Thread(target=worker.run)
    thread.start()
    try:
        while Recording.objects.filter(state=Recording.State.INGESTING).exists():
            time.sleep(0.2)
    finally:
        worker.stop()
        thread.join()


@contextmanager
def _opener(owner: User, program: str) -> Iterator[ViewerOpener]:
    copy(AUDIO_CAPTURE / "capture_worklet.js", settings.STATIC_ROOT)
    stimuli = {stimulus.item.name: stimulus for stimulus in Stimulus.objects.select_related("item")}
    recordings = {name: Recording.objects.get(stimuli=stimulus) for name, stimulus in stimuli.items()}
    cookie = browser_of(owner).cookies["earmark"].value
    with running(port=free_port(), environment=dict(os.environ)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=CHROMIUM_FLAGS)
        yield ViewerOpener(browser, address, cookie, stimuli, recordings)
        browser.close()


# --- Looking ----------------------------------------------------------------------------------------------------------

FETCHED = """(since) => {
  const all = performance.getEntriesByType("resource").filter(({ startTime }) => startTime >= since);
  const sound = all.filter(({ name }) => name.includes("/sound/"));
  const kb = (entries) => entries.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1000;
  return { sound_kb: kb(sound), all_kb: kb(all), last_ms: Math.max(0, ...sound.map(({ responseEnd }) => responseEnd)) };
}"""
FETCH_TILE = """async ([level, index]) => {
  const began = performance.now();
  const answer = await fetch(`tiles/max/${level}/${index}/`, { cache: "no-store" });
  await answer.arrayBuffer();
  return answer.ok ? performance.now() - began : Number.NaN;
}"""


def _looking(opener: ViewerOpener) -> Iterator[str]:
    rng = Random(1)
    with opener.at("soundscape") as viewing:  # the first visit wakes the server
        first = viewing.page.evaluate(FETCHED, 0)
    with opener.at("soundscape") as viewing:
        first = viewing.page.evaluate(FETCHED, 0)
        yield f"day view: {first['sound_kb']:.0f} KB (aim 200), {first['all_kb']:.0f} KB with scripts and styles"
        steps = [step for _ in range(ZOOMS) for step in _zoom_in(viewing, rng.random())]
        fetched_kb, took_ms = zip(*steps, strict=True)
        yield (
            f"a zoom step, p95 of {len(steps)}: {_p95(fetched_kb):.0f} KB (aim 150), "
            f"{_p95(took_ms):.0f} ms (aim 150; median {median(took_ms):.0f})"
        )
        last = opener.recordings["soundscape"].length_samples // (1024 * 256)
        medians = [_tile_ms(viewing.page, level, last >> level, rng) for level in range(4)]
        told = ", ".join(f"{took_ms:.0f}" for took_ms in medians)
        yield f"a fine tile on demand: median {median(medians):.0f} ms (aim 20); at levels 0 to 3: {told} ms"


def _tile_ms(page: Page, level: int, stop: int, rng: Random) -> float:
    return float(median(page.evaluate(FETCH_TILE, [level, rng.randrange(stop)]) for _ in range(TILES)))


def _zoom_in(viewing: Viewing, place: float) -> Iterator[tuple[float, float]]:
    """From the whole day to five seconds around a place, as KB and ms of each step."""
    viewing.press("e")
    _click(viewing, place, times=1)
    button = viewing.page.get_by_role("button", name="Zoom in")
    while button.get_attribute("aria-disabled") != "true":
        viewing.settle()
        viewing.press("+")
        viewing.settle()
        times = viewing.page.evaluate("capture.times")
        fetched = viewing.page.evaluate(FETCHED, times["touched_ms"])
        yield fetched["sound_kb"], max(fetched["last_ms"], times["painted_ms"]) - times["touched_ms"]


# --- Clicking ---------------------------------------------------------------------------------------------------------


def _clicking(opener: ViewerOpener) -> Iterator[str]:
    rng = Random(2)
    with opener.at("soundscape") as viewing:
        viewing.listen()
        probes = [_probe(viewing, rng.random()) for _ in range(CLICKS)]
    took_ms, fetched_kb = zip(*probes, strict=True)
    yield (
        f"click anywhere to sound, p95 of {CLICKS}: {_p95(took_ms):.0f} ms (aim 200; median {median(took_ms):.0f}), "
        f"{_p95(fetched_kb):.0f} KB (aim 300)"
    )


def _probe(viewing: Viewing, place: float) -> tuple[float, float]:
    """Click twice, hear, stop: ms from the click to the loudspeaker, and KB fetched by then and shortly after."""
    page = viewing.page
    page.evaluate("capture.forget()")
    _click(viewing, place, times=2)
    page.wait_for_selector(".viewer[data-playing=playing]")
    times = page.evaluate("capture.times")
    page.wait_for_timeout(300)
    fetched = page.evaluate(FETCHED, times["touched_ms"])
    page.keyboard.press("Escape")
    return times["sound_ms"] - times["touched_ms"], fetched["sound_kb"]


def _click(viewing: Viewing, place: float, *, times: int) -> None:
    box = viewing.page.locator(".viewer__spectrum").bounding_box()
    if box is None:
        raise RuntimeError("the picture is not on the screen: there is nothing to measure")
    viewing.page.mouse.click(box["x"] + 1 + place * (box["width"] - 2), box["y"] + 80, click_count=times)


# --- Hearing ----------------------------------------------------------------------------------------------------------


def _hearing(opener: ViewerOpener, days: dict[str, Day], folder: Path) -> Iterator[str]:
    for name, day in days.items():
        with opener.at(name) as viewing:
            yield heard_minus_shown(viewing, NAMES[name], day, POSITIONS)
    for name in ("soundscape", *days):
        with opener.at(name, SHORT_SLICES) as viewing:
            yield _joints(opener, viewing, name, days.get(name), folder)
    yield from _hearing_in_firefox(opener, days, folder)


def _hearing_in_firefox(opener: ViewerOpener, days: dict[str, Day], folder: Path) -> Iterator[str]:
    program = firefox_to_drive()
    if program is None:
        yield "Firefox and PulseAudio are not both installed: nothing is measured in Firefox"
        return
    for name, day in days.items():
        with opener.at_in_firefox(program, name) as viewing:
            yield f"Firefox: {heard_minus_shown(viewing, NAMES[name], day, POSITIONS)}"
    for name, day in days.items():
        with opener.at_in_firefox(program, name, SHORT_SLICES) as viewing:
            yield f"Firefox: {_joints(opener, viewing, name, day, folder)}"


def _joints(opener: ViewerOpener, viewing: AnyViewing, name: str, day: Day | None, folder: Path) -> str:
    recording, path = opener.recordings[name], next(folder.glob(f"{name}.*"))
    rate = recording.sample_rate_hz
    return differing_samples(viewing, name, path, rate=rate, start_s=_late_second(recording, day))


def _late_second(recording: Recording, day: Day | None) -> int:
    """A second late in the recording after which something sounds."""
    sample = day.position(day.numbers[len(day.numbers) * 97 // 100]) if day else recording.length_samples * 97 // 100
    return sample // recording.sample_rate_hz


def _p95(values: tuple[float, ...]) -> float:
    return quantiles(values, n=20)[-1]
