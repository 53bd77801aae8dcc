"""Planning of subsets: the published pool's shape, and 10,000 items of five factors with 20 levels in 16 subsets."""

import time
from collections.abc import Iterator
from random import Random
from statistics import median

from listening.design.base import Sample
from listening.design.subsets.planning import plan_subsets

UDASE = (
    (("S01", 112), ("S21", 108)),
    (("dining", 77), ("living", 70), ("kitchen", 73)),
    (("FM", 169), ("F", 25), ("M", 26)),
)
ROUNDS, ITEMS, FACTORS, LEVELS = 3, 10_000, 5, 4


def run() -> Iterator[str]:
    yield _row("220 items, 8 levels, 4 x 32", [_published(seed) for seed in range(ROUNDS)], subsets=4, size=32)
    yield _row("10,000 items, 20 levels, 16 x 200", [_large(seed) for seed in range(ROUNDS)], subsets=16, size=200)


def _row(title: str, pools: list[list[Sample]], *, subsets: int, size: int) -> str:
    times_s, proven, cells = [], 0, 0
    for number, pool in enumerate(pools):
        factors = list(pool[0].factors)
        started = time.perf_counter()
        plan = plan_subsets(pool, factors=factors, subsets=subsets, size=size, seed=str(number))
        times_s.append(time.perf_counter() - started)
        proven += plan.optimal
        cells = max(cells, len(plan.report["cells"]))
    spread = f"{min(times_s):.2f} to {max(times_s):.2f}"
    return f"{title}: {median(times_s):.2f} s ({spread}); up to {cells} cells; {proven} of {len(pools)} proven optimal"


def _published(seed: int) -> list[Sample]:
    """Make a pool with the margins of the published test, and a joint distribution of chance."""
    rng = Random(seed)
    columns = [rng.sample([level for level, count in levels for _ in range(count)], 220) for levels in UDASE]
    return _samples(list(zip(*columns, strict=True)))


def _large(seed: int) -> list[Sample]:
    rng = Random(seed)
    weights = [[rng.random() + 0.3 for _ in range(LEVELS)] for _ in range(FACTORS)]
    columns = [rng.choices("abcd", weights=part, k=ITEMS) for part in weights]
    return _samples(list(zip(*columns, strict=True)))


def _samples(cells: list[tuple[str, ...]]) -> list[Sample]:
    return [Sample(f"item-{n:05d}", {f"f{at}": level for at, level in enumerate(cell)}) for n, cell in enumerate(cells)]
