"""Decoding: every format gives the samples that were put in, at their positions, from anywhere in the file."""

import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from audio.decode.open import open_sound
from audio.errors import PositionOutside
from audio.formats import Format, Samples
from tests.audio.bitstreams import Packets, ogg_page, opus_packets
from tests.audio.long_recordings import day_mp3
from tests.audio.material import (
    EVERY_KIND,
    LOSSLESS,
    MARKER_S,
    found,
    mp3,
    noise,
    on_grid,
    opened,
    planted,
    rate_for,
    tone,
    without_info_frame,
    written,
)
from tests.scale import ALL

# Read by the same library in the same way as 16 bits of their format, or as floating point.
ALIKE = {"wav24", "wav32", "wav8", "double", "wavex", "rf64", "aiff24", "flac24"}
LONG_IF_ALIKE = [pytest.param(kind, marks=[pytest.mark.long] if kind in ALIKE else []) for kind in EVERY_KIND]

# --- What comes out ---------------------------------------------------------------------------------------------------


LOSSLESS_CASES = [
    pytest.param(kind, channels, marks=[pytest.mark.long] if channels != 2 and kind in ALIKE else [])
    for kind in LOSSLESS
    for channels in (1, 2, 6)
]


@pytest.mark.parametrize(("kind", "channels"), LOSSLESS_CASES)
def test_a_lossless_file_gives_exactly_the_samples_it_was_made_of(kind: str, channels: int) -> None:
    samples = on_grid(noise(5000, channels=channels, level=0.3))
    sound = opened(written(samples, 44100, kind))
    assert (sound.shape.sample_rate_hz, sound.shape.channels, sound.shape.length_samples) == (44100, channels, 5000)
    assert np.array_equal(sound.read(0, 5000), samples)


@pytest.mark.parametrize(
    ("kind", "bits"),
    [
        *[("wav8", 16), ("wav", 16), ("wav24", 24), ("wav32", 32), ("float", 32), ("flac", 16), ("flac24", 24)],
        *[("mp3", 16), ("opus", 16), ("m4a", 16), ("alac", 24)],
    ],
)
def test_a_sound_says_how_many_bits_of_it_are_worth_keeping(kind: str, bits: int) -> None:
    assert opened(written(noise(48000), 48000, kind)).shape.bits == bits


def test_floating_point_beyond_full_scale_is_kept() -> None:
    samples = tone(1000, 8000, level=3.0)
    assert np.array_equal(opened(written(samples, 8000, "float")).read(0, 1000), samples)


@pytest.mark.parametrize("kind", LONG_IF_ALIKE)
def test_any_range_is_the_same_as_in_the_whole(kind: str) -> None:
    rate, seconds, ranges = rate_for(kind), *((6, 12) if ALL else (3, 6))
    # The noise that AAC puts in place of noise (PNS) is another one whenever a decoder starts anew.
    options = {"aac_pns": 0} if kind == "m4a" else {}
    sound = opened(written(planted(seconds * rate, rate, [rate], level=0.1), rate, kind, **options))
    whole = np.concatenate(list(sound.blocks(size=10_007)))
    assert len(whole) == sound.shape.length_samples
    rng = np.random.default_rng(5)
    for start in [0, 1, 1151, len(whole) - 1, *rng.integers(0, len(whole), ranges).tolist()]:
        count = int(rng.integers(1, seconds * rate // 3))
        assert np.array_equal(sound.read(start, count), whole[start : start + count]), (start, count)


@pytest.mark.parametrize("kind", ["m4a", "opus", "vorbis", "mp3"])
def test_the_same_range_is_the_same_samples_whatever_was_read_before(kind: str) -> None:
    rate = rate_for(kind)
    content = written(noise(3 * rate, level=0.1), rate, kind)
    sound = opened(content)
    sound.read(17, 40_000)
    assert np.array_equal(sound.read(2 * rate, 20_000), opened(content).read(2 * rate, 20_000))


def test_blocks_have_the_asked_size_and_the_last_the_rest() -> None:
    sound = opened(mp3(noise(10_000), 44100))
    assert [len(block) for block in sound.blocks(100, 9_000, size=4_000)] == [4_000, 4_000, 900]


def test_reading_past_the_end_gives_what_is_there() -> None:
    sound = opened(written(noise(1000), 8000, "flac"))
    assert sound.read(900, 500).shape == (100, 1)
    assert sound.read(1000, 5).shape == (0, 1)


def test_reading_before_the_beginning_is_refused() -> None:
    with pytest.raises(PositionOutside):
        opened(written(noise(1000), 8000, "flac")).read(-1, 10)


def test_a_stream_of_any_length_needs_little_memory(tmp_path: Path) -> None:
    day_mp3(tmp_path / "long.mp3", hours=0.3, rate=16000, kbits=16)
    with (tmp_path / "long.mp3").open("rb") as file:
        sound = open_sound(file, format=Format.MP3)
        tracemalloc.start()
        length = sum(len(block) for block in sound.blocks(size=2**18))
        _, peak_bytes = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert length == sound.shape.length_samples
    assert peak_bytes < 16 * 2**20 < 4 * length / 4


# --- Where it comes out -----------------------------------------------------------------------------------------------


MP3_RATES = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000]
CODINGS = [
    *[("mp3", {"b": 64000}, rate) for rate in MP3_RATES],
    *[("mp3", {"global_quality": 118 * 4, "flags": "+qscale"}, rate) for rate in MP3_RATES],
    *[("mp3", {"b": 32000, "reservoir": 0}, rate) for rate in (22050, 44100)],
    *[("m4a", {"b": 96000}, rate) for rate in (16000, 44100, 48000)],
    *[(kind, {}, rate) for kind in ("flac", "alac", "vorbis") for rate in (8000, 44100)],
    ("opus", {"b": 64000}, 48000),
    ("opus", {"b": 16000, "application": "voip"}, 48000),
]


# Every rate of MP3 once, and of everything else one rate.
SOME_CODINGS = [
    pytest.param(
        *coding, marks=[] if coding[1] == {"b": 64000} or coding[2] == rate_for(coding[0]) else [pytest.mark.long]
    )
    for coding in CODINGS
]


@pytest.mark.parametrize(("kind", "options", "rate"), SOME_CODINGS)
def test_markers_are_where_they_were_planted(kind: str, options: dict[str, object], rate: int) -> None:
    positions = [rate // 2 + 7, 2 * rate + 311]
    sound = opened(written(planted(3 * rate + 123, rate, positions), rate, kind, **options))
    whole = sound.read(0, 5 * rate)
    heard = [found_near(whole, rate, position) for position in positions]
    # A codec for speech bends the chirp; 2 samples of 48 kHz are 0.04 ms.
    assert np.abs(np.subtract(heard, positions)).max() <= (2 if kind == "opus" else 0)


def found_near(samples: Samples, rate: int, position: int) -> int:
    start = position - rate // 5
    return start + found(samples[start : position + round((MARKER_S + 0.2) * rate)], rate)


@pytest.mark.parametrize("kind", [*LOSSLESS, "mp3", "opus", "alac", "vorbis"])
@pytest.mark.parametrize("extra", [0, 1, 575, 1151])
def test_a_recording_is_as_long_as_what_was_recorded(kind: str, extra: int) -> None:
    length = 30_000 + extra
    assert opened(written(noise(length), rate_for(kind), kind)).shape.length_samples == length


@pytest.mark.parametrize("rate", [16000, 44100, 48000])
def test_a_recording_in_aac_is_as_long_within_a_millisecond(rate: int) -> None:
    length = 2 * rate + 777
    measured = opened(written(noise(length), rate, "m4a")).shape.length_samples
    assert abs(measured - length) <= rate / 1000  # its edit list counts milliseconds


def test_the_delay_in_the_tag_of_an_mp3_is_taken_away() -> None:
    content = bytearray(mp3(planted(44100, 44100, [20_000]), 44100))
    at = content.index(b"Lavf", content.index(b"Info")) + 21
    delay = int.from_bytes(content[at : at + 3], "big") >> 12
    padding = int.from_bytes(content[at : at + 3], "big") & 0xFFF
    for other in (delay - 1, delay + 1, delay + 1152):
        content[at : at + 3] = (other << 12 | padding).to_bytes(3, "big")
        assert found(opened(bytes(content)).read(0, 44100), 44100) == 20_000 + delay - other


def test_an_mp3_that_does_not_say_its_delay_keeps_all_that_is_decoded() -> None:
    sound = opened(without_info_frame(mp3(planted(44100, 44100, [20_000]), 44100)))
    assert sound.shape.length_samples % 1152 == 0
    assert found(sound.read(0, 44100), 44100) == 20_000 + 576 + 529


def test_the_pre_skip_of_opus_is_taken_away() -> None:
    content = written(planted(48000, 48000, [20_000]), 48000, "opus", b=64000)
    assert found(opened(content).read(0, 48000), 48000) == 20_000
    at = content.index(b"OpusHead") + 10
    assert int.from_bytes(content[at : at + 2], "little") == 312


def test_opus_that_was_recorded_from_the_middle_of_a_broadcast_begins_at_0() -> None:
    packets = [Packets.of(packet) for packet in opus_packets(planted(48000, 48000, [20_000]), 64)]
    head = b"OpusHead" + struct.pack("<BBHIhB", 1, 1, 120, 48000, 0, 0)
    pages = [
        ogg_page([Packets.of(head)], granule=0, sequence=0, flags=2),
        ogg_page([Packets.of(b"OpusTags" + struct.pack("<I4sI", 4, b"test", 0))], granule=0, sequence=1),
        ogg_page(packets[:20], granule=10**9 + 20 * 960, sequence=2),
        ogg_page(packets[20:50], granule=10**9 + 50 * 960, sequence=3, flags=4),
    ]
    sound = opened(b"".join(pages))
    assert sound.shape.length_samples == 50 * 960 - 120
    assert found(sound.read(0, 48000), 48000) == 20_000
    assert found(sound.read(19_000, 9_000), 48000) == 1_000
