"""The plane's page has one clock: a marker at 23:30:00.000 is seen and heard there, and the cursor follows it."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from audio.clock import Stretch
from audio.formats import Samples
from stimuli.models import Condition, Recording, Stimulus
from stimuli.services import ingest
from stimuli.services.clocks import correct_clock
from stimuli.services.collections import create_collection
from tests.audio.material import found, mp3, noise, planted, written
from tests.e2e.listener import PointerListener
from tests.e2e.viewing import AUDIO_CAPTURE, Viewing
from tests.factories import make_experiment, make_user, token_without_sound_check
from tests.stimuli.test_imports import bring

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

RATE_HZ = 44_100
SOUND_S, SILENCE_S, STRETCHES = 20, 5, 3
STEP_S = 10  # of an arrow key
LAST_S = (STRETCHES - 1) * (SOUND_S + SILENCE_S)  # where the last stretch begins in the file
MARK = (LAST_S + STEP_S) * RATE_HZ
MARK_CLOCK_S = 23.5 * 3600
WITHIN = RATE_HZ // 1000  # a millisecond
AROUND = 40  # columns
CLOSER = 2  # times two, and the view is of five seconds
# Every device that the page opens; the first one is for clips, and is put to rest, for the capture follows one clock.
DEVICES = """
globalThis.devices = [];
globalThis.AudioContext = class extends AudioContext {
  constructor(...options) {
    super(...options);
    devices.push(this);
  }
};
"""
# How much stands in each column of a picture, and where the cursor stands, in columns from the left.
SEEN = """(name) => {
  const canvas = document.querySelector(`.full .viewer__${name}`);
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data, width } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const columns = new Array(width).fill(0);
  data.forEach((value, at) => (columns[(at >> 2) % width] += Math.abs(value - data[at & 3])));
  const left = (name) => document.querySelector(`.full .viewer__${name}`).getBoundingClientRect().left;
  return { columns, cursor: Math.round(left("cursor") - left(name)) };
}"""


@pytest.fixture
def link(live_server: LiveServer, settings: Settings, tmp_path: Path) -> str:
    """An invitation to rate a "day" of three short stretches, the last of which begins at 23:29:50."""
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, AUDIO_CAPTURE]
    owner = make_user()
    collection = create_collection(owner=owner, slug="days", title="Days")
    folder = tmp_path / "sounds" / "A"
    folder.mkdir(parents=True)
    (folder / "A_full-length.mp3").write_bytes(mp3(_day(), RATE_HZ, kbits=64))
    (folder / "A_summary-1.flac").write_bytes(written(noise(2 * RATE_HZ, level=0.1), RATE_HZ, "flac"))
    bring(tmp_path / "sounds", collection)
    for recording in Recording.objects.filter(state=Recording.State.INGESTING):
        ingest.ingest_at_once(recording=recording)
    full = Stimulus.objects.get(condition__role=Condition.Role.FULL_LENGTH)
    correct_clock(stimulus=full, stretches=_stretches(), actor=owner)
    experiment = make_experiment(
        owner, collection=collection, protocol="tcsd_plane", label_set="plane-en-1", live=False
    )
    return f"{live_server.url}/join/{token_without_sound_check(experiment)}/"


def _day() -> Samples:
    samples = planted((LAST_S + SOUND_S) * RATE_HZ, RATE_HZ, [MARK])
    for stretch in range(1, STRETCHES):
        start = stretch * (SOUND_S + SILENCE_S) * RATE_HZ
        samples[start - SILENCE_S * RATE_HZ : start] = 0
    return samples


def _stretches() -> list[Stretch]:
    """Hours by the clock, though not in the file."""
    starts = [stretch * (SOUND_S + SILENCE_S) * RATE_HZ for stretch in range(STRETCHES)]
    first_s = MARK_CLOCK_S - STEP_S - (STRETCHES - 1) * 3600
    return [Stretch(start, start + SOUND_S * RATE_HZ, first_s + number * 3600.0) for number, start in enumerate(starts)]


class Rater(Viewing):
    """A person at the plane's page with an audio capture in the browser."""

    def go_to_the_mark(self) -> None:
        """Go by the clock on the page, which says nothing of samples."""
        self.button("Previous hour")
        self.button("Next hour")
        self.page.keyboard.press("ArrowRight")
        expect(self.page.locator("[data-part=full-clock]")).to_have_text("23:30:00")
        self.settle()

    def button(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def play_a_second(self) -> None:
        self.page.keyboard.press("Space")
        self.wait_for(".full .viewer[data-playing=playing]")
        self.evaluate("() => devices[0].suspend()")
        self.evaluate("() => capture.opened()")
        self.pause(1000)
        # A player that is stopped reads the clock once more after the sample that it shows then.
        self.evaluate("() => capture.lookAway()")
        self.page.keyboard.press("Escape")
        self.pause(300)  # the last blocks are on their way


@pytest.fixture
def rater(link: str, device: Callable[..., BrowserContext]) -> Rater:
    page = device().new_page()
    page.add_init_script(path=AUDIO_CAPTURE / "capture.js")
    page.add_init_script(DEVICES)
    listener = PointerListener(page)
    listener.join(link)
    listener.start()
    rater = Rater(page)
    rater.wait_for(".full .viewer[data-ready]")
    for _ in range(STRETCHES - 1):
        rater.button("Next hour")
    return rater


def clock_under_the_cursor(rater: Rater) -> tuple[float, float]:
    """What the clock beside the pointer says where the cursor stands, as near as one can look; and a column's width."""
    for _ in range(CLOSER):
        rater.button("Zoom in")
    rater.settle()
    box = rater.page.locator(".full .viewer__wave").bounding_box()
    assert box is not None
    rater.page.mouse.move(box["x"] + rater.evaluate(SEEN, "wave")["cursor"], box["y"] + box["height"] / 2)
    readout = rater.page.locator(".full .viewer__readout").text_content() or ""  # behind the information button
    told = re.search(r"(\d\d):(\d\d):(\d\d\.\d+)", readout)
    assert told is not None
    hours, minutes, seconds = map(float, told.groups())
    return hours * 3600 + minutes * 60 + seconds, SOUND_S / 2**CLOSER / box["width"]


def test_a_marker_at_half_past_eleven_is_seen_and_heard_at_half_past_eleven(rater: Rater) -> None:
    rater.go_to_the_mark()
    for picture in ("wave", "spectrum"):
        seen = rater.evaluate(SEEN, picture)
        first = seen["cursor"] - AROUND
        loudest = first + int(np.argmax(seen["columns"][first : seen["cursor"] + AROUND]))
        assert abs(loudest - seen["cursor"]) <= 1, picture

    clock_s, column_s = clock_under_the_cursor(rater)
    assert clock_s == pytest.approx(MARK_CLOCK_S, abs=column_s)

    rater.play_a_second()  # opens the device
    rater.go_to_the_mark()
    rater.evaluate("() => capture.forget()")
    rater.play_a_second()
    heard = rater.heard()
    begins, sound = int(np.flatnonzero(heard.samples)[0]), heard.sounding[: RATE_HZ // 2, np.newaxis]
    assert found(sound, RATE_HZ) <= WITHIN
    ends = heard.frame + begins + len(heard.sounding)
    followed = [
        shown.sample - (MARK + shown.frame(RATE_HZ) - heard.frame - begins)
        for shown in heard.shown
        if heard.frame + begins <= shown.frame(RATE_HZ) < ends
    ]
    assert len(followed) > 3
    assert max(map(abs, followed)) <= WITHIN
