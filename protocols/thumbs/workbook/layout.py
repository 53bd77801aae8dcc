"""Where what stands in the workbook of THumBS; writing and reading share it."""

from collections.abc import Iterator
from typing import NamedTuple

from listening.workbooks.base import Book, BookPage
from protocols.thumbs.protocol import ENTERED, SCORES, CaptionScores
from rating.protocol import Scale

EXAMPLE, ASSESSMENT, KEYS = "Example", "Assessment", "Keys"
VERSION = 1

NUMBER, RECORD, LINK, CAPTION, TEXT = "No.", "Record ID", "Link", "Caption", "Caption text"
SYNTHESISED, COMMENT, KEY, WHY = "Synthesised?", "Comment", "Key", "Why"
SCORE_TITLES = {key: key.capitalize() for key in ENTERED}
TITLES = (NUMBER, RECORD, LINK, CAPTION, TEXT, *SCORE_TITLES.values(), SYNTHESISED, COMMENT, KEY)
HEADER_ROW = 3
YES, NO = "yes", "no"


class Place(NamedTuple):
    """One caption of one clip: a row of the assessment."""

    page: BookPage
    slot: str

    @property
    def key(self) -> str:
        return self.page.media[self.slot]

    @property
    def number(self) -> int:
        return int(self.slot.removeprefix("c"))

    @property
    def text(self) -> str:
        entry = next(slot.entry for slot in self.page.plan.slots if slot.key == self.slot)
        return str((entry.text or {}).get("text", ""))

    @property
    def is_first(self) -> bool:
        return self.number == 1


def places(page: BookPage) -> list[Place]:
    """The captions of a page in the order of their numbers."""
    keys = [slot.key for slot in page.plan.slots if slot.key != "clip"]
    return [Place(page, key) for key in sorted(keys, key=lambda key: (len(key), key))]


def rated_places(book: Book) -> Iterator[Place]:
    for page in book.pages:
        if page.number:
            yield from places(page)


def record_id(page: BookPage) -> str:
    """What a clip is called where it must be found by hand: the beginning of an id that is used nowhere else."""
    return page.media["clip"][:8]


def scale_of(page: BookPage, key: str) -> Scale:
    """The scale of a page: how fine precision and recall are is an option."""
    return Scale(key, 1, 5, page.plan.detail["step"]) if key in SCORES else CaptionScores().scale(key)
