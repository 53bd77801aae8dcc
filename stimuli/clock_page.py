"""What pages show of a sound's clock: its stretches, where they come from, and in words what can be done about it."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from audio.clock import Stretch
from stimuli.models import Recording, Stimulus
from stimuli.services.clocks import DAY_S, Origin, clock_of, origin_of
from stimuli.services.sources import is_long
from stimuli.times_of_day import written


def shown_clock(stimulus: Stimulus, recording: Recording) -> dict[str, Any] | None:
    """The clock in words; nothing for a clip that nobody has given a time of day."""
    stretches, origin = clock_of(stimulus), origin_of(stimulus)
    if not stretches and not is_long(recording):
        return None
    return {
        "origin": origin.value,
        "says": _said()[origin],
        "starts_at": written(stimulus.starts_at_s or 0),
        "rows": [_row(one, recording.sample_rate_hz) for one in stretches],
        "is_corrected": origin is Origin.CORRECTED,
        "detected_count": len(recording.clock),
    }


def in_times(stretches: Sequence[Stretch], rate: int) -> list[dict[str, float]]:
    """The stretches as they are filled in, in seconds."""
    return [{"start": one.start / rate, "stop": one.stop / rate, "clock": one.clock_s} for one in stretches]


def in_samples(times: dict[str, float], rate: int) -> Stretch:
    return Stretch(round(times["start"] * rate), round(times["stop"] * rate), times["clock"])


def _row(one: Stretch, rate: int) -> dict[str, Any]:
    days, clock_s = divmod(one.clock_s, DAY_S)
    times = {"start": written(one.start / rate), "stop": written(one.stop / rate), "clock": written(clock_s)}
    return {**times, "days": int(days)}


def _said() -> dict[Origin, str]:
    return {
        Origin.CORRECTED: _("Corrected by hand."),
        Origin.DETECTED: _("Detected: silences recur every hour."),
        Origin.UNBROKEN: _("No silences recur every hour, so the clock runs through from the start."),
        Origin.AWAITED: _("The recording is still being prepared; its clock is known when the last part is done."),
        Origin.NONE: _("Nobody has said when the recording began, and no silences recur every hour."),
    }
