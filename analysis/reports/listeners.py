"""What every report says of its listeners: who has not answered everything, and the figures without them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.reports.page_tables import PageTable, Row

MOST_NAMED = 10


def listener_sentences(table: Mapping[str, Any]) -> list[str]:
    """The warnings about listeners in words."""
    sentences = {"incomplete_listeners": _incomplete, "unequal_panels": _unequal}
    return [sentences[row["code"]](row) for row in table.get("warnings", []) if row["code"] in sentences]


def incomplete_listeners(table: Mapping[str, Any]) -> int:
    """How many listeners have not answered every page."""
    return sum(row["listeners"] for row in table.get("warnings", []) if row["code"] == "incomplete_listeners")


def complete_only(made: PageTable) -> PageTable:
    """The table of means that was made of complete listeners, under a heading that says so."""
    note = _("Without those who have not answered every page.")
    return replace(made, id="complete", title=_("Complete listeners only"), note=f"{note} {made.note}")


def _incomplete(row: Row) -> str:
    people = row["people"]
    who = [
        _("{listener} ({pages} of {of_pages} pages)").format_map(person)
        for person in sorted(people, key=lambda person: person["listener"])[:MOST_NAMED]
    ]
    if len(people) > MOST_NAMED:
        who.append(_("{n} others").format(n=len(people) - MOST_NAMED))
    said = ngettext(
        "{n} of {of} listeners has not answered every page, and still counts as a whole listener: {who}.",
        "{n} of {of} listeners have not answered every page, and still count as whole listeners: {who}.",
        row["listeners"],
    )
    return said.format(n=row["listeners"], of=row["of"], who=", ".join(who))


def _unequal(row: Row) -> str:
    panels = ", ".join(_("panel {panel}: {n_listeners}").format_map(panel) for panel in row["panels"])
    return _(
        "Panels have unequal numbers of listeners ({panels}). What the fuller panels heard weighs more in every mean."
    ).format(panels=panels)
