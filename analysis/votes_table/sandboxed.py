"""Analysis of an uploaded table in the sandbox: its figures and a zip of its files, or the reason for which not."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from itertools import product
from typing import Any, BinaryIO

from analysis.mos.model import Rows, add_rows, coefficients, model_rows, test_rows
from analysis.votes_table.figures import Options, analyse
from analysis.votes_table.files import files_of
from analysis.votes_table.metrics import add_metrics
from analysis.votes_table.reading import read_votes
from audio.sandbox.client import Outcome
from core.errors import AppError
from core.i18n import LazyMessage, pack_messages
from stimuli.imports.tables import MOST_BYTES

COUNTS = ("n_votes", "n_listeners", "n_items")
EARLIEST = (1980, 1, 1, 0, 0, 0)  # of files in the zip, so that the same table gives the same bytes


def analyse_file(
    file: BinaryIO, metrics: BinaryIO | None = None, *, name: str, metrics_name: str = "", **options: Any
) -> Outcome:
    """Messages travel with their ids and data, since only the page knows the reader's language."""
    content = file.read(MOST_BYTES + 1)
    chosen = Options(
        model=options["model"],
        ci_method=options["ci_method"],
        model_factors=tuple(options["factors"]),
        seed=options["seed"],
        reference=options["reference"],
        margin=options["margin"],
    )
    try:
        whole = read_votes(content, name=name, ranges=options["ranges"])
        table = whole.without(options["exclude"]) if options["exclude"] else whole
        found = analyse(table, chosen, content=content, whole=whole)
    except AppError as error:
        return _rejected(error, of="votes")
    try:
        if metrics is not None:
            add_metrics(found, table, metrics.read(MOST_BYTES + 1), name=metrics_name)
    except AppError as error:
        return _rejected(error, of="metrics")
    warnings = [pack_messages({"text": warning}) for warning in found["warnings"]]
    facts = {"found": found, "warnings": warnings, "tables": _tables(found, options["reference"])}
    return Outcome(facts, {"zip": _zipped(files_of(found))})


def _rejected(error: AppError, *, of: str) -> Outcome:
    problem = pack_messages({"text": LazyMessage(error.message, **error.data)})
    return Outcome({"problem": problem, "code": error.code, "of": of})


def _tables(found: Mapping[str, Any], reference: str) -> dict[str, Rows]:
    """Rows of every scale, as those of an experiment's results."""
    tables: dict[str, Rows] = {}
    for scale, part in found["scales"].items():
        about, conditions = {"scale": scale}, part["conditions"]
        first = reference or next(iter(conditions))
        counts = {name: {each: row[each] for each in COUNTS} for name, row in conditions.items()}
        add_rows(tables, model_rows(about, part["model"], counts, first))
        add_rows(tables, test_rows(about, part["tests"], first))
        people = about | {"panel": None, "n_listeners": part["n_listeners"]}
        add_rows(tables, {"agreement": list(coefficients(people, part["agreement"], part["sos_a"]))})
    return tables


def _zipped(files: dict[str, str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, EARLIEST), text, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def warm_up() -> None:
    """Analyse a few votes: a confined child can load nothing of what pandas imports only when it is needed."""
    cells = product("abcd", "ijk", "AB", (1, 2))
    rows = [f"{','.join(map(str, cell))},test,MUSHRA,{n * n % 17},{n % 2}" for n, cell in enumerate(cells)]
    table = "\n".join(["listener,item,condition,repetition,role,scale,score,factor", *rows]).encode()
    metrics = "\n".join(["file,metric", *(f"{c}/{i},{n}" for n, (c, i) in enumerate(product("AB", "ijk")))]).encode()
    usual: dict[str, Any] = {
        "exclude": ["a"],
        "model": "full",
        "seed": 0,
        "reference": "A",
        "ranges": {},
        "margin": 0.5,
    }
    for method, factors in (("bounded", ["factor"]), ("bootstrap", [])):
        files = (io.BytesIO(table), io.BytesIO(metrics))
        analyse_file(*files, name="warm-up", metrics_name="warm-up", ci_method=method, factors=factors, **usual)
