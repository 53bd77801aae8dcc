"""The test signals of EBU Tech 3341 and 3342, made anew, and sounds in memory that can be measured like a file."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from audio.formats import Samples, Shape

STEREO_DB = (0.0, 0.0)
SILENCE = -400.0  # dBFS; nothing is left of it in 32 bits

Part = tuple[float, float]  # dBFS, s


class Heard:
    """Samples in memory, read in blocks of any size."""

    def __init__(self, samples: Samples, sample_rate_hz: int, bits: int = 24) -> None:
        self.samples = samples
        self.shape = Shape("wav", sample_rate_hz, samples.shape[1], len(samples), bits)

    def blocks(self, start: int = 0, stop: int | None = None, size: int = 2**20) -> Iterator[Samples]:
        end = len(self.samples) if stop is None else stop
        for at in range(start, end, size):
            yield self.samples[at : min(at + size, end)]


def tone(
    rate_hz: int, parts: Sequence[Part], offsets_db: Sequence[float] = STEREO_DB, frequency_hz: float = 1000.0
) -> Samples:
    """A sine without jumps of phase, in parts of different level; each channel is louder by its offset."""
    amplitude = np.concatenate([np.full(round(length_s * rate_hz), 10 ** (level / 20)) for level, length_s in parts])
    wave = amplitude * np.sin(2 * np.pi * frequency_hz / rate_hz * np.arange(len(amplitude)))
    samples = np.empty((len(wave), len(offsets_db)), np.float32)
    np.multiply(wave[:, None], [10 ** (offset / 20) for offset in offsets_db], out=samples, casting="same_kind")
    return samples


def noise(rate_hz: int, channels: int, length_s: float, rng: np.random.Generator) -> Samples:
    """Noise that falls by 3 dB an octave, in stretches of different level: something like a programme."""
    count = round(length_s * rate_hz)
    spectrum = np.fft.rfft(rng.standard_normal((count, channels)), axis=0)
    spectrum /= np.sqrt(np.maximum(np.fft.rfftfreq(count, 1 / rate_hz), 20.0))[:, None]
    pink = np.fft.irfft(spectrum, count, axis=0)
    levels = np.repeat(rng.uniform(-45, -15, count // rate_hz + 1), rate_hz)[:count, None]
    programme: Samples = (pink / pink.std() * 10 ** (levels / 20)).astype(np.float32)
    return programme


def sine_of_peak(divisor: int, phase_degrees: float, amplitude: float, length: int = 24000) -> Samples:
    """Tech 3341, 15 to 19: a sine of the sample rate over `divisor`, whose samples may miss its peaks."""
    wave = amplitude * np.sin(2 * np.pi * np.arange(length) / divisor + np.deg2rad(phase_degrees))
    fade = np.minimum(np.arange(length), np.arange(length)[::-1]) / 2400
    return np.stack([wave * np.clip(fade, 0, 1)] * 2, axis=1).astype(np.float32)


def peak_between(offset: int, length: int = 24000) -> Samples:
    """Tech 3341, 20 to 23: a soft tone at a sixth of the rate, one period of a quarter of the rate with a peak of 1.

    It is made at four times the rate, kept below 0.4 of the rate, and every fourth sample taken from `offset` on.
    """
    fine = 4 * length
    wave = 0.5 * np.sin(2 * np.pi * np.arange(fine) / 24)
    middle = fine // 2 // 48 * 48
    wave[middle : middle + 16] = np.sin(2 * np.pi * np.arange(16) / 16)
    fade = np.minimum(np.arange(fine), np.arange(fine)[::-1]) / 9600
    spectrum = np.fft.rfft(wave * np.clip(fade, 0, 1))
    spectrum[np.fft.rfftfreq(fine) > 0.1] = 0
    limited: NDArray[np.float64] = np.fft.irfft(spectrum, fine)
    limited /= np.abs(limited).max()
    return np.stack([limited[offset::4]] * 2, axis=1).astype(np.float32)
