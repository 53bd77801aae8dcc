"""Files of samples, one JSON object a line as chunkseg takes them: judged line by line, refused with every reason."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from analysis.methods.chapters.errors import ChaptersOptionUnfit, ChaptersUnreadable
from analysis.methods.chapters.evaluation import Answer, Measures, Sample
from analysis.methods.chapters.formats import Format, Parsed, find_format
from analysis.methods.chapters.notices import Notice, notices, outside
from analysis.methods.chapters.titles import Title
from core.clauses import Clause, clause

Json = Any


@dataclass(frozen=True)
class TextFormat:
    """How hypotheses that are texts are written, unless a line names a `format` of its own."""

    name: str | None = None
    pattern: str | None = None
    timestamp_format: str | None = None

    def __post_init__(self) -> None:
        if self.name:
            self.find(self.name)  # a misspelt option is refused before any line is read

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

    def __init__(self, problem: Clause) -> None:
        super().__init__(problem)
        self.problem = problem


def read_samples(
    lines: Iterable[bytes], *, file: str, text_format: TextFormat, measures: Measures, keep_outside: bool = False
) -> Reading:
    """Read all samples or refuse with the lines that are the reason. Empty lines are passed over.

    With `keep_outside`, times outside the recording are evaluated as chunkseg does, and noticed.
    """
    reading = Reading()
    problems: list[tuple[int, Clause]] = []
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
        problems = [(1, clause("the file is empty; give one JSON object a line"))]
    if problems:
        named = [clause("line {line}: {problem}", line=number, problem=problem) for number, problem in problems]
        raise ChaptersUnreadable(file=file, count=len(named), first=named[0], problems=[str(one) for one in named])
    return reading


def _entry(line: bytes) -> dict[str, Json]:
    try:
        entry = json.loads(line.decode().rstrip(), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise Unfit(clause("it is not in UTF-8; save the file in UTF-8")) from None
    except json.JSONDecodeError as problem:
        says = clause("it is not JSON from column {column} on; give one JSON object a line", column=problem.colno)
        raise Unfit(says) from problem
    except (ValueError, RecursionError):
        raise Unfit(clause("it holds numbers or nesting beyond all measure; give plain lists of seconds")) from None
    if not isinstance(entry, dict):
        raise Unfit(clause("it is no JSON object; give {...} with hypothesis, reference and duration"))
    return entry


def _no_constant(name: str) -> NoReturn:
    raise Unfit(clause("{name} is no number; give seconds, or leave the boundary out", name=name))


def _sample(entry: Mapping[str, Json], text_format: TextFormat) -> tuple[Sample, list[Notice]]:
    duration_s = _second("duration", _given(entry, "duration"))
    if duration_s <= 0:
        raise Unfit(clause("duration is {value}; give the recording's length in seconds, above 0", value=duration_s))
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
            says = clause(
                "{field} has a chapter at {time} s, outside the recording of {duration} s; correct it, or give "
                "--keep-outside to have it evaluated as chunkseg does",
                field=side,
                time=past[0],
                duration=sample.duration_s,
            )
            raise Unfit(says)


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
        raise Unfit(clause("hypothesis is a text, and its format is not named; give --format or a list of seconds"))
    try:
        return name, text_format.find(name)
    except ChaptersOptionUnfit as refusal:
        raise Unfit(clause("its format is of no use: {problem}", problem=str(refusal).removesuffix("."))) from refusal


def _aligned(parsed: Parsed, name: str, times: Json) -> list[tuple[str, float]]:
    """Join the sections of a format without times with times that came from elsewhere."""
    if times is None:
        says = clause(
            "the format {name} has no times, and text is not aligned with sound here; align it first and give the "
            "start of every section in seconds as hypothesis_times",
            name=name,
        )
        raise Unfit(says)
    starts_s = _seconds("hypothesis_times", times)
    if len(starts_s) != len(parsed.sections):
        says = clause(
            "hypothesis_times has {times} numbers for {sections} sections; give the start of each",
            times=len(starts_s),
            sections=len(parsed.sections),
        )
        raise Unfit(says)
    return [(section.title, start_s) for section, start_s in zip(parsed.sections, starts_s, strict=True)]


def _about(parsed: Parsed) -> Iterable[Notice]:
    for unread in parsed.unread:
        says = clause(
            "Line {line} of the text could not be read, because {reason}: {excerpt}",
            line=unread.line,
            reason=unread.reason,
            excerpt=unread.excerpt,
        )
        yield Notice("unread", says)


def _given(entry: Mapping[str, Json], field_name: str) -> Json:
    value = entry.get(field_name)
    if value is None:
        needed = "hypothesis, reference, duration"
        raise Unfit(clause("{field} is missing; give {needed}", field=field_name, needed=needed))
    return value


def _second(field_name: str, value: Json) -> float:
    try:
        if not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value):
            return float(value)
    except OverflowError:
        pass
    shown = json.dumps(value, ensure_ascii=False)[:40]
    raise Unfit(clause("{field} holds {value}, which is no number; give seconds", field=field_name, value=shown))


def _seconds(field_name: str, value: Json) -> list[float]:
    if not isinstance(value, list):
        raise Unfit(clause("{field} is no list; give a list of seconds", field=field_name))
    return [_second(field_name, each) for each in value]


def _titles(field_name: str, value: Json) -> list[Title] | None:
    if value is None:
        return None
    says = clause("{field} is no list of titles; give pairs of a text and its start in seconds", field=field_name)
    if not isinstance(value, list):
        raise Unfit(says)
    titles = []
    for pair in value:
        match pair:
            case [str(text), start]:
                titles.append(Title(text, _second(field_name, start)))
            case _:
                raise Unfit(says)
    return titles


def _text(field_name: str, value: Json) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise Unfit(clause("{field} is no text; give it in quotation marks", field=field_name))
