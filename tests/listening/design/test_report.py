"""The report on a design counts right, judges right, and names a design by what is heard."""

import json
import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from scipy import stats

from listening.design.base import Design, SeatSequence, Showing
from listening.design.orders.presets import Crossed, UdaseExact
from listening.design.report.cost import t_975
from listening.design.report.summary import Finding, Verdict, design_digest, design_report, one_sentence, verify
from listening.design.report.values import Crosstab
from protocols.p835.protocol import SpeechBackgroundOverall
from rating.pace import INTRODUCTION_S
from rating.variance import OVERALL_QUALITY, VarianceComponents
from tests.listening.design.sizes import BAK_FIRST, SIG_FIRST, asked, udase
from tests.scale import ALL

CROSSED = Crossed().lay_out(udase())
PUBLISHED = UdaseExact().lay_out(udase())


def report(design: Design, **options: object) -> dict[str, Finding]:
    return {finding.key: finding for finding in design_report(design, **options)}  # type: ignore[arg-type]


def sentence(design: Design) -> str:
    return one_sentence(design, design_report(design))


def by_hand(*seats: str, sessions: int = 1, conditions: str = "xy") -> Design:
    """Lay out seats written as 'ax by | ay bx': item and condition, sessions parted by a bar."""
    sequences = []
    for number, seat in enumerate(seats, 1):
        showings = [
            Showing(session, cell[0], cell[1])
            for session, part in enumerate(seat.split("|"), 1)
            for cell in part.split()
        ]
        sequences.append(SeatSequence(1, number, tuple(showings)))
    items = sorted({showing.item for sequence in sequences for showing in sequence.showings})
    request = asked(panels=1, seats=len(seats), sessions=sessions, orders=((),))
    return Design("by-hand", replace(request, subsets=[items], conditions=list(conditions)), tuple(sequences))


def test_the_crossed_design_of_the_published_size_is_found_to_be_balanced_in_every_respect() -> None:
    found = report(CROSSED, showing_s=dict.fromkeys(cells(CROSSED), 3 * 9.5))
    assert {key: finding.value for key, finding in found.items() if finding.verdict != Verdict.OK} == {}
    assert found["votes_per_cell"].value == "8"
    assert found["votes_per_condition"].value == "1024"
    assert found["condition_by_session"].value == "8"
    assert found["item_repeats"].numbers["total"] == 0


def test_the_published_layout_is_found_to_confound_scale_order_with_panel_and_session() -> None:
    found = report(PUBLISHED)
    assert found["order_by_panel"].numbers["cramers_v"] == pytest.approx(1)
    assert found["order_by_session"].numbers["cramers_v"] == pytest.approx(1)
    flaws = {"order_by_panel", "order_by_session", "condition_by_session", "item_repeats", "item_distance"}
    assert flaws <= {key for key, finding in found.items() if finding.verdict == Verdict.BAD}


def cells(design: Design) -> set[tuple[str, str]]:
    return {(s.item, s.condition) for sequence in design.sequences for s in sequence.showings}


def test_counts_by_hand() -> None:
    found = report(by_hand("ax ay bx | by cx cy", "bx ax cy | cx ay by", sessions=2))
    assert found["item_repeats"].numbers == {"total": 5 - 1, "most": 3, "affected": 2}
    assert found["item_distance"].numbers == {"low": 1, "bound": 3}
    assert found["condition_runs"].numbers == {"longest": 2}
    # x-y y-x | y-x x-y and x-x x-y | x-y y-y
    assert found["carry_over"].numbers["low"] == 2
    assert found["carry_over"].numbers["high"] == 4
    assert found["carry_over"].numbers["alike"] == 2
    assert found["condition_by_session"].numbers["spread"] == 1
    assert found["votes_per_cell"].value == "2"
    table = found["carry_over"].table
    assert table is not None
    assert table.rows == (("x", 1, 4), ("y", 2, 1))


def test_a_cell_that_nobody_hears_makes_the_votes_bad() -> None:
    found = report(by_hand("ax ay bx"))
    assert (found["votes_per_cell"].verdict, found["votes_per_cell"].numbers["low"]) == ("bad", 0)


def test_a_run_of_a_condition_ends_with_its_session() -> None:
    assert report(by_hand("ax bx | cx ay | by cy", sessions=3))["condition_runs"].numbers["longest"] == 2


def test_distance_is_the_smallest_over_all_seats() -> None:
    found = report(by_hand("ax bx cx ay by cy", "ax bx cx cy by ay"))
    assert found["item_distance"].numbers["low"] == 1
    assert report(by_hand("ax bx cx ay by cy"))["item_distance"].numbers["low"] == 3
    assert report(by_hand("ax bx", conditions="x"))["item_distance"].value == "-"


@pytest.mark.parametrize(
    ("pairs", "v"),
    [
        ([("a", "1"), ("b", "2")] * 5, 1.0),
        ([("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")], 0.0),
        ([("a", "1")] * 3, 0.0),
        ([("a", "1")] * 3 + [("a", "2"), ("b", "1")] + [("b", "2")] * 3, 0.5),
    ],
)
def test_cramers_v_by_hand(pairs: list[tuple[str, str]], v: float) -> None:
    assert Crosstab(pairs).cramers_v == pytest.approx(v)


def test_minutes_count_pages_practice_checks_and_a_break_between_sessions() -> None:
    showing_s = dict.fromkeys(cells(CROSSED), 3 * 10.0)
    found = report(CROSSED, showing_s=showing_s, rest_s=120, checks_s=90)["minutes"]
    assert found.numbers["pages"] == pytest.approx(624 * 10 / 60)
    assert found.numbers["practice"] == pytest.approx(144 * 10 / 60)
    assert found.numbers["total"] == pytest.approx(624 * 10 / 60 + 4 * 2 + (INTRODUCTION_S + 90) / 60)
    assert found.numbers["longest"] == pytest.approx(144 * 10 / 60)


def test_practice_is_counted_and_timed_by_itself() -> None:
    found = report(CROSSED, showing_s=dict.fromkeys(cells(CROSSED), 30.0))["practice"]
    assert found.numbers == {"clips": 48, "minutes": pytest.approx(48 * 30 / 60)}
    assert "48 practice clips come first and take about 24.0 minutes" in found.sentence


def test_minutes_that_are_not_known_are_never_ok() -> None:
    assert report(CROSSED)["minutes"].verdict == Verdict.WARN
    some = dict.fromkeys(sorted(cells(CROSSED))[:10], 3 * 9.0)
    partly = report(CROSSED, showing_s=some)["minutes"]
    assert (partly.verdict, partly.numbers["unknown_clips"]) == (Verdict.WARN, 640 + 48 - 10)


def test_a_session_without_end_is_bad() -> None:
    assert report(CROSSED, showing_s=dict.fromkeys(cells(CROSSED), 3 * 25.0))["minutes"].verdict == Verdict.BAD


def test_half_widths_follow_from_the_components_of_each_scale() -> None:
    components = {
        "SIG": VarianceComponents(0.2, 0.2, 0.1, 0.1, 0.4),
        "BAK": VarianceComponents(0.1, 0.1, 0.1, 0.1, 0.2),
    }
    found = report(CROSSED, components=components)
    assert found["half_width_votes"].numbers["half_width.SIG"] == pytest.approx(t_times(1, 1024))
    assert found["half_width_listeners"].numbers["half_width.SIG"] == pytest.approx(t_times(0.3 + 0.7 / 32, 32))
    assert found["half_width_listeners"].numbers["half_width.BAK"] == pytest.approx(t_times(0.2 + 0.4 / 32, 32))
    assert found["half_width_difference"].numbers["half_width.SIG"] == pytest.approx(t_times(2 * (0.1 + 0.5 / 32), 32))
    assert found["half_width_difference"].numbers["half_width.BAK"] == pytest.approx(t_times(2 * (0.1 + 0.3 / 32), 32))
    widest = max(found["half_width_difference"].numbers[f"half_width.{scale}"] for scale in SIG_FIRST)
    assert found["half_width_difference"].numbers["half_width"] == widest
    table = found["half_width_listeners"].table
    assert table is not None
    assert [row[0] for row in table.rows] == list(SIG_FIRST)
    alone = report(by_hand("ax", conditions="x"))
    assert (alone["half_width_listeners"].value, alone["half_width_listeners"].verdict) == ("-", Verdict.BAD)


def t_times(variance: float, count: int) -> float:
    return float(stats.t.ppf(0.975, count - 1) * math.sqrt(variance / count))


def test_what_is_assumed_of_votes_is_what_published_ones_were_fitted_to() -> None:
    components = {scale.key: scale.components for scale in SpeechBackgroundOverall.scales}
    shares = {scale: round(100 * parts.listener_share) for scale, parts in components.items()}
    assert shares == {"SIG": 34, "BAK": 25, "OVRL": 29}
    spread = {scale: round(parts.total**0.5, 2) for scale, parts in components.items()}
    assert spread == {"SIG": 1.04, "BAK": 0.85, "OVRL": 0.93}
    found = report(CROSSED, components=components)
    widths = {key: round(found["half_width_listeners"].numbers[f"half_width.{key}"], 2) for key in components}
    assert widths == {"SIG": 0.22, "BAK": 0.16, "OVRL": 0.19}


def test_scales_of_which_nothing_is_assumed_vary_like_overall_quality() -> None:
    wanted = report(by_hand("ax ay", "ay ax"), components={"QUALITY": OVERALL_QUALITY})["half_width_difference"]
    assert wanted.numbers["half_width.QUALITY"] == wanted.numbers["half_width"]
    assert report(by_hand("ax ay", "ay ax"))["half_width_difference"].numbers["half_width"] == pytest.approx(
        wanted.numbers["half_width"]
    )


@pytest.mark.parametrize("df", [1, 2, 3, 4, 7, 8, 31, 59, 60, 61, 62, 127, 1023, 20_000])
def test_students_t_agrees_with_scipy(df: int) -> None:
    assert t_975(df) == pytest.approx(stats.t.ppf(0.975, df), abs=1e-6)


def test_factors_that_gather_in_a_panel_are_found() -> None:
    even = {item: {"sex": "FM"[number % 2]} for subset in CROSSED.request.subsets for number, item in enumerate(subset)}
    assert report(CROSSED, factors=even)["factor_by_panel.sex"].verdict == Verdict.OK
    gathered = {item: {"sex": "F" if panel else "M"} for panel, s in enumerate(CROSSED.request.subsets) for item in s}
    found = report(CROSSED, factors=gathered)["factor_by_panel.sex"]
    assert found.verdict == Verdict.BAD
    assert found.numbers["cramers_v"] == pytest.approx(1)


def test_one_seat_after_the_other_leaves_orders_unbalanced_and_the_report_says_so() -> None:
    lonely = Crossed().lay_out(asked(panels=2, seats=1))
    found = report(lonely)
    assert found["order_by_session"].verdict == Verdict.BAD
    assert found["order_by_panel"].verdict == Verdict.BAD


@pytest.mark.parametrize("seats", [3, 5, 7] if ALL else [5])
@pytest.mark.parametrize("sessions", [1, 2, 3, 4])
def test_an_odd_seat_is_judged_alike_wherever_it_counts(seats: int, sessions: int) -> None:
    for panels in (1, 2, 3) if ALL else (1, 2):
        found = report(Crossed().lay_out(asked(items=10, conditions=4, panels=panels, seats=seats, sessions=sessions)))
        verdicts = {key: finding.verdict for key, finding in found.items() if key.startswith("order_by_")}
        assert set(verdicts.values()) == {Verdict.OK}, verdicts
        assert ("order_by_panel" in verdicts) == (panels > 1)


def successors(*seats: str) -> dict[str, float]:
    return dict(report(by_hand(*seats, conditions="xyz"))["item_successors"].numbers)


def test_successors_on_the_same_item_are_counted_whatever_lies_between() -> None:
    told = successors("ax bx cx ay by cy az bz cz")
    assert (told["low"], told["high"], told["share"]) == (0, 3, 1.0)
    found = report(by_hand("ax by cz ay bz cx az bx cy", "ax by cz az bx cy ay bz cx", conditions="xyz"))
    assert found["item_successors"].numbers["low"] == found["item_successors"].numbers["high"] == 2
    assert found["item_successors"].numbers["variation"] == 0
    assert found["item_successors"].numbers["share"] == 1
    assert found["item_successors"].numbers["least_share"] == pytest.approx(0.5)
    assert found["item_successors"].verdict == Verdict.BAD
    table = found["item_successors"].table
    assert table is not None
    assert table.rows == (("x", 0, 2, 2), ("y", 2, 0, 2), ("z", 2, 2, 0))


def test_the_condition_in_which_an_item_is_first_heard_is_counted() -> None:
    first = report(by_hand("ax bx cx dx ay by cy dy", "ax bx cx dx ay by cy dy"))["first_conditions"]
    assert first.numbers == {"low": 0, "high": 8, "variation": 1.0, "most": 2}
    assert first.verdict == Verdict.BAD
    even = report(by_hand("ax by cx dy ay bx cy dx", "ay bx cy dx ax by cx dy"))["first_conditions"]
    assert even.numbers == {"low": 4, "high": 4, "variation": 0.0, "most": 1}
    assert even.verdict == Verdict.OK


def test_the_sentence_claims_only_what_the_findings_call_even() -> None:
    found = design_report(CROSSED)
    assert "balanced over sessions, positions, neighbours and successive showings of an item, scale" in sentence(
        CROSSED
    )
    assert "but not" not in sentence(CROSSED)
    for key, name in [
        ("condition_by_session", "sessions"),
        ("condition_by_position", "positions"),
        ("carry_over", "neighbours"),
        ("item_successors", "successive showings of an item"),
    ]:
        worse = [replace(finding, verdict=Verdict.WARN) if finding.key == key else finding for finding in found]
        text = one_sentence(CROSSED, worse)
        assert f", but not over {name}" in text
        assert name not in text.split(", but not over")[0].split("; ")[1]
    unbalanced = [replace(finding, verdict=Verdict.BAD) for finding in found]
    assert "balanced over" not in one_sentence(CROSSED, unbalanced)
    assert "scale orders were balanced" not in one_sentence(CROSSED, unbalanced)
    assert "balanced over" not in one_sentence(CROSSED, [])


@pytest.mark.parametrize(
    ("sessions", "says"),
    [
        (1, "each listener in one of the orders"),
        (2, "for equal parts of the sessions"),
        (3, "for unequal parts of the sessions"),
        pytest.param(4, "for equal parts of the sessions", marks=pytest.mark.long),
    ],
)
def test_the_sentence_says_how_the_sessions_are_shared_out_over_the_scale_orders(sessions: int, says: str) -> None:
    assert says in sentence(Crossed().lay_out(asked(items=10, sessions=sessions)))


def test_the_published_layout_of_one_panel_begins_with_one_scale_order() -> None:
    assert "every listener began with the same scale order" in sentence(UdaseExact().lay_out(asked(panels=1)))


def change(design: Design, seat: int, edit: Callable[[list[Showing]], list[Showing]]) -> Design:
    sequences = list(design.sequences)
    sequences[seat] = replace(sequences[seat], showings=tuple(edit(list(sequences[seat].showings))))
    return replace(design, sequences=tuple(sequences))


@pytest.mark.parametrize(
    ("edit", "rule"),
    [
        (lambda showings: [*showings[:-1], replace(showings[-1], item=showings[-2].item)], "rule.complete"),
        (lambda showings: showings[:-1], "rule.complete"),
        (lambda showings: showings[1:], "rule.anchoring"),
        (lambda showings: [*showings[1:], showings[0]], "rule.sessions"),
        (lambda showings: [*showings[:-1], replace(showings[-1], session=5)], "rule.sessions"),
        (lambda showings: [*showings[:-1], replace(showings[-1], scales=("SIG",))], "rule.scales"),
        (lambda showings: [*showings[:-1], replace(showings[-1], scales=showings[60].scales)], "rule.order_changes"),
        (
            lambda showings: [replace(s, session=2) if n in {86, 87} else s for n, s in enumerate(showings)],
            "rule.lengths",
        ),
    ],
)
def test_every_broken_rule_is_found_and_names_the_seat(
    edit: Callable[[list[Showing]], list[Showing]], rule: str
) -> None:
    broken = {finding.key: finding for finding in verify(change(CROSSED, 9, edit)) if finding.verdict != Verdict.OK}
    assert rule in broken
    assert "2/2" in broken[rule].sentence


def test_missing_and_misplaced_seats_are_found() -> None:
    fewer = replace(CROSSED, sequences=CROSSED.sequences[:-2])
    swapped = replace(CROSSED, sequences=(CROSSED.sequences[1], CROSSED.sequences[0], *CROSSED.sequences[2:]))
    stranger = replace(CROSSED, sequences=(replace(CROSSED.sequences[0], panel=9), *CROSSED.sequences[1:]))
    for design in (fewer, swapped, stranger):
        assert verify(design)[0].verdict == Verdict.BAD


def test_the_digest_names_what_is_heard_and_nothing_else() -> None:
    again = replace(Crossed().lay_out(udase()), preset="imported")
    assert design_digest(again) == design_digest(CROSSED)
    swapped = change(CROSSED, 0, lambda showings: [showings[1], showings[0], *showings[2:]])
    rescaled = change(CROSSED, 0, lambda showings: [replace(showings[0], scales=("OVRL",)), *showings[1:]])
    others = {design_digest(design) for design in (CROSSED, PUBLISHED, swapped, rescaled)}
    assert len(others) == 4


@pytest.mark.parametrize(
    ("preset", "digest"),
    [
        (Crossed(), "5051f0006c090686bb4bee70c1b48d07cc9b928bc3b3eab57aff0605f284ba03"),
        (UdaseExact(), "091beeecd6b5198b21c9eb7a49914ea11a8cb40481501352a9ac590427335f1a"),
    ],
)
def test_a_seed_gives_the_same_design_in_every_release(preset: Crossed | UdaseExact, digest: str) -> None:
    assert design_digest(preset.lay_out(udase("2024"))) == digest


def test_one_sentence_holds_the_numbers_of_the_design() -> None:
    text = sentence(CROSSED)
    numbers = (
        "32 listeners",
        "4 panels of 8",
        "32 items",
        "5 conditions",
        "160 clips",
        "4 sessions of 40",
        "48 reference",
    )
    assert [part for part in numbers if part not in text] == []
    assert "SIG-BAK-OVRL, BAK-SIG-OVRL" in text
    assert "28 clips later" in text
    assert "depended on the panel" in sentence(PUBLISHED)
    alone = sentence(Crossed().lay_out(asked(items=3, panels=1, sessions=1, conditions=1, orders=((),))))
    assert "panels" not in alone
    assert "one session of 3 clips" in alone


def test_findings_are_plain_json_with_what_their_sentences_were_made_of() -> None:
    for finding in [*verify(CROSSED), *design_report(CROSSED)]:
        facts = json.loads(json.dumps(finding.to_json()))
        assert facts["sentence"] == finding.sentence
        assert facts["parts"]["sentence"]["msgid"]
        assert facts["verdict"] in {"ok", "warn", "bad"}
        assert "{" not in finding.sentence
        assert finding.sentence.endswith(".")


def test_every_respect_has_an_answer_for_awkward_sizes() -> None:
    for items, conditions, seats in [(1, 1, 1), (1, 4, 3), (2, 2, 1), (3, 7, 2), (7, 3, 4)]:
        design = Crossed().lay_out(asked(items=items, conditions=conditions, seats=seats, sessions=1, panels=1))
        assert all(finding.value for finding in design_report(design))
        assert sentence(design).endswith(".")


def test_orders_of_scales_are_counted_by_name() -> None:
    table = report(CROSSED)["condition_by_order"].table
    assert table is not None
    assert table.columns == ("condition", "-".join(BAK_FIRST), "-".join(SIG_FIRST))
