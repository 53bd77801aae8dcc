"""Use of a scale by one rater, beside the others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analysis.statistics.estimates import Floats, correlation, figure, known_mean, varies


def use_of_scale(marks: Floats, code: int) -> dict[str, Any]:
    """One rater of rater x target: offset from the others, spread beside theirs, range, correlation with their mean.

    The others' mean is that of the targets which this rater marked as well.
    """
    own, others = marks[code], marks[np.arange(len(marks)) != code]
    beside = known_mean(others, axis=0)
    shared = np.isfinite(own) & np.isfinite(beside)
    own_marks = own[np.isfinite(own)]
    sd, sd_of_others = spread(own), known_mean(np.array([spread(other) for other in others]), axis=0)
    return {
        "n": len(own_marks),
        "mean": figure(own_marks.mean()),
        "n_shared": int(shared.sum()),
        "offset": figure((own - beside)[shared].mean()) if shared.any() else None,
        "sd": figure(sd),
        "sd_ratio": figure(sd / float(sd_of_others)) if sd_of_others > 0 else None,
        "low": figure(own_marks.min()),
        "high": figure(own_marks.max()),
        "range": figure(np.ptp(own_marks)),
        "r_with_others": figure(correlation(own, beside)),
    }


def spread(marks: Floats) -> float:
    """The standard deviation of what is known, exactly 0 where nothing varies."""
    known = marks[np.isfinite(marks)]
    if len(known) < 2:
        return math.nan
    return float(known.std(ddof=1)) if varies(known) else 0.0
