"""Report of chaptering: agreement by metric, and everybody's boundaries along a recording."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from analysis.reports.base import Asked, Choices, Pieces, Report, ReportFile, Result, one_of
from analysis.reports.messages import listener_sentences
from protocols.chaptering.report import plots, tables
from protocols.chaptering.report.tables import METRIC_NAMES, against_words, boundaries, json_lines, warning_sentences
from rating.models import Experiment

DEFAULT_METRIC = "collar_f1"


class ChapterChoices(Choices):
    """One metric, what answers are held against, and one recording."""

    def __init__(self, table: Mapping[str, Any], asked: Asked) -> None:
        super().__init__(asked)
        measured = [row for row in table["rows"] if row["compared_with"]]
        found = {row["metric"] for row in measured}
        self.metrics = [metric for metric in METRIC_NAMES if metric in found]
        self.againsts = [name for name in ("reference", "people") if any(r["compared_with"] == name for r in measured)]
        self.recordings = sorted({row["item"] for row in table.get("answers", [])})
        self.metric = one_of(asked.get("metric"), self.metrics, DEFAULT_METRIC)
        self.against = one_of(asked.get("against"), self.againsts)
        self.recording = one_of(asked.get("recording"), self.recordings)

    @property
    def chosen(self) -> Mapping[str, str | None]:
        return {"metric": self.metric, "against": self.against, "recording": self.recording}


def _intervals(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    chosen = ChapterChoices(result["table"], asked)
    return [plots.intervals(result["table"], chosen.metric, chosen.against)]


def _timeline(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    return [plots.timeline(result["table"], ChapterChoices(result["table"], asked).recording)]


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
    template = "chaptering/report.html"
    files = FILES

    def anonymous(self, table: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tables without the titles that people typed; those of references and systems are no answers."""
        told = [row | {"titles": None} if row["kind"] == "person" else row for row in table.get("answers", [])]
        return super().anonymous(table) | {"answers": told}

    def context(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Any]:
        table = result["table"]
        chosen = ChapterChoices(table, asked)
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
            "warnings": [*listener_sentences(table), *warning_sentences(table.get("warnings", []))],
            "methods_text": tables.methods_text(experiment, result),
        }
