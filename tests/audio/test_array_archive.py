"""Archive of arrays: what goes in comes out, the same every time, and no more is read than was asked for."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audio.array_archive import FIRST_READ_BYTES, ArrayArchive, write_archive

ARRAYS: dict[str, NDArray[Any]] = {
    "bytes": np.arange(7, dtype=np.uint8),
    "pairs": np.arange(-6, 6, dtype=np.int8).reshape(-1, 2),
    "numbers": np.linspace(-1, 1, 5000),
    "flags": np.array([True, False, True]),
    "none": np.zeros((0, 3), np.int64),
}
FACTS = {"number": 3, "peak": 0.1 + 0.2, "names": ["a", "b"]}


def test_what_goes_in_comes_out() -> None:
    content = ArrayArchive.from_bytes(write_archive(FACTS, ARRAYS))
    assert content.facts == FACTS
    for name, array in ARRAYS.items():
        found = content.array(name)
        np.testing.assert_array_equal(found, array)
        assert found.dtype == array.dtype


def test_the_same_content_gives_the_same_bytes() -> None:
    turned = dict(reversed(FACTS.items()))
    assert write_archive(FACTS, ARRAYS) == write_archive(
        turned, {name: np.asfortranarray(array) for name, array in ARRAYS.items()}
    )


def test_only_the_rows_that_are_asked_for_are_read() -> None:
    content = write_archive(FACTS, ARRAYS)
    reads: list[tuple[int, int]] = []

    def read(offset: int, count: int) -> bytes:
        reads.append((offset, count))
        return content[offset : offset + count]

    found = ArrayArchive(read).array("numbers", 4000, 4002)
    np.testing.assert_array_equal(found, ARRAYS["numbers"][4000:4002])
    assert reads[0] == (0, FIRST_READ_BYTES)
    assert [count for _, count in reads[1:]] == [16]


def test_a_head_of_any_length_is_read() -> None:
    many = {f"array-{number}": np.array([number]) for number in range(1000)}
    content = write_archive({}, many)
    assert content.index(b"]}}") > FIRST_READ_BYTES
    assert ArrayArchive.from_bytes(content).array("array-777").tolist() == [777]


def test_other_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match="no archive"):
        _ = ArrayArchive.from_bytes(b"RIFF" + bytes(100)).facts
