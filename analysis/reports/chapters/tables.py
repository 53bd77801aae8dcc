"""The tables of chapters: an overview, one metric in detail, comparisons, and everything there is."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from analysis.methods.chapters.catalogue import METRICS
from analysis.reports.base import Result
from analysis.reports.chapters.files import chapters_of
from analysis.reports.chapters.words import METRIC_NAMES, against_words, by_kind, moment, unit_of, who
from analysis.reports.page_tables import Column, PageTable, count_of, figure, interval, laid_out, percent, signed, word
from analysis.reports.paragraphs import methods_paragraph
from rating.models import Experiment

PLACES = 3

Row = Mapping[str, Any]


def overview(table: Row, against: str) -> PageTable:
    """One row for each source: its mean on every metric that stands for its family."""
    measured = [row for row in table["rows"] if row["compared_with"] == against]
    sizes = {_source(row): row["mean"] for row in table["rows"] if row["metric"] == "chapters"}
    headlines = [name for name in METRIC_NAMES if METRICS[name].headline and any(r["metric"] == name for r in measured)]
    rows = [
        {**first, "chapters": sizes.get(source), **{row["metric"]: row["mean"] for row in of_source}}
        for source, of_source in _by_source(measured or _sizes(table)).items()
        for first in of_source[:1]
    ]
    columns: list[Column] = [
        (_("Answers by"), False, who),
        (_("Recordings"), True, count_of("n_items")),
        (_("Chapters"), True, lambda row: figure(row["chapters"], 1)),
        *(_mean_of(name) for name in headlines),
    ]
    note = _("Means over recordings, held against {other}. Lower is better for: {lower}.").format(
        other=against_words().get(against, "-"),
        lower=", ".join(str(METRIC_NAMES[name]) for name in headlines if METRICS[name].lower_is_better) or "-",
    )
    return laid_out("overview", _("Overview"), note if measured else "", columns, sorted(rows, key=by_kind))


def means(table: Row, metric: str, against: str) -> PageTable:
    rows = [row for row in table["rows"] if (row["metric"], row["compared_with"]) == (metric, against)]
    return laid_out("means", _("As a table"), _interval_note(), _mean_columns(), sorted(rows, key=by_kind))


def differences(table: Row, against: str) -> PageTable:
    """Each two systems once, whichever name of the moment comes first."""
    rows = [
        row
        for row in table.get("differences", [])
        if row["compared_with"] == against and row["condition"] < row["against"]
    ]
    columns: list[Column] = [
        (_("Metric"), False, lambda row: str(METRIC_NAMES[row["metric"]])),
        (_("Systems"), False, lambda row: f"{row['condition']} − {row['against']}"),
        (_("Recordings"), True, count_of("n_items")),
        (_("Difference"), True, lambda row: signed(row["difference"])),
        (_("95 % CI"), True, lambda row: interval(row, signed)),
        ("p", True, lambda row: figure(row["p"], PLACES)),
        (_("p, Holm"), True, lambda row: figure(row["p_holm"], PLACES)),
    ]
    note = _(
        "Paired over recordings: mean difference with the percentile interval of a bootstrap, and a two-sided "
        "permutation test that flips signs, corrected over all rows by Holm's method."
    )
    if rows and min(row["p_smallest"] for row in rows) * len(rows) > 0.05:
        note += " " + _("There are too few recordings for any of these p values to fall below 0.05.")
    return laid_out("differences", _("Systems compared"), note, columns, rows)


def chapters(table: Row, item: str) -> PageTable:
    """What stands in the timeline, in words."""
    answers = sorted((row for row in table.get("answers", []) if row["item"] == item), key=by_kind)
    columns: list[Column] = [
        (_("Answers by"), False, who),
        (_("Chapter"), True, count_of("chapter")),
        (_("From"), True, lambda row: moment(row["start_s"])),
        (_("To"), True, lambda row: moment(row["end_s"])),
        (_("Title"), False, lambda row: row["title"] or "-"),
    ]
    note = _("The first chapter begins at 0, which is no boundary.")
    rows = [chapter for row in answers for chapter in chapters_of(row)]
    return laid_out("chapters", _("As a table"), note, columns, rows)


def more(table: Row, metric: str, against: str) -> list[PageTable]:
    made = [_pairs(table, metric), _people(table), _every_metric(table), _by_recording(table, metric, against)]
    return [each for each in made if each.lines]


def paragraph(experiment: Experiment, result: Result) -> str:
    """Say what the figures are made of; nothing where there are none."""
    counts, settings = result["counts"], result["table"].get("settings")
    if not counts or not settings:
        return ""
    told = _(
        "{annotators} annotators gave {answers} answers about {recordings} recordings, {references} of which have a "
        "reference. Boundaries are compared in chunks of {chunk_size:g} s and within a collar of {collar:g} s, titles "
        "by ROUGE-L within {tolerance:g} s. Intervals: {intervals}, {num_bootstrap} rounds, seed {seed}. Tests: "
        "{tests}."
    )
    also = {name: value for name, value in settings.items() if name != "version"}
    return methods_paragraph(experiment, result, [told], counts=counts, **also)


def _pairs(table: Row, metric: str) -> PageTable:
    rows = [row for row in table.get("pairs", []) if row["metric"] == metric]
    columns: list[Column] = [
        (_("Annotator"), False, who_of("annotator")),
        (_("Taken as the reference"), False, who_of("reference_annotator")),
        *_mean_columns()[1:],
    ]
    note = _("{metric} of every two people, over the recordings that both have answered.").format(
        metric=METRIC_NAMES.get(metric, "-")
    )
    return laid_out("pairs", _("Person against person"), note, columns, rows)


def _people(table: Row) -> PageTable:
    """How much each person did, and heard."""
    answers = [row for row in table.get("answers", []) if row["annotator"] is not None]
    rows = [
        {
            **of_one[0],
            "n_items": len(of_one),
            "chapters": sum(len(row["boundaries_s"]) + 1 for row in of_one) / len(of_one),
            "heard": sum(row["heard_s"] for row in of_one) / sum(row["duration_s"] for row in of_one),
        }
        for of_one in _by_source(answers).values()
    ]
    columns: list[Column] = [
        (_("Annotator"), False, who),
        (_("Recordings"), True, count_of("n_items")),
        (_("Chapters"), True, lambda row: figure(row["chapters"], 1)),
        (_("Heard"), True, lambda row: percent(row["heard"])),
    ]
    note = _("Chapters in a recording, and the share of the sound that was heard at least once.")
    return laid_out("people", _("Annotators"), note, columns, sorted(rows, key=by_kind))


def _every_metric(table: Row) -> PageTable:
    rows = [row for row in table["rows"] if row["compared_with"]]
    order = list(METRIC_NAMES)
    shown = sorted(
        rows, key=lambda row: (row["compared_with"] != "reference", order.index(row["metric"]), by_kind(row))
    )
    columns: list[Column] = [
        (_("Held against"), False, lambda row: against_words()[row["compared_with"]]),
        (_("Metric"), False, lambda row: str(METRIC_NAMES[row["metric"]])),
        (_("Unit"), False, lambda row: unit_of(row["metric"])),
        *_mean_columns(),
    ]
    return laid_out("metrics", _("Every metric"), _interval_note(), columns, shown)


def _by_recording(table: Row, metric: str, against: str) -> PageTable:
    rows = [row for row in table.get("by_item", []) if row["compared_with"] == against and metric in row]
    columns: list[Column] = [
        word(_("Recording"), "item"),
        (_("Answers by"), False, who),
        (str(METRIC_NAMES.get(metric, "-")), True, lambda row: figure(row[metric], PLACES)),
    ]
    note = _("Held against {other}.").format(other=against_words().get(against, "-"))
    shown = sorted(rows, key=lambda row: (row["item"], by_kind(row)))
    return laid_out("by-recording", _("By recording"), note, columns, shown)


def _mean_columns() -> list[Column]:
    return [
        (_("Answers by"), False, who),
        (_("Recordings"), True, count_of("n_items")),
        (_("Mean"), True, lambda row: figure(row["mean"], PLACES)),
        (_("SE"), True, lambda row: figure(row["se"], PLACES)),
        (_("95 % CI"), True, lambda row: interval(row, lambda end: figure(end, PLACES))),
    ]


def _mean_of(name: str) -> Column:
    return str(METRIC_NAMES[name]), True, lambda row: figure(row.get(name), PLACES)


def who_of(column: str) -> Any:
    return lambda row: who({"annotator": row[column], "condition": None})


def _interval_note() -> str:
    return _("Percentile intervals of a seeded bootstrap over recordings; one recording alone has none.")


def _source(row: Row) -> tuple[int | None, str | None]:
    return row["annotator"], row["condition"]


def _by_source(rows: Iterable[Row]) -> dict[tuple[int | None, str | None], list[Row]]:
    found: dict[tuple[int | None, str | None], list[Row]] = {}
    for row in rows:
        found.setdefault(_source(row), []).append(row)
    return found


def _sizes(table: Row) -> list[Row]:
    return [row for row in table["rows"] if row["metric"] == "chapters"]
