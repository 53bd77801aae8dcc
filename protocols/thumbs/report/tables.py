"""Tables and texts of the THumBS report; every table says what is counted and which interval it has."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

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
    p_value,
    percent,
    range_column,
    signed,
    text_column,
)
from rating.models import Experiment

Tables = Mapping[str, Any]
Part = Callable[[Row], bool]

SCALE_NAMES = {
    "PRECISION": gettext_lazy("Precision"),
    "RECALL": gettext_lazy("Recall"),
    "FLUENCY": gettext_lazy("Fluency"),
    "CONCISENESS": gettext_lazy("Conciseness"),
    "IRRELEVANCE": gettext_lazy("Irrelevance"),
    "OVERALL": gettext_lazy("Overall"),
}


def means(rows: Sequence[Row]) -> Table:
    note = _(
        "The mean over assessors of each clip first, then over clips. SD and 95 % t interval are over clips: where the "
        "mean would lie with other clips. Overall = (precision + recall) / 2 + fluency + conciseness + irrelevance, "
        "of each assessor; penalties are negative, and a total may be."
    )
    return Table("means", _("Scores by source"), note, _mean_columns(), rows)


def over_assessors(table: Tables, part: Part) -> Table:
    note = _(
        "Each assessor's mean over clips first, then over assessors. SD and 95 % t interval are over assessors: where "
        "the mean would lie with other people."
    )
    rows = [row for row in table.get("over_assessors", []) if part(row)]
    return Table("over-assessors", _("The same over assessors"), note, _mean_columns(), rows)


def every_part(table: Tables) -> Table:
    rows = table.get("rows", [])
    told_apart = any(row["dataset"] is not None or row["group"] is not None for row in rows)
    note = _("As above, for every dataset and every group of people; intervals over clips.")
    columns = [text_column(_("Dataset"), "dataset"), text_column(_("Group"), "group"), *_mean_columns()]
    return Table("parts", _("Every dataset and group"), note, columns, rows if told_apart else [])


def contrasts(table: Tables, part: Part, against: str) -> Table:
    columns: list[Column] = [
        *_pair_columns(),
        range_column(_("95 % CI"), "ci_low", "ci_high", signed),
        Column(_("t (df)"), ("t", "df"), _t_and_df),
        number_column("p", "p", p_value),
        number_column(_("p (Holm)"), "p_holm", p_value),
        number_column(_("Cohen's d_z"), "d_z", signed),
        range_column(_("95 % CI of d_z"), "d_z_low", "d_z_high", signed),
    ]
    note = _(
        "The source less the one that it is compared with, clip by clip. Paired t test over clips, two-sided; Holm's "
        "adjustment is over the six scores of a pair. d_z is the mean difference in units of the differences' own SD, "
        "its interval from the noncentral t. The interval of the difference is not adjusted."
    )
    return Table("contrasts", _("Do sources differ?"), note, columns, _against(table, part, against))


def model_words() -> Words:
    return Words(_("Assessors"), _("Clips"), _("Source"), _scale_column())


def checks(table: Tables, part: Part, against: str) -> Table:
    columns: list[Column] = [
        *_pair_columns(),
        Column(_("Welch's t (df)"), ("t_welch", "df_welch"), partial(_t_and_df, places=1)),
        number_column("p", "p_welch", p_value),
        number_column(_("p (Holm)"), "p_welch_holm", p_value),
        number_column(_("Wilcoxon's W+"), "w_plus", decimals(1)),
        number_column("p", "p_wilcoxon", p_value),
        number_column(_("p (Holm)"), "p_wilcoxon_holm", p_value),
    ]
    note = _(
        "Welch's test takes the clips of the two sources as two samples, as a reader may find it elsewhere; Wilcoxon's "
        "signed-rank test is over the same pairs as the t test and asks nothing of their distribution."
    )
    return Table("checks", _("The same by other tests"), note, columns, _against(table, part, against))


def agreement(table: Tables, group: str | None) -> Table:
    columns: list[Column] = [
        _scale_column(),
        number_column(_("Assessors"), "n_assessors", count),
        number_column("ICC(A,1)", "icc_single"),
        range_column(_("95 % CI"), "icc_single_low", "icc_single_high"),
        number_column("ICC(A,k)", "icc_mean"),
        range_column(_("95 % CI"), "icc_mean_low", "icc_mean_high"),
        number_column(_("Captions"), "icc_captions", count),
        number_column(_("Krippendorff's alpha"), "alpha"),
        number_column(_("Marks"), "alpha_marks", count),
    ]
    note = _(
        "ICC(A,1): absolute agreement of a single assessor; ICC(A,k): of the mean of all;"
        " assessors and captions random, with "
        "95 % F intervals (McGraw and Wong 1996). They need captions that every assessor scored. Alpha takes "
        "missing scores; its level is interval."
    )
    rows = [row for row in table.get("agreement", []) if row["group"] == group and row["n_assessors"] > 1]
    return Table("agreement", _("Agreement between assessors"), note, columns, rows)


def synthesised(table: Tables) -> Table:
    columns: list[Column] = [
        text_column(_("Dataset"), "dataset"),
        text_column(_("Group"), "group"),
        number_column(_("Assessors"), "n_assessors", count),
        number_column(_("Clips"), "n_clips", count),
        Column(pgettext("answers", "Correct"), ("right", "n"), _share),
        number_column(_("Accuracy"), "accuracy", percent),
        range_column(_("95 % CI"), "ci_low", "ci_high", percent),
        Column(_("Synthesised, said so"), ("taken_for_synthesised", "n_synthesised"), _share),
        Column(_("Recorded, taken for it"), ("recorded_taken_for_synthesised", "n_recorded"), _share),
    ]
    note = _(
        '"Synthesised?" against the factor synthesised of each clip. Wilson\'s 95 % interval takes every answer as '
        "independent, so it is short where few people answered often."
    )
    title = _("Do people hear what is synthesised?")
    return Table("synthesised", title, note, columns, table.get("synthesised", []))


def assessors(table: Tables, group: str | None) -> Table:
    columns: list[Column] = [
        text_column(_("Assessor"), "rater"),
        text_column(_("Group"), "group"),
        _scale_column(),
        number_column(_("Captions"), "n", count),
        number_column(_("Mean"), "mean"),
        number_column(_("Bias"), "offset", signed),
        number_column("SD", "sd"),
        number_column(_("SD ÷ others"), "sd_ratio"),
        range_column(_("Range"), "low", "high", decimals(1)),
        number_column(_("r with others"), "r_with_others"),
    ]
    note = _(
        "Bias: the assessor's marks less the mean of the others on the same captions. SD over the assessor's own "
        "marks, and its ratio to the mean SD of the others: below 1 uses less of the scale. r: Pearson's correlation "
        "with the mean of the others."
    )
    rows = [row for row in table.get("assessors", []) if group in (None, row["group"])]
    return Table("assessors", _("Bias and use of the scales"), note, columns, rows)


def scale_name(scale: str) -> str:
    return str(SCALE_NAMES[scale])


def _scale_column() -> Column:
    return text_column(_("Score"), "scale", write=scale_name)


def _mean_columns() -> list[Column]:
    return [
        _scale_column(),
        text_column(_("Source"), "condition"),
        number_column(_("Clips"), "n_clips", count),
        number_column(_("Assessors"), "n_assessors", count),
        number_column(_("Marks"), "n_votes", count),
        number_column(_("Mean"), "mean"),
        number_column("SD", "sd"),
        range_column(_("95 % CI"), "ci_low", "ci_high"),
    ]


def _pair_columns() -> list[Column]:
    return [
        _scale_column(),
        text_column(_("Source"), "condition"),
        number_column(_("Clips"), "n_clips", count),
        number_column(_("Difference"), "difference", signed),
    ]


def _against(table: Tables, part: Part, against: str) -> list[Row]:
    return [row for row in table.get("contrasts", []) if part(row) and row["against"] == against]


def _share(hits: int, n: int) -> str:
    return _("{hits} of {n}").format(hits=hits, n=n)


def _t_and_df(t: float | None, df: float | None, places: int = 0) -> str:
    return figure(t) if t is None else f"{figure(t)} ({figure(df, places)})"


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


def methods_text(experiment: Experiment, result: Result) -> str:
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
            "Sources are compared by a mixed model (REML, assessors and clips random, each also by source; "
            "Satterthwaite's degrees of freedom; Holm's adjustment) and by a paired t test over clips with Holm's "
            "adjustment over six scores; the effect size is Cohen's d_z. Agreement is ICC(A,1), ICC(A,k) and "
            "Krippendorff's alpha at the interval level."
        ),
    ]
    return fill_methods_text(experiment, result, told, counts=counts)
