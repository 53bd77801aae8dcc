"""What the page of an import shows of its report and its plan: the gravest first, and not more than can be read."""

from collections.abc import Mapping
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from core.clauses import translated
from stimuli.models import Condition

MOST_FINDINGS = 200
MOST_STIMULI = 200
PILLS = {"error": "bad", "warning": "warn"}


def found(report: Mapping[str, Any]) -> dict[str, Any]:
    """The findings in order of gravity, in the reader's language, with the number of those left out."""
    gravest_first = sorted(report.get("findings", []), key=_gravity)
    words = names()
    return {
        "counts": [
            {"name": words.get(name, name), "value": clock(count) if name == "duration_s" else intcomma(count)}
            for name, count in report.get("counts", {}).items()
            if count
        ],
        "findings": [_shown(finding) for finding in gravest_first[:MOST_FINDINGS]],
        "more": max(0, len(gravest_first) - MOST_FINDINGS),
    }


def proposed(plan: Mapping[str, Any]) -> dict[str, Any]:
    """What would be imported, with the parts where one file becomes several stimuli."""
    stimuli, items = plan.get("stimuli", []), plan.get("items", [])
    return {
        "layout": layouts().get(plan.get("layout", ""), plan.get("layout", "")),
        "item_count": len(items),
        "factors": sorted({factor for item in items for factor in item.get("factors", {})}),
        "conditions": [{**condition, "role": _role(condition["role"])} for condition in plan.get("conditions", [])],
        "stimulus_count": len(stimuli),
        "stimuli": [{**stimulus, "part": _part(stimulus)} for stimulus in stimuli[:MOST_STIMULI]],
        "more": max(0, len(stimuli) - MOST_STIMULI),
        "has_cuts": any(_part(stimulus) for stimulus in stimuli),
        "ignored": [{**ignored, "reason": _said(ignored, "reason")} for ignored in plan.get("ignored", [])],
    }


def _shown(finding: Mapping[str, Any]) -> dict[str, str]:
    severity = str(finding.get("severity", "note"))
    said = _said(finding, "sentence")
    return {
        "severity": names().get(severity, severity),
        "pill": PILLS.get(severity, "info"),
        "sentence": said,
        "path": "" if finding.get("path", "") in said else finding["path"],
    }


def _said(told: Mapping[str, Any], english: str) -> str:
    """A text of a report or a plan in the reader's language; what has no form for that is shown as it is."""
    says = told.get("says")
    return _(says).format(**translated(told.get("data", {}), _)) if says else str(told.get(english, ""))


def _role(role: str) -> str:
    """What a condition is, unless it is simply under test."""
    known = role in Condition.Role and role != Condition.Role.TEST
    return str(Condition.Role(role).label).lower() if known else ""


def _gravity(finding: Mapping[str, Any]) -> int:
    return [*PILLS, "note"].index(finding.get("severity", "note"))


def _part(stimulus: Mapping[str, Any]) -> str:
    """Which part of its file a stimulus is: by time where the plan knows the rate, otherwise by samples."""
    if stimulus.get("clip") is not None:
        return _("clip {number}").format(number=stimulus["clip"])
    if stimulus.get("start") is None:
        return ""
    start, stop, rate = stimulus["start"], stimulus["stop"], stimulus.get("sample_rate_hz")
    if rate:
        return _("{start} to {stop}").format(start=clock(start / rate, places=3), stop=clock(stop / rate, places=3))
    return _("samples {start} to {stop}").format(start=intcomma(start), stop=intcomma(stop))


def clock(seconds: float, *, places: int = 0) -> str:
    """Hours, minutes and seconds, with as many places as a cut needs."""
    minutes, rest_s = divmod(round(seconds, places), 60)
    hours, minutes = divmod(int(minutes), 60)
    rest = f"{rest_s:0{places + 3 if places else 2}.{places}f}"
    return f"{hours}:{minutes:02}:{rest}" if hours else f"{minutes}:{rest}"


def layouts() -> dict[str, str]:
    """How the files lay, in words; stimuli.intake.layouts has the short names."""
    return {
        "conditions": _("a folder for each condition"),
        "summaries": _("full-length recordings with their summaries"),
        "manifest": _("as the manifest says"),
        "flat": _("single files"),
    }


def names() -> dict[str, str]:
    """Words of reports as people read them."""
    return {
        "error": _("Error"),
        "warning": _("Warning"),
        "note": _("Note"),
        "files": _("Files"),
        "sounds": _("Sounds"),
        "texts": _("Texts"),
        "items": _("Items"),
        "conditions": _("Conditions"),
        "stimuli": _("Stimuli"),
        "copies": _("Copies"),
        "warnings": _("Warnings"),
        "ignored": _("Left out"),
        "long_recordings": _("Long recordings"),
        "duration_s": _("Sound in all"),
    }
