"""Chapters to take away: the form that evaluators read, and a plain table."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from analysis.exports import csv_lines
from analysis.reports.chapters.words import by_kind

BOUNDARY_COLUMNS = ("item", "kind", "annotator", "condition", "chapter", "start_s", "end_s", "title", "duration_s")

Row = Mapping[str, Any]


def json_lines(table: Row) -> Iterator[str]:
    """One line for every answer about a recording that has a reference, in the fields of chunkseg and more beside."""
    answers = table.get("answers", [])
    references = {row["item"]: row for row in answers if row["kind"] == "reference"}
    for row in sorted(answers, key=lambda row: (row["item"], by_kind(row))):
        reference = references.get(row["item"])
        if row["kind"] == "reference" or reference is None:
            continue
        line = {
            "hypothesis": row["boundaries_s"],
            "reference": reference["boundaries_s"],
            "duration": row["duration_s"],
            "hyp_titles": row["titles"],
            "reference_titles": reference["titles"],
            **{name: row[name] for name in ("item", "kind", "annotator", "condition")},
        }
        yield json.dumps(line, ensure_ascii=False) + "\n"


def boundaries(table: Row) -> Iterator[str]:
    """Every chapter of every answer; the first of each begins at 0, which is no boundary."""
    answers = sorted(table.get("answers", []), key=lambda row: (row["item"], by_kind(row)))
    return csv_lines((chapter for row in answers for chapter in chapters_of(row)), columns=BOUNDARY_COLUMNS)


def chapters_of(answer: Row) -> Iterator[dict[str, Any]]:
    titles = {start_s: title for title, start_s in answer["titles"] or ()}
    starts_s = [0.0, *answer["boundaries_s"]]
    for number, (start_s, end_s) in enumerate(zip(starts_s, [*starts_s[1:], answer["duration_s"]], strict=True), 1):
        span = {"chapter": number, "start_s": start_s, "end_s": end_s, "title": titles.get(start_s, "")}
        yield {**answer, **span}
