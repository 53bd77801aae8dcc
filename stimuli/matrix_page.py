"""What the page of a collection shows: one page of the matrix, and the gravest of what the checks found."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from stimuli.intake_pages import PILLS, clock, names
from stimuli.models import Collection, Item, Stimulus

ITEMS_A_PAGE = 50
MOST_FINDINGS = 100


@dataclass(frozen=True)
class CellView:
    """One cell as it is drawn."""

    stimulus: Stimulus | None
    duration: str = ""
    text: str = ""
    worst: str = ""  # the gravest finding's pill
    finding_count: int = 0


@dataclass(frozen=True)
class Row:
    item: Item
    cells: list[CellView]


def matrix_page(collection: Collection, number: str, findings: list[Mapping[str, Any]]) -> dict[str, Any]:
    """The conditions, the rows of one page, and the pages there are."""
    conditions = list(collection.conditions.all())
    page: Page[Item] = Paginator(collection.items.order_by("name"), ITEMS_A_PAGE).get_page(number)
    stimuli = Stimulus.objects.filter(item__in=list(page)).select_related("item", "condition", "recording")
    cells = {(stimulus.item_id, stimulus.condition_id): stimulus for stimulus in stimuli}
    complaints = defaultdict(list)
    for finding in findings:
        complaints[finding["stimulus"]].append(finding["severity"])
    rows = [
        Row(item, [_cell(cells.get((item.pk, condition.pk)), complaints) for condition in conditions]) for item in page
    ]
    return {"conditions": conditions, "rows": rows, "page": page}


def shown_checks(collection: Collection, checks: Mapping[str, Any]) -> dict[str, Any]:
    """The gravest findings, each with its place in words and as an address."""
    findings = checks["findings"]
    return {
        **{name: checks[name] for name in ("errors", "warnings", "notes")},
        "total": len(findings),
        "findings": [_shown(collection, finding) for finding in findings[:MOST_FINDINGS]],
        "more": max(0, len(findings) - MOST_FINDINGS),
    }


def duration(seconds: float) -> str:
    """In words that fit a key: seconds for a clip, hours for a day."""
    if seconds < 60:
        return _("{seconds} s").format(seconds=number_format(seconds, 2))
    return clock(seconds)


def _cell(stimulus: Stimulus | None, complaints: Mapping[str, list[str]]) -> CellView:
    if stimulus is None:
        return CellView(None)
    found = complaints.get(str(stimulus.pk), [])
    worst = next((PILLS.get(severity, "info") for severity in ("error", "warning", "note") if severity in found), "")
    text = stimulus.text or {}
    words = text.get("text") or " ".join(text.get("tokens", []))
    return CellView(stimulus, duration(stimulus.duration_s), words, worst, len(found))


def _shown(collection: Collection, finding: Mapping[str, Any]) -> dict[str, str]:
    place = " × ".join(part for part in (finding["item"], finding["condition"]) if part)
    cell = ""
    if finding["stimulus"]:
        cell = reverse("stimuli:sound", args=[collection.slug, finding["stimulus"]])
    severity = finding["severity"]
    return {
        "severity": names()[severity],
        "pill": PILLS.get(severity, "info"),
        "place": place,
        "sentence": finding["sentence"],
        "cell": cell,
    }
