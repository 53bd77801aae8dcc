"""Statistics of placements: means and ellipses, agreement, use of the scales, contrasts, and the trade-off along z."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import combinations, groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import fdtri

from analysis.statistics.agreement import ALPHA_LEVEL, absolute_agreement, interval_alpha
from analysis.statistics.estimates import CONFIDENCE, Estimate, Floats, correlation, figure, known_mean
from analysis.statistics.ranks import friedman, holm, signed_rank
from analysis.statistics.raters import spread, use_of_scale
from core.errors import AppError
from core.i18n import gettext_noop as _
from protocols.tcsd_plane.analysis import inference
from protocols.tcsd_plane.analysis.inference import bootstrap_means, percentile_limits
from protocols.tcsd_plane.analysis.placements import AXES, Placements

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


def too_few_raters(raters: int) -> AppError:
    return AppError(
        "plane.too_few_raters",
        422,
        _(
            "The 95 % ellipse of a mean needs at least {least} raters, and there are {raters}: with fewer it would "
            "cover most of the plane. Look at the marks themselves and at their spread."
        ),
        least=FEWEST_RATERS,
        raters=raters,
    )


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
        fewer than five are rejected; the chi-square shortcut would draw it three times too small.
        """
        p, n = len(AXES), self.n
        if n < FEWEST_RATERS:
            raise too_few_raters(n)
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
        if self.n >= FEWEST_RATERS:
            return self.row() | {"mean_95": asdict(self.mean_region()), "mean_95_refused": None}
        error = too_few_raters(self.n)
        told = {"code": error.code, "sentence": str(error), "data": error.data}
        return self.row() | {"mean_95": None, "mean_95_refused": told}


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


class Blocks(NamedTuple):
    """The complete blocks: what one rater did with one recording, where no condition is missing."""

    marks: Floats  # axis x rater x recording x condition; nan throughout a block that is not complete
    complete: npt.NDArray[np.bool_]  # rater x recording
    begun: int  # blocks with any mark at all

    @classmethod
    def of(cls, placements: Placements) -> Blocks:
        known = np.isfinite(placements.marks[0])
        complete = known.all(axis=-1) & known.any(axis=-1)
        marks = np.where(complete[None, :, :, None], placements.marks, np.nan)
        return cls(marks, complete, int(known.any(axis=-1).sum()))

    def __len__(self) -> int:
        return int(self.complete.sum())

    def on(self, axis: int) -> Floats:
        """Block x condition."""
        chosen: Floats = self.marks[axis][self.complete]
        return chosen


def tests(placements: Placements) -> Rows:
    """Friedman's test on each axis, how many blocks it rests on, and how far a p of the pairs could fall at all.

    With n blocks no exact Wilcoxon p lies below 2^(1 - n), and Holm multiplies the smallest by the number of pairs:
    with few blocks no pair can be significant, whatever the marks.
    """
    blocks, rows = Blocks.of(placements), []
    conditions = len(placements.conditions)
    pairs = conditions * (conditions - 1) // 2
    for axis, scale in enumerate(AXES):
        found = friedman(blocks.on(axis))
        rows.append(
            {
                "scale": scale,
                "chi2": figure(found.chi2),
                "df": found.df,
                "p": figure(found.p),
                "kendall_w": figure(found.chi2 / (len(blocks) * found.df)) if len(blocks) and found.df else None,
                "blocks": len(blocks),
                "blocks_dropped": blocks.begun - len(blocks),
                "pairs": pairs,
                "least_p_holm": min(1.0, pairs * 2.0 ** (1 - len(blocks))) if pairs else None,
            }
        )
    return rows


def pairs(placements: Placements) -> Rows:
    """Every condition against every other, both ways round, so that the order of a pair tells nothing of the names.

    `difference` and its t interval are over raters, each rater's mean difference first; p is Wilcoxon's over blocks,
    `p_holm` adjusted over the pairs of an axis and `p_holm_all` over those of both.
    """
    blocks, rows = Blocks.of(placements), []
    between = list(combinations(range(len(placements.conditions)), 2))
    if not len(blocks) or not between:
        return []
    tested = [
        [signed_rank(marks[:, one] - marks[:, other]) for one, other in between]
        for marks in (blocks.on(axis) for axis in range(len(AXES)))
    ]
    p = np.array([[test.p for test in tests] for tests in tested])
    over_both = holm(p.reshape(-1)).reshape(p.shape)
    for axis, scale in enumerate(AXES):
        of_raters = known_mean(blocks.marks[axis], axis=1)
        adjusted = zip(holm(p[axis]).tolist(), over_both[axis].tolist(), strict=True)
        for (one, other), test, (p_holm, p_holm_all) in zip(between, tested[axis], adjusted, strict=True):
            all_ranks = test.n * (test.n + 1) / 2
            shared = {
                "n_blocks": len(blocks),
                "n_nonzero": test.n,
                "p": test.p,
                "p_holm": p_holm,
                "p_holm_all": p_holm_all,
            }
            for first, second, w_plus in ((one, other, test.w_plus), (other, one, all_ranks - test.w_plus)):
                named = {"condition": placements.conditions[first], "against": placements.conditions[second]}
                found = Estimate.over(of_raters[:, first] - of_raters[:, second])
                estimate = {"n_raters": found.n, "difference": figure(found.mean), **found.interval()}
                rows.append({**named, "scale": scale, **estimate, "w_plus": w_plus, **shared})
    return rows


class Family(NamedTuple):
    """Conditions that differ in z alone, by z."""

    name: str
    conditions: list[str]
    z: Floats
    marks: Floats  # axis x rater x recording x condition

    @property
    def z_of_marks(self) -> Floats:
        return np.broadcast_to(self.z, self.marks.shape[1:]).reshape(-1)

    def rater_means(self) -> Floats:
        """Axis x rater x condition."""
        return known_mean(self.marks, axis=2)

    def means(self) -> Floats:
        """Axis x condition: each rater's mean first."""
        return known_mean(self.rater_means(), axis=1)


def families(placements: Placements) -> Iterator[Family]:
    """Yield each family with at least two values of z."""
    made = [(*placements.settings[name], name) for name in placements.conditions if name in placements.settings]
    for family, members in groupby(sorted(made), key=lambda each: each[0]):
        _, steps, names = zip(*members, strict=True)
        if len(set(steps)) > 1:
            codes = [placements.conditions.index(name) for name in names]
            yield Family(family, list(names), np.array(steps), placements.marks[..., codes])


def slopes(placements: Placements) -> Rows:
    """By family and axis: the change as z grows by one, with a t interval over raters, and Pearson's r with z.

    Beside it stand the limits of a bootstrap over raters, which need no normal distribution.
    """
    rows: Rows = []
    for family in families(placements):
        by_rater = np.array([rater_slopes(marks, family.z) for marks in family.marks])
        limits = percentile_limits(bootstrap_means(by_rater))
        for axis, scale in enumerate(AXES):
            marks = family.marks[axis]
            found = Estimate.over(by_rater[axis])
            rows.append(
                {
                    "family": family.name,
                    "scale": scale,
                    "n_marks": int(np.isfinite(marks).sum()),
                    "n_raters": found.n,
                    "slope": figure(found.mean),
                    **found.interval(),
                    "bootstrap_low": figure(limits[0][axis]),
                    "bootstrap_high": figure(limits[1][axis]),
                    "r_with_z": figure(correlation(marks.reshape(-1), family.z_of_marks)),
                }
            )
    return rows


def rater_slopes(marks: Floats, z: Floats) -> Floats:
    """Each rater's least-squares slope on z, marks and z less their means in a recording; nan where z did not vary.

    `marks` is rater x recording x condition. Within a recording, since recordings differ and some marks may be missing.
    """
    known = np.isfinite(marks)
    z_known = np.where(known, z, np.nan)
    about_z = z_known - known_mean(z_known, axis=-1)[..., None]
    about_mark = marks - known_mean(marks, axis=-1)[..., None]
    above = np.where(known, about_z * about_mark, 0.0).sum(axis=(1, 2))
    below = np.where(known, about_z * about_z, 0.0).sum(axis=(1, 2))
    return np.asarray(np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan), dtype=np.float64)


def summaries(placements: Placements) -> Rows:
    """By family: r of TC and SD over its marks, and the area under its curve of condition means.

    The interval of the area is that of a bootstrap over raters.
    """
    rows: Rows = []
    for family in families(placements):
        low, high = map(float, percentile_limits(area(*np.moveaxis(bootstrap_means(family.rater_means()), 1, 0))))
        tc, sd = family.marks.reshape(len(AXES), -1)
        row = {"family": family.name, "n_conditions": len(family.conditions), "n_marks": int(np.isfinite(tc).sum())}
        of_area = {"area": figure(float(area(*family.means()))), "area_low": figure(low), "area_high": figure(high)}
        rows.append(row | {"correlation": figure(correlation(tc, sd)), **of_area})
    return rows


def area(tc: Floats, sd: Floats) -> Floats:
    """Under the line through the points sorted by TC, from the least TC to the greatest: trapezoids, nothing added.

    The points are along the last axis.
    """
    order = np.lexsort((sd, tc), axis=-1)
    return np.asarray(np.trapezoid(np.take_along_axis(sd, order, -1), np.take_along_axis(tc, order, -1), axis=-1))


def curves(placements: Placements) -> Rows:
    """The condition means of each family by z, for arrows from one to the next."""
    rows: Rows = []
    for family in families(placements):
        tc, sd = family.means().tolist()
        rows += [
            {"family": family.name, "z": z, "condition": condition, "tc_mean": x, "sd_mean": y}
            for condition, z, x, y in zip(family.conditions, family.z.tolist(), tc, sd, strict=True)
        ]
    return rows


Tables = dict[str, Any]


def analyse(placements: Placements) -> Tables:
    """Every table, each a list of rows.

    The rows that have a `family` tell which condition is which by its z: they are not for a blind reader.
    """
    tc, sd = placements.marks.reshape(2, -1)
    modelled = inference.models(placements)
    return {
        "rows": over_raters(placements),
        "conditions_marks": over_marks(placements),
        "recordings": by_recording(placements),
        "model_level": modelled["model_level"],
        "model_contrasts": modelled["model_contrasts"],
        "components": modelled["components"],
        "both_axes": inference.both_axes(placements),
        "pairs_on_plane": inference.pairs_on_plane(placements),
        "recording_effects": inference.recording_effects(placements),
        "friedman": tests(placements),
        "contrasts": pairs(placements),
        "agreement": agreement(placements),
        "raters": scale_use(placements),
        "standardised": standardised_means(placements),
        "trade_off": slopes(placements),
        "families": summaries(placements),
        "equal_z": inference.families_at_equal_z(placements),
        "curves": curves(placements),
        "points": points(placements),
        "warnings": modelled["model_warnings"],
        "correlation": figure(correlation(tc, sd)),
        "counts": {
            "marks": len(placements),
            "raters": len(placements.raters),
            "recordings": len(placements.recordings),
            "conditions": len(placements.conditions),
        },
    }


def summed_up(tables: Tables) -> Tables:
    """The main figures under the name of their condition or axis, and all other tables beside them."""
    beside = {name: rows for name, rows in tables.items() if name not in {"rows", "conditions_marks", "friedman"}}
    return {
        "conditions": _by("condition", tables["conditions_marks"]),
        "conditions_over_raters": _by("condition", tables["rows"]),
        "friedman": _by("scale", tables["friedman"]),
        "icc": {row["scale"]: row["icc"] for row in tables["agreement"]},
        "alpha": {row["scale"]: row["alpha"] for row in tables["agreement"]},
        "alpha_level": ALPHA_LEVEL,
        **beside,
    }


def _by(column: str, rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row[column]: {name: value for name, value in row.items() if name != column} for row in rows}
