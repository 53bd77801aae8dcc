"""Exports in the layouts of other tools: the wide matrix of listeners, and the files of the P.808 toolkit."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from rating.registry import module_of

if TYPE_CHECKING:
    import pandas as pd

NORMAL_QUANTILE = 1.96  # the P.808 toolkit's, whatever the number of votes
Row = dict[str, Any]


@dataclass(frozen=True)
class Clip:
    """One item under one condition on one scale, and what each listener (by column, from 1) gave it."""

    condition: str
    item: str
    votes: Mapping[int, float]


def clips(scores: pd.DataFrame, *, scale: str, names: Mapping[str, str]) -> list[Clip]:
    """Every clip that was rated on a scale in the test itself, under the names of the moment and in their order.

    Of a clip that was rated twice by one listener the last score stands.
    """
    rated = scores[(scores["scale"] == scale) & (scores["kind"] != "practice")]
    votes: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    columns = (rated[name].tolist() for name in ("condition", "item", "listener", "value"))
    for condition, item, listener, value in zip(*columns, strict=True):
        votes[str(condition), str(item)][listener] = value
    made = [Clip(names[condition], item, given) for (condition, item), given in votes.items()]
    return sorted(made, key=lambda clip: (len(clip.condition), clip.condition, clip.item))


def wide_columns(listeners: int) -> list[str]:
    return ["condition", "sample", *(f"subject_{number}" for number in range(1, listeners + 1))]


def wide_rows(clips: Iterable[Clip]) -> Iterator[Row]:
    """The matrix of the CHiME-7 UDASE listening test: empty where a listener did not rate a clip."""
    for clip in clips:
        yield {
            "condition": clip.condition,
            "sample": clip.item,
            **{f"subject_{number}": plain(value) for number, value in clip.votes.items()},
        }


def suffix_of(scales: Sequence[str], scale: str) -> str:
    """What the P.808 toolkit adds to its column names: nothing where there is one scale."""
    return f"_{scale}" if len(scales) > 1 else ""


def clip_columns(clips: Sequence[Clip], suffix: str) -> list[str]:
    most = max((len(clip.votes) for clip in clips), default=0)
    votes = [f"vote_{number}" for number in range(1, most + 1)]
    figures = [f"MOS{suffix}", f"std{suffix}", f"95%CI{suffix}"]
    return ["file_url", "n", *figures, "short_file_name", "condition_name", *votes]


def clip_rows(clips: Iterable[Clip], suffix: str) -> Iterator[Row]:
    """`votes_per_clip` of the P.808 toolkit. The address is made of what is shown; it names no file of ours."""
    for clip in clips:
        votes = [clip.votes[number] for number in sorted(clip.votes)]
        yield {
            "file_url": f"{clip.condition}/{clip.item}",
            "short_file_name": clip.item,
            "condition_name": clip.condition,
            "n": len(votes),
            **p808_figures(votes, suffix),
            **{f"vote_{number}": plain(value) for number, value in enumerate(votes, start=1)},
        }


class ExportLayout(Protocol):
    """What a protocol's module `export` offers, where the P.808 toolkit has a table of its own for it."""

    SCALE_ORDER: Sequence[str]
    COMBINED: str  # a column made of several scales

    def combined(self, row: Row) -> float | None: ...


def layout_of(slug: str) -> ExportLayout | None:
    return cast(ExportLayout | None, module_of(slug, "export"))


def condition_columns(scales: Sequence[str], layout: ExportLayout | None) -> list[str]:
    """As `votes_per_cond_all-scales` has them; one scale alone has no suffix."""
    if len(scales) == 1:
        return ["condition_name", "n", "MOS", "std", "95%CI"]
    order = layout.SCALE_ORDER if layout else scales
    figures = [f"{name}_{key}" for name in ("MOS", "std", "95%CI") for key in order]
    return ["condition_name", "n", *figures, *([layout.COMBINED] if layout else [])]


def condition_rows(clips_by_scale: Mapping[str, Sequence[Clip]], layout: ExportLayout | None) -> Iterator[Row]:
    """All votes of a condition pooled, with SD and 1.96 SE. `n` counts the votes on the scale that has fewest."""
    pooled: dict[str, dict[str, list[float]]] = defaultdict(dict)
    for scale, made in clips_by_scale.items():
        for clip in made:
            pooled[clip.condition].setdefault(scale, []).extend(clip.votes.values())
    for condition in sorted(pooled, key=lambda name: (len(name), name)):
        by_scale = pooled[condition]
        row: Row = {"condition_name": condition, "n": min(len(votes) for votes in by_scale.values())}
        for scale, votes in by_scale.items():
            row |= p808_figures(votes, "" if len(clips_by_scale) == 1 else f"_{scale}")
        yield row | ({layout.COMBINED: layout.combined(row)} if layout else {})


def p808_figures(votes: Sequence[float], suffix: str) -> Row:
    """Mean, SD and 1.96 SE; one vote has neither of the latter."""
    n, sd, half = len(votes), None, None
    mean = math.fsum(votes) / n
    if n > 1:
        sd = math.sqrt(math.fsum((vote - mean) ** 2 for vote in votes) / (n - 1))
        half = NORMAL_QUANTILE * sd / math.sqrt(n)
    return {f"MOS{suffix}": mean, f"std{suffix}": sd, f"95%CI{suffix}": half}


def plain(value: float) -> str:
    return f"{value:g}"
