"""Source files of an import on the disk, and their kind by content and name."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from audio.formats import HEAD_BYTES, SUFFIXES, Format, recognise_format

ZIP = b"PK\x03\x04"
PROJECT_SUFFIX = ".aup3"
TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".xlsx"})
LINES_SUFFIXES = frozenset({".jsonl", ".ndjson"})
# Files that operating systems leave behind; they are never imported.
LITTER = frozenset({"thumbs.db", "desktop.ini", "__macosx"})


class Kind(StrEnum):
    SOUND = "sound"
    PROJECT = "project"
    TABLE = "table"
    LINES = "lines"
    ARCHIVE = "archive"
    OTHER = "other"


@dataclass(frozen=True)
class SourceFile:
    """Source file: its path as sent, its place on the disk, and its kind."""

    path: str
    place: Path
    byte_count: int
    kind: Kind
    format: Format | None = None  # of a sound; None where the name promises sound and the bytes are none
    sha256: str = ""  # where it is known already


def inspect_file(path: str, place: Path, *, sha256: str = "") -> SourceFile:
    """Read the first bytes of a file and classify it."""
    with place.open("rb") as file:
        head = file.read(HEAD_BYTES)
    kind, heard_as = judge(path, head)
    return SourceFile(composed(path), place, place.stat().st_size, kind, heard_as, sha256)


def judge(path: str, head: bytes) -> tuple[Kind, Format | None]:
    """Return the kind of a file by its first bytes and its name."""
    suffix = suffix_of(path)
    found = recognise_format(head)
    # Much that is no sound begins like a frame of MP3, so there the name must agree.
    if suffix in SUFFIXES or (found is not None and found is not Format.MP3):
        return Kind.SOUND, found
    if suffix == PROJECT_SUFFIX:
        return Kind.PROJECT, None
    if suffix in TABLE_SUFFIXES:
        return Kind.TABLE, None
    if suffix in LINES_SUFFIXES:
        return Kind.LINES, None
    return (Kind.ARCHIVE if head.startswith(ZIP) and suffix == ".zip" else Kind.OTHER), None


def files_in(folder: Path) -> list[SourceFile]:
    """Every file under a folder, in the order of their paths; links are followed, but never in a circle."""
    found = {place.relative_to(folder).as_posix(): place for place in _files(folder, frozenset())}
    return [inspect_file(path, found[path]) for path in sorted(found) if not is_litter(path)]


def _files(folder: Path, around: frozenset[Path]) -> Iterator[Path]:
    here = folder.resolve()
    if here in around:
        return
    for place in folder.iterdir():
        if place.is_dir():
            yield from _files(place, around | {here})
        elif place.is_file():
            yield place


def is_litter(path: str) -> bool:
    return any(step.startswith(".") or step.casefold() in LITTER for step in path.split("/"))


def composed(path: str) -> str:
    """The path in composed Unicode, because macOS decomposes the names of files and tables do not."""
    return unicodedata.normalize("NFC", path)


def suffix_of(path: str) -> str:
    """The suffix in small letters, with its point; empty if there is none."""
    name = path.rpartition("/")[2]
    return f".{name.rpartition('.')[2].lower()}" if "." in name[1:] else ""


def name_of(path: str) -> str:
    """A file's name without its folder and, if it is one of sound, its suffix."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] if suffix_of(name) in SUFFIXES else name
