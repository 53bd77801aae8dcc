"""Report of speech summaries: metrics beside judges, one network at a time, curves, makers and their coverage."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.exports import csv_lines
from analysis.reports import model_tables
from analysis.reports.base import Asked, Choices, Pieces, Report, ReportFile, Result, one_of
from analysis.reports.messages import listener_sentences
from analysis.reports.tables import Table
from protocols.speech_summaries.analysis.study import maker_name
from protocols.speech_summaries.report import tables
from protocols.speech_summaries.report.figures import Shown, draw_curves, draw_network, remarks
from protocols.speech_summaries.report.tables import METRICS, methods_text, metric_axis, metric_name, warning_sentences
from rating.models import Experiment

Tables = Mapping[str, Any]
NO_VERSION = "-"


class SummaryChoices(Choices):
    """One utterance, one of its versions or none, and one metric."""

    def __init__(self, asked: Asked, table: Tables) -> None:
        super().__init__(asked)
        self.utterances = [row["item"] for row in table.get("utterances", []) if row["network"]]
        self.utterance = one_of(asked.get("utterance"), self.utterances)
        self.versions = [row["condition"] for row in table.get("versions", []) if row["item"] == self.utterance]
        self.version = one_of(asked.get("version"), [*self.versions, NO_VERSION])
        metrics = {row["metric"] for row in table.get("curves", [])}
        self.metrics = [metric for metric in METRICS if metric in metrics]
        self.metric = one_of(asked.get("metric"), self.metrics)

    @property
    def chosen(self) -> Mapping[str, str | None]:
        return {"utterance": self.utterance, "version": self.version, "metric": self.metric}


def chosen_utterance(table: Tables, asked: SummaryChoices) -> Mapping[str, Any] | None:
    return next((row for row in table.get("utterances", []) if row["item"] == asked.utterance and row["network"]), None)


def chosen_version(table: Tables, asked: SummaryChoices) -> Mapping[str, Any] | None:
    place = (asked.utterance, asked.version)
    scores = next((row for row in table.get("items", []) if (row["item"], row["condition"]) == place), None)
    found = next((row for row in table.get("versions", []) if (row["item"], row["condition"]) == place), None)
    return {**scores, **found} if scores and found else None


def shown_network(table: Tables, asked: SummaryChoices) -> Shown | None:
    """The network of an utterance; a maker's own version is held against the network of the others."""
    utterance, version = chosen_utterance(table, asked), chosen_version(table, asked)
    if utterance is None:
        return None
    network = (version or {}).get("network") or utterance["network"]
    shown = Shown(
        title=_("{utterance}: the words that people kept").format(utterance=utterance["item"]),
        tokens=utterance["tokens"],
        makers=network["makers"],
        kept=dict(network["nodes"]),
        arcs=[(start, end, count) for start, end, count in network["arcs"]],
    )
    if version is None:
        return shown
    title = _("{utterance}: {condition} against the words that people kept")
    shown = replace(
        shown,
        title=title.format(utterance=utterance["item"], condition=version["condition"]),
        candidate=version["words"],
        target=version["target"],
    )
    return replace(shown, remarks=remarks(version, shown))


PICKS = ("subject", "item", "position", "word", "picked")
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'


def picks(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    """One row a maker, utterance and position: whether the word there was kept."""
    return csv_lines(_picked(result), columns=PICKS)


def evaluation(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    """The study as `manage.py evaluate_summaries` reads it; without versions while a reader may not see them."""
    table = result["table"]
    manual: dict[str, dict[str, list[int]]] = {}
    for row in table.get("picks", []):
        manual.setdefault(row["item"], {})[maker_name(row["maker"])] = row["picked"]
    versions: dict[str, list[dict[str, Any]]] = {}
    for row in table.get("versions", []):
        versions.setdefault(row["item"], []).append(row)
    authors = {row["condition"]: maker_name(row["maker"]) for row in table.get("authors", [])}
    utterances = [
        _utterance(row, manual[row["item"]], versions.get(row["item"], []), authors)
        for row in table.get("utterances", [])
        if row["item"] in manual
    ]
    yield json.dumps({"utterances": utterances}, ensure_ascii=False, indent=1)


def network(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    """The network that the page shows, with the same version."""
    shown = shown_network(result["table"], SummaryChoices(asked, result["table"]))
    yield str(draw_network(shown)) if shown else EMPTY


def networks(result: Result) -> Iterator[tuple[str, Pieces]]:
    """Every utterance's network, numbered as on the page."""
    rows = result["table"].get("utterances", [])
    for number, row in enumerate(rows, start=1):
        asked = {"utterance": row["item"], "version": NO_VERSION}
        shown = shown_network(result["table"], SummaryChoices(asked, result["table"]))
        if shown:
            yield f"results/network-{number}.svg", [str(draw_network(shown))]


def _picked(result: Result) -> Iterator[dict[str, Any]]:
    tokens = {row["item"]: row["tokens"] for row in result["table"].get("utterances", [])}
    for row in result["table"].get("picks", []):
        kept = set(row["picked"])
        for position, word in enumerate(tokens.get(row["item"], ()), start=1):
            yield {
                "subject": f"subject_{row['maker']}",
                "item": row["item"],
                "position": position,
                "word": word,
                "picked": position in kept,
            }


def _utterance(
    row: dict[str, Any], manual: dict[str, list[int]], versions: list[dict[str, Any]], authors: dict[str, str]
) -> dict[str, Any]:
    judged = {version["condition"]: version["judged"] for version in versions if version["judged"] is not None}
    # A condition may be called like a maker, and is not one: nobody is its author unless that was found.
    author = {version["condition"]: authors.get(version["condition"]) for version in versions}
    return {
        "tokens": row["tokens"],
        "manual": manual,
        "candidates": {version["condition"]: version["words"] for version in versions},
        "author": {name: maker if maker in manual else None for name, maker in author.items()},
        "judged": judged,
    }


# Those that differ in kind; the others follow one of them closely.
CORRELATED = ("sum_accy", "w_sum_accy", "bleu", "p_2", "p_3", "wacc_mean")


class SummariesReport(Report):
    template = "speech_summaries/report.html"
    files: ClassVar[Mapping[str, ReportFile]] = {
        "picks.csv": ReportFile(gettext_lazy("Every word and who picked it (CSV)"), picks),
        "evaluation.json": ReportFile(
            gettext_lazy("Input of evaluate_summaries (JSON)"), evaluation, "application/json"
        ),
        "network.svg": ReportFile(gettext_lazy("Network (SVG)"), network, "image/svg+xml"),
    }
    # What a version says, and that it has an author among the makers, tells a person's from a system's.
    open_only = ("versions", "authors")
    long = ("versions", "picks")

    def context(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Any]:
        table = result["table"]
        chosen = SummaryChoices(asked, table)
        shown = shown_network(table, chosen)
        words = tables.model_words()
        utterance, version = chosen_utterance(table, chosen), chosen_version(table, chosen)
        return {
            "asked": chosen,
            "counts": result["counts"],
            "conditions": tables.conditions(table),
            "model": model_tables.means(table, words),
            "model_contrasts": model_tables.contrasts(table, words),
            "warnings": [
                *listener_sentences(table),
                *model_tables.model_sentences(table),
                *warning_sentences(table.get("warnings", [])),
            ],
            "network": draw_network(shown) if shown else None,
            "network_query": chosen.query(),
            "words": tables.words(utterance) if utterance else None,
            "arcs": tables.arcs(utterance) if utterance else None,
            "near_ties": tables.near_ties(version, utterance["tokens"]) if version and utterance else None,
            "correlations": tables.correlations(table),
            "metric_links": {metric_name(metric): (metric, chosen.query(metric=metric)) for metric in chosen.metrics},
            "curves": _curves(table, chosen.metric),
            "correlation_curves": _correlation_curves(table),
            "makers": tables.makers(table),
            "more": [each for each in _more(table) if each.rows],
            "methods_text": methods_text(experiment, result),
        }

    def dataset(self, experiment: Experiment, result: Result, *, simulated: bool) -> Iterable[tuple[str, Pieces]]:
        return networks(result)


def _more(table: Mapping[str, Any]) -> list[Table]:
    return [
        tables.coverage(table),
        tables.utterances(table),
        tables.versions(table),
        model_tables.components(table),
    ]


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
    picture = draw_curves(lines, title=title, axis=axis, draws=draws, name=name)
    return {"picture": picture, "table": tables.curves(f"{name}-table", title, lines)} if picture else None
