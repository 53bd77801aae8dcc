"""manage.py analyse_votes FILE.csv --out DIR: means, differences, agreement and screening of any table of votes."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.votes_table.options import parse_range
from core.errors import AppError

MODELS = ("full", "intercepts")
CI_METHODS = ("t", "normal", "bounded", "bootstrap")


class Command(BaseCommand):
    help = (
        "Analyse votes: listener, item, condition, scale, score (and panel, session, repetition, role, factors). "
        "Needs no database."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="CSV in UTF-8, one vote a row")
        parser.add_argument(
            "--out", type=Path, metavar="DIR", help="write analysis.json, means.csv, contrasts.csv and report.md there"
        )
        parser.add_argument("--json", dest="as_json", action="store_true", help="print every figure as JSON")
        parser.add_argument(
            "--exclude", action="append", default=[], metavar="LISTENER", help="leave a listener out; may be repeated"
        )
        parser.add_argument("--model", choices=MODELS, default="full", help="random effects of the mixed model (full)")
        parser.add_argument(
            "--ci-method", choices=CI_METHODS, default="t", help="of the intervals without the model (t)"
        )
        parser.add_argument(
            "--factor", action="append", default=[], metavar="COLUMN", help="fixed effect of the model; may be repeated"
        )
        parser.add_argument(
            "--range",
            action="append",
            default=[],
            metavar="[SCALE=]LOW:HIGH",
            help="range of the scores, of all scales or of one; may be repeated",
        )
        parser.add_argument(
            "--ordinal", action="store_true", help="fit a cumulative-link model as well, which takes seconds to minutes"
        )
        parser.add_argument(
            "--metrics", type=Path, metavar="FILE", help="CSV of objective metrics (file or condition, metric, value)"
        )
        parser.add_argument(
            "--reference", default="", metavar="CONDITION", help="give the differences to this condition"
        )
        parser.add_argument(
            "--margin", type=float, metavar="POINTS", help="test whether conditions are equivalent within this margin"
        )
        parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (0)")

    def handle(self, *, file: Path, out: Path | None, as_json: bool, **options: Any) -> None:
        # numpy, scipy and pandas take seconds to load, which --help does not need.
        from analysis.votes_table.figures import Options, analyse
        from analysis.votes_table.files import as_json as to_json
        from analysis.votes_table.files import files_of
        from analysis.votes_table.metrics import add_metrics
        from analysis.votes_table.reading import read_votes

        if out is None and not as_json:
            raise CommandError("Say where the results shall go: --out DIR for files, --json for the standard output.")
        ranges = dict(_range(text) for text in options["range"])
        try:
            content = file.read_bytes()
            whole = read_votes(content, name=file.name, ranges=ranges)
            table = whole.without(options["exclude"]) if options["exclude"] else whole
            chosen = Options(
                model=options["model"],
                ci_method=options["ci_method"],
                model_factors=tuple(options["factor"]),
                seed=options["seed"],
                ordinal=options["ordinal"],
                reference=options["reference"],
                margin=options["margin"],
            )
            found = analyse(table, chosen, content=content, whole=whole)
            if options["metrics"]:
                add_metrics(found, table, options["metrics"].read_bytes(), name=options["metrics"].name)
            if out is not None:
                _write(out, files_of(found))
        except OSError as problem:
            raise CommandError(f"'{problem.filename}' cannot be used: {problem.strerror}.") from problem
        except AppError as error:
            raise CommandError(_said(error)) from error
        if as_json:
            self.stdout.write(to_json(found), ending="")
        else:
            self.stdout.write("\n".join([*found["warnings"], f"Written to {out}."]))


def _said(error: AppError) -> str:
    """The sentence, and where several rows are the reason, each of them on a line of its own."""
    rows: Sequence[str] = error.data.get("rows", ())
    if len(rows) < 2:
        return str(error)
    more = error.data["count"] - len(rows)
    rest = [f"and {more} more"] if more else []
    return "\n  ".join([f"'{error.data['file']}' was not analysed:", *rows, *rest])


def _range(text: str) -> tuple[str, tuple[float, float]]:
    found = parse_range(text)
    if found is None:
        raise CommandError(f"'{text}' is no range. Write the lowest and the highest score, such as 1:5 or SIG=1:5.")
    return found


def _write(folder: Path, files: dict[str, str]) -> None:
    """Write whole files in the place of earlier ones; the figures come last, and vouch for the others."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".votes-", dir=folder) as scratch:
        for name, text in files.items():
            (Path(scratch) / name).write_text(text, encoding="utf-8", newline="")
        for name in sorted(files, key=lambda name: name == "analysis.json"):
            (Path(scratch) / name).replace(folder / name)
