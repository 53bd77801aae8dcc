"""The list of contents at the end of a zip, checked for its size before anybody reads it into memory."""

import struct
from dataclasses import dataclass
from typing import BinaryIO

from core.clauses import clause
from stimuli.errors import ArchiveRefused

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


def find_directory(file: BinaryIO, *, name: str, most_entries: int) -> Directory:
    """Find and count the list of contents; refuse one that is too long, or that two readers could read differently."""
    size = file.seek(0, 2)
    file.seek(max(0, size - END.size - LONGEST_COMMENT))
    tail = file.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < END.size:
        raise ArchiveRefused(name=name, problem=clause("it is no zip, or breaks off before its end"))
    *_, count, byte_count, start, comment = END.unpack_from(tail, at)
    end_at = size - len(tail) + at
    if end_at + END.size + comment != size:
        raise ArchiveRefused(name=name, problem=clause("there is something after its end"))
    stop = end_at
    long_one = _long_end(file, end_at)
    if long_one is not None:
        stop, count, byte_count, start = long_one
    if count > most_entries:
        problem = clause("it holds {count} files and may hold {most}", count=count, most=most_entries)
        raise ArchiveRefused(name=name, problem=problem)
    if byte_count > MOST_DIRECTORY_BYTES:
        problem = clause("its list of contents alone has {size} MB", size=round(byte_count / 1e6))
        raise ArchiveRefused(name=name, problem=problem)
    if start + byte_count != stop:
        raise ArchiveRefused(name=name, problem=clause("its list of contents is not where its end says"))
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
    raise ArchiveRefused(name=name, problem=clause("its list of contents does not hold as many files as it says"))
