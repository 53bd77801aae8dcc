"""Page of a plan: its sentences, its table of listeners needed, and its figures of power and half width."""

from collections.abc import Callable, Sequence
from typing import Any

from django.utils.translation import gettext as _

from analysis.reports import svg
from analysis.reports.base import TABLE_PREFIX
from analysis.reports.pictures import PICTURE_FORMATS, SVG
from analysis.reports.tables import TABLE_FORMATS, Row, Table, count, decimals, figure, number_column, percent
from analysis.services.plans import Source

WIDTH, HEIGHT, GUTTER, TOP, BOTTOM = 450.0, 300.0, 44.0, 34.0, 250.0
LEGEND_PX = 72


def context(plan: dict[str, Any], source: Source) -> dict[str, Any]:
    """What the page shows of a plan."""
    return {
        "plan": plan,
        "sentences": sentences(plan),
        "plots": plots(plan),  # by the name of their files
        "needed": needed_table(plan),
        "components": component_rows(plan),
        "origin": _("Source: %(title)s, %(scale)s.") % {"title": source.title, "scale": source.scale.key},
        "simulation": simulated(plan["simulation"]) if plan["simulation"] else "",
    }


def simulated(found: dict[str, Any]) -> str:
    said = _(
        "Of %(rounds)s simulated studies with rounded votes about a mean of %(mean)s, %(power)s found the difference "
        "(± %(doubt)s). It came out as %(difference)s on average, with an interval of ±%(half)s; that of a mean was "
        "±%(mean_half)s. %(ends)s of the votes were at an end of the scale."
    )
    return said % {
        "rounds": count(found["rounds"]),
        "mean": f"{found['mean']:g}",
        "power": percent(found["power"]),
        "doubt": percent(1.96 * found["power_se"]),
        "difference": figure(found["difference"]),
        "half": figure(found["difference_half_width"]),
        "mean_half": figure(found["mean_half_width"]),
        "ends": percent(found["at_ends"]),
    }


def sentences(plan: dict[str, Any]) -> list[str]:
    """What the design gives, and what would be cheapest."""
    design, goal, best = plan["design"], plan["goal"], plan["cheapest"]
    told = {
        "listeners": count(design["listeners"]),
        "each": count(design["items_each"]),
        "items": count(design["items"]),
        "conditions": count(design["conditions"]),
        "mean": figure(design["mean"]["half_width"]),
        "half": figure(design["difference"]["half_width"]),
        "difference": f"{goal['difference']:g}",
        "power": percent(design["difference"]["power"]),
        "mean_power": percent(design["mean"]["power"]),
        "wanted": percent(goal["power"]),
        "minutes": figure(design["minutes"], 0),
    }
    if design["panels"] == 1:
        first = _(
            "With %(listeners)s listeners who rate %(items)s items under %(conditions)s conditions (about %(minutes)s "
            "minutes each), the 95 %% interval of a mean is ±%(mean)s and that of a difference ±%(half)s."
        )
    else:
        first = _(
            "With %(listeners)s listeners who rate %(each)s of %(items)s items each under %(conditions)s conditions "
            "(about %(minutes)s minutes each), the 95 %% interval of a mean is ±%(mean)s and that of a difference "
            "±%(half)s."
        )
    second = _("A true difference of %(difference)s is found with a probability of %(power)s.")
    third = _(
        "A mean that lies %(difference)s from a fixed value is told from it with a probability of %(mean_power)s."
    )
    return [first % told, second % told, third % told, _cheapest(best, told)]


def _cheapest(best: dict[str, Any] | None, told: dict[str, str]) -> str:
    if best is None:
        said = _("No design within the limits finds it with %(wanted)s: allow more listeners, items or time.")
        return said % told
    told = told | {
        "listeners": count(best["listeners"]),
        "items": count(best["items"]),
        "each": count(best["items_each"]),
        "panels": count(best["panels"]),
        "hours": figure(best["hours"], 1),
        "cost": figure(best["cost"], 0),
        "minutes": figure(best["minutes"], 0),
    }
    if best["panels"] == 1:
        said = _(
            "Cheapest for %(wanted)s: %(listeners)s listeners who rate %(items)s items, %(minutes)s minutes each, "
            "%(hours)s hours in all (cost %(cost)s)."
        )
    else:
        said = _(
            "Cheapest for %(wanted)s: %(listeners)s listeners in %(panels)s panels, each of whom rates %(each)s of "
            "%(items)s items, %(minutes)s minutes each, %(hours)s hours in all (cost %(cost)s)."
        )
    return said % told


def needed_table(plan: dict[str, Any]) -> Table:
    goal = plan["goal"]
    note = _("Fewest listeners that find a difference of %(difference)s with %(power)s. A dash: more than there are.")
    columns = [
        number_column(_("Items"), "items", count),
        *([number_column(_("Items per listener"), "items_each", count)] if plan["design"]["panels"] > 1 else []),
        number_column(_("Listeners"), "listeners", _count),
        number_column(_("Power"), "power", percent),
        number_column(_("Minutes each"), "minutes", decimals(0)),
        number_column(_("Hours in all"), "hours", decimals(1)),
        number_column(_("Cost"), "cost", decimals(0)),
    ]
    told = {"difference": f"{goal['difference']:g}", "power": percent(goal["power"])}
    return Table("listeners-needed", _("Listeners needed"), note % told, columns, plan["listeners_needed"])


def _count(value: int | None) -> str:
    return "-" if value is None else count(value)


def component_rows(plan: dict[str, Any]) -> list[Row]:
    """Each component with its share of the variance of one vote."""
    titles = {
        "listener": _("Listener"),
        "item": _("Item"),
        "listener_condition": _("Listener by condition"),
        "item_condition": _("Item by condition"),
        "residual": _("Error of a vote"),
    }
    total = sum(plan["components"].values())
    return [
        {"component": titles[name], "variance": f"{value:.4g}", "share": percent(value / total)}
        for name, value in plan["components"].items()
    ]


def plots(plan: dict[str, Any]) -> dict[str, str]:
    """Power, and the half width of a difference, over listeners; a line for each number of items."""
    goal, found = plan["goal"], plan["design"]["difference"]
    half_widths = [point[2] for curve in plan["curves"] for point in curve["points"][len(curve["points"]) // 6 :]]
    power, half_width = svg.Span(0, 100, BOTTOM, TOP), svg.Span(0, max(half_widths), BOTTOM, TOP)
    return {
        "power": _plot(
            plan,
            [_("Power, in %"), "power"],
            power,
            lambda point: 100 * point[1],
            100 * found["power"],
            100 * goal["power"],
        ),
        "half-width": _plot(
            plan,
            [_("Half width of a difference"), "half-width"],
            half_width,
            lambda point: point[2],
            found["half_width"],
        ),
    }


def plan_file(plan: dict[str, Any], name: str) -> tuple[bytes, str] | None:
    """A figure or the table under the name of its file, with its type; none where there is no such file."""
    stem, _dot, ending = name.rpartition(".")
    drawn, table = plots(plan), needed_table(plan)
    if stem in drawn and ending == "svg":
        return drawn[stem].encode(), SVG
    if stem in drawn and ending in PICTURE_FORMATS:
        return PICTURE_FORMATS[ending].write(drawn[stem]), PICTURE_FORMATS[ending].content_type
    if stem == f"{TABLE_PREFIX}{table.id}" and ending in TABLE_FORMATS:
        pieces = TABLE_FORMATS[ending].write(table)
        whole = b"".join(each if isinstance(each, bytes) else each.encode() for each in pieces)
        return whole, TABLE_FORMATS[ending].content_type
    return None


def file_names(plan: dict[str, Any]) -> list[str]:
    """Every file that a plan has."""
    figures = [f"{name}.{ending}" for name in plots(plan) for ending in ("svg", *PICTURE_FORMATS)]
    return [*figures, *(f"{TABLE_PREFIX}{needed_table(plan).id}.{ending}" for ending in TABLE_FORMATS)]


def _plot(
    plan: dict[str, Any],
    named: Sequence[str],
    y: svg.Span,
    value: Callable[[Sequence[float]], float],
    found: float,
    wanted: float | None = None,
) -> str:
    """One of both figures, with a ring at the design and a dashed line at what is wanted."""
    title, name = named
    curves, listeners = plan["curves"], plan["design"]["listeners"]
    right = WIDTH - LEGEND_PX
    x = svg.Span(0, max(curve["points"][-1][0] for curve in curves), GUTTER, right)
    shapes: list[str] = [
        svg.text(0, 14, title, font_weight="bold"),
        svg.x_axis(x, BOTTOM, title=_("Listeners"), most=7),
        svg.y_axis(y, x.start_px, grid_to=right, most=6),
        svg.text(right + 10, TOP + 4, _("Items")),
    ]
    if wanted is not None:
        shapes.append(svg.line(x.start_px, y.at(wanted), right, y.at(wanted), stroke_dasharray="6 4", opacity=0.7))
    for number, curve in enumerate(curves):
        row = TOP + 24 + 22 * number
        shapes += _curve(number, [(point[0], value(point)) for point in curve["points"]], x, y)
        shapes += [svg.mark(number, right + 16, row), svg.text(right + 28, row + 4, count(curve["items"]))]
    shapes.append(svg.circle(x.at(listeners), y.within(found), 8, fill="none", stroke=svg.INK, stroke_width=2))
    return svg.drawing(
        *shapes,
        width=WIDTH,
        height=HEIGHT,
        title=title,
        description="; ".join(_described(curve) for curve in curves),
        name=name,
    )


def _curve(number: int, points: Sequence[tuple[float, float]], x: svg.Span, y: svg.Span) -> list[str]:
    """The line, with its shape at a few places so that no line is told by its hue alone."""
    placed = [(x.at(at), y.at(value)) for at, value in points if min(y.low, y.high) <= value <= max(y.low, y.high)]
    marked = placed[len(placed) // 8 :: max(len(placed) // 4, 1)]
    line = svg.polyline(placed, stroke=svg.hue(number), stroke_width=2, stroke_linejoin="round")
    return [line, *(svg.mark(number, *place, size=4) for place in marked)]


def _described(curve: dict[str, Any]) -> str:
    last = curve["points"][-1]
    told = {
        "items": count(curve["items"]),
        "listeners": count(last[0]),
        "power": percent(last[1]),
        "half": figure(last[2]),
    }
    return _("%(items)s items, %(listeners)s listeners: power %(power)s, half width %(half)s") % told
