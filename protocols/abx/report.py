"""Report of ABX: how often X was identified in each pair, over trials and over listeners; figure and files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from analysis.exports import csv_lines
from analysis.reports import svg
from analysis.reports.base import Asked, Pieces, Report, ReportFile, Result
from analysis.reports.messages import fill_methods_text, listener_sentences
from analysis.reports.tables import (
    Column,
    Row,
    Table,
    count,
    number_column,
    p_value,
    percent,
    range_column,
    text_column,
)
from rating.models import Experiment

WIDTH, GUTTER, ROW_PX, TOP = 900, 250, 30, 24
PAIR = ("condition", "against")
COUNTS = ("n_trials", "n_correct", "share", "ci_low", "ci_high", "p", "p_holm")
COLUMNS = {
    "rows": (
        *PAIR,
        "n_listeners",
        *COUNTS,
        *("mean_share", "mean_low", "mean_high", "n_above", "n_below", "p_listeners", "p_listeners_holm"),
    ),
    "by_item": ("item", *PAIR, "n_listeners", *COUNTS),
    "listeners": ("rater", *PAIR, *COUNTS),
    "trials": (
        *("rater", "session", "position", "item", *PAIR, "a_is", "x_is", "answer", "correct"),
        *("heard_a_ms", "heard_b_ms", "heard_x_ms", "switches"),
    ),
}


def pair_name(row: Row) -> str:
    return _pair(row["condition"], row["against"])


def _pair(condition: str, against: str) -> str:
    return f"{condition} – {against}"


def _pair_column() -> Column:
    return text_column(_("Pair"), *PAIR, write=_pair)


def _counted(*before: Column) -> list[Column]:
    return [
        *before,
        _pair_column(),
        number_column(_("Trials"), "n_trials", count),
        number_column(pgettext("answers", "Correct"), "n_correct", count),
        number_column(pgettext("proportion", "Share"), "share", percent),
        range_column(_("95 % CI"), "ci_low", "ci_high", percent),
        number_column("p", "p", p_value),
        number_column(_("p (Holm)"), "p_holm", p_value),
    ]


def pooled(table: Result) -> Table:
    note = _(
        "All trials of a pair together: exact limits, and the exact one-sided binomial test against a half. A small p "
        "says that at least one listener could tell the two apart. It says nothing about other listeners."
    )
    columns = [*_counted(), number_column(_("Listeners"), "n_listeners", count)]
    return Table("pooled", _("All trials"), note, columns, table.get("rows", []))


def over_listeners(table: Result) -> Table:
    note = _(
        "One value a listener, the share of correct answers: mean with its t interval, and Wilcoxon's one-sided "
        "signed-rank test against a half. This is the test to report about listeners in general."
    )
    columns = [
        _pair_column(),
        number_column(_("Listeners"), "n_listeners", count),
        number_column(_("Mean share"), "mean_share", percent),
        range_column(_("95 % CI"), "mean_low", "mean_high", percent),
        number_column(_("Above a half"), "n_above", count),
        number_column(_("Below a half"), "n_below", count),
        number_column("p", "p_listeners", p_value),
        number_column(_("p (Holm)"), "p_listeners_holm", p_value),
    ]
    return Table("over-listeners", _("Listeners as the unit"), note, columns, table.get("rows", []))


def _more(table: Result) -> Iterator[Table]:
    note = _("Trials of one item, over all listeners. Holm's adjustment is over all rows.")
    columns = _counted(text_column(_("Item"), "item"))
    yield Table("by-item", _("By item"), note, columns, table.get("by_item", []))
    note = _("Trials of one listener. Holm's adjustment is over the pairs of that listener.")
    columns = _counted(number_column(_("Listener"), "rater", str))
    yield Table("listeners", _("By listener"), note, columns, table.get("listeners", []))


def shares_plot(rows: Sequence[Row]) -> str:
    """Draw the share of each pair on its exact interval, over all trials, and where chance lies."""
    bottom = TOP + ROW_PX * len(rows)
    span = svg.Span(0, 1, GUTTER, WIDTH - 90)
    chance = svg.line(span.at(0.5), TOP - 8, span.at(0.5), bottom, stroke_dasharray="6 4", opacity=0.8)
    return svg.drawing(
        svg.x_axis(span, bottom, title=_("share of correct answers"), grid_to=TOP, most=6),
        chance,
        svg.text(span.at(0.5), TOP - 12, _("chance"), anchor="middle", opacity=0.8),
        *(_share(row, span, TOP + ROW_PX * (place + 0.5)) for place, row in enumerate(rows)),
        width=WIDTH,
        height=bottom + 48,
        title=_("Correct answers by pair, with exact 95 % CI"),
        description="; ".join(f"{pair_name(row)}: {percent(row['share'])}" for row in rows),
        name="abx",
    )


def _share(row: Row, span: svg.Span, y: float) -> str:
    low, high = span.at(row["ci_low"]), span.at(row["ci_high"])
    return svg.group(
        svg.text(GUTTER - 14, y + 4, pair_name(row), anchor="end"),
        svg.line(low, y, high, y, stroke_width=2, opacity=0.7),
        *(svg.line(end, y - 4, end, y + 4, stroke_width=2, opacity=0.7) for end in (low, high)),
        svg.mark(0, span.at(row["share"]), y),
        svg.text(WIDTH - 20, y + 4, f"{row['n_correct']} / {row['n_trials']}", anchor="end", opacity=0.8),
    )


def _warnings(table: Result) -> list[str]:
    sentences = {
        "few_listeners": _(
            "With {listeners} listeners and {pairs} pairs the test over listeners cannot become significant, whatever "
            "is answered; it takes {needed}."
        ),
        "few_trials": _(
            "With {trials} trials of a pair and {pairs} pairs no single listener's test can become significant, "
            "whatever is answered; it takes {needed}."
        ),
    }
    return [sentences[row["code"]].format_map(row) for row in table.get("warnings", []) if row["code"] in sentences]


def _methods_text(experiment: Experiment, result: Result) -> str:
    rows = result["table"].get("rows", [])
    if not rows:
        return ""
    trials = result["table"].get("listeners", [])
    sentences = [
        _("{listeners} listeners answered {trials} ABX trials on {pairs} pairs ({protocol} {protocol_version})."),
        _("Which condition was A and which sound was X were balanced and their order drawn for each listener."),
        _(
            "Shares of correct answers have Clopper-Pearson limits; pooled trials were tested against a half by the "
            "exact one-sided binomial test, listeners' shares by the one-sided signed-rank test, both with Holm's "
            "adjustment over pairs."
        ),
    ]
    counts = {
        "listeners": len({row["rater"] for row in trials}),
        "trials": sum(row["n_trials"] for row in rows),
        "pairs": len(rows),
    }
    return fill_methods_text(experiment, result, sentences, counts=counts)


def _csv(part: str) -> Callable[[Experiment, Result, Asked], Pieces]:
    return lambda experiment, result, asked: csv_lines(result["table"].get(part, []), columns=list(COLUMNS[part]))


class AbxReport(Report):
    template = "abx/report.html"
    long = ("trials",)
    files: ClassVar[Mapping[str, ReportFile]] = {
        "abx_pairs.csv": ReportFile(gettext_lazy("One row a pair (CSV)"), _csv("rows")),
        "abx_items.csv": ReportFile(gettext_lazy("One row a pair and item (CSV)"), _csv("by_item")),
        "abx_listeners.csv": ReportFile(gettext_lazy("One row a pair and listener (CSV)"), _csv("listeners")),
        "abx_trials.csv": ReportFile(gettext_lazy("One row a trial (CSV)"), _csv("trials")),
        "abx.svg": ReportFile(
            gettext_lazy("Correct answers by pair (SVG)"),
            lambda experiment, result, asked: [shares_plot(result["table"].get("rows", []))],
            "image/svg+xml",
        ),
    }

    def context(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Any]:
        table = result["table"]
        rows = table.get("rows", [])
        return {
            "plot": shares_plot(rows) if rows else "",
            "pooled": pooled(table),
            "over_listeners": over_listeners(table),
            "more": [each for each in _more(table) if each.rows],
            "warnings": [*listener_sentences(table), *_warnings(table)],
            "methods_text": _methods_text(experiment, result),
        }
