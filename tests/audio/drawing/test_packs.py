"""Packs: what goes in comes out, the same every time, and no more is read than was asked for."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audio.drawing.packs import FIRST_READ_BYTES, Pack, pack

ARRAYS: dict[str, NDArray[Any]] = {
    "bytes": np.arange(7, dtype=np.uint8),
    "pairs": np.arange(-6, 6, dtype=np.int8).reshape(-1, 2),
    "numbers": np.linspace(-1, 1, 5000),
    "flags": np.array([True, False, True]),
    "none": np.zeros((0, 3), np.int64),
}
FACTS = {"number": 3, "peak": 0.1 + 0.2, "names": ["a", "b"]}


def test_what_goes_in_comes_out() -> None:
    content = Pack.from_bytes(pack(FACTS, ARRAYS))
    assert content.facts == FACTS
    for name, array in ARRAYS.items():
        found = content.array(name)
        np.testing.assert_array_equal(found, array)
        assert found.dtype == array.dtype


def test_the_same_content_gives_the_same_bytes() -> None:
    turned = dict(reversed(FACTS.items()))
    assert pack(FACTS, ARRAYS) == pack(turned, {name: np.asfortranarray(array) for name, array in ARRAYS.items()})


def test_only_the_rows_that_are_asked_for_are_read() -> None:
    content = pack(FACTS, ARRAYS)
    reads: list[tuple[int, int]] = []

    def read(offset: int, count: int) -> bytes:
        reads.append((offset, count))
        return content[offset : offset + count]

    found = Pack(read).array("numbers", 4000, 4002)
    np.testing.assert_array_equal(found, ARRAYS["numbers"][4000:4002])
    assert reads[0] == (0, FIRST_READ_BYTES)
    assert [count for _, count in reads[1:]] == [16]


def test_a_head_of_any_length_is_read() -> None:
    many = {f"array-{number}": np.array([number]) for number in range(1000)}
    content = pack({}, many)
    assert content.index(b"]}}") > FIRST_READ_BYTES
    assert Pack.from_bytes(content).array("array-777").tolist() == [777]


def test_other_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match="no pack"):
        _ = Pack.from_bytes(b"RIFF" + bytes(100)).facts
