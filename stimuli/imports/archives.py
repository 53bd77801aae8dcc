"""Zip archives from untrusted senders: checked before anything is unpacked, and counted while it is."""

import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from core.errors import AppError
from core.i18n import LazyMessage, gettext_noop
from stimuli.imports.reports import Report
from stimuli.imports.sources import Kind, SourceFile, inspect_file, is_litter

END = struct.Struct("<4sHHHHIIH")
LONG_LOCATOR = struct.Struct("<4sIQI")
LONG_END = struct.Struct("<4sQHHIIQQQQ")
DIRECTORY_ENTRY = struct.Struct("<4s24xHHH12x")  # signature, then the lengths of name, extra and comment
LONGEST_COMMENT = 2**16 - 1
# It is read into memory as a whole.
MOST_DIRECTORY_BYTES = 32 * 2**20


@dataclass(frozen=True)
class Directory:
    start: int
    byte_count: int
    count: int


def _archive_rejected(*, name: str, problem: str) -> AppError:
    return AppError(
        "archive.refused",
        422,
        gettext_noop("'{name}' cannot be unpacked: {problem}. Give a plain zip of the files, or the folder itself."),
        name=name,
        problem=problem,
    )


def find_directory(file: BinaryIO, *, name: str, most_entries: int) -> Directory:
    """Find and count the list of contents; reject one that is too long, or that two readers could read differently."""
    size = file.seek(0, 2)
    file.seek(max(0, size - END.size - LONGEST_COMMENT))
    tail = file.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < END.size:
        raise _archive_rejected(name=name, problem=LazyMessage("it is no zip, or breaks off before its end"))
    *_, count, byte_count, start, comment = END.unpack_from(tail, at)
    end_at = size - len(tail) + at
    if end_at + END.size + comment != size:
        raise _archive_rejected(name=name, problem=LazyMessage("there is something after its end"))
    stop = end_at
    long_one = _long_end(file, end_at)
    if long_one is not None:
        stop, count, byte_count, start = long_one
    if count > most_entries:
        problem = LazyMessage("it holds {count} files and may hold {most}", count=count, most=most_entries)
        raise _archive_rejected(name=name, problem=problem)
    if byte_count > MOST_DIRECTORY_BYTES:
        problem = LazyMessage("its list of contents alone has {size} MB", size=round(byte_count / 1e6))
        raise _archive_rejected(name=name, problem=problem)
    if start + byte_count != stop:
        raise _archive_rejected(name=name, problem=LazyMessage("its list of contents is not where its end says"))
    directory = Directory(start, byte_count, count)
    _count(file, directory, name=name)
    return directory


def _long_end(file: BinaryIO, end_at: int) -> tuple[int, int, int, int] | None:
    """Read the end in 64 bits that a large zip has before its end in 32."""
    file.seek(max(0, end_at - LONG_LOCATOR.size))
    locator = file.read(LONG_LOCATOR.size)
    if end_at < LONG_LOCATOR.size or locator[:4] != b"PK\6\7":
        return None
    _, _, at, _ = LONG_LOCATOR.unpack(locator)
    if at != end_at - LONG_LOCATOR.size - LONG_END.size:
        return end_at, 0, 0, -1  # Not where it must be; no list of contents ends there.
    file.seek(at)
    signature, *_, count, byte_count, start = LONG_END.unpack(file.read(LONG_END.size))
    return (at, count, byte_count, start) if signature == b"PK\6\6" else (end_at, 0, 0, -1)


def _count(file: BinaryIO, directory: Directory, *, name: str) -> None:
    """Step from entry to entry without keeping any: the count at the end may be a lie."""
    at = directory.start
    for _ in range(directory.count):
        file.seek(at)
        head = file.read(DIRECTORY_ENTRY.size)
        if len(head) < DIRECTORY_ENTRY.size or head[:4] != b"PK\1\2":
            break
        at += DIRECTORY_ENTRY.size + sum(DIRECTORY_ENTRY.unpack(head)[1:])
    else:
        if at == directory.start + directory.byte_count:
            return
    raise _archive_rejected(
        name=name, problem=LazyMessage("its list of contents does not hold as many files as it says")
    )


# --- Entries ----------------------------------------------------------------------------------------------------------


MOST_ENTRIES = 20_000
# Sound and text shrink by less. Silence can shrink by more, so small files are let off; the total bounds them.
MOST_RATIO = 100
RATIO_FREE_BYTES = 2**20
LONGEST_PATH = 500
PIECE_BYTES = 2**18
ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".jar")
ZIPS_THAT_ARE_TABLES = (".xlsx",)
REGULAR, FOLDER, UNSAID = 0o100000, 0o040000, 0
ENCRYPTED = 0x0001 | 0x0040 | 0x2000  # by password, strongly, and with a masked directory
METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
LOCAL_HEAD = struct.Struct("<4s2xHH16xHH")  # signature, flags, method, length of name, length of extra


@dataclass(frozen=True)
class Entry:
    """A file in an archive: its path as the sender calls it, and how many bytes it claims to be."""

    path: str
    byte_count: int
    info: zipfile.ZipInfo = field(repr=False, compare=False)
    archive: zipfile.ZipFile = field(repr=False, compare=False)
    archive_name: str = field(repr=False, compare=False)


def open_archive(file: BinaryIO, *, name: str, most_bytes: int) -> list[Entry]:
    """List what is in a zip, or reject it as a whole. Nothing is unpacked, and no name in it becomes a name on disk."""
    directory = find_directory(file, name=name, most_entries=MOST_ENTRIES)
    try:
        archive = zipfile.ZipFile(file)
    # RuntimeError is also what zipfile raises for a version or a compression that it does not know.
    except (zipfile.BadZipFile, RuntimeError, ValueError, OverflowError, struct.error) as trouble:
        problem = LazyMessage("its list of contents is damaged ({complaint})", complaint=str(trouble))
        raise _archive_rejected(name=name, problem=problem) from None
    infos = archive.infolist()
    if len(infos) != directory.count:
        raise _archive_rejected(name=name, problem=LazyMessage("its list of contents can be read in two ways"))
    judge = _Judge(name)
    for info in infos:
        judge.entry(info)
    entries = [
        Entry(path, info.file_size, info, archive, name)
        for info in infos
        if not info.is_dir() and not _is_ignored(path := judge.path(info))
    ]
    judge.twins(entry.path for entry in entries)
    judge.total(sum(entry.byte_count for entry in entries), most_bytes)
    judge.places(file, infos, directory)
    return entries


def stream(entry: Entry) -> Iterator[bytes]:
    """Unpack one file, piece by piece, and reject it if it is not what the archive said."""
    count = 0
    try:
        with entry.archive.open(entry.info) as unpack_archives:
            while piece := unpack_archives.read(PIECE_BYTES):
                if count == 0:
                    _reject_nested(entry, piece)
                count += len(piece)
                yield piece
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as trouble:
        problem = LazyMessage("'{path}' is damaged ({complaint})", path=entry.path, complaint=str(trouble))
        raise _archive_rejected(name=entry.archive_name, problem=problem) from None
    if count != entry.byte_count:
        difference = LazyMessage(
            "'{path}' should have {claim} bytes and has {found}", path=entry.path, claim=entry.byte_count, found=count
        )
        raise _archive_rejected(name=entry.archive_name, problem=difference)


def _reject_nested(entry: Entry, first: bytes) -> None:
    is_table = entry.path.casefold().endswith(ZIPS_THAT_ARE_TABLES)
    if first.startswith((b"PK\3\4", b"PK\5\6", b"Rar!", b"7z\xbc\xaf", b"\x1f\x8b")) and not is_table:
        nested = LazyMessage("'{path}' is an archive inside the archive", path=entry.path)
        raise _archive_rejected(name=entry.archive_name, problem=nested)


def _is_ignored(path: str) -> bool:
    """What systems put beside the files of a folder."""
    parts = PurePosixPath(path).parts
    return parts[0] == "__MACOSX" or any(part.startswith(".") for part in parts)


@dataclass(frozen=True)
class _Judge:
    name: str

    def reject(self, problem: LazyMessage) -> AppError:
        return _archive_rejected(name=self.name, problem=problem)

    def path(self, info: zipfile.ZipInfo) -> str:
        """Give the entry's path. macOS writes UTF-8 without saying so, and writes letters and accents apart."""
        path = info.orig_filename
        if not path.isascii():
            with suppress(UnicodeDecodeError):
                path = _raw_name(info).decode()
        return unicodedata.normalize("NFC", path)

    def entry(self, info: zipfile.ZipInfo) -> None:
        path = self.path(info)
        shown = ascii(path[:80]).strip("'\"") if not path.isprintable() else path[:80]
        if _is_unsafe(path):
            message = LazyMessage("it names a file '{path}', which leads out of its folder or is no name", path=shown)
            raise self.reject(message)
        if len(path) > LONGEST_PATH:
            message = LazyMessage("the path '{path}…' has more than {most} characters", path=shown, most=LONGEST_PATH)
            raise self.reject(message)
        if info.flag_bits & ENCRYPTED:
            raise self.reject(LazyMessage("'{path}' is encrypted", path=shown))
        if info.compress_type not in METHODS:
            message = LazyMessage(
                "'{path}' is packed in an unusual way; only 'stored' and 'deflated' are taken", path=shown
            )
            raise self.reject(message)
        if info.external_attr >> 16 & 0o170000 not in {REGULAR, FOLDER, UNSAID}:
            raise self.reject(LazyMessage("'{path}' is a link or a device instead of a file", path=shown))
        if path.casefold().endswith(ARCHIVES):
            raise self.reject(LazyMessage("'{path}' is an archive inside the archive", path=shown))
        if info.file_size > max(RATIO_FREE_BYTES, info.compress_size * MOST_RATIO):
            message = LazyMessage(
                "'{path}' unpacks to more than {ratio} times its size; send it by itself", path=shown, ratio=MOST_RATIO
            )
            raise self.reject(message)

    def twins(self, paths: Iterable[str]) -> None:
        """Reject two names that are one on some systems, and a file that is also a folder."""
        seen: dict[str, str] = {}
        folders: set[str] = set()
        for path in paths:
            key = _key(path)
            if key in seen:
                raise self.reject(LazyMessage("'{one}' and '{other}' cannot be told apart", one=seen[key], other=path))
            seen[key] = path
            folders |= {str(folder) for folder in PurePosixPath(key).parents}
        if both := folders & seen.keys():
            raise self.reject(LazyMessage("'{path}' is a file and also a folder", path=seen[min(both)]))

    def total(self, byte_count: int, most_bytes: int) -> None:
        if byte_count > most_bytes:
            size, most = f"{byte_count / 1e9:.3g}", f"{most_bytes / 1e9:.3g}"
            raise self.reject(
                LazyMessage("it unpacks to {size} GB, and there is room for {most} GB", size=size, most=most)
            )

    def places(self, file: BinaryIO, infos: Iterable[zipfile.ZipInfo], directory: Directory) -> None:
        """Reject entries that share bytes, reach into the list of contents, or differ from what the list says."""
        free_from = 0
        for info in sorted(infos, key=lambda info: info.header_offset):
            file.seek(info.header_offset)
            head = file.read(LOCAL_HEAD.size)
            if info.header_offset < free_from or len(head) < LOCAL_HEAD.size:
                raise self.reject(LazyMessage("its files overlap"))
            signature, flags, method, name_bytes, extra_bytes = LOCAL_HEAD.unpack(head)
            same = signature == b"PK\3\4" and method == info.compress_type and not flags & ENCRYPTED
            if not same or file.read(name_bytes) != _raw_name(info):
                raise self.reject(LazyMessage("its list of contents does not agree with its files"))
            free_from = info.header_offset + LOCAL_HEAD.size + name_bytes + extra_bytes + info.compress_size
        if free_from > directory.start:
            raise self.reject(LazyMessage("its files overlap"))


def _is_unsafe(path: str) -> bool:
    parts = path.removesuffix("/").split("/")
    drive = len(parts[0]) > 1 and parts[0][1] == ":"
    odd = "\\" in path or any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in path)
    return odd or drive or any(part in {"", ".", ".."} for part in parts)


def _key(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    return info.orig_filename.encode("utf-8" if info.flag_bits & 0x800 else "cp437")


# --- Unpacking --------------------------------------------------------------------------------------------------------


def unpack_archives(
    sources: Sequence[SourceFile], work: Path, *, most_bytes: int, report: Report, without: Collection[str] = ()
) -> list[SourceFile]:
    """Put what archives hold in their place, all of them together no more than so much.

    Twice into the same folder gives the same names and the same files. An archive that cannot be unpacked goes into
    the report. A file that was sent by itself takes the place of one of the same path in an archive. What archives
    `without` hold stays out; the others call their files as before.
    """
    found: list[SourceFile] = []
    archives = [source for source in sources if source.kind is Kind.ARCHIVE]
    single = {source.path for source in sources if source.kind is not Kind.ARCHIVE}
    for source in sources:
        if source.kind is not Kind.ARCHIVE:
            found.append(source)
            continue
        if source.path in without:
            continue
        place = work / f"archive-{archives.index(source)}"
        try:
            held = _unpack(source, place, alone=len(archives) == 1, most_bytes=most_bytes)
        except AppError as problem:
            report.reject(problem, source.path)
            continue
        most_bytes -= sum(part.byte_count for part in held)
        found += [part for part in held if part.path not in single]
        for part in held:
            if part.path in single:
                message = gettext_noop("'{path}' was sent by itself, and is taken instead of the one in '{archive}'.")
                report.note(message, part.path, path=part.path, archive=source.path)
    return found


def _unpack(source: SourceFile, work: Path, *, alone: bool, most_bytes: int) -> Sequence[SourceFile]:
    """What is in an archive; several archives keep their contents apart by their names, as folders would."""
    work.mkdir(parents=True, exist_ok=True)
    found = []
    with source.place.open("rb") as file:
        for number, entry in enumerate(open_archive(file, name=source.path, most_bytes=most_bytes)):
            if is_litter(entry.path):
                continue
            place = work / str(number)
            with place.open("wb") as target:
                for piece in stream(entry):
                    target.write(piece)
            around = PurePosixPath(source.path)
            path = around.parent / entry.path if alone else around.with_suffix("") / entry.path
            found.append(inspect_file(str(path), place))
    return found
