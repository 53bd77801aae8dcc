"""What sealed children are asked about whole files: what they are, whether they are whole, what is measured on them."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, cast

import numpy as np

from audio.clips.depth import DepthMeter
from audio.decoding.claims import BEYOND_HEADER
from audio.decoding.frames import build_index
from audio.decoding.opening import Sound, open_sound
from audio.errors import NOT_FINITE, UNRECOGNISED, NotAudio, SoundBroken, SoundTooLong, SoundUnsupported
from audio.facts import Samples, Shape
from audio.formats import HEAD_BYTES, Format, recognise
from audio.judging.second_opinions import confirm
from audio.measuring.examination import Examiner
from audio.sealed import rehearsal
from audio.sealed.asking import Outcome
from core.clauses import clause
from core.errors import AppError

LOWEST_RATE_HZ = 4_000
HIGHEST_RATE_HZ = 192_000
MOST_CHANNELS = 8
# A plain RIFF counts its bytes in 32 bits, without the eight in front.
LONGEST_RIFF_BYTES = 2**32 + 8


def probe(file: BinaryIO, *, name: str, longest_h: float, short_s: float) -> Outcome:
    """Recognise a file and say what it holds: facts `shape` and `is_short`, and the blob `index` to open it with again.

    A short one is decoded to its end. Of a long one only the end is looked at; each of the jobs that decode it
    compares what it finds with what was promised.
    """
    sound, index = _opened(file, name=name, longest_h=longest_h)
    is_short = _is_short(sound.shape, short_s)
    for samples in sound.blocks() if is_short else _end(sound):
        if not np.isfinite(samples).all():
            raise SoundBroken(name=name, problem=NOT_FINITE)
    return Outcome({"shape": sound.shape.to_json(), "is_short": is_short}, {"index": index})


def examine_clips(*files: BinaryIO, names: Sequence[str], longest_h: float, short_s: float) -> dict[str, Any]:
    """Judge many short files, each for itself: `shape`, `measures` and `sha256`, or the `error` that refuses it.

    A long one gets its shape only, and `is_short` says so.
    """
    clips = [
        _judged(file, name=name, longest_h=longest_h, short_s=short_s) for file, name in zip(files, names, strict=True)
    ]
    return {"clips": clips}


def warm_up() -> None:
    """Load all that is loaded on the way: a little sound of every format goes through the work."""
    for content in rehearsal.sounds():
        examine_clips(content, names=["rehearsal"], longest_h=1, short_s=600)
        with suppress(AppError):  # What matters is what was loaded on the way.
            probe(content, name="rehearsal", longest_h=1, short_s=0)


def _judged(file: BinaryIO, *, name: str, longest_h: float, short_s: float) -> dict[str, Any]:
    try:
        sound, _ = _opened(file, name=name, longest_h=longest_h)
        if not _is_short(sound.shape, short_s):
            list(_end(sound))
            return {"shape": sound.shape.to_json(), "is_short": False, "measures": None, "sha256": None}
        examiner, depth = Examiner(sound.shape, name=name), DepthMeter(sound.shape.bits)
        for samples in sound.blocks():
            examiner.feed(samples)
            depth.feed(samples)
        measures = examiner.measures()
    except AppError as refusal:
        return {"error": {"kind": type(refusal).__name__, "data": refusal.data}}
    return {
        "shape": sound.shape.to_json() | {"bits": depth.bits},
        "is_short": True,
        "measures": measures.to_json(),
        "sha256": _sha256(file),
    }


def _opened(file: BinaryIO, *, name: str, longest_h: float) -> tuple[Sound, bytes]:
    """Open what the first bytes say it is, unless it is of a kind that nobody would want to hear or wait for."""
    kind = _recognised(file, name=name)
    index = build_index(file, format=kind, name=name)
    sound = open_sound(file, format=kind, name=name, index=index)
    shape = sound.shape
    if not LOWEST_RATE_HZ <= shape.sample_rate_hz <= HIGHEST_RATE_HZ:
        problem = clause(
            "it has {rate} samples a second; give {lowest} to {highest}",
            rate=shape.sample_rate_hz,
            lowest=LOWEST_RATE_HZ,
            highest=HIGHEST_RATE_HZ,
        )
        raise SoundUnsupported(name=name, problem=problem)
    if shape.channels > MOST_CHANNELS:
        problem = clause("it has {count} channels; give at most {most}", count=shape.channels, most=MOST_CHANNELS)
        raise SoundUnsupported(name=name, problem=problem)
    if shape.length_samples > longest_h * 3600 * shape.sample_rate_hz:
        raise SoundTooLong(name=name, limit_h=longest_h)
    position = file.tell()  # The decoder goes on from here.
    confirm(file, format=kind, shape=shape, name=name)
    file.seek(position)
    return sound, index


def _recognised(file: BinaryIO, *, name: str) -> Format:
    file.seek(0)
    head = file.read(HEAD_BYTES)
    kind = recognise(head)
    if kind is None:
        raise NotAudio(name=name, problem=UNRECOGNISED if head else clause("it is empty"))
    if head[:4] == b"RIFF" and file.seek(0, 2) > LONGEST_RIFF_BYTES:
        raise SoundUnsupported(name=name, problem=BEYOND_HEADER)
    file.seek(0)
    return kind


def _end(sound: Sound) -> Iterator[Samples]:
    """Decode the last second; like all decoding it raises if less comes than was promised."""
    return sound.blocks(max(0, sound.shape.length_samples - sound.shape.sample_rate_hz))


def _sha256(file: BinaryIO) -> str:
    file.seek(0)
    return hashlib.file_digest(cast(io.BufferedReader, file), "sha256").hexdigest()


def _is_short(shape: Shape, short_s: float) -> bool:
    return shape.length_samples <= short_s * shape.sample_rate_hz
