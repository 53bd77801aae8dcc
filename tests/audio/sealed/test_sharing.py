"""Batches for sealed children: nothing lost, about even, and within the room."""

from hypothesis import given
from hypothesis import strategies as st

from audio.sealed.sharing import even_batches

ROOM = 100


@given(sizes=st.lists(st.integers(1, 3 * ROOM), max_size=300), children=st.integers(1, 4))
def test_everything_is_in_one_batch_in_its_order_and_at_most_one_item_stands_out(
    sizes: list[int], children: int
) -> None:
    batches = even_batches(sizes, size=lambda size: size, room=ROOM, children=children)
    assert [size for batch in batches for size in batch] == sizes
    assert all(batch and sum(batch[:-1]) < ROOM for batch in batches)


@given(count=st.integers(1, 2000), children=st.integers(1, 4))
def test_equal_items_are_spread_evenly_over_all_children(count: int, children: int) -> None:
    lengths = [len(batch) for batch in even_batches(range(count), size=lambda _: 1, room=ROOM, children=children)]
    assert max(lengths) <= min(ROOM, -(-count // min(children, count)))
    assert max(lengths) - min(lengths) <= 1
    assert len(lengths) == count or len(lengths) % children == 0


def test_one_large_item_does_not_make_the_batches_of_small_ones_smaller() -> None:
    sizes = [1] * 200 + [50 * ROOM] + [1] * 200
    batches = even_batches(sizes, size=lambda size: size, room=ROOM, children=2)
    assert len(batches) <= 8
