"""A page with the viewer on it, driven by keys and fields, and a capture of what really leaves the audio clock."""

import base64
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page, Request

from tests.audio.long_recordings import Day

# A browser asks the site itself for a worklet, so this folder has to be among those of its static files.
AUDIO_CAPTURE = Path(__file__).with_name("audio_capture")
ROUND_MS, STILL_ROUNDS = 50, 6  # longer than the viewer waits before it asks for more
HEARINGS = 5
GAIN = 0.5  # what the player makes of full scale
DRAWN = "() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))"


@dataclass(frozen=True)
class Shown:
    """What stood on the page when the audio clock was read, and how far the loudspeaker is behind that clock."""

    sample: int
    clock_s: float
    latency_s: float
    text: str

    def frame(self, rate: int) -> int:
        """The frame of the audio clock that reached the loudspeaker at that moment."""
        return int((self.clock_s - self.latency_s) * rate + 1e-6)


@dataclass(frozen=True)
class Heard:
    """What left the audio clock from a frame on, as loud as in the recording, and what was shown meanwhile."""

    frame: int
    samples: NDArray[np.float32]
    shown: Sequence[Shown]
    stalls: int

    @property
    def sounding(self) -> NDArray[np.float32]:
        """From the first to the last frame that is not silent."""
        loud = np.flatnonzero(self.samples)
        return self.samples[loud[0] : loud[-1] + 1]

    def like(self, wanted: NDArray[np.float32]) -> NDArray[np.float32]:
        """As many samples as are wanted, from where they are most alike; the rest is for the caller to judge."""
        size = 1 << (len(self.samples) + len(wanted)).bit_length()
        correlation = np.fft.irfft(np.fft.rfft(self.samples, size) * np.conj(np.fft.rfft(wanted, size)), size)
        first = int(np.argmax(correlation[: max(len(self.samples) - len(wanted), 0) + 1]))
        return self.samples[first : first + len(wanted)]

    def beside_the_picture(self, day: Day, start: int, stop: int) -> list[int]:
        """Heard minus shown, in samples, at every moment at which a passage of the day sounded and was shown."""
        begins, number = day.code.heard(self.samples[:, np.newaxis])
        sample_at_zero = day.position(number) - begins - self.frame
        moments = [(entry.frame(day.code.rate) + sample_at_zero, entry.sample) for entry in self.shown]
        return [heard - shown for heard, shown in moments if start <= heard < stop]


class AnyViewing(ABC):
    """A person at the page of one sound, in whatever browser; scripts are functions of at most one argument."""

    @abstractmethod
    def visit(self, url: str) -> None:
        """Go to a page."""

    @abstractmethod
    def evaluate(self, script: str, argument: object = None) -> Any:
        """Call a function in the page and wait for what it promises."""

    @abstractmethod
    def wait_for(self, selector: str, timeout_ms: int = 60_000) -> None:
        """Wait until the page shows such an element."""

    @abstractmethod
    def pause(self, duration_ms: int) -> None:
        """Let the browser work."""

    @abstractmethod
    def is_fetching(self) -> bool:
        """Whether the page waits for an answer."""

    @abstractmethod
    def click(self, selector: str) -> None:
        """Click in the middle of an element."""

    @abstractmethod
    def press(self, *keys: str) -> None:
        """Press keys on the picture."""

    @abstractmethod
    def clear(self) -> None:
        """Give up the selection, if there is one."""

    @abstractmethod
    def fill_in(self, label: str, text: str) -> None:
        """Write into the field of that label and go on to the next."""

    def open(self, url: str) -> None:
        self.visit(url)
        self.wait_for(".viewer[data-ready]")
        self.settle()

    def settle(self) -> None:
        """Wait until nothing has been fetched for a while and all of it is painted.

        The viewer asks for its pictures in a frame, which a busy machine may not draw for a second.
        """
        still = 0
        while still < STILL_ROUNDS:
            self.evaluate(DRAWN)
            self.pause(ROUND_MS)
            still = 0 if self.is_fetching() else still + 1

    def listen(self) -> None:
        """Touch the picture, which opens the sound device, and wait for the capture."""
        self.click(".viewer__spectrum")
        self.evaluate("() => capture.opened()")

    def select(self, start_s: float, stop_s: float) -> None:
        self.clear()
        self.fill_in("Selection from", f"{start_s:.3f}")
        self.fill_in("to", f"{stop_s:.3f}")

    def hear(self, start_s: float, stop_s: float) -> Heard:
        """Play a passage from its first to its last sample, in one go.

        On a busy machine a slice may come late; the player tells, and waits. Such a hearing shows nothing of the
        joints, and is repeated; a gap of which the player does not tell is for the caller to find.
        """
        for _ in range(HEARINGS):
            heard = self._hear_once(start_s, stop_s)
            if not heard.stalls:
                return heard
        raise AssertionError(f"the player waited for a slice in each of {HEARINGS} hearings")

    def _hear_once(self, start_s: float, stop_s: float) -> Heard:
        self.select(start_s, stop_s)
        self.evaluate("() => capture.forget()")
        self.press("Home", "Space")  # from outside, a selection is played from its start
        self.wait_for(".viewer[data-playing=playing]")
        self.wait_for(".viewer[data-playing=idle]", timeout_ms=60_000)
        self.pause(200)  # the last blocks are on their way
        return self.heard()

    def heard(self) -> Heard:
        taken = self.evaluate("() => capture.take()")
        samples = unpacked(taken["samples"]) / np.float32(GAIN)
        return Heard(taken["frame"], samples, [Shown(**entry) for entry in taken["shown"]], taken["stalls"])

    def decoded(self, start: int, count: int, rate: int) -> NDArray[np.float32]:
        """What the browser makes of one slice."""
        return unpacked(self.evaluate("(asked) => capture.decoded(...asked)", [start, count, rate]))

    def colours(self, canvas: str = ".viewer__spectrum") -> int:
        """How many different colours a picture has: one is a blank sheet."""
        count: int = self.evaluate(COLOURS, canvas)
        return count


class Viewing(AnyViewing):
    """A person at the page of one sound in Chromium."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.stage = page.get_by_role("group", name="Waveform and spectrogram")
        self._waiting: set[Request] = set()
        page.on("request", self._asked)
        page.on("requestfinished", self._answered)
        page.on("requestfailed", self._answered)

    def _asked(self, request: Request) -> None:
        self._waiting.add(request)

    def _answered(self, request: Request) -> None:
        self._waiting.discard(request)

    def visit(self, url: str) -> None:
        self.page.goto(url)

    def evaluate(self, script: str, argument: object = None) -> Any:
        return self.page.evaluate(script, argument)

    def wait_for(self, selector: str, timeout_ms: int = 60_000) -> None:
        self.page.wait_for_selector(selector, timeout=timeout_ms)

    def pause(self, duration_ms: int) -> None:
        self.page.wait_for_timeout(duration_ms)

    def is_fetching(self) -> bool:
        return bool(self._waiting)

    def click(self, selector: str) -> None:
        self.page.locator(selector).click()

    def press(self, *keys: str) -> None:
        self.stage.focus()
        for key in keys:
            self.page.keyboard.press(key)

    def clear(self) -> None:
        button = self.page.get_by_role("button", name="Clear")
        if button.is_enabled():
            button.click()

    def fill_in(self, label: str, text: str) -> None:
        field = self.page.get_by_label(label, exact=True)
        field.fill(text)
        field.press("Tab")


COLOURS = """(name) => {
  const canvas = document.querySelector(name);
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
}"""


def last_bit(decoded: NDArray[np.float32]) -> float:
    """The step of a decoder that hands out 16-bit numbers, and 0 for one that does not.

    Some builds of Chromium (Debian's 150) decode MP3 to 16 bits and shape the noise of it, so that the last bit depends
    on all that was decoded before.
    """
    numbers = np.where(decoded > 0, decoded * np.float64(2**15 - 1), decoded * np.float64(2**15))
    return 2.0**-15 if np.abs(numbers - np.round(numbers)).max() < 0.01 else 0.0


def unpacked(text: str) -> NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(text), np.float32)


def passages(day: Day, numbers: Sequence[int], rng: Any, *, units: float = 2.2) -> list[tuple[float, float]]:
    """Passages in seconds that hold the units of these numbers whole, each beginning anywhere before its unit."""
    unit_s = day.code.unit_samples / day.code.rate
    starts = [max(day.position(number) / day.code.rate - rng.uniform(0.05, 0.9) * unit_s, 0) for number in numbers]
    return [(start_s, start_s + units * unit_s) for start_s in starts]
