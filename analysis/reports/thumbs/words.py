"""What goes with the figures in words: what to know before reading them, and the paragraph for a methods section."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.reports.base import Result
from analysis.reports.paragraphs import methods_paragraph
from rating.models import Experiment

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
