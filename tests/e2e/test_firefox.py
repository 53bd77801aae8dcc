"""The player in Firefox: what is shown is what is heard, in every format, and voices are switched without a jump."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from tests.audio.long_recordings import Day, day_flac, day_mp3, day_opus, day_wav
from tests.e2e.firefox import FirefoxViewing, firefox, firefox_to_drive
from tests.e2e.test_viewer import bring_in, page_of
from tests.e2e.test_voices import player_script
from tests.e2e.viewing import AUDIO_CAPTURE, ROUND_MS, passages
from tests.people import browser_of, experimenter
from tests.waiting import wait_until

PROGRAM = firefox_to_drive()
pytestmark = [
    pytest.mark.browser,
    pytest.mark.long,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(PROGRAM is None, reason="Firefox and PulseAudio are not both on this machine"),
]

MS = 1000
HOURS = 0.2  # longer than what is kept as a clip, so that slices are cut from the file
UNITS = 6  # of a passage: without a graphics card Firefox paints only a dozen times a second
MAKERS: dict[str, Callable[[Path], Day]] = {
    "cbr.mp3": lambda path: day_mp3(path, hours=HOURS),
    "vbr.mp3": lambda path: day_mp3(path, hours=HOURS, vbr=True),
    "lossless.flac": lambda path: day_flac(path, hours=HOURS, every=10),
    "plain.wav": lambda path: day_wav(path, hours=HOURS, every=10),
    "speech.opus": lambda path: day_opus(path, hours=HOURS),
}
# A context has to be opened by a click.
OPENS_SOUND = "() => addEventListener('click', () => void (globalThis.context = new AudioContext()).resume())"
SWITCHES, FADES_S = 8, 0.005  # the shorter of the fades is that of a cut
SWITCHING = """async (switches) => {
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const clip = (value) => {
    const buffer = context.createBuffer(1, 5 * context.sampleRate, context.sampleRate);
    buffer.getChannelData(0).fill(value);
    return { buffer, durationS: buffer.duration };
  };
  const playback = new Playback(context, context.destination, [clip(0.5), clip(0.25)], {}, new Scope());
  for (let switched = 1; switched <= switches; switched += 1) {
    await pause(150);
    playback.switchTo(switched % 2);
  }
  await pause(150);
  playback.cut("stopped");
  await pause(300);
  return context.sampleRate;
}"""
MISHAPS = """() => {
  console.error("a mishap");
  const style = document.createElement("style");
  style.textContent = "p { color: red }";
  document.head.append(style);
}"""


@pytest.fixture
def capturing(live_server: LiveServer, settings: Settings) -> Iterator[FirefoxViewing]:
    """An experimenter's Firefox with an audio capture in it; whatever its console complains about fails the test."""
    assert PROGRAM is not None
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, AUDIO_CAPTURE]
    with firefox(PROGRAM) as viewing:
        viewing.add_script((AUDIO_CAPTURE / "capture.js").read_text())
        viewing.add_cookie("earmark", browser_of(experimenter()).cookies["earmark"].value, live_server.url)
        yield viewing
        assert viewing.complaints == []


def test_what_is_heard_is_what_is_shown_in_every_format(
    live_server: LiveServer, capturing: FirefoxViewing, tmp_path: Path
) -> None:
    days = {name: make(tmp_path / name) for name, make in MAKERS.items()}
    stimuli = bring_in(tmp_path)
    for name, day in days.items():
        capturing.open(live_server.url + page_of(stimuli[Path(name).stem]))
        assert capturing.colours() > 100, name
        capturing.listen()
        near_end = day.numbers[-1 - UNITS]  # where errors have added up
        [(start_s, stop_s)] = passages(day, [near_end], Random(7), units=UNITS)
        heard = capturing.hear(start_s, stop_s)
        # The fields have milliseconds.
        start, stop = (round(round(time_s, 3) * day.code.rate) for time_s in (start_s, stop_s))
        beside = heard.beside_the_picture(day, start, stop)
        assert len(beside) > 20, f"{name}: the picture followed the sound"
        assert max(map(abs, beside)) <= day.code.rate / MS, name
        assert len(heard.sounding) <= stop - start, f"{name}: it ended where the selection does"


def test_a_switch_and_a_cut_are_ramps(live_server: LiveServer, capturing: FirefoxViewing) -> None:
    capturing.visit(live_server.url)
    capturing.evaluate(f"() => {{ {player_script()} }}")
    capturing.evaluate(OPENS_SOUND)
    capturing.click("h1")
    capturing.evaluate("() => capture.opened()")
    rate = capturing.evaluate(SWITCHING, SWITCHES)
    heard = capturing.heard()
    after_the_start = heard.samples[int(np.argmax(heard.samples > 0)) :]
    steps = np.diff(after_the_start)
    assert np.abs(steps).max() < 1.01 / (FADES_S * rate)
    # Down and up by turns, and down to nothing at the end.
    assert np.count_nonzero(np.diff(np.sign(steps[steps != 0]))) == SWITCHES
    assert after_the_start[0] == 1
    assert after_the_start[-1] == 0


def test_what_the_console_complains_about_is_noticed(live_server: LiveServer, capturing: FirefoxViewing) -> None:
    def forbidden() -> bool:  # the page is told a moment later
        capturing.pause(ROUND_MS)
        return any(told.startswith("Content-Security-Policy") for told in capturing.complaints)

    capturing.visit(live_server.url)
    assert capturing.complaints == []
    capturing.evaluate(MISHAPS)
    wait_until(forbidden, lambda: capturing.complaints)
    said, *_ = capturing.complaints
    capturing.complaints.clear()
    assert said == "a mishap"
