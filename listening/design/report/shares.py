"""How the subsets of a design share out the levels of factors, against what exact proportion would give them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from listening.design.base import Sample

OFF_BY_ONE, OFF_BY_TWO = 1.0, 2.0  # less than one item off is as good as whole numbers allow


@dataclass(frozen=True)
class Share:
    """One level, or one combination of levels, in the pool and in each subset."""

    factor: str  # empty for a combination
    level: str
    pool: int
    share: float
    target: float  # items that a subset would have if items could be divided
    counts: tuple[int, ...]

    @property
    def off(self) -> float:
        return max(abs(count - self.target) for count in self.counts)

    @property
    def verdict(self) -> str:
        return "ok" if self.off < OFF_BY_ONE else "warn" if self.off < OFF_BY_TWO else "bad"

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"off": self.off, "verdict": self.verdict}


def shares(samples: Sequence[Sample], *, factors: Sequence[str], subsets: Sequence[Sequence[str]]) -> list[Share]:
    """Every level of every factor, and behind them every combination that there is, where factors are several."""
    levels = {sample.name: tuple(sample.factors.get(factor, "") for factor in factors) for sample in samples}
    margins = [
        share
        for number, factor in enumerate(factors)
        for share in _counted(factor, {name: held[number] for name, held in levels.items()}, subsets)
    ]
    joint = _counted("", {name: ", ".join(held) for name, held in levels.items()}, subsets) if len(factors) > 1 else []
    return [*margins, *joint]


def _counted(factor: str, level_of: dict[str, str], subsets: Sequence[Sequence[str]]) -> Iterable[Share]:
    pool = Counter(level_of.values())
    counts = [Counter(level_of[item] for item in subset) for subset in subsets]
    size = max(map(len, subsets))
    for level, count in sorted(pool.items()):
        share = count / len(level_of)
        yield Share(factor, level, count, share, size * share, tuple(part[level] for part in counts))
