"""The crossed preset keeps its promises at every size, awkward ones included."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from listening.design.base import ANCHORING, Design, LayoutRequest, ScaleOrder, Showing
from listening.design.orders.assignment import least_share
from listening.design.orders.presets import Crossed, session_lengths
from listening.design.orders.sequence import Spacing, build_sequence
from listening.design.report.order import first_conditions, item_successors, smallest_distance
from listening.design.report.rules import verify
from tests.errors import raises_error
from tests.listening.design.sizes import BAK_FIRST, SIG_FIRST, asked, udase
from tests.scale import ALL

THREE_ORDERS: tuple[ScaleOrder, ...] = (("A", "B", "C"), ("B", "C", "A"), ("C", "A", "B"))


LAID_OUT: dict[str, Design] = {}


def lay_out(wish: LayoutRequest) -> Design:
    """The design for a request, laid out once for all tests that look at it."""
    key = repr(wish)
    if key not in LAID_OUT:
        LAID_OUT[key] = Crossed().lay_out(wish)
    return LAID_OUT[key]


def counted(design: Design) -> list[list[Showing]]:
    return [[s for s in sequence.showings if s.session != ANCHORING] for sequence in design.sequences]


@st.composite
def requests(draw: st.DrawFn) -> LayoutRequest:
    items, conditions = draw(st.integers(1, 13)), draw(st.integers(1, 9))
    seats, panels = draw(st.integers(1, 11)), draw(st.integers(1, 3))
    earlier = st.tuples(st.integers(1, panels), st.integers(1, seats)).filter(lambda size: size != (panels, seats))
    grown = draw(st.lists(earlier, max_size=1)) if (panels, seats) != (1, 1) else []
    wish = asked(
        items=items,
        conditions=conditions,
        seats=seats,
        panels=panels,
        sessions=draw(st.integers(1, min(7, items * conditions))),
        references=draw(st.integers(0, 5)),
        orders=draw(st.sampled_from([((),), (SIG_FIRST,), (SIG_FIRST, BAK_FIRST), THREE_ORDERS])),
        seed=str(draw(st.integers(0, 99))),
    )
    return replace(wish, grown=grown)


AWKWARD = [
    asked(items=1, conditions=1, seats=1, panels=1, sessions=1),
    asked(items=1, conditions=7, seats=3, panels=1, sessions=7),
    asked(items=2, conditions=2, seats=5, panels=1, sessions=3),
    asked(items=2, conditions=8, seats=5, panels=2, sessions=3),
    asked(items=3, conditions=9, seats=2, panels=1, sessions=4),
    asked(items=13, conditions=1, seats=1, panels=1, sessions=5),
    asked(items=4, conditions=8, seats=9, panels=1, sessions=32),
    asked(items=12, conditions=6, seats=7, panels=1, sessions=5),
]


def awkward_too(test: Callable[[LayoutRequest], None]) -> Callable[[], None]:
    """Run the test on the awkward sizes and on others, which the seed makes the same for every test."""
    for wish in AWKWARD:
        test = example(wish)(test)
    return seeded(0)(settings(max_examples=50 if ALL else 6, database=None)(given(requests())(test)))


@awkward_too
def test_every_rule_is_kept_at_any_size(wish: LayoutRequest) -> None:
    assert {finding.key: finding.verdict for finding in verify(lay_out(wish)) if finding.verdict != "ok"} == {}


@awkward_too
def test_every_session_has_each_condition_equally_often_give_or_take_one(wish: LayoutRequest) -> None:
    for showings in counted(lay_out(wish)):
        counts = Counter((s.session, s.condition) for s in showings)
        for session in range(1, wish.sessions + 1):
            here = [counts[session, condition] for condition in wish.conditions]
            assert max(here) - min(here) <= 1
        for condition in wish.conditions:
            here = [counts[session, condition] for session in range(1, wish.sessions + 1)]
            assert max(here) - min(here) <= 1


@awkward_too
def test_an_item_comes_again_no_earlier_than_the_bound_and_never_at_once(wish: LayoutRequest) -> None:
    items, conditions = len(wish.subsets[0]), len(wish.conditions)
    bound = Spacing.of(items, conditions).distance
    assert bound >= min(items, 2)
    assert bound >= items - max(2, min(conditions, items // 2))
    for showings in counted(lay_out(wish)):
        smallest = smallest_distance(showings)
        assert smallest is None or bound <= smallest <= items


@awkward_too
def test_at_every_position_each_condition_is_heard_by_as_many_seats_give_or_take_one(wish: LayoutRequest) -> None:
    design = lay_out(wish)
    for first in range(0, len(design.sequences), wish.seats):
        for heard_now in zip(*counted(design)[first : first + wish.seats], strict=True):
            counts = Counter(showing.condition for showing in heard_now)
            here = [counts[condition] for condition in wish.conditions]
            assert max(here) - min(here) <= 1


@awkward_too
def test_no_condition_follows_itself_where_there_are_three_or_more(wish: LayoutRequest) -> None:
    longest = 1 if len(wish.conditions) > 2 else 2
    for showings in counted(lay_out(wish)):
        runs = [0]
        for one, other in pairwise(showings):
            alike = (one.session, one.condition) == (other.session, other.condition)
            runs.append(runs[-1] + 1 if alike else 0)
        assert len(wish.conditions) == 1 or max(runs) < longest


@awkward_too
def test_every_scale_order_begins_for_as_many_seats_of_a_panel_give_or_take_one(wish: LayoutRequest) -> None:
    design = lay_out(wish)
    starts = [showings[0].scales for showings in counted(design)]
    for first in range(0, len(starts), wish.seats):
        counts = Counter(starts[first : first + wish.seats])
        here = [counts[tuple(order)] for order in wish.scale_orders]
        assert max(here) - min(here) <= 1
    everywhere = [Counter(starts)[tuple(order)] for order in wish.scale_orders]
    assert max(everywhere) - min(everywhere) <= (2 if wish.grown else 1)


@awkward_too
def test_an_extension_changes_nothing_that_an_earlier_seat_hears(wish: LayoutRequest) -> None:
    design = lay_out(wish)
    for number, (panels, seats) in enumerate(wish.grown):
        earlier = lay_out(replace(wish, subsets=wish.subsets[:panels], seats=seats, grown=wish.grown[:number]))
        for sequence in earlier.sequences:
            assert design.sequence(sequence.panel, sequence.seat) == sequence


def test_the_published_size_comes_out_with_all_its_numbers() -> None:
    design = lay_out(udase())
    rows = [len(s.scales) for sequence in design.sequences for s in sequence.showings]
    assert len(design.sequences) == 32
    assert [len(sequence.showings) for sequence in design.sequences] == [208] * 32
    assert sum(rows) == 19_968
    cells = Counter(
        (s.item, s.condition, scale) for showings in counted(design) for s in showings for scale in s.scales
    )
    assert set(cells.values()) == {8}
    assert len(cells) == 4 * 32 * 5 * 3
    per_condition = Counter(
        (s.condition, scale) for showings in counted(design) for s in showings for scale in s.scales
    )
    assert set(per_condition.values()) == {1_024}
    for showings in counted(design):
        assert set(Counter((s.session, s.condition) for s in showings).values()) == {8}
        assert (smallest_distance(showings) or 0) >= 28


def test_at_the_published_size_four_seats_of_each_panel_begin_with_each_order_and_change_halfway() -> None:
    design = lay_out(udase())
    for panel in range(1, 5):
        seats = [design.sequence(panel, seat) for seat in range(1, 9)]
        firsts: Counter[ScaleOrder] = Counter()
        for sequence in seats:
            orders = {session: {s.scales for s in sequence.showings if s.session == session} for session in range(1, 5)}
            (first,), (second,) = orders[1], orders[3]
            assert (orders[2], orders[4]) == ({first}, {second})
            assert {first, second} == {SIG_FIRST, BAK_FIRST}
            references = [s.scales for s in sequence.showings if s.session == ANCHORING]
            assert references == [first] * 24 + [second] * 24
            firsts[first] += 1
        assert firsts == {SIG_FIRST: 4, BAK_FIRST: 4}


def test_at_the_published_size_each_condition_follows_each_other_one_equally_often_in_a_panel() -> None:
    showings = counted(lay_out(udase()))[:8]
    follows = Counter(
        (one.condition, other.condition)
        for sequence in showings
        for one, other in pairwise(sequence)
        if one.session == other.session
    )
    assert len(follows) == 20
    assert sum(follows.values()) == 8 * 156
    assert max(follows.values()) - min(follows.values()) <= 6  # of 62.4


SIZES = [(5, 32, 8, 4), (3, 7, 6, 4), (3, 7, 6, 1), (4, 9, 8, 3), (5, 10, 8, 3), (11, 13, 17, 4), (20, 60, 24, 4)]


@pytest.mark.parametrize(("conditions", "items", "seats", "sessions"), SIZES)
def test_the_last_condition_of_an_item_does_not_tell_the_next(
    conditions: int, items: int, seats: int, sessions: int
) -> None:
    """The share is at least 1 / (C - 1), and higher where M is not a multiple of C."""
    for seed in range(3 if ALL else 1):
        wish = asked(
            conditions=conditions, items=items, seats=seats, panels=1, sessions=sessions, orders=((),), seed=str(seed)
        )
        found = item_successors(lay_out(wish)).numbers
        assert found["variation"] <= 0.15
        assert found["share"] <= max(0.4, least_share(items, conditions)) + 1e-9


@awkward_too
def test_every_block_of_a_session_has_each_condition_once(wish: LayoutRequest) -> None:
    """With five conditions or more, that is: fewer leave no other way to even out the successors on an item."""
    conditions = len(wish.conditions)
    for showings in counted(lay_out(wish)) if conditions > 5 else ():
        for session in range(1, wish.sessions + 1):
            heard = [s.condition for s in showings if s.session == session]
            blocks = [heard[start : start + conditions] for start in range(0, len(heard), conditions)]
            assert all(len(set(block)) == len(block) for block in blocks)


def test_at_the_published_size_no_item_begins_with_the_same_condition_for_half_of_a_panel() -> None:
    first = first_conditions(lay_out(udase())).numbers
    assert (first["low"], first["high"]) == (51, 52)  # of 256 over 5
    assert first["most"] <= 3  # of 8 listeners; 2 would be even


def test_the_least_possible_share_of_the_most_frequent_successors() -> None:
    assert least_share(10, 5) == pytest.approx(1 / 4)  # 2 of each pair
    assert least_share(7, 3) == pytest.approx(8 / 14)  # 5, 5 and 4 followers: 3 + 3 + 2
    assert least_share(9, 4) == pytest.approx(11 / 27)
    assert least_share(6, 2) == 1
    assert least_share(6, 1) == 1


def test_no_two_seats_hear_the_same_sequence_nor_the_references_in_the_same_order() -> None:
    design = lay_out(udase())
    assert len({tuple((s.item, s.condition) for s in showings) for showings in counted(design)}) == 32
    assert len({tuple(s.item for s in sequence.showings[:48]) for sequence in design.sequences}) == 32
    orders = {
        tuple(design.request.subsets[q.panel - 1].index(s.item) for s in q.showings[48:80]) for q in design.sequences
    }
    assert len(orders) == 32


def test_the_seed_alone_decides() -> None:
    wishes = (udase(seed) if ALL else asked(items=10, panels=2, seed=seed) for seed in ("7", "7", "8"))
    first, again, other = map(Crossed().lay_out, wishes)
    assert first == again
    assert first.sequences != other.sequences


def test_subsets_of_different_sizes_are_each_laid_out_in_full() -> None:
    wish = replace(asked(panels=2), subsets=[["a", "b", "c"], ["d", "e", "f", "g", "h"]])
    assert {finding.verdict for finding in verify(lay_out(wish))} == {"ok"}


def test_differences_between_followers_are_evened_out_so_that_turning_evens_out_pairs() -> None:
    lengths = session_lengths(24 * 6, 4)
    cells = build_sequence(24, 6, lengths, random.Random("1"))
    borders = {sum(lengths[:number]) for number in range(5)}
    steps = Counter(
        (after[1] - before[1]) % 6 for place, (before, after) in enumerate(pairwise(cells), 1) if place not in borders
    )
    assert 0 not in steps
    assert max(steps.values()) - min(steps.values()) <= 2


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ({"sessions": 161}, "design.too_many_sessions", "160"),
        ({"sessions": 0}, "design.incomplete", "session"),
        ({"seats": 0}, "design.incomplete", "listener"),
        ({"conditions": []}, "design.incomplete", "condition"),
        ({"subsets": []}, "design.incomplete", "panel"),
        ({"subsets": [["a"], []]}, "design.incomplete", "panel 2"),
        ({"scale_orders": ()}, "design.incomplete", "scale order"),
        ({"conditions": ["C0", "C1", "C0"]}, "design.repeated", "'C0'"),
        ({"subsets": [["a", "b", "a"]], "sessions": 1}, "design.repeated", "panel 1"),
        ({"references": [("i01", "ref"), ("i01", "ref")]}, "design.repeated", "i01/ref"),
        ({"scale_orders": (("SIG", "BAK"), ("SIG", "OVRL"))}, "design.scale_orders", "SIG-OVRL"),
        ({"scale_orders": (("SIG", "SIG"),)}, "design.scale_orders", "SIG-SIG"),
        ({"scale_orders": (SIG_FIRST, SIG_FIRST)}, "design.repeated", "scale orders"),
    ],
)
def test_what_cannot_be_laid_out_is_rejected_with_the_reason(change: dict[str, object], code: str, says: str) -> None:
    with raises_error(code) as caught:
        lay_out(replace(udase(), **change))  # type: ignore[arg-type]
    assert says in str(caught.value)
