"""Recordings of a day, beyond 2^31 samples: every second is where it says it is, in every format."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from audio.decode.mp3_index import build_index
from audio.decode.open import open_sound
from audio.formats import Format, recognise_format
from audio.slices import cut_slice
from tests.audio.long_recordings import Day, day_flac, day_mp3, day_opus, day_wav
from tests.scale import ALL

HOURS = 24
# What is put together frame by frame in Python is a day with --all; FLAC and WAV, which are cheap to make, always are.
ENCODED_HOURS = HOURS if ALL else 2
DAYS: dict[str, Callable[..., Day]] = {
    "mp3 of constant bit rate": day_mp3,
    "mp3 of variable bit rate": partial(day_mp3, vbr=True),
    "mp3 of half rate": partial(day_mp3, rate=16000, kbits=16),
    "opus": day_opus,
    "opus of much silence": partial(day_opus, every=60),
    "flac": day_flac,
    "wav": day_wav,
}


# Of a variable bit rate there is the slice below; and an Opus of sound in all of its packets is decoded no otherwise.
SEEN_ELSEWHERE = {"mp3 of variable bit rate", "mp3 of half rate", "opus"}


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.long] if kind in SEEN_ELSEWHERE else []) for kind in DAYS]
)
def test_every_moment_of_a_day_says_its_own_time(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "day"
    hours = HOURS if kind in ("flac", "wav") else ENCODED_HOURS
    day = DAYS[kind](path, hours=hours)
    with path.open("rb") as file:
        recognised = recognise_format(file.read(4096))
        assert recognised is not None
        index = build_index(file, format=recognised)
        sound = open_sound(file, format=recognised, index=index)
        assert sound.shape.length_samples == day.length_samples
        assert day.length_samples > (hours - 0.1) * 3600 * sound.shape.sample_rate_hz
        for number in moments(day, hours - 1):
            start = max(0, day.position(number) - 700)
            at, heard = day.code.heard(sound.read(start, 2 * day.code.unit_samples))
            assert (start + at, heard) == (day.position(number), number)
    path.unlink()


def moments(day: Day, late_h: int) -> list[int]:
    """The first, the one next to a late hour, the last but one, and some between."""
    rng = np.random.default_rng(9)
    late = late_h * 3600 * day.code.rate // day.code.unit_samples // day.numbers.step * day.numbers.step
    return [0, late, day.numbers[-2], *rng.choice(day.numbers[:-1], 5).tolist()]


def test_a_slice_from_late_in_a_day_is_small_and_exact(tmp_path: Path) -> None:
    path = tmp_path / "day.mp3"
    day = day_mp3(path, hours=14, vbr=True)
    assert day.length_samples > 2**31
    number = day.numbers[-10]
    with path.open("rb") as file:
        index = build_index(file, format=Format.MP3)
        sound = open_sound(file, format=Format.MP3, index=index)
        wanted = {"start": day.position(number), "count": 2 * day.code.unit_samples}
        piece = cut_slice(file, format=Format.MP3, index=index, shape=sound.shape, **wanted)
    path.unlink()
    assert len(piece.content) < 100_000
    path.write_bytes(piece.content)
    with path.open("rb") as file:
        heard = open_sound(file, format=Format.MP3).read(piece.lead_samples, piece.length_samples)
    assert day.code.heard(heard) == (0, number)
    assert len(index) < 1_000_000
