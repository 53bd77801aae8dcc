"""manage.py evaluate_summaries FILE: how close summaries by word extraction are to what people made."""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError
from protocols.speech_summaries.analysis.evaluation import run
from protocols.speech_summaries.analysis.utterances import CLOSEST, DEFAULT, Reading, parse_utterances

Json = dict[str, Any]
HEADINGS = {"sum_accy": "SumACCY", "w_sum_accy": "WSumACCY", "bleu": "BLEU", "wacc_mean": "WACC", "judged": "judged"}
CURVES_PRINTED = {"sum_accy", "w_sum_accy", "bleu"}  # figures 2 to 5 of the paper
TEXT_COLUMNS = {"candidate", "target", "unit", "metric", "maker", "system", ""}


class Command(BaseCommand):
    help = "Measure summaries made by picking words against people's summaries. Needs no database."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="JSON with utterances: tokens, manual, candidates")
        parser.add_argument(
            "--closest",
            choices=CLOSEST,
            default=DEFAULT.closest,
            help=f"what makes a path of the network the target ({DEFAULT.closest})",
        )
        parser.add_argument("--boundaries", action="store_true", help="let the arcs from <s> and to </s> weigh too")
        parser.add_argument(
            "--ngrams",
            type=_whole_number,
            default=DEFAULT.longest_ngram,
            metavar="N",
            help=f"print p_1 to p_N ({DEFAULT.longest_ngram})",
        )
        parser.add_argument(
            "--curves",
            type=_whole_number,
            default=0,
            metavar="DRAWS",
            help="measure with fewer makers too, in this many random orders of the makers",
        )
        parser.add_argument("--seed", default="0", help="decides the random orders (0)")
        parser.add_argument("--json", dest="as_json", action="store_true", help="print everything as JSON")

    def handle(self, *, file: Path, as_json: bool, **options: Any) -> None:
        reading = Reading(closest=options["closest"], boundaries=options["boundaries"], longest_ngram=options["ngrams"])
        try:
            utterances = parse_utterances(file.read_bytes(), file=str(file))
        except OSError as problem:
            raise CommandError(f"'{file}' cannot be read: {problem.strerror}.") from problem
        except AppError as error:
            others = error.data.get("rows", [])[1:]  # the sentence names the first
            raise CommandError("\n".join([str(error), *others])) from error
        result = run(utterances, reading, draws=options["curves"], seed=options["seed"])
        if as_json:
            self.stdout.write(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))
        else:
            self.stdout.write("\n".join(_lines(result)))


def _whole_number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 1 on")
    return int(text)


def _lines(result: Json) -> Iterator[str]:
    yield f"Reading: {result['reading']['name']}. Accuracies in percent, p_n and BLEU from 0 to 1."
    for number, utterance in enumerate(result["utterances"], 1):
        yield f"\nUtterance {number}: {len(utterance['tokens'])} words, {utterance['network']['makers']} makers"
        yield from _table(
            ["candidate", *_score_headings(result), "target"],
            [
                [system, *_score_cells(found), _target(found, utterance["tokens"])]
                for system, found in utterance["candidates"].items()
            ],
        )
    yield "\nMeans over utterances"
    yield from _table(
        ["candidate", *_score_headings(result), "utterances"],
        [[system, *_score_cells(found), str(found["utterances"])] for system, found in result["means"].items()],
    )
    yield from _correlation_lines(result["correlations"])
    yield from _maker_lines(result["makers"])
    yield from _curve_lines(result["curves"])


def _score_headings(result: Json) -> list[str]:
    return [*HEADINGS.values(), *(f"p_{n}" for n in range(1, result["reading"]["longest_ngram"] + 1))]


def _score_cells(found: Json) -> list[str]:
    return [_number(value) for value in (*(found[metric] for metric in HEADINGS), *found["p_n"].values())]


def _target(found: Json, tokens: Sequence[str]) -> str:
    left_out = f"  (without {found['left_out']})" if found["left_out"] is not None else ""
    return " ".join(tokens[position - 1] for position in found["target"]) + left_out


def _correlation_lines(correlations: Sequence[Json]) -> Iterator[str]:
    if correlations:
        yield "\nCorrelation with the judges' means"
        rows = [[row["unit"], row["metric"], _number(row["r"])] for row in correlations]
        yield from _table(["unit", "metric", "r"], rows)


def _maker_lines(makers: Sequence[Json]) -> Iterator[str]:
    yield "\nDistance of each maker to the others, percent of words"
    yield from _table(
        ["maker", "distance", ""],
        [[row["maker"], _number(row["distance"]), "isolated" if row["isolated"] else ""] for row in makers],
    )


def _curve_lines(curves: Json | None) -> Iterator[str]:
    if curves is None:
        return
    yield f"\nBy number of makers: mean and range over {curves['draws']} orders; --json has every metric"
    yield from _curve_table("system", curves["metrics"])
    if curves["correlations"]:
        yield "\nCorrelation with the judges' means by number of makers"
        yield from _curve_table("unit", curves["correlations"])


def _curve_table(key: str, rows: Sequence[Json]) -> Iterator[str]:
    cells = [
        [row[key], row["metric"], str(row["makers"]), *(_number(row[part]) for part in ("mean", "low", "high"))]
        for row in rows
        if row["metric"] in CURVES_PRINTED
    ]
    yield from _table([key, "metric", "makers", "mean", "lowest", "highest"], cells)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(cell) for cell in column) for column in zip(headings, *rows, strict=True)]
    for row in (headings, *rows):
        cells = [
            cell.ljust(width) if heading in TEXT_COLUMNS else cell.rjust(width)
            for heading, cell, width in zip(headings, row, widths, strict=True)
        ]
        yield "  ".join(cells).rstrip()
