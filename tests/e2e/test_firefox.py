"""The viewer in Firefox: what is shown is what is heard, in every format."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from scripts.provision import firefox_program
from tests.audio.long_recordings import Day, day_flac, day_mp3, day_opus, day_wav
from tests.e2e.firefox import FirefoxViewing, firefox
from tests.e2e.test_viewer import bring_in, page_of
from tests.e2e.viewing import AUDIO_CAPTURE, ROUND_MS, passages
from tests.people import browser_of, experimenter

PROGRAM = firefox_program()
pytestmark = [
    pytest.mark.browser,
    pytest.mark.long,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(PROGRAM is None, reason="Firefox is not on this machine"),
]

MS = 1000
HOURS = 0.2  # longer than what is kept as a clip, so that slices are cut from the file
MAKERS: dict[str, Callable[[Path], Day]] = {
    "cbr.mp3": lambda path: day_mp3(path, hours=HOURS),
    "vbr.mp3": lambda path: day_mp3(path, hours=HOURS, vbr=True),
    "lossless.flac": lambda path: day_flac(path, hours=HOURS, every=10),
    "plain.wav": lambda path: day_wav(path, hours=HOURS, every=10),
    "speech.opus": lambda path: day_opus(path, hours=HOURS),
}
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
        [(start_s, stop_s)] = passages(day, [day.numbers[-4]], Random(7))  # near the end, where errors have added up
        heard = capturing.hear(start_s, stop_s)
        # The fields have milliseconds.
        start, stop = (round(round(time_s, 3) * day.code.rate) for time_s in (start_s, stop_s))
        beside = heard.beside_the_picture(day, start, stop)
        assert len(beside) > 20, f"{name}: the picture followed the sound"
        assert max(map(abs, beside)) <= day.code.rate / MS, name
        assert len(heard.sounding) <= stop - start, f"{name}: it ended where the selection does"


def test_what_the_console_complains_about_is_noticed(live_server: LiveServer, capturing: FirefoxViewing) -> None:
    capturing.visit(live_server.url)
    assert capturing.complaints == []
    capturing.evaluate(MISHAPS)
    capturing.pause(ROUND_MS)
    said, *forbidden = capturing.complaints
    capturing.complaints.clear()
    assert said == "a mishap"
    assert any(told.startswith("Content-Security-Policy") for told in forbidden)
