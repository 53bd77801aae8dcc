"""The command that evaluates chapters, from a file to numbers that a program or a person can read."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

SAMPLES: list[dict[str, Any]] = [
    {
        "hypothesis": [24.2, 33.94],
        "reference": [11.0, 23.0, 34.0],
        "duration": 50.0,
        "reference_titles": [["Add a background", 23.0], ["Clip background to text", 34.0]],
        "hyp_titles": [["Set a background", 24.2], ["Clip the background", 33.94]],
    },
    {
        "hypothesis": "# 0:00 - Intro\nhello there\n# 5:00 - Main\nall",
        "reference": [310.0],
        "duration": 500.0,
        "reference_transcript": "hello there everybody",
    },
    {"hypothesis": [120.5], "reference": [125.0], "duration": 600.0},
]


def written(folder: Path, samples: list[dict[str, Any]], name: str = "samples.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), encoding="utf-8")
    return path


def run(path: Path, *options: str) -> tuple[str, str]:
    said, warned = io.StringIO(), io.StringIO()
    call_command("evaluate_chapters", str(path), "--format", "markdown_ts", *options, stdout=said, stderr=warned)
    return said.getvalue(), warned.getvalue()


def found(path: Path, *options: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run(path, "--json", *options)[0])
    return answer


def test_json_has_items_and_a_summary_under_the_names_of_the_package(tmp_path: Path) -> None:
    answer = found(written(tmp_path, SAMPLES), "--titles", "--wer")
    first, second, third = answer["items"]
    assert (first["pk"], first["reference/num_segments"], first["collar_f1"]) == (pytest.approx(3 / 7), 3, 0.8)
    assert (first["f1"], first["tm_matched"], second["wer"]) == (0.4, 1.0, pytest.approx(1 / 3))
    assert "wer" not in third
    assert answer["summary"]["precision"]["mean"] == 0.5
    assert set(answer["summary"]["pk"]) == {"mean", "std", "ci_lower", "ci_upper", "n"}
    assert answer["metrics"]["ghd"] == {"unit": "cost in chunks, from 0", "lower_is_better": True, "pooling": "mean"}
    assert (answer["settings"]["seed"], answer["settings"]["title_matching"]) == (0, "start")


def test_options_reach_the_metrics(tmp_path: Path) -> None:
    path = written(tmp_path, SAMPLES)
    plain, other = (
        found(path),
        found(path, "--chunk-size", "1", "--collar", "12", "--seed", "5", "--num-bootstrap", "7"),
    )
    assert "tm_matched" not in plain["items"][0]
    assert plain["items"][2]["f1"] == 1.0
    assert (other["items"][2]["f1"], other["items"][1]["collar_f1"]) == (0.0, 1.0)
    assert (other["settings"]["num_bootstrap"], other["settings"]["seed"]) == (7, 5)
    assert found(path, "--titles", "--tolerance", "0.5")["items"][0]["tm_matched"] == 0.5


def test_a_person_reads_which_way_is_better_and_is_warned_apart(tmp_path: Path) -> None:
    path = written(tmp_path, [*SAMPLES, *[{**SAMPLES[2], "hypothesis": [700.0]}] * 5])
    with pytest.raises(
        CommandError, match=r"Problems: 5\. The first is in line 4: hypothesis has a chapter at 700\.0 s"
    ):
        run(path)
    said, warned = run(path, "--keep-outside")
    row = next(line for line in said.splitlines() if line.startswith("window_diff"))
    assert "lower" in row
    assert "Line 4: Boundaries of the hypothesis outside the recording" in warned
    assert "2 more warnings of this kind: outside" in warned


def test_systems_are_compared_on_the_same_items(tmp_path: Path) -> None:
    path = written(tmp_path, SAMPLES)
    perfect = [{**sample, "hypothesis": sample["reference"]} for sample in SAMPLES]
    other = written(tmp_path, perfect, "perfect.jsonl")
    answer = found(path, "--against", str(other))
    pk = next(row for row in answer["comparisons"] if row["metric"] == "pk")
    assert (pk["first"], pk["second"], pk["n"]) == (str(path), str(other), 3)
    assert pk["difference"] == pytest.approx(answer["summary"]["pk"]["mean"])
    assert answer["systems"][str(other)]["f1"]["mean"] == 1.0
    assert "too few items" in run(path, "--against", str(other))[0]


@pytest.mark.parametrize(
    ("others", "problem"),
    [(SAMPLES[:2], "it has 2 items, not 3"), ([*SAMPLES[:2], {**SAMPLES[2], "duration": 601}], "line 3 has another")],
)
def test_files_about_other_items_are_not_compared(tmp_path: Path, others: list[dict[str, Any]], problem: str) -> None:
    path, other = written(tmp_path, SAMPLES), written(tmp_path, others, "other.jsonl")
    with pytest.raises(CommandError, match=problem):
        run(path, "--against", str(other))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--chunk-size", "0"), "Give seconds above 0"),
        (("--num-bootstrap", "0"), "from 1 to 1,000,000"),
        (("--seed", "-1"), "0 or more"),
        (("--format", "rtf"), "Known: cstart"),
    ],
)
def test_options_that_mean_nothing_are_refused(tmp_path: Path, options: tuple[str, ...], problem: str) -> None:
    with pytest.raises(CommandError, match=problem):
        run(written(tmp_path, SAMPLES), *options)


def test_a_bad_file_is_refused_with_every_line_and_nothing_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"hypothesis": [NaN]}\n\nnot json\n', encoding="utf-8")
    said = io.StringIO()
    with pytest.raises(CommandError, match=r"bad\.jsonl' cannot be evaluated. Problems: 2.*line 1: NaN") as caught:
        call_command("evaluate_chapters", str(path), stdout=said)
    assert "\nline 3: it is not JSON" in str(caught.value)
    assert said.getvalue() == ""
    with pytest.raises(CommandError, match=r"nowhere\.jsonl' cannot be read"):
        run(tmp_path / "nowhere.jsonl")
