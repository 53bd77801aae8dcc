"""Upload manifest: the declared paths and sizes of files, validated as a whole."""

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from core.errors import AppError
from core.i18n import gettext_noop as _

MOST_FILES = 20_000
LONGEST_PATH = 500
MOST_PROBLEMS = 10  # reported at most
DRIVE = re.compile(r"[A-Za-z]:")
# Characters that make a name look like another one: controls, and marks that turn the direction of text.
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


@dataclass(frozen=True)
class DeclaredFile:
    """Declared file: the path as the sender calls it, with slashes, and the length."""

    path: str
    byte_count: int


def composed(path: str) -> str:
    """The path in composed Unicode, because macOS decomposes the names of files and tables do not."""
    return unicodedata.normalize("NFC", path)


def files_rejected(*, problems: str) -> AppError:
    return AppError("upload.files_refused", 422, _("The list of files cannot be taken: {problems}"), problems=problems)


def check_files(files: Iterable[DeclaredFile], *, known: Collection[str] = ()) -> list[DeclaredFile]:
    """Return the files under composed paths, or reject them all, saying what is wrong with which."""
    declared = [DeclaredFile(composed(file.path), file.byte_count) for file in files]
    if len(declared) + len(known) > MOST_FILES:
        raise files_rejected(problems=f"more than {MOST_FILES} files; send them as a zip, or in several imports.")
    problems = [f"'{_shown(file.path)}' {problem}" for file in declared if (problem := _problem(file))]
    problems += _twins([*known, *(file.path for file in declared)])
    if problems:
        more = [f"and {len(problems) - MOST_PROBLEMS} more"] if len(problems) > MOST_PROBLEMS else []
        raise files_rejected(problems="; ".join(problems[:MOST_PROBLEMS] + more) + ".")
    return declared


def _problem(file: DeclaredFile) -> str:
    steps = file.path.split("/")
    if len(file.path) > LONGEST_PATH:
        return f"has a path of more than {LONGEST_PATH} characters"
    if UNSEEN.search(file.path):
        return "has a path with characters that cannot be seen"
    if file.path.startswith("/") or DRIVE.match(file.path):
        return "has an absolute path; give it from the folder that is sent"
    if "\\" in file.path:
        return "has a path with backslashes; use slashes"
    if {"", ".", ".."} & set(steps):
        return "has a path that does not lead straight to a file"
    return "" if file.byte_count >= 0 else "has a negative length"


def _twins(paths: list[str]) -> list[str]:
    """Paths that many file systems take for the same."""
    seen: dict[str, str] = {}
    problems = []
    for path in paths:
        folded = composed(path.casefold())
        first = seen.get(folded)
        seen[folded] = path
        if first == path:
            problems.append(f"'{_shown(path)}' is there twice")
        elif first is not None:
            problems.append(f"'{_shown(path)}' and '{_shown(first)}' differ only in capitals")
    return problems


def _shown(path: str) -> str:
    clean = UNSEEN.sub("\N{REPLACEMENT CHARACTER}", path)
    return clean if len(clean) <= 80 else f"{clean[:40]}…{clean[-39:]}"
