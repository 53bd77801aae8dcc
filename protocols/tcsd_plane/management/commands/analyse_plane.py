"""manage.py analyse_plane FILE.csv: the statistics of the TC/SD plane on any table of marks."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError


class Command(BaseCommand):
    help = "Analyse marks on the TC/SD plane: rater, recording, condition, tc, sd (and z, method). Needs no database."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="CSV in UTF-8, one mark a row, coordinates 0 to 1")
        parser.add_argument("--json", dest="as_json", action="store_true", help="print every table as JSON")

    def handle(self, *, file: Path, as_json: bool, **options: Any) -> None:
        # numpy and scipy take a second to load, which --help does not need.
        from protocols.tcsd_plane.analysis.csv_input import read_placements
        from protocols.tcsd_plane.analysis.tables import analyse, summed_up

        try:
            placements = read_placements(file.read_bytes(), name=file.name)
        except OSError as problem:
            raise CommandError(f"'{file}' cannot be read: {problem.strerror}. Give a CSV table.") from problem
        except AppError as error:
            raise CommandError(str(error)) from error
        found = summed_up(analyse(placements))
        if as_json:
            self.stdout.write(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))
        else:
            self.stdout.write("\n".join(_lines(found)))


def _lines(found: dict[str, Any]) -> Iterator[str]:
    counts = found["counts"]
    yield (
        f"{counts['marks']} marks: {counts['raters']} raters, {counts['recordings']} recordings, "
        f"{counts['conditions']} conditions"
    )
    yield ""
    yield from _conditions(found["conditions"], found["conditions_over_raters"])
    yield ""
    for row in found["agreement"]:
        yield from _axis(row["scale"], found["friedman"][row["scale"]], row, found["contrasts"])
    yield f"r(TC, SD) over all marks: {_figure(found['correlation'])}"
    yield from _trade_off(found)


def _conditions(marks: dict[str, Any], raters: dict[str, Any]) -> Iterator[str]:
    width = max(len(name) for name in marks)
    yield f"{'':{width}}     n  TC mean   s.d.   SD mean   s.d.      cov"
    for name, row in marks.items():
        tc, sd = (f"{_figure(row[f'{axis}_mean']):>7} {_figure(row[f'{axis}_sd']):>6}" for axis in ("tc", "sd"))
        yield f"{name:{width}}  {row['n']:4d}  {tc}   {sd}  {_figure(row['cov'], 4):>7}"
    rejected = {row["mean_95_refused"]["sentence"] for row in raters.values() if row["mean_95_refused"]}
    yield from sorted(rejected)


def _axis(scale: str, test: dict[str, Any], agreed: dict[str, Any], contrasts: list[dict[str, Any]]) -> Iterator[str]:
    yield (
        f"{scale}: Friedman chi2 {_figure(test['chi2'], 1)}, df {test['df']}, p {_p(test['p'])}, "
        f"{test['blocks']} blocks of rater x recording ({test['blocks_dropped']} incomplete ones dropped)"
    )
    holm = [row["p_holm"] for row in contrasts if row["scale"] == scale]
    if holm:
        # Every pair is there both ways round.
        apart = sum(p < 0.05 for p in holm) // 2
        yield (
            f"    pairs with p < 0.05 (Wilcoxon signed-rank, Holm): {apart} of {len(holm) // 2}; "
            f"with {test['blocks']} blocks none can be below {_p(test['least_p_holm'])}"
        )
    interval = f"[{_figure(agreed['icc_low'])}, {_figure(agreed['icc_high'])}]"
    yield (
        f"    ICC(A,1) {_figure(agreed['icc'])} {interval} on {agreed['icc_targets']} targets, "
        f"Krippendorff alpha ({agreed['alpha_level']}) {_figure(agreed['alpha'])}"
    )


def _trade_off(found: dict[str, Any]) -> Iterator[str]:
    for row in found["trade_off"]:
        interval = f"[{_figure(row['ci_low'])}, {_figure(row['ci_high'])}]"
        yield (
            f"{row['family']}: slope of {row['scale']} on z {_figure(row['slope'])} {interval}, "
            f"r {_figure(row['r_with_z'])}"
        )
    for row in found["families"]:
        yield f"{row['family']}: r(TC, SD) {_figure(row['correlation'])}, area under the curve {_figure(row['area'])}"


def _figure(value: float | None, decimals: int = 3) -> str:
    return "-" if value is None else f"{value:.{decimals}f}"


def _p(value: float | None) -> str:
    return "-" if value is None else f"{value:.2g}"
