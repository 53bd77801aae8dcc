"""Tables and files of the chaptering report: names of metrics, an overview, one metric in detail, comparisons."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.exports import csv_lines
from analysis.reports.base import Result
from analysis.reports.messages import fill_methods_text
from analysis.reports.tables import (
    Column,
    Table,
    count,
    decimals,
    number_column,
    percent,
    range_column,
    signed,
    text_column,
)
from protocols.chaptering.analysis.metrics import METRICS
from rating.models import Experiment

Row = Mapping[str, Any]

# In the order of the catalogue.
METRIC_NAMES = {
    "precision": gettext_lazy("Precision"),
    "recall": gettext_lazy("Recall"),
    "f1": gettext_lazy("F1"),
    "accuracy": gettext_lazy("Accuracy"),
    "specificity": gettext_lazy("Specificity"),
    "pk": "Pk",
    "window_diff": "WindowDiff",
    "boundary_similarity": gettext_lazy("Boundary similarity"),
    "ghd": gettext_lazy("Generalised Hamming distance"),
    "num_segments": gettext_lazy("Boundary chunks"),
    "reference/num_segments": gettext_lazy("Boundary chunks of the other side"),
    "collar_precision": gettext_lazy("Precision within the collar"),
    "collar_recall": gettext_lazy("Recall within the collar"),
    "collar_f1": gettext_lazy("F1 within the collar"),
    "tm_matched": gettext_lazy("Titles with a partner"),
    "tm_rl_precision": gettext_lazy("Paired titles, ROUGE-L precision"),
    "tm_rl_recall": gettext_lazy("Paired titles, ROUGE-L recall"),
    "tm_rl_f1": gettext_lazy("Paired titles, ROUGE-L F1"),
    "gc_rl_precision": gettext_lazy("All titles, ROUGE-L precision"),
    "gc_rl_recall": gettext_lazy("All titles, ROUGE-L recall"),
    "gc_rl_f1": gettext_lazy("All titles, ROUGE-L F1"),
}


def against_words() -> dict[str, str]:
    return {"reference": _("the reference"), "people": _("people")}


def who(row: Row) -> str:
    """A person by number, a system by the name of the moment."""
    return annotator(row["annotator"], row["condition"])


def annotator(number: int | None, condition: str | None = None) -> str:
    if number is not None:
        return _("Annotator {n}").format(n=number).replace(" ", "\N{NO-BREAK SPACE}")
    return str(condition or _("Reference"))


def who_column(title: str) -> Column:
    return text_column(title, "annotator", "condition", write=annotator)


def by_kind(row: Row) -> tuple[int, int, str]:
    """The reference, then systems by their name of the moment, then people by number."""
    return row["condition"] is None and row["annotator"] is not None, row["annotator"] or 0, row["condition"] or ""


def unit_of(metric: str) -> str:
    """The unit of a metric and which way is better; the catalogue has both."""
    unit = _(METRICS[metric].unit)
    if METRICS[metric].lower_is_better is None:
        return unit
    better = _("lower is better") if METRICS[metric].lower_is_better else _("higher is better")
    return f"{unit}; {better}"


def moment(seconds: float) -> str:
    """1:02:03.4, with hours only where there are any."""
    tenths = round(seconds * 10)
    minutes, rest = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    text = f"{minutes:02d}:{rest / 10:04.1f}" if hours else f"{minutes}:{rest / 10:04.1f}"
    return f"{hours}:{text}" if hours else text


def warning_sentences(warnings: Sequence[Row]) -> list[str]:
    """What an expert reader should know, in words."""
    sentences = {
        "short": _("{n} answers are about a recording that is shorter than a chunk; they have no metrics."),
        "outside": _("{n} answers are compared where a boundary lies outside the recording."),
        "tail": _(
            "{n} answers are compared where a boundary lies in the last part, which fills no chunk; it counts in the "
            "collar metrics alone."
        ),
        "unsorted": _("{n} answers are compared with boundaries out of order; these were sorted."),
        "repeated": _("{n} answers are compared where a boundary is there twice; in the collar metrics each counts."),
        "titles-unsorted": _("{n} answers are compared with titles out of order; they are compared as listed."),
        "titles-outside": _("{n} answers are compared where a title starts outside the recording."),
        "no-boundaries": _(
            "{n} answers and their reference have no boundary. They agree, but precision, recall and F1 of nothing are "
            "0 by convention."
        ),
        "no-reference-titles": _("{n} answers have a reference without titles; titles are not compared there."),
    }
    return [sentences[row["code"]].format(n=row["answers"]) for row in warnings if row["code"] in sentences]


BOUNDARY_COLUMNS = ("item", "kind", "annotator", "condition", "chapter", "start_s", "end_s", "title", "duration_s")


def json_lines(table: Row) -> Iterator[str]:
    """One line for every answer about a recording that has a reference, in the fields of chunkseg and more beside."""
    answers = table.get("answers", [])
    references = {row["item"]: row for row in answers if row["kind"] == "reference"}
    for row in sorted(answers, key=lambda row: (row["item"], by_kind(row))):
        reference = references.get(row["item"])
        if row["kind"] == "reference" or reference is None:
            continue
        line = {
            "hypothesis": row["boundaries_s"],
            "reference": reference["boundaries_s"],
            "duration": row["duration_s"],
            "hyp_titles": row["titles"],
            "reference_titles": reference["titles"],
            **{name: row[name] for name in ("item", "kind", "annotator", "condition")},
        }
        yield json.dumps(line, ensure_ascii=False) + "\n"


def boundaries(table: Row) -> Iterator[str]:
    """Every chapter of every answer; the first of each begins at 0, which is no boundary."""
    answers = sorted(table.get("answers", []), key=lambda row: (row["item"], by_kind(row)))
    return csv_lines((chapter for row in answers for chapter in chapters_of(row)), columns=BOUNDARY_COLUMNS)


def chapters_of(answer: Row) -> Iterator[dict[str, Any]]:
    titles = {start_s: title for title, start_s in answer["titles"] or ()}
    starts_s = [0.0, *answer["boundaries_s"]]
    for number, (start_s, end_s) in enumerate(zip(starts_s, [*starts_s[1:], answer["duration_s"]], strict=True), 1):
        span = {"chapter": number, "start_s": start_s, "end_s": end_s, "title": titles.get(start_s, "")}
        yield {**answer, **span}


PLACES = 3


def overview(table: Row, against: str) -> Table:
    """One row for each source: its mean on every metric that stands for its family."""
    measured = [row for row in table["rows"] if row["compared_with"] == against]
    sizes = {_source(row): row["mean"] for row in table["rows"] if row["metric"] == "chapters"}
    headlines = [name for name in METRIC_NAMES if METRICS[name].headline and any(r["metric"] == name for r in measured)]
    rows = [
        {
            **first,
            **dict.fromkeys(headlines),
            "chapters": sizes.get(source),
            **{row["metric"]: row["mean"] for row in of_source},
        }
        for source, of_source in _by_source(measured or _sizes(table)).items()
        for first in of_source[:1]
    ]
    columns: list[Column] = [
        who_column(_("Answers by")),
        number_column(_("Recordings"), "n_items", count),
        number_column(_("Chapters"), "chapters", decimals(1)),
        *(number_column(_metric_name(name), name, decimals(PLACES)) for name in headlines),
    ]
    note = _("Means over recordings, held against {other}. Lower is better for: {lower}.").format(
        other=against_words().get(against, "-"),
        lower=", ".join(str(METRIC_NAMES[name]) for name in headlines if METRICS[name].lower_is_better) or "-",
    )
    return Table("overview", _("Overview"), note if measured else "", columns, sorted(rows, key=by_kind))


def means(table: Row, metric: str, against: str) -> Table:
    rows = [row for row in table["rows"] if (row["metric"], row["compared_with"]) == (metric, against)]
    return Table("means", _("As a table"), _interval_note(), _mean_columns(), sorted(rows, key=by_kind))


def differences(table: Row, against: str) -> Table:
    """Each two systems once, whichever name of the moment comes first."""
    rows = [
        row
        for row in table.get("differences", [])
        if row["compared_with"] == against and row["condition"] < row["against"]
    ]
    columns: list[Column] = [
        text_column(_("Metric"), "metric", write=_metric_name),
        text_column(_("Systems"), "condition", "against", write="{} − {}".format),
        number_column(_("Recordings"), "n_items", count),
        number_column(_("Difference"), "difference", signed),
        range_column(_("95 % CI"), "ci_low", "ci_high", signed),
        number_column("p", "p", decimals(PLACES)),
        number_column(_("p, Holm"), "p_holm", decimals(PLACES)),
    ]
    note = _(
        "Paired over recordings: mean difference with the percentile interval of a bootstrap, and a two-sided "
        "permutation test that flips signs, corrected over all rows by Holm's method."
    )
    if rows and min(row["p_smallest"] for row in rows) * len(rows) > 0.05:
        note += " " + _("There are too few recordings for any of these p values to fall below 0.05.")
    return Table("differences", _("Systems compared"), note, columns, rows)


def chapters(table: Row, item: str) -> Table:
    """What stands in the timeline, in words."""
    answers = sorted((row for row in table.get("answers", []) if row["item"] == item), key=by_kind)
    columns: list[Column] = [
        who_column(_("Answers by")),
        number_column(_("Chapter"), "chapter", count),
        number_column(_("From"), "start_s", moment),
        number_column(_("To"), "end_s", moment),
        text_column(_("Title"), "title", write=lambda title: title or "-"),
    ]
    note = _("The first chapter begins at 0, which is no boundary.")
    rows = [chapter for row in answers for chapter in chapters_of(row)]
    return Table("chapters", _("As a table"), note, columns, rows)


def more(table: Row, metric: str, against: str) -> list[Table]:
    made = [_pairs(table, metric), _people(table), _every_metric(table), _by_recording(table, metric, against)]
    return [each for each in made if each.rows]


def methods_text(experiment: Experiment, result: Result) -> str:
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
    return fill_methods_text(experiment, result, [told], counts=counts, **also)


def _pairs(table: Row, metric: str) -> Table:
    rows = [row for row in table.get("pairs", []) if row["metric"] == metric]
    columns: list[Column] = [
        text_column(_("Annotator"), "annotator", write=annotator),
        text_column(_("Taken as the reference"), "reference_annotator", write=annotator),
        *_mean_columns()[1:],
    ]
    note = _("{metric} of every two people, over the recordings that both have answered.").format(
        metric=METRIC_NAMES.get(metric, "-")
    )
    return Table("pairs", _("Person against person"), note, columns, rows)


def _people(table: Row) -> Table:
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
        who_column(_("Annotator")),
        number_column(_("Recordings"), "n_items", count),
        number_column(_("Chapters"), "chapters", decimals(1)),
        number_column(_("Heard"), "heard", percent),
    ]
    note = _("Chapters in a recording, and the share of the sound that was heard at least once.")
    return Table("people", _("Annotators"), note, columns, sorted(rows, key=by_kind))


def _every_metric(table: Row) -> Table:
    rows = [row for row in table["rows"] if row["compared_with"]]
    order = list(METRIC_NAMES)
    shown = sorted(
        rows, key=lambda row: (row["compared_with"] != "reference", order.index(row["metric"]), by_kind(row))
    )
    columns: list[Column] = [
        text_column(_("Held against"), "compared_with", write=against_words().__getitem__),
        text_column(_("Metric"), "metric", write=_metric_name),
        text_column(_("Unit"), "metric", write=unit_of),
        *_mean_columns(),
    ]
    return Table("metrics", _("Every metric"), _interval_note(), columns, shown)


def _by_recording(table: Row, metric: str, against: str) -> Table:
    rows = [row for row in table.get("by_item", []) if row["compared_with"] == against and metric in row]
    columns: list[Column] = [
        text_column(_("Recording"), "item"),
        who_column(_("Answers by")),
        number_column(str(METRIC_NAMES.get(metric, "-")), metric, decimals(PLACES)),
    ]
    note = _("Held against {other}.").format(other=against_words().get(against, "-"))
    shown = sorted(rows, key=lambda row: (row["item"], by_kind(row)))
    return Table("by-recording", _("By recording"), note, columns, shown)


def _mean_columns() -> list[Column]:
    return [
        who_column(_("Answers by")),
        number_column(_("Recordings"), "n_items", count),
        number_column(_("Mean"), "mean", decimals(PLACES)),
        number_column(_("SE"), "se", decimals(PLACES)),
        range_column(_("95 % CI"), "ci_low", "ci_high", decimals(PLACES)),
    ]


def _metric_name(metric: str) -> str:
    return str(METRIC_NAMES[metric])


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
