"""What goes with the figures in words: what to know before reading them, and the paragraph for a methods section."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.reports.base import Result
from analysis.reports.paragraphs import methods_paragraph
from analysis.reports.plane.tables import p_value
from rating.models import Experiment

FEW_RATERS = 5  # as for the ellipse of the mean
SIGNIFICANT = 0.05


def warnings(table: Mapping[str, Any]) -> list[str]:
    """What an expert reader should know, in words; nothing where there are no marks."""
    counts = table.get("counts") or {}
    if not counts.get("marks"):
        return []
    told = [_few_raters(counts["raters"])] if counts["raters"] < FEW_RATERS else []
    return told + _about_blocks(table["friedman"][0]) + _about_agreement(table["agreement"][0])


def _few_raters(raters: int) -> str:
    return ngettext(
        "There is {n} rater. Look at the marks themselves: nothing can be said about other raters.",
        "There are {n} raters. Look at the marks themselves; intervals over so few raters are wide, and a 95 % ellipse "
        "of a mean is not drawn below five.",
        raters,
    ).format(n=raters)


def _about_blocks(test: Mapping[str, Any]) -> list[str]:
    """Both axes have the same blocks, as a mark has both coordinates."""
    told = []
    if test["blocks_dropped"]:
        told.append(
            _(
                "{dropped} of {of} blocks of rater and recording are incomplete; tests between conditions leave them "
                "out, means do not."
            ).format(dropped=test["blocks_dropped"], of=test["blocks"] + test["blocks_dropped"])
        )
    if test["blocks"] and test["pairs"] and test["least_p_holm"] > SIGNIFICANT:
        told.append(
            _(
                "With {blocks} blocks and {pairs} pairs no adjusted p can be below {least}: no pair can come out as "
                "different, whatever the marks."
            ).format(blocks=test["blocks"], pairs=test["pairs"], least=p_value(test["least_p_holm"]))
        )
    return told


def _about_agreement(row: Mapping[str, Any]) -> list[str]:
    if not row["icc_targets_dropped"]:
        return []
    sentence = _("{dropped} of {of} summaries were not placed by every rater: ICC leaves them out, alpha does not.")
    return [sentence.format(dropped=row["icc_targets_dropped"], of=row["icc_targets"] + row["icc_targets_dropped"])]


def paragraph(experiment: Experiment, result: Result) -> str:
    """Say what the figures are made of; nothing where there are none."""
    counts = result["counts"]
    if not counts.get("marks"):
        return ""
    told = [
        _(
            "{raters} raters placed the summaries of {recordings} recordings under {conditions} conditions on a plane "
            "of temporal consistency (TC) and source diversity (SD), both from 0 to 1, with the protocol {protocol} "
            "{protocol_version} (wording {wording}), {marks} marks in all."
        ),
        _(
            "Means are means of rater means; spread ellipses show one standard deviation of the marks (n − 1); 95 % "
            "ellipses of a mean are Hotelling regions over raters and are not drawn below five raters."
        ),
        _(
            "Conditions are compared on each axis by Friedman's test with raters × recordings as blocks and in pairs "
            "by Wilcoxon's signed-rank test with Holm's adjustment; differences have 95 % t intervals over raters."
        ),
        _("Agreement is ICC(A,1) and Krippendorff's alpha at the interval level."),
        _("Slopes on z are least-squares slopes of each rater, averaged.") if result["table"].get("trade_off") else "",
    ]
    return methods_paragraph(experiment, result, told, counts=counts)
