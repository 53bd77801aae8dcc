"""Validation of whole files: what they are, whether they are complete, and what is measured on them."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from audio.compiled import compiled
from audio.decode.mp3_index import build_index
from audio.decode.open import Sound, open_sound
from audio.decode.pcm import BEYOND_HEADER
from audio.errors import (
    NOT_FINITE,
    SEVERAL_STREAMS,
    UNRECOGNISED,
    AudioError,
    NotAudio,
    SoundBroken,
    SoundTooLong,
    SoundUnsupported,
    gettext_noop,
)
from audio.formats import HEAD_BYTES, Format, Samples, Shape, recognise_format
from audio.measure import RecordingMeter
from audio.outline import OutlineMeter
from audio.sandbox import warmup as warmup
from audio.sandbox.client import Outcome
from audio.wav import DepthMeter

LOWEST_RATE_HZ = 4_000
HIGHEST_RATE_HZ = 192_000
MOST_CHANNELS = 8
# A plain RIFF counts its bytes in 32 bits, without the eight in front.
LONGEST_RIFF_BYTES = 2**32 + 8


def probe_file(file: BinaryIO, *, name: str, longest_h: float, short_s: float) -> Outcome:
    """Recognise a file and say what it holds: facts `shape` and `is_short`, and the blob `index` to open it with again.

    A short one is decoded to its end. Of a long one only the end is looked at; each of the jobs that decode it
    compares what it finds with what was promised.
    """
    sound, index = _open(file, name=name, longest_h=longest_h)
    is_short = _is_short(sound.shape, short_s)
    for samples in sound.blocks() if is_short else _end(sound):
        if not np.isfinite(samples).all():
            raise SoundBroken(name=name, problem=NOT_FINITE)
    return Outcome({"shape": sound.shape.to_json(), "is_short": is_short}, {"index": index})


def examine_clips(*files: BinaryIO, names: Sequence[str], longest_h: float, short_s: float) -> dict[str, Any]:
    """Examine many short files, each by itself: what was found, or the `error` that refuses it.

    That is `shape`, `measures`, `outline` and `sha256`. A long one gets its shape only, and `is_short` says so.
    """
    clips = [
        _examine(file, name=name, longest_h=longest_h, short_s=short_s) for file, name in zip(files, names, strict=True)
    ]
    return {"clips": clips}


def warm_up() -> None:
    """Load all that is loaded on the way: a little sound of every format goes through the work."""
    for content in warmup.short_sounds():
        examine_clips(content, names=["warmup"], longest_h=1, short_s=600)
        with suppress(AudioError):  # What matters is what was loaded on the way.
            probe_file(content, name="warmup", longest_h=1, short_s=0)


def _examine(file: BinaryIO, *, name: str, longest_h: float, short_s: float) -> dict[str, Any]:
    try:
        sound, _ = _open(file, name=name, longest_h=longest_h)
        if not _is_short(sound.shape, short_s):
            list(_end(sound))
            return {"shape": sound.shape.to_json(), "is_short": False, "measures": None, "sha256": None}
        meter, depth = RecordingMeter(sound.shape, name=name), DepthMeter(sound.shape.bits)
        outline = OutlineMeter(sound.shape.length_samples)
        for samples in sound.blocks():
            meter.feed(samples)
            depth.feed(samples)
            outline.feed(samples)
        measures = meter.measures()
    except AudioError as error:
        return {"error": error.to_json()}
    return {
        "shape": sound.shape.to_json() | {"bits": depth.bits},
        "is_short": True,
        "measures": measures.to_json(),
        "outline": outline.outline(),
        "sha256": _sha256(file),
    }


def _open(file: BinaryIO, *, name: str, longest_h: float) -> tuple[Sound, bytes]:
    """Open a file by its first bytes, and refuse rates, channel counts and lengths that are not supported."""
    kind = _recognise(file, name=name)
    index = build_index(file, format=kind, name=name)
    sound = open_sound(file, format=kind, name=name, index=index)
    shape = sound.shape
    if not LOWEST_RATE_HZ <= shape.sample_rate_hz <= HIGHEST_RATE_HZ:
        problem = gettext_noop("it has {rate} samples a second; give {lowest} to {highest}")
        raise SoundUnsupported(
            name=name, problem=problem, rate=shape.sample_rate_hz, lowest=LOWEST_RATE_HZ, highest=HIGHEST_RATE_HZ
        )
    if shape.channels > MOST_CHANNELS:
        problem = gettext_noop("it has {count} channels; give at most {most}")
        raise SoundUnsupported(name=name, problem=problem, count=shape.channels, most=MOST_CHANNELS)
    if shape.length_samples > longest_h * 3600 * shape.sample_rate_hz:
        raise SoundTooLong(name=name, limit_h=longest_h)
    position = file.tell()  # The decoder goes on from here.
    check_container(file, format=kind, shape=shape, name=name)
    file.seek(position)
    return sound, index


def _recognise(file: BinaryIO, *, name: str) -> Format:
    file.seek(0)
    head = file.read(HEAD_BYTES)
    kind = recognise_format(head)
    if kind is None:
        raise NotAudio(name=name, problem=UNRECOGNISED if head else gettext_noop("it is empty"))
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


# --- Container checks -------------------------------------------------------------------------------------------------


Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]

# A frame of FLAC is seldom longer than a few tens of kilobytes; of a longer one there is no second opinion.
FLAC_TAIL_BYTES = 2**19
MOST_CANDIDATES = 64
OGG_PIECE_BYTES = 2**22
LONGEST_PAGE_BYTES = 65_307


def check_container(file: BinaryIO, *, format: Format, shape: Shape, name: str) -> None:
    """Refuse a file whose own frames contradict what its decoder made of it by more than one frame."""
    if format is Format.FLAC:
        _check_flac(file, shape=shape, name=name)
    elif format in {Format.OPUS, Format.VORBIS}:
        _check_ogg(file, name=name)


def _table(polynomial: int, bits: int) -> Numbers:
    values = np.arange(256, dtype=np.int64) << bits - 8
    for _ in range(8):
        values = np.where(values >> bits - 1 & 1, values << 1 ^ polynomial, values << 1) & (1 << bits) - 1
    return values


OGG_SUMS = _table(0x04C11DB7, 32)  # RFC 3533 6
FLAC_HEAD_SUMS = _table(0x07, 8)  # RFC 9639 9.1.8
FLAC_FRAME_SUMS = _table(0x8005, 16)  # RFC 9639 9.3


@compiled
def _checksum(data: Bytes, table: Numbers, bits: int, value: int) -> int:
    for byte in data:
        value = (value << 8 & (1 << bits) - 1) ^ table[value >> (bits - 8) & 255 ^ byte]
    return value


# --- FLAC -------------------------------------------------------------------------------------------------------------


def _check_flac(file: BinaryIO, *, shape: Shape, name: str) -> None:
    """The decoder stops where the header tells it to, whatever comes after."""
    file.seek(8)
    block = int.from_bytes(file.read(4)[2:], "big")  # the largest block in STREAMINFO (RFC 9639 8.2)
    file.seek(max(0, file.seek(0, 2) - FLAC_TAIL_BYTES))
    tail = file.read()
    if tail[-128:-125] == b"TAG":  # of ID3, which some programs put behind everything
        tail = tail[:-128]
    end = _last_sample(np.frombuffer(tail, np.uint8), block)
    if end is not None and end > shape.length_samples + block:
        problem = gettext_noop("its header promises {claim} samples, and its frames go on to {end}")
        raise SoundBroken(name=name, problem=problem, claim=shape.length_samples, end=end)


def _last_sample(tail: Bytes, block: int) -> int | None:
    """Where the last frame ends: the one whose checksum fits the rest of the file. None if there is no telling."""
    signs = np.flatnonzero((tail[:-1] == 0xFF) & (tail[1:] & 0xFE == 0xF8))
    for start in signs[::-1][:MOST_CANDIDATES]:
        frame = tail[start:]
        head = _frame_head(frame.tobytes()[:16])
        if head is None or _checksum(frame, FLAC_FRAME_SUMS, 16, 0) != 0:
            continue
        number, count, is_sample = head
        return number + count if is_sample else number * block + count
    return None


def _frame_head(head: bytes) -> tuple[int, int, bool] | None:
    """Read a frame's number, how many samples it holds, and whether the number counts samples or frames."""
    number, at = _coded_number(head[4:])
    code = head[2] >> 4 if at else 0
    if not code:
        return None
    at += 4
    size_bytes = {6: 1, 7: 2}.get(code, 0)
    stop = at + size_bytes + {12: 1, 13: 2, 14: 2}.get(head[2] & 15, 0)
    if stop >= len(head) or _checksum(np.frombuffer(head[:stop], np.uint8), FLAC_HEAD_SUMS, 8, 0) != head[stop]:
        return None
    said = int.from_bytes(head[at : at + size_bytes], "big") + 1
    return number, said if size_bytes else _block_samples(code), bool(head[1] & 1)


def _coded_number(content: bytes) -> tuple[int, int]:
    """Read a number written as UTF-8 would (RFC 9639 9.1.5) and how many bytes it takes; none if it is not one."""
    if not content or content[0] < 0x80:
        return (content[0], 1) if content else (0, 0)
    length = 8 - (content[0] ^ 0xFF).bit_length()
    rest = content[1:length]
    if not 2 <= length <= 7 or len(rest) < length - 1 or any(byte & 0xC0 != 0x80 for byte in rest):
        return 0, 0
    number = content[0] & (1 << max(7 - length, 0)) - 1
    for byte in rest:
        number = number << 6 | byte & 0x3F
    return number, length


def _block_samples(code: int) -> int:
    """RFC 9639 9.1.1."""
    if code == 1:
        return 192
    return 144 << code if code < 6 else 1 << code


# --- Ogg --------------------------------------------------------------------------------------------------------------

# What a walk over pages carries along, and what it may end with.
_SERIAL, _NEXT_PAGE, _GRANULE, _VERDICT = 0, 1, 2, 3
_GOES_ON, _ENDED, _NO_PAGE, _WRONG_SUM, _PAGE_MISSING, _WRONG_TIME, _SECOND_STREAM = range(7)
# The longest packets: 120 ms of Opus (RFC 6716 2.1.4) at 48 kHz are 5,760 samples; Vorbis has blocks of up to 8,192.
_LONGEST_PACKET_SAMPLES = 8192
_PROBLEMS = {
    _NO_PAGE: gettext_noop("there is something else between its pages"),
    _WRONG_SUM: gettext_noop("the checksum of a page is wrong"),
    _PAGE_MISSING: gettext_noop("a page is missing"),
    _WRONG_TIME: gettext_noop("it claims more sound than its packets can hold"),
}


def _check_ogg(file: BinaryIO, *, name: str) -> None:
    """The demuxer leaves out pages that are damaged, and goes on as if nothing had been there."""
    state = np.array([-1, 0, 0, _GOES_ON], np.int64)
    file.seek(0)
    rest = b""
    while state[_VERDICT] == _GOES_ON and (piece := file.read(OGG_PIECE_BYTES)):
        data = rest + piece
        used = _walk(np.frombuffer(data, np.uint8), OGG_SUMS, state)
        rest = data[used:]
    verdict = int(state[_VERDICT])
    if verdict in _PROBLEMS:
        raise SoundBroken(name=name, problem=_PROBLEMS[verdict])
    if verdict == _SECOND_STREAM or (verdict == _ENDED and rest.startswith(b"OggS")):
        raise SoundUnsupported(name=name, problem=SEVERAL_STREAMS)


@compiled
def _walk(data: Bytes, sums: Numbers, state: Numbers) -> int:
    """Go over the whole pages in these bytes; return how many bytes they take."""
    at = 0
    while state[_VERDICT] == _GOES_ON and at + 27 <= len(data):
        lacing = at + 27
        body = lacing + data[at + 26]
        if body > len(data):
            return at
        stop = body
        for place in range(lacing, body):
            stop += data[place]
        if data[at] != 79 or data[at + 1] != 103 or data[at + 2] != 103 or data[at + 3] != 83:
            state[_VERDICT] = _NO_PAGE
            return at
        if stop > len(data):
            return at
        state[_VERDICT] = _page_verdict(data[at:stop], sums, state)
        at = stop
    return at


@compiled
def _page_verdict(page: Bytes, sums: Numbers, state: Numbers) -> int:
    """Compare a page's serial, number and checksum with what must come; bytes 14, 18 and 22, four each."""
    serial, number, claimed = 0, 0, 0
    for place in range(3, -1, -1):
        serial = serial << 8 | page[14 + place]
        number = number << 8 | page[18 + place]
        claimed = claimed << 8 | page[22 + place]
    if state[_SERIAL] < 0:
        state[_SERIAL], state[_NEXT_PAGE] = serial, number
    elif serial != state[_SERIAL] or page[5] & 2:
        return _SECOND_STREAM
    if number != state[_NEXT_PAGE]:
        return _PAGE_MISSING
    state[_NEXT_PAGE] = number + 1 & 0xFFFFFFFF
    value = _checksum(page[:22], sums, 32, 0)
    value = _checksum(np.zeros(4, np.uint8), sums, 32, value)
    if _checksum(page[26:], sums, 32, value) != claimed:
        return _WRONG_SUM
    if not _is_timely(page, state):
        return _WRONG_TIME
    return _ENDED if page[5] & 4 else _GOES_ON


@compiled
def _is_timely(page: Bytes, state: Numbers) -> bool:
    """Compare a page's time with the one before it, by the packets that end on it; where none ends the time is -1."""
    granule = 0
    for place in range(7, -1, -1):
        granule = granule << 8 | page[6 + place]
    packets = 0
    for place in range(27, 27 + page[26]):
        packets += page[place] < 255
    before, is_last = state[_GRANULE], page[5] & 4
    if granule == -1:
        return True
    state[_GRANULE] = granule
    # A piece that was cut out of a stream begins at any time.
    begins = before == 0 and not is_last
    return granule >= 0 and (begins or before <= granule <= before + packets * _LONGEST_PACKET_SAMPLES)
