"""What the reader wants to see of a study of summaries: which utterance, which version, which metric."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from analysis.reports.base import Asked
from analysis.reports.choices import Choices, one_of
from analysis.reports.summaries.network_figure import Shown, remarks
from analysis.reports.summaries.tables import METRICS

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
