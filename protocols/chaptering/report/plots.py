"""Figures of chapters: means with their intervals, and everybody's boundaries along a recording."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from analysis.reports import svg
from analysis.reports.tables import figure
from protocols.chaptering.analysis.metrics import METRICS
from protocols.chaptering.report.tables import METRIC_NAMES, against_words, by_kind, chapters_of, moment, unit_of, who

WIDTH, GUTTER, MARGIN = 900, 170, 24
ROW_PX, LANE_PX = 26, 30
LONG_S = 2 * 3600  # from here on, a recording is measured in hours
# A person is a round dot, a system a square one: shape and place tell them apart, and not a hue alone.
SHAPES = {"person": 0, "system": 1}

Row = Mapping[str, Any]


def intervals(table: Row, metric: str, against: str) -> str:
    """Each mean as a dot on its 95 % interval; one recording alone has no interval."""
    rows = [row for row in table["rows"] if (row["metric"], row["compared_with"]) == (metric, against)]
    shown = sorted(rows, key=by_kind)
    ends = [row[name] for row in shown for name in ("mean", "ci_low", "ci_high") if row[name] is not None]
    is_share = METRICS[metric].unit.endswith("0 to 1") if metric else True
    high = 1.0 if is_share else max([*ends, 1.0]) * 1.05
    span = svg.Span(0.0, high, GUTTER, WIDTH - MARGIN - 60)
    bottom = 20 + ROW_PX * len(shown)
    axis = svg.x_axis(span, bottom, title=f"{METRIC_NAMES[metric]} ({unit_of(metric)})" if metric else "", grid_to=12)
    return svg.drawing(
        axis,
        *(_interval(row, span, 20 + ROW_PX * (place + 0.5)) for place, row in enumerate(shown)),
        width=WIDTH,
        height=bottom + 50,
        title=_("{metric} against {other}").format(
            metric=METRIC_NAMES.get(metric, ""), other=against_words().get(against, "")
        ),
        description="; ".join(f"{who(row)} {figure(row['mean'], 3)}" for row in shown),
        name="chapters-intervals",
    )


def _interval(row: Row, span: svg.Span, y: float) -> str:
    number = SHAPES[row["kind"]]
    shapes = [svg.text(GUTTER - 14, y + 4, who(row), anchor="end")]
    if row["ci_low"] is not None:
        shapes.append(svg.line(span.at(row["ci_low"]), y, span.at(row["ci_high"]), y, stroke_width=2, opacity=0.7))
        shapes += [
            svg.line(span.at(row[end]), y - 4, span.at(row[end]), y + 4, stroke_width=2, opacity=0.7)
            for end in ("ci_low", "ci_high")
        ]
    shapes.append(svg.mark(number, span.at(row["mean"]), y))
    shapes.append(svg.text(WIDTH - MARGIN, y + 4, figure(row["mean"], 3), anchor="end", opacity=0.8))
    return svg.group(*shapes)


def timeline(table: Row, item: str) -> str:
    """Every boundary of a recording as a tick in the lane of who set it, the reference on top and through all lanes."""
    lanes = sorted((row for row in table.get("answers", []) if row["item"] == item), key=by_kind)
    duration_s = max((row["duration_s"] for row in lanes), default=1.0)
    unit_s, unit = (3600, _("hours")) if duration_s > LONG_S else (60, _("minutes"))
    span = svg.Span(0.0, duration_s / unit_s, GUTTER, WIDTH - MARGIN)
    bottom = 16 + LANE_PX * len(lanes)
    guides = [
        svg.line(span.at(at_s / unit_s), 16, span.at(at_s / unit_s), bottom, opacity=svg.FAINT, stroke_dasharray="2 3")
        for row in lanes
        if row["kind"] == "reference"
        for at_s in row["boundaries_s"]
    ]
    return svg.drawing(
        *guides,
        *(_lane(row, span, unit_s, 16 + LANE_PX * (place + 0.5)) for place, row in enumerate(lanes)),
        svg.x_axis(span, bottom, title=unit),
        width=WIDTH,
        height=bottom + 50,
        title=_("Chapters of {item}").format(item=item),
        description="; ".join(f"{who(row)}: {_times(row['boundaries_s'])}" for row in lanes),
        name="chapters-timeline",
    )


def _lane(row: Row, span: svg.Span, unit_s: float, y: float) -> str:
    half = 11 if row["kind"] == "reference" else 8
    hue = svg.INK if row["kind"] == "reference" else svg.hue(SHAPES[row["kind"]])
    ticks = [
        svg.group(
            svg.element("title", f"{moment(chapter['start_s'])} {chapter['title']}".strip()),
            svg.rectangle(span.at(chapter["start_s"] / unit_s) - 1.5, y - half, 3, 2 * half, fill=hue),
        )
        for chapter in chapters_of(row)
        if chapter["chapter"] > 1
    ]
    weight = 640 if row["kind"] == "reference" else None
    return svg.group(
        svg.text(GUTTER - 14, y + 4, who(row), anchor="end", font_weight=weight),
        svg.line(span.start_px, y, span.end_px, y, opacity=svg.FAINT),
        *ticks,
    )


def _times(boundaries_s: Sequence[float]) -> str:
    return ", ".join(moment(at_s) for at_s in boundaries_s) or _("no boundary")
