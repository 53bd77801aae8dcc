"""Tables and texts of the plane's report; every table says what is counted and which interval it has."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.reports.base import Result
from analysis.reports.page_tables import Column, PageTable, Row, count_of, figure, interval, laid_out, signed, word
from analysis.reports.paragraphs import methods_paragraph
from rating.models import Experiment

Tables = Mapping[str, Any]
LEAST_P = 0.001  # smaller ones are said to be below


def over_raters(table: Tables) -> PageTable:
    note = _(
        "Each rater's mean over recordings first; n is the number of raters, s.d. and covariance are over raters with "
        "n − 1. The 95 % ellipse of the mean is Hotelling's: its half axes, and the angle from the TC axis."
    )
    columns = [*_cloud_columns(_("Raters")), (_("Marks"), True, count_of("n_marks")), _mean_region()]
    return laid_out("conditions", _("By condition, over raters"), note, columns, table.get("rows", []))


def over_marks(table: Tables) -> PageTable:
    note = _(
        "Over all marks, as the cloud is drawn: n is the number of marks, s.d. and covariance with n − 1. The marks of "
        "one rater are not independent, so no interval is made of them."
    )
    rows = table.get("conditions_marks", [])
    return laid_out("conditions-marks", _("By condition, over marks"), note, _cloud_columns(_("Marks")), rows)


def by_recording(table: Tables, recording: str) -> PageTable:
    note = _(
        "Within one recording each rater has one mark: n is the number of raters, s.d. and covariance are over raters "
        "with n − 1. The 95 % ellipse of the mean is Hotelling's, over raters."
    )
    columns = [word(_("Recording"), "recording"), *_cloud_columns(_("Raters")), _mean_region()]
    rows = [row for row in table.get("recordings", []) if recording in ("", row["recording"])]
    return laid_out("recordings", _("By recording"), note, columns, rows)


def marks_sheet(table: Tables, recording: str) -> PageTable:
    """Every mark of the picture: a line a rater and recording, a column a condition."""
    conditions = [row["condition"] for row in table.get("rows", [])]
    cells: dict[tuple[str, Any], dict[str, Row]] = {}
    for row in table.get("points", []):
        if recording in ("", row["recording"]):
            cells.setdefault((row["recording"], row["rater"]), {})[row["condition"]] = row
    rows = [{"recording": where, "rater": who, "marks": marks} for (where, who), marks in sorted(cells.items())]
    columns = [
        word(_("Recording"), "recording"),
        word(_("Rater"), "rater"),
        *((name, True, _place_of(name)) for name in conditions),
    ]
    note = _("Every mark as TC / SD, from 0 to 1. Rater 3 is subject_3 in the file of participants.")
    return laid_out("marks", _("Show the marks as a table"), note, columns, rows)


def friedman(table: Tables) -> PageTable:
    columns: list[Column] = [
        word(_("Axis"), "scale"),
        (_("Blocks"), True, count_of("blocks")),
        (_("Dropped"), True, count_of("blocks_dropped")),
        ("χ²", True, lambda row: figure(row["chi2"])),
        ("df", True, count_of("df")),
        ("p", True, lambda row: p_value(row["p"])),
        (_("Kendall's W"), True, lambda row: figure(row["kendall_w"])),
    ]
    note = _(
        "Friedman's test on each axis. A block is one rater with one recording; blocks in which a condition is missing "
        "are dropped. With few raters its p is optimistic about other raters."
    )
    return laid_out("friedman", _("Do conditions differ?"), note, columns, _tested(table))


def contrasts(table: Tables, against: str) -> tuple[PageTable, list[str], str]:
    """The differences to one condition, the conditions to choose from, and the one that was chosen."""
    rows = table.get("contrasts", [])
    choices = list(dict.fromkeys(row["against"] for row in rows))
    chosen = against if against in choices else min(choices, default="", key=lambda name: (len(name) > 2, name))
    columns: list[Column] = [
        word(_("Condition"), "condition"),
        word(_("Axis"), "scale"),
        (_("Raters"), True, count_of("n_raters")),
        (_("Difference"), True, lambda row: signed(row["difference"])),
        (_("95 % CI"), True, lambda row: interval(row, signed)),
        (_("Blocks"), True, count_of("n_blocks")),
        ("W+", True, lambda row: figure(row["w_plus"], 1)),
        ("p", True, lambda row: p_value(row["p"])),
        (_("p (Holm)"), True, lambda row: p_value(row["p_holm"])),
    ]
    note = _(
        "The condition less the one that it is compared with, each rater's mean difference first; the interval is a 95 "
        "% t interval over raters and not adjusted. p is Wilcoxon's signed-rank test over blocks of rater and "
        "recording, two-sided; Holm's adjustment is over all pairs of an axis."
    )
    shown = [row for row in rows if row["against"] == chosen]
    return laid_out("contrasts", _("Differences"), note, columns, shown), choices, chosen


def agreement(table: Tables) -> PageTable:
    columns: list[Column] = [
        word(_("Axis"), "scale"),
        (_("Raters"), True, count_of("n_raters")),
        ("ICC(A,1)", True, lambda row: figure(row["icc"])),
        (_("95 % CI"), True, lambda row: interval({"ci_low": row["icc_low"], "ci_high": row["icc_high"]})),
        (_("Summaries"), True, count_of("icc_targets")),
        (_("Dropped"), True, count_of("icc_targets_dropped")),
        (_("Krippendorff's alpha"), True, lambda row: figure(row["alpha"])),
        word(_("Level"), "alpha_level"),
        (_("Marks"), True, count_of("alpha_marks")),
    ]
    note = _(
        "ICC(A,1): absolute agreement of a single rater, raters and summaries random, with its 95 % F interval (McGraw "
        "and Wong 1996); it needs summaries that all raters placed. Alpha takes missing marks; its level is interval, "
        "as distances on an axis count and its zero does not."
    )
    rows = table.get("agreement", []) if table.get("rows") else []
    return laid_out("agreement", _("Agreement between raters"), note, columns, rows)


def raters(table: Tables) -> PageTable:
    columns: list[Column] = [
        word(_("Rater"), "rater"),
        word(_("Axis"), "scale"),
        (_("Marks"), True, count_of("n")),
        (_("Mean"), True, lambda row: figure(row["mean"])),
        (_("Offset"), True, lambda row: signed(row["offset"])),
        (_("s.d."), True, lambda row: figure(row["sd"])),
        (_("s.d. ÷ others"), True, lambda row: figure(row["sd_ratio"])),
        (_("Range"), True, lambda row: f"{figure(row['low'])} – {figure(row['high'])}"),
        (_("r with others"), True, lambda row: figure(row["r_with_others"])),
    ]
    note = _(
        "Offset: the rater's marks less the mean of the others on the same summaries. s.d. over the rater's own marks, "
        "with n − 1, and its ratio to the mean s.d. of the others: below 1 uses less of the axis. r: Pearson's "
        "correlation with the mean of the others, which offset and scale use leave alone."
    )
    return laid_out("raters", _("How raters use the axes"), note, columns, table.get("raters", []))


def standardised(table: Tables) -> PageTable:
    columns: list[Column] = [
        word(_("Condition"), "condition"),
        word(_("Axis"), "scale"),
        (_("Raters"), True, count_of("n_raters")),
        (_("Mean"), True, lambda row: signed(row["mean"])),
        (_("s.d."), True, lambda row: figure(row["sd"])),
        (_("95 % CI"), True, lambda row: interval(row, signed)),
    ]
    note = _(
        "In units of each rater's own s.d. about the rater's own mean, so that only order is left; mean, s.d. (n − 1) "
        "and 95 % t interval over raters."
    )
    return laid_out("standardised", _("Without scale use"), note, columns, table.get("standardised", []))


def slopes(table: Tables) -> PageTable:
    columns: list[Column] = [
        word(_("Family"), "family"),
        word(_("Axis"), "scale"),
        (_("Raters"), True, count_of("n_raters")),
        (_("Marks"), True, count_of("n_marks")),
        (_("Slope on z"), True, lambda row: signed(row["slope"])),
        (_("95 % CI"), True, lambda row: interval(row, signed)),
        (_("r with z"), True, lambda row: figure(row["r_with_z"])),
    ]
    note = _(
        "How far a family moves along an axis as z grows by one: each rater's least-squares slope within recordings, "
        "then mean and 95 % t interval over raters. r is Pearson's, over marks."
    )
    return laid_out("trade-off", _("Trade-off along z"), note, columns, table.get("trade_off", []))


def families(table: Tables) -> PageTable:
    columns: list[Column] = [
        word(_("Family"), "family"),
        (_("Conditions"), True, count_of("n_conditions")),
        (_("Marks"), True, count_of("n_marks")),
        ("r(TC, SD)", True, lambda row: figure(row["correlation"])),
        (_("Area under the curve"), True, lambda row: figure(row["area"], 3)),
    ]
    note = _(
        "Pearson's r over the marks of a family; the area under the line through its condition means, from the least "
        "TC to the greatest. Areas over different ranges of TC cannot be compared."
    )
    return laid_out("families", _("Families of conditions"), note, columns, table.get("families", []))


def p_value(value: float | None) -> str:
    return f"< {figure(LEAST_P, 3)}" if value is not None and value < LEAST_P else figure(value, 3)


def _tested(table: Tables) -> list[Row]:
    """Friedman's rows, where there was something to test."""
    return [row for row in table.get("friedman", []) if row["blocks"] or row["blocks_dropped"]]


def _cloud_columns(counted: str) -> list[Column]:
    """Where a condition lies; `counted` says what n is."""
    return [
        word(_("Condition"), "condition"),
        (counted, True, count_of("n")),
        (_("TC mean"), True, lambda row: figure(row["tc_mean"], 3)),
        (_("TC s.d."), True, lambda row: figure(row["tc_sd"], 3)),
        (_("SD mean"), True, lambda row: figure(row["sd_mean"], 3)),
        (_("SD s.d."), True, lambda row: figure(row["sd_sd"], 3)),
        (_("Covariance"), True, lambda row: figure(row["cov"], 4)),
    ]


def _mean_region() -> Column:
    return _("95 % ellipse of the mean"), True, _ellipse


def _ellipse(row: Row) -> str:
    region = row["mean_95"]
    if region is None:
        return "-"
    return f"{figure(region['major'], 3)} × {figure(region['minor'], 3)}, {figure(region['angle_deg'], 0)}°"


def _place_of(condition: str) -> Callable[[Row], str]:
    def told(row: Row) -> str:
        mark = row["marks"].get(condition)
        return f"{figure(mark['tc'])} / {figure(mark['sd'])}" if mark else "-"

    return told


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
