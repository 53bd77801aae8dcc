"""Analysis of an uploaded table in the sandbox: its figures and a zip of its files, or the reason for which not."""

from __future__ import annotations

import io
import zipfile
from itertools import product
from typing import Any, BinaryIO

from analysis.votes_table.figures import Options, analyse
from analysis.votes_table.files import files_of
from analysis.votes_table.reading import read_votes
from audio.sandbox.client import Outcome
from core.errors import AppError
from core.i18n import LazyMessage, pack_messages
from stimuli.imports.tables import MOST_BYTES

EARLIEST = (1980, 1, 1, 0, 0, 0)  # of files in the zip, so that the same table gives the same bytes


def analyse_file(file: BinaryIO, *, name: str, exclude: list[str], **options: Any) -> Outcome:
    """Messages travel with their ids and data, since only the page knows the reader's language."""
    content = file.read(MOST_BYTES + 1)
    try:
        whole = read_votes(content, name=name)
        table = whole.without(exclude) if exclude else whole
        found = analyse(table, Options(**options), content=content, whole=whole)
    except AppError as error:
        text = pack_messages({"text": LazyMessage(error.message, **error.data)})
        return Outcome({"problem": text, "code": error.code})
    warnings = [pack_messages({"text": warning}) for warning in found["warnings"]]
    return Outcome({"found": found, "warnings": warnings}, {"zip": _zipped(files_of(found))})


def _zipped(files: dict[str, str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, EARLIEST), text, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def warm_up() -> None:
    """Analyse a few votes: a confined child can load nothing of what pandas imports only when it is needed."""
    cells = product("abcd", "ijk", "AB", (1, 2))
    rows = [f"{','.join(map(str, cell))},test,MUSHRA,{n * n % 17}" for n, cell in enumerate(cells)]
    table = "\n".join(["listener,item,condition,repetition,role,scale,score", *rows]).encode()
    for method in ("bounded", "bootstrap"):
        analyse_file(io.BytesIO(table), name="warm-up", exclude=["a"], model="full", ci_method=method)
