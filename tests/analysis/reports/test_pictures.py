"""Figures as PNG and PDF beside SVG, of every method that has figures."""

import io

import pytest
from PIL import Image

from analysis.registry import get_report, methods
from analysis.reports import pictures, svg
from analysis.reports.pictures import PICTURE_FORMATS, SVG
from tests.errors import raises_error

FIGURE = str(
    svg.drawing(
        svg.line(10, 10, 90, 10, stroke_width=2),
        svg.text(10, 40, "−5 dB κ é"),
        width=100,
        height=50,
        title="A line",
        description="",
        name="test",
    )
)


def test_every_figure_is_offered_in_three_formats() -> None:
    figures = 0
    for slug in methods():
        report = get_report(slug)
        for name, file in report.files.items():
            if file.content_type == SVG:
                figures += 1
                stem = name.removesuffix(".svg")
                made = [report.file(f"{stem}.{ending}") for ending in PICTURE_FORMATS]
                assert [each and each.content_type for each in made] == ["image/png", "application/pdf"]
    assert figures >= 5


@pytest.mark.skipif(not pictures.can_draw(), reason="libcairo is not on this machine")
def test_a_colour_of_the_page_has_another_without_a_page() -> None:
    styled = FIGURE.replace("currentColor", "var(--ink, #c00000)")
    assert styled != FIGURE
    png = Image.open(io.BytesIO(PICTURE_FORMATS["png"].write(styled))).convert("RGB")
    assert (192, 0, 0) in {colour for _count, colour in png.getcolors(1 << 16) or ()}
    assert PICTURE_FORMATS["pdf"].write(styled).startswith(b"%PDF")


@pytest.mark.skipif(not pictures.can_draw(), reason="libcairo is not on this machine")
def test_a_png_has_twice_the_size_white_paper_and_ink_for_the_letters() -> None:
    picture = Image.open(io.BytesIO(PICTURE_FORMATS["png"].write(FIGURE))).convert("L")
    assert picture.size == (200, 100)
    assert picture.getpixel((0, 0)) == 255
    assert min(picture.crop((0, 50, 200, 100)).tobytes()) < 100  # the text
    assert min(picture.crop((30, 15, 170, 25)).tobytes()) < 100  # the line


@pytest.mark.skipif(not pictures.can_draw(), reason="libcairo is not on this machine")
def test_a_pdf_embeds_its_face() -> None:
    made = PICTURE_FORMATS["pdf"].write(FIGURE)
    assert made.startswith(b"%PDF-")
    assert b"/FontFile" in made


def test_without_cairo_the_reader_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "can_draw", lambda: False)
    with raises_error("result.no_drawing", match="SVG"):
        PICTURE_FORMATS["pdf"].write(FIGURE)
