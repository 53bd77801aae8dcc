"""Ellipses on the plane: the spread of marks, and where their mean would lie with other raters."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import fdtri

from analysis.methods.plane.errors import TooFewRaters
from analysis.methods.plane.placements import AXES
from analysis.statistics.estimates import CONFIDENCE, Floats, figure

FEWEST_RATERS = 5
Row = dict[str, Any]


@dataclass(frozen=True)
class Ellipse:
    """Centre, half axes, and the angle of the longer one from the TC axis, counter-clockwise, from -90 to 90."""

    tc: float
    sd: float
    major: float
    minor: float
    angle_deg: float


@dataclass(frozen=True)
class Cloud:
    """Points on the plane by their moments; variances and covariance with n - 1, nan for one point alone."""

    n: int
    tc: float
    sd: float
    tc_variance: float
    sd_variance: float
    covariance: float

    @classmethod
    def of(cls, points: Floats) -> Cloud:
        """Gather axis x point; a point without a mark is nan."""
        known = points[:, np.isfinite(points).all(axis=0)]
        n = known.shape[1]
        if not n:
            return cls(0, *[math.nan] * 5)
        mean = known.mean(axis=1)
        x, y = known - mean[:, None]
        moments = ((x * x).sum(), (y * y).sum(), (x * y).sum())
        return cls(n, *map(float, mean), *(float(moment) / (n - 1) if n > 1 else math.nan for moment in moments))

    def spread(self) -> Ellipse | None:
        """One standard deviation in every direction (Mahalanobis distance 1); needs two points."""
        return self._ellipse(1.0) if self.n > 1 else None

    def mean_region(self) -> Ellipse:
        """Hotelling's 95 % region of the mean: p (n - 1) / (n - p) F(p, n - p) times the covariance over n.

        The points must be independent: one a rater. With four raters its half axes are 3.8 standard deviations, so
        fewer than five are refused; the chi-square shortcut would draw it three times too small.
        """
        p, n = len(AXES), self.n
        if n < FEWEST_RATERS:
            raise TooFewRaters(least=FEWEST_RATERS, raters=n)
        return self._ellipse(math.sqrt(p * (n - 1) / (n * (n - p)) * float(fdtri(p, n - p, CONFIDENCE))))

    def _ellipse(self, scale: float) -> Ellipse:
        """The eigenvalues and the direction of a 2 x 2 covariance, in closed form."""
        apart = self.tc_variance - self.sd_variance
        longer = (self.tc_variance + self.sd_variance + math.hypot(apart, 2 * self.covariance)) / 2
        determinant = self.tc_variance * self.sd_variance - self.covariance**2
        shorter = max(determinant, 0.0) / longer if longer > 0 else 0.0  # not the difference, which would cancel
        angle_deg = math.degrees(math.atan2(2 * self.covariance, apart) / 2)
        return Ellipse(self.tc, self.sd, scale * math.sqrt(longer), scale * math.sqrt(shorter), angle_deg)

    def row(self) -> Row:
        """Counts, means, spreads and the spread ellipse, as tables hold them."""
        spread = self.spread()
        return {
            "n": self.n,
            "tc_mean": figure(self.tc),
            "sd_mean": figure(self.sd),
            "tc_sd": figure(math.sqrt(self.tc_variance)),
            "sd_sd": figure(math.sqrt(self.sd_variance)),
            "cov": figure(self.covariance),
            "spread": asdict(spread) if spread else None,
        }

    def row_with_mean_region(self) -> Row:
        """The same with the 95 % ellipse of the mean, or why there is none."""
        try:
            region, refused = asdict(self.mean_region()), None
        except TooFewRaters as refusal:
            region, refused = None, {"code": refusal.code, "sentence": str(refusal), "data": refusal.data}
        return self.row() | {"mean_95": region, "mean_95_refused": refused}
