"""Zip archives: what a well-meant one gives, and how each kind of hostile one is rejected."""

import io
import random
import stat
import struct
import tracemalloc
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from stimuli.imports import archives
from stimuli.imports.archives import open_archive, stream
from tests.errors import raises_error
from tests.scale import ALL

WAV = b"RIFF\0\0\0\0WAVE" + random.Random(5).randbytes(2000)
ROOM = 200 * 10**9


def zipped(
    *entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED, comment: bytes = b""
) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        archive.comment = comment
        for info, data in entries:
            archive.writestr(info, data)
    return content.getvalue()


def unpack_archives(content: bytes) -> dict[str, bytes]:
    with io.BytesIO(content) as file:
        return {entry.path: b"".join(stream(entry)) for entry in open_archive(file, name="a.zip", most_bytes=ROOM)}


def special(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def renamed(content: bytes, old: bytes, new: bytes) -> bytes:
    """Put another name of the same length into both headers; the zip writer would not take it."""
    assert content.count(old) == 2
    assert len(old) == len(new)
    return content.replace(old, new)


def patched(content: bytes, place: int, form: str, *values: int, record: bytes = b"PK\1\2") -> bytes:
    """Change a field of the last record of that kind."""
    changed = bytearray(content)
    struct.pack_into(form, changed, content.rindex(record) + place, *values)
    return bytes(changed)


# --- Well meant -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_files_come_out_as_they_went_in(method: int) -> None:
    content = {"C0/a.wav": WAV, "C1/a.wav": WAV * 400, "empty.csv": b"", "ref/b.wav": b"x"}
    assert unpack_archives(zipped(*content.items(), method=method)) == content


def test_sizes_are_known_before_anything_is_unpacked() -> None:
    with io.BytesIO(zipped(("a.wav", WAV), ("b.wav", b"xy"))) as file:
        entries = open_archive(file, name="a.zip", most_bytes=ROOM)
        assert [(entry.path, entry.byte_count) for entry in entries] == [("a.wav", len(WAV)), ("b.wav", 2)]


def test_a_real_file_with_a_comment_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(("a.wav", WAV), comment=b"from the field"))
    with path.open("rb") as file:
        (entry,) = open_archive(file, name="a.zip", most_bytes=ROOM)
        assert b"".join(stream(entry)) == WAV


def test_a_zip_written_into_a_pipe_is_read() -> None:
    """Its sizes stand behind the data instead of before them."""

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise io.UnsupportedOperation

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.wav", WAV)
        archive.writestr("b.wav", WAV)
    assert unpack_archives(pipe.getvalue()) == {"a.wav": WAV, "b.wav": WAV}


def test_a_zip_with_long_numbers_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    content = zipped(("a.wav", WAV), ("b.wav", WAV))
    assert b"PK\6\6" in content
    assert unpack_archives(content) == {"a.wav": WAV, "b.wav": WAV}


def test_what_systems_leave_beside_the_files_is_ignored() -> None:
    noise = [("__MACOSX/C0/._a.wav", b"x"), (".DS_Store", b"x"), ("C0/.hidden/b.wav", b"x"), ("C0/", b"")]
    assert unpack_archives(zipped(("C0/a.wav", WAV), *noise)) == {"C0/a.wav": WAV}


def test_names_come_composed_also_when_macos_wrote_them() -> None:
    apart = unicodedata.normalize("NFD", "été.wav").encode()
    content = renamed(zipped(("n" * len(apart), WAV)), b"n" * len(apart), apart)
    assert not struct.unpack_from("<H", content, 6)[0] & 0x800  # not marked as UTF-8
    assert list(unpack_archives(content)) == ["été.wav"]


def test_names_of_old_systems_are_read_in_their_code_page() -> None:
    assert list(unpack_archives(renamed(zipped(("nn.wav", WAV)), b"nn", b"\x82\xfe"))) == ["é■.wav"]


def test_a_silent_clip_may_shrink_a_lot() -> None:
    assert len(unpack_archives(zipped(("silence.wav", bytes(500_000))))["silence.wav"]) == 500_000


def test_a_table_that_is_a_zip_itself_is_no_archive() -> None:
    table = zipped(("xl/workbook.xml", b"<x/>"))
    assert unpack_archives(zipped(("factors.xlsx", table))) == {"factors.xlsx": table}


# --- Hostile ----------------------------------------------------------------------------------------------------------

ONE = zipped(("a.wav", WAV), ("b.wav", WAV * 2))


def overlapping() -> bytes:
    """The second entry's data are the first entry as a whole, as in a bomb without nesting."""
    first = zipped(("a.wav", WAV), method=zipfile.ZIP_STORED)
    local, directory = first[: first.index(b"PK\1\2")], first[first.index(b"PK\1\2") : first.index(b"PK\5\6")]
    outer_name = b"b.wav"
    outer = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, len(local), len(local), 5, 0) + outer_name
    shifted = patched(directory, 42, "<I", len(outer))
    second = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, len(local), len(local), 5, 0, 0, 0, 0, 0, 0)
    listing = shifted + second + outer_name
    body = outer + local
    return body + listing + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 2, 2, len(listing), len(body), 0)


def twice_listed() -> bytes:
    """Two entries of the list share one file."""
    whole = zipped(("a.wav", WAV))
    at, end = whole.index(b"PK\1\2"), whole.index(b"PK\5\6")
    listing = whole[at:end] + whole[at:end].replace(b"a.wav", b"b.wav")
    return whole[:at] + listing + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 2, 2, len(listing), at, 0)


HOSTILE: dict[str, Callable[[], bytes]] = {
    "nothing": lambda: b"",
    "text": lambda: b"this is no archive" * 100,
    "a lone signature": lambda: b"PK\5\6",
    "cut in the middle": lambda: ONE[: len(ONE) // 2],
    "cut before its end": lambda: ONE[:-1],
    "something before it": lambda: b"#!/bin/sh\n" + ONE,
    "something after it": lambda: ONE + b"more",
    "a path upwards": lambda: zipped(("../a.wav", WAV)),
    "a path upwards inside": lambda: zipped(("C0/../../a.wav", WAV)),
    "a path that goes nowhere": lambda: zipped(("C0/./a.wav", WAV)),
    "a path with a gap": lambda: zipped(("C0//a.wav", WAV)),
    "an absolute path": lambda: zipped(("/etc/passwd", WAV)),
    "a drive": lambda: zipped(("C:/a.wav", WAV)),
    "a drive's current folder": lambda: zipped(("C:a.wav", WAV)),
    "backslashes": lambda: zipped(("..\\a.wav", WAV)),
    "a network share": lambda: zipped(("\\\\server\\a.wav", WAV)),
    "no name": lambda: zipped(("/", b"")),
    "a zero in a name": lambda: renamed(zipped(("axwav", WAV)), b"axwav", b"a\0wav"),
    "a line end in a name": lambda: zipped(("a\n.wav", WAV)),
    "an escape in a name": lambda: zipped(("a\x1b[2J.wav", WAV)),
    "an endless name": lambda: zipped(("a" * 600 + ".wav", WAV)),
    "a link": lambda: zipped((special("a.wav", stat.S_IFLNK | 0o777), b"/etc/passwd")),
    "a device": lambda: zipped((special("a.wav", stat.S_IFCHR | 0o666), b"")),
    "a pipe": lambda: zipped((special("a.wav", stat.S_IFIFO | 0o666), b"")),
    "a socket": lambda: zipped((special("a.wav", stat.S_IFSOCK | 0o666), b"")),
    "a link among what is ignored": lambda: zipped((special(".a", stat.S_IFLNK | 0o777), b"/etc")),
    "one name twice": lambda: renamed(zipped(("a.wav", WAV), ("x.wav", WAV)), b"x.wav", b"a.wav"),
    "names that differ in case": lambda: zipped(("C0/Ä.wav", WAV), ("c0/ä.WAV", WAV)),
    "names that differ in composition": lambda: zipped(("é.wav", WAV), (unicodedata.normalize("NFD", "é.wav"), WAV)),
    "names that differ in folding": lambda: zipped(("STRASSE.wav", WAV), ("straße.wav", WAV)),
    "a file that is a folder": lambda: zipped(("a", WAV), ("a/b.wav", WAV)),
    "encryption": lambda: patched(patched(ONE, 8, "<H", 1), 6, "<H", 1, record=b"PK\3\4"),
    "encryption said by the file only": lambda: patched(ONE, 6, "<H", 1, record=b"PK\3\4"),
    "a masked list": lambda: patched(ONE, 8, "<H", 0x2000),
    "an unusual packing": lambda: zipped(("a.wav", WAV), method=zipfile.ZIP_LZMA),
    "an unknown packing": lambda: patched(ONE, 10, "<H", 9),
    "a future version": lambda: patched(ONE, 6, "<H", 990),
    "an archive inside": lambda: zipped(("more.zip", ONE)),
    "a compressed tape inside": lambda: zipped(("more.tar.gz", b"\x1f\x8b")),
    "an archive inside under another name": lambda: zipped(("a.wav", ONE)),
    "a bomb": lambda: zipped(("a.wav", bytes(20_000_000))),
    "files that overlap": overlapping,
    "one file listed twice": twice_listed,
    "a file in the list of contents": lambda: patched(ONE, 42, "<I", ONE.index(b"PK\1\2")),
    "a file beyond the end": lambda: patched(ONE, 42, "<I", len(ONE) + 1000),
    "more packed bytes than there are": lambda: patched(ONE, 20, "<I", 10**6),
    "more bytes than come out": lambda: patched(ONE, 24, "<I", len(WAV) * 2 + 1),
    "fewer bytes than come out": lambda: patched(ONE, 24, "<I", 10),
    "another name in the file than in the list": lambda: ONE.replace(b"b.wav", b"c.wav", 1),
    "another packing in the file than in the list": lambda: patched(ONE, 8, "<H", 0, record=b"PK\3\4"),
    "a wrong sum": lambda: patched(ONE, 16, "<I", 12345),
    "broken data": lambda: ONE[:60] + b"\xff\xff\xff\xff" + ONE[64:],
    "a list that holds fewer than it says": lambda: patched(ONE, 8, "<HH", 3, 3, record=b"PK\5\6"),
    "a list that holds more than it says": lambda: patched(ONE, 8, "<HH", 1, 1, record=b"PK\5\6"),
    "a list somewhere else": lambda: patched(ONE, 16, "<I", 7, record=b"PK\5\6"),
    "a list of another size": lambda: patched(ONE, 12, "<I", 7, record=b"PK\5\6"),
    "a comment that is not there": lambda: patched(ONE, 20, "<H", 500, record=b"PK\5\6"),
    "a second end in the comment": lambda: zipped(("a.wav", WAV), comment=ONE[ONE.index(b"PK\5\6") :]),
    "a name that is no UTF-8": lambda: patched(ONE, 8, "<H", 0x800).replace(b"b.wav", b"\xff\xff\xff\xff\xff"),
    "a broken extra field": lambda: zipped((_with_extra(b"\1\0\xff\xff"), WAV)),
    "a long end in the wrong place": lambda: _with_locator(ONE),
}


def _with_extra(extra: bytes) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("a.wav")
    info.extra = extra
    return info


def _with_locator(content: bytes) -> bytes:
    at = content.index(b"PK\5\6")
    return content[:at] + struct.pack("<4sIQI", b"PK\6\7", 0, 5, 1) + content[at:]


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_hostile_archive_is_rejected(kind: str) -> None:
    with raises_error("archive.refused") as rejected:
        unpack_archives(HOSTILE[kind]())
    assert str(rejected.value).startswith("'a.zip' cannot be unpacked: ")
    assert str(rejected.value).isprintable()


def test_sixty_kinds_were_tried() -> None:
    assert len(HOSTILE) >= 60


def test_too_many_files_are_rejected_before_their_names_are_read() -> None:
    crowd = zipped(*((f"{number}", b"") for number in range(archives.MOST_ENTRIES + 1)), method=zipfile.ZIP_STORED)
    understated = patched(crowd, 8, "<HH", 5, 5, record=b"PK\5\6")
    tracemalloc.start()
    try:
        for content in (crowd, understated):
            with raises_error("archive.refused", match=r"20,001 files|as many files as it says"):
                unpack_archives(content)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 8 * 2**20


def test_as_many_files_as_are_allowed_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    if not ALL:
        monkeypatch.setattr(archives, "MOST_ENTRIES", 2000)
    crowd = zipped(*((f"{number}", b"") for number in range(archives.MOST_ENTRIES)), method=zipfile.ZIP_STORED)
    assert len(unpack_archives(crowd)) == archives.MOST_ENTRIES


def test_what_may_be_unpacked_in_all_is_bounded() -> None:
    with io.BytesIO(ONE) as file:
        assert len(open_archive(file, name="a.zip", most_bytes=3 * len(WAV))) == 2
        with raises_error("archive.refused", match="it unpacks to"):
            open_archive(file, name="a.zip", most_bytes=3 * len(WAV) - 1)


def test_a_file_comes_in_small_pieces() -> None:
    with io.BytesIO(zipped(("a.wav", WAV * 1000), method=zipfile.ZIP_STORED)) as file:
        (entry,) = open_archive(file, name="a.zip", most_bytes=ROOM)
        pieces = list(stream(entry))
    assert len(pieces) > 5
    assert max(map(len, pieces)) <= archives.PIECE_BYTES
