"""Rules by which listeners may be excluded, on small tables whose figures can be told by hand."""

from collections.abc import Mapping, Sequence

import pandas as pd
import pytest

from analysis.statistics import screening
from analysis.statistics.listener_rules import Pace, pace_findings, rating_findings, repeat_rows
from analysis.statistics.rules import RULES, Findings
from analysis.statistics.screening import bs1534_reference, bt500

RANGES = {"Q": (1.0, 5.0), "B": (0.0, 100.0)}


def table(
    votes: Mapping[str, Sequence[float]], *, scale: str = "Q", condition: str = "C0", role: str = "test"
) -> pd.DataFrame:
    """One clip a column, in the order in which each listener hears them."""
    rows = [
        (who, f"s{place}", condition, role, scale, place, float(value))
        for who, values in votes.items()
        for place, value in enumerate(values)
    ]
    columns = ["listener", "item", "condition", "condition_role", "scale", "position", "value"]
    return pd.DataFrame(rows, columns=columns).astype({"listener": "category", "condition": "category"})


def found(findings: list[Findings], rule: str) -> Findings:
    (only,) = [each for each in findings if each.rule == rule]
    return only


def test_who_answers_against_the_others_and_who_answers_alike_are_found() -> None:
    votes = {"a": [1, 2, 4, 5], "b": [1, 3, 4, 5], "c": [2, 2, 4, 4], "against": [5, 4, 2, 1], "flat": [3, 3, 3, 3]}
    findings = rating_findings(table(votes), RANGES)
    assert set(found(findings, "p913").proposed()) == {"against", "flat"}
    assert found(findings, "p913").figures["flat"] == 0
    assert found(findings, "p913").proposed(-1.0) == {}
    assert found(findings, "p808").figures["against"] < 0
    assert found(findings, "variance").proposed() == {"flat": 0.0}
    assert found(findings, "variance").figures["a"] == pytest.approx(2.5)  # squares 4, 1, 1, 4 over 4


def test_agreement_with_oneself_is_told_with_a_shift_between_the_two() -> None:
    first = table({"same": [1, 2, 4, 5], "shifted": [1, 2, 3, 4], "once": [3, 3, 3, 3]})
    again = table({"same": [1, 2, 4, 5], "shifted": [2, 3, 4, 5]}).assign(position=9)
    rows = {row["listener"]: row for row in repeat_rows(first, again)}
    assert set(rows) == {"same", "shifted"}
    assert (rows["same"]["n_pairs"], rows["same"]["mean_difference"], rows["same"]["ccc"]) == (4, 0, 1)
    assert (rows["shifted"]["mean_difference"], rows["shifted"]["r"]) == pytest.approx((1, 1))
    assert rows["shifted"]["ccc"] == pytest.approx(2 * 1.25 / (2 * 1.25 + 1))  # variances 1.25, a shift of 1
    assert repeat_rows(first) == []


def test_bt500_proposes_whom_the_recommendation_rejects() -> None:
    """Sixty agree; one is far above on one clip and far below on another, one far above on both."""
    votes: dict[str, list[float]] = {f"l{n}": [3, 3, 2, 4] for n in range(60)}
    votes |= {"erratic": [5, 1, 2, 4], "mild": [5, 5, 2, 4]}
    made = table(votes)
    findings = rating_findings(made, RANGES)
    matrix = made.pivot_table(index="listener", columns="item", values="value", observed=True)
    for rule, guarded in (("bt500", True), ("bt500-literal", False)):
        rejected = {matrix.index[code] for code in bt500(matrix.to_numpy(), guarded=guarded).rejected}
        assert set(found(findings, rule).proposed()) == rejected
    assert found(findings, "bt500").proposed() == {"erratic": 0.5}
    assert found(findings, "bt500").figures["mild"] == 0.5
    assert "mild" in found(findings, "bt500").spared
    # By the letter, the two unanimous clips count against everybody on both sides.
    assert len(found(findings, "bt500-literal").proposed()) == 61


def test_repeats_are_compared_within_a_listener_in_points_of_the_scale() -> None:
    first = table({"steady": [1, 3, 5], "unsure": [1, 3, 5], "once": [2, 2, 2]})
    again = table({"steady": [1, 4, 5], "unsure": [5, 1, 4]}).assign(position=lambda rows: rows["position"] + 10)
    repeats = found(rating_findings(pd.concat([first, again], ignore_index=True), RANGES), "repeats")
    assert repeats.figures == {"steady": pytest.approx(1 / 3 / 4), "unsure": pytest.approx(7 / 3 / 4)}
    assert set(repeats.proposed()) == {"unsure"}


def test_the_hidden_reference_must_not_be_missed_too_often() -> None:
    hidden = {"good": [100.0] * 19 + [80], "careless": [100.0] * 15 + [70] * 5}
    made = pd.concat(
        [table(hidden, scale="B", condition="ref", role="reference"), table({"good": [10, 20]}, scale="B")],
        ignore_index=True,
    )
    reference = found(rating_findings(made, RANGES), "bs1534")
    assert reference.figures == {"good": 0.05, "careless": 0.25}
    assert set(reference.proposed()) == {"careless"}
    scores = made[made["condition_role"] == "reference"].pivot_table(index="listener", columns="item", values="value")
    assert len(bs1534_reference(scores.to_numpy()).rejected) == 1


def test_paces_are_judged_from_enough_answers() -> None:
    paces = {
        "quick": Pace([300.0] * 11, 2, 20),
        "slow": Pace([900.0] * 11, 0, 20),
        "few": Pace([100.0] * 9, 9, 9),
    }
    findings = pace_findings(paces)
    assert found(findings, "sooner").figures == {"quick": 0.1, "slow": 0.0}
    assert found(findings, "sooner").proposed() == {"quick": 0.1}
    assert found(findings, "quick").proposed() == {"quick": 300.0}
    assert all(rule.lowest <= rule.threshold <= rule.highest for rule in RULES.values())


def test_usual_thresholds_are_those_of_the_recommendations() -> None:
    known = {
        "bt500": screening.MOST_OUTSIDE,
        "p913": screening.P913_LEAST_R,
        "p808": screening.P808_LEAST_R,
        "variance": screening.P808_LEAST_VARIANCE,
        "bs1534": screening.BS1534_MOST_SHARE,
    }
    assert {name: RULES[name].threshold for name in known} == known
