"""The command that analyses any table of votes, without a database."""

import csv
import io
import json
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from scipy.special import stdtrit

from tests.analysis.statistics.reference.votes import TABLES

REFERENCE = Path(__file__).parents[1] / "statistics" / "reference" / "figures.json"
HEADING = "listener,item,condition,scale,score"
# Three listeners, two items, two conditions; the numbers are easy to add up.
LINES = [
    *("ann,i,A,MOS,1", "ann,i,B,MOS,3", "ann,j,A,MOS,2", "ann,j,B,MOS,5"),
    *("bob,i,A,MOS,2", "bob,i,B,MOS,4", "bob,j,A,MOS,4", "bob,j,B,MOS,4"),
    *("cat,i,A,MOS,3", "cat,i,B,MOS,3", "cat,j,A,MOS,3", "cat,j,B,MOS,5"),
]


def sheet(folder: Path, lines: list[str] | None = None, *, heading: str = HEADING) -> Path:
    path = folder / "votes.csv"
    path.write_text("\n".join([heading, *(LINES if lines is None else lines), ""]), encoding="utf-8")
    return path


def analysed(path: Path, *options: str) -> dict[str, Any]:
    said = io.StringIO()
    call_command("analyse_votes", str(path), "--json", *options, stdout=said)
    found: dict[str, Any] = json.loads(said.getvalue())
    return found


def refused(path: Path, *options: str) -> str:
    said = io.StringIO()
    out = path.parent / "results"
    with pytest.raises(CommandError) as caught:
        call_command("analyse_votes", str(path), "--json", "--out", str(out), *options, stdout=said)
    assert said.getvalue() == ""
    assert not out.exists()
    return str(caught.value)


def balanced(folder: Path) -> Path:
    rows = TABLES["balanced"]().itertuples(index=False)
    return sheet(folder, [f"L{row.listener},i{row.item},c{row.condition},OVRL,{row.score:g}" for row in rows])


@pytest.mark.parametrize("model", ["full", "intercepts"])
def test_the_model_has_the_figures_of_lme4_under_the_documented_keys(tmp_path: Path, model: str) -> None:
    known = json.loads(REFERENCE.read_text())["balanced"]["models"][model]
    found = analysed(balanced(tmp_path), "--model", model)["scales"]["OVRL"]
    fitted = found["model"]
    assert fitted["reml_criterion"] == pytest.approx(known["reml_criterion"], abs=1e-5)
    components = {name.replace(":", "_").lower(): value for name, value in known["components"].items()}
    assert {name: each for name, each in fitted["components"].items() if each is not None} == pytest.approx(
        components, rel=1e-4
    )
    assert list(fitted["components"]) == ["listener", "item", "listener_condition", "item_condition", "residual"]
    for row in known["means"]:
        mean = fitted["means"][f"c{row['condition']}"]
        assert (mean["estimate"], mean["se"]) == pytest.approx((row["emmean"], row["SE"]), rel=1e-4)
        assert mean["df"] == pytest.approx(row["df"], abs=1e-2)
        mixed = found["conditions"][f"c{row['condition']}"]["ci95"]["mixed"]
        assert mixed == pytest.approx([row["lower.CL"], row["upper.CL"]], abs=1e-4)
    assert [row["estimate"] for row in fitted["contrasts"]] == pytest.approx(
        [row["estimate"] for row in known["contrasts"]], abs=1e-6
    )
    assert set(fitted["contrasts"][0]) >= {"a", "b", "estimate", "se", "df", "p", "p_holm"}


def test_conditions_have_counts_means_and_an_interval_for_each_unit(tmp_path: Path) -> None:
    scale = analysed(sheet(tmp_path))["scales"]["MOS"]
    row = scale["conditions"]["A"]
    assert (row["n_votes"], row["n_listeners"], row["n_items"]) == (6, 3, 2)
    scores, listeners, items = [1, 2, 2, 4, 3, 3], [1.5, 3, 3], [2, 3]
    assert (row["mean"], row["sd"]) == pytest.approx((2.5, np.std(scores, ddof=1)))
    for unit, values in (("votes", scores), ("listeners", listeners), ("items", items)):
        n = len(values)
        half = stdtrit(n - 1, 0.975) * np.std(values, ddof=1) / np.sqrt(n)
        assert row["ci95"][unit] == pytest.approx([2.5 - half, 2.5 + half])
    assert list(row["ci95"]) == ["votes", "listeners", "items", "mixed"]
    assert scale["items"]["j|A"] == pytest.approx({"n": 3, "mean": 3, "sd": 1})


def test_every_part_of_a_scale_is_there(tmp_path: Path) -> None:
    scale = analysed(balanced(tmp_path))["scales"]["OVRL"]
    assert set(scale["tests"]["friedman"]) >= {"chi2", "df", "p"}
    assert len(scale["tests"]["wilcoxon_holm"]) == 6
    assert 0 < scale["tests"]["rm_anova"]["epsilon"] <= 1
    assert set(scale["agreement"]) >= {"icc_a1", "icc_ak", "alpha_ordinal", "alpha_interval"}
    assert scale["agreement"]["icc_a1"] < scale["agreement"]["icc_ak"]
    assert 0 < scale["sos_a"] < 1
    assert scale["screening"]["bt500"]["guarded"] == []
    assert set(scale["p910"]["bias"]) == set(scale["p910"]["inconsistency"]) == {f"L{n}" for n in range(12)}
    assert scale["p910"]["collapsed"] is False


def test_other_intervals_are_asked_for_by_name(tmp_path: Path) -> None:
    path = sheet(tmp_path)
    ci95 = {
        method: analysed(path, "--ci-method", method)["scales"]["MOS"]["conditions"]["B"]["ci95"]
        for method in ("t", "normal", "bounded", "bootstrap")
    }
    half = 1.959963985 * np.std([3, 5, 4, 4, 3, 5], ddof=1) / np.sqrt(6)
    assert ci95["normal"]["votes"] == pytest.approx([4 - half, 4 + half])
    assert ci95["t"]["votes"][1] > 4 + half
    assert 1 < ci95["bounded"]["votes"][0] < ci95["bounded"]["votes"][1] < 5
    assert ci95["bounded"]["listeners"] == ci95["t"]["listeners"]
    low, high = ci95["bootstrap"]["two_way"]
    assert 3 <= low < 4 < high <= 5
    assert all(one["mixed"] == other["mixed"] for one, other in pairwise(ci95.values()))


def test_excluded_listeners_leave_and_the_figures_with_them_stand_beside(tmp_path: Path) -> None:
    path = sheet(tmp_path)
    found = analysed(path, "--exclude", "ann")
    assert found["excluded"] == ["ann"]
    assert found["scales"]["MOS"]["conditions"]["A"]["mean"] == 3
    assert found["with_excluded"]["scales"]["MOS"]["conditions"]["A"]["mean"] == 2.5
    assert "with_excluded" not in analysed(path)
    assert "'anne'" in (said := refused(path, "--exclude", "anne"))
    assert "'ann'" in said
    assert "Keep at least one" in refused(path, *(f"--exclude={name}" for name in ("ann", "bob", "cat")))


def test_files_are_written_whole_and_alike_each_time(tmp_path: Path) -> None:
    path, out = sheet(tmp_path, [line.replace(",A,", ",=A,") for line in LINES]), tmp_path / "new" / "results"
    written = []
    for _ in range(2):
        call_command("analyse_votes", str(path), "--out", str(out), "--ci-method", "bootstrap", stdout=io.StringIO())
        written.append({each.name: each.read_bytes() for each in out.iterdir()})
    assert written[0] == written[1]
    assert set(written[0]) == {"analysis.json", "means.csv", "contrasts.csv", "report.md"}
    found = json.loads(written[0]["analysis.json"])
    means = list(csv.DictReader(io.StringIO(written[0]["means.csv"].decode())))
    assert [row["condition"] for row in means] == ["'=A", "B"]
    row = found["scales"]["MOS"]["conditions"]["=A"]
    assert (float(means[0]["mean"]), float(means[0]["listeners_low"])) == (row["mean"], row["ci95"]["listeners"][0])
    contrasts = list(csv.DictReader(io.StringIO(written[0]["contrasts.csv"].decode())))
    assert float(contrasts[0]["p"]) == found["scales"]["MOS"]["model"]["contrasts"][0]["p"]
    report = written[0]["report.md"].decode()
    assert "| =A | 6 | 2.500 |" in report
    assert all(warning in report for warning in found["warnings"])


@pytest.mark.parametrize(
    ("heading", "wanted", "near"),
    [
        ("listner,item,condition,scale,score", "'listener'", "'listner'"),
        ("participant,item,condition,scale,score", "'listener'", "'participant'"),
        ("listener,item,system,scale,score", "'condition'", "'system'"),
        ("listener,item,condition,scale,Rating", "'score'", "'rating'"),
    ],
)
def test_a_missing_column_is_named_with_the_nearest_one(tmp_path: Path, heading: str, wanted: str, near: str) -> None:
    said = refused(sheet(tmp_path, heading=heading))
    assert f"no column {wanted}" in said
    assert f"Rename {near}" in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("bob,i,A,MOS,2", "line 14: listener 'bob' has voted on 'i' under 'A' on the scale 'MOS' in line 6 already"),
        ("dan,i,A,MOS,", "line 14: 'score' is empty"),
        ("dan,i,A,MOS,NA", "line 14: 'score' is empty"),
        ("dan,,A,MOS,3", "line 14: 'item' is empty"),
        ("dan,i,A,MOS,6", "line 14: the score 6 is outside 1 to 5, the range of the scale 'MOS'"),
        ('dan,i,A,MOS,"3,5"', "line 14: the score '3,5' is no number"),
        ("dan,i,A|x,MOS,3", "line 14: a condition's name cannot hold '|'"),
        ("dan,i,A,MOS,3,4", "line 14 has 6 cells"),
        ('dan,i,A,MOS,"3', "line 14 is no CSV"),
    ],
)
def test_a_row_that_does_not_fit_is_named_by_its_line(tmp_path: Path, line: str, said: str) -> None:
    assert said in refused(sheet(tmp_path, [*LINES, line]))


def test_all_rows_that_do_not_fit_are_listed_together(tmp_path: Path) -> None:
    said = refused(sheet(tmp_path, [*LINES, "dan,i,A,MOS,9", "dan,j,A,MOS,0", "bob,i,A,MOS,2"]))
    assert [f"line {n}:" in said for n in (13, 14, 15, 16)] == [False, True, True, True]


def test_a_file_that_is_not_there_or_empty_is_told(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "none.csv")
    assert "no rows" in refused(sheet(tmp_path, []))
    assert "--out DIR" in _plainly_refused(sheet(tmp_path))


def _plainly_refused(path: Path) -> str:
    with pytest.raises(CommandError) as caught:
        call_command("analyse_votes", str(path))
    return str(caught.value)


def test_a_range_is_known_guessed_or_given(tmp_path: Path) -> None:
    hundred = [line.replace("MOS", "loudness") + "0" for line in LINES]
    path = sheet(tmp_path, [*LINES, *hundred])
    scales = analysed(path)["scales"]
    assert scales["MOS"]["range"] == {"low": 1, "high": 5, "source": "name"}
    assert scales["loudness"]["range"] == {"low": 0, "high": 100, "source": "votes"}
    given = analysed(path, "--range", "0:50", "--range", "MOS=1:7")["scales"]
    assert given["MOS"]["range"] == {"low": 1, "high": 7, "source": "given"}
    assert given["loudness"]["range"] == {"low": 0, "high": 50, "source": "given"}
    assert given["MOS"]["sos_a"] < scales["MOS"]["sos_a"]
    assert "outside 1 to 40" in refused(path, "--range", "loudness=1:40")
    assert "no range" in refused(path, "--range", "5")
    assert "no scale called 'SIG'" in refused(path, "--range", "SIG=1:5")


def test_practice_does_not_count_and_repetitions_do(tmp_path: Path) -> None:
    lines = [f"{line},1,test" for line in LINES] + [f"{line},2,test" for line in LINES] + ["ann,k,A,MOS,5,1,practice"]
    found = analysed(sheet(tmp_path, lines, heading=f"{HEADING},repetition,role"))
    scale = found["scales"]["MOS"]
    assert found["not_counted"] == {"practice": 1}
    assert (scale["n_votes"], scale["items"]["i|A"]["n"]) == (24, 6)
    alike = {"pairs": 12, "ccc": 1.0, "ccc_ci95": [None, None], "mean_absolute_difference": 0.0}
    assert scale["repeats"] == alike


def test_repeated_votes_are_compared_in_the_order_of_their_repetitions(tmp_path: Path) -> None:
    """Lin's coefficient is the same the other way round, so a third vote shows which two were taken."""
    third = [f"{line[:-1]}{n % 5 + 1},10" for n, line in enumerate(LINES)]
    second = [f"{line[:-1]}{min(int(line[-1]) + 1, 5)},9" for line in LINES]
    path = sheet(tmp_path, [*third, *second, *(f"{line},2" for line in LINES)], heading=f"{HEADING},repetition")
    found = analysed(path)["scales"]["MOS"]["repeats"]
    first = np.array([int(line[-1]) for line in LINES])
    then = np.minimum(first + 1, 5)
    ccc = 2 * np.cov(first, then, ddof=0)[0, 1] / (first.var() + then.var() + (first.mean() - then.mean()) ** 2)
    assert (found["pairs"], found["ccc"]) == (12, pytest.approx(ccc))
    assert found["ccc_ci95"][0] < ccc < found["ccc_ci95"][1]


def test_hidden_references_are_screened_on_a_scale_of_hundred(tmp_path: Path) -> None:
    lines = []
    for name, item, (condition, role) in product("abc", "ijkl", (("ref", "reference"), ("low", "anchor"))):
        score = 20 if role == "anchor" else 80 if name == "b" else 100
        lines.append(f"{name},{item},{condition},MUSHRA,{score + ord(item) % 3 - 2 * (role != 'anchor')},{role}")
    found = analysed(sheet(tmp_path, lines, heading=f"{HEADING},role"))
    assert found["scales"]["MUSHRA"]["screening"]["bs1534"] == {"reference": ["b"], "mid_anchor": []}


def test_further_columns_are_factors_and_enter_the_model_when_asked(tmp_path: Path) -> None:
    lines = [f"{line},{'quiet' if ',i,' in line else 'loud'},{n},same" for n, line in enumerate(LINES)]
    path = sheet(tmp_path, lines, heading=f"{HEADING},noise,number,constant")
    found = analysed(path)
    assert (found["factors"], found["columns_not_used"]) == (["noise", "number"], ["constant"])
    assert found["scales"]["MOS"]["factors"]["noise"]["loud"]["A"] == pytest.approx({"n": 3, "mean": 3, "sd": 1})
    assert found["scales"]["MOS"]["model"]["factors"] == []
    assert analysed(path, "--factor", "noise")["scales"]["MOS"]["model"]["factors"] == ["noise"]
    assert "'constant' is no factor" in refused(path, "--factor", "constant")


def test_a_stray_listener_and_unanimous_votes_are_warned_of(tmp_path: Path) -> None:
    lines = [f"{name},{item},{condition},MOS,4" for name, item, condition in product("abcdefghij", "ijkl", "AB")]
    lines[0] = lines[0].replace("MOS,4", "MOS,3")
    found = analysed(sheet(tmp_path, [*lines, "stray,i,A,MOS,1"]))
    scale = found["scales"]["MOS"]
    assert list(scale["incomplete"]) == ["stray"] == scale["tests"]["listeners_left_out"]
    assert any("stray" in warning for warning in found["warnings"])
    assert any("all votes agree on 7 of 8 stimuli" in warning for warning in found["warnings"])


def test_one_stray_vote_is_no_listener(tmp_path: Path) -> None:
    """One vote of 1 beside a hundred of 4: a mean of two listeners would be 2.5."""
    path = sheet(tmp_path, [*(f"ann,i{n},A,MOS,4" for n in range(100)), "bob,i0,A,MOS,1"])
    row = analysed(path)["scales"]["MOS"]["conditions"]["A"]
    assert (row["n_listeners"], row["n_listeners_counted"], row["mean"]) == (2, 1, pytest.approx(401 / 101))
    assert row["ci95"]["listeners"] == [None, None]
    assert sum(row["ci95_all_listeners"]) / 2 == pytest.approx(2.5)
    assert row["median"]["estimate"] == 4


def test_a_stray_vote_leaves_the_interval_over_listeners_and_a_missing_condition_does_not(tmp_path: Path) -> None:
    lines = [
        f"{name},{item},{condition},MOS,{n}"
        for name, n in zip("abc", (3, 4, 5), strict=True)
        for item, condition in product("ijkl", "AB")
    ]
    half = [f"half,{item},A,MOS,2" for item in "ijkl"]
    found = analysed(sheet(tmp_path, [*lines, *half, "stray,i,A,MOS,1"]))
    scale = found["scales"]["MOS"]
    row = scale["conditions"]["A"]
    spread = stdtrit(3, 0.975) * np.std([2, 3, 4, 5], ddof=1) / 2
    assert row["ci95"]["listeners"] == pytest.approx([3.5 - spread, 3.5 + spread])
    assert (row["n_listeners"], row["n_listeners_counted"]) == (5, 4)
    assert row["median"]["estimate"] == 3.5
    assert sum(row["ci95_all_listeners"]) / 2 == pytest.approx(3)
    assert list(scale["incomplete"]) == ["half", "stray"]
    assert [text for text in found["warnings"] if text.endswith("nor in medians: stray.")]


def test_one_listener_or_one_item_is_warned_of(tmp_path: Path) -> None:
    cells, scores = list(product("ijklm", "AB")), (1, 3, 2, 5, 4, 3, 1, 4, 2, 2)
    alone = [f"ann,{item},{condition},MOS,{n}" for (item, condition), n in zip(cells, scores, strict=True)]
    [said] = [text for text in analysed(sheet(tmp_path, alone))["warnings"] if "mixed model" in text]
    assert "hold for these listeners alone" in said
    one = [f"{name},i,{condition},MOS,{n}" for (name, condition), n in zip(cells, scores, strict=True)]
    [said] = [text for text in analysed(sheet(tmp_path, one))["warnings"] if "mixed model" in text]
    assert "hold for these items alone" in said
    assert not [text for text in analysed(sheet(tmp_path))["warnings"] if "mixed model" in text]


def test_stimuli_with_one_vote_say_nothing_of_the_spread(tmp_path: Path) -> None:
    more = [f"ann,x{n},A,MOS,3" for n in range(9)]
    assert analysed(sheet(tmp_path))["scales"]["MOS"]["sos_a"] == pytest.approx(
        analysed(sheet(tmp_path, [*LINES, *more]))["scales"]["MOS"]["sos_a"]
    )
    assert analysed(sheet(tmp_path, LINES[:4]))["scales"]["MOS"]["sos_a"] is None


def test_differences_to_a_reference_and_equivalence_within_a_margin(tmp_path: Path) -> None:
    path = balanced(tmp_path)
    found = analysed(path, "--reference", "c2", "--margin", "0.4")
    assert (found["options"]["reference"], found["options"]["margin"]) == ("c2", 0.4)
    model = found["scales"]["OVRL"]["model"]
    pairs = {(row["a"], row["b"]): row for row in model["contrasts"]}
    assert [(row["a"], row["b"]) for row in model["to_reference"]] == [("c0", "c2"), ("c1", "c2"), ("c3", "c2")]
    assert model["to_reference"][0]["estimate"] == pairs["c0", "c2"]["estimate"]
    assert model["to_reference"][0]["p_holm"] <= pairs["c0", "c2"]["p_holm"]
    for row in pairs.values():
        low, high = row["ci90"]
        assert row["equivalence"]["equivalent"] == (low > -0.4 and high < 0.4) == (row["equivalence"]["p"] < 0.05)
    plain = analysed(path)["scales"]["OVRL"]["model"]
    assert "to_reference" not in plain
    assert "equivalence" not in plain["contrasts"][0]
    out = tmp_path / "out"
    options = ("--reference", "c2", "--margin", "0.4", "--out", str(out))
    call_command("analyse_votes", str(path), *options, stdout=io.StringIO())
    report = (out / "report.md").read_text()
    assert "Differences to c2 alone" in report
    assert "| within 0.4 points |" in report
    [first, *_] = csv.DictReader(io.StringIO((out / "contrasts.csv").read_text()))
    assert float(first["p_equivalence"]) == pairs[first["a"], first["b"]]["equivalence"]["p"]
    assert "no condition called 'c9'" in refused(path, "--reference", "c9")
    assert "above 0" in refused(path, "--margin", "-1")


def test_without_a_model_the_other_figures_are_there(tmp_path: Path) -> None:
    scale = analysed(sheet(tmp_path, ["ann,i,A,MOS,1", "ann,i,B,MOS,3"]))["scales"]["MOS"]
    assert scale["model"]["error"]["code"] == "model.too_few_votes"
    row = scale["conditions"]["A"]
    assert (row["mean"], row["sd"], row["ci95"]["mixed"], row["ci95"]["votes"]) == (1, None, [None, None], [None, None])


def test_votes_of_the_platform_s_own_download_are_read(tmp_path: Path) -> None:
    path = sheet(tmp_path, [f"test,{line}" for line in LINES], heading="kind,subject_id,item,condition,scale,value")
    assert analysed(path)["scales"]["MOS"]["conditions"]["A"]["mean"] == 2.5


def test_metrics_are_compared_with_the_votes_per_file_and_per_condition(tmp_path: Path) -> None:
    """Means over listeners of i|A, i|B, j|A, j|B are 2, 10/3, 3 and 14/3."""
    metrics = tmp_path / "metrics.csv"
    metrics.write_text("file,PESQ\nA/i.wav,2\nset/A/j.wav,3\nB/i,3\nB/j,5\nC/i,1\n", encoding="utf-8")
    found = analysed(sheet(tmp_path), "--metrics", str(metrics))
    assert found["metrics"]["unmatched"] == ["C/i"]
    part = found["scales"]["MOS"]["metrics"]["file"]
    means = np.array([2, 3, 10 / 3, 14 / 3])
    [row] = part["correlations"]
    assert (row["n"], row["pearson"]) == (4, pytest.approx(np.corrcoef([2, 3, 3, 5], means)[0, 1]))
    [plain] = [each for each in part["prediction_errors"] if each["mapping"] == "none"]
    assert plain["rmse"] == pytest.approx(np.sqrt((((means - [2, 3, 3, 5]) ** 2).sum()) / 3))
    assert plain["outliers"] == 0
    assert found["scales"]["MOS"]["metrics"]["condition"]["correlations"][0]["problem"] == "few"
    out = tmp_path / "out"
    call_command(
        "analyse_votes", str(sheet(tmp_path)), "--out", str(out), "--metrics", str(metrics), stdout=io.StringIO()
    )
    assert "| PESQ | 4 | 0.9" in (out / "report.md").read_text()
    metrics.write_text("file,PESQ\nA/i,2\nA/j,x\n", encoding="utf-8")
    assert "line 3: 'x' under 'PESQ' is no number" in refused(sheet(tmp_path), "--metrics", str(metrics))
