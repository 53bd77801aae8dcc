"""Figure of mean votes over an objective metric: each point on its 95 % interval, with the mappings as curves."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from analysis.reports import svg
from analysis.reports.tables import figure

WIDTH, LEFT, RIGHT, TOP, PLOT_PX, AXIS_PX = 528, 40, 12, 34, 340, 56
LEGEND_PX, LEGEND_COLUMNS, MOST_NAMED = 22, 2, 24
LONGEST_NAME = 26  # letters of a name that fit into a column of the legend
DASHES = {"linear": "6 5", "monotone": None}


def metric_plot(part: Mapping[str, Any], metric: str) -> str:
    """Draw the points of one scale that have a value of the metric; marks and hues tell conditions apart."""
    points = [point for point in part["points"] if metric in point["values"]]
    conditions = list(dict.fromkeys(point["condition"] for point in part["points"]))
    x, y = _spans(points, part["ends"], metric)
    bottom = TOP + PLOT_PX
    curves = part["curves"].get(metric, {})
    shapes = [
        svg.x_axis(x, bottom, title=metric, grid_to=TOP),
        svg.y_axis(y, LEFT, grid_to=WIDTH - RIGHT),
        svg.text(LEFT, TOP - 14, _("Mean vote, {scale}").format(scale=part["scale"])),
        *(_curve(kind, curve, x, y) for kind, curve in curves.items()),
        *(_point(point, metric, conditions.index(point["condition"]), x, y, len(points)) for point in points),
    ]
    legend, height = _legend(conditions, list(curves), bottom + AXIS_PX)
    return svg.drawing(
        *shapes,
        *legend,
        width=WIDTH,
        height=height,
        title=_("Mean votes ({scale}) over {metric}, with 95 % CI").format(scale=part["scale"], metric=metric),
        description=_description(points, metric),
        name="metrics",
    )


def _spans(points: Sequence[Mapping[str, Any]], ends: Mapping[str, Any], metric: str) -> tuple[svg.Span, svg.Span]:
    """The metric's own range with a margin, and the whole scale of the votes."""
    values = [point["values"][metric] for point in points] or [0.0]
    margin = (max(values) - min(values)) * 0.05 or 0.5
    x = svg.Span(min(values) - margin, max(values) + margin, LEFT, WIDTH - RIGHT)
    return x, svg.Span(ends["low"], ends["high"], TOP + PLOT_PX, TOP)


def _curve(kind: str, points: Sequence[Sequence[float]], x: svg.Span, y: svg.Span) -> str:
    """The part of a mapping that lies on the scale."""
    inside = [(x.at(at), y.at(to)) for at, to in points if y.low <= to <= y.high]
    return svg.polyline(inside, stroke_width=1.5, opacity=0.7, stroke_dasharray=DASHES[kind])


def _point(point: Mapping[str, Any], metric: str, number: int, x: svg.Span, y: svg.Span, of: int) -> str:
    at, to = x.at(point["values"][metric]), y.within(point["mos"])
    shapes: list[str] = []
    if point["bar_low"] is not None:
        ends = y.within(point["bar_low"]), y.within(point["bar_high"])
        shapes.append(svg.line(at, ends[0], at, ends[1], stroke=svg.hue(number), opacity=0.6 if of <= 60 else 0.25))
    told = f"{_name(point)}: {metric} {point['values'][metric]:g}, {figure(point['mos'])}"
    mark = svg.mark(number, at, to, 5 if of <= 60 else 3.5, opacity=0.9)
    return svg.group(svg.element("title", told), *shapes, mark)


def _name(point: Mapping[str, Any]) -> str:
    return f"{point['condition']}, {point['item']}" if point["item"] else str(point["condition"])


def _legend(conditions: Sequence[str], curves: Sequence[str], top: float) -> tuple[list[str], float]:
    """Curves first, then as many conditions as fit; and where the figure ends."""
    titles = {"linear": _("linear mapping"), "monotone": _("monotone cubic")}
    width = (WIDTH - LEFT - RIGHT) / LEGEND_COLUMNS
    entries: list[tuple[str, int | None, str]] = [(titles[kind], None, kind) for kind in curves]
    entries += [(name, number, "") for number, name in enumerate(conditions[:MOST_NAMED])]
    shapes: list[str] = []
    for place, (words, number, kind) in enumerate(entries):
        left, y = LEFT + width * (place % LEGEND_COLUMNS), top + LEGEND_PX * (place // LEGEND_COLUMNS + 0.5)
        if number is None:
            shapes.append(svg.line(left - 8, y, left + 12, y, stroke_width=1.5, stroke_dasharray=DASHES[kind]))
        else:
            shapes.append(svg.mark(number, left, y))
        short = words if len(words) <= LONGEST_NAME else f"{words[: LONGEST_NAME - 1]}…"
        shapes.append(svg.text(left + 18, y + 4, short))
    more = len(conditions) - MOST_NAMED
    rows = -(-len(entries) // LEGEND_COLUMNS)
    if more > 0:
        y = top + LEGEND_PX * (rows + 0.5)
        shapes.append(svg.text(LEFT, y, _("and {count} more conditions").format(count=more), opacity=0.8))
        rows += 1
    return shapes, top + LEGEND_PX * rows + 8


def _description(points: Sequence[Mapping[str, Any]], metric: str) -> str:
    """Every point where there are few; how many there are otherwise."""
    if len(points) > MOST_NAMED:
        return _("{count} points.").format(count=len(points))
    return "; ".join(f"{_name(point)}: {point['values'][metric]:g}, {figure(point['mos'])}" for point in points)
