"""Tables of listeners: what every screening rule says of each, and their bias and inconsistency after P.910."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from analysis.reports.inference import of_scale
from analysis.reports.rules import rule_headings
from analysis.reports.tables import (
    Column,
    Row,
    Table,
    count,
    decimals,
    number_column,
    range_column,
    signed,
    text_column,
)

Tables = Mapping[str, Any]  # of a result, by name


def listener_tables(tables: Tables, *, scale: str) -> list[Table]:
    """By scale and, for rules over all scales together, by listener; those without figures have no rows."""
    return [
        _bias(of_scale(tables.get("listener_bias", []), scale)),
        _quality(of_scale(tables.get("quality", []), scale)),
        _repeats(of_scale(tables.get("repeats", []), scale)),
        *_rules(tables.get("screening", []), scale),
    ]


def _bias(rows: list[Row]) -> Table:
    columns = [
        text_column(_("Listener"), "listener"),
        text_column(_("Scale"), "scale"),
        number_column(_("Answers"), "n_votes", count),
        number_column(_("Bias"), "bias", signed),
        range_column(_("95 % CI"), "bias_low", "bias_high", signed),
        number_column(_("Inconsistency"), "inconsistency"),
        range_column(_("95 % CI"), "inconsistency_low", "inconsistency_high"),
    ]
    note = _(
        "P.910: an answer is the quality of the clip, the listener's bias, and an error as large as the listener is "
        "inconsistent, all estimated together from the answers that count."
    )
    if any(row["groups"] > 1 for row in rows):
        note += " " + _("Panels have no clip in common, so a bias is that within the panel.")
    return Table("listener-bias", _("Bias and inconsistency (P.910)"), f"{note}{_fallbacks(rows)}", columns, rows)


def _fallbacks(rows: list[Row]) -> str:
    """On which scales the weighted estimate is not given, and whom it would rest on."""
    said = _(
        "{scale}: the weighted estimate collapsed, since it would rest on {names} alone. What stands here is the "
        "removal of bias of P.913, in which every listener weighs the same."
    )
    scales = dict.fromkeys(row["scale"] for row in rows if row["method"] == "bias_removed")
    named = {scale: [row["listener"] for row in rows if row["scale"] == scale and row["collapsed"]] for scale in scales}
    return "".join(f" {said.format(scale=scale, names=', '.join(who))}" for scale, who in named.items())


def _quality(rows: list[Row]) -> Table:
    columns = [
        text_column(_("Condition"), "condition"),
        text_column(_("Scale"), "scale"),
        number_column(_("Clips"), "n_stimuli", count),
        number_column(_("Mean of clips"), "plain"),
        number_column(_("Bias allowed for"), "quality"),
        number_column(_("Difference"), "difference", signed),
        text_column(_("Estimate"), "method", write=_method),
    ]
    note = _("Mean over clips of the quality by P.910, beside the mean over clips of the plain means.")
    return Table("quality", _("Means with bias allowed for (P.910)"), note, columns, rows)


def _repeats(rows: list[Row]) -> Table:
    columns = [
        text_column(_("Listener"), "listener"),
        text_column(_("Scale"), "scale"),
        number_column(_("Clips rated twice"), "n_pairs", count),
        number_column(_("Mean difference"), "mean_difference"),
        number_column("r", "r"),
        number_column(_("Lin's CCC"), "ccc"),
        range_column(_("95 % CI"), "ccc_low", "ccc_high"),
    ]
    note = _(
        "A listener's first two ratings of the same clip: their mean absolute difference, Pearson's r from three pairs "
        "on, and Lin's concordance, which a shift between the two lowers as well. From all answers, excluded ones "
        "included."
    )
    return Table("repeats", _("Self-consistency"), note, columns, rows)


def _method(name: str) -> str:
    return {"weighted": _("weighted (P.910)"), "bias_removed": _("bias removed (P.913)")}.get(name, name)


def _rules(rows: list[Row], scale: str) -> list[Table]:
    """One row for each listener and scale and, where no scale is chosen, a table of rules over all scales together."""
    of_scales = [row for row in rows if row["scale"] and scale in ("", row["scale"])]
    together = [row for row in rows if not row["scale"] and not scale]
    note = _(
        "The figure of every screening rule, from all answers, excluded ones included. The page Exclusions has the "
        "thresholds, and excludes by a rule."
    )
    titles = {True: _("Screening by scale"), False: _("Screening over all scales")}
    return [
        Table(name, titles[by_scale], note, _columns(part, by_scale=by_scale), _by_listener(part))
        for name, part, by_scale in (("screening-scales", of_scales, True), ("screening", together, False))
    ]


def _columns(rows: list[Row], *, by_scale: bool) -> list[Column]:
    figures = dict.fromkeys(row["rule"] for row in rows if row["figures"])
    return [
        text_column(_("Listener"), "listener"),
        *([text_column(_("Scale"), "scale")] if by_scale else []),
        *(number_column(rule_headings()[rule], rule, decimals(0 if rule == "quick" else 3)) for rule in figures),
    ]


def _by_listener(rows: list[Row]) -> list[Row]:
    used = dict.fromkeys(row["rule"] for row in rows if row["figures"])
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        for who, figure in row["figures"].items():
            key = (row["scale"] or "", who)
            found.setdefault(key, {"listener": who, "scale": row["scale"], **dict.fromkeys(used)})[row["rule"]] = figure
    scales = list(dict.fromkeys(scale for scale, _who in found))
    return [found[key] for key in sorted(found, key=lambda key: (scales.index(key[0]), key[1]))]
