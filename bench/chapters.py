"""Metrics of chapters on a day in one-second chunks, and against chunkseg or, without it, loops over the same."""

import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from random import Random
from statistics import median

from protocols.chaptering.analysis.boundaries import flags
from protocols.chaptering.analysis.evaluation import Answer, Measures, Sample, evaluate
from protocols.chaptering.analysis.titles import Title

HOUR_S = 3600.0
ROUNDS = 7
# Hours, chapters, seconds of a chunk. Those that are compared are such that chunkseg can do them.
DAY = (24, 24, 1.0)
COMPARED = ((1, 12, 6.0), (1, 12, 1.0), (10, 120, 6.0))


def run() -> Iterator[str]:
    hours, chapters, chunk_s = DAY
    sample = _sample(hours, chapters)
    taken_s = _seconds(lambda: evaluate(sample, Measures(chunk_s=chunk_s)))
    yield f"{hours} h, {chapters} chapters, {chunk_s:g} s chunks, all metrics with titles: {taken_s * 1000:.1f} ms"
    for hours, chapters, chunk_s in COMPARED:
        yield _compared(_sample(hours, chapters), f"{hours} h, {chapters} chapters", chunk_s)


def _compared(sample: Sample, title: str, chunk_s: float) -> str:
    measures = Measures(chunk_s=chunk_s, titles=False)
    ours_s = _seconds(lambda: evaluate(sample, measures))
    name, other = _other(sample, chunk_s)
    other_s = _seconds(other, rounds=1)
    took = f"{ours_s * 1000:.2f} ms, {name} {other_s * 1000:.1f} ms"
    return f"{title}, {chunk_s:g} s chunks: {took}, ratio {other_s / ours_s:.0f}"


def _other(sample: Sample, chunk_s: float) -> tuple[str, Callable[[], object]]:
    given, wanted = sample.hypothesis.boundaries_s, sample.reference.boundaries_s
    if find_spec("chunkseg"):
        package = import_module("chunkseg")
        return "chunkseg", lambda: package.evaluate(list(given), list(wanted), sample.duration_s, chunk_size=chunk_s)
    rows = [flags(times_s, sample.duration_s, chunk_s).tolist() for times_s in (given, wanted)]
    return "loops in Python (chunkseg is not installed; Pk and WindowDiff alone)", lambda: _windows(*rows)


def _windows(hypothesis: Sequence[bool], reference: Sequence[bool]) -> tuple[float, float]:
    """Pk and WindowDiff as their definitions read: a sum over every window."""
    width = max(2, round((len(reference) + 1) / (2 * (sum(reference) + 1))))
    places = range(len(reference) + 1 - width)
    counts = [(sum(hypothesis[at : at + width]), sum(reference[at : at + width])) for at in places]
    apart = sum((found == 0) != (wanted == 0) for found, wanted in counts)
    return apart / len(places), sum(found != wanted for found, wanted in counts) / len(places)


def _sample(hours: int, chapters: int) -> Sample:
    """Chapters at random, and an answer that is a few seconds off, misses some and invents others."""
    rng, duration_s = Random(1), hours * HOUR_S
    wanted = sorted(rng.uniform(0, duration_s) for _ in range(chapters - 1))
    kept = [time_s + rng.gauss(0, 3) for time_s in wanted if rng.random() > 0.2]
    given = sorted([*kept, *(rng.uniform(0, duration_s) for _ in range(chapters // 6))])
    return Sample(_answer(given, rng), _answer(wanted, rng), duration_s)


def _answer(times_s: Sequence[float], rng: Random) -> Answer:
    words = ("market", "weather", "sport", "news", "music", "talk", "guest", "record", "garden", "history")
    return Answer(times_s, [Title(" ".join(rng.choices(words, k=5)), time_s) for time_s in times_s])


def _seconds(work: Callable[[], object], *, rounds: int = ROUNDS) -> float:
    taken_s = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        taken_s.append(time.perf_counter() - started)
    return median(taken_s)
