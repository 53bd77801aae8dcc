"""Files of samples: what is taken, what is noticed, and what is rejected with its line."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from protocols.chaptering.analysis.boundaries import ChaptersOptionUnfit
from protocols.chaptering.analysis.evaluation import Measures
from protocols.chaptering.analysis.samples import Reading, TextFormat, read_samples
from protocols.chaptering.analysis.titles import Title
from tests.errors import raises_error

PLAIN = {"hypothesis": [24.2, 33.94], "reference": [11.0, 23.0, 34.0], "duration": 50.0}
SPOKEN = "[CSTART] 0:00:00 - Intro [CEND] hello [CSTART] 0:00:20 - Main [CEND] there"


def read(*lines: bytes, **options: Any) -> Reading:
    measures = Measures(titles=options.pop("titles", False), wer=options.pop("wer", False))
    keep = options.pop("keep_outside", False)
    form = TextFormat(**options)
    return read_samples(lines, file="s.jsonl", text_format=form, measures=measures, keep_outside=keep)


def line(**changes: Any) -> bytes:
    return json.dumps({**PLAIN, **changes}).encode()


def rejected(*lines: bytes, **options: Any) -> list[str]:
    with raises_error("chapters.unreadable") as caught:
        read(*lines, **options)
    assert "'s.jsonl'" in str(caught.value)
    assert caught.value.data["problems"][0] in str(caught.value)
    return list(caught.value.data["problems"])


def noticed(**changes: Any) -> dict[str, str]:
    how = {name: changes.pop(name) for name in ("titles", "wer", "name") if name in changes}
    read_so = read(line(**changes), keep_outside=True, **how)
    return {notice.code: str(notice.message) for _, notice in read_so.notices}


def test_a_line_of_the_package_is_taken_as_it_is() -> None:
    titles = [["Wrap text", 11.0], ["Add", 23]]
    made = read(b"\xef\xbb\xbf" + line(reference_titles=titles, hyp_titles=[], audio="x.wav", id=7), b" \n", line())
    assert made.lines == [1, 3]
    sample = made.samples[0]
    assert (list(sample.hypothesis.boundaries_s), sample.duration_s) == ([24.2, 33.94], 50.0)
    assert sample.reference.titles == [Title("Wrap text", 11.0), Title("Add", 23.0)]
    assert made.notices == []


def test_a_text_gives_boundaries_titles_and_words() -> None:
    (sample,) = read(line(hypothesis=SPOKEN), name="cstart_ts").samples
    assert list(sample.hypothesis.boundaries_s) == [0.0, 20.0]
    assert sample.hypothesis.titles == [Title("Intro", 0.0), Title("Main", 20.0)]
    assert (sample.hypothesis.transcript or "").split() == ["hello", "there"]
    assert read(line(hypothesis=SPOKEN, format="cstart_ts")).samples == [sample]


def test_a_text_without_times_takes_those_that_were_aligned_elsewhere() -> None:
    (sample,) = read(line(hypothesis="one\n\ntwo", hypothesis_times=[0, 20.5]), name="newline").samples
    assert list(sample.hypothesis.boundaries_s) == [0.0, 20.5]
    assert "hypothesis_times" in rejected(line(hypothesis="one\n\ntwo"), name="newline")[0]
    assert "1 numbers for 2 sections" in rejected(line(hypothesis="a\n\nb", hypothesis_times=[0]), name="newline")[0]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"hypothesis": [1.0], "reference": [2', "not JSON from column 38 on"),
        (b"\xff\xfe", "not in UTF-8"),
        (b"[1, 2]", "no JSON object"),
        (b'{"hypothesis": [NaN], "reference": [], "duration": 5}', "NaN is no number"),
        (b'{"hypothesis": [1e999], "reference": [], "duration": 5}', "hypothesis holds Infinity"),
        (b'{"hypothesis": [' + b"9" * 400 + b'], "reference": [], "duration": 5}', "which is no number"),
        (b"[" * 100_000, "beyond all measure"),
        (line(duration=-50.0), "duration is -50.0; give the recording's length"),
        (line(duration=0), "above 0"),
        (line(duration=None), "duration is missing"),
        (line(duration=True), "duration holds true"),
        (line(reference=12.0), "reference is no list"),
        (line(reference=[1, "2"]), 'reference holds "2"'),
        (line(reference_titles=[["a", "b"]]), 'reference_titles holds "b"'),
        (line(hyp_titles=[["a"]]), "give pairs of a text and its start"),
        (line(reference_transcript=5), "reference_transcript is no text"),
        (line(hypothesis="text"), "give --format"),
        (line(hypothesis="text", format="rtf"), "Known: cstart"),
    ],
)
def test_what_cannot_be_evaluated_is_rejected_with_its_line_and_the_remedy(content: bytes, problem: str) -> None:
    (said,) = rejected(line(), content)
    assert said.startswith("line 2: ")
    assert problem in said


def test_every_bad_line_is_named_and_an_empty_file_is_rejected() -> None:
    assert [said[:6] for said in rejected(b"{", line(), b"}")] == ["line 1", "line 3"]
    assert "the file is empty" in rejected(b"\n")[0]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"hypothesis": [10, 60.0]}, "line 1: hypothesis has a chapter at 60.0 s, outside the recording of 50.0 s"),
        ({"reference": [-1.0, 10]}, "line 1: reference has a chapter at -1.0 s"),
        ({"hypothesis": SPOKEN, "format": "cstart_ts", "duration": 35.0, "reference": [36.0]}, "reference has"),
        ({"hypothesis": "# 1:00 - Late", "format": "markdown_ts"}, "hypothesis has a chapter at 60.0 s"),
    ],
)
def test_a_chapter_outside_the_recording_is_rejected_unless_it_is_meant(changes: dict[str, Any], says: str) -> None:
    (problem,) = rejected(line(**changes))
    assert says in problem
    assert "correct it, or give --keep-outside" in problem
    assert len(read(line(**changes), keep_outside=True).samples) == 1


def test_a_title_outside_the_recording_is_rejected_where_titles_are_compared() -> None:
    late = line(reference_titles=[["a", 99]])
    assert "reference has a chapter at 99.0 s" in rejected(late, titles=True)[0]
    assert len(read(late).samples) == 1


def test_a_chapter_at_either_end_is_inside() -> None:
    assert len(read(line(hypothesis=[0, 50.0], reference=[0, 50.0])).samples) == 1


def test_a_misspelt_format_is_rejected_before_any_line_is_read() -> None:
    with pytest.raises(ChaptersOptionUnfit):
        read(b"{", name="rtf")


@pytest.mark.parametrize(
    ("changes", "code", "says"),
    [
        ({"hypothesis": [10, 60.0]}, "outside", "hypothesis outside the recording: 1, the first at 60.0 s of 50.0 s"),
        ({"reference": [-1.0, 10]}, "outside", "reference outside the recording"),
        ({"hypothesis": [49.0]}, "tail", "in the last 2.0 s"),
        ({"hypothesis": [20, 10]}, "unsorted", "not in order"),
        ({"reference": [20, 20]}, "repeated", "twice"),
        ({"duration": 5.0}, "short", "shorter than a chunk"),
        ({"hypothesis": [0.0], "reference": []}, "no-boundaries", "Neither side"),
        ({"titles": True}, "no-reference-titles", "not compared"),
        ({"titles": True, "reference_titles": [["a", 1]]}, "no-titles", "has no titles"),
        ({"titles": True, "reference_titles": [["a", 9], ["b", 1]]}, "titles-unsorted", "compared as listed"),
        ({"titles": True, "reference_titles": [["a", 99]]}, "titles-outside", "99.0 s of 50.0 s"),
        ({"wer": True}, "no-transcript", "Word errors are not counted"),
        ({"hypothesis": "# A", "name": "markdown_ts"}, "unread", "Line 1 of the text could not be read"),
    ],
)
def test_what_is_odd_is_noticed(changes: Mapping[str, Any], code: str, says: str) -> None:
    assert says in noticed(**changes)[code]
