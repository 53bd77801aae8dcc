"""Audio captured in the page, against the time code that was planted and against a whole decode."""

from pathlib import Path
from random import Random

import numpy as np

from tests.audio.long_recordings import Day
from tests.e2e.viewing import AnyViewing, passages
from tests.stimuli.desk import decoded

PASSAGE_S = 10  # as long as one slice may be: what is put together from many is compared with one
# Lets a page ask for slices so short that more than a hundred joints pass in ten seconds.
SHORT_SLICES = """
const { json } = Response.prototype;
Response.prototype.json = async function () {
  const answer = await json.call(this);
  if (this.url.endsWith("/manifest/")) answer.slices.longest_samples = Math.floor(answer.sample_rate_hz / 11);
  return answer;
};
"""
COUNT_SLICES = """
() => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/slice/")).length
"""


def heard_minus_shown(viewing: AnyViewing, name: str, day: Day, positions: int) -> str:
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


def differing_samples(viewing: AnyViewing, name: str, path: Path, *, rate: int, start_s: int) -> str:
    """Play over many joints and count what differs from a decode without joints."""
    viewing.listen()
    start, count = start_s * rate, PASSAGE_S * rate
    viewing.hear(start_s, start_s + PASSAGE_S)
    joints = viewing.evaluate(COUNT_SLICES) - 1
    # So short slices can come too late on a busy machine. Now they are all there, and joined anew.
    heard = viewing.hear(start_s, start_s + PASSAGE_S)
    one = viewing.decoded(start, count, rate)
    if not one.any():
        raise RuntimeError("the passage is silent: there is nothing to measure")
    apart = np.abs(heard.like(one) - one)
    ours = decoded(path).read(start, count)[:, 0]
    from_ours = float(np.abs(heard.like(ours) - ours).max())
    return (
        f"{joints} slice joints, {name}: {np.count_nonzero(apart)} of {count} samples differ from one decode of the "
        f"browser (aim 0), by at most {apart.max():.1e}; all are within {from_ours:.1e} of our own decoder"
    )
