"""What sealed children are asked about whole files: what they are, whether they are whole, what is measured on them."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, cast

import numpy as np

from core.errors import AppError
from stimuli.errors.sound import NotAudio, SoundBroken, SoundTooLong, SoundUnsupported
from stimuli.sound import rehearsal
from stimuli.sound.decoding import Sound, open_sound
from stimuli.sound.examination import Examiner
from stimuli.sound.facts import Samples, Shape
from stimuli.sound.formats import HEAD_BYTES, Format, recognise
from stimuli.sound.frames import build_index
from stimuli.sound.sealed import Outcome
from stimuli.sound.second_opinions import confirm

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
            raise SoundBroken(name=name, problem="it has samples that are not finite numbers")
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
        examiner = Examiner(sound.shape, name=name)
        for samples in sound.blocks():
            examiner.feed(samples)
        measures = examiner.measures()
    except AppError as refusal:
        return {"error": {"kind": type(refusal).__name__, "data": refusal.data}}
    return {
        "shape": sound.shape.to_json(),
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
        problem = f"it has {shape.sample_rate_hz} samples a second; give {LOWEST_RATE_HZ} to {HIGHEST_RATE_HZ}"
        raise SoundUnsupported(name=name, problem=problem)
    if shape.channels > MOST_CHANNELS:
        problem = f"it has {shape.channels} channels; give at most {MOST_CHANNELS}"
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
        problem = "it is empty" if not head else "its first bytes are those of no sound format that Earmark reads"
        raise NotAudio(name=name, problem=problem)
    if head[:4] == b"RIFF" and file.seek(0, 2) > LONGEST_RIFF_BYTES:
        problem = "a plain WAV cannot say how long it is beyond 4 GiB; export it as RF64, W64 or FLAC"
        raise SoundUnsupported(name=name, problem=problem)
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
