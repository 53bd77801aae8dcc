"""FLAC masters of recordings whose codec cannot be cut, and slices and tiles made in the sandbox."""

import io
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np
import soundfile

from audio.decode.base import in_blocks
from audio.decode.open import Sound, open_sound
from audio.errors import PositionOutside
from audio.formats import Format, Samples, Shape
from audio.pyramid import samples_of_chunk
from audio.sandbox.client import Outcome
from audio.slices import encode_slice
from audio.spectrogram import render_tile


class MasterWriter:
    """Writes samples as they come; a sample beyond full scale is cut, as any player would."""

    def __init__(self, shape: Shape) -> None:
        self._steps = np.float32(2 ** (shape.bits - 1))
        self._bits = shape.bits
        self._content = io.BytesIO()
        self._file = soundfile.SoundFile(
            self._content,
            "w",
            samplerate=shape.sample_rate_hz,
            channels=shape.channels,
            format="FLAC",
            subtype=f"PCM_{shape.bits}",
            compression_level=0.0,
        )

    def feed(self, samples: Samples) -> None:
        # libsndfile takes whole numbers as they are, and scales floating point ones by 2^15 - 1.
        steps = np.clip(np.rint(samples * self._steps), -self._steps, self._steps - 1)
        self._file.write(steps.astype(np.int16) if self._bits == 16 else steps.astype(np.int32) << 8)

    def finish(self) -> bytes:
        self._file.close()
        return self._content.getvalue()


class Masters(Sound):
    """Neighbouring masters of a recording as one sound, from the first sample of the first to the last of the last."""

    def __init__(self, files: Sequence[BinaryIO], *, first: int, shape: Shape, chunk_samples: int, name: str) -> None:
        self.shape, self.name = shape, name
        self._first, self._chunk_samples = first, chunk_samples or samples_of_chunk(shape.channels)
        self._sounds = [open_sound(file, format=Format.FLAC, name=name) for file in files]

    def _stream(self, start: int, stop: int, size: int) -> Iterator[Samples]:
        return in_blocks(self._pieces(start, stop, size), size)

    def _pieces(self, start: int, stop: int, size: int) -> Iterator[Samples]:
        for number, sound in enumerate(self._sounds, self._first):
            origin = number * self._chunk_samples
            begin, end = max(start - origin, 0), min(stop - origin, sound.shape.length_samples)
            if begin < end:
                yield from sound.blocks(begin, end, size)


def render_masters_tile(*files: BinaryIO, statistic: str, level: int, tile: int, **which: Any) -> Outcome:
    """Draw a tile from masters, in the sandbox: the blob `tile`."""
    sound = _open_masters(files, **which)
    return Outcome({}, {"tile": render_tile(sound, statistic=statistic, level=level, index=tile)})


def cut_masters_slice(*files: BinaryIO, start: int, count: int, **which: Any) -> Outcome:
    """Cut a slice out of masters, in the sandbox: the blob `slice`."""
    sound = _open_masters(files, **which)
    piece = encode_slice(sound.read(start, count), sound.shape)
    facts = {"lead_samples": piece.lead_samples, "length_samples": piece.length_samples}
    return Outcome(facts, {"slice": piece.content})


def _open_masters(
    files: Sequence[BinaryIO], *, first: int, shape: dict[str, Any], chunk_samples: int = 0, name: str = ""
) -> Masters:
    """The masters that a sandboxed child was given, of which the first has the number `first`."""
    return Masters(files, first=first, shape=Shape.from_json(shape), chunk_samples=chunk_samples, name=name)


# --- Slices of a file -------------------------------------------------------------------------------------------------


def cut_file_slice(
    file: BinaryIO, *, format: str, start: int, count: int, name: str = "", index: bytes = b""
) -> Outcome:
    """Decode [start, start + count) and write it anew without loss: the blob `slice`."""
    sound = open_sound(file, format=Format(format), name=name, index=index)
    if not 0 <= start < start + count <= sound.shape.length_samples:
        raise PositionOutside(start=start, stop=start + count, length=sound.shape.length_samples)
    piece = encode_slice(sound.read(start, count), sound.shape)
    return Outcome(
        {"lead_samples": piece.lead_samples, "length_samples": piece.length_samples}, {"slice": piece.content}
    )
