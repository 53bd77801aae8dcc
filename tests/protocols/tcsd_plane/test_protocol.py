"""The TC/SD plane: one recording a page, crosses with every move, an example that is not rated."""

import re
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from protocols import tcsd_plane
from protocols.tcsd_plane.protocol import TemporalSourcePlane
from rating.protocol import Entry, InvalidAnswer, Mark, MaterialUnfit, TrialKind, TrialPlan

PLANE = TemporalSourcePlane()
SUMMARIES = ("downsampling", "random", "z0", "z1")
EXAMPLE = {
    "item": "X",
    "crosses": [
        {"condition": "random", "tc": 0.2, "sd": 0.6, "why": "Many sources, in no order.", "hears": [[30250, 30260]]},
        {"condition": "z1", "tc": 0.3, "sd": 0.9, "why": "Nearly every source."},
    ],
}


def recording(item: str) -> list[Entry]:
    full = Entry(f"{item} full", item, "original", role="full-length")
    return [full, *(Entry(f"{item} {name}", item, name) for name in SUMMARIES)]


def plan(items: str = "ABCD", seed: int = 1, **options: Any) -> list[TrialPlan]:
    return list(PLANE.plan([entry for item in items for entry in recording(item)], options, Random(seed)))


def by_item(pages: list[TrialPlan]) -> dict[str, TrialPlan]:
    return {page.slots[0].entry.item: page for page in pages}


def numbering(page: TrialPlan) -> list[str]:
    return [slot.entry.condition for slot in page.slots[1:]]


def cross(tc: float = 0.25, sd: float = 0.75, *, decided: bool = True) -> dict[str, Any]:
    return {"tc": tc, "sd": sd, "decided": decided}


def move(**changes: Any) -> dict[str, Any]:
    return {"slot": "s1", "to": [0.25, 0.75], "decided": False, "input": "pointer", "plane_px": 560} | changes


def whole(**changes: Any) -> dict[str, Any]:
    return {"crosses": {f"s{n}": cross() for n in range(1, 5)}, "moves": [move()], "finished": True} | changes


# --- Pages ------------------------------------------------------------------------------------------------------------


def test_a_page_is_one_recording_with_all_its_summaries_and_a_session_of_its_own() -> None:
    pages = plan()
    assert [page.session for page in pages] == [1, 2, 3, 4]
    for page in pages:
        assert [slot.key for slot in page.slots] == ["full", "s1", "s2", "s3", "s4"]
        assert len({slot.entry.item for slot in page.slots}) == 1
        assert page.slots[0].entry.role == "full-length"
        assert sorted(numbering(page)) == sorted(SUMMARIES)


def test_recordings_come_shuffled_or_by_name() -> None:
    orders = {"".join(page.slots[0].entry.item for page in plan(seed=seed)) for seed in range(20)}
    assert len(orders) > 5
    assert [page.slots[0].entry.item for page in plan("DBCA", recordings="named")] == list("ABCD")


@pytest.mark.parametrize(("option", "look"), [
    ("numbering", numbering),
    ("probes", lambda page: page.detail["probes"]),
])  # fmt: skip
def test_numbers_and_probes_are_the_same_for_all_raters_or_drawn_for_each(option: str, look: Any) -> None:
    def seen(policy: str) -> set[str]:
        return {str(look(by_item(plan(seed=seed, **{option: policy}))["A"])) for seed in range(8)}

    assert len(seen("same")) == 1
    assert len(seen("rater")) > 1


def test_numbers_differ_between_recordings_and_do_not_follow_the_names() -> None:
    orders = [numbering(page) for page in plan("ABCDEFGH")]
    assert len({str(order) for order in orders}) > 1
    assert any(order != sorted(order) for order in orders)


def test_there_are_five_probes_in_each_of_24_hours_and_none_where_the_rater_puts_them() -> None:
    (page,) = plan("A")
    probes = PLANE.present(page)["probes"]
    assert [len(hour) for hour in probes] == [5] * 24
    assert all(0 <= share <= 1 for hour in probes for share in hour)
    assert PLANE.present(plan("A", probes="own")[0])["probes"] == []


@pytest.mark.parametrize("broken", [recording("A")[1:], recording("A")[:1], [*recording("A"), recording("A")[0]]])
def test_a_recording_without_its_parts_is_refused(broken: list[Entry]) -> None:
    with pytest.raises(MaterialUnfit, match="one recording and at least one summary"):
        list(PLANE.plan(broken, {}, Random(1)))


# --- Cue sheets -------------------------------------------------------------------------------------------------------


def day_with_cues(**sheets: list[list[float]]) -> list[Entry]:
    """An hour with summaries of ten seconds, and cue sheets by condition."""
    heard = [replace(entry, duration_s=3600 if entry.role == "full-length" else 10) for entry in recording("A")]
    texts = [
        Entry(f"cues {name}", "A", f"cues of {name}", text={"kind": "cues", "text": "", "of": name, "cues": cues})
        for name, cues in sheets.items()
    ]
    return [*heard, *texts]


def test_cue_sheets_are_told_by_slot_and_change_nothing_else() -> None:
    [bare] = PLANE.plan(day_with_cues(), {}, Random(1))
    [page] = PLANE.plan(day_with_cues(random=[[0, 1800], [4.5, 60]], z1=[[2, 3000]]), {}, Random(1))
    token = {slot.entry.condition: slot.key for slot in page.slots}
    passages = {token["random"]: [[0, 1800, 4.5], [4.5, 60, 5.5]], token["z1"]: [[2, 3000, 8]]}
    assert PLANE.present(page) == PLANE.present(bare) | {"passages": passages}
    assert page == replace(bare, detail={**bare.detail, "passages": passages})
    assert "passages" not in PLANE.present(bare)
    assert not [name for name in SUMMARIES if name in str(PLANE.present(page))]


def test_cue_sheets_can_be_withheld() -> None:
    assert list(PLANE.plan(day_with_cues(random=[[0, 1800]]), {"passages": "hidden"}, Random(1))) == list(
        PLANE.plan(day_with_cues(), {}, Random(1))
    )


@pytest.mark.parametrize(("condition", "cues", "problem"), [
    ("randon", [[0, 0]], "A has a cue sheet for randon, which is none of its summaries. Name one of downsampling,"),
    ("original", [[0, 0]], "A has a cue sheet for original, which is none of its summaries"),
    ("z0", [[0, 0], [10, 60]], "passage 2 in the cue sheet of A, z0 begins at 00:00:10 of the summary. It must begin"),
    ("z0", [[0, 0], [5, 3600]], "passage 2 in the cue sheet of A, z0 ends at 01:00:05 of the full recording. It must"),
])  # fmt: skip
def test_passages_outside_of_the_summary_or_the_day_are_refused(condition: str, cues: Any, problem: str) -> None:
    with pytest.raises(MaterialUnfit, match=problem):
        list(PLANE.plan(day_with_cues(**{condition: cues}), {}, Random(1)))


def test_the_last_passage_may_end_with_the_day_though_an_encoder_made_the_summary_longer() -> None:
    [page] = PLANE.plan(day_with_cues(z0=[[0, 3590.5]]), {}, Random(1))
    assert list(page.detail["passages"].values()) == [[[0, 3590.5, 10]]]


# --- The example ------------------------------------------------------------------------------------------------------


def test_the_example_comes_first_is_not_rated_and_names_no_condition() -> None:
    first, *others = plan("ABX", example=EXAMPLE)
    assert (first.session, first.kind, first.slots[0].entry.item) == (0, TrialKind.PRACTICE, "X")
    assert {page.kind for page in others} == {TrialKind.TEST}
    assert [page.session for page in others] == [1, 2]
    token = {slot.entry.condition: slot.key for slot in first.slots}
    assert PLANE.present(first)["example"] == {
        token["random"]: {"tc": 0.2, "sd": 0.6, "why": "Many sources, in no order.", "hears": [[30250, 30260]]},
        token["z1"]: {"tc": 0.3, "sd": 0.9, "why": "Nearly every source.", "hears": []},
    }


def test_the_example_is_seen_and_nothing_else() -> None:
    page = plan("AX", example=EXAMPLE)[0]
    answer = PLANE.read({"seen": True, "finished": True}, page)
    assert (answer.marks, answer.whole) == ((), True)
    with pytest.raises(InvalidAnswer):
        PLANE.read(whole(), page)


# --- Answers ----------------------------------------------------------------------------------------------------------


def test_a_step_holds_the_crosses_that_are_placed_so_far() -> None:
    (page,) = plan("A")
    answer = PLANE.read({"crosses": {"s2": cross(0.4237, 1, decided=False)}}, page)
    assert answer.marks == (Mark("s2", "TC", 0.4237), Mark("s2", "SD", 1.0))
    assert not answer.whole
    assert PLANE.read({"crosses": {}}, page).marks == ()


def test_only_a_page_with_every_cross_decided_can_be_closed() -> None:
    (page,) = plan("A")
    assert PLANE.read(whole(), page).whole
    missing, tentative = whole(), whole()
    del missing["crosses"]["s3"]
    tentative["crosses"]["s3"] = cross(decided=False)
    for payload in (missing, tentative):
        with pytest.raises(InvalidAnswer, match="still open: s3"):
            PLANE.read(payload, page)
        assert not PLANE.read({**payload, "finished": False}, page).whole


def test_notes_are_kept_beside_the_marks() -> None:
    (page,) = plan("A")
    written = {
        "sources": ["rain", "cars"],
        "hours": [{"hour": 8, "present": ["rain"], "note": "heavy"}],
        "comment": "A quiet street.",
        "lines": {"s1": "only cars"},
    }
    assert PLANE.read(whole(**written), page).detail == written


@pytest.mark.parametrize("change", [
    {"slot": "full"},
    {"slot": "s9"},
    {"to": [0.5]},
    {"to": [0.5, 1.01]},
    {"to": [0.12345, 0.5]},
    {"to": "tray"},
    {"input": "telepathy"},
    {"decided": "yes"},
    {"numbers": 1},
    {"plane_px": -1},
    {"at_ms": -1},
    {"pressure": 3},
])  # fmt: skip
def test_a_move_says_what_moved_where_and_how_or_is_refused(change: dict[str, Any]) -> None:
    (page,) = plan("A")
    assert PLANE.read(whole(moves=[move(numbers=True, at_ms=17), move(to=None, input="undo")]), page).whole
    with pytest.raises(InvalidAnswer):
        PLANE.read(whole(moves=[move(**change)]), page)


@pytest.mark.parametrize(("at", "value"), [
    (("crosses", "s1", "tc"), 1.0001),
    (("crosses", "s1", "sd"), -0.0001),
    (("crosses", "s1", "sd"), 0.33333),
    (("crosses", "s9"), cross()),
    (("crosses", "full"), cross()),
    (("probes",), [{"hour": 1, "number": 0, "share": 0.5}]),
    (("probes",), [{"hour": 1, "number": 1, "share": 1.5}]),
    (("lines",), {"s9": "whose?"}),
    (("moves",), [move()] * 501),
])  # fmt: skip
def test_what_lies_outside_is_refused(at: tuple[str, ...], value: Any) -> None:
    (page,) = plan("A")
    payload = deepcopy(whole())
    part = payload
    for key in at[:-1]:
        part = part[key]
    part[at[-1]] = value
    with pytest.raises(InvalidAnswer):
        PLANE.read(payload, page)


def test_simulated_raters_agree_about_conditions_more_than_by_chance() -> None:
    (page,) = plan("A")
    tc_of: dict[str, list[float]] = {slot.key: [] for slot in page.slots[1:]}
    for seed in range(30):
        for mark in PLANE.read(PLANE.example(page, Random(seed)), page).marks:
            if mark.scale == "TC":
                tc_of[mark.slot].append(mark.value)
    means = [sum(values) / len(values) for values in tc_of.values()]
    assert max(means) - min(means) > 0.1


def test_the_page_knows_whether_the_crosses_of_others_are_shown_before_a_summary_is_placed() -> None:
    assert {PLANE.present(page)["others"] for page in plan()} == {"shown"}
    assert {PLANE.present(page)["others"] for page in plan(others="after_placing")} == {"after_placing"}


def test_raters_read_of_a_recording_however_long_it_is() -> None:
    """It may last two hours: nothing that they read calls it a day."""
    texts = [path.read_text(encoding="utf-8") for path in Path(tcsd_plane.__path__[0]).glob("templates/**/*.html")]
    words = [scale for labels in TemporalSourcePlane.label_sets for scale in labels.scales.values()]
    texts += [text for scale in words for text in (scale.question, scale.attend)]
    assert len(texts) > 6
    assert [text[:80] for text in texts if re.search(r"\bday\b", re.sub(r"{%.*?include.*?%}", "", text))] == []
