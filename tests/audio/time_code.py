"""Time code in sound: about once a second a chirp begins on a known sample, and five tones give its number."""

from dataclasses import dataclass

import numpy as np

from audio.formats import Samples
from tests.audio.material import MARKER_S, marker, noise

DIGITS = 5  # of 16 values each: a million seconds
SYNC, REST = 16, 17
SYMBOLS = range(18)


@dataclass(frozen=True)
class TimeCode:
    """A unit is a row of steps: a chirp, five tones, then rest. A step is whole frames of the codec it is made for."""

    rate: int
    step_samples: int
    steps: int = 10

    @property
    def unit_samples(self) -> int:
        return self.step_samples * self.steps

    @property
    def lead_samples(self) -> int:
        """How far into its step a chirp or a tone begins; what lies around it is room for a codec's delay."""
        return self.step_samples // 4

    def symbols(self, number: int) -> list[int]:
        digits = [number >> 4 * place & 15 for place in range(DIGITS)]
        return [SYNC, *digits, *[REST] * (self.steps - 1 - DIGITS)]

    def step(self, symbol: int, *, level: float) -> Samples:
        """One step of sound over a bed of noise."""
        samples = noise(self.step_samples, level=level, seed=symbol)
        if symbol != REST:
            sound = marker(self.rate) if symbol == SYNC else self._tone(symbol)
            samples[self.lead_samples : self.lead_samples + len(sound), 0] += sound
        return samples

    def unit(self, number: int, *, level: float = 0.0) -> Samples:
        return np.concatenate([self.step(symbol, level=level) for symbol in self.symbols(number)])

    def heard(self, samples: Samples) -> tuple[int, int]:
        """The sample on which a unit begins in these (two units are enough to hold a whole one), and its number."""
        sync = marker(self.rate)
        whole = samples[: len(samples) - self.unit_samples + self.lead_samples + len(sync), 0]
        size = 1 << (len(whole) + len(sync)).bit_length()
        correlation = np.fft.irfft(np.fft.rfft(whole, size) * np.conj(np.fft.rfft(sync, size)), size)
        start = int(np.argmax(correlation[: len(whole) - len(sync)])) - self.lead_samples
        digits = [self._digit(samples, start + (1 + place) * self.step_samples) for place in range(DIGITS)]
        return start, sum(digit << 4 * place for place, digit in enumerate(digits))

    def _digit(self, samples: Samples, start: int) -> int:
        at = start + self.lead_samples
        heard = samples[at : at + round(MARKER_S * self.rate), 0]
        times_s = np.arange(len(heard)) / self.rate
        return int(
            np.argmax([abs(np.exp(-2j * np.pi * _frequency_hz(digit) * times_s) @ heard) for digit in range(16)])
        )

    def _tone(self, digit: int) -> Samples:
        length = round(MARKER_S * self.rate)
        wave = np.sin(2 * np.pi * _frequency_hz(digit) * np.arange(length) / self.rate)
        return (0.6 * np.hanning(length) * wave).astype(np.float32)


def _frequency_hz(digit: int) -> float:
    return 600.0 + 150.0 * digit
