"""The plane as a picture: axes as the raters saw them, every mark, means with their names, ellipses, arrows along z."""

import math
import textwrap
from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.reports import svg
from analysis.reports.plane.labels import Box, place_labels
from analysis.reports.plane.scene import Drawn, Ellipse, Place, Scene

WIDTH = 440.0
LEFT, TOP, SIDE = 20.0, 46.0, 366.0  # the square between the origin and the two dashed lines
BOTTOM, RIGHT = TOP + SIDE, LEFT + SIDE
OVERSHOOT = 18.0  # of an axis past the maximum
PLOT_HEIGHT = BOTTOM + 22
LEGEND_LINE, CAPTION_LINE = 21.0, 16.0
LONGEST_LABEL, LONGEST_IN_HALF = 18, 23  # letters
CAPTION_LETTERS = 68
MEAN_PX, POINT_PX = 6.2, 3.0
HALO = "var(--surface, #fff)"  # keeps a name readable on what it crosses


def draw(scene: Scene) -> svg.Markup:
    """Return the whole figure with its legend and a caption that says what everything is."""
    legend, legend_height = _legend(scene.conditions)
    lines = [line for sentence in caption(scene) for line in textwrap.wrap(sentence, CAPTION_LETTERS)]
    height = PLOT_HEIGHT + legend_height + CAPTION_LINE * len(lines) + 14
    top = PLOT_HEIGHT + legend_height + CAPTION_LINE
    told = [svg.text(LEFT, top + CAPTION_LINE * n, line, font_size=11.5, opacity=0.8) for n, line in enumerate(lines)]
    return svg.drawing(
        # A drawing of its own, so that a large ellipse ends at its edge and not in the legend.
        svg.element("svg", *_plane(scene), width=WIDTH, height=PLOT_HEIGHT),
        legend,
        svg.group(*told),
        width=WIDTH,
        height=height,
        title=title(scene),
        description=" ".join(caption(scene)),
        name="plane",
    )


def title(scene: Scene) -> str:
    if scene.recording:
        return _("TC/SD plane, recording {recording}").format(recording=scene.recording)
    return _("TC/SD plane, all recordings")


def caption(scene: Scene) -> list[str]:
    """Sentences that belong to the figure wherever it goes."""
    marks = ngettext("{n} mark", "{n} marks", scene.n_marks).format(n=scene.n_marks)
    raters = ngettext("{n} rater", "{n} raters", scene.n_raters).format(n=scene.n_raters)
    said = [
        _("Small: {marks} of {raters}. Large: means over raters.").format(marks=marks, raters=raters),
        _("Dashed lines: the maximum of each axis, which is 1."),
    ]
    if any(drawn.spread for drawn in scene.conditions):
        said.append(_("Filled ellipse: 1 s.d. of the marks, which is no interval."))
    if any(drawn.mean_region for drawn in scene.conditions):
        said.append(_("Dashed ellipse: 95 % region of the mean over raters (Hotelling)."))
    if scene.families:
        said.append(_("Arrows: along z, {families}.").format(families=", ".join(scene.families)))
    return said


def _at(place: Place) -> tuple[float, float]:
    return LEFT + place[0] * SIDE, BOTTOM - place[1] * SIDE


def _plane(scene: Scene) -> Iterator[svg.Markup]:
    yield _axes()
    yield svg.group(*(_ellipse(drawn.spread, drawn, filled=True) for drawn in scene.conditions if drawn.spread))
    yield svg.group(
        *(_ellipse(drawn.mean_region, drawn, filled=False) for drawn in scene.conditions if drawn.mean_region)
    )
    yield svg.group(
        *(
            svg.mark(drawn.number, *_at(mark), POINT_PX, fill_opacity=0.55)
            for drawn in scene.conditions
            for mark in drawn.marks
        ),
        class_="plane-marks",
    )
    yield svg.group(*(_arrow(*step) for steps in scene.families.values() for step in steps), class_="plane-arrows")
    yield svg.group(
        *(
            svg.mark(drawn.number, *_at(drawn.mean), MEAN_PX, stroke=HALO, stroke_width=1.5)
            for drawn in scene.conditions
        ),
        class_="plane-means",
    )
    yield svg.group(*_names(scene.conditions))


def _axes() -> svg.Markup:
    tip, end = TOP - OVERSHOOT, RIGHT + OVERSHOOT
    maxima = svg.polyline(
        [(LEFT, TOP), (RIGHT, TOP), (RIGHT, BOTTOM)], stroke_dasharray="5 4", opacity=0.55, class_="plane-maxima"
    )
    return svg.group(
        maxima,
        svg.arrow(LEFT, BOTTOM, LEFT, tip, stroke_width=1.4),
        svg.arrow(LEFT, BOTTOM, end, BOTTOM, stroke_width=1.4),
        svg.text(LEFT, tip - 9, "SD", anchor="middle", font_weight=600),
        svg.text(end + 7, BOTTOM + 4.5, "TC", font_weight=600),
    )


def _ellipse(ellipse: Ellipse, drawn: Drawn, *, filled: bool) -> svg.Markup:
    x, y = _at(ellipse.centre)
    hue = svg.hue(drawn.number)
    look: dict[str, svg.Attribute] = (
        {"fill": hue, "fill_opacity": 0.1, "stroke_opacity": 0.75}
        if filled
        else {"fill": "none", "stroke_dasharray": "6 3", "stroke_width": 1.6}
    )
    # Two raters lie on a line: an ellipse without width would not be drawn at all.
    return svg.element(
        "ellipse",
        rx=max(ellipse.major * SIDE, 0.75),
        ry=max(ellipse.minor * SIDE, 0.75),
        transform=f"translate({x:.2f} {y:.2f}) rotate({-ellipse.angle_deg:.2f})",
        stroke=hue,
        **look,
    )


def _arrow(start: Place, end: Place) -> svg.Markup:
    """From the rim of one mean to the rim of the next; two that lie on each other have none."""
    (x1, y1), (x2, y2) = _at(start), _at(end)
    length = math.hypot(x2 - x1, y2 - y1)
    gap = MEAN_PX + 3
    if length <= 2 * gap:
        return svg.group()
    dx, dy = (x2 - x1) / length * gap, (y2 - y1) / length * gap
    return svg.arrow(x1 + dx, y1 + dy, x2 - dx, y2 - dy, opacity=0.75, stroke_width=1.3)


def _names(conditions: list[Drawn]) -> Iterator[svg.Markup]:
    names = [_cut(drawn.name) for drawn in conditions]
    means = [_at(drawn.mean) for drawn in conditions]
    frame = Box(LEFT + 3, TOP - 12, WIDTH - 2, BOTTOM - 3)
    for name, label in zip(names, place_labels(means, names, frame), strict=True):
        if label:
            yield svg.text(
                label.x,
                label.y,
                name,
                anchor=label.anchor,
                font_size=12,
                font_weight=600,
                stroke=HALO,
                stroke_width=3,
                stroke_linejoin="round",
                paint_order="stroke",
            )


def _cut(name: str) -> str:
    """Out of the middle: names of one family differ at their ends."""
    half = LONGEST_LABEL // 2
    return name if len(name) <= LONGEST_LABEL else f"{name[:half]}…{name[1 - half :]}"


def _legend(conditions: list[Drawn]) -> tuple[svg.Markup, float]:
    """The conditions by their marks, in two columns where their names are short enough."""
    columns = 2 if all(len(drawn.name) <= LONGEST_IN_HALF for drawn in conditions) else 1
    lines = math.ceil(len(conditions) / columns)
    entries: list[svg.Markup] = []
    for place, drawn in enumerate(conditions):
        column, line = divmod(place, lines)
        x, y = LEFT + 6 + column * (WIDTH - LEFT) / 2, PLOT_HEIGHT + (line + 0.8) * LEGEND_LINE
        entries += [svg.mark(drawn.number, x, y - 4.5, MEAN_PX), svg.text(x + 14, y, drawn.name)]
    return svg.group(*entries, class_="plane-legend"), lines * LEGEND_LINE + 6
