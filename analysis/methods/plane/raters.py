"""How raters use the plane: where each lies beside the others, how much of an axis they use, and means without that."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.methods.plane.placements import AXES, Placements
from analysis.statistics.estimates import Estimate, figure, known_mean
from analysis.statistics.raters import spread, use_of_scale

Rows = list[dict[str, Any]]


def scale_use(placements: Placements) -> Rows:
    """Each rater on each axis: offset from the others, spread beside theirs, range, and correlation with their mean."""
    return [
        {"rater": rater, "scale": scale} | use_of_scale(placements.targets(axis), code)
        for code, rater in enumerate(placements.raters)
        for axis, scale in enumerate(AXES)
    ]


def standardised_means(placements: Placements) -> Rows:
    """By condition and axis in units of each rater's own spread about the rater's own mean: order without scale use.

    A rater who put everything on one line has no spread and no part in that axis.
    """
    own_mean = known_mean(placements.marks, axis=(2, 3))
    own_sd = np.array([[spread(marks) for marks in placements.targets(axis)] for axis in range(len(AXES))])
    unit = np.where(own_sd > 0, own_sd, np.nan).reshape(own_mean.shape)
    standardised = (placements.rater_means() - own_mean[..., None]) / unit[..., None]
    rows: Rows = []
    for code, condition in enumerate(placements.conditions):
        for axis, scale in enumerate(AXES):
            found = Estimate.over(standardised[axis, :, code])
            estimate = {"n_raters": found.n, "mean": figure(found.mean), "sd": figure(found.sd), **found.interval()}
            rows.append({"condition": condition, "scale": scale, **estimate})
    return rows
