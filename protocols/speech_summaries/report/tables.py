"""Tables and texts of the speech summaries report, each table with a sentence that says what is counted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from analysis.reports.base import Result
from analysis.reports.messages import fill_methods_text
from analysis.reports.model_tables import Words
from analysis.reports.tables import (
    Column,
    Row,
    Table,
    count,
    decimals,
    figure,
    number_column,
    percent,
    range_column,
    text_column,
)
from rating.models import Experiment

PERCENT = ("sum_accy", "w_sum_accy", "wacc_mean", "wacc_best")  # the others are shares from 0 to 1


def metric_name(metric: str) -> str:
    known = {
        "judged": _("Judges"),
        "sum_accy": "SumACCY",
        "w_sum_accy": "WSumACCY",
        "bleu": "BLEU",
        "wacc_mean": _("WACC, mean"),
        "wacc_best": _("WACC, best"),
        "kappa": _("Agreement of makers"),
    }
    return known.get(metric) or f"p{metric.removeprefix('p_').translate(str.maketrans('0123456789', '₀₁₂₃₄₅₆₇₈₉'))}"


def metric_axis(metric: str) -> str:
    unit = "%" if metric in PERCENT else _("share, 0 to 1")
    return f"{metric_name(metric)} ({unit})"


def maker_word(maker: int) -> str:
    return _("Maker {number}").format(number=maker)


def warning_sentences(warnings: Iterable[Mapping[str, Any]]) -> list[str]:
    said = {
        "few_makers": _(
            "Only {makers} people made summaries. The metrics rise with every maker; with fewer than {wanted} they say "
            "more about the makers than about the versions."
        ),
        "isolated": _(
            "Maker {maker} stands alone: {distance} % away from the others on average. Nobody is left out for that; "
            "one such person lowers every correlation."
        ),
        "incomplete": _("{missing} of {of} summaries have not been made yet."),
        "ambiguous": _(
            "{versions} versions came as words, and some of their words could lie at more than one place of the "
            "transcript. The latest place was taken."
        ),
        "no_curves": _(
            "With so many makers and versions the curves take minutes. Download the evaluation and run "
            "manage.py evaluate_summaries FILE.json --curves 20."
        ),
    }
    return [
        said[row["code"]].format(**{**row, "distance": figure(row.get("distance"), 0)})
        for row in warnings
        if row["code"] in said
    ]


def methods_text(experiment: Experiment, result: Result) -> str:
    """Say what the figures are made of; nothing where there are none."""
    counts, table = result["counts"], result["table"]
    if not counts or not (counts["summaries"] or counts["ratings"]):
        return ""
    told = [
        _(
            "{makers} people summarised {utterances} utterances by picking words ({summaries} summaries), and {judges} "
            "others rated versions of hidden source from 1 to 5 ({ratings} ratings), with the protocol {protocol} "
            "{protocol_version} (wording {wording})."
        ),
        _(
            "SumACCY is the word accuracy against the closest path of the merged network of all summaries, WSumACCY "
            "weighs it by the share of people behind that path (Hori, Hori and Furui 2003; reading {reading}); figures "
            "are plain means over utterances."
        ),
        _("A version that is a maker's own is measured by the others alone."),
        _("The judges' means are means of judges' means, with 95 % t intervals over judges."),
    ]
    return fill_methods_text(experiment, result, told, counts=counts, reading=table["reading"]["name"])


def makers_of(count: int) -> str:
    return ngettext("{n} maker", "{n} makers", count).format(n=count)


Tables = Mapping[str, Any]
METRICS = ("sum_accy", "w_sum_accy", "bleu", "p_1", "p_2", "p_3", "p_4", "p_5", "wacc_mean", "wacc_best")
MOST_UTTERANCES = 60  # columns of the coverage table
CURVE = ("mean", "low", "high")  # of one point


def conditions(table: Tables) -> Table:
    """One line a condition, one column a metric: the shape of the paper's comparisons."""
    lines: dict[str, dict[str, Row]] = {}
    for row in table.get("rows", []):
        if row["condition"] is not None:
            lines.setdefault(row["condition"], {})[row["metric"]] = row
    rows = [
        {
            "condition": name,
            **{metric: found.get(metric, {}).get("mean") for metric in ("judged", *METRICS)},
            **{end: found.get("judged", {}).get(end) for end in ("ci_low", "ci_high")},
            "n_items": max(each["n_items"] for each in found.values()),
        }
        for name, found in lines.items()
    ]
    columns: list[Column] = [
        text_column(_("Condition"), "condition"),
        number_column(_("Judges"), "judged"),
        range_column(_("95 % CI"), "ci_low", "ci_high"),
        *_metric_columns(),
        number_column(_("Utterances"), "n_items", str),
    ]
    note = _(
        "Means over utterances; higher is better in all. Judges: 1 to 5, mean of judges' means with a t interval over "
        "judges. SumACCY, WSumACCY and WACC in percent, at most 100; BLEU and pₙ are shares from 0 to 1."
    )
    return Table("conditions", _("By condition"), note, columns, rows)


def model_words() -> Words:
    return Words(_("Judges"), _("Utterances"), _("Condition"), text_column(_("Scale"), "scale"))


def correlations(table: Tables) -> Table:
    found: dict[str, dict[str, float | None]] = {}
    for row in table.get("correlations", []):
        found.setdefault(row["metric"], {"system": None, "summary": None})[row["over"]] = row["r"]
    rows = [{"metric": metric, **units} for metric, units in found.items()]
    columns: list[Column] = [
        text_column(_("Metric"), "metric", write=metric_name),
        number_column(_("over conditions"), "system"),
        number_column(_("over single versions"), "summary"),
    ]
    note = _(
        "Pearson's r of each metric with the judges' means, over means of conditions and over single versions. A dash: "
        "fewer than three points, or one side constant."
    )
    return Table("correlations", _("Does a metric follow the judges?"), note, columns, rows)


def curves(id: str, title: str, lines: Mapping[str, Sequence[Row]]) -> Table:
    """The figures of a picture of curves: a line a number of makers, a column a curve."""
    numbers = sorted({row["makers"] for rows in lines.values() for row in rows})
    by_place = {(name, row["makers"]): row for name, rows in lines.items() for row in rows}
    columns: list[Column] = [
        number_column(_("Makers"), "makers", str),
        *(Column(name, tuple(f"{name} {part}" for part in CURVE), _mean_and_range) for name in lines),
    ]
    note = _("Mean over random orders of the makers, and from the lowest to the highest.")
    rows = [
        {"makers": makers}
        | {f"{name} {part}": by_place.get((name, makers), {}).get(part) for name in lines for part in CURVE}
        for makers in numbers
    ]
    return Table(id, title, note, columns, rows)


def _mean_and_range(mean: float | None, low: float | None, high: float | None) -> str:
    return "-" if mean is None else f"{figure(mean)} ({figure(low)} – {figure(high)})"


def versions(table: Tables) -> Table:
    columns: list[Column] = [
        text_column(_("Utterance"), "item"),
        text_column(_("Condition"), "condition"),
        number_column(_("Words"), "n_words", count),
        number_column(_("Judges"), "judged"),
        number_column(_("Ratings"), "n_listeners", count),
        *_metric_columns(),
    ]
    note = _("Every version of every utterance. A dash: nobody was asked yet, or the version is too short for pₙ.")
    return Table("versions", _("Every version"), note, columns, table.get("items", []))


def utterances(table: Tables) -> Table:
    columns: list[Column] = [
        text_column(_("Utterance"), "item"),
        number_column(_("Words"), "n_words", count),
        number_column(_("Makers"), "n_makers", count),
        number_column(_("Words kept, mean"), "n_kept", decimals(1)),
        number_column(_("Agreement (κ)"), "kappa"),
        number_column(_("Recogniser's WACC (%)"), "asr_accuracy", decimals(1)),
    ]
    note = _(
        "Agreement is Fleiss' kappa over words that were kept or left out: 0 is chance, 1 is all alike. The "
        "recogniser's word accuracy is against the transcript, where its words were brought in."
    )
    return Table("utterances", _("Utterances"), note, columns, table.get("utterances", []))


def makers(table: Tables) -> Table:
    columns: list[Column] = [
        text_column(_("Maker"), "maker", write=maker_word),
        number_column(_("Utterances"), "n_items", count),
        number_column(_("Share kept"), "share", percent),
        number_column(_("Distance (%)"), "distance", decimals(1)),
        text_column("", "isolated", write=lambda isolated: _("stands alone") if isolated else ""),
    ]
    note = _(
        "Distance: fewest errors to another maker's summary in percent of the longer, mean over the others, then over "
        "utterances. Maker 3 is subject_3 in the file of participants."
    )
    return Table("makers", _("Makers"), note, columns, table.get("makers", []))


def coverage(table: Tables) -> Table:
    """Who has summarised what, and in how many words."""
    names = [row["item"] for row in table.get("utterances", [])]
    kept: dict[int, dict[str, int]] = {}
    for row in table.get("picks", []):
        kept.setdefault(row["maker"], {})[row["item"]] = len(row["picked"])
    rows = [{"maker": maker, **dict.fromkeys(names), **by_item} for maker, by_item in sorted(kept.items())]
    columns: list[Column] = [
        text_column(_("Maker"), "maker", write=maker_word),
        *(number_column(name, name, decimals(0)) for name in names[:MOST_UTTERANCES]),
    ]
    note = _("How many words each maker kept of each utterance; a dash where no summary has been made yet.")
    return Table("coverage", _("Coverage"), note, columns, rows)


def words(utterance: Row) -> Table:
    """How many people kept each word: the network's nodes as figures."""
    counts, makers = dict(utterance["network"]["nodes"]), utterance["network"]["makers"]
    rows = [
        {"position": place, "word": token, "count": counts.get(place, 0), "share": counts.get(place, 0) / makers}
        for place, token in enumerate(utterance["tokens"], start=1)
    ]
    columns: list[Column] = [
        number_column(_("Position"), "position", str),
        text_column(_("Word"), "word"),
        number_column(_("Kept by"), "count", count),
        number_column(pgettext("proportion", "Share"), "share", percent),
    ]
    return Table("words", _("Show the words as a table"), _("How many makers kept each word."), columns, rows)


def arcs(utterance: Row) -> Table:
    tokens, makers = utterance["tokens"], utterance["network"]["makers"]
    columns: list[Column] = [
        text_column(_("From"), "from"),
        text_column(_("To"), "to"),
        number_column(_("Makers"), "makers", str),
        number_column(pgettext("proportion", "Share"), "share", percent),
    ]
    rows = [
        {"from": _called(start, tokens), "to": _called(end, tokens), "makers": kept, "share": kept / makers}
        for start, end, kept in utterance["network"]["arcs"]
    ]
    note = _("An arc: a person's summary has the second word straight after the first.")
    return Table("arcs", _("Show the arcs as a table"), note, columns, rows)


def near_ties(version: Row, tokens: Sequence[str]) -> Table:
    columns: list[Column] = [
        text_column(_("Path"), "path"),
        number_column(_("Errors"), "errors", str),
        number_column("SumACCY", "sum_accy", decimals(1)),
        number_column("WSumACCY", "w_sum_accy", decimals(1)),
    ]
    rows = [
        {
            "path": " ".join(tokens[place - 1] for place in path),
            "errors": errors,
            "sum_accy": score,
            "w_sum_accy": weighed,
        }
        for path, errors, score, weighed in version["near_ties"]
    ]
    note = _("Other paths that are as close as the target, or one error farther, closest first.")
    return Table("near-ties", _("Near-ties"), note, columns, rows)


def _called(place: int | str, tokens: Sequence[str]) -> str:
    return f"{place} {tokens[place - 1]}" if isinstance(place, int) else place


def _metric_columns() -> list[Column]:
    return [number_column(metric_name(metric), metric, decimals(1 if metric in PERCENT else 2)) for metric in METRICS]
