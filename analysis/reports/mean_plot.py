"""Figure of means by condition, scale by scale, each on its interval; as SVG, for slides and papers."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _

from analysis.reports import svg
from analysis.reports.tables import Row, figure, interval

WIDTH, GUTTER, ROW_PX, TOP, AXIS_PX, HEADING_PX = 900, 250, 30, 12, 44, 34
VALUE_PX = 90  # to the right of the axis, for the mean in figures


def mean_plot(rows: Sequence[Row], scales: Sequence[Mapping[str, Any]], *, note: str) -> str:
    """Draw rows with mos, ci_low and ci_high; `note` says what the interval is over."""
    limits = {scale["key"]: scale for scale in scales}
    shapes: list[str] = []
    y = float(TOP)
    for scale, group in groupby(rows, key=lambda row: row["scale"]):
        known = [row for row in group if row["mos"] is not None]
        if not known:
            continue
        if len(limits) > 1:
            shapes.append(svg.text(GUTTER, y + 16, scale, font_weight="bold"))
            y += HEADING_PX
        shapes += _axis_and_rows(known, limits[scale], y)
        y += ROW_PX * len(known) + AXIS_PX
    return svg.drawing(
        *shapes,
        svg.text(GUTTER, y + 12, note, opacity=0.8),
        width=WIDTH,
        height=y + 28,
        title=_("Mean opinion scores with 95 % CI"),
        description="; ".join(
            f"{row['scale']} {row['condition']}: {figure(row['mos'])} ({interval(row['ci_low'], row['ci_high'])})"
            for row in rows
        ),
        name="mos",
    )


def _axis_and_rows(rows: Sequence[Row], scale: Mapping[str, Any], top: float) -> list[str]:
    """The scale's own ends, widened only where a mean lies outside."""
    low = min(scale["low"], *(row["mos"] for row in rows))
    high = max(scale["high"], *(row["mos"] for row in rows))
    span = svg.Span(low, high, GUTTER, WIDTH - VALUE_PX)
    bottom = top + ROW_PX * len(rows)
    drawn = [_mean(row, span, top + ROW_PX * (place + 0.5)) for place, row in enumerate(rows)]
    return [svg.x_axis(span, bottom, grid_to=top), *drawn]


def _mean(row: Row, span: svg.Span, y: float) -> str:
    """An end of the interval that leaves the scale is cut there and gets no cap."""
    shapes: list[str] = [svg.text(GUTTER - 14, y + 4, str(row["condition"]), anchor="end")]
    if row["ci_low"] is not None:
        ends = row["ci_low"], row["ci_high"]
        shapes.append(svg.line(span.within(ends[0]), y, span.within(ends[1]), y, stroke_width=2, opacity=0.7))
        capped = [span.at(end) for end in ends if span.low <= end <= span.high]
        shapes += [svg.line(x, y - 5, x, y + 5, stroke_width=2, opacity=0.7) for x in capped]
    shapes.append(svg.mark(0, span.at(row["mos"]), y))
    return svg.group(*shapes, svg.text(WIDTH - 20, y + 4, figure(row["mos"]), anchor="end", opacity=0.8))
