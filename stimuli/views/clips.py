"""Pages over the clips of a collection: a table sorted by what was measured, and two clips side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import median
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from core.permissions import Audience, requires, staff
from stimuli.models import Condition, Stimulus
from stimuli.services.collections import collection_for, may_import
from stimuli.services.quality_checks import StimulusCell, cells_in

CLIPS_A_PAGE = 100
# Iglewicz and Hoaglin (1993): a modified z-score of more than 3.5 marks an outlier. 0.6745 makes the median absolute
# deviation of a normal distribution its standard deviation.
OUTLIER_Z, NORMAL_MAD = 3.5, 0.6745


def _figure(name: str) -> Callable[[StimulusCell], float | None]:
    return lambda cell: cell.sound.measures.get(name) if cell.sound and cell.sound.measures else None


def _duration_s(cell: StimulusCell) -> float | None:
    return cell.sound.shape["length_samples"] / cell.sound.shape["sample_rate_hz"] if cell.sound else None


Figure = Callable[[StimulusCell], float | None]
MEASURED: dict[str, Figure] = {
    "loudness": _figure("integrated_lufs"),
    "peak": _figure("true_peak_dbtp"),
    "snr": _figure("snr_estimate_db"),
    "duration": _duration_s,
}
FACTOR = "factor-"  # begins the name of a column that shows a factor


def _factor(name: str) -> Figure:
    return lambda cell: _number({**cell.factors, **cell.condition_factors}.get(name))


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if isfinite(number) else None


def numeric_factors(cells: Sequence[StimulusCell]) -> list[str]:
    """The factors of items and conditions that are numbers wherever they are given, such as the mixing ratio."""
    given: dict[str, set[str]] = {}
    for cell in cells:
        for name, value in {**cell.factors, **cell.condition_factors}.items():
            given.setdefault(name, set()).add(str(value))
    return sorted(
        name
        for name, values in given.items()
        if values - {""} and all(_number(value) is not None for value in values - {""})
    )


@dataclass(frozen=True)
class ClipRow:
    """One clip with its figures, and whether each is far from those of the other clips."""

    cell: StimulusCell
    figures: list[tuple[float | None, bool]]


@require_GET
@requires(Audience.STAFF)
def clips(request: HttpRequest, slug: str) -> HttpResponse:
    """All clips in the order of one figure, with the outliers of each."""
    collection = collection_for(staff(request), slug)
    sort = request.GET.get("sort", "loudness")
    cells = [cell for cell in cells_in(collection) if cell.sound and cell.role != Condition.Role.FULL_LENGTH]
    columns = titles() | {f"{FACTOR}{factor}": factor for factor in numeric_factors(cells)}
    name = sort.removeprefix("-")
    name = name if name in columns else "loudness"
    rows = ranked(cells, list(columns), name, falling=sort.startswith("-"))
    context = {
        "collection": collection,
        "columns": [_column(one, title, name, falling=sort.startswith("-")) for one, title in columns.items()],
        "page": Paginator(rows, CLIPS_A_PAGE).get_page(request.GET.get("page", "1")),
        "keep": f"{urlencode({'sort': sort})}&",
        "outlier_count": sum(any(is_outlier for _value, is_outlier in row.figures) for row in rows),
        "may_import": may_import(collection=collection, person=staff(request)),
    }
    return render(request, "stimuli/clips.html", context)


def ranked(cells: Sequence[StimulusCell], columns: Sequence[str], name: str, *, falling: bool) -> list[ClipRow]:
    """The clips in the order of one column; those that have nothing in it come last."""
    figures = {one: MEASURED.get(one) or _factor(one.removeprefix(FACTOR)) for one in columns}
    values = {one: [figure(cell) for cell in cells] for one, figure in figures.items()}
    # A factor was chosen, so that none of its values stands out by accident.
    marks = {one: outliers(found) if one in MEASURED else [False] * len(found) for one, found in values.items()}
    rows = [
        ClipRow(cell, [(values[one][place], marks[one][place]) for one in columns]) for place, cell in enumerate(cells)
    ]
    column = list(columns).index(name)

    def key(row: ClipRow) -> tuple[bool, float, str]:
        value = row.figures[column][0]
        return value is None, (-1 if falling else 1) * (value or 0.0), str(row.cell)

    return sorted(rows, key=key)


def outliers(values: Sequence[float | None]) -> list[bool]:
    """Which values are far from the median, measured by the median absolute deviation; none where half are equal."""
    known = [value for value in values if value is not None]
    if not known:
        return [False] * len(values)
    middle = median(known)
    spread = median(abs(value - middle) for value in known)
    limit = OUTLIER_Z * spread / NORMAL_MAD
    return [value is not None and spread > 0 and abs(value - middle) > limit for value in values]


def titles() -> dict[str, str]:
    return {
        "loudness": _("Loudness in LUFS"),
        "peak": _("True peak in dBTP"),
        "snr": _("SNR in dB, estimated"),
        "duration": _("Duration in s"),
    }


def _column(name: str, title: str, sorted_by: str, *, falling: bool) -> dict[str, Any]:
    """A column's head: pressing the one that is sorted by turns the order round."""
    is_sorted = name == sorted_by
    order = ("descending" if falling else "ascending") if is_sorted else "none"
    turned = f"{'-' if is_sorted and not falling else ''}{name}"
    return {"title": title, "order": order, "link": f"?{urlencode({'sort': turned})}"}


# --- Two clips --------------------------------------------------------------------------------------------------------


@require_GET
@requires(Audience.STAFF)
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Two clips that play at one position, with a switch between them."""
    collection = collection_for(staff(request), slug)
    chosen = list(dict.fromkeys(request.GET.getlist("clip")))
    clips_here = Stimulus.objects.filter(item__collection=collection).exclude(served="")
    # At most three are looked up: two are right, three are too many.
    found = [clips_here.filter(pk=UUID(one)).first() for one in chosen[:3] if _is_id(one)]
    pair = [one for one in found if one]
    if len(pair) != 2:
        messages.error(request, _("Select two clips of up to ten minutes to compare them."))
        return redirect("stimuli:clips", slug=slug)
    context = {
        "collection": collection,
        "pair": [(letter, one) for letter, one in zip("AB", pair, strict=True)],
        "config": {"clips": [_clip(slug, one.pk, one.duration_s) for one in pair]},
    }
    return render(request, "stimuli/compare.html", context)


def _is_id(text: str) -> bool:
    try:
        return bool(UUID(text))
    except ValueError:
        return False


def _clip(slug: str, stimulus_id: UUID, duration_s: float) -> dict[str, Any]:
    return {"url": reverse("stimuli:clip", args=[slug, stimulus_id]), "duration_s": duration_s}
