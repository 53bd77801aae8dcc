"""The frame index finds every frame of an MP3 and nothing else, and says so when the file is damaged."""

import io
from pathlib import Path

import numpy as np
import pytest

from audio.decode import mp3 as mpeg_survey
from audio.decode.mp3 import filler, frame_bytes
from audio.decode.mp3_index import STRIDE_FRAMES, FrameIndex, Header, build_index
from audio.decode.open import open_sound
from audio.errors import EmptyAudio, NotAudio, SoundBroken, SoundUnsupported
from audio.formats import Format, Samples
from tests.audio.material import mp3, noise, without_info_frame

LENGTH = 60_000
STEREO = Header(0xFFFB9000)
AT_48_KHZ = Header(0xFFFB9400)


def indexed(content: bytes) -> FrameIndex:
    return FrameIndex.from_bytes(build_index(io.BytesIO(content), format=Format.MP3, name="sound.mp3"))


def decoded(content: bytes) -> Samples:
    return open_sound(io.BytesIO(content), format=Format.MP3, name="sound.mp3").read(0, 10 * LENGTH)


@pytest.fixture(scope="module")
def tagged() -> bytes:
    """An MP3 of changing frame sizes, with a tag of ID3v2 and one of LAME's kind."""
    samples = noise(LENGTH, level=0.2)
    samples[: LENGTH // 2] *= 0.001
    return mp3(samples, 44100, vbr=4)


@pytest.fixture(scope="module")
def bare(tagged: bytes) -> bytes:
    return without_info_frame(tagged)


def frames_of(content: bytes) -> list[bytes]:
    frames, at = [], 0
    while at < len(content):
        length = frame_bytes(int.from_bytes(content[at : at + 4], "big"))
        frames.append(content[at : at + length])
        at += length
    return frames


def id3v2(body: bytes, *, flags: int = 0) -> bytes:
    size = len(body)
    return b"ID3\x04\0" + bytes([flags, *(size >> shift & 0x7F for shift in (21, 14, 7, 0))]) + body


# --- What it finds ----------------------------------------------------------------------------------------------------


def test_every_entry_is_the_start_of_the_frame_it_stands_for(bare: bytes) -> None:
    frames, index = frames_of(bare), indexed(bare)
    assert index.frame_count == len(frames)
    starts = np.cumsum([0, *map(len, frames)])
    for number in range(0, len(frames), STRIDE_FRAMES):
        span = index.span(number * 1152 + 1152 * index.preroll_frames, 1)
        assert span.first_byte == starts[span.first_frame]
        assert span.stop_byte == starts[span.stop_frame]
        assert span.first_frame % STRIDE_FRAMES == 0


def test_a_span_begins_early_enough_for_the_bit_reservoir(tagged: bytes) -> None:
    index = indexed(tagged)
    for start in range(0, index.length_samples, 997):
        span = index.span(start, 100)
        wanted = (start + index.delay_samples) // 1152
        assert span.first_frame == 0 or span.first_frame <= wanted - index.preroll_frames
        assert span.first_frame * 1152 + span.lead_samples == start + index.delay_samples
        assert span.stop_frame * 1152 >= start + 100 + index.delay_samples


def test_the_lowest_bit_rates_get_a_longer_way_back() -> None:
    low = indexed(mp3(noise(24000, channels=2), 24000, kbits=8))
    high = indexed(mp3(noise(24000, channels=2), 24000, kbits=64))
    assert low.preroll_frames > 20 > high.preroll_frames == 10


def test_an_index_is_the_same_after_being_written_and_read(tagged: bytes) -> None:
    index = indexed(tagged)
    assert FrameIndex.from_bytes(index.to_bytes()) == index


def test_an_index_of_another_kind_is_not_read() -> None:
    with pytest.raises(ValueError, match="build it again"):
        FrameIndex.from_bytes(b"EMFI\xff\xff" + bytes(60))


def test_the_frame_that_only_holds_a_tag_is_no_sound(tagged: bytes, bare: bytes) -> None:
    assert indexed(tagged).frame_count == indexed(bare).frame_count
    assert indexed(tagged).length_samples == LENGTH


def test_a_vbri_frame_is_no_sound(bare: bytes) -> None:
    count = indexed(bare).frame_count
    tag = b"VBRI" + bytes(10) + count.to_bytes(4, "big") + bytes(10)
    header = Header(int.from_bytes(bare[:4], "big"))
    content = filler(header, bytes(32 - header.side_bytes) + tag) + bare
    assert indexed(content).frame_count == count
    with pytest.raises(SoundBroken, match="should have"):
        indexed(content[: len(content) // 2])


def test_other_formats_need_no_index() -> None:
    assert build_index(io.BytesIO(b"fLaC"), format=Format.FLAC, name="x") == b""


# --- What it steps over -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (id3v2(b"\xff\xfb\x90\xc4" * 50_000), b""),  # a picture full of what looks like frames
        (id3v2(bytes(300), flags=0x80), b""),  # unsynchronised
        (id3v2(bytes(300), flags=0x10) + b"3DI" + bytes(7), b""),  # with a footer
        (id3v2(bytes(20)) + id3v2(bytes(70_000)), b""),
        (bytes(5000), b""),
        (b"", b"TAG" + bytes(125)),
        (b"", b"TAG+" + bytes(223) + b"TAG" + bytes(125)),
        (
            b"",
            b"APETAGEX" + bytes.fromhex("d0070000 90010000 01000000 000000a0") + bytes(8 + 368) + b"TAG" + bytes(125),
        ),
        (b"", id3v2(bytes(3000))),
        (b"", bytes(4000)),
    ],
)
def test_tags_around_the_sound_change_nothing(bare: bytes, before: bytes, after: bytes) -> None:
    assert np.array_equal(decoded(before + bare + after), decoded(bare))


@pytest.mark.parametrize("junk", [b"\0", b"\xff", b"\xff\xfb", b"not a frame" * 30, id3v2(bytes(5000))])
def test_junk_between_frames_changes_nothing(bare: bytes, junk: bytes) -> None:
    frames = frames_of(bare)
    content = b"".join([*frames[:20], junk, *frames[20:31], junk, *frames[31:]])
    assert np.array_equal(decoded(content), decoded(bare))


def test_a_few_frames_of_another_rate_are_junk(bare: bytes) -> None:
    """A recorder may leave the end of an older file; less than a second of it is no second recording."""
    frames, older = frames_of(bare), filler(AT_48_KHZ) * 20
    for content in (bare + older, b"".join([*frames[:20], older, *frames[20:]])):
        assert np.array_equal(decoded(content), decoded(bare))


def test_a_last_frame_that_is_not_whole_is_left_out(bare: bytes) -> None:
    assert indexed(bare[:-20]).frame_count == indexed(bare).frame_count - 1


def test_offsets_beyond_four_gibibytes_are_exact(tmp_path: Path, bare: bytes) -> None:
    path = tmp_path / "far.mp3"
    with path.open("wb") as file:
        tag = id3v2(b"")[:6] + b"\x7f\x7f\x7f\x7f"  # the longest there is, 256 MiB
        for _ in range(17):
            file.write(tag)
            file.seek(2**28 - 1, 1)
        start = file.tell()
        file.write(bare)
    assert start > 2**32
    with path.open("rb") as file:
        sound = open_sound(file, format=Format.MP3, index=build_index(file, format=Format.MP3))
        assert np.array_equal(sound.read(30_000, 5_000), decoded(bare)[30_000:35_000])


# --- What it refuses --------------------------------------------------------------------------------------------------


def test_a_file_that_ends_before_its_tag_says_is_refused(tagged: bytes) -> None:
    with pytest.raises(SoundBroken, match="it should have 54 frames and has"):
        indexed(tagged[: len(tagged) * 9 // 10])


@pytest.mark.parametrize("junk", [bytes(20_000), np.random.default_rng(7).bytes(20_000)])
def test_a_hole_in_the_sound_is_refused(bare: bytes, junk: bytes) -> None:
    half = len(b"".join(frames_of(bare)[:25]))
    with pytest.raises(SoundBroken, match="no MP3"):
        indexed(bare[:half] + junk + bare[half:])


def test_a_file_that_goes_on_as_something_else_is_refused(bare: bytes) -> None:
    with pytest.raises(SoundBroken, match="no MP3"):
        indexed(bare + b"something else" * 20_000)


@pytest.mark.parametrize("between", [b"", id3v2(bytes(300)), bytes(700)], ids=["nothing", "tag", "junk"])
@pytest.mark.parametrize("kind", [0xFFFB9400, 0xFFF39000], ids=["48 kHz", "22.05 kHz"])
@pytest.mark.parametrize("goes_back", [False, True])
def test_two_recordings_of_different_rates_in_one_file_are_refused(
    bare: bytes, between: bytes, kind: int, goes_back: bool
) -> None:
    """Otherwise only one of them would be heard, and nobody would be told."""
    other = Header(kind)
    second = filler(other) * (other.sample_rate_hz * 3 // 2 // other.samples_per_frame)
    says = f"changes its sample rate on the way, from 44,100 to {other.sample_rate_hz:,} Hz"
    with pytest.raises(SoundUnsupported, match=says):
        indexed(bare * 10 + between + second + (between + bare * 20 if goes_back else b""))


def test_a_rate_that_changes_at_the_border_of_two_blocks_is_noticed(
    bare: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mpeg_survey, "BLOCK_BYTES", len(bare) + 10_000)
    with pytest.raises(SoundUnsupported, match="changes its sample rate"):
        indexed(bare + filler(AT_48_KHZ) * 100)


def test_free_format_is_refused_by_name() -> None:
    with pytest.raises(SoundUnsupported, match="free-format"):
        indexed((b"\xff\xfb\x00\xc4" + bytes(400)) * 10)


def test_layers_one_and_two_are_refused_by_name() -> None:
    with pytest.raises(SoundUnsupported, match="layer I or II"):
        indexed(id3v2(b"") + (b"\xff\xfd\x90\xc4" + bytes(413)) * 10)


def test_a_change_between_mono_and_stereo_is_refused() -> None:
    mono = Header(STEREO.word | 0xC0)
    with pytest.raises(SoundUnsupported, match="mono and stereo"):
        indexed(filler(STEREO) * 20 + filler(mono) * 20)


@pytest.mark.parametrize(
    "content", [id3v2(b""), id3v2(bytes(50)) + b"text " * 9000, id3v2(b"")[:6] + b"\x7f\x7f\x7f\x7f"]
)
def test_tags_without_sound_are_refused(content: bytes) -> None:
    with pytest.raises(NotAudio):
        indexed(content)


def test_a_tag_frame_without_sound_is_refused() -> None:
    with pytest.raises(EmptyAudio):
        indexed(filler(STEREO, b"Info" + bytes(20)))
