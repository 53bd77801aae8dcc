"""Times of day as people write them."""

import pytest

from stimuli.times_of_day import seconds_of, written


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("6:30", 23_400), ("06:30:00", 23_400), (" 23:30:00.25 ", 84_600.25), ("26:00", 93_600), ("00:00", 0)],
)
def test_a_time_is_read_in_hours_minutes_and_seconds(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "half past six", "6", "6.30", "06:60", "06:30:61", "-1:00", "06:30:00,5"])
def test_what_is_no_time_is_not_guessed_at(text: str) -> None:
    assert seconds_of(text) is None


def test_a_written_time_is_read_as_the_same_sample_at_any_usual_rate() -> None:
    assert written(23_400) == "06:30:00"
    for rate in (8000, 44_100, 96_000, 192_000):
        for sample in (1, 3605 * rate + 17, 23 * 3605 * rate - 1):
            seconds = seconds_of(written(sample / rate))
            assert seconds is not None
            assert round(seconds * rate) == sample
