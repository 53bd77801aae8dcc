"""Tables and texts of the plane's report; every table says what is counted and which interval it has."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

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
    range_column,
    signed,
    text_column,
)
from rating.models import Experiment

Tables = Mapping[str, Any]


def over_raters(table: Tables) -> Table:
    note = _(
        "Each rater's mean over recordings first; n is the number of raters, s.d. and covariance are over raters with "
        "n − 1. The 95 % ellipse of the mean is Hotelling's: its half axes, and the angle from the TC axis."
    )
    columns = [*_cloud_columns(_("Raters")), number_column(_("Marks"), "n_marks", count), _mean_region()]
    return Table("conditions", _("By condition, over raters"), note, columns, table.get("rows", []))


def over_marks(table: Tables) -> Table:
    note = _(
        "Over all marks, as the cloud is drawn: n is the number of marks, s.d. and covariance with n − 1. The marks of "
        "one rater are not independent, so no interval is made of them."
    )
    rows = table.get("conditions_marks", [])
    return Table("conditions-marks", _("By condition, over marks"), note, _cloud_columns(_("Marks")), rows)


def by_recording(table: Tables, recording: str) -> Table:
    note = _(
        "Within one recording each rater has one mark: n is the number of raters, s.d. and covariance are over raters "
        "with n − 1. The 95 % ellipse of the mean is Hotelling's, over raters."
    )
    columns = [text_column(_("Recording"), "recording"), *_cloud_columns(_("Raters")), _mean_region()]
    rows = [row for row in table.get("recordings", []) if recording in ("", row["recording"])]
    return Table("recordings", _("By recording"), note, columns, rows)


def marks_sheet(table: Tables, recording: str) -> Table:
    """Every mark of the picture: a line a rater and recording, a column a condition."""
    conditions = [row["condition"] for row in table.get("rows", [])]
    cells: dict[tuple[str, Any], dict[str, Row]] = {}
    for row in table.get("points", []):
        if recording in ("", row["recording"]):
            cells.setdefault((row["recording"], row["rater"]), {})[row["condition"]] = row
    rows = [
        {"recording": where, "rater": who}
        | {f"{name} {axis}": marks.get(name, {}).get(axis.lower()) for name in conditions for axis in ("TC", "SD")}
        for (where, who), marks in sorted(cells.items())
    ]
    columns = [
        text_column(_("Recording"), "recording"),
        text_column(_("Rater"), "rater"),
        *(Column(name, (f"{name} TC", f"{name} SD"), _place) for name in conditions),
    ]
    note = _("Every mark as TC / SD, from 0 to 1. Rater 3 is subject_3 in the file of participants.")
    return Table("marks", _("Show the marks as a table"), note, columns, rows)


def friedman(table: Tables) -> Table:
    columns: list[Column] = [
        text_column(_("Axis"), "scale"),
        number_column(_("Blocks"), "blocks", count),
        number_column(_("Dropped"), "blocks_dropped", count),
        number_column("χ²", "chi2"),
        number_column("df", "df", count),
        number_column("p", "p", p_value),
        number_column(_("Kendall's W"), "kendall_w"),
    ]
    note = _(
        "Friedman's test on each axis. A block is one rater with one recording; blocks in which a condition is missing "
        "are dropped. Where raters differ in what they think of a condition, blocks of one rater are not independent: "
        "equal conditions then come out as different in 23 to 55 of 100 studies, not in 5. Rely on the tests above."
    )
    return Table("friedman", _("Tests over blocks of rater and recording"), note, columns, _tested(table))


def contrasts(table: Tables, against: str) -> tuple[Table, list[str], str]:
    """The differences to one condition, the conditions to choose from, and the one that was chosen."""
    rows = table.get("contrasts", [])
    choices = list(dict.fromkeys(row["against"] for row in rows))
    chosen = against if against in choices else min(choices, default="", key=lambda name: (len(name) > 2, name))
    columns: list[Column] = [
        text_column(_("Condition"), "condition"),
        text_column(_("Axis"), "scale"),
        number_column(_("Raters"), "n_raters", count),
        number_column(_("Difference"), "difference", signed),
        range_column(_("95 % CI"), "ci_low", "ci_high", signed),
        number_column(_("Blocks"), "n_blocks", count),
        number_column("W+", "w_plus", decimals(1)),
        number_column("p", "p", p_value),
        number_column(_("p (Holm)"), "p_holm", p_value),
        number_column(_("p (Holm, all scales)"), "p_holm_all", p_value),
    ]
    note = _(
        "The condition less the one that it is compared with, each rater's mean difference first; the interval is a 95 "
        "% t interval over raters and not adjusted. p is Wilcoxon's signed-rank test over blocks of rater and "
        "recording, two-sided; Holm's adjustment is over all pairs of an axis, and of both. Where raters differ in "
        "what they think of a condition, this p is too small: two equal conditions then come out as different in "
        "12 to 24 of 100 studies before the adjustment, not in 5. Rely on the tests above."
    )
    shown = [row for row in rows if row["against"] == chosen]
    return Table("contrasts", _("Differences over blocks"), note, columns, shown), choices, chosen


def model_words() -> Words:
    return Words(_("Raters"), _("Recordings"), _("Condition"), text_column(_("Axis"), "scale"), places=3)


def both_axes(table: Tables) -> Table:
    columns: list[Column] = [
        number_column(_("Raters"), "n_raters", count),
        number_column("F", "f"),
        Column("df", ("df", "df_error"), _two_df),
        number_column("R²", "r2"),
        number_column("p", "p", p_value),
        number_column(_("Permutations"), "permutations", count),
    ]
    note = _(
        "Both axes at once: a permutation analysis of variance of each rater's means, conditions permuted within each "
        "rater, from a fixed seed. Raters are the unit; it speaks of other raters on the same recordings."
    )
    return Table("both-axes", _("Do conditions differ?"), note, columns, table.get("both_axes", []))


def on_plane(table: Tables, against: str) -> Table:
    columns: list[Column] = [
        text_column(_("Condition"), "condition"),
        number_column(_("Raters"), "n_raters", count),
        number_column("TC", "tc", signed),
        number_column("SD", "sd", signed),
        number_column(_("Distance"), "distance", decimals(3)),
        number_column("T²", "t2"),
        number_column("F", "f"),
        number_column(_("df of the error"), "df_error", count),
        number_column("p", "p", p_value),
        number_column(_("p (Holm)"), "p_holm", p_value),
    ]
    note = _(
        "Both axes at once: Hotelling's paired test of rater means, two and n − 2 degrees of freedom; Holm's "
        "adjustment is over all pairs."
    )
    rows = [row for row in table.get("pairs_on_plane", []) if row["against"] == against]
    return Table("pairs-on-plane", _("Differences on the plane"), note, columns, rows)


def recording_effects(table: Tables, against: str, recording: str) -> Table:
    columns: list[Column] = [
        text_column(_("Recording"), "recording"),
        text_column(_("Condition"), "condition"),
        text_column(_("Compared with"), "against"),
        text_column(_("Axis"), "scale"),
        number_column(_("Raters"), "n_raters", count),
        number_column(_("Difference"), "difference", signed),
        range_column(_("95 % CI"), "ci_low", "ci_high", signed),
        number_column("p", "p", p_value),
        number_column(_("p (Holm)"), "p_holm", p_value),
    ]
    note = _(
        "Within each recording, the condition less the one that it is compared with, by a paired t test over raters: "
        "it speaks of other raters on that recording. Holm's adjustment is over both axes and all pairs of a recording."
    )
    rows = [
        row
        for row in table.get("recording_effects", [])
        if row["against"] == against and recording in ("", row["recording"])
    ]
    return Table("recording-effects", _("Differences within each recording"), note, columns, rows)


def equal_z(table: Tables) -> Table:
    columns: list[Column] = [
        text_column(_("Family"), "family"),
        text_column(_("Compared with"), "other"),
        text_column(_("Axis"), "scale"),
        text_column("z", "z", write=_z),
        number_column(_("Difference"), "difference", signed),
        range_column(_("95 % CI"), "ci_low", "ci_high", signed),
        number_column("df", "df", decimals(1)),
        number_column("p", "p", p_value),
        number_column(_("p (Holm)"), "p_holm", p_value),
    ]
    note = _(
        "One family less another at the same z, such as a method against the reference of an expert, by the mixed "
        "model. Holm's adjustment is over both axes and all z; that of the means over z is over both axes."
    )
    return Table("equal-z", _("Families at equal z"), note, columns, table.get("equal_z", []))


def _z(value: float | None) -> str:
    return _("mean") if value is None else f"{value:g}"


def _two_df(first: int, second: int) -> str:
    return f"{count(first)}; {count(second)}"


def agreement(table: Tables) -> Table:
    columns: list[Column] = [
        text_column(_("Axis"), "scale"),
        number_column(_("Raters"), "n_raters", count),
        number_column("ICC(A,1)", "icc"),
        range_column(_("95 % CI"), "icc_low", "icc_high"),
        number_column(_("Summaries"), "icc_targets", count),
        number_column(_("Dropped"), "icc_targets_dropped", count),
        number_column(_("Krippendorff's alpha"), "alpha"),
        text_column(_("Level"), "alpha_level"),
        number_column(_("Marks"), "alpha_marks", count),
    ]
    note = _(
        "ICC(A,1): absolute agreement of a single rater, raters and summaries random, with its 95 % F interval (McGraw "
        "and Wong 1996); it needs summaries that all raters placed. Alpha takes missing marks; its level is interval, "
        "as distances on an axis count and its zero does not."
    )
    rows = table.get("agreement", []) if table.get("rows") else []
    return Table("agreement", _("Agreement between raters"), note, columns, rows)


def raters(table: Tables) -> Table:
    columns: list[Column] = [
        text_column(_("Rater"), "rater"),
        text_column(_("Axis"), "scale"),
        number_column(_("Marks"), "n", count),
        number_column(_("Mean"), "mean"),
        number_column(_("Offset"), "offset", signed),
        number_column(_("s.d."), "sd"),
        number_column(_("s.d. ÷ others"), "sd_ratio"),
        range_column(_("Range"), "low", "high"),
        number_column(_("r with others"), "r_with_others"),
    ]
    note = _(
        "Offset: the rater's marks less the mean of the others on the same summaries. s.d. over the rater's own marks, "
        "with n − 1, and its ratio to the mean s.d. of the others: below 1 uses less of the axis. r: Pearson's "
        "correlation with the mean of the others, which offset and scale use leave alone."
    )
    return Table("raters", _("How raters use the axes"), note, columns, table.get("raters", []))


def standardised(table: Tables) -> Table:
    columns: list[Column] = [
        text_column(_("Condition"), "condition"),
        text_column(_("Axis"), "scale"),
        number_column(_("Raters"), "n_raters", count),
        number_column(_("Mean"), "mean", signed),
        number_column(_("s.d."), "sd"),
        range_column(_("95 % CI"), "ci_low", "ci_high", signed),
    ]
    note = _(
        "In units of each rater's own s.d. about the rater's own mean, so that only order is left; mean, s.d. (n − 1) "
        "and 95 % t interval over raters."
    )
    return Table("standardised", _("Without scale use"), note, columns, table.get("standardised", []))


def slopes(table: Tables) -> Table:
    columns: list[Column] = [
        text_column(_("Family"), "family"),
        text_column(_("Axis"), "scale"),
        number_column(_("Raters"), "n_raters", count),
        number_column(_("Marks"), "n_marks", count),
        number_column(_("Slope on z"), "slope", signed),
        range_column(_("95 % CI"), "ci_low", "ci_high", signed),
        range_column(_("95 % bootstrap"), "bootstrap_low", "bootstrap_high", signed),
        number_column(_("r with z"), "r_with_z"),
    ]
    note = _(
        "How far a family moves along an axis as z grows by one: each rater's least-squares slope within recordings, "
        "then mean and 95 % t interval over raters; beside it percentiles of 2,000 draws of raters. r is Pearson's, "
        "over marks."
    )
    return Table("trade-off", _("Trade-off along z"), note, columns, table.get("trade_off", []))


def families(table: Tables) -> Table:
    columns: list[Column] = [
        text_column(_("Family"), "family"),
        number_column(_("Conditions"), "n_conditions", count),
        number_column(_("Marks"), "n_marks", count),
        number_column("r(TC, SD)", "correlation"),
        number_column(_("Area under the curve"), "area", decimals(3)),
        range_column(_("95 % bootstrap"), "area_low", "area_high", decimals(3)),
    ]
    note = _(
        "Pearson's r over the marks of a family; the area under the line through its condition means, from the least "
        "TC to the greatest, with percentiles of 2,000 draws of raters. Areas over different ranges of TC cannot be "
        "compared."
    )
    return Table("families", _("Families of conditions"), note, columns, table.get("families", []))


def _tested(table: Tables) -> list[Row]:
    """Friedman's rows, where there was something to test."""
    return [row for row in table.get("friedman", []) if row["blocks"] or row["blocks_dropped"]]


def _cloud_columns(counted: str) -> list[Column]:
    """Where a condition lies; `counted` says what n is."""
    return [
        text_column(_("Condition"), "condition"),
        number_column(counted, "n", count),
        number_column(_("TC mean"), "tc_mean", decimals(3)),
        number_column(_("TC s.d."), "tc_sd", decimals(3)),
        number_column(_("SD mean"), "sd_mean", decimals(3)),
        number_column(_("SD s.d."), "sd_sd", decimals(3)),
        number_column(_("Covariance"), "cov", decimals(4)),
    ]


def _mean_region() -> Column:
    return number_column(_("95 % ellipse of the mean"), "mean_95", _ellipse)


def _ellipse(region: Row | None) -> str:
    if region is None:
        return "-"
    return f"{figure(region['major'], 3)} × {figure(region['minor'], 3)}, {figure(region['angle_deg'], 0)}°"


def _place(tc: float | None, sd: float | None) -> str:
    return "-" if tc is None else f"{figure(tc)} / {figure(sd)}"


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


def methods_text(experiment: Experiment, result: Result) -> str:
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
            "Conditions are compared on each axis by a mixed model (REML, raters and recordings random, each also by "
            "condition; Satterthwaite's degrees of freedom; Holm's adjustment), and on both axes at once by a "
            "permutation analysis of variance of rater means and Hotelling's paired tests."
        ),
        _("Agreement is ICC(A,1) and Krippendorff's alpha at the interval level."),
        _("Slopes on z are least-squares slopes of each rater, averaged.") if result["table"].get("trade_off") else "",
    ]
    return fill_methods_text(experiment, result, told, counts=counts)
