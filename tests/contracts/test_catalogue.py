"""The translation catalogues hold every text of Python, templates and TypeScript, translated, with its placeholders.

A draft is translated as far as participants read it.
"""

import json
import os
import re
import shutil
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from django.conf import settings as django_settings
from django.core.management import call_command
from pytest_django.fixtures import Settings

from core.management.commands.makemessages import EXTENSIONS, untranslated
from tests.contracts.participant_texts import is_participants
from tests.scale import ALL

ROOT = django_settings.BASE_DIR
SOURCES = (
    "analysis",
    "audio",
    "config",
    "core",
    "frontend",
    "listening",
    "protocols",
    "rating",
    "stimuli",
    "templates",
)
CATALOGUES = sorted((ROOT / "locale").glob("*/LC_MESSAGES/*.po"))
DRAFTS = [path for path in CATALOGUES if path.parts[-3] in django_settings.DRAFT_LANGUAGES]
COMPLETE = [path for path in CATALOGUES if path not in DRAFTS]
PLACEHOLDER = re.compile(r"%\(\w+\)s|%%|\{\w*\}|</?\w+[^>]*>")
CALL = re.compile(r'\bgettext\(\s*("(?:[^"\\\n]|\\.)*")')


@cache
def shipped(path: Path) -> Catalog:
    """A catalogue of the project, which no test changes."""
    with path.open("rb") as file:
        return read_po(file)


def messages(path: Path) -> list[Message]:
    if path.is_relative_to(ROOT / "locale"):
        return [message for message in shipped(path) if message.id]
    with path.open("rb") as file:
        return [message for message in read_po(file) if message.id]


def forms(text: str | tuple[str, ...] | list[str] | None) -> list[str]:
    return [text] if isinstance(text, str) else list(text or ())


def keys(catalogue: Path) -> set[tuple[str, str | None]]:
    return {(forms(message.id)[0], message.context) for message in messages(catalogue)}


@pytest.fixture
def tree(tmp_path: Path, settings: Settings) -> Path:
    """A folder in place of the repository; the programs put files beside the sources while they work."""
    if shutil.which("xgettext") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("GNU gettext is missing; install it with: apt-get install gettext")
        pytest.skip("GNU gettext is not on this machine; ./earmark test installs it where it can")
    settings.BASE_DIR, settings.LOCALE_PATHS = tmp_path, [tmp_path / "locale"]
    (tmp_path / "locale" / "fr" / "LC_MESSAGES").mkdir(parents=True)
    return tmp_path


def extract(*arguments: str) -> str:
    said = StringIO()
    call_command("makemessages", *arguments, stdout=said)
    return said.getvalue()


def test_both_domains_are_translated_into_every_language() -> None:
    languages = {language for language, _ in django_settings.LANGUAGES} - {django_settings.LANGUAGE_CODE}
    assert {(path.parts[-3], path.stem) for path in CATALOGUES} == {
        (each, name) for each in languages for name in EXTENSIONS
    }


def test_the_catalogues_hold_exactly_the_texts_of_the_interface(tree: Path) -> None:
    ignored = shutil.ignore_patterns("node_modules", "__pycache__", "*.mo")
    for folder in SOURCES:
        shutil.copytree(ROOT / folder, tree / folder, ignore=ignored)
    shutil.copytree(ROOT / "locale", tree / "locale", ignore=ignored, dirs_exist_ok=True)
    # The texts are the same in every language; with --all they are written into all catalogues.
    extract(*([] if ALL else ["--locale", "fr"]))
    found = cache(keys)
    for catalogue in CATALOGUES:
        language = catalogue.parts[-3] if ALL else "fr"
        known, wanted = keys(catalogue), found(tree / "locale" / language / "LC_MESSAGES" / catalogue.name)
        assert not wanted - known, "run ./earmark manage makemessages and translate what it lists"
        assert not known - wanted, "run ./earmark manage makemessages, which drops what is gone"


def test_every_text_in_typescript_is_in_the_catalogue() -> None:
    """Found without xgettext, which does not know the language."""
    sources = [*(ROOT / "frontend" / "src").rglob("*.ts"), *(ROOT / "protocols").glob("*/view/**/*.ts")]
    code = [path.read_text(encoding="utf-8") for path in sources if not path.name.endswith(".test.ts")]
    texts = {json.loads(literal) for source in code for literal in CALL.findall(source)}
    assert len(texts) > 300
    for catalogue in ROOT.glob("locale/*/LC_MESSAGES/djangojs.po"):
        assert texts - {text for text, _ in keys(catalogue)} == set()


@pytest.mark.parametrize("catalogue", COMPLETE, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_every_text_is_translated(catalogue: Path) -> None:
    assert untranslated(catalogue) == []


@pytest.mark.parametrize("catalogue", DRAFTS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_draft_translates_every_text_that_participants_can_meet(catalogue: Path) -> None:
    assert untranslated(catalogue, is_participants) == []


def test_the_texts_of_participants_are_found_in_pages_parts_scripts_errors_and_protocols() -> None:
    found = {name: messages(ROOT / f"locale/fr/LC_MESSAGES/{name}.po") for name in EXTENSIONS}
    server, browser = ({forms(each.id)[0] for each in found[name] if is_participants(each)} for name in EXTENSIONS)
    assert "Agree and begin" in server  # a page
    assert "Questions: %(contact)s" in server  # a part of a page
    assert "Skip to the content" in server  # what the page extends
    assert "Start a chapter at the cursor" in server  # the keys of a protocol
    assert "You rate short versions of each sentence." in server  # the task of a group
    assert "%(n)s pair" in server  # what a protocol counts
    assert "Too many requests; try again in {wait_s} seconds." in server  # an error
    assert "Saving…" in browser
    assert "Play summary {n}" in browser  # the view of a protocol
    assert not {"The collection has no clips to rate yet.", "New experiment", "Consent text"} & server
    assert "{name} could not be played. Load the page again." not in browser  # of the experimenter's matrix


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_text_has_every_plural_form_of_its_language(catalogue: Path) -> None:
    needed = shipped(catalogue).num_plurals
    for message in messages(catalogue):
        if isinstance(message.id, tuple) and any(forms(message.string)):
            assert len([form for form in forms(message.string) if form]) == needed, message.id


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_translation_keeps_the_placeholders_and_tags(catalogue: Path) -> None:
    for message in messages(catalogue):
        wanted = [sorted(PLACEHOLDER.findall(form)) for form in forms(message.id)]
        for form in filter(None, forms(message.string)):
            assert sorted(PLACEHOLDER.findall(form)) in wanted, message.id


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_catalogue_compiles_without_complaint(catalogue: Path) -> None:
    """Babel takes "5 % is" for a place to fill; a text that it complains of is worded otherwise."""
    complaints = list(shipped(catalogue).check())
    assert [(message.id, errors) for message, errors in complaints] == []


def test_the_extraction_sees_code_errors_templates_and_typescript() -> None:
    server, browser = ({text for text, _ in keys(ROOT / f"locale/fr/LC_MESSAGES/{name}.po")} for name in EXTENSIONS)
    assert "French" in server  # config/settings.py
    assert "Sign in first, or send an API token." in server  # the message of an error
    assert "it is empty" in server  # a LazyMessage
    assert "Sign in" in server  # a template
    assert "A recording with two marks between three chapters." in server  # a template of a protocol
    assert "Saving…" in browser  # frontend/src
    assert "Play summary {n}" in browser  # the view of a protocol


def test_a_text_without_a_sure_translation_is_noticed(tmp_path: Path) -> None:
    entries = {
        "done": 'msgstr "fait"',
        "new": 'msgstr ""',
        "one": 'msgid_plural "many"\nmsgstr[0] "un"\nmsgstr[1] ""',
    }
    catalogue = tmp_path / "django.po"
    sure = "\n\n".join(f'msgid "{text}"\n{rest}' for text, rest in entries.items())
    catalogue.write_text(f'{sure}\n\n#, fuzzy\nmsgid "unsure"\nmsgstr "incertain"\n')
    assert sorted(untranslated(catalogue)) == ["('one', 'many')", "new", "unsure"]


def test_a_catalogue_follows_the_texts_and_keeps_what_is_known(tree: Path) -> None:
    catalogue = tree / "locale" / "fr" / "LC_MESSAGES" / "django.po"
    header = '"Content-Type: text/plain; charset=UTF-8\\n"'
    known = 'msgid "kept"\nmsgstr "gardé"\n\nmsgid "gone away"\nmsgstr "parti"'
    catalogue.write_text(f'msgid ""\nmsgstr ""\n{header}\n\n{known}\n')
    (tree / "page.py").write_text('gettext("kept")\n\ngettext("gone astray")\n')
    said = extract()
    assert {str(message.id): message.string for message in messages(catalogue)} == {"kept": "gardé", "gone astray": ""}
    assert "gone astray" in said
    assert "kept" not in said
    written = catalogue.read_text()
    assert "#: page.py\n" in written, "neither lines nor a date, which would change with every run"
    assert "POT-Creation-Date" not in written
    extract()
    assert catalogue.read_text() == written


def test_typescript_is_read_whatever_stands_around_a_text(tree: Path) -> None:
    """Types, generics, regular expressions and templates, after which xgettext by itself finds nothing more."""
    (tree / "view.ts").write_text(
        """
        const share = (words: number) => `${(100 * words) / Math.max(this.#words.length, 1)}%`;
        const found = <T,>(all: Map<string, T>) => all.get(/["'`<]/.source) as T;
        // Translators: on a button
        label(gettext("Play"), gettext(
          "“Quoted”, and \\"so\\" {n}",
        ), ngettext("{n} clip", "{n} clips", count), pgettext("key", "L"));
        """
    )
    (tree / "view.test.ts").write_text('gettext("only in a test")')
    extract("--domain", "djangojs")
    found = messages(tree / "locale" / "fr" / "LC_MESSAGES" / "djangojs.po")
    assert [message.id for message in found] == ["Play", '“Quoted”, and "so" {n}', ("{n} clip", "{n} clips"), "L"]
    assert found[-1].context == "key"
    assert found[0].auto_comments == ["Translators: on a button"]
    assert sorted(path.name for path in tree.iterdir()) == ["locale", "view.test.ts", "view.ts"]


@pytest.mark.parametrize(
    "path", sorted((ROOT / "locale").glob("*/LC_MESSAGES/djangojs.po")), ids=lambda path: path.parts[-3]
)
def test_the_keys_of_the_ear_check_are_three_single_letters_and_none_plays(path: Path) -> None:
    catalogue = shipped(path)
    answers = {"Left": "L", "Both": "B", "Right": "R"}
    found = {answer: catalogue.get(letter, f"key for the answer {answer}") for answer, letter in answers.items()}
    letters = {
        str(message.string if message and message.string else answers[answer]) for answer, message in found.items()
    }
    assert len({letter.lower() for letter in letters} - {"p", " "}) == 3
    assert {len(letter) for letter in letters} == {1}
