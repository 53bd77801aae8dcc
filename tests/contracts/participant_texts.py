"""The texts that a participant can meet, found by the files in which they stand."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from babel.messages.catalog import Message
from babel.messages.pofile import read_po
from django.conf import settings
from django.template.loader import get_template

from rating.registry import protocols

ROOT = settings.BASE_DIR
# What participants see on the screen or on paper, and the parts that a protocol adds to it.
TEMPLATES = (
    "listening/join.html",
    "listening/visit.html",
    "listening/receipt.html",
    "listening/questionnaire.html",
    "listening/screening.html",
    "listening/turned_away.html",
    "listening/paper_print.html",
    "rating/consent_file.html",
    "error.html",
)
PARTS = ("instructions.html", "page.html", "keys.html", "paper.html", "paper_guide.html")
# The scripts of those pages, as frontend/build.mjs bundles them.
SCRIPTS = (
    "src/pages/join.ts",
    "src/pages/questionnaire.ts",
    "src/pages/shell.ts",
    "src/pages/visit.ts",
    "src/trial/scales.ts",
)
# Code that answers the requests of a visit, mostly with errors, and the names of languages.
CODE = (
    "config/settings.py",
    "core/api.py",
    "core/http_errors.py",
    "core/languages.py",
    "core/pdf.py",
    "core/views.py",
    "listening/participation/",
    "rating/errors.py",
    "rating/protocol.py",
    "rating/questions.py",
    "rating/services/pages.py",
    "rating/services/texts.py",
    "rating/services/votes.py",
    "stimuli/responses.py",
    "stimuli/services/delivery.py",
    "stimuli/services/sources.py",
    "stimuli/services/tiles.py",
)
INCLUDED = re.compile(r"""{%\s*(?:extends|include)\s+["']([^"']+)["']""")
IMPORTED = re.compile(r"""(?:from|import)\s*\(?\s*"(\.{1,2}/[^"]+)\"""")


def is_participants(message: Message) -> bool:
    """Whether a message of a catalogue stands where a participant can meet it."""
    ids = message.id if isinstance(message.id, tuple) else (message.id,)
    return ids[0] in _said_by_protocols() or any(_is_participants(file) for file, _line in message.locations)


def sentences(language: str = "fr") -> list[str]:
    """What participants read in English and not in this language; short texts can be words of the other one."""
    found: list[str] = []
    for catalogue in (ROOT / "locale" / language / "LC_MESSAGES").glob("*.po"):
        with catalogue.open("rb") as file:
            for message in read_po(file):
                if message.id and is_participants(message):
                    found += [message.id] if isinstance(message.id, str) else message.id
    return [text for text in found if len(text.split()) >= 3 and not re.search(r"[{%<]", text)]


def _is_participants(file: str) -> bool:
    return file.startswith(CODE) or file in FILES


def _said_by_protocols() -> set[str]:
    """Of a protocol's own texts those of the landing page; the others explain its options to experimenters."""
    found = protocols().values()
    counts = {text for protocol in found for text in (protocol.counted[0], protocol.answered_of[0])}
    return counts | {task for protocol in found for task in protocol.groups.tasks.values()}


def _reached(starts: Iterable[Path], links: Callable[[Path], Iterable[Path]]) -> set[str]:
    found: set[Path] = set()
    waiting = list(starts)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += links(path)
    return {str(path.relative_to(ROOT)) for path in found}


def _template(name: str) -> Path:
    return Path(get_template(name).origin.name)  # type: ignore[attr-defined]


def _templates_in(path: Path) -> Iterable[Path]:
    return map(_template, INCLUDED.findall(path.read_text(encoding="utf-8")))


def _scripts_in(path: Path) -> Iterable[Path]:
    return ((path.parent / name).resolve() for name in IMPORTED.findall(path.read_text(encoding="utf-8")))


FILES = _reached(
    [*map(_template, TEMPLATES), *(path for part in PARTS for path in ROOT.glob(f"protocols/*/templates/*/{part}"))],
    _templates_in,
) | _reached(
    [*(ROOT / "frontend" / name for name in SCRIPTS), *ROOT.glob("protocols/*/view/index.ts")],
    _scripts_in,
)
