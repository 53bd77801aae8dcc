"""The report of chapters: who agrees with whom, metric by metric, and where everybody put boundaries."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext_lazy as _

from analysis.reports.base import Asked, Pieces, Report, ReportFile, Result
from analysis.reports.chapters import plots, tables
from analysis.reports.chapters.files import boundaries, json_lines
from analysis.reports.chapters.words import METRIC_NAMES, against_words, warning_sentences
from rating.models import Experiment

DEFAULT_METRIC = "collar_f1"


class Choices:
    """What the reader wants to see, out of the address; what the page does not know falls back to its default."""

    def __init__(self, table: Mapping[str, Any], asked: Asked) -> None:
        measured = [row for row in table["rows"] if row["compared_with"]]
        found = {row["metric"] for row in measured}
        self.metrics = [metric for metric in METRIC_NAMES if metric in found]
        self.againsts = [name for name in ("reference", "people") if any(r["compared_with"] == name for r in measured)]
        self.recordings = sorted({row["item"] for row in table.get("answers", [])})
        self.metric = _one_of(asked.get("metric"), self.metrics, DEFAULT_METRIC)
        self.against = _one_of(asked.get("against"), self.againsts)
        self.recording = _one_of(asked.get("recording"), self.recordings)
        self.simulated = asked.get("simulated") == "1"

    def query(self, **changes: str) -> str:
        """The same page with other choices."""
        chosen = {"metric": self.metric, "against": self.against, "recording": self.recording}
        simulated = {"simulated": "1"} if self.simulated else {}
        return urlencode({**simulated, **{name: value for name, value in (chosen | changes).items() if value}})


def _intervals(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    chosen = Choices(result["table"], asked)
    return [plots.intervals(result["table"], chosen.metric, chosen.against)]


def _timeline(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    return [plots.timeline(result["table"], Choices(result["table"], asked).recording)]


FILES = {
    "chapters.jsonl": ReportFile(
        _("Every answer beside the reference, as evaluate_chapters reads it (JSONL)"),
        lambda experiment, result, asked: json_lines(result["table"]),
        "application/x-ndjson; charset=utf-8",
    ),
    "boundaries.csv": ReportFile(
        _("One row a chapter (CSV)"), lambda experiment, result, asked: boundaries(result["table"])
    ),
    "chapters-intervals.svg": ReportFile(_("Agreement (SVG)"), _intervals, "image/svg+xml"),
    "chapters-timeline.svg": ReportFile(_("Boundaries of one recording (SVG)"), _timeline, "image/svg+xml"),
}


class ChaptersReport(Report):
    template = "analysis/reports/chapters.html"
    files = FILES

    def context(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Any]:
        table = result["table"]
        chosen = Choices(table, asked)
        return {
            "asked": chosen,
            "query": chosen.query(),
            "metrics": {metric: METRIC_NAMES[metric] for metric in chosen.metrics},
            "againsts": {name: (against_words()[name], chosen.query(against=name)) for name in chosen.againsts},
            "overview": tables.overview(table, chosen.against),
            "intervals": plots.intervals(table, chosen.metric, chosen.against) if chosen.metric else "",
            "means": tables.means(table, chosen.metric, chosen.against),
            "timeline": plots.timeline(table, chosen.recording) if chosen.recording else "",
            "chapters": tables.chapters(table, chosen.recording),
            "differences": tables.differences(table, chosen.against),
            "more": tables.more(table, chosen.metric, chosen.against),
            "warnings": warning_sentences(table.get("warnings", [])),
            "paragraph": tables.paragraph(experiment, result),
        }


def _one_of(wanted: str | None, known: list[str], usual: str = "") -> str:
    if wanted in known:
        return str(wanted)
    return usual if usual in known else next(iter(known), "")
