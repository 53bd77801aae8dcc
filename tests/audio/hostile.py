"""Hostile and broken files, the same every time: cut, flipped, forged, disguised, and far larger than they look."""

import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from tests.audio import disguises
from tests.audio.bitstreams import flac_frames
from tests.audio.material import mp3, noise, tone, written

RATE_HZ = 44_100
LENGTH_SAMPLES = 30_011  # not a multiple of any codec's frame
ACCEPTED = "Shape"
REFUSED = frozenset({"NotAudio", "EmptyAudio", "SoundBroken", "SoundUnsupported", "SoundTooLong"})
ANY = REFUSED | {ACCEPTED}
NO_SOUND = frozenset({"NotAudio"})


@dataclass(frozen=True)
class Specimen:
    name: str
    content: bytes
    allowed: frozenset[str] = ANY  # the names of the verdicts that are right


@cache
def base_sounds() -> dict[str, bytes]:
    """One whole file of each kind, by a name with its usual suffix."""
    samples = noise(LENGTH_SAMPLES, channels=2) + tone(LENGTH_SAMPLES, RATE_HZ, level=0.2, channels=2)
    kinds = {"wav": "wav", "wav24": "wav", "float": "wav", "wavex": "wav", "rf64": "rf64", "w64": "w64"}
    kinds |= {"aiff": "aiff", "flac": "flac", "flac24": "flac", "vorbis": "ogg", "m4a": "m4a", "alac": "m4a"}
    sounds = {f"{kind}.{suffix}": written(samples, RATE_HZ, kind) for kind, suffix in kinds.items()}
    sounds["opus.opus"] = written(samples, 48_000, "opus")
    sounds["cbr.mp3"] = mp3(samples, RATE_HZ)
    sounds["vbr.mp3"] = mp3(samples, RATE_HZ, vbr=4)
    return sounds


def specimens() -> list[Specimen]:
    """Everything that is cheap to judge; `bombs` are not."""
    sounds = base_sounds()
    makers = [truncated, flipped, riffs, flacs, mp3s, oggs, mp4s, aiffs]
    found = [specimen for make in makers for specimen in make(sounds)]
    return found + [Specimen(name, content, NO_SOUND) for name, content in disguises.harmless()]


def truncated(sounds: dict[str, bytes]) -> Iterator[Specimen]:
    """What breaks off is refused, unless all of its sound is there, or all but a frame."""
    for name, content in sounds.items():
        size = len(content)
        for place in (0, 1, 3, 4, 12, 20, 44, 120, size // 4, size // 2, size * 3 // 4, size * 99 // 100, size - 1):
            yield Specimen(f"cut at {place} {name}", content[:place], ANY if place >= size * 99 // 100 else REFUSED)


def flipped(sounds: dict[str, bytes]) -> Iterator[Specimen]:
    for name, content in sounds.items():
        rng = random.Random(name)
        for place in [*rng.sample(range(200), 8), *rng.sample(range(200, len(content)), 4)]:
            changed = bytearray(content)
            changed[place] ^= rng.choice([0x01, 0x80, 0xFF])
            yield Specimen(f"flipped at {place} {name}", bytes(changed))


def riffs(sounds: dict[str, bytes]) -> Iterator[Specimen]:
    """From 20 on: coding, channels, rate, bytes a second, bytes a frame, bits; at 40 the size of the data."""
    whole = sounds["wav.wav"]
    forged = {
        "no channels": (22, "<H", 0),
        "65535 channels": (22, "<H", 65_535),
        "9 channels": (22, "<H", 9),
        "rate 0": (24, "<I", 0),
        "rate 100": (24, "<I", 100),
        "rate 4294967295": (24, "<I", 2**32 - 1),
        "no bits": (34, "<H", 0),
        "65535 bits": (34, "<H", 65_535),
        "coding 0": (20, "<H", 0),
        "coding MP3": (20, "<H", 0x55),
        "coding ADPCM": (20, "<H", 2),
        "coding GSM": (20, "<H", 0x31),
        "extensible coding without its rest": (20, "<H", 0xFFFE),
        "format chunk of no bytes": (16, "<I", 0),
        "format chunk of 4 GiB": (16, "<I", 2**32 - 1),
        "two bytes more data than there are": (40, "<I", len(whole) - 44 + 2),
        "2 GiB of data": (40, "<I", 2**31),
    }
    for problem, (place, form, value) in forged.items():
        yield Specimen(f"{problem}.wav", patched(whole, place, form, value), REFUSED)
    for problem, place, value in [("data of unknown size", 40, 2**32 - 1), ("no data", 40, 0), ("size 0", 4, 0)]:
        yield Specimen(f"{problem}.wav", patched(whole, place, "<I", value))
    yield Specimen("no bytes a frame.wav", patched(whole, 32, "<H", 0))
    yield Specimen("no sample.wav", patched(whole[:44], 40, "<I", 0), REFUSED)
    yield Specimen("no data chunk.wav", whole[:36], REFUSED)
    yield Specimen("data first.wav", whole[:12] + whole[36:] + whole[12:36])
    yield Specimen("thousands of chunks.wav", whole[:12] + b"junk\0\0\0\0" * 30_000 + whole[12:])
    yield Specimen("not a number.wav", sounds["float.wav"][:-8] + struct.pack("<2f", np.nan, np.inf))
    long = sounds["rf64.rf64"]
    at = long.index(b"ds64") + 8
    for problem, value in [("2^63", 2**63 - 1), ("2^64", 2**64 - 1), ("a terabyte", 2**40)]:
        yield Specimen(f"{problem} of data.rf64", patched(long, at + 8, "<Q", value), REFUSED)
    sony = sounds["w64.w64"]
    for value in (0, 23, 2**62, 2**64 - 1):
        yield Specimen(f"data of {value}.w64", patched(sony, sony.index(b"data") + 16, "<Q", value))


def flacs(sounds: dict[str, bytes]) -> Iterator[Specimen]:
    """Bits of STREAMINFO from byte 18 on: 20 of rate, 3 of channels, 5 of bits, 36 of samples in all."""
    whole = sounds["flac.flac"]
    (facts,) = struct.unpack_from(">Q", whole, 18)
    rate, rest, samples = facts >> 44, facts >> 36 & 0xFF, facts & (1 << 36) - 1
    forged = {
        "2^36-1 samples": (rate, rest, (1 << 36) - 1),
        "one sample more": (rate, rest, samples + 1),
        "a second more": (rate, rest, samples + rate),
        "half the samples": (rate, rest, samples // 2),
        "rate 0": (0, rest, samples),
        "rate 1": (1, rest, samples),
        "rate 655350": (655_350, rest, samples),
        "eight channels": (rate, rest | 0xE0, samples),
        "four bits": (rate, rest & 0xE0 | 3, samples),
    }
    for problem, (a, b, c) in forged.items():
        yield Specimen(f"{problem}.flac", patched(whole, 18, ">Q", a << 44 | b << 36 | c))
    yield Specimen("blocks of no samples.flac", patched(whole, 8, ">HH", 0, 0))
    yield Specimen("metadata of 16 MiB.flac", patched(whole, 4, ">I", 0x00FFFFFF), REFUSED)
    yield Specimen("only metadata.flac", whole[:42], REFUSED)
    yield Specimen("frames of another file.flac", whole[:3000] + sounds["flac24.flac"][3000:])
    yield Specimen("the end left out.flac", silence(seconds=5, claimed_s=9), REFUSED)


def mp3s(sounds: dict[str, bytes]) -> Iterator[Specimen]:
    whole = sounds["cbr.mp3"]
    tag = whole.index(b"Info") if b"Info" in whole else whole.index(b"Xing")
    start = whole.index(b"\xff\xfb")
    frame = whole[start : whole.index(b"\xff\xfb", start + 100)]
    for frames in (0, 1, 2**31, 2**32 - 1):
        yield Specimen(f"{frames} frames claimed.mp3", patched(whole, tag + 8, ">I", frames))
    for delays in (0x000FFF, 0xFFF000, 0xFFFFFF):
        at = tag + 141  # LAME's delay and padding, 12 bits each
        yield Specimen(f"delays {delays}.mp3", whole[:at] + delays.to_bytes(3, "big") + whole[at + 3 :])
    yield Specimen("forged frames.mp3", b"\xff\xfb\x90\x64" * 4000)
    yield Specimen("only a tag.mp3", b"ID3\4\0\0\0\0\0\0", REFUSED)
    yield Specimen("a tag of 256 MiB.mp3", b"ID3\4\0\0\x7f\x7f\x7f\x7f" + whole, REFUSED)
    yield Specimen("one header.mp3", frame[:4], REFUSED)
    yield Specimen("free format.mp3", bytes([*frame[:2], frame[2] & 0x0F, frame[3]]) + whole[4:])
    yield Specimen("silence between.mp3", whole[:5000] + bytes(3000) + whole[5000:])
    yield Specimen("two rates.mp3", whole + mp3(noise(20_000, channels=2), 32_000))
    yield Specimen("mono after stereo.mp3", whole + mp3(noise(20_000), RATE_HZ))
    yield Specimen("a WAV behind it.mp3", whole + sounds["wav.wav"])


def oggs(sounds: dict[str, bytes]) -> Iterator[Specimen]:
    whole = sounds["opus.opus"]
    last = whole.rindex(b"OggS")
    for granule in (-1, 0, 1, 10**9, 2**62, -(2**62)):
        yield Specimen(f"granule {granule}.opus", resealed(patched(whole, last + 6, "<q", granule), last), REFUSED)
    yield Specimen("255 segments.opus", patched(whole, last + 26, "<B", 255), REFUSED)
    yield Specimen("a page twice.opus", whole[:last] + whole[last:] * 2, REFUSED)
    song = sounds["vorbis.ogg"]
    pages = [b"OggS" + page for page in song.split(b"OggS")[1:]]
    assert len(pages) > 3
    yield Specimen("a page lost.ogg", b"".join([*pages[:2], *pages[3:]]), REFUSED)
    yield Specimen("only heads.opus", whole[: whole.index(b"OggS", whole.index(b"OpusTags"))], REFUSED)
    place = whole.index(b"OpusHead")
    yield Specimen("255 channels.opus", resealed(patched(whole, place + 9, "<B", 255), 0), REFUSED)
    yield Specimen("65535 samples skipped.opus", resealed(patched(whole, place + 10, "<H", 65_535), 0))
    yield Specimen("two songs.ogg", song * 2, frozenset({"SoundUnsupported"}))
    yield Specimen("two kinds of song.ogg", song + whole, frozenset({"SoundUnsupported"}))
    yield Specimen("a page of nothing.ogg", b"OggS" + bytes(23) + b"\x01vorbis", REFUSED)


def mp4s(sounds: dict[str, bytes]) -> Iterator[Specimen]:
    whole = sounds["m4a.m4a"]
    for box in (b"moov", b"mdhd", b"stts", b"stsz", b"stsc", b"stco", b"stsd", b"elst", b"esds"):
        at = whole.find(box)
        if at >= 0:
            yield Specimen(f"{box.decode()} of 4 GiB.m4a", patched(whole, at - 4, ">I", 2**32 - 1))
            yield Specimen(f"{box.decode()} of no bytes.m4a", patched(whole, at - 4, ">I", 8))
            yield Specimen(f"{box.decode()} full of ones.m4a", patched(whole, at + 8, ">II", 2**32 - 1, 2**32 - 1))
    yield Specimen("only its type.m4a", whole[:32], REFUSED)
    latin = whole.replace(b"Lavf", b"\xcfavf")
    assert latin != whole
    yield Specimen("a title that is no UTF-8.m4a", latin, frozenset({ACCEPTED}))


def referring_mp4s(whole: bytes, file: str) -> list[bytes]:
    """An MP4 whose data reference says that its sound lies elsewhere: nowhere, and in another file."""
    at = whole.index(b"url \0\0\0\1")
    nowhere = whole[: at + 8 - 1] + b"\0" + whole[at + 8 :]
    box = struct.pack(">I4sI", 0, b"url ", 0) + file.encode() + b"\0"
    box = struct.pack(">I", len(box)) + box[4:]
    elsewhere = whole[: at - 4] + box + whole[at + 8 :]
    grown = len(box) - 12
    for name in (b"dref", b"dinf", b"minf", b"mdia", b"trak", b"moov"):
        place = elsewhere.index(name) - 4
        elsewhere = patched(elsewhere, place, ">I", struct.unpack_from(">I", elsewhere, place)[0] + grown)
    return [nowhere, elsewhere]


def aiffs(sounds: dict[str, bytes]) -> Iterator[Specimen]:
    whole = sounds["aiff.aiff"]
    at = whole.index(b"COMM") + 8
    extended = {
        "rate 0": bytes(10),
        "rate endless": b"\x7f\xff" + bytes(8),
        "rate no number": b"\x7f\xff" + b"\xff" * 8,
    }
    for problem, value in extended.items():
        yield Specimen(f"{problem}.aiff", whole[: at + 8] + value + whole[at + 18 :], REFUSED)
    for channels in (0, 65_535):
        yield Specimen(f"{channels} channels.aiff", patched(whole, at, ">H", channels), REFUSED)
    yield Specimen("2^32 samples.aiff", patched(whole, at + 2, ">I", 2**32 - 1))
    yield Specimen("data of 4 GiB.aiff", patched(whole, whole.index(b"SSND") + 4, ">I", 2**32 - 2))


@dataclass(frozen=True)
class Bomb:
    name: str
    make: Callable[[], bytes]
    allowed: frozenset[str]


def bombs() -> list[Bomb]:
    """Small files of much sound. A day of silence is sound all the same; what may not be is endless or wrongly long."""
    whole = frozenset({ACCEPTED})
    return [
        Bomb("a day of silence.flac", lambda: silence(seconds=86_400), whole),
        Bomb("a minute in eight channels.flac", lambda: silence(seconds=60, channels=8), whole),
        Bomb("thirty hours.flac", lambda: silence(seconds=108_000), frozenset({"SoundTooLong"})),
        Bomb("thirty hours, none said.flac", lambda: silence(seconds=108_000, claimed_s=0), REFUSED),
        Bomb("thirty hours, a second said.flac", lambda: silence(seconds=108_000, claimed_s=1), REFUSED),
        Bomb("a second, thirty hours said.flac", lambda: silence(seconds=1, claimed_s=108_000), REFUSED),
        Bomb("a second, a day said.flac", lambda: silence(seconds=1, claimed_s=86_400), REFUSED),
        Bomb("a million forged frames.mp3", lambda: b"\xff\xfb\x90\x64" * 2_000_000, REFUSED),
    ]


def silence(*, seconds: int, claimed_s: int | None = None, channels: int = 1) -> bytes:
    """A FLAC of constant frames: 11 bytes or so for 32,768 samples."""
    count = -(-seconds * RATE_HZ // 32_768)
    claimed = count * 32_768 if claimed_s is None else claimed_s * RATE_HZ
    facts = RATE_HZ << 44 | channels - 1 << 41 | 15 << 36 | claimed
    head = b"fLaC\x80\0\0\x22" + struct.pack(">HH6xQ16x", 32_768, 32_768, facts)
    frame = b"\xff\xf8\xf9" + bytes([channels - 1 << 4 | 8]) + b"\0\0" + b"\0\0\0" * channels + b"\0\0"
    return head + b"".join(flac_frames([frame], np.zeros(count, np.int64)))


def resealed(content: bytes, at: int) -> bytes:
    """Give the Ogg page that begins there the checksum that fits (RFC 3533 6)."""
    lacing = content[at + 27 : at + 27 + content[at + 26]]
    page = bytearray(content[at : at + 27 + len(lacing) + sum(lacing)])
    page[22:26] = bytes(4)
    value = 0
    for byte in page:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value >> 31 else 0)) & 0xFFFFFFFF
    return patched(content, at + 22, "<I", value)


def patched(content: bytes, place: int, form: str, *values: int) -> bytes:
    changed = bytearray(content)
    struct.pack_into(form, changed, place, *values)
    return bytes(changed)
