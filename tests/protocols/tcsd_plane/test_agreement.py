"""Agreement against mean squares and pairs of marks written out, and against a published example."""

import itertools
import math
import statistics
from collections import defaultdict

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.agreement import absolute_agreement, interval_alpha
from protocols.tcsd_plane.analysis.placements import Placement, Placements
from protocols.tcsd_plane.analysis.tables import agreement
from tests.protocols.tcsd_plane.placed import close, placed, values

AXES = pytest.mark.parametrize(("axis", "scale"), list(enumerate(("TC", "SD"))))

# Four judges, six targets: Shrout and Fleiss (1979), "Intraclass correlations: uses in assessing rater reliability".
SHROUT_AND_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def by_target(marks: list[Placement], scale: str) -> dict[tuple[str, str], list[float]]:
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for mark, value in zip(marks, values(marks, scale), strict=True):
        found[mark.recording, mark.condition].append(value)
    return found


def anova_icc(rows: list[list[float]]) -> float:
    """ICC(A,1) out of sums of squares; one row a target."""
    n, k = len(rows), len(rows[0])
    grand = statistics.fmean(itertools.chain(*rows))
    targets = [statistics.fmean(row) for row in rows]
    raters = [statistics.fmean(column) for column in zip(*rows, strict=True)]
    total = sum((x - grand) ** 2 for row in rows for x in row)
    between = k * sum((mean - grand) ** 2 for mean in targets)
    judges = n * sum((mean - grand) ** 2 for mean in raters)
    msr, msc = between / (n - 1), judges / (k - 1)
    mse = (total - between - judges) / ((n - 1) * (k - 1))
    return (msr - mse) / (msr + (k - 1) * mse + k / n * (msc - mse))


def coincidence_alpha(targets: list[list[float]]) -> float:
    """1 - Do / De over ordered pairs: within targets, each pair weighing 1 / (m - 1), and among all pairable marks."""
    pairable = [target for target in targets if len(target) > 1]
    every = list(itertools.chain(*pairable))
    n = len(every)
    within = sum((a - b) ** 2 / (len(target) - 1) for target in pairable for a, b in itertools.permutations(target, 2))
    among = sum((a - b) ** 2 for a, b in itertools.permutations(every, 2))
    return 1 - (within / n) / (among / (n * (n - 1)))


@AXES
def test_icc_is_that_of_the_analysis_of_variance(axis: int, scale: str) -> None:
    marks = placed()
    row = agreement(Placements.of(marks))[axis]
    assert row["icc"] == close(anova_icc(list(by_target(marks, scale).values())))
    assert (row["icc_kind"], row["icc_targets"], row["icc_targets_dropped"]) == ("ICC(A,1)", 18, 0)


@AXES
def test_icc_takes_the_targets_that_all_raters_placed(axis: int, scale: str) -> None:
    marks = placed(2, gaps=0.08)
    targets = by_target(marks, scale)
    whole = [target for target in targets.values() if len(target) == 6]
    assert 2 < len(whole) < len(targets)
    row = agreement(Placements.of(marks))[axis]
    assert row["icc"] == close(anova_icc(whole))
    assert (row["icc_targets"], row["icc_targets_dropped"]) == (len(whole), len(targets) - len(whole))


@AXES
def test_alpha_takes_every_pair_of_marks_on_a_target(axis: int, scale: str) -> None:
    marks = [*placed(2, gaps=0.3), Placement(1, "Z", "even", 0.9, 0.9)]  # nobody else placed Z: it has no pair
    row = agreement(Placements.of(marks))[axis]
    assert row["alpha"] == close(coincidence_alpha(list(by_target(marks, scale).values())))
    assert row["alpha_level"] == "interval"
    assert row["alpha_marks"] == sum(len(t) for t in by_target(marks, scale).values() if len(t) > 1)


def test_icc_of_a_published_example_with_its_interval() -> None:
    """Printed there: ICC(2,1) = 0.29; the interval as several statistics programs print it."""
    found = absolute_agreement(np.array(SHROUT_AND_FLEISS, dtype=float).T)
    assert found.value == pytest.approx(0.2898, abs=5e-5)
    assert (found.low, found.high) == pytest.approx((0.019, 0.761), abs=5e-4)


def test_the_icc_s_interval_holds_each_end_where_the_f_test_turns() -> None:
    """At an end rho of the interval, MSR over its expected multiple of the rest has the 2.5 % or 97.5 % point of F."""
    marks = np.array(SHROUT_AND_FLEISS, dtype=float)
    n, k = marks.shape
    found = absolute_agreement(marks.T)
    rows, columns, grand = marks.mean(axis=1), marks.mean(axis=0), marks.mean()
    msr = k * ((rows - grand) ** 2).sum() / (n - 1)
    msc = n * ((columns - grand) ** 2).sum() / (k - 1)
    mse = ((marks - rows[:, None] - columns + grand) ** 2).sum() / ((n - 1) * (k - 1))

    def weights(rho: float) -> tuple[float, float]:
        return k * rho / (n * (1 - rho)), 1 + k * rho * (n - 1) / (n * (1 - rho))

    a, b = weights(found.value)
    df = (a * msc + b * mse) ** 2 / ((a * msc) ** 2 / (k - 1) + (b * mse) ** 2 / ((n - 1) * (k - 1)))
    for end, tail in ((found.low, 0.975), (found.high, 0.025)):
        a, b = weights(end)
        assert stats.f.cdf(msr / (a * msc + b * mse), n - 1, df) == close(tail)


def test_perfect_agreement_is_one_and_has_no_interval() -> None:
    marks = np.array([[0.1, 0.5, 0.9]] * 3)
    found = absolute_agreement(marks)
    assert found.value == 1
    assert math.isnan(found.low)
    assert interval_alpha(marks) == (1.0, 9)


def test_a_constant_offset_of_one_rater_lowers_absolute_agreement() -> None:
    marks = np.array([[0.1, 0.3, 0.5], [0.2, 0.4, 0.6]])
    assert 0 < absolute_agreement(marks).value < 1


def test_raters_who_tell_no_target_from_another_agree_on_nothing() -> None:
    found = absolute_agreement(np.array([[0.5, 0.5], [0.25, 0.25]]))
    assert found.value == 0
    assert math.isnan(found.low)


@pytest.mark.parametrize("marks", [np.array([[0.1, 0.2, 0.4]]), np.array([[0.1], [0.2]]), np.empty((0, 0))])
def test_one_rater_or_one_target_has_no_icc(marks: np.ndarray) -> None:
    assert math.isnan(absolute_agreement(marks).value)


def test_marks_that_are_all_the_same_have_no_agreement_to_measure() -> None:
    row = agreement(Placements.of([Placement(r, rec, "c", 0.4, 0.4) for r in (1, 2, 3) for rec in "AB"]))[0]
    assert (row["icc"], row["alpha"]) == (None, None)
