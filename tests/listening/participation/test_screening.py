"""The sounds of the checks: what is in which ear, and which answers pass."""

import io
import wave

import numpy as np
import pytest
from numpy.typing import NDArray

from listening.participation.screening import ANTIPHASE, EARS, HUGGINS, INTERVAL_S, RATE_HZ, SCREENINGS, Screening

SEEDS = [f"seed {number}" for number in range(8)]
INTERVAL = round(INTERVAL_S * RATE_HZ)


def heard(screening: Screening, seed: str, number: int) -> NDArray[np.float64]:
    with wave.open(io.BytesIO(screening.sound(seed, number))) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (2, 2, RATE_HZ)
        frames = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)
    assert len(frames) == round(screening.duration_s * RATE_HZ)
    return frames / 32768


def intervals(sound: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    starts = np.linspace(0, len(sound) - INTERVAL, 3).round().astype(int)
    return [sound[start : start + INTERVAL] for start in starts]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_tone_sounds_in_the_ear_that_is_right_and_in_no_other(seed: str) -> None:
    solution = EARS.solution(seed)
    assert sorted(solution) == ["both", "left", "right"]
    for number, answer in enumerate(solution, start=1):
        left, right = np.abs(heard(EARS, seed, number)).max(axis=0)
        assert (left > 0.1, right > 0.1) == (answer != "right", answer != "left")
        assert min(left, right) == 0 or answer == "both"


@pytest.mark.parametrize("seed", SEEDS)
def test_the_hidden_tone_is_an_inverted_band_in_the_right_interval_alone(seed: str) -> None:
    for number, answer in enumerate(HUGGINS.solution(seed), start=1):
        for place, noise in enumerate(intervals(heard(HUGGINS, seed, number)), start=1):
            left, right = np.fft.rfft(noise, axis=0).T
            frequency_hz = np.fft.rfftfreq(len(noise), 1 / RATE_HZ)
            correlation = np.real(left * np.conj(right))
            inside, outside = np.abs(frequency_hz - 600) < 30, np.abs(frequency_hz - 600) > 100
            assert correlation[outside].sum() > 0
            assert (correlation[inside].sum() < 0) == (str(place) == answer)
            assert left[inside] @ np.conj(left[inside]) == pytest.approx(
                right[inside] @ np.conj(right[inside]), rel=0.05
            )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_softer_tone_is_right_and_one_of_the_others_cancels_in_a_room(seed: str) -> None:
    for number, answer in enumerate(ANTIPHASE.solution(seed), start=1):
        tones = intervals(heard(ANTIPHASE, seed, number))
        powers = [float((tone[:, 0] ** 2).mean()) for tone in tones]
        in_a_room = [float((tone.sum(axis=1) ** 2).mean()) for tone in tones]
        assert str(1 + int(np.argmin(powers))) == answer
        assert 10 * np.log10(min(powers) / max(powers)) == pytest.approx(-6, abs=0.05)
        assert str(1 + int(np.argmin(in_a_room))) != answer
        assert min(in_a_room) == 0


@pytest.mark.parametrize("screening", SCREENINGS.values(), ids=list(SCREENINGS))
def test_as_many_right_answers_as_needed_pass_and_one_less_does_not(screening: Screening) -> None:
    right = screening.solution("x")
    wrong = [next(choice for choice in screening.choices if choice != answer) for answer in right]
    spare = screening.rounds - screening.needed
    assert screening.passed("x", (*wrong[:spare], *right[spare:]))
    assert not screening.passed("x", (*wrong[: spare + 1], *right[spare + 1 :]))


def test_right_answers_differ_between_visits_and_attempts() -> None:
    assert len({HUGGINS.solution(seed) for seed in SEEDS}) > len(SEEDS) / 2
    assert HUGGINS.sound("x", 1) == HUGGINS.sound("x", 1) != HUGGINS.sound("y", 1)
