"""The workbook of THumBS as the study sent it, with cells that are checked: an example, an assessment, hidden keys."""

from listening.workbooks.base import Book, Cells, Returned
from protocols.thumbs.protocol import ENTERED
from rating.protocol import Answer, Json, TrialPlan


def write_book(book: Book) -> bytes:
    from protocols.thumbs.workbook.writing import written

    return written(book)


def read_book(cells: Cells, book: Book) -> Returned:
    from protocols.thumbs.workbook.reading import Reader

    return Reader(book).read(cells)


def payload_of(answer: Answer, trial: TrialPlan) -> Json:
    """The payload that the browser would have sent for what the cells say."""
    if "example" in trial.detail:
        return {"seen": True, "finished": answer.whole}
    captions: dict[str, dict[str, Json]] = {}
    for mark in answer.marks:
        if mark.scale in ENTERED:
            captions.setdefault(mark.slot, {})[mark.scale] = mark.value
    for key, comment in answer.detail.get("comments", {}).items():
        captions.setdefault(key, {})["comment"] = comment
    said = [bool(mark.value) for mark in answer.marks if mark.scale == "SYNTHESISED"]
    return {"captions": captions, "finished": answer.whole, **({"synthesised": said[0]} if said else {})}
