"""The chapters of an experiment: people and systems against a reference, against people, and against each other."""

import json
from typing import Any

import pytest

from analysis.method import AnsweredPage, HeardSlot
from protocols.chaptering.analysis import EMPTY, ChapterAgreement
from protocols.chaptering.analysis.agreement import chapters_of, gathered
from protocols.chaptering.analysis.evaluation import Answer, Measures, Sample, evaluate

DURATION_S = 600.0
METHOD = ChapterAgreement()


def heard(item: str, condition: str = "sound", role: str = "test", text: Any = None) -> HeardSlot:
    return HeardSlot(item, condition, role, {}, text, 0.0 if text else DURATION_S)


def told(item: str, condition: str, *chapters: Any, role: str = "test") -> HeardSlot:
    return heard(item, condition, role, {"kind": "chapters", "chapters": list(chapters)})


def page(
    listener: int, item: str, *boundaries_s: float, kind: str = "test", titles: tuple[str, ...] = ()
) -> AnsweredPage:
    starts_s = [0.0, *boundaries_s]
    named = list(zip(titles or [""] * len(starts_s), starts_s, strict=True))
    return AnsweredPage(
        listener=listener,
        group="",
        panel=1,
        session=1,
        position=1,
        kind=kind,
        slots={"full": heard(item)},
        marks={("full", "CHAPTERS"): float(len(starts_s))},
        detail={"boundaries_s": list(boundaries_s), "titles": [list(pair) for pair in named], "heard_s": 60.0},
    )


MATERIAL = [
    *(heard(item) for item in "pq"),
    told("p", "truth", [0, "Birds"], [120, "Rain"], [300, "Night"], role="reference"),
    told("q", "truth", 200.0, role="reference"),
    told("p", "good", [121, "Rain"], [301, "Night"]),
    told("q", "good", 199.0),
    told("p", "bad", [20, "Rain"]),
    told("q", "bad", 500.0, 550.0),
]
PAGES = [page(1, "p", 120.5, 299.0), page(2, "p", 240.0), page(1, "q", 200.5), page(2, "q", 200.0)]


def rows(result: Any, table: str = "rows", **wanted: Any) -> list[Any]:
    return [row for row in result[table] if all(row[name] == value for name, value in wanted.items())]


def test_a_chapter_at_the_beginning_has_a_title_and_no_boundary() -> None:
    answer = chapters_of({"chapters": [[90, "Rain"], [0, "Birds"], [120, " "]]})
    assert answer.boundaries_s == [90.0, 120.0]
    assert answer.titles is not None
    assert [tuple(title) for title in answer.titles] == [("Birds", 0.0), ("Rain", 90.0)]
    assert chapters_of({"chapters": [30, 10.5]}) == Answer([10.5, 30.0], None)


def test_an_experiment_is_gathered_by_recording() -> None:
    found = gathered(PAGES, MATERIAL)
    assert list(found) == ["p", "q"]
    assert sorted(found["p"].systems) == ["bad", "good"]
    assert found["p"].reference is not None
    assert found["p"].people[2].boundaries_s == [240.0]
    assert "r" not in gathered(PAGES, [*MATERIAL, told("r", "good", 5.0)])


def test_everybody_is_held_against_the_reference_with_unit_and_direction() -> None:
    result = METHOD.run(PAGES, MATERIAL)
    first = rows(result, annotator=1, compared_with="reference", metric="collar_f1")[0]
    assert (first["kind"], first["mean"], first["n_items"]) == ("person", 1.0, 2)
    assert (first["unit"], first["better"]) == ("share, 0 to 1", "higher")
    assert rows(result, condition="good", compared_with="reference", metric="collar_f1")[0]["mean"] == 1.0
    bad = rows(result, condition="bad", compared_with="reference", metric="collar_f1")[0]
    assert (bad["mean"], bad["ci_low"], bad["ci_high"]) == (0.0, 0.0, 0.0)
    assert rows(result, condition="bad", compared_with="reference", metric="pk")[0]["better"] == "lower"
    assert not rows(result, condition="truth")
    json.dumps(result, allow_nan=False)


def test_who_is_compared_with_people_is_measured_against_each_of_the_others_and_averaged() -> None:
    result = METHOD.run(PAGES, MATERIAL)
    by_item = rows(result, "by_item", condition="good", compared_with="people", item="p")[0]
    one, other = (
        evaluate(Sample(Answer([121.0, 301.0]), Answer(times), DURATION_S), Measures()).metrics["recall"]
        for times in ([120.5, 299.0], [240.0])
    )
    assert by_item["recall"] == pytest.approx((one + other) / 2)
    alone = rows(result, "by_item", annotator=1, compared_with="people", item="p")[0]
    straight = evaluate(Sample(Answer([120.5, 299.0]), Answer([240.0]), DURATION_S), Measures()).metrics
    assert alone["window_diff"] == straight["window_diff"]


def test_systems_are_compared_in_both_directions_with_the_same_p() -> None:
    result = METHOD.run(PAGES, MATERIAL)
    there = rows(result, "differences", condition="good", compared_with="reference", metric="collar_f1")[0]
    back = rows(result, "differences", condition="bad", compared_with="reference", metric="collar_f1")[0]
    assert (there["against"], there["difference"], back["difference"]) == ("bad", 1.0, -1.0)
    assert (there["ci_low"], there["ci_high"]) == (-back["ci_high"], -back["ci_low"])
    assert there["p"] == back["p"] == there["p_smallest"] == 0.5


def test_two_people_are_held_against_each_other() -> None:
    result = METHOD.run(PAGES, MATERIAL)
    pair = rows(result, "pairs", annotator=1, reference_annotator=2, metric="collar_f1")[0]
    assert pair["mean"] == pytest.approx(0.5)
    assert len({(row["annotator"], row["reference_annotator"]) for row in result["pairs"]}) == 2


def test_one_answer_alone_is_counted_and_nothing_is_invented() -> None:
    result = METHOD.run([page(1, "p", 10.0, 20.0)], [heard("p")])
    assert [(row["metric"], row["mean"], row["compared_with"]) for row in result["rows"]] == [("chapters", 3.0, None)]
    assert (result["differences"], result["pairs"], result["by_item"]) == ([], [], [])
    assert result["counts"]["answers"] == 1


def test_practice_does_not_count_and_nothing_gives_empty_tables() -> None:
    assert METHOD.run([page(1, "p", 10.0, kind="practice")], MATERIAL) == EMPTY
    assert METHOD.run([], MATERIAL) == EMPTY


def test_the_same_answers_in_another_order_give_the_same_result() -> None:
    assert METHOD.run(PAGES, MATERIAL) == METHOD.run(PAGES[::-1], MATERIAL[::-1])


def test_titles_are_compared_where_both_sides_have_them() -> None:
    named = [page(1, "p", 120.0, 300.0, titles=("Birds", "Rain", "Night")), page(2, "p", 120.0, 300.0)]
    result = METHOD.run(named, MATERIAL)
    assert rows(result, annotator=1, compared_with="reference", metric="tm_rl_f1")[0]["mean"] == 1.0
    assert not rows(result, annotator=2, compared_with="reference", metric="tm_rl_f1")


def test_a_reader_is_told_what_to_know_once() -> None:
    result = METHOD.run([page(1, "p", 10.0), page(2, "p")], [heard("p"), told("p", "truth", 700.0, role="reference")])
    codes = {row["code"]: row["answers"] for row in result["warnings"]}
    assert codes["outside"] == 2
    assert codes["no-boundaries"] == 1
