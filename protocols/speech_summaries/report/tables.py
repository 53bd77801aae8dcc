"""Tables and texts of the speech summaries report, each table with a sentence that says what is counted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.reports.base import Result
from analysis.reports.page_tables import Column, PageTable, Row, count_of, figure, interval, laid_out, percent, word
from analysis.reports.paragraphs import methods_paragraph
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


def metric_figure(metric: str, value: float | None) -> str:
    return figure(value, 1 if metric in PERCENT else 2)


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


def paragraph(experiment: Experiment, result: Result) -> str:
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
    return methods_paragraph(experiment, result, told, counts=counts, reading=table["reading"]["name"])


def makers_of(count: int) -> str:
    return ngettext("{n} maker", "{n} makers", count).format(n=count)


Tables = Mapping[str, Any]
METRICS = ("sum_accy", "w_sum_accy", "bleu", "p_1", "p_2", "p_3", "p_4", "p_5", "wacc_mean", "wacc_best")
MOST_UTTERANCES = 60  # columns of the coverage table


def conditions(table: Tables) -> PageTable:
    """One line a condition, one column a metric: the shape of the paper's comparisons."""
    lines: dict[str, dict[str, Row]] = {}
    for row in table.get("rows", []):
        if row["condition"] is not None:
            lines.setdefault(row["condition"], {})[row["metric"]] = row
    rows = [{"condition": name, "metrics": metrics} for name, metrics in lines.items()]
    columns: list[Column] = [
        word(_("Condition"), "condition"),
        (_("Judges"), True, lambda row: figure(_mean(row, "judged"))),
        (_("95 % CI"), True, lambda row: interval(row["metrics"]["judged"]) if "judged" in row["metrics"] else "-"),
        *((metric_name(metric), True, _metric_of(metric)) for metric in METRICS),
        (_("Utterances"), True, lambda row: str(max(each["n_items"] for each in row["metrics"].values()))),
    ]
    note = _(
        "Means over utterances; higher is better in all. Judges: 1 to 5, mean of judges' means with a t interval over "
        "judges. SumACCY, WSumACCY and WACC in percent, at most 100; BLEU and pₙ are shares from 0 to 1."
    )
    return laid_out("conditions", _("By condition"), note, columns, rows)


def correlations(table: Tables) -> PageTable:
    found: dict[str, dict[str, float | None]] = {}
    for row in table.get("correlations", []):
        found.setdefault(row["metric"], {})[row["over"]] = row["r"]
    rows = [{"metric": metric_name(metric), **units} for metric, units in found.items()]
    columns: list[Column] = [
        word(_("Metric"), "metric"),
        (_("over conditions"), True, lambda row: figure(row.get("system"))),
        (_("over single versions"), True, lambda row: figure(row.get("summary"))),
    ]
    note = _(
        "Pearson's r of each metric with the judges' means, over means of conditions and over single versions. A dash: "
        "fewer than three points, or one side constant."
    )
    return laid_out("correlations", _("Does a metric follow the judges?"), note, columns, rows)


def curves(id: str, title: str, lines: Mapping[str, Sequence[Row]]) -> PageTable:
    """The figures of a picture of curves: a line a number of makers, a column a curve."""
    numbers = sorted({row["makers"] for rows in lines.values() for row in rows})
    by_place = {(name, row["makers"]): row for name, rows in lines.items() for row in rows}
    columns: list[Column] = [
        (_("Makers"), True, lambda row: str(row["makers"])),
        *((name, True, _range_of(name)) for name in lines),
    ]
    note = _("Mean over random orders of the makers, and from the lowest to the highest.")
    rows = [{"makers": number, "places": by_place} for number in numbers]
    return laid_out(id, title, note, columns, rows)


def _range_of(name: str) -> Any:
    def text(row: Row) -> str:
        found = row["places"].get((name, row["makers"]))
        if found is None or found["mean"] is None:
            return "-"
        return f"{figure(found['mean'])} ({figure(found['low'])} – {figure(found['high'])})"

    return text


def versions(table: Tables) -> PageTable:
    columns: list[Column] = [
        word(_("Utterance"), "item"),
        word(_("Condition"), "condition"),
        (_("Words"), True, count_of("n_words")),
        (_("Judges"), True, lambda row: figure(row["judged"])),
        (_("Ratings"), True, count_of("n_listeners")),
        *((metric_name(metric), True, _value_of(metric)) for metric in METRICS),
    ]
    note = _("Every version of every utterance. A dash: nobody was asked yet, or the version is too short for pₙ.")
    return laid_out("versions", _("Every version"), note, columns, table.get("items", []))


def utterances(table: Tables) -> PageTable:
    columns: list[Column] = [
        word(_("Utterance"), "item"),
        (_("Words"), True, count_of("n_words")),
        (_("Makers"), True, count_of("n_makers")),
        (_("Words kept, mean"), True, lambda row: figure(row["n_kept"], 1)),
        (_("Agreement (κ)"), True, lambda row: figure(row["kappa"])),
        (_("Recogniser's WACC (%)"), True, lambda row: figure(row["asr_accuracy"], 1)),
    ]
    note = _(
        "Agreement is Fleiss' kappa over words that were kept or left out: 0 is chance, 1 is all alike. The "
        "recogniser's word accuracy is against the transcript, where its words were brought in."
    )
    return laid_out("utterances", _("Utterances"), note, columns, table.get("utterances", []))


def makers(table: Tables) -> PageTable:
    columns: list[Column] = [
        (_("Maker"), False, lambda row: maker_word(row["maker"])),
        (_("Utterances"), True, count_of("n_items")),
        (_("Share kept"), True, lambda row: percent(row["share"])),
        (_("Distance (%)"), True, lambda row: figure(row["distance"], 1)),
        ("", False, lambda row: _("stands alone") if row["isolated"] else ""),
    ]
    note = _(
        "Distance: fewest errors to another maker's summary in percent of the longer, mean over the others, then over "
        "utterances. Maker 3 is subject_3 in the file of participants."
    )
    return laid_out("makers", _("Makers"), note, columns, table.get("makers", []))


def coverage(table: Tables) -> PageTable:
    """Who has summarised what, and in how many words."""
    names = [row["item"] for row in table.get("utterances", [])]
    kept: dict[int, dict[str, int]] = {}
    for row in table.get("picks", []):
        kept.setdefault(row["maker"], {})[row["item"]] = len(row["picked"])
    rows = [{"maker": maker, "kept": by_item} for maker, by_item in sorted(kept.items())]
    columns: list[Column] = [
        (_("Maker"), False, lambda row: maker_word(row["maker"])),
        *((name, True, _kept_of(name)) for name in names[:MOST_UTTERANCES]),
    ]
    note = _("How many words each maker kept of each utterance; a dash where no summary has been made yet.")
    return laid_out("coverage", _("Coverage"), note, columns, rows)


def words(utterance: Row) -> PageTable:
    """How many people kept each word: the network's nodes as figures."""
    counts, makers = dict(utterance["network"]["nodes"]), utterance["network"]["makers"]
    rows = [
        {"position": str(place), "word": token, "count": counts.get(place, 0)}
        for place, token in enumerate(utterance["tokens"], start=1)
    ]
    columns: list[Column] = [
        (_("Position"), True, lambda row: row["position"]),
        word(_("Word"), "word"),
        (_("Kept by"), True, count_of("count")),
        (_("Share"), True, lambda row: percent(row["count"] / makers)),
    ]
    return laid_out("words", _("Show the words as a table"), _("How many makers kept each word."), columns, rows)


def arcs(utterance: Row) -> PageTable:
    tokens, makers = utterance["tokens"], utterance["network"]["makers"]
    columns: list[Column] = [
        (_("From"), False, lambda row: _called(row["arc"][0], tokens)),
        (_("To"), False, lambda row: _called(row["arc"][1], tokens)),
        (_("Makers"), True, lambda row: str(row["arc"][2])),
        (_("Share"), True, lambda row: percent(row["arc"][2] / makers)),
    ]
    rows = [{"arc": arc} for arc in utterance["network"]["arcs"]]
    note = _("An arc: somebody's summary has the second word straight after the first.")
    return laid_out("arcs", _("Show the arcs as a table"), note, columns, rows)


def near_ties(version: Row, tokens: Sequence[str]) -> PageTable:
    columns: list[Column] = [
        (_("Path"), False, lambda row: " ".join(tokens[place - 1] for place in row["near"][0])),
        (_("Errors"), True, lambda row: str(row["near"][1])),
        ("SumACCY", True, lambda row: figure(row["near"][2], 1)),
        ("WSumACCY", True, lambda row: figure(row["near"][3], 1)),
    ]
    rows = [{"near": near} for near in version["near_ties"]]
    note = _("Other paths that are as close as the target, or one error farther, closest first.")
    return laid_out("near-ties", _("Near-ties"), note, columns, rows)


def _called(place: int | str, tokens: Sequence[str]) -> str:
    return f"{place} {tokens[place - 1]}" if isinstance(place, int) else place


def _mean(row: Row, metric: str) -> float | None:
    mean: float | None = row["metrics"].get(metric, {}).get("mean")
    return mean


def _metric_of(metric: str) -> Any:
    return lambda row: metric_figure(metric, _mean(row, metric))


def _value_of(metric: str) -> Any:
    return lambda row: metric_figure(metric, row[metric])


def _kept_of(item: str) -> Any:
    return lambda row: str(row["kept"].get(item, "-"))
