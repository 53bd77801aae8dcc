"""Served clips: the samples of the source and nothing else, in a form that is the same for all conditions."""

import io
import struct

import numpy as np
import pytest
import soundfile

from audio.clips.plainwav import common_bytes, is_plain, plain_bytes, wav
from audio.clips.serving import pcm, serve_clips, served

RATE = 16000


def encoded(sound: np.ndarray, format: str = "WAV", subtype: str | None = None, title: str = "") -> io.BytesIO:
    file = io.BytesIO()
    shape = {"samplerate": RATE, "channels": sound.shape[1], "format": format, "subtype": subtype}
    with soundfile.SoundFile(file, "w", **shape) as target:
        if title:
            target.title = title
        target.write(sound)
    return file


def integers(count: int, channels: int, bits: int) -> np.ndarray:
    limit = 2 ** (bits - 1)
    values = np.random.default_rng(1).integers(-limit, limit, (count, channels))
    values[:2] = [[-limit] * channels, [limit - 1] * channels]
    return values


def chunks(content: bytes) -> list[tuple[bytes, int]]:
    found, at = [], 12
    while at < len(content):
        name, size = struct.unpack_from("<4sI", content, at)
        found.append((name, size))
        at += 8 + size + size % 2
    assert at == len(content)
    return found


@pytest.mark.parametrize("bits", [16, 24])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("format", ["WAV", "FLAC", "AIFF"])
def test_every_sample_of_a_lossless_source_is_served(bits: int, channels: int, format: str) -> None:
    values = integers(1001, channels, bits)
    source = encoded((values << (32 - bits)).astype(np.int32), format, f"PCM_{bits}", title="condition 7")
    content = served(source, name="x", bits=bits)
    back, _ = soundfile.read(io.BytesIO(content), dtype="int32", always_2d=True)
    np.testing.assert_array_equal(back >> (32 - bits), values)
    assert b"condition" not in content
    assert [name for name, _ in chunks(content)] == [b"fmt ", b"data"]
    assert len(content) == plain_bytes(1001, channels, bits)


def test_sixteen_bits_are_served_unchanged_in_a_collection_of_twenty_four() -> None:
    values = integers(500, 1, 16)
    content = served(encoded(values.astype(np.int16), subtype="PCM_16"), name="x", bits=24)
    back, _ = soundfile.read(io.BytesIO(content), dtype="int32", always_2d=True)
    np.testing.assert_array_equal(back, values << 16)


def test_floating_point_is_rounded_to_24_bits_and_kept_inside_full_scale() -> None:
    sound = np.array([[0.1], [-1.0], [1.0], [1.5], [-2.0]], np.float32)
    content = served(encoded(sound, subtype="FLOAT"), name="x", bits=24)
    back, _ = soundfile.read(io.BytesIO(content), dtype="float64", always_2d=True)
    full = 1 - 2.0**-23
    np.testing.assert_allclose(back[:, 0], [0.1, -1.0, full, full, -1.0], atol=2.0**-23)


@pytest.mark.parametrize("difference", range(0, 40, 2))
def test_clips_of_an_item_are_equally_long_in_bytes(difference: int) -> None:
    lengths = [plain_bytes(1000, 1, 16), plain_bytes(1000 + difference // 2, 1, 16)]
    total = common_bytes(lengths)
    clips = [wav(bytes(length - 44), sample_rate_hz=RATE, channels=1, bits=16, total_bytes=total) for length in lengths]
    assert {len(clip) for clip in clips} == {total}
    for clip, length in zip(clips, lengths, strict=True):
        assert dict(chunks(clip))[b"data"] == length - 44
        assert struct.unpack_from("<I", clip, 4)[0] == len(clip) - 8
        assert len(soundfile.read(io.BytesIO(clip))[0]) == (length - 44) // 2
    kinds = [[name for name, _ in chunks(clip)] for clip in clips]
    assert kinds[0] == kinds[1], "a clip that is not filled would stand out"


def test_a_plain_file_is_known_and_any_other_is_not() -> None:
    content = wav(bytes(200), sample_rate_hz=RATE, channels=1, bits=16)
    assert is_plain(content[:44], len(content), bits=16)
    assert not is_plain(content[:44], len(content), bits=24)
    assert not is_plain(content[:44], len(content) + 2, bits=16)
    assert not is_plain(content[:43], 43, bits=16)
    titled = encoded(np.zeros((100, 1)), subtype="PCM_16", title="mine").getvalue()
    assert not is_plain(titled[:44], len(titled), bits=16)
    filled = wav(bytes(200), sample_rate_hz=RATE, channels=1, bits=16, total_bytes=300)
    assert not is_plain(filled[:44], len(filled), bits=16)


def test_odd_data_is_followed_by_a_byte_that_is_not_counted() -> None:
    content = wav(pcm(np.zeros((3, 1), np.float32), 24), sample_rate_hz=RATE, channels=1, bits=24)
    assert chunks(content) == [(b"fmt ", 16), (b"data", 9)]
    assert len(content) == plain_bytes(3, 1, 24) == 44 + 9 + 1


def test_a_broken_clip_gets_its_own_verdict_among_good_ones() -> None:
    good, bad = encoded(np.zeros((100, 1)), subtype="PCM_16"), io.BytesIO(b"not a sound")
    outcome = serve_clips(
        good, bad, good, names=["a", "b", "c"], bits=16, depth=16, totals=[0, 0, 0], dithers=["", "", ""]
    )
    assert [sorted(entry) for entry in outcome.facts["clips"]] == [[], ["error"], []]
    assert outcome.facts["clips"][1]["error"]["kind"] == "NotAudio"
    assert set(outcome.blobs) == {"0", "2"}
