"""The page of a design: a report's findings and tables in the reader's language."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, pgettext

from core.clauses import translated
from listening.models import Design

MOST_COMBINATIONS = 60


def shown_report(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report as the template draws it, whether it is of a draft or of a design that stands."""
    findings = [_finding(finding) for finding in report["findings"]]
    levels = [_share(share) for share in report.get("shares", [])]
    combinations = sorted((share for share in levels if not share["factor"]), key=lambda share: -share["off"])
    verdicts = [finding["verdict"] for finding in findings]
    return {
        "sentence": translated(report, gettext)["sentence"],
        "findings": findings,
        "bad": verdicts.count("bad"),
        "warn": verdicts.count("warn"),
        "levels": [share for share in levels if share["factor"]],
        "combinations": combinations[:MOST_COMBINATIONS],
        "more_combinations": max(0, len(combinations) - MOST_COMBINATIONS),
        "panels": range(1, len(levels[0]["counts"]) + 1) if levels else (),
        "plan": report.get("plan"),
    }


def shown_settings(design: Design) -> dict[str, Any]:
    settings = design.settings
    return {
        "panels": len(design.subsets),
        "seats": settings["seats"],
        "sizes": sorted({len(subset) for subset in design.subsets}),
        "sessions": settings["sessions"],
        "conditions": settings["conditions"],
        "references": len(settings["references"]),
        "factors": settings.get("factors", []),
        "files": len(settings.get("files", [])),
    }


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    return translated(finding, gettext) | {"word": _word(finding["verdict"])}


def _share(share: Mapping[str, Any]) -> dict[str, Any]:
    return {**share, "word": _word(share["verdict"])}


def _word(verdict: str) -> str:
    words = {"ok": pgettext("verdict", "fine"), "warn": pgettext("verdict", "look"), "bad": pgettext("verdict", "bad")}
    return words[verdict]
