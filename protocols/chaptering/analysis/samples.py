"""Sample files, one JSON object a line as chunkseg takes them, with chapters as numbers or written into a text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from protocols.chaptering.analysis.boundaries import ChaptersOptionUnfit
from protocols.chaptering.analysis.evaluation import Answer, Measures, Notice, Sample, notices, outside
from protocols.chaptering.analysis.titles import Title

CLOCK = re.compile(r"(?:(?P<h>\d{1,3}):(?=\d\d:))?(?P<m>\d{1,3}):(?P<s>\d\d(?:\.\d+)?)")
NAMED_FORMS = {
    "HH:MM:SS": r"(?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)",
    "H:MM:SS": r"(?P<h>\d{1,2}):(?P<m>\d\d):(?P<s>\d\d)",
    "MM:SS": r"(?P<m>\d\d):(?P<s>\d\d)",
    "M:SS": r"(?P<m>\d{1,2}):(?P<s>\d\d)",
    "HHMMSS": r"(?P<h>\d\d)(?P<m>\d\d)(?P<s>\d\d)",
    "MMSS": r"(?P<m>\d\d)(?P<s>\d\d)",
}
# What the groups of a form may be called, each with its seconds.
GROUPS_S = {"h": 3600, "hours": 3600, "m": 60, "minutes": 60, "min": 60, "s": 1, "seconds": 1, "sec": 1}


def timestamp_form(form: str | None) -> re.Pattern[str]:
    """Find a form by its name, or take it as a regular expression with groups h, m and s; by default, any clock."""
    if form is None:
        return CLOCK
    try:
        pattern = re.compile(NAMED_FORMS.get(form, form))
    except re.error as problem:
        remedy = LazyMessage("It is no regular expression: {problem}.", problem=str(problem))
        raise ChaptersOptionUnfit(option=LazyMessage("The timestamp format"), value=form, remedy=remedy) from problem
    if not set(pattern.groupindex) & set(GROUPS_S):
        known = ", ".join(NAMED_FORMS)
        remedy = LazyMessage(
            "Give one of {known}, or a regular expression with the named groups h, m and s.", known=known
        )
        raise ChaptersOptionUnfit(option=LazyMessage("The timestamp format"), value=form, remedy=remedy)
    return pattern


def read_timestamp(text: str, form: re.Pattern[str] = CLOCK) -> float | None:
    """Read the seconds; None where the text is no such moment, or has 60 or more of what makes a minute or an hour."""
    found = form.fullmatch(text.strip())
    if not found:
        return None
    parts = {GROUPS_S[name]: value for name, value in found.groupdict().items() if value and name in GROUPS_S}
    try:
        numbers = {unit_s: float(value) for unit_s, value in parts.items()}
    except ValueError:
        return None
    carried = [unit_s for unit_s in numbers if unit_s * 60 in numbers and numbers[unit_s] >= 60]
    return None if carried or not numbers else sum(unit_s * number for unit_s, number in numbers.items())


EXCERPT = 60  # characters of what could not be read
DASH = r"[-\N{EN DASH}\N{EM DASH}]"
MOMENT = r"(?P<timestamp>\d[\d:.]*)"
# What stands in a heading that carries a time: the time first, or the title first in Markdown.
TIME_FIRST = (re.compile(rf"{MOMENT}\s*{DASH}\s*(?P<title>.*)", re.DOTALL),)
TIME_ANYWHERE = (
    re.compile(rf"{MOMENT}(?:\s*{DASH}\s*|\s+)(?P<title>.+)"),
    re.compile(rf"(?P<title>.+?)\s*@\s*{MOMENT}"),
)
CSTART = re.compile(r"\[CSTART\]\s*(?P<title>(?:(?!\[CSTART\]|\[CEND\]).)*?)\s*\[CEND\]", re.DOTALL)
CSTART_ALONE = re.compile(r"\[C(?:START|END)\]", re.IGNORECASE)
MARKDOWN = re.compile(r"^#{1,6}[ \t]+(?P<title>\S.*?)[ \t]*$", re.MULTILINE)
MARKDOWN_ALONE = re.compile(r"^#+(?=\S|$)", re.MULTILINE)
BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")


class Section(NamedTuple):
    title: str
    start_s: float | None  # None where the format has no times, or this one could not be read
    text: str


class Unread(NamedTuple):
    """A place in the text, with the line from 1, and why it says nothing."""

    line: int
    excerpt: str
    reason: LazyMessage


@dataclass(frozen=True)
class Parsed:
    sections: tuple[Section, ...]
    preface: str  # words before the first heading
    unread: tuple[Unread, ...]

    @property
    def transcript(self) -> str:
        """All that is spoken, without headings."""
        return "\n".join((self.preface, *(section.text for section in self.sections)))


@dataclass(frozen=True)
class Format:
    """A preset: what divides sections, and how a time stands in it."""

    divider: re.Pattern[str]
    is_heading: bool = True  # it opens a section; otherwise it only lies between two
    labels: tuple[re.Pattern[str], ...] = ()  # how the inside of a heading is divided into time and title
    form: re.Pattern[str] = field(default=CLOCK)
    timed: bool = False
    alone: re.Pattern[str] | None = None  # what looks like half a heading

    def parse(self, text: str) -> Parsed:
        found = list(self.divider.finditer(text))
        ends = [*(each.start() for each in found[1:]), len(text)]
        bodies = [text[each.end() : end] for each, end in zip(found, ends, strict=False)]
        sections = [self._section(each, body) for each, body in zip(found, bodies, strict=True)]
        preface = text[: found[0].start()] if found else text
        unread = tuple(sorted(self._unread(text, found, sections), key=lambda each: each.line))
        if self.is_heading:
            return Parsed(tuple(sections), preface.strip(), unread)
        kept = [section for section in (Section("", None, preface.strip()), *sections) if section.title or section.text]
        return Parsed(tuple(kept), "", unread)

    def _section(self, found: re.Match[str], body: str) -> Section:
        inside = {name: value or "" for name, value in found.groupdict().items()}
        splits = [split.groupdict() for label in self.labels if (split := label.fullmatch(inside["title"]))]
        for parts in splits or [inside]:
            start_s = read_timestamp(parts.get("timestamp", ""), self.form) if self.timed else None
            if start_s is not None:
                return Section(parts.get("title", "").strip(), start_s, body.strip())
        return Section(inside.get("title", "").strip(), None, body.strip())

    def _unread(self, text: str, found: list[re.Match[str]], sections: list[Section]) -> Iterator[Unread]:
        first = found[0].start() if found else len(text)
        if self.is_heading and text[:first].strip():
            reason = LazyMessage("it stands before the first heading") if found else LazyMessage("there is no heading")
            yield _place(text, 0, first, reason)
        for each, section in zip(found, sections, strict=True):
            if self.timed and section.start_s is None:
                yield _place(text, *each.span(), LazyMessage("the heading has no time that can be read"))
        if self.alone:
            yield from _halves(text, self.alone, [each.span() for each in found])


PRESETS = {
    "cstart": Format(CSTART, alone=CSTART_ALONE),
    "cstart_ts": Format(CSTART, labels=TIME_FIRST, timed=True, alone=CSTART_ALONE),
    "newline": Format(BLANK_LINES, is_heading=False),
    "markdown": Format(MARKDOWN, alone=MARKDOWN_ALONE),
    "markdown_ts": Format(MARKDOWN, labels=TIME_ANYWHERE, timed=True, alone=MARKDOWN_ALONE),
}
CUSTOM = ("custom", "custom_ts")
FORMATS = (*PRESETS, *CUSTOM)


def find_format(name: str, *, pattern: str | None = None, timestamp_format: str | None = None) -> Format:
    """Find a preset; the two custom ones are made from a regular expression."""
    if name in PRESETS:
        return PRESETS[name]
    if name not in CUSTOM:
        raise _unfit(LazyMessage("The format"), name, LazyMessage("Known: {known}.", known=", ".join(FORMATS)))
    divider = _divider(pattern or "")
    if name == "custom":
        return Format(divider, is_heading=False)
    if "timestamp" not in divider.groupindex:
        raise _unfit(
            LazyMessage("The pattern"), pattern or "", LazyMessage("It needs a named group: (?P<timestamp>...).")
        )
    return Format(divider, timed=True, form=timestamp_form(timestamp_format))


def _divider(pattern: str) -> re.Pattern[str]:
    option = LazyMessage("The pattern")
    try:
        divider = re.compile(pattern, re.MULTILINE)
    except re.error as problem:
        message = LazyMessage("It is no regular expression: {problem}.", problem=str(problem))
        raise _unfit(option, pattern, message) from problem
    if divider.fullmatch(""):
        remedy = LazyMessage("A custom format needs a regular expression that matches what divides the sections.")
        raise _unfit(option, pattern, remedy)
    return divider


def _halves(text: str, alone: re.Pattern[str], headings: list[tuple[int, int]]) -> Iterator[Unread]:
    for half in alone.finditer(text):
        if not any(start <= half.start() < end for start, end in headings):
            yield _place(text, half.start(), len(text), LazyMessage("it looks like part of a heading"))


def _place(text: str, start: int, end: int, reason: LazyMessage) -> Unread:
    """Name the first line of a stretch that is not empty."""
    start += len(text[start:end]) - len(text[start:end].lstrip())
    excerpt = text[start:end].partition("\n")[0].strip()
    shown = excerpt if len(excerpt) <= EXCERPT else f"{excerpt[:EXCERPT]}..."
    return Unread(text.count("\n", 0, start) + 1, shown, reason)


def _unfit(option: LazyMessage, value: str, remedy: LazyMessage) -> ChaptersOptionUnfit:
    return ChaptersOptionUnfit(option=option, value=value, remedy=remedy)


Json = Any


@dataclass(frozen=True)
class TextFormat:
    """How hypotheses that are texts are written, unless a line names a `format` of its own."""

    name: str | None = None
    pattern: str | None = None
    timestamp_format: str | None = None

    def __post_init__(self) -> None:
        if self.name:
            self.find(self.name)  # a misspelt option is rejected before any line is read

    def find(self, name: str) -> Format:
        return find_format(name, pattern=self.pattern, timestamp_format=self.timestamp_format)


@dataclass
class Reading:
    """The samples in order, with the line of each, and what was noticed by line."""

    samples: list[Sample] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    notices: list[tuple[int, Notice]] = field(default_factory=list)


class Unfit(Exception):
    """A line cannot be taken."""

    def __init__(self, problem: LazyMessage) -> None:
        super().__init__(problem)
        self.problem = problem


def read_samples(
    lines: Iterable[bytes], *, file: str, text_format: TextFormat, measures: Measures, keep_outside: bool = False
) -> Reading:
    """Read all samples or reject with the lines that are the reason. Empty lines are passed over.

    With `keep_outside`, times outside the recording are evaluated as chunkseg does, and noticed.
    """
    reading = Reading()
    problems: list[tuple[int, LazyMessage]] = []
    for number, line in enumerate(lines, 1):
        content = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if not content.strip():
            continue
        try:
            entry = _entry(content)
            sample, unread = _sample(entry, text_format)
            if not keep_outside:
                _check_inside(sample, titles=measures.titles)
        except Unfit as unfit:
            problems.append((number, unfit.problem))
            continue
        reading.samples.append(sample)
        reading.lines.append(number)
        reading.notices += [(number, notice) for notice in (*unread, *notices(sample, measures))]
    if not problems and not reading.samples:
        problems = [(1, LazyMessage("the file is empty; give one JSON object a line"))]
    if problems:
        named = [LazyMessage("line {line}: {problem}", line=number, problem=problem) for number, problem in problems]
        raise AppError(
            "chapters.unreadable",
            422,
            _("'{file}' cannot be evaluated. Problems: {count}. The first is in {first}."),
            file=file,
            count=len(named),
            first=named[0],
            problems=[str(one) for one in named],
        )
    return reading


def _entry(line: bytes) -> dict[str, Json]:
    try:
        entry = json.loads(line.decode().rstrip(), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise Unfit(LazyMessage("it is not in UTF-8; save the file in UTF-8")) from None
    except json.JSONDecodeError as problem:
        message = LazyMessage(
            "it is not JSON from column {column} on; give one JSON object a line", column=problem.colno
        )
        raise Unfit(message) from problem
    except (ValueError, RecursionError):
        raise Unfit(
            LazyMessage("it holds numbers or nesting beyond all measure; give plain lists of seconds")
        ) from None
    if not isinstance(entry, dict):
        raise Unfit(LazyMessage("it is no JSON object; give {...} with hypothesis, reference and duration"))
    return entry


def _no_constant(name: str) -> NoReturn:
    raise Unfit(LazyMessage("{name} is no number; give seconds, or leave the boundary out", name=name))


def _sample(entry: Mapping[str, Json], text_format: TextFormat) -> tuple[Sample, list[Notice]]:
    duration_s = _second("duration", _given(entry, "duration"))
    if duration_s <= 0:
        raise Unfit(
            LazyMessage("duration is {value}; give the recording's length in seconds, above 0", value=duration_s)
        )
    reference = Answer(
        _seconds("reference", _given(entry, "reference")),
        _titles("reference_titles", entry.get("reference_titles")),
        _text("reference_transcript", entry.get("reference_transcript")),
    )
    hypothesis, unread = _hypothesis(entry, text_format)
    return Sample(hypothesis, reference, duration_s), unread


def _check_inside(sample: Sample, *, titles: bool) -> None:
    for side, answer in (("hypothesis", sample.hypothesis), ("reference", sample.reference)):
        starts_s = [title.start_s for title in answer.titles or ()] if titles else []
        if past := outside([*answer.boundaries_s, *starts_s], sample.duration_s):
            message = LazyMessage(
                "{field} has a chapter at {time} s, outside the recording of {duration} s; correct it, or give "
                "--keep-outside to have it evaluated as chunkseg does",
                field=side,
                time=past[0],
                duration=sample.duration_s,
            )
            raise Unfit(message)


def _hypothesis(entry: Mapping[str, Json], text_format: TextFormat) -> tuple[Answer, list[Notice]]:
    """Take boundaries as they are, or out of a text; titles that are given go before those of the text."""
    given, titles = _given(entry, "hypothesis"), _titles("hyp_titles", entry.get("hyp_titles"))
    if not isinstance(given, str):
        return Answer(_seconds("hypothesis", given), titles or ()), []
    name, form = _format(entry, text_format)
    parsed = form.parse(given)
    if form.timed:
        timed = [(section.title, section.start_s) for section in parsed.sections if section.start_s is not None]
    else:
        timed = _aligned(parsed, name, entry.get("hypothesis_times"))
    own = [Title(title, start_s) for title, start_s in timed if title]
    boundaries_s = [start_s for _, start_s in timed]
    return Answer(boundaries_s, own if titles is None else titles, parsed.transcript), list(_about(parsed))


def _format(entry: Mapping[str, Json], text_format: TextFormat) -> tuple[str, Format]:
    name = text_format.name or _text("format", entry.get("format"))
    if not name:
        raise Unfit(
            LazyMessage("hypothesis is a text, and its format is not named; give --format or a list of seconds")
        )
    try:
        return name, text_format.find(name)
    except ChaptersOptionUnfit as error:
        raise Unfit(LazyMessage("its format is of no use: {problem}", problem=str(error).removesuffix("."))) from error


def _aligned(parsed: Parsed, name: str, times: Json) -> list[tuple[str, float]]:
    """Join the sections of a format without times with times that came from elsewhere."""
    if times is None:
        message = LazyMessage(
            "the format {name} has no times, and text is not aligned with sound here; align it first and give the "
            "start of every section in seconds as hypothesis_times",
            name=name,
        )
        raise Unfit(message)
    starts_s = _seconds("hypothesis_times", times)
    if len(starts_s) != len(parsed.sections):
        message = LazyMessage(
            "hypothesis_times has {times} numbers for {sections} sections; give the start of each",
            times=len(starts_s),
            sections=len(parsed.sections),
        )
        raise Unfit(message)
    return [(section.title, start_s) for section, start_s in zip(parsed.sections, starts_s, strict=True)]


def _about(parsed: Parsed) -> Iterable[Notice]:
    for unread in parsed.unread:
        message = LazyMessage(
            "Line {line} of the text could not be read, because {reason}: {excerpt}",
            line=unread.line,
            reason=unread.reason,
            excerpt=unread.excerpt,
        )
        yield Notice("unread", message)


def _given(entry: Mapping[str, Json], field_name: str) -> Json:
    value = entry.get(field_name)
    if value is None:
        needed = "hypothesis, reference, duration"
        raise Unfit(LazyMessage("{field} is missing; give {needed}", field=field_name, needed=needed))
    return value


def _second(field_name: str, value: Json) -> float:
    try:
        if not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value):
            return float(value)
    except OverflowError:
        pass
    shown = json.dumps(value, ensure_ascii=False)[:40]
    raise Unfit(LazyMessage("{field} holds {value}, which is no number; give seconds", field=field_name, value=shown))


def _seconds(field_name: str, value: Json) -> list[float]:
    if not isinstance(value, list):
        raise Unfit(LazyMessage("{field} is no list; give a list of seconds", field=field_name))
    return [_second(field_name, each) for each in value]


def _titles(field_name: str, value: Json) -> list[Title] | None:
    if value is None:
        return None
    message = LazyMessage(
        "{field} is no list of titles; give pairs of a text and its start in seconds", field=field_name
    )
    if not isinstance(value, list):
        raise Unfit(message)
    titles = []
    for pair in value:
        match pair:
            case [str(text), start]:
                titles.append(Title(text, _second(field_name, start)))
            case _:
                raise Unfit(message)
    return titles


def _text(field_name: str, value: Json) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise Unfit(LazyMessage("{field} is no text; give it in quotation marks", field=field_name))
