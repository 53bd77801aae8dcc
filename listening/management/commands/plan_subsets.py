"""manage.py plan_subsets FILE: disjoint subsets of a table's items that match its factors as closely as can be."""

import ctypes
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError
from listening.design.subsets.planning import SubsetPlan, plan_subsets
from listening.design.subsets.table import PoolTable, read_pool

REPORT = "report.json"


class Command(BaseCommand):
    help = "Choose disjoint subsets of the items of a table, in which every factor has its share. Needs no database."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="CSV in UTF-8, or XLSX, one item a row")
        parser.add_argument("--factors", default="", metavar="A,B,C", help="columns that are balanced across subsets")
        parser.add_argument("--subsets", type=int, required=True, metavar="S", help="how many subsets")
        parser.add_argument("--size", type=int, required=True, metavar="M", help="how many items in each")
        parser.add_argument(
            "--seed", default="0", help="decides between equally good solutions and draws the items (0)"
        )
        parser.add_argument("--id", dest="id_column", metavar="COLUMN", help="column that names the items (the first)")
        parser.add_argument("--json", dest="as_json", action="store_true", help="print subsets and report as JSON")
        parser.add_argument("--out", type=Path, metavar="DIR", help=f"write subset_1.csv ... and {REPORT} there")

    def handle(
        self, *, file: Path, factors: str, id_column: str | None, as_json: bool, out: Path | None, **options: Any
    ) -> None:
        names = [name.strip() for name in factors.split(",") if name.strip()]
        try:
            pool = read_pool(file)
            samples = pool.samples(factors=names, id_column=id_column)
            with _solver_kept_quiet():
                plan = plan_subsets(
                    samples, factors=names, subsets=options["subsets"], size=options["size"], seed=options["seed"]
                )
            if out is not None:
                _write(out, plan, pool, id_column)
        except OSError as problem:
            raise CommandError(f"'{problem.filename}' cannot be used: {problem.strerror}.") from problem
        except AppError as error:
            raise CommandError(str(error)) from error
        if as_json:
            self.stdout.write(json.dumps(plan.to_json(), indent=2, ensure_ascii=False))
        else:
            self.stdout.write("\n".join(_lines(plan)))


@contextmanager
def _solver_kept_quiet() -> Iterator[None]:
    """Send to the error stream what HiGHS now and then prints by itself, so that the output stays JSON.

    It prints through the C library, which may hold the line back until the process ends: hence the flush.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)
        yield
    finally:
        ctypes.CDLL(None).fflush(None)
        os.dup2(kept, 1)
        os.close(kept)


def _write(folder: Path, plan: SubsetPlan, pool: PoolTable, id_column: str | None) -> None:
    """Write whole files in the place of an earlier plan's; the report comes last, and vouches for the others."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".subsets-", dir=folder) as scratch:
        made = {f"subset_{number}.csv": set(subset) for number, subset in enumerate(plan.subsets, 1)}
        for name, subset in made.items():
            excerpt = pool.excerpt(subset, id_column=id_column)
            (Path(scratch) / name).write_text(excerpt, encoding="utf-8", newline="")
        report = json.dumps(plan.to_json(), indent=2, ensure_ascii=False)
        (Path(scratch) / REPORT).write_text(report + "\n", encoding="utf-8")
        (folder / REPORT).unlink(missing_ok=True)
        for old in folder.glob("subset_*.csv"):
            old.unlink()
        for name in (*made, REPORT):
            (Path(scratch) / name).replace(folder / name)


def _lines(plan: SubsetPlan) -> Iterator[str]:
    """Say what was aimed at and what was reached, in lines that fit a terminal."""
    report = plan.report
    rows = [(f"{row['factor']} = {row['level']}", row) for row in report["margins"]]
    rows += [(" x ".join(row["levels"].values()) or "all", row) for row in report["cells"]]
    width = max(len(label) for label, _ in rows)
    yield f"{'':{width}}  pool   exact  achieved"
    for label, row in rows:
        achieved = " ".join(f"{count:4d}" for count in row["achieved"])
        mark = "  a whole item off" if row["largest_deviation"] >= 1 else ""
        yield f"{label:{width}}  {row['pool']:4d} {row['target']:7.2f}  {achieved}{mark}"
    yield ""
    largest = report["largest_deviation"]
    yield f"Largest deviation: {largest['margins']:.2f} items of a margin, {largest['cells']:.2f} of a joint cell."
    if report["margins_that_differ"]:
        yield f"{len(report['margins_that_differ'])} margins differ between subsets."
    if report["cells_never_drawn"]:
        yield f"{len(report['cells_never_drawn'])} joint cells are in no subset."
    yield "Proven to be the best there is." if plan.optimal else f"Not proven to be the best; gap {plan.gap:.1%}."
    for number, subset in enumerate(plan.subsets, 1):
        yield f"\nSubset {number}: {' '.join(subset)}"
