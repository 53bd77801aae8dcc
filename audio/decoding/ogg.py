"""Pages of Ogg (RFC 3533): as much of them as it takes to know where a stream ends."""

from dataclasses import dataclass
from typing import BinaryIO

from audio.errors import SEVERAL_STREAMS, SoundBroken, SoundUnsupported
from core.clauses import clause

LONGEST_PAGE_BYTES = 65_307
_HEAD_BYTES = 27
_IS_LAST = 4
_MOST_HEADER_PAGES = 1000  # pictures may lie among the comments


@dataclass(frozen=True)
class Ends:
    """What the first and the last page of a stream say."""

    opening: bytes  # the identification header of the codec
    first_granule: int  # how much has been heard by the end of the first page of sound
    last_granule: int


def read_ends(file: BinaryIO, *, name: str) -> Ends:
    """Read the first pages and find the last; a stream without a page that says it is the last has been cut off."""
    size = file.seek(0, 2)
    file.seek(max(0, size - 2 * LONGEST_PAGE_BYTES))
    last = _last_page(file.read())
    if last is None:
        raise SoundBroken(name=name, problem=clause("it has no last page"))
    first = _page_at(file, 0)
    if first is None or last[14:18] != first[14:18]:
        raise SoundUnsupported(name=name, problem=SEVERAL_STREAMS)
    return Ends(_body(first), _first_granule(file, name), _granule(last))


def _first_granule(file: BinaryIO, name: str) -> int:
    at = 0
    for _ in range(_MOST_HEADER_PAGES):
        page = _page_at(file, at)
        if page is None:
            break
        if _granule(page) > 0:
            return _granule(page)
        at += len(page)
    raise SoundBroken(name=name, problem=clause("its beginning cannot be read"))


def _page_at(file: BinaryIO, at: int) -> bytes | None:
    file.seek(at)
    page = file.read(LONGEST_PAGE_BYTES)
    return page[: _page_bytes(page)] if page[:4] == b"OggS" and 0 < _page_bytes(page) <= len(page) else None


def _last_page(tail: bytes) -> bytes | None:
    """The last whole page, if it says that it is the last."""
    at = tail.rfind(b"OggS")
    while at >= 0:
        page = tail[at:]
        if 0 < _page_bytes(page) <= len(page):
            return page if page[5] & _IS_LAST else None
        at = tail.rfind(b"OggS", 0, at)
    return None


def _page_bytes(page: bytes) -> int:
    """How long the page is that begins so; 0 if that cannot be seen."""
    if len(page) < _HEAD_BYTES or len(page) < _HEAD_BYTES + page[26]:
        return 0
    return _HEAD_BYTES + page[26] + sum(_lacing(page))


def _lacing(page: bytes) -> bytes:
    return page[_HEAD_BYTES : _HEAD_BYTES + page[26]]


def _body(page: bytes) -> bytes:
    return page[_HEAD_BYTES + page[26] :]


def _granule(page: bytes) -> int:
    return int.from_bytes(page[6:14], "little", signed=True)
