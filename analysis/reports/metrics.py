"""Report of objective metrics beside votes: correlations, prediction errors, tests between metrics, and a figure."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analysis.reports.base import Asked, Choices, Pieces, Report, ReportFile, Result, one_of
from analysis.reports.metric_plot import metric_plot
from analysis.reports.pictures import SVG
from analysis.reports.tables import (
    Table,
    count,
    decimals,
    number_column,
    p_value,
    percent,
    range_column,
    tables_in,
    text_column,
)
from rating.models import Experiment

THREE = decimals(3)


class MetricChoices(Choices):
    """The scale, files or conditions, and the metric of the figure."""

    def __init__(self, asked: Asked, parts: list[dict[str, Any]]) -> None:
        super().__init__(asked)
        self.scales = list(dict.fromkeys(part["scale"] for part in parts))
        self.scale = one_of(asked.get("scale"), self.scales)
        self.levels = [part["level"] for part in parts if part["scale"] == self.scale]
        self.level = one_of(asked.get("level"), self.levels)
        self.part = next((part for part in parts if (part["scale"], part["level"]) == (self.scale, self.level)), None)
        self.metrics = list(self.part["curves"]) if self.part else []
        self.metric = one_of(asked.get("metric"), self.metrics)

    @property
    def chosen(self) -> Mapping[str, str | None]:
        return {"scale": self.scale, "level": self.level, "metric": self.metric}


def level_names() -> dict[str, str]:
    return {"file": _("Per file"), "condition": _("Per condition")}


def mapping_names() -> dict[str, str]:
    return {"none": _("none"), "linear": _("linear"), "monotone": _("monotone cubic")}


def correlations(part: Mapping[str, Any]) -> Table:
    columns = [
        text_column(_("Metric"), "metric"),
        number_column(_("Points"), "n", count),
        number_column("Pearson", "pearson", THREE),
        range_column(_("95 % CI"), "pearson_low", "pearson_high", THREE),
        number_column("Spearman", "spearman", THREE),
        range_column(_("95 % CI"), "spearman_low", "spearman_high", THREE),
    ]
    note = _(
        "Correlation of the metric with the mean votes. Intervals by Fisher's z, for Spearman's rho with the variance "
        "of Bonett and Wright; they take the points as independent."
    )
    return Table(
        "metric-correlations", _("Correlations"), " ".join([note, *_caution(part)]), columns, part["correlations"]
    )


def errors(part: Mapping[str, Any]) -> Table:
    columns = [
        text_column(_("Metric"), "metric"),
        text_column(_("Mapping"), "mapping", write=mapping_names().__getitem__),
        number_column(_("Points"), "n", count),
        number_column(_("Pearson after it"), "r", THREE),
        number_column("RMSE", "rmse", THREE),
        number_column("RMSE*", "rmse_star", THREE),
        number_column(_("Outliers"), "outliers", percent),
        number_column("df", "df", count),
    ]
    note = _(
        "Errors in points of the scale (ITU-T P.1401). RMSE* counts only what exceeds half the 95 % interval of the "
        "mean vote over listeners; outliers are points beyond it. Without a mapping for metrics within the scale alone."
    )
    return Table("metric-errors", _("Prediction errors"), note, columns, part["prediction_errors"])


def pairs(part: Mapping[str, Any]) -> Table:
    columns = [
        text_column(_("Metric"), "metric"),
        text_column(_("Compared with"), "other"),
        number_column(_("Points"), "n", count),
        number_column("r", "r", THREE),
        number_column(_("r of the other"), "r_other", THREE),
        number_column(_("r between them"), "r_between", THREE),
        number_column("t", "t"),
        number_column("df", "df", count),
        number_column("p", "p", p_value),
        number_column(_("p (Holm)"), "p_holm", p_value),
    ]
    note = _(
        "Williams' test of two correlations with the same votes. Metrics that fall as votes rise are turned around "
        "first. p after Holm is over all pairs of this table."
    )
    return Table(
        "metric-pairs", _("Differences between metrics"), " ".join([note, *_caution(part)]), columns, part["pairs"]
    )


def _caution(part: Mapping[str, Any]) -> list[str]:
    """Of points that are files: docs/methods/metrics.md has by how much."""
    if part["level"] != "file":
        return []
    return [
        _(
            "Clips of one condition are alike: per file, intervals are too short and differences are found too often. "
            "Rely on the figures per condition."
        )
    ]


def notes(part: Mapping[str, Any]) -> list[str]:
    """What an expert reader should know: metrics without figures, points and conditions that are left out."""
    said = {
        "missing": _("{metric}: {missing} of {of} points have votes and no value, and are left out."),
        "constant": _("{metric}: all its values are the same, so that nothing can be said of it."),
        "constant_votes": _("{metric}: all mean votes are the same, so that nothing can be said of it."),
    }
    told = []
    for row in part["correlations"]:
        if row["problem"] == "few":
            words = ngettext(
                "{metric}: only {n} point has votes and a value. At least 3 are needed.",
                "{metric}: only {n} points have votes and a value. At least 3 are needed.",
                row["n"],
            )
            told.append(words.format(metric=row["metric"], n=row["n"]))
        elif row["problem"]:
            told.append(said[row["problem"]].format(metric=row["metric"]))
        elif row["n"] < len(part["points"]):
            counts = {"missing": len(part["points"]) - row["n"], "of": len(part["points"])}
            told.append(said["missing"].format(metric=row["metric"], **counts))
    left_out: dict[str, list[str]] = {}
    for row in part["left_out"]:
        left_out.setdefault(row["metric"], []).append(f"{row['condition']} ({row['n']}/{row['of']})")
    words = _("{metric}: conditions are left out of which not every rated clip has a value: {conditions}.")
    return [*told, *(words.format(metric=name, conditions=", ".join(of)) for name, of in left_out.items())]


def _figure(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
    chosen = MetricChoices(asked, result["parts"])
    return [metric_plot(chosen.part, chosen.metric)] if chosen.part else []


class MetricsReport(Report):
    template = "analysis/metrics.html"
    files: ClassVar[Mapping[str, ReportFile]] = {
        "metrics.svg": ReportFile(gettext_lazy("Votes over a metric (SVG)"), _figure, SVG)
    }

    def context(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Any]:
        chosen = MetricChoices(asked, result["parts"])
        if chosen.part is None:
            return {"asked": chosen}
        named = level_names()
        return {
            "asked": chosen,
            "scale_links": {scale: chosen.query(scale=scale) for scale in chosen.scales},
            "level_links": [(level, named[level], chosen.query(level=level)) for level in chosen.levels],
            "metric_links": {metric: chosen.query(metric=metric) for metric in chosen.metrics},
            "notes": notes(chosen.part),
            "figure": metric_plot(chosen.part, chosen.metric) if chosen.metric else "",
            "query": chosen.query(),
            "correlations": correlations(chosen.part),
            "errors": errors(chosen.part),
            "pairs": pairs(chosen.part),
        }

    def tables(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Table]:
        return {table.id: table for table in tables_in(self.context(experiment, result, asked))}
