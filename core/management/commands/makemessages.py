"""Message extraction: Django's makemessages for Python, templates and TypeScript, with small diffs."""

import re
from collections.abc import Callable
from contextlib import chdir
from functools import cached_property
from pathlib import Path
from typing import Any

from babel.messages.catalog import Message
from babel.messages.pofile import read_po
from django.conf import settings
from django.core.management.base import CommandParser
from django.core.management.commands import makemessages

from core.languages import is_draft

EXTENSIONS = {"django": ["html", "txt", "py"], "djangojs": ["ts"]}
IGNORED = ["bench", "docs", "migrations", "node_modules", "scripts", "static", "tests", "var", "*.test.ts"]
# Of TypeScript, xgettext gets the calls alone: it takes types for JSX and silently loses what follows. That a text is a
# plain string in its place is one of the code rules (frontend/src/codeRules.test.ts).
CALL = re.compile(r'// Translators: .*|\b[np]?gettext\((?:\s*"(?:[^"\\\n]|\\.)*",?)+')
# A date would change with every run and say nothing that the history does not.
DATE = re.compile(r'^"POT-Creation-Date: .*\n', re.MULTILINE)


class SourceFile(makemessages.BuildFile):
    """A file of Python, of templates or of TypeScript; the last two are first turned into calls of gettext."""

    @cached_property
    def is_templatized(self) -> bool:
        return self.domain == "djangojs" or not self.path.endswith(".py")

    def preprocess(self) -> None:
        if self.domain == "django":
            super().preprocess()
            return
        source = Path(self.path).read_text(encoding="utf-8")
        calls = "\n".join(call if call.startswith("//") else f"{call});" for call in CALL.findall(source))
        Path(self.work_path).write_text(calls, encoding="utf-8")


class Command(makemessages.Command):
    help = "Adds new texts to the catalogues in locale/, drops old ones, and lists what is left to translate."
    build_file_class = SourceFile

    FORM = ["--width=118", "--add-location=file"]
    xgettext_options = [
        *makemessages.Command.xgettext_options,
        *FORM,
        "--keyword=LazyMessage",
        "--keyword=ngettext_noop:1,2",
    ]
    msguniq_options = [*makemessages.Command.msguniq_options, *FORM]
    msgmerge_options = [*makemessages.Command.msgmerge_options, *FORM, "--no-fuzzy-matching"]
    msgattrib_options = [*makemessages.Command.msgattrib_options, *FORM]

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(domain="", no_obsolete=True)

    def handle(self, *args: Any, **options: Any) -> None:
        options["all"] |= not (options["locale"] or options["exclude"])
        options["ignore_patterns"] += IGNORED
        for domain in [options["domain"]] if options["domain"] else EXTENSIONS:
            with chdir(settings.BASE_DIR):
                super().handle(*args, **options | {"domain": domain, "extensions": EXTENSIONS[domain]})

    def build_potfiles(self) -> list[str]:
        return list(dict.fromkeys(super().build_potfiles()))  # Django finds locale/ in three ways, and lists it thrice

    def write_po_file(self, potfile: str, locale: str) -> None:
        super().write_po_file(potfile, locale)
        catalogue = Path(potfile).parent / locale / "LC_MESSAGES" / f"{self.domain}.po"
        catalogue.write_text(DATE.sub("", catalogue.read_text(encoding="utf-8")), encoding="utf-8")
        missing = untranslated(catalogue)
        if is_draft(locale):
            self.stdout.write(f"  a draft; {len(missing)} texts are in English")
            return
        for text in missing:
            self.stdout.write(f"  {text}")


def untranslated(catalogue: Path, needed: Callable[[Message], bool] = bool) -> list[str]:
    """List the needed messages that have no translation, an unsure one, or only some of their plural forms."""

    def is_complete(message: Message) -> bool:
        strings = [message.string] if isinstance(message.string, str) else list(message.string or ())
        return bool(strings) and all(strings) and not message.fuzzy

    with catalogue.open("rb") as file:
        return [
            str(message.id) for message in read_po(file) if message.id and needed(message) and not is_complete(message)
        ]
