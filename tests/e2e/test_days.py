"""Days of sound, in every kind of file, from upload to browsing: on real processes whose memory stays bounded."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from playwright.sync_api import BrowserContext, expect

from core.models import User
from stimuli.models import Stimulus
from tests.audio.long_recordings import Day, day_flac, day_mp3, day_opus, day_wav
from tests.audio.material import MARKER_S
from tests.e2e.server_processes import PIECE_BYTES, Looking, Sending, server_processes, wait_for
from tests.e2e.viewing import Viewing
from tests.people import browser_of, experimenter
from tests.servers import scratch_folder

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Where the number of samples is the difficulty, there are more than 2^31 of them; elsewhere a low rate spares time.
# 32 kHz is the lowest rate of MP3 at which a day has so many.
DAYS: dict[str, Callable[..., Day]] = {
    "cbr.mp3": partial(day_mp3, rate=8000, kbits=8),
    "vbr.mp3": partial(day_mp3, vbr=True, rate=32000),
    "day.opus": partial(day_opus, every=60),
    "day.flac": partial(day_flac, rate=8000),
    "rf64.wav": partial(day_wav, rate=8000),
}
# So much of it has four chunks, so that all joints between chunks are there.
SHORT, SHORT_HOURS = "vbr.mp3", 1
# Pss of the whole tree. A worker: about 80 MB for itself, 100 for its fork server, and two children at their chunks.
WORKER_MB = 400
# Two web processes of about 90 MB with a fork server each of 110, and up to four children of 10 to 25 at a time.
WEB_MB = 500
LEAST_MB = 100  # of either; scales that show less have missed a process
DAY_VIEW_KB = 200
LOOKS, READERS = 24, 4
AROUND = 20  # columns of the finest spectrogram
BEFORE = 700  # samples by which a slice begins before the second that is looked for
FETCHED_KB = """() => performance.getEntriesByType("resource")
  .filter(({ name }) => name.includes("/sound/"))
  .reduce((sum, { transferSize }) => sum + transferSize, 0) / 1000"""


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str], record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Print a line of figures, and keep it with the results."""

    def say(line: str) -> None:
        record_property("figures", line)
        with capsys.disabled():
            print(f"\n{line}")  # noqa: T201 - the figures are half of what the run is for

    return say


@dataclass(frozen=True)
class Moment:
    """A second of a day that says its own number."""

    day: Day
    number: int

    @classmethod
    def after(cls, day: Day, sample: int) -> "Moment":
        return cls(day, next(number for number in day.numbers if day.position(number) >= sample))

    @property
    def start(self) -> int:
        return self.day.position(self.number)

    @property
    def chirp(self) -> tuple[int, int]:
        """The samples in which it is loudest."""
        first = self.start + self.day.code.lead_samples
        return first, first + round(MARKER_S * self.day.code.rate)


@pytest.mark.long  # uploads, chunks, delivery and the viewer have tests of their own
@pytest.mark.parametrize(("name", "hours"), [(SHORT, SHORT_HOURS), *((name, 24) for name in DAYS)])
def test_a_day_goes_from_upload_to_browsing_in_bounded_memory(
    name: str,
    hours: float,
    process_environment: dict[str, str],
    device: Callable[..., BrowserContext],
    report: Callable[[str], None],
) -> None:
    owner = experimenter()
    times: list[tuple[str, float]] = []
    note = partial(_note, times)
    # The cookie of the test's own client must open the door of a server with a folder of its own.
    environment = {**process_environment, "EARMARK_SECRET_KEY": settings.SECRET_KEY}
    with scratch_folder("day") as folder:
        day = DAYS[name](folder / name, hours=hours)
        assert day.length_samples > (hours - 0.1) * 3600 * day.code.rate
        size = (folder / name).stat().st_size
        with server_processes(environment, folder / "data") as here:
            note("start")
            sent = Sending(here.address, owner).send(folder / name, collection="days")
            assert sent.cuts == {}, "the line must have broken once"
            assert sent.sent_bytes <= size + PIECE_BYTES, "resumed, not repeated"
            note("uploaded and imported")
            page = f"/collections/days/{Stimulus.objects.get().pk}/sound/"
            looking, viewing = Looking(here.address, owner, page), _browser(device, owner, here.address)
            looked_at_while_it_is_prepared(looking, day)
            viewing.page.goto(here.address + page)
            note("first chunk")
            told = wait_for("the whole day", looking.manifest, lambda told: told["state"] != "ingesting", every_s=1)
            note("ready")
            assert (told["state"], told["ready"]) == ("ready", [[0, day.length_samples]])
            seen_and_heard_late(looking, day, told, hours - 0.5)
            looked_at_by_many(looking, day, told)
            expect(viewing.page.locator(".viewer__notice")).to_have_text("", timeout=60_000)
            view_kb = opened_afresh(_browser(device, owner, here.address), here.address + page)
            note("browsed")
    peak_mb = here.scales.peak_mb
    spent = ", ".join(f"{what} {taken_s:.0f} s" for what, taken_s in _steps(times))
    report(
        f"{name}: {hours} h, {day.length_samples / 2**31:.2f} x 2^31 samples, {size / 1e6:.0f} MB; {spent}; "
        f"worker {peak_mb['worker']:.0f} MB, web {peak_mb['web']:.0f} MB; day view {view_kb:.0f} KB"
    )
    assert view_kb <= DAY_VIEW_KB
    for tree, most_mb in (("worker", WORKER_MB), ("web", WEB_MB)):
        assert LEAST_MB < peak_mb[tree] < most_mb, tree


def looked_at_while_it_is_prepared(looking: Looking, day: Day) -> None:
    """What is there can be seen in detail, and the whole with holes."""
    told = wait_for("a first chunk", looking.manifest, lambda told: bool(told["ready"]))
    assert told["state"] == "ingesting", "the worker was too quick for anybody to look"
    assert told["ingest"]["done"] < told["ingest"]["total"]
    start, stop = told["ready"][0]
    moment = Moment.after(day, start)
    assert moment.start < stop
    assert shown_loud(looking, moment, told)
    level = told["spectrogram"]["stored_from"]
    width = told["spectrogram"]["columns"] * told["spectrogram"]["step_samples"] << level
    assert looking.tile("max", level, moment.chirp[0] // width).max() > 0
    whole = looking.get(f"tiles/max/{told['spectrogram']['levels'] - 1}/0/")
    assert whole.headers["Earmark-Complete"] == "no"


def seen_and_heard_late(looking: Looking, day: Day, told: dict[str, Any], hour: float) -> None:
    """Look at the last half hour: waveform, finest spectrogram and sound agree about where a second begins."""
    moment = Moment.after(day, int(hour * 3600) * day.code.rate)
    assert shown_loud(looking, moment, told)
    assert shown_bright(looking, moment, told)
    count = min(2 * day.code.unit_samples, told["slices"]["longest_samples"])
    heard = looking.slice(moment.start - BEFORE, count)
    assert len(heard) == count
    assert day.code.heard(heard) == (BEFORE, moment.number)
    assert looking.tile("max", told["spectrogram"]["levels"] - 1, 0).max() > 0


def shown_loud(looking: Looking, moment: Moment, told: dict[str, Any]) -> bool:
    """Whether the finest waveform is loud where the chirp is, and nowhere shortly before it."""
    width = told["peaks"]["bin_samples"]
    start, stop = moment.chirp
    first, count = start // width, -(-stop // width) - start // width
    bins = abs(looking.peaks(0, first - 1, count + 1).astype(int)).max(axis=1)
    return bool(bins[1:].max() > 127 / 2 > bins[0])


def shown_bright(looking: Looking, moment: Moment, told: dict[str, Any]) -> bool:
    """Whether the finest spectrogram is nowhere around the chirp as bright as in its own columns."""
    step, columns = told["spectrogram"]["step_samples"], told["spectrogram"]["columns"]
    start, stop = (sample // step for sample in moment.chirp)
    brightness = looking.tile("max", 0, start // columns).mean(axis=0)
    left = max(start % columns - AROUND, 0)
    brightest = left + int(np.argmax(brightness[left : start % columns + AROUND]))
    return bool(start % columns <= brightest <= stop % columns)


def looked_at_by_many(looking: Looking, day: Day, told: dict[str, Any]) -> None:
    """Several readers at random places at once: fine pictures and slices are the dearest that a web process makes."""
    rng = Random(23)
    width = told["spectrogram"]["columns"] * told["spectrogram"]["step_samples"]
    places = [rng.randrange(day.length_samples - 10 * day.code.rate) for _ in range(LOOKS)]

    def look(place: int) -> int:
        looking.tile("max", 0, place // width)
        return len(looking.slice(place, day.code.rate))

    with ThreadPoolExecutor(READERS) as pool:
        assert set(pool.map(look, places)) == {day.code.rate}


def opened_afresh(viewing: Viewing, url: str) -> float:
    """Open the whole day in a browser that has seen nothing of it yet; say how many KB of sound that takes."""
    viewing.open(url)
    assert viewing.colours(".viewer__strip") > 10
    return float(viewing.page.evaluate(FETCHED_KB))


def _browser(device: Callable[..., BrowserContext], owner: User, address: str) -> Viewing:
    context = device()
    context.add_cookies([{"name": "earmark", "value": browser_of(owner).cookies["earmark"].value, "url": address}])
    return Viewing(context.new_page())


def _note(times: list[tuple[str, float]], what: str) -> None:
    times.append((what, time.monotonic()))


def _steps(times: list[tuple[str, float]]) -> list[tuple[str, float]]:
    return [(what, at - before) for (_, before), (what, at) in pairwise(times)]
