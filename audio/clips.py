"""Short clips in the sandbox: read, encoded as they are served, and normalised to a loudness."""

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from audio import validate as work
from audio.compiled import compiled
from audio.decode.open import open_file
from audio.errors import AudioError, LevelTooHigh, LevelUnknown
from audio.formats import Format, Samples, Shape
from audio.measure import RecordingMeter
from audio.outline import outline_of
from audio.partial_results import Measures
from audio.sandbox.client import Outcome
from audio.wav import HEAD, HEAD_LENGTH, add_dither, encode_wav, is_plain, measure_depth

RATES_HZ = range(work.LOWEST_RATE_HZ, work.HIGHEST_RATE_HZ + 1)
CHANNELS = range(1, work.MOST_CHANNELS + 1)


def examine_plain_clips(*files: BinaryIO, names: Sequence[str], longest_h: float, short_s: float) -> dict[str, Any]:
    """The same as audio.validate.examine_clips, but for the digest, which the parent makes itself."""
    clips: list[dict[str, Any]] = []
    for file, name in zip(files, names, strict=True):
        plain = read_plain(file)
        if plain is None or plain[0].length_samples > short_s * plain[0].sample_rate_hz:
            clips += work.examine_clips(file, names=[name], longest_h=longest_h, short_s=short_s)["clips"]
            continue
        stored, samples = plain
        shape = replace(stored, bits=measure_depth(samples, stored.bits))
        meter = RecordingMeter(shape, name=name)
        meter.feed(samples)
        measured = {"measures": meter.measures().to_json(), "outline": outline_of(samples)}
        clips.append({"shape": shape.to_json(), "is_short": True, **measured})
    return {"clips": clips}


def read_clip(file: BinaryIO, *, name: str) -> tuple[Shape, Samples]:
    """All samples of a short file, however it is coded."""
    plain = read_plain(file)
    if plain is not None:
        return plain
    sound = open_file(file, name=name)
    return sound.shape, sound.read(0, sound.shape.length_samples)


def read_plain(file: BinaryIO) -> tuple[Shape, Samples] | None:
    """The samples of a plain WAV, or nothing if it is anything else; what is odd about it is for a decoder to say."""
    byte_count = file.seek(0, io.SEEK_END)
    file.seek(0)
    head = file.read(HEAD_LENGTH)
    bits = next((bits for bits in (16, 24) if is_plain(head, byte_count, bits=bits)), 0)
    if not bits:
        return None
    channels, rate = HEAD.unpack_from(head)[6:8]
    data = np.frombuffer(file.read(), np.uint8)
    frame_bytes = channels * bits // 8
    if channels not in CHANNELS or rate not in RATES_HZ or not len(data) or len(data) % frame_bytes:
        return None
    samples = np.empty((len(data) // frame_bytes, channels), np.float32)
    if bits == 16:
        np.multiply(data.view("<i2").reshape(samples.shape), np.float32(2.0**-15), out=samples)
    else:
        _unpack(data, samples.reshape(-1))
    return Shape(Format.WAV.value, rate, channels, len(samples), bits), samples


@compiled
def _unpack(data: NDArray[np.uint8], samples: NDArray[np.float32]) -> None:
    """Make floats of 24-bit integers, three bytes each, the lowest first."""
    for i in range(samples.shape[0]):
        value = data[3 * i] << 8 | data[3 * i + 1] << 16 | data[3 * i + 2] << 24
        samples[i] = np.int32(value) * np.float32(2.0**-31)


# --- Served clips -----------------------------------------------------------------------------------------------------


def encode_pcm(samples: Samples, bits: int, *, depth: int = 0, dither: str = "") -> bytes:
    """Samples as little-endian integers, or as floats where all 32 bits are worth keeping.

    A depth below the number of bits leaves the lowest ones empty. `dither` is the digest that dither follows from.
    """
    if bits == 32:
        return bytes(samples.astype("<f4", copy=False).data)
    depth = depth or bits
    full_scale = float(1 << (depth - 1))
    # Whole numbers of up to 24 bits are exact in float32, so what was PCM comes out as it went in.
    scaled = add_dither(samples, depth, dither) if dither else np.rint(samples * np.float32(full_scale))
    np.clip(scaled, -full_scale, full_scale - 1, out=scaled)
    scaled *= np.float32(1 << (bits - depth))
    if bits == 16:
        return bytes(scaled.astype("<i2").data)
    return pack_24_bits(scaled)


def pack_24_bits(values: Samples) -> bytes:
    """Whole numbers of 24 bits, three bytes each."""
    return bytes(np.ascontiguousarray(values.astype("<i4").reshape(-1, 1).view(np.uint8)[:, :3]).data)


def encode_clips(
    *files: BinaryIO, names: Sequence[str], bits: int, depth: int, totals: Sequence[int], dithers: Sequence[str]
) -> Outcome:
    """Write clips anew, in the sandbox: each is a blob under its number, or an error in its place."""
    entries: list[dict[str, Any]] = []
    blobs: dict[str, bytes] = {}
    for number, (file, name, total, dither) in enumerate(zip(files, names, totals, dithers, strict=True)):
        try:
            blobs[str(number)] = encode_clip(file, name=name, bits=bits, depth=depth, total_bytes=total, dither=dither)
            entries.append({})
        except AudioError as error:
            entries.append({"error": error.to_json()})
    return Outcome({"clips": entries}, blobs)


def encode_clip(
    file: BinaryIO, *, name: str, bits: int, depth: int = 0, total_bytes: int = 0, dither: str = ""
) -> bytes:
    """Decode one clip and write it in the form in which it is served."""
    shape, samples = read_clip(file, name=name)
    rate, channels = shape.sample_rate_hz, shape.channels
    data = encode_pcm(samples, bits, depth=depth, dither=dither)
    return encode_wav(data, sample_rate_hz=rate, channels=channels, bits=bits, total_bytes=total_bytes)


# --- Loudness normalisation -------------------------------------------------------------------------------------------


BITS = 24  # rounding then lies 144 dB below full scale, whatever the gain
FULL_SCALE = float(1 << (BITS - 1))
CLOSE_ENOUGH_LU = 0.05
MOST_ROUNDS = 50  # all go the same way, so that there is an end; a long fade through the gate takes a dozen


@dataclass(frozen=True)
class NormalisedClip:
    """A clip at its new level."""

    content: bytes  # a plain WAV
    gain_db: float
    measures: Measures
    outline: str


def normalise_clips(
    *files: BinaryIO, names: Sequence[str], befores: Sequence[Mapping[str, Any]], target_lufs: float
) -> Outcome:
    """Give each clip a gain: facts `copies` with what was measured, and the copy as a blob under its number."""
    entries: list[dict[str, Any]] = []
    blobs: dict[str, bytes] = {}
    for number, (file, name, before) in enumerate(zip(files, names, befores, strict=True)):
        try:
            shape, samples = read_clip(file, name=name)
            copy = normalise_clip(samples, shape, Measures.from_json(dict(before)), target_lufs=target_lufs, name=name)
        except AudioError as error:
            entries.append({"error": error.to_json()})
            continue
        blobs[str(number)] = copy.content
        entries.append({"gain_db": copy.gain_db, "after": copy.measures.to_json(), "outline": copy.outline})
    return Outcome({"copies": entries}, blobs)


def normalise_clip(
    samples: Samples, shape: Shape, before: Measures, *, target_lufs: float, name: str = ""
) -> NormalisedClip:
    """Bring a clip to a level; it may not be clipped there.

    One round is enough, unless parts of the sound pass the absolute gate of -70 LUFS on the way.
    """
    gain_db = gain_to_target_lu(before, target_lufs, name)
    for _ in range(MOST_ROUNDS):
        heard, data = _with_gain(samples, gain_db, name)
        after = _measure(heard, shape, before, gain_db, name)
        error_lu = gain_to_target_lu(after, target_lufs, name)
        if abs(error_lu) <= CLOSE_ENOUGH_LU:
            break
        gain_db += error_lu
    content = encode_wav(data, sample_rate_hz=shape.sample_rate_hz, channels=shape.channels, bits=BITS)
    return NormalisedClip(content, gain_db, after, outline_of(heard))


def gain_to_target_lu(measures: Measures, target_lufs: float, name: str = "") -> float:
    """How far a sound is below a level, which is the gain that brings it there."""
    if measures.integrated_lufs is None:
        raise LevelUnknown(name=name)
    return target_lufs - measures.integrated_lufs


def _with_gain(samples: Samples, gain_db: float, name: str) -> tuple[Samples, bytes]:
    """The samples with a gain, as they will be decoded again and as bytes of 24-bit integers.

    They are rounded to the nearest value and not dithered: the same input gives the same bytes.
    """
    heard, packed = samples.copy(), np.empty(3 * samples.size, np.uint8)
    largest = _amplify(heard.reshape(-1), 10 ** (gain_db / 20) * FULL_SCALE, packed)
    if largest > FULL_SCALE:
        raise LevelTooHigh(name=name, excess_db=math.ceil(200 * math.log10(largest / FULL_SCALE)) / 10)
    return heard, bytes(packed.data)


def _measure(heard: Samples, shape: Shape, before: Measures, gain_db: float, name: str) -> Measures:
    """Measure a copy, but for its true peak: that is the source's and the gain, and finding it takes a third of all."""
    meter = RecordingMeter(shape, name=name, true_peak=False)
    meter.feed(heard)
    peak_dbtp = None if before.true_peak_dbtp is None else before.true_peak_dbtp + gain_db
    return replace(meter.measures(), true_peak_dbtp=peak_dbtp)


@compiled
def _amplify(samples: NDArray[np.float32], factor: float, packed: NDArray[np.uint8]) -> float:
    """Scale samples in place and round them to 24 bits, packed too; return the largest magnitude, in steps."""
    largest = 0.0
    for i in range(samples.shape[0]):
        value = np.rint(samples[i] * factor)
        largest = max(largest, value + 1.0, -value)  # there is one step less above zero than below it
        whole = np.int32(value)
        packed[3 * i] = whole & 0xFF
        packed[3 * i + 1] = (whole >> 8) & 0xFF
        packed[3 * i + 2] = (whole >> 16) & 0xFF
        samples[i] = np.float32(value / FULL_SCALE)
    return largest


def warm_up() -> None:
    """Load the kernels."""
    _unpack(np.zeros(3, np.uint8), np.zeros(1, np.float32))
    _amplify(np.zeros(2, np.float32), 1.0, np.zeros(6, np.uint8))
