"""MP3 by its frames: libmpg123, inside libsndfile, is given exactly the frames that a range of samples needs."""

from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

import numpy as np
import soundfile

from audio.decoding.base import Sound
from audio.decoding.frames import ALIGNED_FRAMES, DECODER_DELAY_SAMPLES, FrameIndex, Span
from audio.decoding.libsndfile import MemoryDecoder
from audio.decoding.mpeg_frames import filler, silence_orphans
from audio.decoding.mpeg_survey import index_mp3, only_frames
from audio.facts import Samples, Shape
from audio.formats import Format

# What is decoded with one decoder, whose compressed bytes are held in memory: 3 minutes, 3 MB at 128 kbit/s.
SECTION_SAMPLES = 1 << 23


class Mp3Sound(Sound):
    def __init__(self, file: BinaryIO, *, name: str, index: bytes) -> None:
        self.name = name
        self._file = file
        self.index = FrameIndex.from_bytes(index) if index else index_mp3(file, name=name)
        header = self.index.header
        self.shape = Shape(
            format=str(Format.MP3),
            sample_rate_hz=header.sample_rate_hz,
            channels=header.channels,
            length_samples=self.index.length_samples,
            bits=16,
        )

    def _stream(self, start: int, stop: int, size: int) -> Iterator[Samples]:
        section = max(SECTION_SAMPLES // size, 1) * size
        for at in range(start, stop, section):
            yield from self._section(at, min(at + section, stop), size)

    def _section(self, start: int, stop: int, size: int) -> Iterator[Samples]:
        content, lead = self._decodable(self.index.span(start, stop - start))
        at = start
        with suppress(soundfile.LibsndfileError), MemoryDecoder(content) as decoder:
            decoder.read(lead, dtype="float32")
            while at < stop:
                samples: Samples = decoder.read(min(size, stop - at), dtype="float32", always_2d=True)
                if samples.shape[1] != self.shape.channels or not len(samples):
                    break
                at += len(samples)
                yield samples
        if at < stop:
            raise self._broken_off(at)

    def _decodable(self, span: Span) -> tuple[bytes, int]:
        """A small MP3 of just these frames, and how many of its samples come before the wanted ones."""
        header = self.index.header
        self._file.seek(span.first_byte)
        frames = self._file.read(span.stop_byte - span.first_byte)
        if self.index.foreign_bytes:
            frames = only_frames(frames, header)
        data = np.frombuffer(bytearray(frames), np.uint8)
        silence_orphans(data, header.side_bytes, header.reservoir_bytes)
        count = span.stop_frame - span.first_frame
        # The decoder drops its own delay, which must not be taken from the sound when there is nothing before it.
        silent = ALIGNED_FRAMES if span.first_frame == 0 else 0
        content = filler(header, info_tag(count + silent)) + filler(header) * silent + data.tobytes()
        return content, span.lead_samples + silent * header.samples_per_frame - DECODER_DELAY_SAMPLES


def info_tag(frames: int) -> bytes:
    """Without a count of frames the decoder guesses the length, and stops there."""
    return b"Info" + (1).to_bytes(4, "big") + frames.to_bytes(4, "big")
