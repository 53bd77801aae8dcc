"""What the ear in the page heard, against the time code that was planted and against a whole decode."""

from pathlib import Path
from random import Random

import numpy as np

from tests.e2e.viewing import Viewing, passages
from tests.stimuli.desk import decoded
from tests.stimuli.sound.long_recordings import Day

PASSAGE_S = 10  # as long as one slice may be: what is put together from many is compared with one
PIECES_PER_S = 11


def heard_minus_shown(viewing: Viewing, name: str, day: Day, positions: int) -> str:
    """Play passages all over the day, the last of them at its end, and compare ear and eye at every paint."""
    rng = Random(3)
    numbers = [*rng.choices(day.numbers[:-3], k=positions - 1), day.numbers[-4]]
    viewing.listen()
    beside = []
    for start_s, stop_s in passages(day, numbers, rng):
        rate = day.code.rate
        found = viewing.hear(start_s, stop_s).beside_the_picture(day, round(start_s * rate), round(stop_s * rate))
        if not found:
            raise RuntimeError(f"nothing of {start_s} s was heard and shown: there is nothing to measure")
        beside += found
    worst = max(map(abs, beside))
    return (
        f"heard minus shown, {name} of {day.length_samples / day.code.rate / 3600:.1f} h: at most {worst} samples, "
        f"{1000 * worst / day.code.rate:.3f} ms (aim 1) at {len(beside)} moments in {positions} places"
    )


def differing_samples(viewing: Viewing, name: str, path: Path, *, rate: int, start_s: int) -> str:
    """Play over many joints and count what differs from a decode without joints."""
    asked: list[str] = []
    viewing.page.on("request", lambda request: asked.append(request.url) if "/slice/" in request.url else None)
    viewing.listen()
    start, count = start_s * rate, PASSAGE_S * rate
    heard = viewing.hear(start_s, start_s + PASSAGE_S)
    joints = len(asked) - 1
    if len(heard.sounding) > count:
        # So short slices can come too late on a busy machine. Now they are all there, and joined anew.
        heard = viewing.hear(start_s, start_s + PASSAGE_S)
    one = viewing.decoded(start, count, rate)
    if not one.any():
        raise RuntimeError("the passage is silent: there is nothing to measure")
    differing = int(np.count_nonzero(heard.like(one) != one))
    ours = decoded(path).read(start, count)[:, 0]
    apart = float(np.abs(heard.like(ours) - ours).max())
    return (
        f"{joints} slice joints, {name}: {differing} of {count} samples differ from one decode of the browser (aim 0), "
        f"and all are within {apart:.1e} of our own decoder"
    )
