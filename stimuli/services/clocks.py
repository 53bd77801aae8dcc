"""Clock of a stimulus: the detected stretches, the start time, and corrections by hand."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_noop as _

from audio.clock import TOLERANCE_S, Stretch
from core.errors import AppError
from core.i18n import LazyMessage
from core.models import User
from core.services import audit
from stimuli.models import Recording, Stimulus
from stimuli.services.collections import may_import
from stimuli.times_of_day import written

DAY_S = 24 * 3600
MOST_STRETCHES = 500


class Origin(StrEnum):
    """Where a clock comes from."""

    CORRECTED = "corrected"
    DETECTED = "detected"
    UNBROKEN = "unbroken"  # no separators were found: the clock runs through from the start
    AWAITED = "awaited"  # the recording is still being prepared
    NONE = "none"


def origin_of(stimulus: Stimulus) -> Origin:
    recording = stimulus.recording
    if recording is None:
        return Origin.NONE
    if stimulus.clock is not None:
        return Origin.CORRECTED
    if recording.state == Recording.State.INGESTING:
        return Origin.AWAITED
    if recording.clock:
        return Origin.DETECTED
    return Origin.NONE if stimulus.starts_at_s is None else Origin.UNBROKEN


def clock_of(stimulus: Stimulus) -> tuple[Stretch, ...]:
    """The stretches between separators with the time at which each began; none where the time is not known."""
    recording, origin = stimulus.recording, origin_of(stimulus)
    if recording is None or origin in {Origin.AWAITED, Origin.NONE}:
        return ()
    if origin is Origin.UNBROKEN:
        stretches = [_whole(recording)]
    else:
        stretches = [Stretch(**facts) for facts in stimulus.clock or recording.clock]
    return tuple(replace(one, clock_s=one.clock_s + (stimulus.starts_at_s or 0)) for one in stretches)


def set_start(*, stimulus: Stimulus, starts_at_s: float, actor: User) -> Stimulus:
    """Say at which time of day the recording began; all its stretches move with it."""
    return _change(stimulus, actor, starts_at_s=_time_of_day(starts_at_s))


def correct_clock(*, stimulus: Stimulus, stretches: Sequence[Stretch], actor: User) -> Stimulus:
    """Put these stretches in place of what was detected; the first one says when the recording began."""
    checked = _checked(stretches, _recording(stimulus))
    starts_at_s = _time_of_day(checked[0].clock_s)
    counted = [replace(one, clock_s=one.clock_s - starts_at_s).to_json() for one in checked]
    return _change(stimulus, actor, starts_at_s=starts_at_s, clock=counted)


def use_one_stretch(*, stimulus: Stimulus, actor: User) -> Stimulus:
    """Say that there are no separators: the clock runs through from the start to the end."""
    return _change(stimulus, actor, clock=[_whole(_recording(stimulus)).to_json()])


def use_detected(*, stimulus: Stimulus, actor: User) -> Stimulus:
    """Drop the correction. What was detected was kept, and would be found the same way again."""
    return _change(stimulus, actor, clock=None)


@transaction.atomic
def _change(stimulus: Stimulus, actor: User, **fields: Any) -> Stimulus:
    collection = stimulus.item.collection
    if not may_import(collection=collection, person=actor):
        raise AppError(
            "clock.not_yours",
            403,
            _("Only {owner}, who owns the collection, can correct the clock of its recordings; ask them."),
            owner=collection.owner.get_username(),
        )
    locked = Stimulus.objects.select_for_update(of=("self",)).select_related("recording").get(pk=stimulus.pk)
    _recording(locked)
    before = {name: getattr(locked, name) for name in fields}
    for name, value in fields.items():
        setattr(locked, name, value)
    locked.save(update_fields=list(fields))
    audit.record(actor=actor, action="stimulus.clock_changed", target=locked, before=before, after=fields)
    return locked


def no_sound() -> AppError:
    return AppError("sound.none", 404, _("This stimulus is a text, so there is nothing to hear or to draw."))


def _recording(stimulus: Stimulus) -> Recording:
    if stimulus.recording is None:
        raise no_sound()
    return stimulus.recording


def _whole(recording: Recording) -> Stretch:
    return Stretch(0, recording.length_samples, 0.0)


class ClockUnfit(AppError):
    """Stretches of a clock that cannot be true together; the form shows the problem."""

    def __init__(self, *, problem: str) -> None:
        super().__init__("clock.refused", 422, _("The clock was not changed: {problem}."), problem=problem)


def _time_of_day(seconds: float) -> float:
    if not 0 <= seconds < DAY_S:
        problem = LazyMessage("a recording begins at a time of day between 00:00 and 23:59:59")
        raise ClockUnfit(problem=problem)
    return float(seconds)


def _checked(stretches: Sequence[Stretch], recording: Recording) -> list[Stretch]:
    """The stretches in the order of the file, if they can be true together."""
    ordered = sorted(stretches, key=lambda one: one.start)
    if not 1 <= len(ordered) <= MOST_STRETCHES:
        raise ClockUnfit(problem=LazyMessage("give between 1 and {most} stretches", most=MOST_STRETCHES))
    for one in ordered:
        _check_inside(one, recording)
    for one, after in pairwise(ordered):
        _check_order(one, after, recording.sample_rate_hz)
    return ordered


def _check_inside(one: Stretch, recording: Recording) -> None:
    if not 0 <= one.start < one.stop <= recording.length_samples:
        problem = LazyMessage(
            "the stretch from {start} to {stop} must begin before it ends, and end by {end}",
            start=written(one.start / recording.sample_rate_hz),
            stop=written(one.stop / recording.sample_rate_hz),
            end=written(recording.duration_s),
        )
        raise ClockUnfit(problem=problem)


def _check_order(one: Stretch, after: Stretch, rate: int) -> None:
    """Neither in the file nor by the clock may a stretch begin before the one ahead of it ends."""
    first, second = written(one.start / rate), written(after.start / rate)
    if after.start < one.stop:
        problem = LazyMessage(
            "the stretch at {after} of the file begins before the one at {before} ends", after=second, before=first
        )
        raise ClockUnfit(problem=problem)
    ends_s = one.clock_s + (one.stop - one.start) / rate
    if after.clock_s < ends_s - TOLERANCE_S:
        problem = LazyMessage(
            "the stretch at {after} of the file begins at {begins} by the clock; the one at {before} goes on to {ends}",
            after=second,
            before=first,
            begins=written(after.clock_s),
            ends=written(ends_s),
        )
        raise ClockUnfit(problem=problem)
