"""Clips that are plain WAV already, as most that come in are: read without a decoder, in one pass."""

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from audio.clips.depth import depth_of
from audio.clips.plainwav import HEAD, HEAD_LENGTH, is_plain
from audio.compiled import compiled
from audio.facts import Samples, Shape
from audio.formats import Format
from audio.judging import files as work
from audio.measuring.examination import Examiner
from audio.measuring.stretches import open_file

RATES_HZ = range(work.LOWEST_RATE_HZ, work.HIGHEST_RATE_HZ + 1)
CHANNELS = range(1, work.MOST_CHANNELS + 1)


def examine_clips(*files: BinaryIO, names: Sequence[str], longest_h: float, short_s: float) -> dict[str, Any]:
    """The same as audio.judging.files.examine_clips, but for the digest, which the parent makes itself."""
    clips: list[dict[str, Any]] = []
    for file, name in zip(files, names, strict=True):
        plain = read_plain(file)
        if plain is None or plain[0].length_samples > short_s * plain[0].sample_rate_hz:
            clips += work.examine_clips(file, names=[name], longest_h=longest_h, short_s=short_s)["clips"]
            continue
        stored, samples = plain
        shape = replace(stored, bits=depth_of(samples, stored.bits))
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


def warm_up() -> None:
    """Load the kernel."""
    _unpack(np.zeros(3, np.uint8), np.zeros(1, np.float32))
