"""Simulated listeners: a fit of the mixed model on their votes gives back the variance components they draw from."""

from itertools import product
from random import Random

import numpy as np
import pandas as pd
import pytest

from analysis.statistics.mixed_model import fit_mixed_model
from protocols.p835.protocol import SpeechBackgroundOverall
from protocols.tcsd_plane.protocol import TemporalSourcePlane
from rating.protocol import Entry, Protocol, Slot, TrialKind, TrialPlan
from rating.variance import OVERALL_QUALITY, VarianceComponents

P835 = SpeechBackgroundOverall()
PLANE = TemporalSourcePlane()
LISTENERS, ITEMS, CONDITIONS = 40, 40, 3


def in_the_middle(*scales: str) -> list[str]:
    """Conditions whose means lie in the middle of these scales, where hardly any vote is cut."""
    names = (f"c{number}" for number in range(2000))
    middling = (name for name in names if all(0.4 < Random(f"{name} {key}").random() < 0.6 for key in scales))
    return [next(middling) for _ in range(CONDITIONS)]


def p835_votes() -> pd.DataFrame:
    rows = []
    for listener in range(LISTENERS):
        rng = Random(f"listener {listener}")
        for item, condition in product(range(ITEMS), in_the_middle("SIG", "BAK")):
            entry = Entry("s", f"item {item}", condition)
            for trial in P835.trials_for([entry], session=1, kind=TrialKind.TEST):
                (mark,) = P835.read(P835.example(trial, rng, listener=str(listener)), trial).marks
                rows.append((listener, item, condition, mark.scale, mark.value))
    return pd.DataFrame(rows, columns=["listener", "item", "condition", "scale", "score"])


@pytest.fixture(scope="module")
def votes() -> pd.DataFrame:
    return p835_votes()


def doubt(components: VarianceComponents) -> dict[str, float]:
    """Three standard errors of each estimate, of a balanced design of this size."""
    freedom = (LISTENERS - 1, ITEMS - 1, (LISTENERS - 1) * (CONDITIONS - 1), (ITEMS - 1) * (CONDITIONS - 1), 4000)
    return {
        name: 3 * np.sqrt(2 / df) * (value + components.residual / LISTENERS) + 0.01
        for name, value, df in zip(components._fields, components, freedom, strict=True)
    }


@pytest.mark.parametrize("scale", ["SIG", pytest.param("BAK", marks=pytest.mark.long), "OVRL"])
def test_the_model_gives_back_the_components(votes: pd.DataFrame, scale: str) -> None:
    model = fit_mixed_model(votes[votes["scale"] == scale])
    wanted = P835.scale(scale).components
    for name, allowed in doubt(wanted).items():
        assert model.components[name] == pytest.approx(getattr(wanted, name), abs=allowed), name


def test_overall_follows_from_speech_and_background(votes: pd.DataFrame) -> None:
    """As in published votes, where the means of clips gave -0.70 + 0.61 SIG + 0.54 BAK."""
    means = votes.pivot_table(index=["item", "condition"], columns="scale", values="score")
    design = np.column_stack([np.ones(len(means)), means["SIG"], means["BAK"]])
    found, *_ = np.linalg.lstsq(design, means["OVRL"].to_numpy(), rcond=None)
    assert found[1] == pytest.approx(0.61, abs=0.15)
    assert found[2] == pytest.approx(0.54, abs=0.15)
    assert np.corrcoef(design @ found, means["OVRL"])[0, 1] > 0.7


def test_raters_on_the_plane_differ_as_published_marks_do() -> None:
    rows = []
    home = [name for name in (f"c{n}" for n in range(200)) if 0.4 < Random(name).random() < 0.6][:CONDITIONS]
    for listener, item in product(range(30), range(20)):
        slots = tuple(Slot(f"s{n}", Entry(f"s{n}", f"i{item}", name)) for n, name in enumerate(home))
        trial = TrialPlan(slots=slots, ask=("TC", "SD"))
        crosses = PLANE.example(trial, Random(f"{listener} {item}"), listener=str(listener))["crosses"]
        rows += [(listener, item, slot.entry.condition, crosses[slot.key]["tc"]) for slot in slots]
    model = fit_mixed_model(pd.DataFrame(rows, columns=["listener", "item", "condition", "score"]))
    wanted = PLANE.scale("TC").components
    assert model.components["residual"] == pytest.approx(wanted.residual, rel=0.12)
    assert model.components["item_condition"] == pytest.approx(wanted.item_condition, rel=0.6)
    assert sum(model.components.values()) == pytest.approx(sum(wanted), rel=0.15)


@pytest.mark.parametrize("protocol", [P835, PLANE])
def test_the_same_listener_answers_alike_and_another_differs(protocol: Protocol) -> None:
    scale, entry = protocol.scales[0], Entry("s", "i", "c")
    one, again, other = (entry.judged(scale, name).effects(scale.components) for name in ("a", "a", "b"))
    assert one == again != other


def test_components_of_its_own_never_fall_below_nothing() -> None:
    alone = OVERALL_QUALITY.without({OVERALL_QUALITY: 2.0})
    assert alone == VarianceComponents(0, 0, 0, 0, OVERALL_QUALITY.residual)
    assert OVERALL_QUALITY.before_rounding(10).residual == 0
