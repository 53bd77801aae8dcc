"""Figure of means by source: precision and recall, the penalties, and the total, each on its own axis."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from analysis.reports import svg
from analysis.reports.tables import Row, figure
from protocols.thumbs.report.tables import scale_name

WIDTH, GAP, TOP = 960, 44, 14
ROW_PX, HEADING_PX = 20, 26


class Panel(NamedTuple):
    scales: tuple[str, ...]
    title: str
    low: float  # at least as far down as this, and farther where data are
    high: float
    least: float  # the end of the scale


def _panels() -> list[Panel]:
    return [
        Panel(("PRECISION", "RECALL"), _("1 to 5"), 1, 5, 1),
        Panel(("FLUENCY", "CONCISENESS", "IRRELEVANCE"), _("penalty, −2 to 0"), -0.5, 0, -2),
        Panel(("OVERALL",), _("overall, −5 to 5"), 0, 5, -5),
    ]


def means_plot(rows: Sequence[Row], sources: Sequence[str]) -> str:
    """Draw each mean as the mark of its source on its 95 % interval over clips; a single clip has no interval."""
    panels = _panels()
    width = (WIDTH - GAP * (len(panels) + 1)) / len(panels)
    block = HEADING_PX + ROW_PX * len(sources)
    bottom = TOP + block * max(len(panel.scales) for panel in panels)
    shapes = [
        _panel(panel, rows, sources, left=GAP + place * (width + GAP), width=width, bottom=bottom, block=block)
        for place, panel in enumerate(panels)
    ]
    return svg.drawing(
        *shapes,
        _legend(sources, bottom + 66),
        width=WIDTH,
        height=bottom + 84,
        title=_("Scores by source, with 95 % intervals over clips"),
        description="; ".join(f"{scale_name(row['scale'])}, {row['condition']}: {figure(row['mean'])}" for row in rows),
        name="thumbs",
    )


def _panel(
    panel: Panel, rows: Sequence[Row], sources: Sequence[str], *, left: float, width: float, bottom: float, block: float
) -> str:
    shown = [row for row in rows if row["scale"] in panel.scales]
    ends = [row[name] for row in shown for name in ("mean", "ci_low") if row[name] is not None]
    span = svg.Span(max(min([panel.low, *ends]), panel.least), panel.high, left, left + width)
    shapes: list[str] = [svg.x_axis(span, bottom, title=panel.title, grid_to=TOP, most=6)]
    if span.low < 0 < span.high:  # a total below nothing is told by more than its place
        shapes.append(svg.line(span.at(0), TOP, span.at(0), bottom, opacity=0.6, class_="zero"))
    for place, scale in enumerate(panel.scales):
        above = TOP + block * place
        shapes.append(svg.text(left, above + 16, scale_name(scale), font_weight=640))
        shapes += [
            _mean(row, span, sources.index(row["condition"]), above + HEADING_PX)
            for row in shown
            if row["scale"] == scale
        ]
    return svg.group(*shapes)


def _mean(row: Row, span: svg.Span, number: int, top: float) -> str:
    y = top + ROW_PX * (number + 0.5)
    told = f"{row['condition']}: {figure(row['mean'])}"
    shapes: list[str] = [svg.element("title", told)]
    if row["ci_low"] is not None:
        ends = span.within(row["ci_low"]), span.within(row["ci_high"])
        shapes.append(svg.line(ends[0], y, ends[1], y, stroke_width=2, opacity=0.7))
        shapes += [svg.line(end, y - 4, end, y + 4, stroke_width=2, opacity=0.7) for end in ends]
    shapes.append(svg.mark(number, span.at(row["mean"]), y))
    return svg.group(*shapes)


def _legend(sources: Sequence[str], y: float) -> str:
    shapes, x = [], float(GAP)
    for number, source in enumerate(sources):
        shapes += [svg.mark(number, x + 5, y - 4), svg.text(x + 18, y, source)]
        x += 44 + 8 * len(source)
    return svg.group(*shapes)
