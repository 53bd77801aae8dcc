"""Clips as participants get them: bare PCM that tells nothing but its sound, as long in bytes as is asked."""

from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np

from audio.clips.depth import dithered
from audio.clips.plainclips import read_clip
from audio.clips.plainwav import wav
from audio.facts import Samples
from audio.sealed.asking import Outcome
from core.errors import AppError


def pcm(samples: Samples, bits: int, *, depth: int = 0, dither: str = "") -> bytes:
    """Samples as little-endian integers, or as floats where all 32 bits are worth keeping.

    A depth below the number of bits leaves the lowest ones empty. `dither` is the digest that dither follows from.
    """
    if bits == 32:
        return bytes(samples.astype("<f4", copy=False).data)
    depth = depth or bits
    full_scale = float(1 << (depth - 1))
    # Whole numbers of up to 24 bits are exact in float32, so what was PCM comes out as it went in.
    scaled = dithered(samples, depth, dither) if dither else np.rint(samples * np.float32(full_scale))
    np.clip(scaled, -full_scale, full_scale - 1, out=scaled)
    scaled *= np.float32(1 << (bits - depth))
    if bits == 16:
        return bytes(scaled.astype("<i2").data)
    return packed(scaled)


def packed(values: Samples) -> bytes:
    """Whole numbers of 24 bits, three bytes each."""
    return bytes(np.ascontiguousarray(values.astype("<i4").reshape(-1, 1).view(np.uint8)[:, :3]).data)


def serve_clips(
    *files: BinaryIO, names: Sequence[str], bits: int, depth: int, totals: Sequence[int], dithers: Sequence[str]
) -> Outcome:
    """Write clips anew, in a sealed child: each is a blob under its number, or an error in its place."""
    entries: list[dict[str, Any]] = []
    blobs: dict[str, bytes] = {}
    for number, (file, name, total, dither) in enumerate(zip(files, names, totals, dithers, strict=True)):
        try:
            blobs[str(number)] = served(file, name=name, bits=bits, depth=depth, total_bytes=total, dither=dither)
            entries.append({})
        except AppError as refusal:
            entries.append({"error": {"kind": type(refusal).__name__, "data": refusal.data}})
    return Outcome({"clips": entries}, blobs)


def served(file: BinaryIO, *, name: str, bits: int, depth: int = 0, total_bytes: int = 0, dither: str = "") -> bytes:
    """Decode one clip and write it in the form in which it is served."""
    shape, samples = read_clip(file, name=name)
    rate, channels = shape.sample_rate_hz, shape.channels
    data = pcm(samples, bits, depth=depth, dither=dither)
    return wav(data, sample_rate_hz=rate, channels=channels, bits=bits, total_bytes=total_bytes)
