"""The TC/SD plane on the demo's day behind a slow link: how soon it sounds, what it fetches, and how it moves."""

import os
import time
from collections.abc import Callable, Iterator
from random import Random
from statistics import median, quantiles

from django.conf import settings
from django.utils import timezone
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from bench.processes import NO_CHROMIUM, chromium_for_pages, proportional_kb
from bench.workspace import LINK_MBITS, SLOW_MBITS, Seated, Work, Workspace, sit_down
from core.models import User
from listening.panels.services import demo
from protocols.tcsd_plane import demo as plane_demo
from protocols.tcsd_plane.soundscape.programmes import DAY
from rating.models import Experiment
from scripts.provision import CHROMIUM_FLAGS
from scripts.testserver import running
from stimuli.models import Recording
from tests.people import experimenter
from tests.servers import free_port

OPENINGS, SEEKS = 3, 60
ORIGINAL_GB = 50  # what a rater of the original study downloads before anything is heard
PAN_ZOOM, PANS, PAN_STEPS = 2, 2, 30
LONG_FRAME_MS = 50
AT_REST_S = 5

FRAMES = "() => eye.frames.slice(1).map((now, index) => now - eye.frames[index])"


def run() -> Iterator[str]:
    program = chromium_for_pages()
    if program is None:
        yield NO_CHROMIUM
        return
    port = free_port()
    environment = {**os.environ, "EARMARK_PUBLIC_URL": f"http://127.0.0.1:{port}"}
    with running(port=port, environment=environment):
        experiment, day = _made_day()
    # No worker from here on: a rater's browser has a machine of its own, without a server's jobs on it.
    with running(port=port, environment=environment, worker=False) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=CHROMIUM_FLAGS)
        link = demo.fresh_links(now=timezone.now())[experiment.title].removeprefix(settings.PUBLIC_URL)
        seated = sit_down(browser, address + link)
        yield from _opening(seated, day)
        yield _slow_line(seated)
        with seated.device() as context:
            workspace = Workspace(context.new_page(), seated.address)
            yield from _task(workspace)
            yield from _seeking(workspace)
            yield from _browsing(workspace, browser)
        browser.close()


def _made_day() -> tuple[Experiment, Recording]:
    """The demo as it is made for everybody, with all its recordings prepared by the worker."""
    owner = User.objects.filter(username=demo.EXPERIMENTER).first() or experimenter(demo.EXPERIMENTER)
    experiment = plane_demo.build(owner=owner)
    while Recording.objects.filter(state=Recording.State.INGESTING).exists():
        time.sleep(1)
    return experiment, Recording.objects.latest("length_samples")


# --- Opening ----------------------------------------------------------------------------------------------------------


def _opening(seated: Seated, day: Recording) -> Iterator[str]:
    cold, warm = [], []
    for _ in range(OPENINGS):
        with seated.device() as context:
            workspace = Workspace(context.new_page(), seated.address)
            cold.append(_opened(workspace))
            warm.append(_opened(workspace))
    day_s = day.byte_count * 8 / (LINK_MBITS * 1e6)
    for name, times, strip_aim_ms in (("cold", cold, 2000), ("warm", warm, 500)):
        pressed = {key: median(one[key] - one["pressed_ms"] for one in times) for key in ("strip_ms", "sound_ms")}
        whole = {key: median(one[key] for one in times) for key in ("strip_ms", "sound_ms")}
        yield (
            f"{name}, after the press that opens the day, median of {OPENINGS}: first probe sounds after "
            f"{pressed['sound_ms']:.0f} ms, {_share(pressed['sound_ms'], 2000)}; strip painted after "
            f"{pressed['strip_ms']:.0f} ms, {_share(pressed['strip_ms'], strip_aim_ms)}; after the page was asked for, "
            f"with the presses on the way: {whole['sound_ms']:.0f} and {whole['strip_ms']:.0f} ms"
        )
    heard_s = median(one["sound_ms"] for one in cold) / 1000
    yield (
        f"instead: the file of the day takes {day_s:.0f} s on this link, {day_s / heard_s:.0f} times as long; "
        f"{ORIGINAL_GB} GB take {ORIGINAL_GB * 8e3 / LINK_MBITS / 3600:.0f} h, "
        f"{ORIGINAL_GB * 8e3 / LINK_MBITS / heard_s:.0f} times as long"
    )


def _opened(workspace: Workspace) -> dict[str, float]:
    workspace.begin()
    return workspace.first_probe()


def _slow_line(seated: Seated) -> str:
    """The second summary, of which nothing was fetched, as soon as it can be pressed: what was clicked goes first."""
    took_ms = []
    for _ in range(OPENINGS):
        with seated.device() as context:
            workspace = Workspace(context.new_page(), seated.address, SLOW_MBITS)
            workspace.begin()
            took_ms.append(workspace.first_summary(2))
    return (
        f"at {SLOW_MBITS} Mbit/s, nothing fetched before: summary 2 sounds {median(took_ms):.0f} ms after the click, "
        f"median of {OPENINGS}, {_share(median(took_ms), 3000)}; longest {max(took_ms):.0f} ms"
    )


# --- The guided task --------------------------------------------------------------------------------------------------


def _task(workspace: Workspace) -> Iterator[str]:
    """Everything that the three steps need: all probes and summaries, the picture of every hour and every summary."""
    page, line = workspace.page, workspace.line
    began = time.perf_counter()
    workspace.begin()
    workspace.all_ready()
    ready_s = time.perf_counter() - began
    for _ in range(DAY.hours - 1):
        workspace.settle()
        workspace.button("hour-after")
    for _ in range(page.locator("[data-part=tokens] .token").count()):
        workspace.settle()
        page.keyboard.press("l")
    workspace.settle()
    fetched = dict(line.bytes)
    whole_mb = sum(fetched.values()) / 1e6
    kinds = ", ".join(f"{name} {count / 1e6:.1f}" for name, count in fetched.items())
    yield (
        f"the guided task: {whole_mb:.1f} MB ({kinds}), {_share(whole_mb, 30)}; {ORIGINAL_GB} GB are "
        f"{ORIGINAL_GB * 1e3 / whole_mb:.0f} times as much; probes and summaries were all there after {ready_s:.0f} s"
    )
    page.keyboard.press("b")
    page.locator("[data-part=probe-count]", has_text="5/5").wait_for(timeout=40_000)
    page.locator("[data-part=tokens] .token").first.click()
    page.wait_for_function("() => eye.sound_ms !== null")
    page.keyboard.press("Escape")
    workspace.settle()
    more_kb = (line.bytes["sound"] - fetched["sound"]) / 1e3
    yield f"five probes and a summary heard after that: {more_kb:.0f} KB of sound more (aim 0)"


# --- Seeking ----------------------------------------------------------------------------------------------------------


def _seeking(workspace: Workspace) -> Iterator[str]:
    """Click anywhere in the day while it sounds, and anywhere in an hour while it does not."""
    rng, page = Random(4), workspace.page
    page.locator("[data-part=full-play]").click()
    page.wait_for_function("() => eye.sound_ms !== null")
    in_day = [_seek(workspace, ".full .viewer__strip", rng, clicks=1) for _ in range(SEEKS)]
    page.keyboard.press("Escape")
    in_hour = []
    for _ in range(SEEKS):
        in_hour.append(_seek(workspace, ".full .viewer__spectrum", rng, clicks=2))
        page.keyboard.press("Escape")
    for name, took_ms in (("the day, while it sounds", in_day), ("an hour, while it is silent", in_hour)):
        p95 = quantiles(took_ms, n=20)[-1]
        yield (
            f"seek anywhere in {name}, to sound, of {SEEKS}: p95 {p95:.0f} ms, {_share(p95, 300)}; "
            f"median {median(took_ms):.0f}, longest {max(took_ms):.0f}"
        )


def _seek(workspace: Workspace, picture: str, rng: Random, *, clicks: int) -> float:
    left, width, middle = workspace.box(picture)
    page = workspace.page
    page.wait_for_timeout(rng.uniform(300, 700))  # longer than two clicks that belong together
    page.mouse.click(left + 1 + rng.random() * (width - 2), middle, click_count=clicks)
    page.wait_for_function("() => eye.sound_ms !== null")
    took_ms: float = page.evaluate("() => eye.sound_ms - eye.touched_ms")
    return took_ms


# --- Browsing ---------------------------------------------------------------------------------------------------------


def _browsing(workspace: Workspace, browser: Browser) -> Iterator[str]:
    """Hour by hour through the day, closer and from side to side in each."""
    page, system = workspace.page, browser.new_browser_cdp_session()
    at_rest = _frames(page, lambda: page.wait_for_timeout(AT_REST_S * 1000))
    page.locator("[data-part=hours] button").first.click()
    memory_mb, moving, work = [], [], Work(browser)
    for _ in range(DAY.hours):
        workspace.settle()
        for _ in range(PAN_ZOOM):
            workspace.button("zoom-in")
        moving += _frames(page, lambda: _pan(workspace))
        memory_mb.append(_page_mb(system))
        page.keyboard.press("e")
        workspace.button("hour-after")
    yield (
        f"{DAY.hours} hours looked through: the page's process at most {max(memory_mb):.0f} MB, "
        f"{_share(max(memory_mb), 400)}; {memory_mb[0]:.0f} MB after the first hour"
    )
    tasks_ms = work.tasks_ms(page)
    yield (
        f"longest of {len(tasks_ms)} tasks of its main thread: {max(tasks_ms):.0f} ms of CPU, "
        f"{_share(max(tasks_ms), LONG_FRAME_MS)}"
    )
    for name, frames in (("while panning", moving), ("at rest, for comparison", at_rest)):
        long = sum(frame_ms > LONG_FRAME_MS for frame_ms in frames)
        yield (
            f"frames {name}: longest of {len(frames)} {max(frames):.0f} ms, {_share(max(frames), LONG_FRAME_MS)}; "
            f"{long} longer than {LONG_FRAME_MS} ms, p99 {quantiles(frames, n=100)[-1]:.0f} ms; "
            f"load of the machine {os.getloadavg()[0]:.1f}"
        )


def _frames(page: Page, act: Callable[[], None]) -> list[float]:
    """How many milliseconds lie between two frames of the screen while something is done."""
    page.evaluate("() => { eye.frames = []; }")
    act()
    return list(page.evaluate(FRAMES))


def _pan(workspace: Workspace) -> None:
    left, width, middle = workspace.box(".full .viewer__spectrum")
    mouse = workspace.page.mouse
    for turn in range(PANS):
        ends = (left + 0.1 * width, left + 0.9 * width)[:: -1 if turn % 2 else 1]
        mouse.move(ends[0], middle)
        mouse.down()
        mouse.move(ends[1], middle, steps=PAN_STEPS)
        mouse.up()


def _page_mb(system: CDPSession) -> float:
    """The largest of the browser's processes that hold pages, with pictures and sounds; shared memory counts once."""
    processes = system.send("SystemInfo.getProcessInfo")["processInfo"]
    return max(proportional_kb(one["id"]) for one in processes if one["type"] == "renderer") / 1024


def _share(value: float, aim: float) -> str:
    return f"{value / aim:.2f} of the aim of {aim:g}"
