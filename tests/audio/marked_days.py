"""Days in hours with silences between them, and a marker at 23:30:00.000 by the clock; cheap to make in every format.

A day is a row of halves. Two halves make a piece whose event lies exactly between them: where sound ends, where it
begins, or where the marker begins. So no codec sees an event at an edge, and halves that were encoded once can be put
together to any length.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from math import ceil
from pathlib import Path

import numpy as np

from audio.decode.mp3 import filler
from audio.decode.mp3_index import Header
from audio.formats import Samples
from tests.audio.bitstreams import Packets, flac_frames, ogg_page, opus_packets
from tests.audio.long_recordings import LAME_DELAY_SAMPLES, OPUS_DELAY_SAMPLES, lame_tag, last_part, mp3_frames
from tests.audio.material import marker, mp3, noise, written
from tests.scale import ALL

HOURS, HOUR_S, GAP_S = 24 if ALL else 3, 3600, 5  # a shorter day ends at 03:00, and its marker is at 02:30
MARKED_HOUR = HOURS - 1
MARK_CLOCK_S = MARKED_HOUR * HOUR_S + HOUR_S // 2
# Soft, so that what a codec smears before an onset stays below the quiet that separates hours.
BED = 0.0015
CLICK = 0.1
FRAMES_A_HALF = 5
PACKETS_A_HALF = 25
CLICK_EVERY_S = 3  # in a day of holes: sooner than a silence is long enough to separate hours


class Half(IntEnum):
    """What a half holds. The bed repeats every two halves, and goes on through all pieces that have one."""

    BED_FIRST = 0
    BED_SECOND = 1
    BEFORE_END = 2
    AFTER_END = 3
    BEFORE_START = 4
    AFTER_START = 5
    BEFORE_MARK = 6
    AFTER_MARK = 7
    SILENT = 8


# Every half between such neighbours as it has in a day.
SURROUNDED = (
    *(Half.BED_FIRST, Half.BED_SECOND, Half.BED_FIRST, Half.BED_SECOND, Half.BEFORE_MARK, Half.AFTER_MARK),
    *(Half.BED_FIRST, Half.BED_SECOND, Half.BEFORE_END, Half.AFTER_END, Half.SILENT, Half.SILENT),
    *(Half.BEFORE_START, Half.AFTER_START, Half.BED_FIRST, Half.BED_SECOND),
)


@dataclass(frozen=True)
class MarkedDay:
    """Where everything lies, in samples of the file. An hour has an even number of halves, and so has half of it."""

    rate: int
    half_samples: int

    @property
    def hour_halves(self) -> int:
        return HOUR_S * self.rate // self.half_samples

    @property
    def gap_halves(self) -> int:
        return ceil(GAP_S * self.rate / self.half_samples)

    @property
    def length_samples(self) -> int:
        return self.hour_start(HOURS - 1) + HOUR_S * self.rate

    def hour_start(self, hour: int) -> int:
        return hour * (self.hour_halves + self.gap_halves) * self.half_samples

    @property
    def mark(self) -> int:
        """The first sample of the marker."""
        return self.hour_start(MARKED_HOUR) + HOUR_S // 2 * self.rate

    @cached_property
    def row(self) -> list[Half]:
        """Every half of the day."""
        hour = [Half.BED_SECOND, Half.BED_FIRST] * (self.hour_halves // 2)
        hour[0], hour[-1] = Half.AFTER_START, Half.BEFORE_END
        gap = [Half.AFTER_END, *[Half.SILENT] * (self.gap_halves - 2), Half.BEFORE_START]
        row = [*(hour + gap) * (HOURS - 1), *hour]
        at = self.mark // self.half_samples
        row[at - 1], row[at] = Half.BEFORE_MARK, Half.AFTER_MARK
        return row

    def bed(self) -> Samples:
        return noise(2 * self.half_samples, level=BED)

    def clicks(self) -> Samples:
        """A bed for formats without loss, which is small: a click on both sides of the joint of two pieces."""
        bed = np.zeros((2 * self.half_samples, 1), np.float32)
        bed[[self.half_samples - 1, self.half_samples]] = CLICK
        return bed

    def sounds(self, bed: Samples) -> dict[Half, Samples]:
        first, second = np.split(bed, 2)
        silent, marked = np.zeros_like(first), second.copy()
        marked[: len(marker(self.rate)), 0] += marker(self.rate)
        return {
            **dict.fromkeys((Half.BED_FIRST, Half.BEFORE_END, Half.BEFORE_MARK), first),
            **dict.fromkeys((Half.BED_SECOND, Half.AFTER_START), second),
            **dict.fromkeys((Half.AFTER_END, Half.BEFORE_START, Half.SILENT), silent),
            Half.AFTER_MARK: marked,
        }

    def surrounded(self) -> Samples:
        sounds = self.sounds(self.bed())
        return np.concatenate([sounds[half] for half in SURROUNDED])


def marked_mp3(path: Path, *, vbr: bool = False) -> MarkedDay:
    """At 8 kHz. Of a variable bit rate, every other hour has longer frames, so that nobody can seek by proportion."""
    day = MarkedDay(8000, FRAMES_A_HALF * 576)
    alphabets = [_mp3_halves(day, choice) for choice in ([{"vbr": 0}, {"vbr": 9}] if vbr else [{"kbits": 16}])]
    header = Header(int.from_bytes(alphabets[0][Half.SILENT][:4], "big"))
    hour = day.hour_halves + day.gap_halves
    with path.open("wb") as file:
        file.write(filler(header))  # its place is taken by the tag when all is counted
        file.writelines(alphabets[at // hour % len(alphabets)][half] for at, half in enumerate(day.row))
        file.write(filler(header) * 2)
        padding = 2 * header.samples_per_frame - LAME_DELAY_SAMPLES
        tag = lame_tag(len(day.row) * FRAMES_A_HALF + 2, file.tell(), padding, vbr=vbr)
        file.seek(0)
        file.write(filler(header, tag))
    return day


def marked_opus(path: Path) -> MarkedDay:
    """Ogg Opus with a page for every half."""
    day = MarkedDay(48000, PACKETS_A_HALF * 960)
    packets = _by_half(opus_packets(day.surrounded(), 24), PACKETS_A_HALF)
    pieces = {half: Packets.of(*found) for half, found in packets.items()}
    opening = b"OpusHead" + struct.pack("<BBHIhB", 1, 1, OPUS_DELAY_SAMPLES, 48000, 0, 0)
    comment = b"OpusTags" + struct.pack("<I4sI", 4, b"test", 0)
    with path.open("wb") as file:
        file.write(ogg_page([Packets.of(opening)], granule=0, sequence=0, flags=2))
        file.write(ogg_page([Packets.of(comment)], granule=0, sequence=1))
        for number, half in enumerate(day.row, start=1):
            file.write(ogg_page([pieces[half]], granule=number * day.half_samples, sequence=number + 1))
        last = Packets.of(packets[Half.SILENT][0])
        end = day.length_samples + OPUS_DELAY_SAMPLES
        file.write(ogg_page([last], granule=end, sequence=len(day.row) + 2, flags=4))
    return day


def marked_flac(path: Path) -> MarkedDay:
    """At 8 kHz, every half a frame, as long as one of the lengths that a frame's header has a code for."""
    day = MarkedDay(8000, 2304)
    sounds = day.sounds(day.clicks())
    pieces = [last_part(written(sounds[half], day.rate, "flac")) for half in Half]
    facts = struct.pack(">HH6xQ16x", 2304, 2304, day.rate << 44 | 0 << 41 | 15 << 36 | day.length_samples)
    with path.open("wb") as file:
        file.write(b"fLaC" + struct.pack(">I", 0x80 << 24 | len(facts)) + facts)
        file.writelines(flac_frames(pieces, np.array(day.row, np.int64)))
    return day


def marked_wav(path: Path) -> MarkedDay:
    """At 8 kHz and 16 bits, of holes: a click now and then is enough to tell an hour from a silence."""
    day = MarkedDay(8000, 4000)
    length = day.length_samples
    form = struct.pack("<HHIIHH", 1, 1, day.rate, 2 * day.rate, 2, 16)
    with path.open("wb") as file:
        file.write(b"RIFF" + struct.pack("<I4s4sI", 36 + 2 * length, b"WAVE", b"fmt ", len(form)) + form)
        file.write(b"data" + struct.pack("<I", 2 * length))
        start = file.tell()
        for at in _clicks(day):
            file.seek(start + 2 * at)
            file.write(struct.pack("<h", 3000))
        file.seek(start + 2 * day.mark)
        file.write(np.rint(marker(day.rate) * 32767).astype("<i2").tobytes())
        file.truncate(start + 2 * length)
    return day


def _clicks(day: MarkedDay) -> Iterator[int]:
    """From the first sample of every hour to its last, but for where the marker is."""
    for hour in range(HOURS):
        first, last = day.hour_start(hour), day.hour_start(hour) + HOUR_S * day.rate - 1
        yield from (at for at in range(first, last, CLICK_EVERY_S * day.rate) if at != day.mark)
        yield last


def _mp3_halves(day: MarkedDay, choice: dict[str, int]) -> dict[Half, bytes]:
    frames = list(mp3_frames(mp3(day.surrounded(), day.rate, reservoir=0, **choice)))
    return {half: b"".join(found) for half, found in _by_half(frames, FRAMES_A_HALF).items()}


def _by_half(coded: Sequence[bytes], size: int) -> dict[Half, Sequence[bytes]]:
    """Frames or packets by the half that they were made of; of several, those of the last.

    They lag behind the sound by the codec's delay, in every half alike; so halves put together keep their times.
    """
    return {half: coded[number * size : (number + 1) * size] for number, half in enumerate(SURROUNDED)}
