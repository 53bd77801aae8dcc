"""The picture of the plane: every mark where it was put, ellipses as asked for, arrows only where names are open."""

import math
import re
from functools import cache
from itertools import chain
from typing import Any
from xml.etree import ElementTree

import pytest

from analysis.blinded_view import shown
from protocols.tcsd_plane.analysis.tables import analyse
from protocols.tcsd_plane.report import PlaneReport
from protocols.tcsd_plane.report.picture import BOTTOM, LEFT, SIDE, Box, draw, place_labels, recordings_of, scene_of
from tests.protocols.tcsd_plane.placed import CONDITIONS, complete, placed

SVG = "{http://www.w3.org/2000/svg}"


def tables(*, raters: int = 6, blind: bool = False) -> dict[str, Any]:
    """The tables of a result as a reader gets them."""
    letters = dict(zip(sorted(CONDITIONS), "FEDCBA", strict=True))
    names = letters if blind else {name: name for name in CONDITIONS}
    return shown(analysed(raters), names=names, blind=blind, scales=["TC", "SD"], open_only=PlaneReport.open_only)


@cache
def analysed(raters: int) -> dict[str, Any]:
    return analyse(complete(raters=raters))


def drawn(**how: Any) -> ElementTree.Element:
    given = tables(**{name: how.pop(name) for name in ("raters", "blind") if name in how})
    return ElementTree.fromstring(draw(scene_of(given, **how)))  # noqa: S314 - nobody else's text


def part(figure: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [shape for group in figure.iter(f"{SVG}g") if group.get("class") == f"plane-{name}" for shape in group]


def places(shapes: list[ElementTree.Element], decimals: int = 2) -> list[tuple[float, float]]:
    """Where shapes lie, as TC and SD."""
    at = [re.findall(r"-?[\d.]+", shape.get("transform") or "")[:2] for shape in shapes]
    shares = (((float(x) - LEFT) / SIDE, (BOTTOM - float(y)) / SIDE) for x, y in at)
    return sorted((round(tc, decimals), round(sd, decimals)) for tc, sd in shares)


def test_every_mark_is_where_its_rater_put_it() -> None:
    marks = placed()
    assert places(part(drawn(), "marks")) == sorted((mark.tc, mark.sd) for mark in marks)
    only = [(mark.tc, mark.sd) for mark in marks if mark.recording == "B"]
    assert places(part(drawn(recording="B"), "marks")) == sorted(only)


def test_means_are_those_of_the_tables() -> None:
    table = tables()
    rows = {"": table["rows"], "B": [row for row in table["recordings"] if row["recording"] == "B"]}
    for recording, means in rows.items():
        wanted = sorted((row["tc_mean"], row["sd_mean"]) for row in means)
        found = places(part(drawn(recording=recording), "means"), decimals=6)
        assert [*chain(*found)] == pytest.approx([*chain(*wanted)], abs=1e-4)


@pytest.mark.parametrize(
    ("ellipse", "filled", "dashed"), [("spread", 6, 0), ("mean", 0, 6), ("both", 6, 6), ("none", 0, 0)]
)
def test_ellipses_are_those_that_were_asked_for(ellipse: str, filled: int, dashed: int) -> None:
    shapes = list(drawn(ellipse=ellipse).iter(f"{SVG}ellipse"))
    assert sum(shape.get("fill") != "none" for shape in shapes) == filled
    assert sum(bool(shape.get("stroke-dasharray")) for shape in shapes) == dashed


def test_an_ellipse_leans_as_its_cloud_does() -> None:
    """Upwards on the plane is downwards on the screen, so an angle changes its sign."""
    row = tables()["conditions_marks"][0]
    shape = next(drawn().iter(f"{SVG}ellipse"))
    assert float(shape.get("rx") or 0) == pytest.approx(row["spread"]["major"] * SIDE, abs=0.01)
    turn = float(re.findall(r"rotate\((.*)\)", shape.get("transform") or "")[0])
    assert turn == pytest.approx(-row["spread"]["angle_deg"], abs=0.01)


def test_four_raters_get_no_ellipse_of_a_mean_and_are_told_why() -> None:
    scene = scene_of(tables(raters=4), ellipse="both")
    assert not any(each.mean_region for each in scene.conditions)
    assert all(each.spread for each in scene.conditions)
    assert "at least 5 raters, and there are 4" in scene.why_no_ellipse
    assert scene_of(tables(raters=4), ellipse="spread").why_no_ellipse == ""
    assert scene_of(tables(raters=5), ellipse="both").why_no_ellipse == ""


def test_two_raters_on_a_line_have_an_ellipse_that_can_be_seen() -> None:
    shapes = list(drawn(raters=2, recording="A").iter(f"{SVG}ellipse"))
    assert min(float(shape.get(side) or 0) for shape in shapes for side in ("rx", "ry")) > 0.5


def test_arrows_go_along_z_and_not_before_unblinding() -> None:
    assert scene_of(tables()).families.keys() == {"greedy", "hand"}
    means = {row["condition"]: (row["tc_mean"], row["sd_mean"]) for row in tables()["rows"]}
    along = [means[f"greedy {step}"] for step in range(3)]
    assert scene_of(tables()).families["greedy"] == [(along[0], along[1]), (along[1], along[2])]
    assert len(part(drawn(recording="B"), "arrows")) == 3
    blind = drawn(blind=True)
    assert part(blind, "arrows") == []
    text = " ".join(blind.itertext())
    assert not [name for name in (*CONDITIONS, "greedy", "hand") if name in text]


def test_a_condition_keeps_its_mark_from_picture_to_picture() -> None:
    table = tables()
    numbers = {each.name: each.number for each in scene_of(table).conditions}
    assert numbers == {name: number for number, name in enumerate(sorted(CONDITIONS))}
    for recording in recordings_of(table):
        assert {each.name: each.number for each in scene_of(table, recording=recording).conditions} == numbers


def test_the_figure_says_what_it_shows() -> None:
    figure = drawn(ellipse="both")
    told = figure.findtext(f"{SVG}desc") or ""
    assert "108 marks of 6 raters" in told
    assert "1 s.d. of the marks" in told
    assert "95 % region of the mean over raters (Hotelling)" in told
    assert figure.findtext(f"{SVG}title") == "TC/SD plane, all recordings"
    legend = [text for shape in part(figure, "legend") for text in shape.itertext()]
    assert legend == sorted(CONDITIONS)


def test_names_beside_means_cover_neither_each_other_nor_a_mean() -> None:
    means = [(100.0, 100.0), (108.0, 100.0), (100.0, 112.0), (300.0, 40.0)]
    frame = Box(0, 0, 320, 320)
    labels = place_labels(means, ["first", "second", "third", "at the edge"], frame)
    assert labels[3] is not None
    assert labels[3].anchor == "end"
    placed_at = [label for label in labels if label]
    assert len({(label.x, label.y) for label in placed_at}) == len(placed_at)
    assert place_labels([(10.0, 10.0)], ["too long for so small a place"], Box(0, 0, 40, 40)) == [None]
    crowd = [(150 + math.cos(turn), 150 + math.sin(turn)) for turn in range(20)]
    assert None in place_labels(crowd, ["name"] * 20, frame)
