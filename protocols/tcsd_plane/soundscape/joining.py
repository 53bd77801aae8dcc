"""A programme written as an MP3, piece by piece, without an encoder."""

import struct
from collections.abc import Iterator
from pathlib import Path

from listening.demos.soundscape.palette import (
    BEATS,
    FALL,
    FRAME_BYTES,
    FRAME_SAMPLES,
    PAUSE,
    RISE,
    SILENCE,
    STRIKE,
    Palette,
    Piece,
    scene,
)
from protocols.tcsd_plane.soundscape.programmes import HOUR_FRAMES, Programme, hour_frame

ENCODER_DELAY_SAMPLES = 576
HEADER_BYTES = 4
NO_TABLE_OF_CONTENTS = bytes(100)


def write_recording(programme: Programme, palette: Palette, path: Path) -> None:
    """Write the whole recording, its first sample the first of its first hour."""
    frames = programme.frames + 1  # the sound lags behind its frames, so one more ends it
    with path.open("wb") as file:
        file.write(_opening(palette[SILENCE], frames, padding=FRAME_SAMPLES - ENCODER_DELAY_SAMPLES))
        for hour in range(programme.hours):
            file.writelines(palette[piece] for piece in _pieces(programme, hour))
            if hour + 1 < programme.hours:
                file.write(palette[SILENCE] * (hour_frame(hour + 1) - hour_frame(hour) - HOUR_FRAMES))
        file.write(palette[SILENCE])


def _pieces(programme: Programme, hour: int) -> Iterator[Piece]:
    strokes = programme.strokes(hour)
    yield RISE
    yield from [STRIKE] * strokes + [PAUSE] * (BEATS - strokes)
    yield from (scene(one.kind, one.variant) for one in programme.hourly[hour])
    yield from [PAUSE] * BEATS
    yield FALL


def _opening(silent: bytes, frames: int, *, padding: int) -> bytes:
    """A frame of no sound that says how many follow and what the encoder added, in the form of LAME's tag."""
    from audio.decode.mp3 import filler  # compiled code, which only the writing of a file needs
    from audio.decode.mp3_index import Header

    header = Header(int.from_bytes(silent[:HEADER_BYTES], "big"))
    counts = struct.pack(">III", 7, frames, frames * FRAME_BYTES)
    delays = (ENCODER_DELAY_SAMPLES << 12 | padding).to_bytes(3, "big")
    return filler(header, b"Info" + counts + NO_TABLE_OF_CONTENTS + b"LAME3.100".ljust(21, b"\0") + delays)
