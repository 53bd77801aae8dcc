"""The report of THumBS: what captions of each source got, in which scores sources differ, and how far people agree."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from analysis.exports import csv_lines
from analysis.reports.base import Asked, Pieces, Report, ReportFile, Result
from analysis.reports.choices import Choices, one_of
from analysis.reports.listeners import complete_only, listener_sentences
from analysis.reports.thumbs import files, tables
from analysis.reports.thumbs.plot import means_plot
from analysis.reports.thumbs.words import paragraph, warnings
from rating.models import Experiment


class ThumbsChoices(Choices):
    """One dataset and one group of people or all, and which source others are compared with."""

    def __init__(self, table: Mapping[str, Any], asked: Asked) -> None:
        super().__init__(asked)
        rows = table.get("rows", [])
        self.datasets = sorted({row["dataset"] for row in rows} - {None})
        self.groups = sorted({row["group"] for row in rows} - {None})
        self.sources = list(dict.fromkeys(row["condition"] for row in rows))
        self.dataset = asked["dataset"] if asked.get("dataset") in self.datasets else None
        self.group = asked["group"] if asked.get("group") in self.groups else None
        self.against = one_of(asked.get("against"), self.sources)

    @property
    def chosen(self) -> Mapping[str, str | None]:
        return {"dataset": self.dataset, "group": self.group, "against": self.against}

    def part(self, row: Mapping[str, Any]) -> bool:
        """Whether a row is about the dataset and the group that were chosen."""
        return (row["dataset"], row["group"]) == (self.dataset, self.group)


def _plot(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    chosen = ThumbsChoices(result["table"], asked)
    return [means_plot([row for row in result["table"].get("rows", []) if chosen.part(row)], chosen.sources)]


def _long(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    return csv_lines(files.scores(experiment, simulated=result["simulated"]), columns=list(files.LONG))


def _wide(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    return csv_lines(files.captions(experiment, simulated=result["simulated"]), columns=list(files.WIDE))


def _clips(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    return csv_lines(result["table"].get("clips", []), columns=list(files.CLIPS))


FILES = {
    "thumbs_long.csv": ReportFile(_("One row a score (CSV)"), _long, of_votes=True),
    "thumbs_wide.csv": ReportFile(
        _("One row a caption and assessor, as the study's sheet (CSV)"), _wide, of_votes=True
    ),
    "thumbs_clips.csv": ReportFile(_("Means over assessors, one row a caption and score (CSV)"), _clips),
    "thumbs.svg": ReportFile(_("Means by source (SVG)"), _plot, "image/svg+xml"),
}


class ThumbsReport(Report):
    template = "analysis/reports/thumbs.html"
    files = FILES

    def context(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Any]:
        table = result["table"]
        chosen = ThumbsChoices(table, asked)
        rows = [row for row in table.get("rows", []) if chosen.part(row)]
        return {
            "asked": chosen,
            "query": chosen.query(),
            "datasets": [(name, chosen.query(dataset=name)) for name in (None, *chosen.datasets)],
            "groups": [(name, chosen.query(group=name)) for name in (None, *chosen.groups)],
            "plot": means_plot(rows, chosen.sources) if rows else "",
            "means": tables.means(rows),
            "complete": complete_only(
                tables.means([row for row in table.get("complete_listeners", []) if chosen.part(row)])
            ),
            "contrasts": tables.contrasts(table, chosen.part, chosen.against),
            "agreement": tables.agreement(table, chosen.group),
            "synthesised": tables.synthesised(table),
            "more": [each for each in _more(table, chosen) if each.lines],
            "warnings": [*listener_sentences(table), *warnings(table)],
            "paragraph": paragraph(experiment, result),
        }


def _more(table: Mapping[str, Any], chosen: ThumbsChoices) -> list[Any]:
    """The tables that are looked up rather than read."""
    return [
        tables.over_assessors(table, chosen.part),
        tables.checks(table, chosen.part, chosen.against),
        tables.every_part(table),
        tables.assessors(table, chosen.group),
    ]
