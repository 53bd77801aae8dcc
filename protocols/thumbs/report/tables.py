"""Tables and texts of the THumBS report; every table says what is counted and which interval it has."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analysis.reports.base import Result
from analysis.reports.page_tables import (
    Column,
    PageTable,
    Row,
    count_of,
    figure,
    interval,
    laid_out,
    percent,
    signed,
    word,
)
from analysis.reports.paragraphs import methods_paragraph
from rating.models import Experiment

Tables = Mapping[str, Any]
Part = Callable[[Row], bool]
LEAST_P = 0.001  # smaller ones are said to be below

SCALE_NAMES = {
    "PRECISION": gettext_lazy("Precision"),
    "RECALL": gettext_lazy("Recall"),
    "FLUENCY": gettext_lazy("Fluency"),
    "CONCISENESS": gettext_lazy("Conciseness"),
    "IRRELEVANCE": gettext_lazy("Irrelevance"),
    "OVERALL": gettext_lazy("Overall"),
}


def means(rows: Sequence[Row]) -> PageTable:
    note = _(
        "The mean over assessors of each clip first, then over clips. SD and 95 % t interval are over clips: where the "
        "mean would lie with other clips. Overall = (precision + recall) / 2 + fluency + conciseness + irrelevance, "
        "of each assessor; penalties are negative, and a total may be."
    )
    return laid_out("means", _("Scores by source"), note, _mean_columns(), rows)


def over_assessors(table: Tables, part: Part) -> PageTable:
    note = _(
        "Each assessor's mean over clips first, then over assessors. SD and 95 % t interval are over assessors: where "
        "the mean would lie with other people."
    )
    rows = [row for row in table.get("over_assessors", []) if part(row)]
    return laid_out("over-assessors", _("The same over assessors"), note, _mean_columns(), rows)


def every_part(table: Tables) -> PageTable:
    rows = table.get("rows", [])
    told_apart = any(row["dataset"] is not None or row["group"] is not None for row in rows)
    note = _("As above, for every dataset and every group of people; intervals over clips.")
    columns = [word(_("Dataset"), "dataset"), word(_("Group"), "group"), *_mean_columns()]
    return laid_out("parts", _("Every dataset and group"), note, columns, rows if told_apart else [])


def contrasts(table: Tables, part: Part, against: str) -> PageTable:
    columns: list[Column] = [
        *_pair_columns(),
        (_("95 % CI"), True, lambda row: interval(row, signed)),
        (_("t (df)"), True, lambda row: _t_and_df(row["t"], row["df"], 0)),
        ("p", True, lambda row: p_value(row["p"])),
        (_("p (Holm)"), True, lambda row: p_value(row["p_holm"])),
        (_("Cohen's d_z"), True, lambda row: signed(row["d_z"])),
        (_("95 % CI of d_z"), True, lambda row: interval(_limits(row, "d_z"), signed)),
    ]
    note = _(
        "The source less the one that it is compared with, clip by clip. Paired t test over clips, two-sided; Holm's "
        "adjustment is over the six scores of a pair. d_z is the mean difference in units of the differences' own SD, "
        "its interval from the noncentral t. The interval of the difference is not adjusted."
    )
    return laid_out("contrasts", _("Do sources differ?"), note, columns, _against(table, part, against))


def checks(table: Tables, part: Part, against: str) -> PageTable:
    columns: list[Column] = [
        *_pair_columns(),
        (_("Welch's t (df)"), True, lambda row: _t_and_df(row["t_welch"], row["df_welch"], 1)),
        ("p", True, lambda row: p_value(row["p_welch"])),
        (_("p (Holm)"), True, lambda row: p_value(row["p_welch_holm"])),
        (_("Wilcoxon's W+"), True, lambda row: figure(row["w_plus"], 1)),
        ("p", True, lambda row: p_value(row["p_wilcoxon"])),
        (_("p (Holm)"), True, lambda row: p_value(row["p_wilcoxon_holm"])),
    ]
    note = _(
        "Welch's test takes the clips of the two sources as two samples, as a reader may find it elsewhere; Wilcoxon's "
        "signed-rank test is over the same pairs as the t test and asks nothing of their distribution."
    )
    return laid_out("checks", _("The same by other tests"), note, columns, _against(table, part, against))


def agreement(table: Tables, group: str | None) -> PageTable:
    columns: list[Column] = [
        _scale_column(),
        (_("Assessors"), True, count_of("n_assessors")),
        ("ICC(A,1)", True, lambda row: figure(row["icc_single"])),
        (_("95 % CI"), True, lambda row: interval(_limits(row, "icc_single"))),
        ("ICC(A,k)", True, lambda row: figure(row["icc_mean"])),
        (_("95 % CI"), True, lambda row: interval(_limits(row, "icc_mean"))),
        (_("Captions"), True, count_of("icc_captions")),
        (_("Krippendorff's alpha"), True, lambda row: figure(row["alpha"])),
        (_("Marks"), True, count_of("alpha_marks")),
    ]
    note = _(
        "ICC(A,1): absolute agreement of a single assessor; ICC(A,k): of the mean of all;"
        " assessors and captions random, with "
        "95 % F intervals (McGraw and Wong 1996). They need captions that every assessor scored. Alpha takes "
        "missing scores; its level is interval."
    )
    rows = [row for row in table.get("agreement", []) if row["group"] == group and row["n_assessors"] > 1]
    return laid_out("agreement", _("Agreement between assessors"), note, columns, rows)


def synthesised(table: Tables) -> PageTable:
    columns: list[Column] = [
        word(_("Dataset"), "dataset"),
        word(_("Group"), "group"),
        (_("Assessors"), True, count_of("n_assessors")),
        (_("Clips"), True, count_of("n_clips")),
        (_("Right"), True, _share_of("right", "n")),
        (_("Accuracy"), True, lambda row: percent(row["accuracy"])),
        (_("95 % CI"), True, lambda row: interval(row, lambda share: percent(share or 0))),
        (_("Synthesised, said so"), True, _share_of("taken_for_synthesised", "n_synthesised")),
        (_("Recorded, taken for it"), True, _share_of("recorded_taken_for_synthesised", "n_recorded")),
    ]
    note = _(
        '"Synthesised?" against the factor synthesised of each clip. Wilson\'s 95 % interval takes every answer as '
        "independent, so it is short where few people answered often."
    )
    title = _("Do people hear what is synthesised?")
    return laid_out("synthesised", title, note, columns, table.get("synthesised", []))


def assessors(table: Tables, group: str | None) -> PageTable:
    columns: list[Column] = [
        word(_("Assessor"), "rater"),
        word(_("Group"), "group"),
        _scale_column(),
        (_("Captions"), True, count_of("n")),
        (_("Mean"), True, lambda row: figure(row["mean"])),
        (_("Bias"), True, lambda row: signed(row["offset"])),
        ("SD", True, lambda row: figure(row["sd"])),
        (_("SD ÷ others"), True, lambda row: figure(row["sd_ratio"])),
        (_("Range"), True, lambda row: f"{figure(row['low'], 1)} – {figure(row['high'], 1)}"),
        (_("r with others"), True, lambda row: figure(row["r_with_others"])),
    ]
    note = _(
        "Bias: the assessor's marks less the mean of the others on the same captions. SD over the assessor's own "
        "marks, and its ratio to the mean SD of the others: below 1 uses less of the scale. r: Pearson's correlation "
        "with the mean of the others."
    )
    rows = [row for row in table.get("assessors", []) if group in (None, row["group"])]
    return laid_out("assessors", _("Bias and use of the scales"), note, columns, rows)


def p_value(value: float | None) -> str:
    return f"< {figure(LEAST_P, 3)}" if value is not None and value < LEAST_P else figure(value, 3)


def scale_name(scale: str) -> str:
    return str(SCALE_NAMES[scale])


def _scale_column() -> Column:
    return _("Score"), False, lambda row: scale_name(row["scale"])


def _mean_columns() -> list[Column]:
    return [
        _scale_column(),
        word(_("Source"), "condition"),
        (_("Clips"), True, count_of("n_clips")),
        (_("Assessors"), True, count_of("n_assessors")),
        (_("Marks"), True, count_of("n_votes")),
        (_("Mean"), True, lambda row: figure(row["mean"])),
        ("SD", True, lambda row: figure(row["sd"])),
        (_("95 % CI"), True, interval),
    ]


def _pair_columns() -> list[Column]:
    return [
        _scale_column(),
        word(_("Source"), "condition"),
        (_("Clips"), True, count_of("n_clips")),
        (_("Difference"), True, lambda row: signed(row["difference"])),
    ]


def _against(table: Tables, part: Part, against: str) -> list[Row]:
    return [row for row in table.get("contrasts", []) if part(row) and row["against"] == against]


def _share_of(hits: str, n: str) -> Callable[[Row], str]:
    return lambda row: _("{hits} of {n}").format(hits=row[hits], n=row[n])


def _t_and_df(t: float | None, df: float | None, places: int) -> str:
    return figure(t) if t is None else f"{figure(t)} ({figure(df, places)})"


def _limits(row: Row, name: str) -> Row:
    return {"ci_low": row[f"{name}_low"], "ci_high": row[f"{name}_high"]}


FEW_CLIPS = 6  # below, no exact Wilcoxon p can be smaller than 0.05


def warnings(table: Mapping[str, Any]) -> list[str]:
    """What an expert reader should know, in words; nothing where there are no marks."""
    counts = table.get("counts") or {}
    if not counts.get("marks"):
        return []
    told = []
    if counts["assessors"] == 1:
        told.append(_("There is one assessor: nothing can be said about agreement, or about other people."))
    if counts["clips"] < FEW_CLIPS:
        told.append(
            ngettext(
                "There is {n} clip. Intervals and tests are over clips, and say nothing with so few.",
                "There are {n} clips. Intervals and tests are over clips, and say little with so few.",
                counts["clips"],
            ).format(n=counts["clips"])
        )
    if counts["sources"] == 1:
        told.append(_("All captions have one source: there is nothing to compare."))
    return told + _about_agreement(table["agreement"])


def _about_agreement(rows: list[Mapping[str, Any]]) -> list[str]:
    every = [row for row in rows if row["group"] is None and row["scale"] == "PRECISION"]
    if not every or every[0]["icc_captions"] == every[0]["captions"]:
        return []
    sentence = _("{dropped} of {of} captions were not scored by every assessor: ICC leaves them out, alpha does not.")
    return [sentence.format(dropped=every[0]["captions"] - every[0]["icc_captions"], of=every[0]["captions"])]


def paragraph(experiment: Experiment, result: Result) -> str:
    """Say what the figures are made of; nothing where there are none."""
    counts = result["table"].get("counts") or {}
    if not counts.get("marks"):
        return ""
    told = [
        _(
            "{assessors} assessors scored the captions of {clips} clips by {sources} sources, sources hidden and in an "
            "order drawn for each assessor and clip, with the protocol {protocol} {protocol_version} (wording "
            "{wording})."
        ),
        _(
            "Overall is (precision + recall) / 2 plus the penalties for fluency, conciseness and irrelevance, of each "
            "assessor. Scores are averaged over assessors, then over clips; intervals are 95 % t intervals over clips."
        ),
        _(
            "Sources are compared by a paired t test over clips with Holm's adjustment over six scores; the effect "
            "size is Cohen's d_z. Agreement is ICC(A,1), ICC(A,k) and Krippendorff's alpha at the interval level."
        ),
    ]
    return methods_paragraph(experiment, result, told, counts=counts)
