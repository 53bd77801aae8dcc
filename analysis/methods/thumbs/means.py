"""What captions of each source got: over clips, over assessors, and clip by clip."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.methods.thumbs.scored import SCALES, Scored
from analysis.statistics.estimates import Estimate, Floats, figure

Rows = list[dict[str, Any]]


def over_clips(scored: Scored) -> Rows:
    """By source, dataset and group: the mean over assessors of each clip first, then over clips."""
    return [row for about, part in scored.parts() for row in _rows(about, part, part.clip_means(), unit="clip")]


def over_assessors(scored: Scored) -> Rows:
    """The same the other way round: each assessor's mean over clips first, for what other assessors would say."""
    return [row for about, part in scored.parts() for row in _rows(about, part, part.assessor_means(), unit="assessor")]


def _rows(about: dict[str, str | None], part: Scored, means: Floats, *, unit: str) -> Rows:
    rows: Rows = []
    for code, scale in enumerate(SCALES):
        for place, source in enumerate(part.sources):
            known = np.isfinite(part.marks[code, :, :, place])
            if not known.any():
                continue
            found = Estimate.over(means[code, :, place])
            rows.append(
                {
                    "condition": source,
                    "scale": scale,
                    **about,
                    "unit": unit,
                    "n_clips": int(known.any(axis=0).sum()),
                    "n_assessors": int(known.any(axis=1).sum()),
                    "n_votes": int(known.sum()),
                    "mean": figure(found.mean),
                    "sd": figure(found.sd),
                    **found.interval(),
                }
            )
    return rows


def by_clip(scored: Scored) -> Rows:
    """The mean over assessors of every caption, by group."""
    return [
        {
            "condition": source,
            "item": clip.item,
            "dataset": clip.dataset,
            "group": about["group"],
            "scale": scale,
            "n_assessors": int(np.isfinite(part.marks[code, :, at, place]).sum()),
            "mean": figure(means[code, at, place]),
        }
        for about, part in scored.parts()
        if about["dataset"] is None
        for means in [part.clip_means()]
        for code, scale in enumerate(SCALES)
        for at, clip in enumerate(part.clips)
        for place, source in enumerate(part.sources)
        if np.isfinite(means[code, at, place])
    ]
