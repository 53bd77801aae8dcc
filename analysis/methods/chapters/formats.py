"""Chapters written into a text: where its sections begin, what they are called, and what could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from analysis.methods.chapters.errors import ChaptersOptionUnfit
from analysis.methods.chapters.timestamps import CLOCK, read_timestamp, timestamp_form
from core.clauses import Clause, clause

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
    reason: Clause


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
            reason = clause("it stands before the first heading") if found else clause("there is no heading")
            yield _place(text, 0, first, reason)
        for each, section in zip(found, sections, strict=True):
            if self.timed and section.start_s is None:
                yield _place(text, *each.span(), clause("the heading has no time that can be read"))
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
        raise _unfit(clause("The format"), name, clause("Known: {known}.", known=", ".join(FORMATS)))
    divider = _divider(pattern or "")
    if name == "custom":
        return Format(divider, is_heading=False)
    if "timestamp" not in divider.groupindex:
        raise _unfit(clause("The pattern"), pattern or "", clause("It needs a named group: (?P<timestamp>...)."))
    return Format(divider, timed=True, form=timestamp_form(timestamp_format))


def _divider(pattern: str) -> re.Pattern[str]:
    option = clause("The pattern")
    try:
        divider = re.compile(pattern, re.MULTILINE)
    except re.error as problem:
        says = clause("It is no regular expression: {problem}.", problem=str(problem))
        raise _unfit(option, pattern, says) from problem
    if divider.fullmatch(""):
        remedy = clause("A custom format needs a regular expression that matches what divides the sections.")
        raise _unfit(option, pattern, remedy)
    return divider


def _halves(text: str, alone: re.Pattern[str], headings: list[tuple[int, int]]) -> Iterator[Unread]:
    for half in alone.finditer(text):
        if not any(start <= half.start() < end for start, end in headings):
            yield _place(text, half.start(), len(text), clause("it looks like part of a heading"))


def _place(text: str, start: int, end: int, reason: Clause) -> Unread:
    """Name the first line of a stretch that is not empty."""
    start += len(text[start:end]) - len(text[start:end].lstrip())
    excerpt = text[start:end].partition("\n")[0].strip()
    shown = excerpt if len(excerpt) <= EXCERPT else f"{excerpt[:EXCERPT]}..."
    return Unread(text.count("\n", 0, start) + 1, shown, reason)


def _unfit(option: Clause, value: str, remedy: Clause) -> ChaptersOptionUnfit:
    return ChaptersOptionUnfit(option=option, value=value, remedy=remedy)
