"""Picture of the plane: axes as the raters saw them, every mark, means with their names, ellipses, arrows along z."""

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.reports import svg
from analysis.reports.svg import Anchor
from protocols.tcsd_plane.analysis.tables import too_few_raters

Row = Mapping[str, Any]
Place = tuple[float, float]  # TC, SD

# What may be asked for; the spread is shown unless something else is.
ELLIPSES = ("spread", "mean", "both", "none")


@dataclass(frozen=True)
class Ellipse:
    """Half axes as shares of the maximum, and the angle of the longer one from the TC axis, counter-clockwise."""

    centre: Place
    major: float
    minor: float
    angle_deg: float

    @classmethod
    def of(cls, row: Row | None) -> "Ellipse | None":
        return cls((row["tc"], row["sd"]), row["major"], row["minor"], row["angle_deg"]) if row else None


@dataclass(frozen=True)
class Drawn:
    """A condition on the plane; its number gives it a shape and a hue, the same in every picture of a result."""

    number: int
    name: str
    marks: list[Place]
    mean: Place
    spread: Ellipse | None
    mean_region: Ellipse | None


@dataclass(frozen=True)
class Scene:
    """One picture; `recording` is empty where it is of all of them."""

    recording: str
    conditions: list[Drawn]
    families: dict[str, list[tuple[Place, Place]]]  # an arrow from each mean to that of the next z
    n_raters: int
    n_recordings: int
    why_no_ellipse: str  # why there is no 95 % ellipse of a mean

    @property
    def n_marks(self) -> int:
        return sum(len(drawn.marks) for drawn in self.conditions)


def recordings_of(table: Mapping[str, Any]) -> list[str]:
    return sorted({row["recording"] for row in table.get("recordings", [])})


def scene_of(table: Mapping[str, Any], *, recording: str = "", ellipse: str = ELLIPSES[0]) -> Scene:
    """Gather a picture out of the tables of a result as a reader may see them."""
    numbers = {row["condition"]: number for number, row in enumerate(table.get("rows", []))}
    points = [row for row in table.get("points", []) if recording in ("", row["recording"])]
    means, clouds = _means_and_clouds(table, recording)
    spread, region = ellipse in ("spread", "both"), ellipse in ("mean", "both")
    conditions = [
        Drawn(
            number=numbers[name],
            name=name,
            marks=[(row["tc"], row["sd"]) for row in points if row["condition"] == name],
            mean=(row["tc_mean"], row["sd_mean"]),
            spread=Ellipse.of(clouds[name]["spread"]) if spread else None,
            mean_region=Ellipse.of(row["mean_95"]) if region else None,
        )
        for name, row in means.items()
    ]
    return Scene(
        recording=recording,
        conditions=conditions,
        families=dict(_arrows(table.get("curves", []), {drawn.name: drawn.mean for drawn in conditions})),
        n_raters=len({row["rater"] for row in points}),
        n_recordings=len({row["recording"] for row in points}),
        why_no_ellipse=_why_no_region(means.values()) if region else "",
    )


def _means_and_clouds(table: Mapping[str, Any], recording: str) -> tuple[dict[str, Row], dict[str, Row]]:
    """By condition the row of its mean, over raters, and that of the cloud of marks that is seen.

    In one recording the two are the same, as each rater has one mark there.
    """
    if recording:
        rows = {row["condition"]: row for row in table.get("recordings", []) if row["recording"] == recording}
        return rows, rows
    by_name = ({row["condition"]: row for row in table.get(part, [])} for part in ("rows", "conditions_marks"))
    means, clouds = by_name
    return means, clouds


def _arrows(curves: list[Row], means: Mapping[str, Place]) -> Iterator[tuple[str, list[tuple[Place, Place]]]]:
    """Yield each family with its steps from one z to the next; where two conditions share a z, from the first."""
    for family, rows in groupby(curves, key=lambda row: str(row["family"])):
        by_z = {row["z"]: means[row["condition"]] for row in reversed(list(rows)) if row["condition"] in means}
        if steps := list(pairwise(by_z[z] for z in sorted(by_z))):
            yield family, steps


def _why_no_region(rows: Any) -> str:
    raters = [row["mean_95_refused"]["data"]["raters"] for row in rows if row["mean_95_refused"]]
    return too_few_raters(min(raters)).translate(_) if raters else ""


LETTER_PX, LINE_PX = 6.6, 12.0  # of small text, about
AWAY_PX = 9.0  # from the middle of a mark to its name
MARK_PX = 7.0  # half of what a mean's mark takes up


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: "Box") -> float:
        """The shared area."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(width, 0.0) * max(height, 0.0)

    def inside(self, other: "Box") -> bool:
        wide = other.left <= self.left and self.right <= other.right
        return wide and other.top <= self.top and self.bottom <= other.bottom


@dataclass(frozen=True)
class Label:
    x: float
    y: float  # of the baseline
    anchor: Anchor


# To the right first, as one reads; then left, above, below, and the corners.
_SIDES: tuple[tuple[float, float, Anchor], ...] = (
    (1.0, 0.0, "start"),
    (-1.0, 0.0, "end"),
    (0.0, -1.25, "middle"),
    (0.0, 1.25, "middle"),
    (0.8, -1.0, "start"),
    (0.8, 1.0, "start"),
    (-0.8, -1.0, "end"),
    (-0.8, 1.0, "end"),
)


def place_labels(means: Sequence[tuple[float, float]], names: Sequence[str], frame: Box) -> list[Label | None]:
    """Return a place for each name, in pixels, or none where every place is taken."""
    taken = [Box(x - MARK_PX, y - MARK_PX, x + MARK_PX, y + MARK_PX) for x, y in means]
    placed: list[Label | None] = []
    for (x, y), name in zip(means, names, strict=True):
        found = next((each for each in _places(x, y, name) if _is_free(each[1], taken, frame)), None)
        placed.append(found[0] if found else None)
        if found:
            taken.append(found[1])
    return placed


def _places(x: float, y: float, name: str) -> list[tuple[Label, Box]]:
    width = LETTER_PX * len(name)
    found = []
    for right, down, anchor in _SIDES:
        at_x, middle = x + right * AWAY_PX, y + down * AWAY_PX * 1.2
        left = {"start": at_x, "middle": at_x - width / 2, "end": at_x - width}[anchor]
        box = Box(left, middle - LINE_PX / 2, left + width, middle + LINE_PX / 2)
        found.append((Label(at_x, middle + LINE_PX / 3, anchor), box))
    return found


def _is_free(box: Box, taken: Sequence[Box], frame: Box) -> bool:
    return box.inside(frame) and not any(box.overlap(other) > 0 for other in taken)


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
