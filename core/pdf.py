"""PDF files from HTML, written by WeasyPrint in a subprocess that fetches nothing."""

# A process of its own, because WeasyPrint takes half a second and 50 MB to load and up to 300 MB for a long report,
# which a web process or a worker would keep, and because what it needs of the system is not safe to share by threads.

import ctypes
import hashlib
import os
import resource
import subprocess
import sys
from functools import cache
from pathlib import Path

from core.errors import AppError
from core.i18n import gettext_noop as _

ROOT = Path(__file__).parents[1]
PDF = "application/pdf"
LONGEST_S = 30  # a web server gives up on a request after 60
MOST_MEMORY = 2 * 2**30  # bytes of addresses, of which a long report uses a quarter
NO_LIBRARY = 3  # exit status
LATER = 10  # added to the niceness: votes go first
# Needs the others (Pango, HarfBuzz, Fontconfig, GObject); as it is called on Linux and on macOS.
PANGO = ("libpangoft2-1.0.so.0", "libpangoft2-1.0.dylib")
KEPT_S = 600


@cache
def can_write_pdf() -> bool:
    """Whether this machine has libpango, which no Python package brings along."""
    for name in PANGO:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False


def check_can_write_pdf() -> None:
    if not can_write_pdf():
        raise _no_library()


def write_pdf(html: str, *, longest_s: float = LONGEST_S) -> bytes:
    """Return a document as tagged PDF: the same bytes for the same text, nothing in it but what the text holds."""
    check_can_write_pdf()
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command line
            [sys.executable, "-m", __name__],
            input=html.encode(),
            capture_output=True,
            cwd=ROOT,
            timeout=longest_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise AppError(
            "pdf.too_long",
            503,
            _("Writing this PDF took longer than {seconds} s. Try again, or print the page into a PDF."),
            seconds=longest_s,
        ) from None
    if done.returncode == NO_LIBRARY:
        raise _no_library()
    if done.returncode:
        raise RuntimeError(f"WeasyPrint ended with {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}")
    return done.stdout


def write_short_pdf(html: str) -> bytes:
    """The same, and kept for a few minutes, because anybody who takes part may ask for it again and again."""
    from django.core.cache import cache as kept  # which the subprocess does without

    key = f"pdf.{hashlib.sha256(html.encode()).hexdigest()}"
    known: bytes | None = kept.get(key)
    if known is None:
        known = write_pdf(html)
        kept.set(key, known, KEPT_S)
    return known


def _no_library() -> AppError:
    return AppError(
        "pdf.no_library",
        409,
        _("This server cannot write PDF, because libpango is not installed on it. Print the page into a PDF instead."),
    )


def main() -> None:
    """Read HTML from standard input and write PDF to standard output."""
    os.nice(LATER)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    try:
        from weasyprint import HTML
        from weasyprint.urls import URLFetcher
    except OSError:
        sys.exit(NO_LIBRARY)
    nothing = URLFetcher(allowed_protocols=())  # no address at all: neither of the network nor of the file system
    document = HTML(string=sys.stdin.buffer.read().decode(), url_fetcher=nothing)
    sys.stdout.buffer.write(document.write_pdf(pdf_tags=True))


if __name__ == "__main__":
    main()
