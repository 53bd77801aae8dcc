"""The translation catalogues: which words the code and the templates hold, and how a catalogue follows them."""

import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation.template import templatize

APPS = ("analysis", "audio", "config", "core", "listening", "protocols", "rating", "stimuli")
KEYWORDS = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "LazyMessage": None,  # of core.i18n
}
# A date in the header would change with every run and say nothing that the history does not.
UNDATED = datetime(2026, 1, 1, tzinfo=UTC)


def catalogue_path(language: str) -> Path:
    return Path(settings.BASE_DIR) / "locale" / language / "LC_MESSAGES" / "django.po"


def extract_messages() -> Catalog:
    """Collect every translatable text of the apps and the templates, in the order of the files."""
    found = Catalog(project="Earmark", fuzzy=False)
    root = Path(settings.BASE_DIR)
    for path, source in _sources(root):
        for _, message, comments, context in extract(
            "python", io.BytesIO(source.encode()), KEYWORDS, ("Translators:",)
        ):
            found.add(
                message, locations=[(path.relative_to(root).as_posix(), 1)], auto_comments=comments, context=context
            )
    return found


def load_catalogue(language: str) -> Catalog:
    path = catalogue_path(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def follow(known: Catalog, extracted: Catalog, language: str) -> Catalog:
    """Return a catalogue of exactly the extracted messages with the translations that are known."""
    fresh = Catalog(
        locale=language,
        project="Earmark",
        version="1",
        msgid_bugs_address="the project",
        header_comment=f"# Earmark, {language}.",
        creation_date=UNDATED,
        revision_date=UNDATED,
        last_translator="Earmark",
        language_team=language,
        charset="utf-8",
        fuzzy=False,
    )
    for message in texts(extracted):
        old = known.get(message.id, context=message.context)
        fresh.add(
            message.id,
            old.string if old and not old.fuzzy else None,
            locations=message.locations,
            flags=message.flags - {"fuzzy"},
            auto_comments=message.auto_comments,
            context=message.context,
        )
    return fresh


def save_catalogue(catalogue: Catalog, language: str) -> None:
    path = catalogue_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, width=118, include_lineno=False, ignore_obsolete=True)


def texts(catalogue: Catalog) -> Iterator[Message]:
    """Yield the messages without the header."""
    return (message for message in catalogue if message.id)


def untranslated(catalogue: Catalog) -> list[str]:
    """List the messages that have no translation, an unsure one, or only some of their plural forms."""

    def complete(message: Message) -> bool:
        strings = message.string if isinstance(message.string, tuple | list) else [message.string]
        return bool(strings) and all(strings) and not message.fuzzy

    return [str(message.id) for message in texts(catalogue) if not complete(message)]


def _sources(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield each file with its Python source; a template is first turned into the calls that its tags stand for."""
    for app in APPS:
        for path in sorted((root / app).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path, path.read_text(encoding="utf-8")
    for path in sorted([*(root / "templates").rglob("*"), *(root / "protocols").glob("*/templates/**/*")]):
        if path.suffix in {".html", ".txt"}:
            # What lies between the tags is blanked out; its indentation would be an error in Python.
            calls = templatize(path.read_text(encoding="utf-8"), origin=str(path))
            yield path, re.sub(r"^[ \t]+", "", calls, flags=re.MULTILINE)
