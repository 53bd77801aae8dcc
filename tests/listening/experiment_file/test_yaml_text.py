"""YAML as files are written in it: what is read is what was meant, and nothing can blow up."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import AppError
from listening.experiment_file.yaml_text import MOST_BYTES, dump_yaml, load_yaml

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("no", "no"),
        ("On", "On"),
        ("true", True),
        ("2026-01-31", "2026-01-31"),
        ("12:30:45", "12:30:45"),
        ("1e3", 1000.0),
        ("0123", "0123"),
        ("1_000", "1_000"),
        ("0x1F", "0x1F"),
        (".inf", ".inf"),
        ("'5'", "5"),
        ("", None),
        ("5", 5),
        ("<<", "<<"),
    ],
)
def test_a_plain_word_is_what_yaml_1_2_takes_it_for(written: str, meant: Any) -> None:
    found = load_yaml(f"key: {written}\n".encode())["key"]
    assert (found, type(found)) == (meant, type(meant))


@given(st.dictionaries(TEXTS, TEXTS | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)))
def test_whatever_is_written_is_read_back(values: dict[str, Any]) -> None:
    assert load_yaml(dump_yaml(values).encode()) == values


def test_lines_of_a_text_stay_lines() -> None:
    assert dump_yaml({"consent": "You hear clips.\n\nYou can stop: any time.\n"}) == (
        "consent: |\n  You hear clips.\n\n  You can stop: any time.\n"
    )


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"a: &x [1]\nb: *x\n", "line 2: it repeats a part by an alias"),
        (b"a: 1\nb: 2\na: 3\n", "line 3: the key 'a' is there twice"),
        (b"a: !!python/object/apply:os.system [ls]\n", "line 1: it has the tag"),
        (b"[" * 5000, "nested too deeply"),
        (b"a: [1\n", "line 2:"),
        (b"a: \xff\n", "not text in UTF-8"),
        (b"a: " + b"9" * 5000, "a number that cannot be kept"),
        (b"a: 1\n---\nb: 2\n", "line 2:"),
        (b"x" * (MOST_BYTES + 1), "larger than"),
    ],
)
def test_what_is_no_file_of_ours_is_refused_with_its_line(content: bytes, told: str) -> None:
    with pytest.raises(AppError, match="The file") as caught:
        load_yaml(content)
    assert told in str(caught.value)
