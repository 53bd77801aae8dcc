"""Protection against CSV injection: a cell that a program would run as a formula gets an apostrophe before it.

Excel and LibreOffice take a cell that begins with = + - @, a tab or a line break as a formula, also one that a stranger
typed into a comment. Numbers stay numbers. An apostrophe that stood there already gets another one, so that `restore`
gives back exactly what was there.
"""

import re

RISKY = re.compile(r"'*[=+\-@\t\r\n]")
GUARDED = re.compile(r"'+[=+\-@\t\r\n]")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def neutralise(text: str) -> str:
    """The text as a cell that no spreadsheet runs."""
    return f"'{text}" if is_risky(text) else text


def restore(cell: str) -> str:
    """The text of a cell that `neutralise` wrote."""
    return cell[1:] if GUARDED.match(cell) else cell


def is_risky(text: str) -> bool:
    return RISKY.match(text) is not None and NUMBER.fullmatch(text) is None
