"""The workbook of THumBS as the study sent it, with cells that are checked: an example, an assessment, hidden keys."""

from listening.workbooks.base import Book, Cells, Returned


def write_book(book: Book) -> bytes:
    from listening.workbooks.thumbs.writing import written  # openpyxl loads where a workbook is written

    return written(book)


def read_book(cells: Cells, book: Book) -> Returned:
    from listening.workbooks.thumbs.reading import Reader

    return Reader(book).read(cells)
