"""Clips that are plain WAV already, as most that come in are: read and written without a decoder, in one pass."""

from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from stimuli.sound import work
from stimuli.sound.compiled import compiled
from stimuli.sound.examination import Examiner
from stimuli.sound.facts import Samples, Shape
from stimuli.sound.formats import Format
from stimuli.sound.plainwav import HEAD, HEAD_LENGTH, is_plain
from stimuli.sound.stretches import open_file

RATES_HZ = range(work.LOWEST_RATE_HZ, work.HIGHEST_RATE_HZ + 1)
CHANNELS = range(1, work.MOST_CHANNELS + 1)


def examine_clips(*files: BinaryIO, names: Sequence[str], longest_h: float, short_s: float) -> dict[str, Any]:
    """The same as stimuli.sound.work.examine_clips, but for the digest, which the parent makes itself."""
    clips: list[dict[str, Any]] = []
    for file, name in zip(files, names, strict=True):
        plain = read_plain(file)
        if plain is None or plain[0].length_samples > short_s * plain[0].sample_rate_hz:
            clips += work.examine_clips(file, names=[name], longest_h=longest_h, short_s=short_s)["clips"]
            continue
        shape, samples = plain
        examiner = Examiner(shape, name=name)
        examiner.feed(samples)
        clips.append({"shape": shape.to_json(), "is_short": True, "measures": examiner.measures().to_json()})
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
    file.seek(0)
    content = file.read()
    bits = next((bits for bits in (16, 24) if is_plain(content[:HEAD_LENGTH], len(content), bits=bits)), 0)
    if not bits:
        return None
    channels, rate = HEAD.unpack_from(content)[6:8]
    data = np.frombuffer(content, np.uint8, offset=HEAD_LENGTH)
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


@compiled
def amplified(samples: NDArray[np.float32], factor: float, packed: NDArray[np.uint8]) -> float:
    """Scale samples in place and round them to 24 bits, packed too; return the largest magnitude, in steps."""
    largest = 0.0
    for i in range(samples.shape[0]):
        value = np.rint(samples[i] * factor)
        largest = max(largest, value + 1.0, -value)  # there is one step less above zero than below it
        whole = np.int32(value)
        packed[3 * i] = whole & 0xFF
        packed[3 * i + 1] = (whole >> 8) & 0xFF
        packed[3 * i + 2] = (whole >> 16) & 0xFF
        samples[i] = np.float32(value * 2.0**-23)
    return largest


def warm_up() -> None:
    """Load the kernels."""
    packed = np.zeros(6, np.uint8)
    amplified(np.zeros(2, np.float32), 1.0, packed)
    _unpack(packed, np.zeros(2, np.float32))
