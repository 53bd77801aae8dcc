"""What a copy at one level says of itself: one sentence, and for each cell what it was before and is after."""

import csv
import io
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.template.defaultfilters import floatformat
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.models import User
from core.spreadsheets import neutralise
from stimuli.models import Collection, Intake
from stimuli.services.levels import LAYOUT

FIGURES = ("before_lufs", "gain_db", "after_lufs", "before_dbtp", "after_dbtp")
MOST_ROWS = 2000

Levels = Sequence[Mapping[str, Any]]  # report["levels"] of an intake, one for each clip that was copied


def summary(levels: Levels, target_lufs: float) -> str:
    """How many copies there are, and how far the worst of them lie from what was wanted."""
    if not levels:
        return _("It has no clips, so nothing was brought to {target} LUFS.").format(target=level(target_lufs))
    says = ngettext(
        "{count} copy at {target} LUFS, {worst} LU off at most; the highest true peak is {peak} dBTP.",
        "{count} copies at {target} LUFS, {worst} LU off at most; the highest true peak is {peak} dBTP.",
        len(levels),
    )
    return says.format(
        count=len(levels),
        target=level(target_lufs),
        worst=floatformat(max(abs(one["after_lufs"] - target_lufs) for one in levels), 2),
        peak=floatformat(max(one["after_dbtp"] for one in levels), 1),
    )


def rows(levels: Levels) -> list[dict[str, Any]]:
    """One for each cell, by item and condition; cells may share a clip."""
    cells = ({**cell, **{name: one[name] for name in FIGURES}} for one in levels for cell in one["cells"])
    return sorted(cells, key=lambda row: (row["item"], row["condition"]))


def table(levels: Levels) -> str:
    """The same as CSV, to the last digit."""
    text = io.StringIO()
    writer = csv.DictWriter(text, ["item", "condition", *FIGURES], lineterminator="\n")
    writer.writeheader()
    for row in rows(levels):
        writer.writerow({**row, "item": neutralise(row["item"]), "condition": neutralise(row["condition"])})
    return text.getvalue()


def level(lufs: float) -> str:
    """A level that somebody asked for, in the reader's way of writing numbers."""
    return number_format(Decimal(f"{lufs:g}"))


def levelled(intake: Intake, reader: User) -> dict[str, Any] | None:
    """What the page of an intake shows of the copies that it made, or nothing if it made none."""
    if (intake.layout, intake.state) != (LAYOUT, Intake.State.DONE):  # anybody may ask for any layout, and be refused
        return None
    levels, shown = intake.report["levels"], rows(intake.report["levels"])
    return {
        **_origin(intake, reader),
        "summary": summary(levels, intake.plan["target_lufs"]),
        "rows": shown[:MOST_ROWS],
        "more": max(0, len(shown) - MOST_ROWS),
    }


def origin_of(collection: Collection, reader: User) -> dict[str, Any] | None:
    """From what a collection was copied and to which level, if it was and if the reader may see how."""
    intakes = Intake.objects.visible_to(reader).filter(collection=collection, layout=LAYOUT, state=Intake.State.DONE)
    made = intakes.defer("report").first()
    return _origin(made, reader) if made else None


def _origin(intake: Intake, reader: User) -> dict[str, Any]:
    source = Collection.objects.visible_to(reader).filter(pk=intake.plan["source"]).first()
    return {"intake_id": intake.pk, "source": source, "target": level(intake.plan["target_lufs"])}
