"""Clock time of a recording: the silences that separate the hours of a day, found because they recur every hour."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.formats import Shape

# -60, -72 and -84 dBFS. A silence that a person put in is at the last, but for what a codec adds; a quiet night is not.
DEPTHS = np.array([1e-3, 2.5e-4, 6e-5], np.float32)

Runs = NDArray[np.int64]  # one row a run: the depth's number, the first sample, the one after the last


def join_runs(runs: Runs, depth: int, shortest: int) -> list[tuple[int, int]]:
    """Return the runs of one depth from all stretches in order, those that meet as one, without the short ones."""
    whole: list[tuple[int, int]] = []
    for start, stop in runs[runs[:, 0] == depth, 1:].tolist():
        if whole and whole[-1][1] == start:
            whole[-1] = (whole[-1][0], stop)
        else:
            whole.append((start, stop))
    return [(start, stop) for start, stop in whole if stop - start >= shortest]


# --- Hours ------------------------------------------------------------------------------------------------------------


HOUR_S = 3600
SHORTEST_S, LONGEST_S = 4.0, 7.0  # of a separator; in the recordings that are known it lasts 5 s
ALIKE_S = 1.0  # by how much one separator may be longer than the next
TOLERANCE_S = 5.0  # of an hour: recorders and encoders are off by less
MOST_HOURS = 3  # a separator may be hidden in a longer silence, but not many in a row
LEAST_SHARE = 0.75  # of the separators that a recording of its length has room for
LEAST_HOURS = 2  # one hour does not recur

Run = tuple[int, int]  # the first sample, and the one after the last


@dataclass(frozen=True)
class Stretch:
    """Sound between two separators. `clock_s` is when it begins, in seconds after the midnight before the recording."""

    start: int
    stop: int
    clock_s: float

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def find_hours(runs: Runs, *, shape: Shape, clock_s: float = 0) -> list[Stretch]:
    """Return the stretches between hour separators, or nothing if the recording has none; it begins at `clock_s`.

    A night can be as quiet as a separator that went through a codec, so each depth of quiet is tried. Where several
    show the same separators the loudest is taken: its runs end nearest to the sound.
    """
    rate = shape.sample_rate_hz
    chains = []
    for depth in range(len(DEPTHS)):
        quiet = join_runs(runs, depth, int(SHORTEST_S * rate))
        chains.append(_longest_chain([run for run in quiet if run[1] - run[0] <= LONGEST_S * rate], shape))
    best = max(chains, key=len)
    return _stretches(best, shape, clock_s) if _is_convincing(best, shape) else []


def find_silences(stretches: Sequence[Stretch], length_samples: int) -> list[Run]:
    """Return what lies between stretches, before the first and after the last; nothing for a recording without."""
    if not stretches:
        return []
    edges = [0, *(edge for stretch in stretches for edge in (stretch.start, stretch.stop)), length_samples]
    return [(start, stop) for start, stop in zip(edges[::2], edges[1::2], strict=True) if start < stop]


def _longest_chain(candidates: Sequence[Run], shape: Shape) -> list[Run]:
    """Return the most runs that follow each other by whole hours.

    Of equally many, those are taken that are also whole hours from the start and the end, and then the most exact.
    """
    rate, length = shape.sample_rate_hz, shape.length_samples
    stops = [stop for _, stop in candidates]
    ranks: list[tuple[int, int, int]] = []  # of the best chain up to a candidate: how many, whole ends, exactness
    before: list[int | None] = []
    for candidate in candidates:
        begins_whole = bool(_whole_hours(candidate[0], rate))
        ways: list[tuple[tuple[int, int, int], int | None]] = [((1, int(begins_whole), 0), None)]
        for number, error in _hours_before(candidate, candidates, stops, rate):
            count, whole, exactness = ranks[number]
            ways.append(((count + 1, whole, exactness - error), number))
        rank, number_before = max(ways, key=lambda way: way[0])
        ranks.append(rank)
        before.append(number_before)
    finals = [
        (count, whole + bool(_whole_hours(length - stop, rate)), exactness)
        for (count, whole, exactness), stop in zip(ranks, stops, strict=True)
    ]
    chain: list[Run] = []
    at = max(range(len(finals)), key=finals.__getitem__, default=None)
    while at is not None:
        chain.append(candidates[at])
        at = before[at]
    return chain[::-1]


def _hours_before(run: Run, candidates: Sequence[Run], stops: Sequence[int], rate: int) -> Iterable[tuple[int, int]]:
    """Number the candidates that end whole hours before a run and are of its kind, and say how far off each is."""
    tolerance = int(TOLERANCE_S * rate)
    for hours in range(1, MOST_HOURS + 1):
        due = run[0] - hours * HOUR_S * rate
        for number in range(bisect_left(stops, due - tolerance), bisect_right(stops, due + tolerance)):
            other = candidates[number]
            if abs((run[1] - run[0]) - (other[1] - other[0])) <= ALIKE_S * rate:
                yield number, abs(stops[number] - due)


def _is_convincing(separators: Sequence[Run], shape: Shape) -> bool:
    """Some silence of 5 s somewhere is none; they must cut nearly all of the recording into hours."""
    if not separators:
        return False
    rate = shape.sample_rate_hz
    edges = [0, *(edge for run in separators for edge in run), shape.length_samples]
    hours = [_whole_hours(stop - start, rate) for start, stop in zip(edges[::2], edges[1::2], strict=True)]
    room = shape.length_samples // int((HOUR_S + SHORTEST_S) * rate)
    return sum(hours) >= LEAST_HOURS and len(separators) >= LEAST_SHARE * room


def _whole_hours(length: int, rate: int) -> int:
    """Count the hours of a stretch, 0 if it is not a whole number of them."""
    hours = round(length / (HOUR_S * rate))
    return hours if abs(length - hours * HOUR_S * rate) <= TOLERANCE_S * rate else 0


def _stretches(separators: Sequence[Run], shape: Shape, clock_s: float) -> list[Stretch]:
    rate = shape.sample_rate_hz
    stretches, position = [], 0
    for start, stop in [*separators, (shape.length_samples, shape.length_samples)]:
        if position < start:
            stretches.append(Stretch(position, start, clock_s))
        # A recorder means whole hours, though it may be some milliseconds off.
        clock_s += _whole_hours(start - position, rate) * HOUR_S or (start - position) / rate
        position = stop
    return stretches
