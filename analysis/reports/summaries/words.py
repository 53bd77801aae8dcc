"""The words of the summaries' results: names of metrics, what to know before reading, the paragraph about methods."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.reports.base import Result
from analysis.reports.page_tables import figure
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
