"""Curves against the number of makers, with the range over random orders of the makers as a band."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from analysis.reports import svg

Row = Mapping[str, Any]
WIDTH, HEIGHT = 640.0, 380.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 470.0, 40.0, 320.0
LEGEND_X = 488.0
MOST_CURVES = 16


def draw(lines: Mapping[str, Sequence[Row]], *, title: str, axis: str, draws: int, name: str) -> svg.Markup | None:
    """Draw a line and a band for each name; nothing where there is no figure at all."""
    shown = {key: [row for row in rows if row["mean"] is not None] for key, rows in lines.items()}
    shown = {key: rows for key, rows in list(shown.items())[:MOST_CURVES] if rows}
    if not shown:
        return None
    values = [row[edge] for rows in shown.values() for row in rows for edge in ("low", "high")]
    most = max(row["makers"] for rows in shown.values() for row in rows)
    across = svg.Span(1, max(most, 2), LEFT, RIGHT)
    low, high = min(values), max(values)
    pad = (high - low) * 0.06 or 0.5
    up = svg.Span(low - pad, high + pad, BOTTOM, TOP)
    return svg.drawing(
        svg.x_axis(across, BOTTOM, title=_("Number of makers")),
        svg.y_axis(up, LEFT, grid_to=RIGHT),
        svg.text(LEFT - 44, 22, axis, font_weight=600),
        *(shape for number, rows in enumerate(shown.values()) for shape in _curve(number, rows, across, up)),
        *_legend(list(shown)),
        width=WIDTH,
        height=HEIGHT,
        title=title,
        description=_("Lines: means over {draws} random orders of the makers. Bands: lowest to highest.").format(
            draws=draws
        ),
        name=name,
    )


def _curve(number: int, rows: Sequence[Row], across: svg.Span, up: svg.Span) -> Iterator[svg.Markup]:
    hue = svg.hue(number)
    edge = [(across.at(row["makers"]), up.at(row["high"])) for row in rows]
    edge += [(across.at(row["makers"]), up.at(row["low"])) for row in reversed(rows)]
    yield svg.element("polygon", points=" ".join(f"{x:.2f},{y:.2f}" for x, y in edge), fill=hue, opacity=0.14)
    points = [(across.at(row["makers"]), up.at(row["mean"])) for row in rows]
    yield svg.polyline(points, stroke=hue, stroke_width=2)
    yield from (svg.mark(number, x, y, 3.6) for x, y in points)


def _legend(names: Sequence[str]) -> Iterator[svg.Markup]:
    for number, name in enumerate(names):
        y = TOP + 10 + 20 * number
        yield svg.mark(number, LEGEND_X + 6, y - 4, 4.6)
        yield svg.text(LEGEND_X + 18, y, name if len(name) <= 18 else f"{name[:17]}…")
