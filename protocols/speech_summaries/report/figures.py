"""Figures of the report: the merged word network of an utterance, and curves over the number of makers."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from typing import Any

from django.utils.translation import gettext as _

from analysis.reports import svg
from analysis.reports.tables import figure
from protocols.speech_summaries.analysis.alignment import align
from protocols.speech_summaries.report.tables import makers_of

WIDTH = 500.0
ROW_PX, TOP, FOOT = 24.0, 58.0, 18.0
BAR_PX, BAR_RIGHT = 54.0, 90.0  # how many kept a word, to the left of it
WORD_X, NODE_X, ARC_PX = 122.0, 300.0, 170.0
THINNEST_PX, WIDEST_PX = 1.0, 9.0
LONGEST_WORD = 22
CAPTION_LETTERS = 74
TARGET_HUE = svg.hue(0)
SIGNS = {"match": "=", "substitution": "≠", "insertion": "+", "deletion": "−"}

Token = int | str


@dataclass(frozen=True)
class Shown:
    """One utterance, its network, and the version that is held against it, if any."""

    title: str
    tokens: Sequence[str]
    makers: int
    kept: dict[int, int]
    arcs: Sequence[tuple[Token, Token, int]]
    candidate: Sequence[Token] = ()
    target: Sequence[int] = ()
    remarks: Sequence[str] = field(default=())  # what the caption says besides

    def row_of(self, place: Token) -> int:
        return {"<s>": 0, "</s>": len(self.tokens) + 1}[place] if isinstance(place, str) else place

    @property
    def path(self) -> set[tuple[Token, Token]]:
        steps: list[Token] = ["<s>", *self.target, "</s>"]
        return set(pairwise(steps)) if self.target else set()


@dataclass(frozen=True)
class Difference:
    """One error of a version against its target, beside the row where it is."""

    sign: str
    row: int
    sentence: str


def draw_network(shown: Shown) -> svg.Markup:
    rows = len(shown.tokens) + 2
    lines = [line for said in (*shown.remarks, _legend(shown)) for line in textwrap.wrap(said, CAPTION_LETTERS)]
    height = TOP + ROW_PX * rows + FOOT + 18 * len(lines)
    under = TOP + ROW_PX * rows + FOOT
    told = [svg.text(16, under + 18 * number, line, opacity=0.8) for number, line in enumerate(lines)]
    return svg.drawing(
        svg.text(16, 26, shown.title, font_size=15, font_weight=600),
        *_arcs(shown),
        *_words(shown),
        *_differences(shown),
        *told,
        width=WIDTH,
        height=height,
        title=shown.title,
        description=" ".join(lines),
        name="network",
    )


def differences(shown: Shown) -> list[Difference]:
    """Name every error of the version against its target, in order."""
    found, row = [], 0
    for edit in align(shown.candidate, shown.target).edits if shown.target else ():
        mine, wanted = (_called(token, shown.tokens) for token in (edit.candidate, edit.target))
        row = next((token for token in (edit.target, edit.candidate) if isinstance(token, int)), row)
        said = {
            "match": "",
            "substitution": _("{mine} instead of {wanted}"),
            "insertion": _("{mine} added"),
            "deletion": _("{wanted} missing"),
        }[edit.op]
        if said:
            found.append(Difference(SIGNS[edit.op], row, said.format(mine=mine, wanted=wanted)))
    return found


def _called(token: Token | None, tokens: Sequence[str]) -> str:
    if isinstance(token, int):
        return f"“{tokens[token - 1]}”"
    return _("“{word}” (not in the transcript)").format(word=token[1:]) if token else ""


def _arcs(shown: Shown) -> Iterator[svg.Markup]:
    """Draw the target's arcs last, on top of the others."""
    path = shown.path
    for start, end, count in sorted(shown.arcs, key=lambda arc: (arc[0], arc[1]) in path and 1):
        on_path = (start, end) in path
        top, bottom = _y(shown.row_of(start)), _y(shown.row_of(end))
        reach = NODE_X + 8 + ARC_PX * 4 / 3 * sqrt((bottom - top) / (ROW_PX * (len(shown.tokens) + 1)))
        words = f"{_bare(start, shown)} → {_bare(end, shown)}: {makers_of(count)}"
        yield svg.element(
            "path",
            svg.element("title", words),
            d=f"M{NODE_X:g},{top:g}C{reach:.2f},{top:g} {reach:.2f},{bottom:g} {NODE_X:g},{bottom:g}",
            fill="none",
            stroke=TARGET_HUE if on_path else svg.INK,
            stroke_width=THINNEST_PX + (WIDEST_PX - THINNEST_PX) * count / max(shown.makers, 1),
            opacity=1 if on_path else 0.28,
        )


def _words(shown: Shown) -> Iterator[svg.Markup]:
    for row, word in enumerate(("<s>", *shown.tokens, "</s>")):
        count = shown.kept.get(row, 0)
        real = 0 < row <= len(shown.tokens)
        used, on_target = bool(count) or not real, row in shown.target
        y = _y(row)
        if real:
            length = BAR_PX * count / max(shown.makers, 1)
            yield svg.rectangle(BAR_RIGHT - length, y - 6, length, 12, opacity=0.35)
            yield svg.text(BAR_RIGHT - BAR_PX - 6, y + 4.5, str(count), anchor="end", opacity=0.8, font_size=12)
            yield svg.text(WORD_X - 8, y + 4.5, str(row), anchor="end", opacity=0.6, font_size=11)
        yield svg.text(
            WORD_X,
            y + 4.5,
            word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 1]}…",
            font_weight=700 if on_target else None,
            opacity=None if used else 0.55,
        )
        if used:
            yield svg.circle(NODE_X, y, 5, fill=TARGET_HUE if on_target else svg.INK, opacity=1 if on_target else 0.7)


def _differences(shown: Shown) -> Iterator[svg.Markup]:
    """Put the sign of each word of the version, and of each that is missing, before its node."""
    in_version = {token for token in shown.candidate if isinstance(token, int)}
    for token in in_version & set(shown.target):
        yield _sign(SIGNS["match"], token)
    seen: dict[int, int] = {}
    for difference in differences(shown):
        yield _sign(difference.sign, difference.row, seen.get(difference.row, 0), difference.sentence)
        seen[difference.row] = seen.get(difference.row, 0) + 1


def _sign(sign: str, row: int, before: int = 0, sentence: str = "") -> svg.Markup:
    told = [svg.element("title", sentence)] if sentence else []
    return svg.group(
        *told, svg.text(NODE_X - 20 - 14 * before, _y(row) + 5, sign, anchor="middle", font_weight=700, font_size=15)
    )


def _legend(shown: Shown) -> str:
    said = _("Bars: how many of {makers} kept a word. Arcs: how many have the lower word straight after the upper.")
    return said.format(makers=makers_of(shown.makers))


def _bare(place: Token, shown: Shown) -> str:
    return place if isinstance(place, str) else f"{place} {shown.tokens[place - 1]}"


def _y(row: int) -> float:
    return TOP + ROW_PX * row


def remarks(version: Mapping[str, Any], shown: Shown) -> list[str]:
    """What the caption says of a version: its target, its score, every error."""
    found = [difference.sentence for difference in differences(shown)]
    target = " ".join(shown.tokens[place - 1] for place in shown.target)
    return [
        _("Target (bold): {target}").format(target=target),
        _("Errors: {errors}.").format(errors="; ".join(found)) if found else _("No errors: the version is a path."),
        _("SumACCY {accuracy} %, weight {weight}, WSumACCY {weighed} %.").format(
            accuracy=figure(version["sum_accy"], 1),
            weight=figure(version["weight"]),
            weighed=figure(version["w_sum_accy"], 1),
        ),
    ]


Row = Mapping[str, Any]
CURVE_WIDTH, HEIGHT = 640.0, 380.0
LEFT, RIGHT, CURVE_TOP, BOTTOM = 64.0, 470.0, 40.0, 320.0
LEGEND_X = 488.0
MOST_CURVES = 16


def draw_curves(
    lines: Mapping[str, Sequence[Row]], *, title: str, axis: str, draws: int, name: str
) -> svg.Markup | None:
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
    up = svg.Span(low - pad, high + pad, BOTTOM, CURVE_TOP)
    return svg.drawing(
        svg.x_axis(across, BOTTOM, title=_("Number of makers")),
        svg.y_axis(up, LEFT, grid_to=RIGHT),
        svg.text(LEFT - 44, 22, axis, font_weight=600),
        *(shape for number, rows in enumerate(shown.values()) for shape in _curve(number, rows, across, up)),
        *_curve_legend(list(shown)),
        width=CURVE_WIDTH,
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


def _curve_legend(names: Sequence[str]) -> Iterator[svg.Markup]:
    for number, name in enumerate(names):
        y = CURVE_TOP + 10 + 20 * number
        yield svg.mark(number, LEGEND_X + 6, y - 4, 4.6)
        yield svg.text(LEGEND_X + 18, y, name if len(name) <= 18 else f"{name[:17]}…")
