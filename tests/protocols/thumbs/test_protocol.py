"""THumBS: one clip a page with all its captions, penalties that are never positive, an example that is not scored."""

from random import Random
from typing import Any

import pytest

from protocols.thumbs.protocol import ENTERED, CaptionScores, overall
from rating.options import check_options
from rating.protocol import Entry, InvalidAnswer, Mark, MaterialUnfit, OptionUnfit, TrialKind, TrialPlan

THUMBS = CaptionScores()
SOURCES = ("describer", "system", "other system")
SCORED = {"PRECISION": 4, "RECALL": 2, "FLUENCY": -0.1, "CONCISENESS": -0.5, "IRRELEVANCE": 0}
EXAMPLE = {
    "item": "x",
    "captions": [{"condition": "system", **SCORED, "why": "Said twice."}, {"condition": "nobody", "PRECISION": 1}],
    "synthesised": False,
}


def clip(item: str, dataset: str = "D1", sources: tuple[str, ...] = SOURCES) -> list[Entry]:
    factors = {"dataset": dataset}
    captions = [
        Entry(f"{item} {source}", item, source, factors=factors, text={"kind": "caption", "text": source})
        for source in sources
    ]
    return [Entry(f"{item} sound", item, "sound", factors=factors), *captions]


def plan(*items: list[Entry], seed: int = 1, **options: Any) -> list[TrialPlan]:
    return list(THUMBS.plan([entry for item in items for entry in item], options, Random(seed)))


def page(**options: Any) -> TrialPlan:
    [only] = plan(clip("a", sources=("describer", "system")), **options)
    return only


def answer(**changes: Any) -> dict[str, Any]:
    captions = {"c1": dict(SCORED), "c2": {**SCORED, "comment": "“a car”: twice"}}
    return {"captions": captions, "synthesised": True, "listened": {"plays": 2}, "finished": True} | changes


# --- Pages ------------------------------------------------------------------------------------------------------------


def test_a_page_is_one_clip_with_all_its_captions_in_an_order_of_its_own() -> None:
    orders = set()
    for seed in range(20):
        [only] = plan(clip("a"), seed=seed)
        assert [slot.key for slot in only.slots] == ["clip", "c1", "c2", "c3"]
        assert only.slots[0].entry.condition == "sound"
        orders.add(tuple(slot.entry.condition for slot in only.slots[1:]))
    assert len(orders) > 3
    assert all(sorted(order) == sorted(SOURCES) for order in orders)


def test_blocks_come_one_after_another_and_clips_are_shuffled_inside() -> None:
    material = [clip(f"{dataset}{n}", dataset) for n in range(4) for dataset in ("D2", "D1")]
    orders = set()
    for seed in range(10):
        pages = plan(*material, seed=seed)
        datasets = [one.slots[0].entry.factors["dataset"] for one in pages]
        assert datasets == ["D1"] * 4 + ["D2"] * 4
        assert [one.session for one in pages] == [1] * 4 + [2] * 4
        orders.add(tuple(one.slots[0].entry.item for one in pages))
    assert len(orders) > 5


def test_the_example_comes_first_is_not_scored_and_names_no_source() -> None:
    first, second = plan(clip("a"), clip("x"), example=EXAMPLE)
    assert (first.kind, first.session, first.slots[0].entry.item) == (TrialKind.PRACTICE, 0, "x")
    assert (second.kind, second.session, second.slots[0].entry.item) == (TrialKind.TEST, 1, "a")
    shown = THUMBS.present(first)
    [key] = [slot.key for slot in first.slots if slot.entry.condition == "system"]
    assert shown["example"] == {"captions": {key: {**SCORED, "why": "Said twice."}}, "synthesised": False}
    assert "example" not in THUMBS.present(second)
    assert not any(source in str(shown) for source in SOURCES)
    seen = THUMBS.read({"seen": True, "finished": True}, first)
    assert (seen.marks, seen.whole) == ((), True)


def test_a_clip_without_captions_or_with_two_sounds_is_refused() -> None:
    with pytest.raises(MaterialUnfit, match="a has no captions"):
        plan(clip("a", sources=()))
    with pytest.raises(MaterialUnfit, match="a has 2 sounds"):
        plan([*clip("a"), Entry("a again", "a", "again")])


# --- Answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("values", "expected"), [
    (SCORED, 2.4),
    (dict.fromkeys(ENTERED, 1) | {"FLUENCY": -2, "CONCISENESS": -2, "IRRELEVANCE": -2}, -5),  # not clamped
    ({"PRECISION": 5, "RECALL": 5, "FLUENCY": 0, "CONCISENESS": 0, "IRRELEVANCE": 0}, 5),
])  # fmt: skip
def test_penalties_are_added(values: dict[str, float], expected: float) -> None:
    assert overall(values) == expected


def test_a_whole_answer_becomes_marks_with_the_overall_of_every_caption() -> None:
    read = THUMBS.read(answer(), page())
    assert read.whole
    assert Mark("c2", "OVERALL", 2.4) in read.marks
    assert Mark("c1", "IRRELEVANCE", 0) in read.marks
    assert Mark("clip", "SYNTHESISED", 1) in read.marks
    assert len(read.marks) == 2 * 6 + 1
    assert read.detail == {"comments": {"c1": "", "c2": "“a car”: twice"}}


def test_a_draft_may_lack_anything_and_has_no_overall_before_all_five_are_there() -> None:
    read = THUMBS.read({"captions": {"c1": {"PRECISION": 3, "FLUENCY": None}}}, page())
    assert (read.whole, read.marks) == (False, (Mark("c1", "PRECISION", 3),))


@pytest.mark.parametrize(("captions", "match"), [
    ({"FLUENCY": 0.5}, "never positive"),
    ({"FLUENCY": -2.1}, "-2 to 0"),
    ({"FLUENCY": -0.25}, "steps of 0.1"),
    ({"RECALL": 3.25}, "steps of 0.5"),
    ({"RECALL": 0}, "1 to 5"),
    ({"RECALL": "4"}, "takes a number"),
    ({"RECALL": True}, "takes a number"),
    ({"OVERALL": 3}, "OVERALL"),
    ({"comment": 7}, "comment"),
])  # fmt: skip
def test_what_is_wrong_with_a_caption_is_told(captions: dict[str, Any], match: str) -> None:
    with pytest.raises(InvalidAnswer, match=match):
        THUMBS.read({"captions": {"c1": captions}}, page())


def test_only_whole_numbers_are_taken_where_the_step_is_one() -> None:
    with pytest.raises(InvalidAnswer, match="steps of 1"):
        THUMBS.read({"captions": {"c1": {"RECALL": 3.5}}}, page(step=1))


@pytest.mark.parametrize(("changes", "match"), [
    ({"captions": {"c1": SCORED}}, "c2 lacks PRECISION"),
    ({"captions": {"c1": SCORED, "c2": {**SCORED, "FLUENCY": None}}}, "a penalty of 0 too; c2 lacks FLUENCY"),
    ({"synthesised": None}, "yes or no"),
    ({"captions": {"c1": SCORED, "c9": SCORED}}, "c9"),
])  # fmt: skip
def test_an_answer_that_says_it_is_whole_must_be(changes: dict[str, Any], match: str) -> None:
    with pytest.raises(InvalidAnswer, match=match):
        THUMBS.read(answer(**changes), page())


def test_whether_it_is_synthesised_is_only_asked_where_the_test_asks_it() -> None:
    asking, silent = page(), page(synthesised=False)
    assert ("SYNTHESISED" in asking.ask, "SYNTHESISED" in silent.ask) == (True, False)
    read = THUMBS.read({key: value for key, value in answer().items() if key != "synthesised"}, silent)
    assert read.whole
    assert all(mark.scale != "SYNTHESISED" for mark in read.marks)


MATERIAL = {"park": {"sound": "test", "describer": "test", "machine": "test"}}
CAPTION = {"condition": "machine", "PRECISION": 4, "RECALL": 3.5, "FLUENCY": 0, "CONCISENESS": -0.5, "IRRELEVANCE": 0}


def shown(**caption: Any) -> dict[str, Any]:
    return {"item": "park", "captions": [{**CAPTION, **caption}], "synthesised": False}


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"step": 0.3}, "0.5 or 1"),
        ({"overall": "sometimes"}, "one of when set, never"),
        ({"synthesised": "yes"}, "true or false"),
        ({"example": {"item": "park"}}, "a list of captions"),
        ({"example": shown() | {"note": ""}}, "nothing else"),
        ({"example": shown() | {"synthesised": "no"}}, "synthesised takes true or false"),
        ({"example": shown() | {"item": "elsewhere"}}, "no item elsewhere"),
        ({"example": shown(condition="ghost")}, "left are describer, machine, sound"),
        ({"example": {"item": "park", "captions": [CAPTION, CAPTION]}}, "caption 2 must name a condition of its own"),
        ({"example": {"item": "park", "captions": ["machine"]}}, "caption 1 must name"),
        ({"example": shown(PRECISION=4.2)}, "PRECISION takes 1 to 5 in steps of 0.5"),
        ({"example": shown(RECALL=None)}, "in caption 1, RECALL takes a number"),
        ({"example": shown(FLUENCY=0.5)}, "FLUENCY takes -2 to 0"),
        ({"step": 1.0, "example": shown()}, "RECALL takes 1 to 5 in steps of 1,"),
        ({"example": shown(colour="red")}, "colour"),
        ({"example": shown(why=7)}, "why of caption 1 is a text"),
    ],
)
def test_options_that_could_not_be_followed_are_refused_with_what_would_be_right(
    options: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(OptionUnfit) as refused:
        check_options(THUMBS, options, MATERIAL)
    assert wrong in str(refused.value)


def test_a_fit_example_is_accepted_and_before_an_import_only_its_shape_is_judged() -> None:
    check_options(THUMBS, {"example": shown(why="All of it is there.")}, MATERIAL)
    check_options(THUMBS, {"step": 1, "example": shown(RECALL=3)}, MATERIAL)
    check_options(THUMBS, {"example": shown() | {"item": "not yet here"}}, {})
