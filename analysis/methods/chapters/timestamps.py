"""Moments written as text, such as 1:02:03, read as seconds."""

from __future__ import annotations

import re

from analysis.methods.chapters.errors import ChaptersOptionUnfit
from core.clauses import clause

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
        remedy = clause("It is no regular expression: {problem}.", problem=str(problem))
        raise ChaptersOptionUnfit(option=clause("The timestamp format"), value=form, remedy=remedy) from problem
    if not set(pattern.groupindex) & set(GROUPS_S):
        known = ", ".join(NAMED_FORMS)
        remedy = clause("Give one of {known}, or a regular expression with the named groups h, m and s.", known=known)
        raise ChaptersOptionUnfit(option=clause("The timestamp format"), value=form, remedy=remedy)
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
