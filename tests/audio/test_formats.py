"""Formats are told by first bytes alone, and what is no sound by the same bytes."""

import io

import pytest

from audio.errors import NotAudio, SoundTooLong, SoundUnsupported
from audio.formats import HANDLING, HEAD_BYTES, SUFFIXES, Format, recognise_format
from audio.sandbox.client import run_sandboxed
from tests.audio.disguises import harmless, playlists
from tests.audio.hostile import base_sounds, patched, silence
from tests.audio.material import noise, without_info_frame, written

EXPECTED = {
    "wav.wav": Format.WAV,
    "wav24.wav": Format.WAV,
    "float.wav": Format.WAV,
    "wavex.wav": Format.WAV,
    "rf64.rf64": Format.WAV,
    "w64.w64": Format.W64,
    "aiff.aiff": Format.AIFF,
    "flac.flac": Format.FLAC,
    "flac24.flac": Format.FLAC,
    "vorbis.ogg": Format.VORBIS,
    "opus.opus": Format.OPUS,
    "m4a.m4a": Format.M4A,
    "alac.m4a": Format.M4A,
    "cbr.mp3": Format.MP3,
    "vbr.mp3": Format.MP3,
}


@pytest.fixture(scope="module")
def sounds() -> dict[str, bytes]:
    return base_sounds()


def shape(content: bytes, *, name: str, longest_h: float = 26, short_s: float = 600) -> dict[str, object]:
    """What the sandbox makes of a file, whatever it is called."""
    found = run_sandboxed(
        "audio.validate:probe_file", io.BytesIO(content), name=name, longest_h=longest_h, short_s=short_s
    )
    return dict(found.facts["shape"])


def test_every_format_is_recognised_by_its_first_bytes(sounds: dict[str, bytes]) -> None:
    assert {name: recognise_format(content[:HEAD_BYTES]) for name, content in sounds.items()} == EXPECTED
    assert set(EXPECTED.values()) == set(Format)


def test_a_recorders_mp3_without_any_tag_is_recognised(sounds: dict[str, bytes]) -> None:
    bare = without_info_frame(sounds["cbr.mp3"])
    assert bare[0] == 0xFF
    assert recognise_format(bare) is Format.MP3


def test_a_bw64_is_a_wav(sounds: dict[str, bytes]) -> None:
    assert recognise_format(b"BW64" + sounds["rf64.rf64"][4:]) is Format.WAV


def test_what_is_no_sound_is_not_recognised() -> None:
    files = [*harmless(), *playlists(file="canary", address="http://127.0.0.1:9")]
    plain = {name: content for name, content in files if "behind a head" not in name}
    assert {name for name, content in plain.items() if recognise_format(content)} == set()
    assert len(plain) > 60


@pytest.mark.parametrize("length", range(0, 64, 3))
def test_a_few_bytes_of_anything_are_judged_without_trouble(sounds: dict[str, bytes], length: int) -> None:
    for name, content in sounds.items():
        assert recognise_format(content[:length]) in {
            None,
            EXPECTED[name],
            Format.MP3 if name.endswith("mp3") else None,
        }


def test_every_format_says_how_it_is_read() -> None:
    assert set(HANDLING) == set(Format)
    assert len({handling.demuxer for handling in HANDLING.values()}) == 7  # Opus and Vorbis share one
    assert {".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".aiff", ".w64"} <= SUFFIXES


@pytest.mark.parametrize(("name", "bits"), [("wav24.wav", 24), ("flac.flac", 16), ("float.wav", 32), ("cbr.mp3", 16)])
def test_a_file_is_what_it_holds_and_not_what_it_is_called(sounds: dict[str, bytes], name: str, bits: int) -> None:
    assert shape(sounds[name], name="holiday.jpg") == {
        "format": EXPECTED[name],
        "sample_rate_hz": 44_100,
        "channels": 2,
        "length_samples": 30_011,
        "bits": bits,
    }


def test_an_index_comes_with_an_mp3_and_opens_it_again(sounds: dict[str, bytes]) -> None:
    file = io.BytesIO(sounds["cbr.mp3"])
    outcome = run_sandboxed("audio.validate:probe_file", file, name="a.mp3", longest_h=26, short_s=600)
    assert outcome.blobs["index"]
    assert outcome.facts["is_short"] is True


def test_short_and_long_are_told_apart_and_too_long_is_refused() -> None:
    content = silence(seconds=72)
    file = io.BytesIO(content)
    for short_s, expected in [(73, True), (71, False)]:
        facts = run_sandboxed("audio.validate:probe_file", file, name="a.flac", longest_h=1, short_s=short_s).facts
        assert facts["is_short"] is expected
    with pytest.raises(SoundTooLong, match=r"'a\.flac' is longer than the 0\.01 hours"):
        shape(content, name="a.flac", longest_h=0.01)


@pytest.mark.parametrize("rate", [4000, 192_000])
def test_the_slowest_and_the_fastest_rate_are_taken(rate: int) -> None:
    assert shape(written(noise(rate // 4), rate, "wav"), name="a.wav")["sample_rate_hz"] == rate


@pytest.mark.parametrize("rate", [3999, 192_001])
def test_rates_beyond_are_refused_with_what_would_be_right(rate: int) -> None:
    with pytest.raises(SoundUnsupported, match=f"it has {rate:,} samples a second; give 4,000 to 192,000"):
        shape(written(noise(5000), rate, "wav"), name="a.wav")


def test_eight_channels_are_taken_and_nine_are_not(sounds: dict[str, bytes]) -> None:
    assert shape(written(noise(5000, channels=8), 44_100, "wav"), name="a.wav")["channels"] == 8
    with pytest.raises(SoundUnsupported, match="it has 9 channels; give at most 8"):
        shape(written(noise(5000, channels=9), 44_100, "wav"), name="a.wav")


def test_text_is_refused_and_an_empty_file_is_called_empty(sounds: dict[str, bytes]) -> None:
    with pytest.raises(NotAudio, match="it is empty"):
        shape(b"", name="a.wav")
    with pytest.raises(NotAudio, match="first bytes"):
        shape(patched(sounds["wav.wav"], 0, "<I", 0), name="a.wav")
