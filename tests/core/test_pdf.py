"""PDF from HTML: nothing is fetched, the same text gives the same bytes, and a machine without libpango says so."""

import re
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from PIL import Image

from core import pdf
from core.pdf import can_write_pdf, write_pdf
from tests.errors import raises_error

needs_pango = pytest.mark.skipif(not can_write_pdf(), reason="libpango is not on this machine")


def inside(made: bytes) -> bytes:
    """A PDF with its compressed parts unfolded; letters are numbers of glyphs, but titles and addresses are text."""
    parts = [made]
    for packed in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", made, re.DOTALL):
        try:
            parts.append(zlib.decompress(packed))
        except zlib.error:
            continue
    return b"\n".join(parts)


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """The address of a server on this machine, and what it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", paths
        server.shutdown()


@needs_pango
def test_nothing_is_fetched_and_the_bytes_are_those_of_the_text(asked: tuple[str, list[str]], tmp_path: Path) -> None:
    address, paths = asked
    picture = tmp_path / "secret.png"
    Image.new("RGB", (4, 4), "red").save(picture)
    text = f"""<html lang="fr"><title>Rapport (1)</title>
      <link rel="stylesheet" href="{address}/sheet.css"><style>@import "{address}/more.css";
      @font-face {{ font-family: Far; src: url({address}/far.ttf) }} p {{ font-family: Far }}
      body {{ background: url({picture.as_uri()}) }}</style>
      <h1>Contents</h1><img src="{address}/a.png" alt="far"><img src="{picture.as_uri()}" alt="near">
      <img src="{picture}">
      <object data="{address}/o.svg"></object><svg><image href="{address}/i.png" width="9" height="9"/></svg>
      <a rel="attachment" href="{picture.as_uri()}">file</a>
      <p><a href="{address}/link">A link that is not followed</a></p>"""
    made = write_pdf(text)
    assert paths == []
    found = inside(made)
    assert b"/Subtype /Image" not in found
    assert b"/EmbeddedFile" not in found
    assert f"{address}/link".encode() in found  # of the link itself, and that inside() unfolds
    for part in (b"/Lang (fr)", b"/StructTreeRoot", b"/Marked true", b"/Title (Contents)", b"/DisplayDocTitle true"):
        assert part in found, part
    assert write_pdf(text) == made


def test_without_pango_and_after_too_long_a_time_the_reader_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "can_write_pdf", lambda: True)
    with raises_error("pdf.too_long", match="print"):
        write_pdf("<p>text", longest_s=0.001)
    monkeypatch.setattr(pdf, "can_write_pdf", lambda: False)
    with raises_error("pdf.no_library", match="libpango"):
        write_pdf("<p>text")
