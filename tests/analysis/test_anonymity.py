"""k-anonymity: no combination is rarer than k, no answer is invented, and as little as needed is emptied."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.services.dataset.anonymity import TooFewListeners, suppress

COLUMNS = ("age", "hearing", "device")
ANSWERS = st.sampled_from(["", "a", "b", "c"])


@given(rows=st.lists(st.tuples(ANSWERS, ANSWERS, ANSWERS), min_size=5, max_size=40), k=st.integers(2, 5))
def test_every_combination_is_shared_by_k_and_nothing_is_invented(rows: list[tuple[str, str, str]], k: int) -> None:
    people = {number: dict(zip(COLUMNS, row, strict=True)) for number, row in enumerate(rows)}
    found = suppress(people, columns=COLUMNS, k=k)
    shared = Counter(tuple(cells.values()) for cells in found.cells.values())
    assert min(shared.values()) >= k
    for who, cells in found.cells.items():
        assert all(cell in ("", people[who][name]) for name, cell in cells.items())
    emptied = sum(
        bool(people[who][name]) - bool(cell) for who, own in found.cells.items() for name, cell in own.items()
    )
    assert sum(found.emptied.values()) == emptied


def test_what_is_anonymous_already_stays_as_it_is() -> None:
    people = {number: {"age": "a" if number < 5 else "b"} for number in range(10)}
    found = suppress(people, columns=["age"], k=5)
    assert found.cells == people
    assert found.emptied == {}


def test_the_rarest_joins_those_that_are_nearest() -> None:
    people = {number: {"age": "a", "device": "desktop"} for number in range(5)}
    people |= {number: {"age": "b" if number == 9 else "a", "device": "phone"} for number in range(5, 11)}
    found = suppress(people, columns=["age", "device"], k=5)
    assert Counter(tuple(own.values()) for own in found.cells.values()) == {("a", "desktop"): 5, ("", "phone"): 6}
    assert found.emptied == {"age": 6}


def test_fewer_people_than_k_are_refused_and_nobody_is_fine() -> None:
    with pytest.raises(TooFewListeners):
        suppress({1: {"age": "a"}}, columns=["age"], k=2)
    assert suppress({}, columns=["age"], k=2).listeners == 0
