"""Tables of the ordinal model and the sentences beside them."""

from typing import Any

from django.utils.translation import gettext as _

from analysis.reports.inference import component_name, of_scale, once, pair_column, reason_left_out
from analysis.reports.tables import (
    Row,
    Table,
    count,
    decimals,
    number_column,
    p_value,
    range_column,
    signed,
    text_column,
)
from analysis.services.ordinal import OrdinalFit, read_fit
from core.i18n import translate_messages
from rating.models import Experiment


def context(experiment: Experiment, *, simulated: bool, scale: str) -> dict[str, Any]:
    """What the page shows of the model; nothing where the experiment has no answers in categories."""
    fit = read_fit(experiment=experiment, simulated=simulated)
    return {"fit": fit, "tables": ordinal_tables(fit, scale=scale), "warnings": sentences(fit)}


def ordinal_tables(fit: OrdinalFit, *, scale: str = "") -> list[Table]:
    found = {part: of_scale(rows, scale) for part, rows in fit.table.items()}
    return [
        _effects(found.get("effects", [])),
        _contrasts(once(found.get("contrasts", []))),
        _thresholds(found.get("thresholds", [])),
        _deviations(found.get("deviations", [])),
    ]


def _effects(rows: list[Row]) -> Table:
    note = _("Log odds of higher votes, about the mean of all conditions, with 95 % Wald intervals.")
    columns = [
        text_column(_("Condition"), "condition"),
        text_column(_("Scale"), "scale"),
        number_column(_("Answers"), "n_votes", count),
        number_column(_("Effect"), "effect", signed),
        number_column("SE", "se"),
        range_column(_("95 % CI"), "ci_low", "ci_high", signed),
    ]
    return Table("ordinal-effects", _("Effects of conditions, ordinal model"), note, columns, rows)


def _contrasts(rows: list[Row]) -> Table:
    note = _(
        "Differences in log odds; the odds ratio is by how much the odds of a higher vote grow. Wald's tests, p after "
        "Holm over all pairs of a scale; with few listeners or items p is a little too small."
    )
    columns = [
        pair_column(),
        text_column(_("Scale"), "scale"),
        number_column(_("Difference"), "effect", signed),
        range_column(_("95 % CI"), "ci_low", "ci_high", signed),
        number_column(_("Odds ratio"), "odds_ratio"),
        number_column("z", "z_value"),
        number_column("p", "p", p_value),
        number_column(_("p (Holm)"), "p_holm", p_value),
    ]
    return Table("ordinal-contrasts", _("Differences, ordinal model"), note, columns, rows)


def _thresholds(rows: list[Row]) -> Table:
    note = _("Where one category gives way to the next, in log odds, for the mean of all conditions.")
    columns = [
        text_column(_("Scale"), "scale"),
        text_column(_("Between"), "between"),
        number_column(_("Threshold"), "threshold", signed),
    ]
    return Table("ordinal-thresholds", _("Thresholds, ordinal model"), note, columns, rows)


def _deviations(rows: list[Row]) -> Table:
    note = _(
        "Standard deviations of the random effects, in log odds. A component that cannot be estimated, or whose "
        "estimate is 0, is left out with the reason."
    )
    columns = [
        text_column(_("Scale"), "scale"),
        text_column(_("Component"), "component", write=component_name),
        number_column("SD", "sd", decimals(3)),
        text_column(_("Left out"), "dropped", write=reason_left_out),
        number_column(_("Log-likelihood"), "log_likelihood"),
    ]
    return Table("ordinal-deviations", _("Random effects, ordinal model"), note, columns, rows)


def sentences(fit: OrdinalFit) -> list[str]:
    said = {
        "no_model": _("{scale}: no ordinal model. {reason}"),
        "intercepts_only": _(
            "{scale}: these votes have too many random effects for the interactions with conditions, so only listeners "
            "and items are random. Standard errors of differences are then too small for other listeners and items."
        ),
    }
    return [said[row["code"]].format_map(translate_messages(row, _)) for row in fit.table.get("warnings", [])]
