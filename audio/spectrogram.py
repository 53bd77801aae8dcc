"""Spectrogram: Fourier transforms of sound, columns in decibels, and tiles of any level."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from audio.compiled import compiled
from audio.decode.open import open_sound
from audio.errors import PositionOutside
from audio.formats import Format, Readable, Samples
from audio.pyramid import (
    CODES_PER_DB,
    COLUMNS,
    DIRECT_LEVELS,
    FLOOR_DB,
    NOISE_BINS,
    STORED_FROM,
    Codes,
    Powers,
    Pyramid,
    Spectrogram,
    Tile,
    spectrogram_at,
)
from audio.sandbox.client import Outcome
from audio.tiles import FINE_QUALITY, STORED_QUALITY, encode_tile

# Two real frames share a complex transform, one as its real and one as its imaginary part; 16 such pairs stand side by
# side in memory, so that every butterfly is done on whole vector registers. A library transforms one frame after the
# other and has to shuffle; this way the spectra of an hour cost a third.
PAIRS = 16
FRAMES = 2 * PAIRS
# A compiler that knows an index to be unsigned and distances to be constant can tell that rows do not overlap, and
# only then uses the vector registers.
LANES, ROW = np.uint64(PAIRS), np.uint64(FRAMES)
ROW_2, ROW_3 = np.uint64(2 * FRAMES), np.uint64(3 * FRAMES)
NONE = np.uint64(0)
INAUDIBLE = np.float32(1e-7)  # -140 dBFS: no row of such frames comes near the floor of any picture

Vector = NDArray[np.float32]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Transform:
    """What a transform of one size needs to know; `size` is a power of two and at least 64."""

    size: int
    window: Vector
    twiddles: NDArray[np.float32]  # cos, -sin of each angle
    places: Indices  # where the transform leaves each frequency

    @classmethod
    def hann(cls, size: int) -> "Transform":
        """Return a transform that shows a sine of amplitude 1 in the middle of a bin as power 1 in that bin."""
        window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
        angles = 2 * np.pi * np.arange(size) / size
        return cls(
            size=size,
            window=(window * 2 / window.sum()).astype(np.float32),
            twiddles=np.stack([np.cos(angles), -np.sin(angles)], axis=1).astype(np.float32),
            places=_places(size),
        )


def band_powers(samples: Vector, *, transform: Transform, hop: int, bands: Indices, count: int) -> NDArray[np.float32]:
    """Return the power in each band (down) of each frame (across); frame i begins at sample i * hop.

    A band is the first of its bins and the one after its last. What the samples lack at the end counts as zero.
    """
    needed = (-(-count // FRAMES) * FRAMES - 1) * hop + transform.size
    if len(samples) < needed:
        samples = np.concatenate([samples, np.zeros(needed - len(samples), np.float32)])
    powers = np.empty((len(bands), count), np.float32)
    _band_powers(samples, hop, transform.window, transform.twiddles, transform.places, bands, powers)
    return powers


def _places(size: int) -> Indices:
    """Each step of the transform leaves frequencies that differ in their lowest digit side by side: digits reversed."""
    places, digits, rest = np.zeros(size, np.int64), np.arange(size), size
    while rest > 1:
        radix = 4 if rest % 4 == 0 else 2
        places, digits, rest = places * radix + digits % radix, digits // radix, rest // radix
    return places


@compiled
def _band_powers(
    samples: Vector,
    hop: int,
    window: Vector,
    twiddles: NDArray[np.float32],
    places: Indices,
    bands: Indices,
    powers: NDArray[np.float32],
) -> None:
    size = window.shape[0]
    first, second = np.empty(size * FRAMES, np.float32), np.empty(size * FRAMES, np.float32)
    spectra = np.empty((size // 2, FRAMES), np.float32)
    for base in range(0, powers.shape[1], FRAMES):
        stop = min(base + FRAMES, powers.shape[1])
        if _is_inaudible(samples, base * hop, (stop - 1) * hop + size):
            powers[:, base:stop] = 0
            continue
        _load(samples, base * hop, hop, window, first)
        if _transform(first, second, twiddles):
            _split(first, places, bands, spectra)
        else:
            _split(second, places, bands, spectra)
        _sum_bands(spectra, bands, powers, base, stop)


@compiled
def _is_inaudible(samples: Vector, start: int, stop: int) -> bool:
    """Squares of what a decoder leaves in silence can be denormal numbers, which are slow; and silence is common."""
    for block in range(start, stop, 1024):
        loudest = np.float32(0)
        for i in range(block, min(block + 1024, stop)):
            loudest = max(loudest, abs(samples[i]))
        if loudest >= INAUDIBLE:
            return False
    return True


@compiled
def _load(samples: Vector, start: int, hop: int, window: Vector, out: Vector) -> None:
    """Weigh the frames and stand them side by side, sixteen samples of a frame at a time to stay in the cache."""
    for block in range(0, window.shape[0], 16):
        for frame in range(FRAMES):
            source, weight = np.uint64(start + frame * hop + block), np.uint64(block)
            target = np.uint64(block * FRAMES + frame)
            for i in range(NONE, np.uint64(16)):
                out[target + i * ROW] = samples[source + i] * window[weight + i]


@compiled
def _transform(first: Vector, second: Vector, twiddles: NDArray[np.float32]) -> bool:
    """Transform `first`; say whether the result is in it again (or in `second`).

    This is the constant-geometry form of Pease (1968): every step reads the four quarters of one array and writes four
    neighbouring rows of the other.
    """
    size = first.shape[0] // FRAMES
    done, in_first = 1, True
    while 4 * done <= size:
        if in_first:
            _quarter(first, second, twiddles, done)
        else:
            _quarter(second, first, twiddles, done)
        done, in_first = 4 * done, not in_first
    if done < size:
        if in_first:
            _halve(first, second, size)
        else:
            _halve(second, first, size)
        in_first = not in_first
    return in_first


@compiled
def _quarter(a: Vector, b: Vector, twiddles: NDArray[np.float32], done: int) -> None:
    """One step with radix 4; `done` is the product of the radices of the steps before."""
    quarter = a.shape[0] // 4
    for group in range(quarter // FRAMES // done):
        w1r, w1i = twiddles[group * done, 0], twiddles[group * done, 1]
        w2r, w2i = twiddles[2 * group * done, 0], twiddles[2 * group * done, 1]
        w3r, w3i = twiddles[3 * group * done, 0], twiddles[3 * group * done, 1]
        for row in range(group * done, (group + 1) * done):
            x0 = np.uint64(row * FRAMES)
            x1, x2, x3 = x0 + np.uint64(quarter), x0 + np.uint64(2 * quarter), x0 + np.uint64(3 * quarter)
            y = np.uint64(row * 4 * FRAMES)
            for i in range(NONE, LANES):
                sum_r, sum_i = a[x0 + i] + a[x2 + i], a[x0 + LANES + i] + a[x2 + LANES + i]
                gap_r, gap_i = a[x0 + i] - a[x2 + i], a[x0 + LANES + i] - a[x2 + LANES + i]
                odd_r, odd_i = a[x1 + i] + a[x3 + i], a[x1 + LANES + i] + a[x3 + LANES + i]
                rot_r, rot_i = a[x1 + LANES + i] - a[x3 + LANES + i], a[x3 + i] - a[x1 + i]
                b[y + i], b[y + LANES + i] = sum_r + odd_r, sum_i + odd_i
                u_r, u_i = gap_r + rot_r, gap_i + rot_i
                b[y + ROW + i], b[y + ROW + LANES + i] = u_r * w1r - u_i * w1i, u_r * w1i + u_i * w1r
                v_r, v_i = sum_r - odd_r, sum_i - odd_i
                b[y + ROW_2 + i], b[y + ROW_2 + LANES + i] = v_r * w2r - v_i * w2i, v_r * w2i + v_i * w2r
                z_r, z_i = gap_r - rot_r, gap_i - rot_i
                b[y + ROW_3 + i], b[y + ROW_3 + LANES + i] = z_r * w3r - z_i * w3i, z_r * w3i + z_i * w3r


@compiled
def _halve(a: Vector, b: Vector, size: int) -> None:
    """The last step, with radix 2, of a size that is no power of four."""
    half = a.shape[0] // 2
    width = np.uint64(a.shape[0] // size)  # loops of a known small number of turns are unrolled, and not vectorised
    for row in range(size // 2):
        x0, x1, y = np.uint64(row * FRAMES), np.uint64(row * FRAMES + half), np.uint64(row * 2 * FRAMES)
        for i in range(NONE, width):
            even, odd = a[x0 + i], a[x1 + i]
            b[y + i], b[y + ROW + i] = even + odd, even - odd


@compiled
def _split(spectrum: Vector, places: Indices, bands: Indices, spectra: NDArray[np.float32]) -> None:
    """Take the two frames of each pair apart, by the symmetry of the spectra of real sound, and square them."""
    size = places.shape[0]
    quarter = np.float32(0.25)
    for bin_number in range(bands[:, 0].min(), bands[:, 1].max()):
        x, y = np.uint64(places[bin_number] * FRAMES), np.uint64(places[size - bin_number] * FRAMES)
        for i in range(NONE, LANES):
            x_r, x_i = spectrum[x + i], spectrum[x + LANES + i]
            y_r, y_i = spectrum[y + i], spectrum[y + LANES + i]
            spectra[bin_number, i] = quarter * ((x_r + y_r) * (x_r + y_r) + (x_i - y_i) * (x_i - y_i))
            spectra[bin_number, LANES + i] = quarter * ((x_i + y_i) * (x_i + y_i) + (x_r - y_r) * (x_r - y_r))


@compiled
def _sum_bands(spectra: NDArray[np.float32], bands: Indices, powers: NDArray[np.float32], base: int, stop: int) -> None:
    width = spectra.shape[1]
    total = np.empty(width, np.float32)
    for band in range(bands.shape[0]):
        total[:] = 0
        for bin_number in range(bands[band, 0], bands[band, 1]):
            for i in range(width):
                total[i] += spectra[bin_number, i]
        for i in range(stop - base):
            powers[band, base + i] = total[i]


# --- Columns ----------------------------------------------------------------------------------------------------------


FRAMES_AT_ONCE = 256


def transform_columns(samples: Vector, spectrogram: Spectrogram, *, hop: int, count: int) -> Powers:
    """Return columns of one channel; the first is centred hop / 2 after the first sample that the window covers."""
    transform = _cached_transform(spectrogram.window_samples)
    powers = band_powers(samples, transform=transform, hop=hop, bands=spectrogram.bands, count=count)
    powers /= np.float32(NOISE_BINS)
    return powers


@lru_cache(maxsize=16)
def _cached_transform(size: int) -> Transform:
    return Transform.hann(size)


def load_tables(*rates_hz: int) -> None:
    """Draw a silent column at each rate, so that all tables are computed before a tile is requested."""
    for spectrogram in map(spectrogram_at, rates_hz):
        transform_columns(np.zeros(1, np.float32), spectrogram, hop=spectrogram.step_samples, count=1)


class Columns:
    """The columns of a segment of sound that arrives in pieces.

    Feed one channel from `lead` samples before the first column on (zeros before the start of a recording).
    """

    def __init__(self, spectrogram: Spectrogram, hop: int) -> None:
        self._spectrogram, self._hop = spectrogram, hop
        self._overlap = spectrogram.window_samples - hop
        self._held = np.empty(FRAMES_AT_ONCE * hop + self._overlap, np.float32)
        self._count = 0

    def feed(self, samples: Vector) -> Iterator[Powers]:
        """Yield columns, FRAMES_AT_ONCE at a time."""
        while len(samples):
            room = len(self._held) - self._count
            piece, samples = samples[:room], samples[room:]
            self._held[self._count : self._count + len(piece)] = piece
            self._count += len(piece)
            if self._count == len(self._held):
                yield transform_columns(self._held, self._spectrogram, hop=self._hop, count=FRAMES_AT_ONCE)
                self._held[: self._overlap] = self._held[-self._overlap :]
                self._count = self._overlap

    def rest(self, count: int) -> Powers:
        """Return the last `count` columns; what was not fed is silent."""
        self._held[self._count :] = 0
        return transform_columns(self._held, self._spectrogram, hop=self._hop, count=count)


def mix_channels(samples: Samples) -> Vector:
    """Return the mean of all channels."""
    channels = samples.shape[1]
    if channels == 1:
        return samples[:, 0]
    mean: Vector = samples @ np.full(channels, 1 / channels, np.float32)
    return mean


def pool_columns(powers: NDArray[Any], statistic: str, times: int = 1) -> NDArray[Any]:
    """Join neighbouring columns by twos, so many times; the last may stand alone. Codes have a maximum, but no mean."""
    powers = np.ascontiguousarray(powers)
    for _ in range(times):
        halved = np.empty((powers.shape[0], -(-powers.shape[1] // 2)), powers.dtype)
        if statistic == "max":
            _join_by_maximum(powers, halved)
        else:
            _join_by_mean(powers, halved)
        powers = halved
    return powers


@compiled
def _join_by_maximum(powers: NDArray[Any], out: NDArray[Any]) -> None:
    for row in range(powers.shape[0]):
        for i in range(powers.shape[1] // 2):
            out[row, i] = max(powers[row, 2 * i], powers[row, 2 * i + 1])
        if powers.shape[1] % 2:
            out[row, -1] = powers[row, -1]


@compiled
def _join_by_mean(powers: Powers, out: Powers) -> None:
    for row in range(powers.shape[0]):
        for i in range(powers.shape[1] // 2):
            out[row, i] = np.float32(0.5) * (powers[row, 2 * i] + powers[row, 2 * i + 1])
        if powers.shape[1] % 2:
            out[row, -1] = powers[row, -1]


def encode_decibels(powers: Powers) -> Codes:
    """Return powers in decibels, as bytes."""
    out = np.empty(powers.shape, np.uint8)
    _encode_decibels(np.ascontiguousarray(powers).reshape(-1), out.reshape(-1))
    return out


@compiled
def _encode_decibels(powers: Vector, out: NDArray[np.uint8]) -> None:
    """The logarithm is read off the bits of the number; a parabola over its mantissa leaves 0.03 dB of error."""
    bits = powers.view(np.int32)
    scale = np.float32(CODES_PER_DB * 3.0102999566398120)  # 10 log10(2)
    offset = np.float32(-FLOOR_DB * CODES_PER_DB + 0.5)
    bend = np.float32(0.3466)
    for i in range(bits.shape[0]):
        mantissa = np.float32(bits[i] & 0x7FFFFF) * np.float32(2.0**-23)
        exponent = np.float32((bits[i] >> 23) - 127)
        octaves = exponent + mantissa + bend * mantissa * (np.float32(1) - mantissa)
        value = octaves * scale + offset
        out[i] = np.uint8(min(max(value, np.float32(0)), np.float32(255)))


# --- Tiles ------------------------------------------------------------------------------------------------------------


BLOCK_SAMPLES = 1 << 18


def render_tile(sound: Readable, *, statistic: str, level: int, index: int) -> bytes:
    """Draw a tile of any level from the sound. Up to level 2 there is nothing to pool, and both statistics are one."""
    pyramid = Pyramid.of(sound.shape)
    width, length = COLUMNS * pyramid.step(max(level, 0)), sound.shape.length_samples
    start, stop = index * width, (index + 1) * width
    if not pyramid.has(Tile(statistic, level, index)):
        raise PositionOutside(start=start, stop=stop, length=length)
    stop = min(stop, length)
    times = max(level - DIRECT_LEVELS + 1, 0)
    pieces = [pool_columns(piece, statistic, times) for piece in _columns(sound, start, stop, level)]
    # Pieces that are shorter than a column have become one each, and still have to be joined.
    done = min(times, FRAMES_AT_ONCE.bit_length() - 1)
    quality = STORED_QUALITY if level >= STORED_FROM else FINE_QUALITY
    return encode_tile(encode_decibels(pool_columns(np.concatenate(pieces, axis=1), statistic, times - done)), quality)


def _columns(sound: Readable, start: int, stop: int, level: int) -> Iterator[Powers]:
    """Yield the columns of [start, stop), those of level 2 for levels above it."""
    spectrogram = spectrogram_at(sound.shape.sample_rate_hz)
    hop = spectrogram.hop(level)
    lead = spectrogram.lead(hop)
    columns = Columns(spectrogram, hop)
    count = -(-(stop - start) // hop)
    for samples in pad_start(sound, start - lead, stop + lead):
        for piece in columns.feed(mix_channels(samples)):
            yield piece[:, :count]
            count -= piece.shape[1]
    if count > 0:
        yield columns.rest(count)


def pad_start(sound: Readable, start: int, stop: int) -> Iterator[Samples]:
    """Yield the samples [start, stop); those before the recording are zeros, those after it are left out."""
    if start < 0:
        yield np.zeros((-start, sound.shape.channels), np.float32)
    yield from sound.blocks(max(start, 0), min(stop, sound.shape.length_samples), BLOCK_SAMPLES)


def render_file_tile(
    file: BinaryIO, *, format: str, statistic: str, level: int, tile: int, name: str = "", index: bytes = b""
) -> Outcome:
    """Draw a tile of a file, in the sandbox: the blob `tile`."""
    sound = open_sound(file, format=Format(format), name=name, index=index)
    return Outcome({}, {"tile": render_tile(sound, statistic=statistic, level=level, index=tile)})
