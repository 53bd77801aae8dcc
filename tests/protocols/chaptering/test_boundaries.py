"""Boundaries on chunks and in continuous time: worked numbers, edges, and every metric against its definition."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocols.chaptering.analysis.boundaries import (
    ChaptersOptionUnfit,
    Flags,
    boundary_similarity,
    collar_scores,
    flags,
    generalised_hamming,
    window_scores,
)
from protocols.chaptering.analysis.evaluation import Answer, Measures, Sample, evaluate
from tests.protocols.chaptering import naive

# What chunkseg 0.3.4 answers, rounded nowhere.
WORKED = [
    (
        ([120.5, 300.0], [125.0, 310.0], 600.0),
        {
            "precision": 0.5,
            "recall": 0.5,
            "accuracy": 0.98,
            "specificity": 0.9897959183673469,
            "pk": 0.023809523809523808,
            "window_diff": 0.023809523809523808,
            "boundary_similarity": 0.75,
            "ghd": 1.0,
            "num_segments": 2,
            "reference/num_segments": 2,
            "collar_precision": 0.0,
            "collar_recall": 0.0,
            "collar_f1": 0.0,
            "f1": 0.5,
        },
    ),
    (
        ([24.2, 33.94], [11.0, 23.0, 34.0], 50.0),
        {
            "precision": 0.5,
            "recall": 1 / 3,
            "accuracy": 0.625,
            "specificity": 0.8,
            "pk": 0.42857142857142855,
            "window_diff": 0.5714285714285714,
            "boundary_similarity": 0.5,
            "ghd": 3.0,
            "num_segments": 2,
            "reference/num_segments": 3,
            "collar_precision": 1.0,
            "collar_recall": 2 / 3,
            "collar_f1": 0.8,
            "f1": 0.4,
        },
    ),
    (
        ([3994.26, 4066.66], [209.29, 1936.48, 3995.68], 4625.11),
        {
            "precision": 0.5,
            "recall": 1 / 3,
            "accuracy": 0.9961038961038962,
            "specificity": 0.9986962190352021,
            "pk": 0.2074074074074074,
            "window_diff": 0.33185185185185184,
            "boundary_similarity": 0.25,
            "ghd": 6.0,
            "num_segments": 2,
            "reference/num_segments": 3,
            "collar_precision": 0.5,
            "collar_recall": 1 / 3,
            "collar_f1": 0.4,
            "f1": 0.4,
        },
    ),
    (  # ten hours, whose windows are too wide for the package as it is installed
        (
            [2545.76, 3046.65, 5876.86, 7236.08, 10160.5, 24143.25, 26671.53, 30282.5, 31342.56],
            [2546.95, 3042.37, 5877.71, 9202.12, 10150.32, 24139.89, 26672.27, 30285.84, 31339.49],
            36_000.0,
        ),
        {
            "precision": 0.7777777777777778,
            "recall": 0.7777777777777778,
            "accuracy": 0.9993333333333333,
            "specificity": 0.99966616591554,
            "pk": 0.06823364322048764,
            "window_diff": 0.10559550955972637,
            "boundary_similarity": 0.6363636363636364,
            "ghd": 6.0,
            "num_segments": 9,
            "reference/num_segments": 9,
            "collar_precision": 0.3333333333333333,
            "collar_recall": 0.3333333333333333,
            "collar_f1": 0.3333333333333333,
        },
    ),
    (
        ([], [300.0], 600.0),
        {"pk": 0.32894736842105265, "window_diff": 0.32894736842105265, "ghd": 2.0, "boundary_similarity": 0.0},
    ),
    (
        ([300.0], [], 600.0),
        {"pk": 0.9803921568627451, "window_diff": 0.9803921568627451, "specificity": 0.99, "collar_f1": 0.0},
    ),
    (
        ([700.0, 300.0], [300.0], 600.0),
        {"precision": 1.0, "window_diff": 0.0, "collar_precision": 0.5, "collar_recall": 1.0},
    ),
    (
        ([604.0], [604.0], 605.0),
        {"precision": 0.0, "accuracy": 1.0, "num_segments": 0, "boundary_similarity": 1.0, "collar_f1": 1.0},
    ),
    (
        ([], [], 600.0),
        {"precision": 0.0, "recall": 0.0, "f1": 0.0, "accuracy": 1.0, "pk": 0.0, "ghd": 0.0, "collar_f1": 1.0},
    ),
]


def measured(hypothesis: list[float], reference: list[float], duration_s: float, **how: float) -> dict[str, float]:
    sample = Sample(Answer(hypothesis), Answer(reference), duration_s)
    return dict(evaluate(sample, Measures(**how)).metrics)  # type: ignore[arg-type]


@pytest.mark.parametrize(("sample", "expected"), WORKED)
def test_worked_numbers_come_out(sample: tuple[list[float], list[float], float], expected: dict[str, float]) -> None:
    found = measured(*sample)
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-12)


def test_a_perfect_answer_is_perfect_on_a_day_of_one_second_chunks_and_on_a_single_chunk() -> None:
    hours = [3600.0 * hour for hour in range(1, 24)]
    for found in (measured(hours, hours, 86_400.0, chunk_s=1.0), measured([1.0], [1.0], 6.0)):
        assert (found["pk"], found["window_diff"], found["ghd"]) == (0.0, 0.0, 0.0)
        assert (found["f1"], found["boundary_similarity"], found["collar_f1"]) == (1.0, 1.0, 1.0)


def test_a_recording_shorter_than_a_chunk_has_no_metrics() -> None:
    assert measured([1.0], [1.0], 5.0) == {}


def test_where_a_boundary_belongs() -> None:
    marked = flags([-1.0, 0.0, 5.999, 6.0, 17.9, 18.0, 19.0], 20.0, 6.0)
    assert marked.tolist() == [True, True, True]  # 5.999; 6.0; 17.9 and 18.0. Not 0, nor what is left over at the end
    assert flags([0.0, 18.5], 20.0, 6.0).tolist() == [False, False, False]
    assert flags([18.0], 20.0, 6.0).tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "hits"),
    [
        ([13.0, 16.0], [10.0, 13.0], 1),  # the exact pair goes first, and the rest is 6 s apart
        ([9.0, 11.0], [10.0, 12.0], 2),  # equal distances: the earlier first
        ([11.0, 9.0], [12.0, 10.0], 2),  # in whatever order they are listed
        ([10.0, 10.0], [10.0], 1),
        ([13.0], [10.0], 1),  # exactly the collar
        ([13.001], [10.0], 0),
        ([0.0], [2.0], 0),  # no boundary lies at 0
    ],
)
def test_the_collar_pairs_the_closest_first(hypothesis: list[float], reference: list[float], hits: int) -> None:
    found = collar_scores(hypothesis, reference, 3.0)
    assert found["collar_recall"] == hits / len(reference)


rows = st.integers(1, 60).flatmap(
    lambda size: st.tuples(
        st.lists(st.booleans(), min_size=size, max_size=size),
        st.lists(st.sampled_from([False, False, False, True]), min_size=size, max_size=size),
    )
)


def array(row: list[bool]) -> Flags:
    return np.array(row, dtype=np.bool_)


@given(rows)
@example(([True], [True]))
def test_windows_agree_with_their_definitions(pair: tuple[list[bool], list[bool]]) -> None:
    for hypothesis, reference in (pair, pair[::-1]):
        found = window_scores(array(hypothesis), array(reference))
        assert found["pk"] == pytest.approx(naive.pk(hypothesis, reference), abs=1e-12)
        assert found["window_diff"] == pytest.approx(naive.window_diff(hypothesis, reference), abs=1e-12)


@given(rows)
def test_edits_agree_with_their_definitions(pair: tuple[list[bool], list[bool]]) -> None:
    for hypothesis, reference in (pair, pair[::-1]):
        similar = boundary_similarity(array(hypothesis), array(reference))
        assert similar == pytest.approx(naive.boundary_similarity(hypothesis, reference), abs=1e-12)
        assert generalised_hamming(array(hypothesis), array(reference)) == naive.ghd(hypothesis, reference)


@pytest.mark.parametrize(
    "how",
    [{"chunk_s": 0.0}, {"chunk_s": float("nan")}, {"chunk_s": 1e-9}, {"collar_s": -1.0}, {"tolerance_s": float("inf")}],
)
def test_measures_that_mean_nothing_are_rejected(how: dict[str, float]) -> None:
    with pytest.raises(ChaptersOptionUnfit):
        measured([1.0], [2.0], 60.0, **how)
