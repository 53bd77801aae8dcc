"""manage.py evaluate_chapters FILE.jsonl: how well chapters were found and named, in the input and keys of chunkseg."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError

SHOWN_OF_A_KIND = 3  # warnings that say the same of many lines


class Command(BaseCommand):
    help = "Evaluate chapters of recordings: boundaries, titles, word errors. Needs no database."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="JSON lines: hypothesis, reference, duration, ...")
        parser.add_argument("--against", metavar="FILE", type=Path, action="append", default=[], help="another system")
        parser.add_argument("--chunk-size", type=float, default=6.0, metavar="S", help="seconds of a chunk (6)")
        parser.add_argument("--collar", type=float, default=3.0, metavar="S", help="how far a hit may be off (3)")
        parser.add_argument("--tolerance", type=float, default=5.0, metavar="S", help="the same for titles (5)")
        parser.add_argument("--titles", action="store_true", help="compare titles, by ROUGE-L")
        parser.add_argument(
            "--title-matching", choices=("start", "start-and-end"), default="start", help="what pairs chapters (start)"
        )
        parser.add_argument("--bertscore", action="store_true", help="compare titles by BERTScore too")
        parser.add_argument("--tgt-lang", default="en", metavar="LANG", help="language of the titles (en)")
        parser.add_argument("--wer", action="store_true", help="count word errors of hypotheses that are texts")
        parser.add_argument("--format", metavar="PRESET", help="how hypotheses that are texts are written")
        parser.add_argument("--custom-pattern", metavar="REGEX", help="what divides sections, for custom and custom_ts")
        parser.add_argument("--timestamp-format", metavar="FORM", help="such as MM:SS, for custom_ts")
        parser.add_argument("--keep-outside", action="store_true", help="evaluate times outside a recording too")
        parser.add_argument("--num-bootstrap", type=int, default=100, metavar="N", help="rounds of resampling (100)")
        parser.add_argument("--seed", type=int, default=0, help="of the resampling (0)")
        parser.add_argument("--json", dest="as_json", action="store_true", help="print items, summary and more as JSON")

    def handle(self, *, file: Path, against: list[Path], as_json: bool, **options: Any) -> None:
        try:
            found = _found([file, *against], options)
        except OSError as problem:
            raise CommandError(
                f"'{problem.filename}' cannot be read: {problem.strerror}. Give JSON lines."
            ) from problem
        except AppError as error:
            further = error.data.get("problems", [])[1:]
            raise CommandError("\n".join([str(error), *further])) from error
        for line in _warnings(found["warnings"], several=bool(against)):
            self.stderr.write(line)
        if as_json:
            self.stdout.write(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))
        else:
            self.stdout.write("\n".join(_lines(found)))


def _found(files: list[Path], options: dict[str, Any]) -> dict[str, Any]:
    # numpy takes a moment to load, which --help does not need.
    from protocols.chaptering.analysis.comparison import Resampling, report
    from protocols.chaptering.analysis.evaluation import Measures
    from protocols.chaptering.analysis.samples import Reading, TextFormat, read_samples
    from protocols.chaptering.analysis.titles import BY_ROUGE_L, TitleMatching, load_bertscore

    resampling = Resampling(options["num_bootstrap"], options["seed"])
    text_format = TextFormat(options["format"], options["custom_pattern"], options["timestamp_format"])
    measures = Measures(
        chunk_s=options["chunk_size"],
        collar_s=options["collar"],
        tolerance_s=options["tolerance"],
        matching=TitleMatching(options["title_matching"]),
        titles=options["titles"] or options["bertscore"],
        wer=options["wer"],
        similarities={**BY_ROUGE_L, **({"bs": load_bertscore(options["tgt_lang"])} if options["bertscore"] else {})},
    )
    readings: dict[str, Reading] = {}
    for file in files:
        if str(file) in readings:
            raise CommandError(f"'{file}' is named twice. Name each system's file once.")
        with file.open("rb") as lines:
            readings[str(file)] = read_samples(
                lines,
                file=str(file),
                text_format=text_format,
                measures=measures,
                keep_outside=options["keep_outside"],
            )
    return report(readings, measures, resampling)


def _warnings(warnings: list[dict[str, Any]], *, several: bool) -> Iterator[str]:
    """Say what was noticed, and of what was noticed on many lines only how often."""
    seen: Counter[str] = Counter()
    for warning in warnings:
        seen[warning["code"]] += 1
        if seen[warning["code"]] <= SHOWN_OF_A_KIND:
            place = f"{warning['file']}, line" if several else "Line"
            yield f"{place} {warning['line']}: {warning['message']}"
    for code, count in seen.items():
        if count > SHOWN_OF_A_KIND:
            yield f"{count - SHOWN_OF_A_KIND} more warnings of this kind: {code}. --json lists them all."


def _lines(found: dict[str, Any]) -> Iterator[str]:
    settings, metrics = found["settings"], found["metrics"]
    chunks, collar = settings["chunk_size"], settings["collar"]
    yield f"{len(found['items'])} items, chunks of {chunks:g} s, collar {collar:g} s"
    if settings["title_matching"]:
        yield f"titles paired by {settings['title_matching']} within {settings['tolerance']:g} s"
    for system, summary in found.get("systems", {"": found["summary"]}).items():
        yield f"\n{system}" if system else ""
        yield from _summary(summary, metrics)
    yield ""
    yield f"Intervals: {settings['intervals']}, {settings['num_bootstrap']} rounds, seed {settings['seed']}."
    if comparisons := found.get("comparisons"):
        yield ""
        yield from _comparisons(comparisons)
        yield f"Tests: {settings['tests']}."


def _summary(summary: dict[str, Any], metrics: dict[str, Any]) -> Iterator[str]:
    yield f"{'':22} {'value':>8}  {'95 % interval':^19} {'items':>6}  better  unit"
    better = {True: "lower", False: "higher", None: ""}
    for name, row in summary.items():
        interval = f"{_figure(row['ci_lower'])} {_figure(row['ci_upper'])}"
        direction = better[metrics[name]["lower_is_better"]]
        unit = metrics[name]["unit"]
        yield f"{name:22} {_figure(row['mean'])}   {interval}  {row['n']:>6}  {direction:6}  {unit}"


def _comparisons(rows: list[dict[str, Any]]) -> Iterator[str]:
    yield f"{'first less second':22} {'value':>8}  {'95 % interval':^19} {'items':>6} {'p':>7} {'Holm':>7}"
    pair: tuple[str, str] | None = None
    for row in rows:
        if pair != (row["first"], row["second"]):
            pair = (row["first"], row["second"])
            yield f"{row['first']} less {row['second']}"
        interval = f"{_figure(row['ci_lower'])} {_figure(row['ci_upper'])}"
        tested = f"{row['n']:>6} {row['p']:7.4f} {row['p_holm']:7.4f}"
        yield f"{row['metric']:22} {_figure(row['difference'])}   {interval}  {tested}"
    if min(row["p_smallest"] for row in rows) * len(rows) > 0.05:
        yield "There are too few items for any difference to be significant after the correction."


def _figure(value: float | None) -> str:
    return f"{'-':>8}" if value is None else f"{value:8.4f}"
