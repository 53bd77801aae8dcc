"""Agreement between raters on each axis of the plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.methods.plane.placements import AXES, Placements
from analysis.statistics.agreement import ALPHA_LEVEL, absolute_agreement, interval_alpha
from analysis.statistics.estimates import figure

Rows = list[dict[str, Any]]


def agreement(placements: Placements) -> Rows:
    """Both measures on each axis over targets: every summary, a recording under a condition."""
    rows: Rows = []
    for axis, scale in enumerate(AXES):
        marks = placements.targets(axis)
        icc, (alpha, n_pairable) = absolute_agreement(marks), interval_alpha(marks)
        placed = int(np.isfinite(marks).any(axis=0).sum())
        rows.append(
            {
                "scale": scale,
                "n_raters": len(placements.raters),
                "icc": figure(icc.value),
                "icc_kind": "ICC(A,1)",
                "icc_low": figure(icc.low),
                "icc_high": figure(icc.high),
                "icc_targets": icc.n_targets,
                "icc_targets_dropped": placed - icc.n_targets,
                "alpha": figure(alpha),
                "alpha_level": ALPHA_LEVEL,
                "alpha_marks": n_pairable,
            }
        )
    return rows
