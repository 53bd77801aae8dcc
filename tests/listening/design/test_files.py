"""A seat's sequence as a file: written in the published shape, read back the same, rejected by its lines."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import AppError
from listening.design.base import SeatSequence, Showing
from listening.design.udase_csv import (
    DesignRowsRejected,
    Vocabulary,
    natural,
    read_seat_file,
    written_csv,
    written_json,
)

SPEECH, NOISE = ("SIG", "BAK", "OVRL"), ("BAK", "SIG", "OVRL")
ITEMS = ["a", "b_output", "c.d", "deep/er"]
KNOWN = Vocabulary(
    stimuli=frozenset({(item, condition) for item in ITEMS for condition in ("C0", "C1")} | {("i01_f1", "ref")}),
    orders=(SPEECH, NOISE),
)
SEQUENCE = SeatSequence(
    panel=3,
    seat=2,
    showings=(
        Showing(0, "i01_f1", "ref", SPEECH),
        Showing(1, "b_output", "C1", NOISE),
        Showing(2, "a", "C0", SPEECH),
    ),
)
CSV = """\
,subset,session,file,scale
0,3,0,data/ref/i01_f1.wav,SIG
1,3,0,data/ref/i01_f1.wav,BAK
2,3,0,data/ref/i01_f1.wav,OVRL
3,3,1,data/C1/b_output.wav,BAK
4,3,1,data/C1/b_output.wav,SIG
5,3,1,data/C1/b_output.wav,OVRL
6,3,2,data/C0/a.wav,SIG
7,3,2,data/C0/a.wav,BAK
8,3,2,data/C0/a.wav,OVRL
"""


def read(content: str | bytes, name: str = "subject_1") -> Any:
    return read_seat_file(content if isinstance(content, bytes) else content.encode(), name=name, vocabulary=KNOWN)


def error_of(content: str | bytes) -> str:
    with pytest.raises(AppError) as caught:
        read(content)
    assert caught.value.code in {"design.file_unreadable", "design.rows_refused"}
    return str(caught.value)


def test_csv_has_the_published_shape_with_a_column_of_numbers_that_has_no_name() -> None:
    assert written_csv(SEQUENCE, SPEECH) == CSV


def test_json_has_the_published_shape_one_blank_deep_and_no_line_at_its_end() -> None:
    text = written_json(SEQUENCE, SPEECH)
    first = '[\n {\n  "subset": 3,\n  "session": 0,\n  "file": "data/ref/i01_f1.wav",\n  "scale": "SIG"\n },\n {\n'
    assert text.startswith(first)
    assert text.endswith('  "scale": "OVRL"\n }\n]')
    assert len(json.loads(text)) == 9


def without_numbers(text: str) -> str:
    return "".join(line.partition(",")[2] for line in text.splitlines(keepends=True))


def as_script(text: str) -> str:
    """What the original player read: an assignment, a comma after the last record, truth as text."""
    return f"all_trials = {text}".replace('"\n }', '",\n  "end_experiment": "false"\n }').replace("}\n]", "},\n]")


@pytest.mark.parametrize(
    "content",
    [
        CSV,
        without_numbers(CSV),
        CSV.replace("\n", "\r\n"),
        "\ufeff" + CSV,
        written_json(SEQUENCE, SPEECH),
        as_script(written_json(SEQUENCE, SPEECH)),
        f"const all_trials = {written_json(SEQUENCE, SPEECH)};\n",
        CSV.replace("data/", "https://example.org/study/data/"),
        CSV.replace(".wav", ".flac"),
    ],
)
def test_every_published_flavour_says_the_same(content: str) -> None:
    found = read(content)
    assert (found.subset, found.showings) == (3, SEQUENCE.showings)


def test_the_script_really_is_no_json() -> None:
    script = as_script(written_json(SEQUENCE, SPEECH))
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(script)
    assert script.count('"end_experiment": "false"') == 9


@given(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            st.sampled_from(sorted(KNOWN.stimuli)),
            st.sampled_from(KNOWN.orders),
        ),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 9),
)
def test_what_is_written_is_read_back_the_same(drawn: list[Any], panel: int) -> None:
    """Even where a stimulus follows itself, and where names hold dots and slashes."""
    showings = tuple(
        Showing(session, cell[0], cell[1], order) for session, cell, order in sorted(drawn, key=lambda one: one[0])
    )
    sequence = SeatSequence(panel, 1, showings)
    for text in (written_csv(sequence, SPEECH), written_json(sequence, SPEECH)):
        found = read(text)
        assert (found.subset, found.showings) == (panel, showings)


def test_a_protocol_without_scale_orders_is_written_with_its_scales_and_read_without() -> None:
    plain = Vocabulary(KNOWN.stimuli, (("QUALITY",),))
    sequence = SeatSequence(1, 1, (Showing(1, "a", "C0"), Showing(1, "a", "C1"), Showing(1, "a", "C1")))
    text = written_csv(sequence, ("QUALITY",))
    assert text.splitlines()[1:] == ["0,1,1,data/C0/a.wav,QUALITY", *(f"{n},1,1,data/C1/a.wav,QUALITY" for n in (1, 2))]
    assert read_seat_file(text.encode(), name="x", vocabulary=plain).showings == sequence.showings


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "it is empty"),
        (b" \n ", "it is empty"),
        (CSV.replace("C1/b", "C1/\xe9").encode("latin-1"), "line 5 is not UTF-8"),
        (CSV.encode("utf-16"), "line 1 is not UTF-8"),
        ("a,b\n1,2\n", "it has no column subset, session, file, scale"),
        (CSV.replace(",scale\n", ",rating\n"), "it has no column scale"),
        (",subset,session,file,scale\n", "it holds no row"),
        ("[]", "it holds no row"),
        ("[1, 2]", "it is no list of records"),
        ('{"subset": 1}', "it is no list of records"),
        ('[{"subset": 1]', "it is no JSON"),
        ("[" * 100_000, "it is no JSON"),
    ],
)
def test_a_file_that_is_none_is_rejected_with_the_reason(content: str | bytes, says: str) -> None:
    assert says in error_of(content)


@pytest.mark.parametrize(
    ("wrong", "right", "says"),
    [
        ("5,3,1,data/C1/b_output.wav,OVRL", "5,3,1,data/C1/b_output.wav,MOS", 'line 7: the scale is "MOS", none of'),
        ("6,3,2,", "6,3,two,", 'line 8: session is "two", no whole number'),
        ("6,3,2,", "6,3,2.5,", 'line 8: session is "2.5", no whole number'),
        ("6,3,2,", "6,3,-1,", 'line 8: session is "-1", no whole number'),
        ("6,3,2,", "6,3,,", "line 8: session is missing"),
        ("6,3,2,", "6,3,99999,", "line 8: session is 99999, no whole number"),
        ("6,3,2,", "6,3,0,", "line 8: session 0 follows session 1"),
        ("6,3,2,", "6,4,2,", "line 8: subset 4 follows subset 3"),
        ("6,3,2,", "6,0,2,", "line 8: subset is 0, no whole number from 1"),
        ("data/C1/b", "data/C9/b", "line 5: \"data/C9/b_output.wav\": there is no condition 'C9'"),
        ("C0/a.wav", "C0/z.wav", "line 8: \"data/C0/z.wav\": there is no item 'z'"),
        ("ref/i01_f1", "C0/i01_f1", "names no stimulus"),
        ("data/C0/a.wav", "a.wav", "names no stimulus"),
        ("1,3,0,data/ref/i01_f1.wav,BAK", "1,3,0,data/ref/i01_f1.wav,SIG", "line 3: SIG is asked twice"),
        ("1,3,0,data/ref/i01_f1.wav,BAK\n", "", "line 2: the stimulus is not asked for BAK"),
        ("8,3,2,data/C0/a.wav,OVRL\n", "", "line 8: the stimulus is not asked for OVRL"),
    ],
)
def test_a_wrong_row_is_rejected_by_its_line(wrong: str, right: str, says: str) -> None:
    assert wrong in CSV
    assert says in error_of(CSV.replace(wrong, right))


def test_a_wrong_record_is_rejected_by_its_number() -> None:
    records = json.loads(written_json(SEQUENCE, SPEECH))
    records[4]["session"] = True
    records[8]["file"] = None
    said = error_of(json.dumps(records))
    assert "record 5: session is true, no whole number" in said
    assert "record 9: missing names no stimulus" in said


def test_an_order_that_the_method_does_not_have_is_rejected() -> None:
    swapped = CSV.replace("a.wav,SIG", "a.wav,-").replace("a.wav,OVRL", "a.wav,SIG").replace("a.wav,-", "a.wav,OVRL")
    assert "line 8: the order OVRL-BAK-SIG is none of SIG-BAK-OVRL, BAK-SIG-OVRL" in error_of(swapped)


def test_all_wrong_rows_are_named_not_only_the_first() -> None:
    with pytest.raises(DesignRowsRejected) as caught:
        read(CSV.replace("data/", "gone/X"))
    assert caught.value.data["count"] == 9
    assert [row.split(":")[0] for row in caught.value.data["rows"]] == [f"line {n}" for n in range(2, 11)]
    assert "and 6 more" in str(caught.value)


def test_subjects_are_ordered_by_their_numbers() -> None:
    names = [f"subject_{number}.csv" for number in (10, 9, 1, 32, 2)]
    assert sorted(names, key=natural) == [f"subject_{number}.csv" for number in (1, 2, 9, 10, 32)]
