"""Numbers of the paper's example that were worked out by listing every path; the issue of each is one candidate."""

from typing import Any

import pytest

from protocols.speech_summaries.analysis.evaluation import run
from protocols.speech_summaries.analysis.utterances import Reading
from tests.protocols.speech_summaries.cherry import MANUAL, positions, utterance

NAN = float("nan")  # stands for a p_n that does not exist
# candidate, p_1 to p_5, BLEU, target, SumACCY, weight, WSumACCY, WSumACCY with boundaries
WORKED = [
    ("3 4 5 6 7", (1, 0.75, 2 / 3, 0.5, 0), 0.7071067812, "3 4 5 6", 75, 0.50396842, 37.7976314968, 30.0),
    ("1 3 4 5 6", (1, 1, 1, 1, 1), 1, "1 3 4 5 6", 100, 0.4, 40.0, 35.6359487256),
    ("2 3 4 5 6", (1, 1, 1, 1, 1), 1, "2 3 4 5 6", 100, 0.5264296052, 52.6429605181, 51.395931737),
    ("2 3 4 8 9", (1, 1, 1, 1, 1), 1, "2 3 4 8 9", 100, 0.4898979486, 48.9897948557, 52.4148278842),
    ("3 4 7 8 9", (1, 1, 1, 1, 1), 1, "3 4 7 8 9", 100, 0.4426727679, 44.267276788, 40.7929780531),
    ("2 3 7 8 9", (1, 1, 1, 1, 1), 1, "2 3 7 8 9", 100, 0.4119534288, 41.1953428781, 46.6963029736),
    ("3 4 8 9", (1, 1, 1, 1, NAN), 0.7788007831, "3 4 8 9", 100, 0.457885697, 45.7885697021, 40.9534502216),
    ("3 4 5 9", (1, 2 / 3, 0.5, 0, NAN), 0.7788007831, "3 4 5 6", 75, 0.50396842, 37.7976314968, 30.7150876662),
    ("1 3 7 8 9", (1, 1, 2 / 3, 0.5, 0), 0.7598356857, "1 3 7 8 9", 100, 0.313016916, 31.3016916015, 32.3774081372),
    ("2 3 4 7 8 9", (1, 1, 1, 2 / 3, 0.5), 0.9036020036, "2 3 4 7 8 9", 100, 0.47043161, 47.043160901, 50.4293729329),
]
ROUNDED = [
    ("1 2 3 4 5 6 7 8 9", (1, 0.75, 4 / 7, 1 / 3, 0.2), 0.5969, "2 3 4 7 8 9", 50, 0.4704, 23.522, 25.215),
    ("2 3 ?plum 5 6", (0.8, 0.5, 0, 0, 0), 0, "2 3 4 5 6", 80, 0.5264, 42.114, 41.117),
    ("3 ?a ?b ?c ?d ?e ?f", (1 / 7, 0, 0, 0, 0), 0, "3 4 7 8 9", -20, 0.4427, -8.853, -8.159),
]


def evaluated(candidate: str, *, boundaries: bool = False) -> dict[str, Any]:
    result = run([utterance(system=positions(candidate))], Reading(boundaries=boundaries))
    found: dict[str, Any] = result["utterances"][0]["candidates"]["system"]
    return found


def hold(found: dict[str, Any], row: tuple[Any, ...], tolerance: float) -> None:
    _, precisions, bleu, target, sum_accy, weight, w_sum_accy, _ = row
    assert found["target"] == list(positions(target))
    assert [value if value is not None else NAN for value in found["p_n"].values()] == pytest.approx(
        precisions, abs=1e-9, nan_ok=True
    )
    assert found["bleu"] == pytest.approx(bleu, abs=tolerance)
    assert found["sum_accy"] == pytest.approx(sum_accy, abs=1e-9)
    assert found["weight"] == pytest.approx(weight, abs=tolerance)
    assert found["w_sum_accy"] == pytest.approx(w_sum_accy, abs=tolerance * 10)


@pytest.mark.parametrize("row", WORKED, ids=lambda row: row[0])
def test_the_worked_numbers_come_out(row: tuple[Any, ...]) -> None:
    hold(evaluated(row[0]), row, 1e-9)
    assert evaluated(row[0], boundaries=True)["w_sum_accy"] == pytest.approx(row[-1], abs=1e-9)


@pytest.mark.parametrize("row", ROUNDED, ids=lambda row: row[0])
def test_longer_and_foreign_candidates_come_out_as_far_as_they_were_written_down(row: tuple[Any, ...]) -> None:
    hold(evaluated(row[0]), row, 1e-4)
    assert evaluated(row[0], boundaries=True)["w_sum_accy"] == pytest.approx(row[-1], abs=1e-3)


@pytest.mark.parametrize(
    ("maker", "target", "bleu", "sum_accy", "w_sum_accy"),
    [
        ("A", [2, 3, 4, 5, 6], 0.668740305, 80, 34.6410161514),
        ("B", [2, 3, 4, 5, 6], None, 100, 39.127),
        ("C", None, None, 250 / 3, 39.337),
        ("D", None, None, 60, 30.897),
        ("E", None, None, 250 / 3, 36.273),
    ],
)
def test_a_makers_own_summary_is_measured_by_the_others(
    maker: str, target: list[int] | None, bleu: float | None, sum_accy: float, w_sum_accy: float
) -> None:
    found = run([utterance(**{maker: MANUAL[maker]})])["utterances"][0]["candidates"][maker]
    assert (found["left_out"], found["references"], found["network"]["makers"]) == (maker, 4, 4)
    assert maker not in found["wacc"]
    assert found["sum_accy"] == pytest.approx(sum_accy, abs=1e-9)
    assert found["w_sum_accy"] == pytest.approx(w_sum_accy, abs=1e-3)
    assert target is None or found["target"] == target
    assert bleu is None or found["bleu"] == pytest.approx(bleu, abs=1e-9)


def test_the_closest_path_depends_on_the_reading() -> None:
    """`blossoms in Japan bloom in`: fewest errors and highest accuracy are two paths."""
    subject = [utterance(system=positions("4 5 6 7 8"))]
    by_edits = run(subject, Reading(closest="edits"))["utterances"][0]["candidates"]["system"]
    by_accuracy = run(subject, Reading(closest="accuracy"))["utterances"][0]["candidates"]["system"]
    assert by_edits["sum_accy"] == pytest.approx(25)
    assert by_accuracy["sum_accy"] == pytest.approx(100 / 3)
    assert by_edits["errors"] < by_accuracy["errors"]
