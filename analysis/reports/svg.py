"""Figures as SVG text: shapes, axes and marks that read alike on light, dark and dim pages, in a file and on paper."""

# All that a figure needs stands in it as presentation attributes: a file that was taken away looks as the page did, and
# a sheet may still refine it. Text is escaped unless it is markup already.

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

Markup = SafeString
Attribute = str | float | None
Anchor = Literal["start", "middle", "end"]

INK = "currentColor"  # the page's ink, or black where a drawing stands alone
FAINT = 0.35  # the opacity of what is not data
FACE = "ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

# Each at least 3:1 against white and against the dark page (WCAG 1.4.11), so that one drawing serves every theme. A hue
# never stands alone: what it tells apart also has a shape or a name beside it.
HUES = ("#3f7fd0", "#c4622d", "#2f8f5b", "#a05cc0", "#c9485b", "#1f8e99", "#8f7233", "#7b8088")


def element(tag: str, *children: str, **attributes: Attribute) -> Markup:
    """Return one element; `stroke_width=2` is stroke-width, `class_` is class, and None leaves an attribute out."""
    given = "".join(
        f' {_attribute(name)}="{conditional_escape(_value(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    inside = "".join(conditional_escape(child) for child in children)
    return mark_safe(f"<{tag}{given}>{inside}</{tag}>" if inside else f"<{tag}{given}/>")  # noqa: S308 - escaped above


def drawing(*shapes: str, width: float, height: float, title: str, description: str, name: str) -> Markup:
    """Return a whole figure, as wide as its place allows; title and description are what a screen reader says of it."""
    return element(
        "svg",
        element("title", title),
        element("desc", description),
        *shapes,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        width=width,
        height=height,
        class_=f"figure figure--{name}",
        role="img",
        font_family=FACE,
        font_size=13,
        fill=INK,
        color="#141d1a",
    )


def group(*shapes: str, **attributes: Attribute) -> Markup:
    return element("g", *shapes, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: Attribute) -> Markup:
    return element("line", **{"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": INK, **attributes})


def rectangle(x: float, y: float, width: float, height: float, **attributes: Attribute) -> Markup:
    return element("rect", **{"x": x, "y": y, "width": width, "height": height, **attributes})


def circle(x: float, y: float, radius: float, **attributes: Attribute) -> Markup:
    return element("circle", **{"cx": x, "cy": y, "r": radius, **attributes})


def polyline(points: Iterable[tuple[float, float]], **attributes: Attribute) -> Markup:
    told = " ".join(f"{_value(x)},{_value(y)}" for x, y in points)
    return element("polyline", **{"points": told, "fill": "none", "stroke": INK, **attributes})


def text(x: float, y: float, words: str, *, anchor: Anchor = "start", **attributes: Attribute) -> Markup:
    """Return words whose baseline begins, is centred or ends at a point."""
    return element("text", words, **{"x": x, "y": y, "text_anchor": anchor, **attributes})


def arrow(x1: float, y1: float, x2: float, y2: float, *, head: float = 7, **attributes: Attribute) -> Markup:
    """Return a line with a head at its second end."""
    back = math.atan2(y1 - y2, x1 - x2)
    barbs = [(x2 + head * math.cos(back + turn), y2 + head * math.sin(back + turn)) for turn in (-0.45, 0.45)]
    return group(
        line(x1, y1, x2, y2, **attributes),
        polyline([barbs[0], (x2, y2), barbs[1]], stroke_linecap="round", stroke_linejoin="round", **attributes),
    )


def hue(number: int) -> str:
    return HUES[number % len(HUES)]


# By number: unit shapes about (0, 0), with about the same area each.
_MARKS = (
    "M0.9,0A0.9,0.9 0 1 1 -0.9,0A0.9,0.9 0 1 1 0.9,0Z",
    "M-0.8,-0.8H0.8V0.8H-0.8Z",
    "M0,-1.15L1.05,0.75H-1.05Z",
    "M0,-1.15L1.15,0L0,1.15L-1.15,0Z",
    "M0,1.15L1.05,-0.75H-1.05Z",
    "M-0.38,-1.05H0.38V-0.38H1.05V0.38H0.38V1.05H-0.38V0.38H-1.05V-0.38H-0.38Z",
    "M0,-1.05L1,-0.32L0.62,0.85H-0.62L-1,-0.32Z",
    "M-1.05,-0.6L-0.6,-1.05L0,-0.45L0.6,-1.05L1.05,-0.6L0.45,0L1.05,0.6L0.6,1.05L0,0.45L-0.6,1.05L-1.05,0.6L-0.45,0Z",
)


def mark(number: int, x: float, y: float, size: float = 5, **attributes: Attribute) -> Markup:
    """Return the shape that stands for a number: eight of them, then the same again in other hues."""
    place = f"translate({_value(x)} {_value(y)}) scale({_value(size)})"
    given = {"d": _MARKS[number % len(_MARKS)], "transform": place, "vector_effect": "non-scaling-stroke"}
    return element("path", **{**given, "fill": hue(number), **attributes})


@dataclass(frozen=True)
class Span:
    """Values from `low` to `high`, drawn from one place to another, in pixels; `at` is where a value lies."""

    low: float
    high: float
    start_px: float
    end_px: float

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low) if self.high != self.low else 0.0
        return self.start_px + share * (self.end_px - self.start_px)

    def within(self, value: float) -> float:
        """The same, and no farther than the ends."""
        return self.at(min(max(value, min(self.low, self.high)), max(self.low, self.high)))

    def ticks(self, most: int = 8) -> list[float]:
        """Round values: steps of 1, 2 or 5 times a power of ten, at most as many as asked for."""
        if self.high <= self.low:
            return [self.low]
        raw = (self.high - self.low) / max(most - 1, 1)
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * (1 - 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(count * step, 12) for count in range(first, last + 1)]


def x_axis(span: Span, y: float, *, title: str = "", grid_to: float | None = None, most: int = 8) -> Markup:
    """Return a line at a height with ticks and figures below, its title under them, and a grid up to `grid_to`."""
    shapes: list[str] = [line(span.start_px, y, span.end_px, y, opacity=0.6)]
    for value in span.ticks(most):
        x = span.at(value)
        if grid_to is not None:
            shapes.append(line(x, y, x, grid_to, opacity=FAINT, stroke_dasharray="1 4"))
        shapes += [line(x, y, x, y + 5, opacity=0.6), text(x, y + 19, _figure(value), anchor="middle", opacity=0.8)]
    if title:
        shapes.append(text((span.start_px + span.end_px) / 2, y + 38, title, anchor="middle"))
    return group(*shapes)


def y_axis(span: Span, x: float, *, title: str = "", grid_to: float | None = None, most: int = 8) -> Markup:
    """Return the same as an upright line, figures to its left, its title above them."""
    shapes: list[str] = [line(x, span.start_px, x, span.end_px, opacity=0.6)]
    for value in span.ticks(most):
        y = span.at(value)
        if grid_to is not None:
            shapes.append(line(x, y, grid_to, y, opacity=FAINT, stroke_dasharray="1 4"))
        shapes += [line(x - 5, y, x, y, opacity=0.6), text(x - 9, y + 4, _figure(value), anchor="end", opacity=0.8)]
    if title:
        shapes.append(text(x, min(span.start_px, span.end_px) - 12, title, anchor="middle"))
    return group(*shapes)


def _figure(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _attribute(name: str) -> str:
    """CSS and SVG names have hyphens where Python has underscores; viewBox and its like are as they are."""
    return name.rstrip("_").replace("_", "-")


def _value(value: Attribute) -> str:
    """Hundredths of a pixel are enough, and the same figures always give the same file."""
    return f"{round(value, 2) + 0.0:.10g}" if isinstance(value, float) else str(value)  # + 0.0: never -0
