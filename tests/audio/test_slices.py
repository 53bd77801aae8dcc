"""Slices decode to exactly the samples of the whole, joint after joint, and take no more than they need."""

import io
import subprocess
import sys
from itertools import pairwise

import av
import numpy as np
import pytest

from audio.decode.open import open_sound
from audio.errors import PositionOutside
from audio.formats import Format, Samples
from audio.slices import encode_flac, find_byte_range
from tests.audio.cuttable import Material
from tests.audio.material import mp3, noise, on_grid, tone, written
from tests.scale import ALL

SECONDS = 5
MP3S: dict[str, tuple[int, int, dict[str, int]]] = {
    "constant": (44100, 1, {"kbits": 128}),
    "variable": (44100, 2, {"vbr": 4}),
    "lowest": (48000, 2, {"kbits": 32}),
    "half rate": (16000, 1, {"kbits": 24}),
    "quarter rate": (8000, 1, {"kbits": 8}),
}


# The shortest frames reach back the farthest; those of the lowest rates are of another kind.
ALIKE = {"constant", "half rate"}


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=[pytest.mark.long] if name in ALIKE else []) for name in MP3S]
)
def recording(request: pytest.FixtureRequest) -> Material:
    rate, channels, options = MP3S[request.param]
    samples = noise(SECONDS * rate, channels=channels, level=0.1) + tone(SECONDS * rate, rate, channels=channels)
    samples[: SECONDS * rate // 2] *= 0.01
    return Material(mp3(samples, rate, **options))


def libav(content: bytes) -> Samples:
    """Decoded as Chromium and Firefox do it."""
    with av.open(io.BytesIO(content), "r", format="mp3") as file:
        pieces = [frame.to_ndarray() for frame in file.decode(audio=0)]
    return np.ascontiguousarray(np.concatenate(pieces, axis=1).T)


# --- MP3 --------------------------------------------------------------------------------------------------------------


def test_many_slices_in_a_row_are_the_whole_without_one_differing_sample(recording: Material) -> None:
    length = recording.sound.shape.length_samples
    bounds = np.linspace(0, length, 101 if ALL else 41).astype(int).tolist()
    ours, theirs = [], []
    for start, stop in pairwise(bounds):
        piece = recording.cut(start, stop - start)
        kept = slice(piece.lead_samples, piece.lead_samples + piece.length_samples)
        ours.append(open_sound(io.BytesIO(piece.content), format=Format.MP3).read(kept.start, piece.length_samples))
        theirs.append(libav(piece.content)[kept])
    whole = recording.sound.read(0, length)
    assert np.count_nonzero(np.concatenate(ours) != whole) == 0
    assert np.count_nonzero(np.concatenate(theirs) != libav(recording.content)[:length]) == 0
    assert np.abs(np.concatenate(theirs) - whole).max() < 4e-6  # two decoders, one sound


def test_slices_anywhere_are_as_in_the_whole(recording: Material) -> None:
    length = recording.sound.shape.length_samples
    whole = recording.sound.read(0, length)
    rng = np.random.default_rng(8)
    for start in [0, length - 1, *rng.integers(0, length, 20).tolist()]:
        count = min(length - start, int(rng.integers(1, 20_000)))
        piece = recording.cut(start, count)
        assert piece.length_samples == count
        heard = open_sound(io.BytesIO(piece.content), format=Format.MP3).read(piece.lead_samples, count)
        assert np.array_equal(heard, whole[start : start + count])


def test_a_slice_is_the_bytes_of_the_original(recording: Material) -> None:
    found = find_byte_range(index=recording.index, start=9_000, count=8_000)
    piece = recording.cut(9_000, 8_000)
    assert piece.content == recording.content[found.first_byte : found.stop_byte]
    assert (piece.lead_samples, piece.length_samples) == (found.lead_samples, found.length_samples)
    assert piece.media_type == found.media_type == "audio/mpeg"


def test_what_lies_between_frames_is_no_part_of_a_slice(recording: Material) -> None:
    middle = find_byte_range(index=recording.index, start=30_000, count=1).first_byte
    disturbed = Material(recording.content[:middle] + b"junk" * 20 + recording.content[middle:])
    assert disturbed.cut(25_000, 7_000) == recording.cut(25_000, 7_000)


def test_two_seconds_cost_little_more_than_two_seconds() -> None:
    recording = Material(mp3(noise(10 * 44100), 44100, kbits=128))
    sizes = [len(recording.cut(start, 88200).content) for start in range(0, 300_000, 10_007)]
    assert max(sizes) < 32_000 * 1.5


def test_finding_a_slice_of_an_mp3_loads_no_decoder() -> None:
    """The web server does it for every request."""
    heavy = "numba", "av", "soundfile", "scipy"
    program = f"import sys, audio.slices; sys.exit(len(set({heavy}) & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# --- Everything else --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "bits", "media_type"),
    [
        ("wav8", 8, "audio/flac"),
        ("wav", 16, "audio/flac"),
        ("aiff", 16, "audio/flac"),
        ("w64", 16, "audio/flac"),
        ("flac", 16, "audio/flac"),
        ("wav24", 24, "audio/flac"),
        ("flac24", 24, "audio/flac"),
        ("wav32", 24, "audio/wav"),
        ("float", 24, "audio/wav"),
    ],
)
@pytest.mark.parametrize("channels", [1, 2, 5])
def test_a_lossless_slice_holds_exactly_its_range(kind: str, bits: int, media_type: str, channels: int) -> None:
    samples = on_grid(noise(20_000, channels=channels, level=0.5), bits)
    piece = Material(written(samples, 44100, kind)).cut(4_321, 10_000)
    assert (piece.media_type, piece.lead_samples, piece.length_samples) == (media_type, 0, 10_000)
    assert np.array_equal(Material(piece.content).sound.read(0, 20_000), samples[4_321:14_321])


def test_samples_beyond_full_scale_survive_in_a_slice() -> None:
    samples = tone(5_000, 44100, level=4.0)
    piece = Material(written(samples, 44100, "float")).cut(0, 5_000)
    assert np.array_equal(Material(piece.content).sound.read(0, 5_000), samples)


@pytest.mark.parametrize("kind", ["opus", "vorbis", "m4a"])
def test_a_codec_that_cannot_be_cut_is_written_anew(kind: str) -> None:
    recording = Material(written(noise(96_000), 48000, kind))
    piece = recording.cut(50_000, 10_000)
    assert piece.media_type == "audio/flac"
    decoded = Material(piece.content).sound.read(0, 10_000)
    assert np.abs(decoded - recording.sound.read(50_000, 10_000)).max() <= 2**-16


@pytest.mark.parametrize("kind", ["wav", "float", "mp3"])
def test_the_same_slice_is_the_same_bytes(kind: str) -> None:
    recording = Material(written(noise(60_000), 44100, kind))
    assert recording.cut(20_000, 10_000) == recording.cut(20_000, 10_000)


def test_flac_of_16_bits_takes_no_room_for_24() -> None:
    samples = on_grid(noise(44100, level=0.1), 16)
    assert len(encode_flac(samples, 44100, bits=16)) < 1.01 * len(written(samples, 44100, "flac"))


@pytest.mark.parametrize("kind", ["wav", "mp3", "opus"])
def test_what_is_not_in_the_recording_is_refused(kind: str) -> None:
    recording = Material(written(noise(48_000), 48000, kind))
    for start, count in [(-1, 10), (0, 0), (5, -1), (47_990, 11), (10**12, 1)]:
        with pytest.raises(PositionOutside, match="48000 samples"):
            recording.cut(start, count)
