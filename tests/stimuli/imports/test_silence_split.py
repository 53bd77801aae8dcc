"""Sounds with long gaps between them: cut where the gaps are, to the sample, and not where it is only quiet."""

import io

import numpy as np
import pytest
import soundfile

from stimuli.imports.silence_split import between, cut_piece, deepest_gaps, find_pieces

RATE = 8000


def summaries(*lengths_s: float, gap_s: float = 60.0, floor: float = 0.0) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Noises one after the other, and where each lies."""
    rng = np.random.default_rng(3)
    pieces: list[np.ndarray] = []
    bounds: list[tuple[int, int]] = []
    at = 0
    for length_s in lengths_s:
        sound = rng.uniform(0.05, 0.4, round(length_s * RATE)) * rng.choice([-1, 1], round(length_s * RATE))
        gap = rng.uniform(-floor, floor, round(gap_s * RATE))
        bounds.append((at, at + len(sound)))
        pieces += [sound, gap]
        at += len(sound) + len(gap)
    return np.concatenate(pieces[:-1]).astype(np.float32), bounds


def in_file(sound: np.ndarray, format: str = "WAV", subtype: str = "PCM_16") -> io.BytesIO:
    file = io.BytesIO()
    soundfile.write(file, sound, RATE, format=format, subtype=subtype)
    return file


@pytest.mark.parametrize(
    ("format", "subtype", "floor"),
    [
        *[("WAV", "PCM_16", 0.0), ("FLAC", "PCM_24", 0.0002), ("WAV", "FLOAT", 0.0)],
        pytest.param("WAV", "PCM_16", 0.0002, marks=pytest.mark.long),
        pytest.param("FLAC", "PCM_24", 0.0, marks=pytest.mark.long),
        pytest.param("WAV", "FLOAT", 0.0002, marks=pytest.mark.long),
    ],
)
def test_eight_summaries_are_found_to_the_sample(format: str, subtype: str, floor: float) -> None:
    sound, bounds = summaries(*(1.0 + 0.1 * n for n in range(8)), floor=floor)
    found = find_pieces(in_file(sound, format, subtype), name="A_summaries.wav")
    assert [tuple(piece) for piece in found["pieces"]] == bounds
    assert len(found["gaps"]) == 7
    assert found["specks"] == []


def test_a_pause_of_a_few_seconds_is_no_gap() -> None:
    first, _ = summaries(1.0, 1.0, gap_s=5.0)
    sound = np.concatenate([first, np.zeros(60 * RATE, np.float32), first[:RATE]])
    found = find_pieces(in_file(sound), name="a.wav")
    assert [tuple(piece) for piece in found["pieces"]] == [(0, len(first)), (len(first) + 60 * RATE, len(sound))]


def test_a_click_inside_a_gap_is_told_apart_from_the_sounds() -> None:
    sound, bounds = summaries(1.0, 1.0, gap_s=80.0)
    sound[40 * RATE : 40 * RATE + 5] = 0.5
    found = find_pieces(in_file(sound), name="a.wav")
    assert [tuple(piece) for piece in found["pieces"]] == bounds
    assert [tuple(speck) for speck in found["specks"]] == [(40 * RATE, 40 * RATE + 5)]


def test_gaps_are_taken_at_the_deepest_quiet_that_lasts() -> None:
    runs = [(0, 90, 1000), (2, 100, 990), (0, 2000, 3000), (2, 2000, 2010), (1, 1950, 1960)]
    assert deepest_gaps(runs, shortest=500) == [(100, 990), (2000, 3000)]
    assert between([(0, 5), (8, 10)], 10) == [(5, 8)]
    assert between([(3, 5)], 10) == [(0, 3), (5, 10)]


@pytest.mark.parametrize(
    ("format", "subtype", "bits"), [("WAV", "PCM_16", 16), ("FLAC", "PCM_24", 24), ("WAV", "FLOAT", 32)]
)
def test_a_piece_has_every_sample_as_it_was(format: str, subtype: str, bits: int) -> None:
    sound, bounds = summaries(0.5, 0.7, gap_s=31.0)
    file = in_file(sound, format, subtype)
    file.seek(0)
    whole, _ = soundfile.read(file, dtype="float32")
    start, stop = bounds[1]
    piece = cut_piece(file, name="a", start=start, stop=stop).blobs["piece"]
    samples, rate = soundfile.read(io.BytesIO(piece), dtype="float32")
    assert (rate, soundfile.info(io.BytesIO(piece)).subtype) == (RATE, subtype if bits != 32 else "FLOAT")
    np.testing.assert_array_equal(samples, whole[start:stop])
