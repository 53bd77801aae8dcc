"""The udase-exact preset has the structure of the published subject files, flaws included."""

from collections import Counter
from dataclasses import replace

import pytest

from listening.design.base import ANCHORING, SeatSequence
from listening.design.orders.presets import DEFAULT, PRESETS, UdaseExact, preset
from listening.design.report.rules import verify
from tests.errors import raises_error
from tests.listening.design.sizes import BAK_FIRST, SIG_FIRST, asked, udase

# What the published subject_1.csv (panel 1) and subject_17.csv (panel 3) hold, counted by hand: showings of each
# session by scale order, in the order in which the orders come.
PUBLISHED = {
    1: [
        (0, SIG_FIRST, 24),
        (0, BAK_FIRST, 24),
        *((s, SIG_FIRST, 40) for s in (1, 2)),
        *((s, BAK_FIRST, 40) for s in (3, 4)),
    ],
    3: [
        (0, BAK_FIRST, 24),
        (0, SIG_FIRST, 24),
        *((s, BAK_FIRST, 40) for s in (1, 2)),
        *((s, SIG_FIRST, 40) for s in (3, 4)),
    ],
}


def stretches(sequence: SeatSequence) -> list[tuple[int, tuple[str, ...], int]]:
    counted = Counter((s.session, s.scales) for s in sequence.showings)  # which keeps the order of first sight
    return [(session, scales, count) for (session, scales), count in counted.items()]


@pytest.mark.parametrize(("panel", "like"), [(1, 1), (2, 1), (3, 3), (4, 3)])
def test_sessions_and_scale_orders_are_those_of_the_published_files(panel: int, like: int) -> None:
    design = UdaseExact().lay_out(udase())
    for seat in range(1, 9):
        assert stretches(design.sequence(panel, seat)) == PUBLISHED[like]


def test_the_published_size_comes_out_with_all_its_numbers() -> None:
    design = UdaseExact().lay_out(udase())
    assert {finding.verdict for finding in verify(design)} == {"ok"}
    rows = [[scale for s in sequence.showings for scale in s.scales] for sequence in design.sequences]
    assert [len(listener) for listener in rows] == [624] * 32
    votes = Counter(
        (s.condition, s.item, scale)
        for sequence in design.sequences
        for s in sequence.showings
        if s.session != ANCHORING
        for scale in s.scales
    )
    assert set(votes.values()) == {8}
    assert sum(votes.values()) == 15_360
    assert sum(map(len, rows)) - sum(votes.values()) == 4_608


def test_clips_come_in_an_order_of_pure_chance() -> None:
    design = UdaseExact().lay_out(udase())
    sequences = [[s for s in sequence.showings if s.session != ANCHORING] for sequence in design.sequences]
    uneven = [set(Counter((s.session, s.condition) for s in showings).values()) for showings in sequences]
    assert max(max(counts) - min(counts) for counts in uneven) >= 6
    firsts = Counter(showings[0].condition for showings in sequences)
    assert len(firsts) == 5
    assert len({tuple((s.item, s.condition) for s in showings) for showings in sequences}) == 32


def test_a_remainder_is_spread_and_never_makes_another_session() -> None:
    design = UdaseExact().lay_out(asked(items=31, conditions=5, sessions=4))
    lengths = Counter(s.session for s in design.sequence(1, 1).showings)
    assert lengths == {1: 39, 2: 39, 3: 39, 4: 38}


@pytest.mark.parametrize(("panels", "firsts"), [(1, [0]), (2, [0, 1]), (3, [0, 0, 1]), (4, [0, 0, 1, 1])])
def test_the_first_half_of_the_panels_begins_with_the_first_order(panels: int, firsts: list[int]) -> None:
    design = UdaseExact().lay_out(asked(items=4, panels=panels, seats=1))
    orders = [design.sequence(panel, 1).showings[0].scales for panel in range(1, panels + 1)]
    assert orders == [(SIG_FIRST, BAK_FIRST)[first] for first in firsts]


def test_an_extension_changes_no_earlier_seat_and_shares_the_orders_among_the_new_panels() -> None:
    wish = asked(items=4, panels=4, seats=3)
    earlier = UdaseExact().lay_out(replace(wish, subsets=wish.subsets[:2], seats=2))
    design = UdaseExact().lay_out(replace(wish, grown=[(2, 2)]))
    assert [design.sequence(one.panel, one.seat) for one in earlier.sequences] == list(earlier.sequences)
    orders = [design.sequence(panel, 3).showings[0].scales for panel in range(1, 5)]
    assert orders == [SIG_FIRST, BAK_FIRST, SIG_FIRST, BAK_FIRST]


def test_the_seed_alone_decides() -> None:
    assert UdaseExact().lay_out(udase("7")) == UdaseExact().lay_out(udase("7"))
    assert UdaseExact().lay_out(udase("7")).sequences != UdaseExact().lay_out(udase("8")).sequences


def test_more_sessions_than_clips_are_rejected() -> None:
    with raises_error("design.too_many_sessions", match="6"):
        UdaseExact().lay_out(asked(items=3, conditions=2, sessions=7))


def test_presets_are_found_by_slug_and_unknown_ones_are_rejected_with_those_there_are() -> None:
    assert [preset(slug).slug for slug in PRESETS] == ["crossed", "udase-exact"]
    assert DEFAULT == "crossed"
    with raises_error("design.unknown_preset") as rejected:
        preset("latin")
    assert "crossed, udase-exact" in str(rejected.value)
