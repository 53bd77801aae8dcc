"""The report of speech summaries: metrics beside judges, one network at a time, curves, makers and their coverage."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.reports.base import Asked, Pieces, Report, ReportFile, Result
from analysis.reports.listeners import listener_sentences
from analysis.reports.page_tables import PageTable
from analysis.reports.summaries import curve_figure, files, tables
from analysis.reports.summaries.choices import SummaryChoices, chosen_utterance, chosen_version, shown_network
from analysis.reports.summaries.network_figure import draw
from analysis.reports.summaries.words import metric_axis, metric_name, paragraph, warning_sentences
from rating.models import Experiment

# Those that differ in kind; the others follow one of them closely.
CORRELATED = ("sum_accy", "w_sum_accy", "bleu", "p_2", "p_3", "wacc_mean")


class SummariesReport(Report):
    template = "analysis/reports/summaries.html"
    files: ClassVar[Mapping[str, ReportFile]] = {
        "picks.csv": ReportFile(gettext_lazy("Every word and who picked it (CSV)"), files.picks),
        "evaluation.json": ReportFile(
            gettext_lazy("Input of evaluate_summaries (JSON)"), files.evaluation, "application/json"
        ),
        "network.svg": ReportFile(gettext_lazy("Network (SVG)"), files.network, "image/svg+xml"),
    }
    # What a version says, and that it has an author among the makers, tells a person's from a system's.
    open_only = ("versions", "authors")
    long = ("versions", "picks")

    def context(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Any]:
        table = result["table"]
        chosen = SummaryChoices(asked, table)
        shown = shown_network(table, chosen)
        utterance, version = chosen_utterance(table, chosen), chosen_version(table, chosen)
        return {
            "asked": chosen,
            "counts": result["counts"],
            "conditions": tables.conditions(table),
            "warnings": [*listener_sentences(table), *warning_sentences(table.get("warnings", []))],
            "network": draw(shown) if shown else None,
            "network_query": chosen.query(),
            "words": tables.words(utterance) if utterance else None,
            "arcs": tables.arcs(utterance) if utterance else None,
            "near_ties": tables.near_ties(version, utterance["tokens"]) if version and utterance else None,
            "correlations": tables.correlations(table),
            "metric_links": {metric_name(metric): (metric, chosen.query(metric=metric)) for metric in chosen.metrics},
            "curves": _curves(table, chosen.metric),
            "correlation_curves": _correlation_curves(table),
            "makers": tables.makers(table),
            "more": [each for each in _more(table) if each.lines],
            "paragraph": paragraph(experiment, result),
        }

    def dataset(self, experiment: Experiment, result: Result, *, simulated: bool) -> Iterable[tuple[str, Pieces]]:
        return files.networks(result)


def _more(table: Mapping[str, Any]) -> list[PageTable]:
    return [tables.coverage(table), tables.utterances(table), tables.versions(table)]


def _curves(table: Mapping[str, Any], metric: str) -> dict[str, Any] | None:
    lines: dict[str, list[Any]] = {}
    for row in table.get("curves", []):
        if row["metric"] == metric:
            lines.setdefault(row["condition"], []).append(row)
    title = _("{metric} by the number of makers").format(metric=metric_name(metric))
    return _drawn("curves", lines, title, metric_axis(metric), table)


def _correlation_curves(table: Mapping[str, Any]) -> dict[str, Any] | None:
    lines: dict[str, list[Any]] = {}
    for row in table.get("correlation_curves", []):
        if row["over"] == "system" and row["metric"] in CORRELATED:
            lines.setdefault(metric_name(row["metric"]), []).append(row)
    title = _("Correlation with the judges by the number of makers")
    return _drawn("correlation-curves", lines, title, _("Pearson's r over conditions"), table)


def _drawn(
    name: str, lines: Mapping[str, list[Any]], title: str, axis: str, table: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The picture and the same as a table; nothing where no line has a figure."""
    draws = table.get("drawn", {}).get("draws", 0)
    picture = curve_figure.draw(lines, title=title, axis=axis, draws=draws, name=name)
    return {"picture": picture, "table": tables.curves(f"{name}-table", title, lines)} if picture else None
