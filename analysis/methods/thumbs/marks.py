"""The table of marks that every method gets, read as scores of captions."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.methods.thumbs.scored import SCALES, Assessor, Clip, Scored
from analysis.statistics.estimates import Floats

if TYPE_CHECKING:
    import pandas as pd

SAID = "SYNTHESISED"
TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

Cells = dict[tuple[Any, ...], list[float]]


def scored_of(table: pd.DataFrame) -> Scored:
    """Gather every mark that is not practice; where somebody scored the same caption twice, the mean counts."""
    rated = table[(table["kind"] != "practice") & table["scale"].isin([*SCALES, SAID])]
    names = ("listener", "group", "item", "factors", "condition", "scale", "value")
    captions: Cells = defaultdict(list)
    said: Cells = defaultdict(list)
    columns = (rated[name].tolist() for name in names)
    for listener, group, item, factors, condition, scale, value in zip(*columns, strict=True):
        assessor, clip = Assessor(listener, str(group)), (str(item), str(factors))
        if scale == SAID:
            said[assessor, clip].append(value)
        else:
            captions[scale, assessor, clip, str(condition)].append(value)
    assessors = sorted({key[1] for key in captions} | {key[0] for key in said})
    clips = sorted({key[2] for key in captions} | {key[1] for key in said})
    sources = sorted({key[3] for key in captions})
    return Scored(
        assessors=assessors,
        clips=[_clip(*clip) for clip in clips],
        sources=sources,
        marks=_filled(captions, (SCALES, assessors, clips, sources)),
        said_synthesised=_filled(said, (assessors, clips)),
    )


def _filled(cells: Cells, axes: Sequence[Iterable[Any]]) -> Floats:
    places = [{name: place for place, name in enumerate(axis)} for axis in axes]
    values = np.full([len(names) for names in places], np.nan)
    for key, given in cells.items():
        at = tuple(names[name] for names, name in zip(places, key, strict=True))
        values[at] = math.fsum(given) / len(given)  # fsum rounds once, so the order of the rows plays no part
    return values


def _clip(item: str, factors: str) -> Clip:
    known = json.loads(factors) if factors else {}
    truth = TRUTHS.get(str(known.get("synthesised", "")).strip().lower())
    return Clip(item, str(known.get("dataset", "")), truth)
