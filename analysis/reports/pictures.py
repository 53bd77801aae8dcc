"""Figures in the formats beside SVG: PNG at twice the size on white, and PDF with its letters."""

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from django.utils.translation import gettext_noop as _

from core.errors import AppError

SVG = "image/svg+xml"
STYLED = re.compile(r"var\(--[\w-]+, *([^()]+)\)")  # a colour of the page, with the one to take without a page
SCALE = 2  # so that a figure is sharp on a dense screen and at 15 cm on paper


class PictureFormat(NamedTuple):
    title: str
    content_type: str
    write: Callable[[str], bytes]


@cache
def can_draw() -> bool:
    """Whether this machine has libcairo, which no Python package brings along."""
    try:
        import cairocffi  # noqa: F401 - which loads it; cairosvg itself is slower to import
    except OSError:
        return False
    return True


def _drawn(write: str, drawing: str) -> bytes:
    if not can_draw():
        raise AppError(
            "result.no_drawing",
            409,
            _("This server cannot write PNG and PDF, because libcairo is not installed on it. Download the SVG."),
        )
    import cairosvg

    made: bytes = getattr(cairosvg, write)(
        bytestring=STYLED.sub(r"\1", drawing).encode(),
        **({"scale": SCALE, "background_color": "white"} if write == "svg2png" else {}),
    )
    return made


PICTURE_FORMATS = {
    "png": PictureFormat("PNG", "image/png", lambda drawing: _drawn("svg2png", drawing)),
    "pdf": PictureFormat("PDF", "application/pdf", lambda drawing: _drawn("svg2pdf", drawing)),
}
