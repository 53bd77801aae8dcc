"""Recordings of a day and more that cost seconds to make: encoded steps of a time code, put together frame by frame."""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audio.decode.mp3 import filler, frame_bytes
from audio.decode.mp3_index import Header
from audio.formats import Samples
from tests.audio.bitstreams import Packets, flac_frames, ogg_page, opus_packets
from tests.audio.material import mp3, written
from tests.audio.time_code import REST, SYMBOLS, TimeCode

# The bed changes its level so that frames of a variable bit rate change their size, and nobody can seek by proportion.
LEVELS = (0.0003, 0.02, 0.1, 0.003)
LEVEL_UNITS = 900
LAME_DELAY_SAMPLES = 576
OPUS_DELAY_SAMPLES = 120
FULL_UNITS = 1800


@dataclass(frozen=True)
class Day:
    """What was written: for every k in `numbers` the unit of that number begins at sample k * unit_samples."""

    code: TimeCode
    length_samples: int
    numbers: range

    def position(self, number: int) -> int:
        return number * self.code.unit_samples


def day_mp3(path: Path, *, hours: float = 24, vbr: bool = False, rate: int = 44100, kbits: int = 32) -> Day:
    """An MP3 whose frames use no bit reservoir, so that those of any two steps may follow each other."""
    code = TimeCode(rate, 5 * 1152)
    count = _units(code, hours)
    levels = (LEVELS if vbr else LEVELS[1:2])[: -(-count // LEVEL_UNITS)]
    alphabets = [_mp3_alphabet(code, level, vbr=vbr, kbits=kbits) for level in levels]
    header = Header(int.from_bytes(alphabets[0][REST][:4], "big"))
    frames = count * code.unit_samples // header.samples_per_frame + 2
    with path.open("wb") as file:
        file.write(filler(header))  # its place is taken by the tag when all is counted
        for number in range(count):
            alphabet = alphabets[number // LEVEL_UNITS * 7 % len(alphabets)]
            file.write(b"".join(map(alphabet.__getitem__, code.symbols(number))))
        file.write(filler(header) * 2)
        padding = frames * header.samples_per_frame - count * code.unit_samples - LAME_DELAY_SAMPLES
        tag = lame_tag(frames, file.tell(), padding, vbr=vbr)
        file.seek(0)
        file.write(filler(header, tag))
    return Day(code, count * code.unit_samples, range(count))


def day_opus(path: Path, *, hours: float = 24, kbits: int = 24, every: int = 1) -> Day:
    """Ogg Opus with one page a second.

    With `every`, the time code is in one unit out of so many and the rest is silent, which is decoded sooner; but the
    first half hour is full, because what a recording weighs while it is decoded depends on what sounds in it.
    """
    code = TimeCode(48000, 5 * 960)
    count = _units(code, hours)
    full, sparse = (
        [Packets.of(*_opus_step(code, symbol, kbits, level=level)) for symbol in SYMBOLS] for level in (0.003, 0.0)
    )
    opening = b"OpusHead" + struct.pack("<BBHIhB", 1, 1, OPUS_DELAY_SAMPLES, 48000, 0, 0)
    comment = b"OpusTags" + struct.pack("<I4sI", 4, b"test", 0)
    with path.open("wb") as file:
        file.write(ogg_page([Packets.of(opening)], granule=0, sequence=0, flags=2))
        file.write(ogg_page([Packets.of(comment)], granule=0, sequence=1))
        for number in range(count):
            is_full = every == 1 or number < FULL_UNITS
            symbols = code.symbols(number) if is_full or number % every == 0 else [REST] * code.steps
            pieces = [(full if is_full else sparse)[symbol] for symbol in symbols]
            file.write(ogg_page(pieces, granule=(number + 1) * code.unit_samples, sequence=number + 2))
        end = count * code.unit_samples + OPUS_DELAY_SAMPLES
        last = Packets.of(*_opus_step(code, REST, kbits, level=0.003)[:1])
        file.write(ogg_page([last], granule=end, sequence=count + 2, flags=4))
    return Day(code, count * code.unit_samples, range(0, count, every))


def day_flac(path: Path, *, hours: float = 24, rate: int = 44100, every: int = 60) -> Day:
    """FLAC of silence, with the time code in one unit out of `every`."""
    code = TimeCode(rate, 4096)
    count = _units(code, hours)
    order = np.full((count, code.steps), REST, np.int64)
    for number in range(0, count, every):
        order[number] = code.symbols(number)
    pieces = [last_part(written(code.step(symbol, level=0.0), rate, "flac")) for symbol in SYMBOLS]
    length = count * code.unit_samples
    facts = struct.pack(">HH6xQ16x", 4096, 4096, rate << 44 | 0 << 41 | 15 << 36 | length)
    with path.open("wb") as file:
        file.write(b"fLaC" + struct.pack(">I", 0x80 << 24 | len(facts)) + facts)
        for block in flac_frames(pieces, order.ravel()):
            file.write(block)
    return Day(code, length, range(0, count, every))


def day_wav(path: Path, *, hours: float = 24, rate: int = 44100, channels: int = 1, every: int = 600) -> Day:
    """RF64 (EBU Tech 3306) of 16 bits with holes, and the time code in one unit out of `every`."""
    code = TimeCode(rate, 4096)
    count = _units(code, hours)
    length = count * code.unit_samples
    width = 2 * channels
    form = struct.pack("<HHIIHH", 1, channels, rate, rate * width, width, 16)
    with path.open("wb") as file:
        sizes = struct.pack("<QQQI", 72 + length * width, length * width, length, 0)
        file.write(b"RF64" + struct.pack("<I4s4sI", 0xFFFFFFFF, b"WAVE", b"ds64", len(sizes)) + sizes)
        file.write(b"fmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", 0xFFFFFFFF))
        start = file.tell()
        for number in range(0, count, every):
            file.seek(start + number * code.unit_samples * width)
            file.write(_whole(code.unit(number), channels).tobytes())
        file.truncate(start + length * width)
    return Day(code, length, range(0, count, every))


def _units(code: TimeCode, hours: float) -> int:
    return int(hours * 3600 * code.rate) // code.unit_samples


def _whole(samples: Samples, channels: int) -> NDArray[np.int16]:
    return np.repeat(np.rint(samples * 32767).astype("<i2"), channels, axis=1)


def _surrounded(code: TimeCode, symbol: int, level: float) -> Samples:
    """A step between others, so that its frames know nothing of a beginning or an end."""
    return np.concatenate([code.step(one, level=level) for one in (REST, REST, symbol, REST)])


@cache
def _mp3_alphabet(code: TimeCode, level: float, *, vbr: bool, kbits: int) -> list[bytes]:
    choice = {"vbr": 7} if vbr else {"kbits": kbits}
    files = [mp3(_surrounded(code, symbol, level), code.rate, reservoir=0, **choice) for symbol in SYMBOLS]
    return [b"".join(_third_step(list(mp3_frames(content)), code)) for content in files]


def mp3_frames(content: bytes) -> Iterator[bytes]:
    """The frames behind the tag and LAME's own."""
    at = 10 + int.from_bytes(content[6:10], "big")
    at += frame_bytes(int.from_bytes(content[at : at + 4], "big"))
    while at + 4 <= len(content):
        length = frame_bytes(int.from_bytes(content[at : at + 4], "big"))
        yield content[at : at + length]
        at += length


def _third_step(frames: Sequence[bytes], code: TimeCode) -> Sequence[bytes]:
    """Frames lag behind the sound by the codec's delay, in every step alike; so steps put together keep their times."""
    size = code.step_samples // (1152 if code.rate >= 32000 else 576)
    return frames[2 * size : 3 * size]


def lame_tag(frames: int, size: int, padding: int, *, vbr: bool) -> bytes:
    table = bytes(255 * place // 100 for place in range(100))
    delays = (LAME_DELAY_SAMPLES << 12 | padding).to_bytes(3, "big")
    name = b"Xing" if vbr else b"Info"
    return name + struct.pack(">III", 7, frames, size) + table + b"LAME3.100".ljust(21, b"\0") + delays


@cache
def _opus_step(code: TimeCode, symbol: int, kbits: int, *, level: float) -> list[bytes]:
    packets = opus_packets(_surrounded(code, symbol, level), kbits)
    size = code.step_samples // 960
    return packets[2 * size : 3 * size]


def last_part(flac: bytes) -> bytes:
    """The frame of a FLAC file that has only one."""
    at, is_last = 4, False
    while not is_last:
        is_last = bool(flac[at] & 0x80)
        at += 4 + int.from_bytes(flac[at + 1 : at + 4], "big")
    return flac[at:]
