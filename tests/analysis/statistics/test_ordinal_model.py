"""Cumulative-link mixed model against ordinal::clmm of R, and what it says where it cannot be fitted."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.statistics import ordinal_model
from analysis.statistics.ordinal_model import fit_ordinal_model, ordinal_record
from tests.analysis.statistics.reference.votes import TABLES, simulate

# By reference/make_ordinal_figures.R.
CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "reference" / "ordinal.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['table']}-{case['kind']}")
def test_figures_are_those_of_clmm(case: dict[str, Any]) -> None:
    model = fit_ordinal_model(TABLES[case["table"]](), kind=case["kind"])
    assert model.log_likelihood == pytest.approx(case["log_likelihood"], abs=1e-5)
    assert model.thresholds == pytest.approx(case["thresholds"], abs=5e-4)
    assert model.effects[1:] == pytest.approx(np.atleast_1d(case["effects"]), abs=5e-4)
    assert np.sqrt(np.diag(model.covariance))[1:] == pytest.approx(np.atleast_1d(case["se"]), rel=1e-4)
    assert model.deviations == pytest.approx(case["deviations"], abs=5e-4)
    first = model.contrasts()[0]
    assert (first.estimate, first.se) == pytest.approx(
        (-np.atleast_1d(case["effects"])[0], np.atleast_1d(case["se"])[0]), abs=5e-4
    )


def test_only_the_order_of_categories_counts() -> None:
    votes = simulate(seed=8, shape=(6, 8, 2), deviations=(0.5, 0.4, 0.0, 0.0, 0.6))
    stretched = votes.assign(score=votes["score"] ** 3)
    plain, other = fit_ordinal_model(votes), fit_ordinal_model(stretched)
    assert plain.effects == pytest.approx(other.effects)
    assert [upper for _, upper, _ in other.named_thresholds()] == [upper**3 for _, upper, _ in plain.named_thresholds()]


def test_one_category_has_no_model_but_a_reason() -> None:
    votes = pd.DataFrame({"listener": [1, 2], "item": [1, 1], "condition": ["a", "b"], "score": [3.0, 3.0]})
    record = ordinal_record(votes, kind="full")
    assert record["error"]["code"] == "model.one_category"
    assert record["contrasts"] == []


def test_too_many_interactions_leave_listeners_and_items(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = simulate(seed=8, shape=(6, 8, 2), deviations=(0.5, 0.4, 0.0, 0.0, 0.6))
    assert ordinal_record(votes, kind="full")["fallback"] is False
    monkeypatch.setattr(ordinal_model, "MOST_LEVELS", 20)
    alone = ordinal_record(votes, kind="intercepts")
    assert alone["fallback"] is False
    assert ordinal_record(votes, kind="full") == alone | {"fallback": True}
    monkeypatch.setattr(ordinal_model, "MOST_LEVELS", 10)
    assert ordinal_record(votes, kind="full")["error"]["code"] == "model.ordinal_too_large"
