"""Chapters in texts: what each preset reads, and what it says it could not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.chaptering.analysis.boundaries import ChaptersOptionUnfit
from protocols.chaptering.analysis.samples import FORMATS, find_format, read_timestamp, timestamp_form

CUSTOM = r"^== (?P<title>[^@]*?) @ (?P<timestamp>\S+) ==$"


def read(name: str, text: str, pattern: str | None = None, form: str | None = None) -> list[tuple[str, float | None]]:
    parsed = find_format(name, pattern=pattern, timestamp_format=form).parse(text)
    return [(section.title, section.start_s) for section in parsed.sections]


def unread(name: str, text: str, pattern: str | None = None) -> list[tuple[int, str]]:
    return [(place.line, place.excerpt) for place in find_format(name, pattern=pattern).parse(text).unread]


@pytest.mark.parametrize(
    ("name", "text", "sections"),
    [
        ("cstart", "[CSTART] Intro [CEND] a b [CSTART]Main\npart[CEND] c", [("Intro", None), ("Main\npart", None)]),
        ("cstart_ts", "[CSTART] 0:00:00 - In [CEND] a [CSTART] 1:02:03 - A - B [CEND]", [("In", 0), ("A - B", 3723)]),
        ("cstart_ts", "[CSTART] 5:10 \N{EN DASH} Short clock [CEND]", [("Short clock", 310.0)]),
        ("newline", "one\n\n \ntwo\nlines\n\n\nthree\n\n", [("", None)] * 3),
        ("markdown", "# Intro\na\n### Main part  \nb\n", [("Intro", None), ("Main part", None)]),
        ("markdown_ts", "# 0:15:30 - A\na\n## 15:30 B\n# End @ 1:00:00.5", [("A", 930), ("B", 930), ("End", 3600.5)]),
        ("markdown_ts", "# 3 things @ 0:15", [("3 things", 15.0)]),
    ],
)  # fmt: skip
def test_presets_find_titles_and_times(name: str, text: str, sections: list[tuple[str, float | None]]) -> None:
    assert read(name, text) == sections
    assert unread(name, text) == []


def test_a_pattern_divides_and_a_pattern_with_times_heads_sections() -> None:
    assert read("custom", "a --- b --- c", "---") == [("", None)] * 3
    assert read("custom", "a (x) b", r"\((?P<title>\w)\)") == [("", None), ("x", None)]
    assert read("custom_ts", "== A @ 1:05 ==\nwords\n== B @ 0:02:05 ==", CUSTOM) == [("A", 65.0), ("B", 125.0)]
    assert read("custom_ts", "== A @ 0105 ==", CUSTOM, "MMSS") == [("A", 65.0)]
    assert read("custom_ts", "== A @ 2h5m ==", CUSTOM, r"(?P<hours>\d+)h(?P<min>\d+)m") == [("A", 7500.0)]


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("cstart", "hello\n[CSTART] A [CEND]", [(1, "hello")]),
        ("cstart", "[CSTART] A\n[CSTART] B [CEND]\n[CEND]", [(1, "[CSTART] A"), (1, "[CSTART] A"), (3, "[CEND]")]),
        ("cstart", "no chapters at all", [(1, "no chapters at all")]),
        ("cstart_ts", "[CSTART] 0:00:00 - A [CEND]\n[CSTART] 1:75 - B [CEND]", [(2, "[CSTART] 1:75 - B [CEND]")]),
        ("cstart_ts", "[CSTART] Untimed [CEND]", [(1, "[CSTART] Untimed [CEND]")]),
        ("markdown", "# A\ntext\n#B\n", [(3, "#B")]),
        ("markdown_ts", "# 0:10 - A\n# 2024 in review", [(2, "# 2024 in review")]),
        ("newline", "one\n\ntwo", []),
    ],
)
def test_what_could_not_be_read_is_named_by_its_line(name: str, text: str, places: list[tuple[int, str]]) -> None:
    assert unread(name, text) == places


def test_a_heading_whose_time_is_unreadable_keeps_its_whole_title_and_its_words() -> None:
    parsed = find_format("markdown_ts").parse("before\n# 2024 in review\nspoken")
    assert [section.title for section in parsed.sections] == ["2024 in review"]
    assert parsed.transcript.split() == ["before", "spoken"]


@pytest.mark.parametrize(
    ("name", "pattern", "form", "remedy"),
    [
        ("rtf", None, None, "Known: cstart, cstart_ts"),
        ("custom", None, None, "needs a regular expression"),
        ("custom", "(", None, "no regular expression"),
        ("custom", "x*", None, "matches what divides"),
        ("custom_ts", "---", None, r"\(\?P<timestamp>"),
        ("custom_ts", CUSTOM, "whenever", "HH:MM:SS"),
        ("custom_ts", CUSTOM, "(", "no regular expression"),
    ],
)
def test_formats_that_cannot_work_are_rejected(name: str, pattern: str | None, form: str | None, remedy: str) -> None:
    with pytest.raises(ChaptersOptionUnfit, match=remedy):
        find_format(name, pattern=pattern, timestamp_format=form)


@pytest.mark.parametrize(
    ("text", "form", "seconds"),
    [
        ("1:23:45", None, 5025.0),
        ("83:45", None, 5025.0),
        ("0:05.25", None, 5.25),
        ("1:60:00", None, None),
        ("12", None, None),
        ("1:2", None, None),
        ("01:23:45", "H:MM:SS", 5025.0),
        ("1:23:45", "HH:MM:SS", None),
        ("012345", "HHMMSS", 5025.0),
        ("3:45", "M:SS", 225.0),
        ("3:45", "MM:SS", None),
    ],
)
def test_moments_are_read_in_their_form_or_not_at_all(text: str, form: str | None, seconds: float | None) -> None:
    assert read_timestamp(text, timestamp_form(form)) == seconds


@given(
    st.text(alphabet="[CSTARTEND]# \n0:-@a", max_size=80),
    st.sampled_from([name for name in FORMATS if name[:2] != "cu"]),
)
def test_no_text_breaks_a_preset_and_no_word_of_it_is_spoken_twice(text: str, name: str) -> None:
    parsed = find_format(name).parse(text)
    assert sum(map(len, parsed.transcript.split())) <= sum(map(len, text.split()))
    assert all(1 <= place.line <= text.count("\n") + 1 for place in parsed.unread)
