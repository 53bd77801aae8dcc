"""The command that measures summaries in a file, without a database."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.protocols.speech_summaries.cherry import MANUAL, PAPER, TOKENS

DOCUMENT: dict[str, Any] = {
    "utterances": [
        {
            "tokens": TOKENS,
            "manual": MANUAL,
            "candidates": {"paper": PAPER, "wrong-in": [3, 4, 5, 9], "plum": [2, 3, "?plum", 5, 6], "A": MANUAL["A"]},
            "judged": {"paper": 3, "wrong-in": 2.5, "plum": 2},
        }
    ]
}


def written(folder: Path, document: object = DOCUMENT) -> Path:
    path = folder / "summaries.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def run(path: Path, *options: str) -> str:
    said = io.StringIO()
    call_command("evaluate_summaries", str(path), *options, stdout=said)
    return said.getvalue()


def evaluated(path: Path, *options: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(run(path, "--json", *options))
    return result


def refused(path: Path, *options: str) -> str:
    said = io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("evaluate_summaries", str(path), *options, stdout=said)
    assert said.getvalue() == ""
    assert caught.value.returncode == 1
    return str(caught.value)


def test_json_has_every_candidate_and_the_means(tmp_path: Path) -> None:
    result = evaluated(written(tmp_path))
    found = result["utterances"][0]["candidates"]["paper"]
    assert found["target"] == [3, 4, 5, 6]
    assert (found["sum_accy"], found["w_sum_accy"]) == pytest.approx((75, 37.7976314968))
    assert found["p_n"] == pytest.approx({"1": 1, "2": 0.75, "3": 2 / 3, "4": 0.5, "5": 0})
    assert found["wacc"] == {"A": 60, "B": 60, "C": 20, "D": 40, "E": 0}
    assert found["bleu"] == pytest.approx(0.7071067812)
    assert result["means"]["paper"]["w_sum_accy"] == found["w_sum_accy"]
    assert result["utterances"][0]["candidates"]["A"]["left_out"] == "A"
    assert result["curves"] is None


def test_readings_can_be_chosen(tmp_path: Path) -> None:
    path = written(tmp_path)
    with_boundaries = evaluated(path, "--boundaries")
    assert with_boundaries["reading"]["name"] == "edits/with_boundaries"
    assert with_boundaries["utterances"][0]["candidates"]["wrong-in"]["target"] == [3, 4, 8, 9]
    assert evaluated(path, "--closest", "accuracy")["reading"]["name"] == "accuracy/without_boundaries"
    assert list(evaluated(path, "--ngrams", "2")["means"]["paper"]["p_n"]) == ["1", "2"]


def test_curves_are_drawn_on_request_and_repeat_under_a_seed(tmp_path: Path) -> None:
    path = written(tmp_path)
    first, again, other = (evaluated(path, "--curves", "3", "--seed", seed)["curves"] for seed in ("1", "1", "2"))
    assert first == again
    assert first["metrics"] != other["metrics"]
    assert {row["makers"] for row in first["correlations"]} == {1, 2, 3, 4, 5}


def test_a_person_reads_tables(tmp_path: Path) -> None:
    said = run(written(tmp_path), "--curves", "2")
    assert "Reading: edits/without_boundaries." in said
    assert "Utterance 1: 9 words, 5 makers" in said
    (line,) = [line for line in said.splitlines() if line.startswith("A ") and "(without A)" in line]
    assert "80.000    34.641" in line
    assert "beautiful cherry blossoms in Japan" in line
    for heading in ("Means over utterances", "Correlation with the judges' means", "Distance of each maker"):
        assert heading in said
    assert "By number of makers: mean and range over 2 orders" in said


def test_a_table_of_nothing_to_measure_is_still_a_table(tmp_path: Path) -> None:
    said = run(written(tmp_path, {"utterances": [{"tokens": ["a"], "manual": {"m": [1]}, "candidates": {}}]}))
    assert "Utterance 1: 1 words, 1 makers" in said
    assert "Correlation" not in said


def test_an_error_lists_every_problem_and_prints_nothing_else(tmp_path: Path) -> None:
    good = DOCUMENT["utterances"][0]
    bad = good | {"manual": {"A": [3, 1], "B": [12]}}
    said = refused(written(tmp_path, {"utterances": [good, bad]}), "--json").splitlines()
    assert "summaries.json' cannot be evaluated: utterance 2, maker 'A': position 1 comes after 3" in said[0]
    assert said[1] == "utterance 2, maker 'B': 12 is not a position; positions are whole numbers from 1 to 9"


def test_a_file_that_is_not_json_is_refused_with_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "summaries.json"
    path.write_text('{"utterances": [\n{"tokens": }]}', encoding="utf-8")
    assert "line 2, column 12 is not JSON" in refused(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "absent.json").endswith("absent.json' cannot be read: No such file or directory.")
    assert refused(tmp_path).endswith("cannot be read: Is a directory.")


@pytest.mark.parametrize("options", [("--curves", "0"), ("--curves", "-1"), ("--ngrams", "many"), ("--closest", "far")])
def test_options_that_mean_nothing_are_refused(tmp_path: Path, options: tuple[str, str]) -> None:
    refused(written(tmp_path), *options)
