"""Where conditions lie: over all recordings, with raters or marks as the unit, and recording by recording."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.methods.plane.ellipses import Cloud
from analysis.methods.plane.placements import Placements
from analysis.statistics.estimates import Floats

Rows = list[dict[str, Any]]


def over_raters(placements: Placements) -> Rows:
    """By condition, each rater's mean over recordings first: raters are independent, their marks are not."""
    means = placements.rater_means()
    return [
        {"condition": condition, "unit": "rater", "n_marks": _count(placements.marks[..., code])}
        | Cloud.of(means[..., code]).row_with_mean_region()
        for code, condition in enumerate(placements.conditions)
    ]


def over_marks(placements: Placements) -> Rows:
    """By condition over all marks: the cloud as it is drawn, of which no ellipse of the mean can be made."""
    return [
        {"condition": condition, "unit": "mark"} | Cloud.of(placements.marks[..., code].reshape(2, -1)).row()
        for code, condition in enumerate(placements.conditions)
    ]


def by_recording(placements: Placements) -> Rows:
    """By condition and recording, over raters; what nobody placed has no row."""
    clouds = (
        (condition, recording, Cloud.of(placements.marks[:, :, place, code]))
        for place, recording in enumerate(placements.recordings)
        for code, condition in enumerate(placements.conditions)
    )
    return [
        {"condition": condition, "recording": recording, "unit": "rater"} | cloud.row_with_mean_region()
        for condition, recording, cloud in clouds
        if cloud.n
    ]


def points(placements: Placements) -> Rows:
    """Every mark as it stands."""
    found = np.argwhere(np.isfinite(placements.marks[0]))
    return [
        {
            "condition": placements.conditions[condition],
            "recording": placements.recordings[recording],
            "rater": placements.raters[rater],
            "tc": float(placements.marks[0, rater, recording, condition]),
            "sd": float(placements.marks[1, rater, recording, condition]),
        }
        for rater, recording, condition in found.tolist()
    ]


def _count(marks: Floats) -> int:
    return int(np.isfinite(marks[0]).sum())
