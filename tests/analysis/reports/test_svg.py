"""Figures as text: well-formed whatever stands in them, and the same for the same figures."""

from xml.etree import ElementTree

import pytest

from analysis.reports import svg


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_words_are_words_and_never_markup() -> None:
    drawn = svg.drawing(
        svg.text(1, 2, "a < b & <script>"),
        svg.group(svg.circle(0, 0, 2, data_of='"quoted"')),
        width=10,
        height=20,
        title="<T>",
        description="&",
        name="test",
    )
    root = ElementTree.fromstring(drawn)  # noqa: S314 - nobody else's text
    assert [child.tag.rpartition("}")[2] for child in root] == ["title", "desc", "text", "g"]
    assert [child.text for child in root][:3] == ["<T>", "&", "a < b & <script>"]
    assert root[3][0].get("data-of") == '"quoted"'
    assert root.get("viewBox") == "0 0 10 20"


def test_numbers_are_short_and_an_absent_attribute_is_left_out() -> None:
    assert svg.line(1 / 3, -0.0001, 12345.678, 2, stroke=None) == '<line x1="0.33" y1="0" x2="12345.68" y2="2"/>'


@pytest.mark.parametrize(
    ("low", "high", "most", "ticks"),
    [
        (0, 1, 6, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (1, 5, 8, [1, 2, 3, 4, 5]),
        (-0.3, 0.3, 4, [-0.2, 0, 0.2]),
        (0, 237, 6, [0, 50, 100, 150, 200]),
        (2, 2, 8, [2]),
    ],
)
def test_ticks_are_round(low: float, high: float, most: int, ticks: list[float]) -> None:
    assert svg.Span(low, high, 0, 100).ticks(most) == ticks


def test_a_span_maps_values_to_places_and_holds_them_within_its_ends() -> None:
    upright = svg.Span(0, 10, 200, 100)
    assert [upright.at(value) for value in (0, 5, 10, 12)] == [200, 150, 100, 80]
    assert upright.within(12) == 100


def test_every_hue_can_be_seen_on_white_and_on_the_dark_page() -> None:
    assert min(contrast(hue, page) for hue in svg.HUES for page in ("#fbfcfb", "#171f1c", "#000000")) >= 3


def test_neighbouring_numbers_differ_in_shape_and_hue() -> None:
    shapes = [ElementTree.fromstring(svg.mark(number, 0, 0)) for number in range(8)]  # noqa: S314 - as above
    assert len({shape.get("d") for shape in shapes}) == len({shape.get("fill") for shape in shapes}) == 8
