"""Tables of the mixed model for protocols whose raters and material have names of their own."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from analysis.reports import inference
from analysis.reports.tables import (
    Column,
    Table,
    count,
    decimals,
    number_column,
    p_value,
    range_column,
    signed,
    text_column,
)
from core.i18n import translate_messages

Tables = Mapping[str, Any]  # of a result, by name


class Words(NamedTuple):
    """What a protocol calls things, as headings of columns; and how it names a scale."""

    people: str
    things: str
    condition: str
    scale: Column
    places: int = 2


def means(table: Tables, words: Words) -> Table:
    note = _(
        "Mixed model with people and material random, each also by condition: the 95 % interval says where the mean "
        "would lie with other people and other material. Conditions that share a letter do not differ at 5 % (Holm "
        "over all pairs of a scale)."
    )
    write = decimals(words.places)
    columns = [
        words.scale,
        text_column(words.condition, "condition"),
        number_column(words.people, "n_listeners", count),
        number_column(words.things, "n_items", count),
        number_column(_("Marks"), "n_votes", count),
        number_column(_("Mean"), "mean", write),
        range_column(_("95 % CI"), "ci_low", "ci_high", write),
        text_column(_("Letters"), "letters"),
    ]
    return Table("model", _("Means by the mixed model"), note, columns, table.get("model_level", []))


def contrasts(table: Tables, words: Words, against: str = "") -> Table:
    """The differences to one condition, or all of them."""
    note = _(
        "The condition less the one that it is compared with, by the mixed model with people and material random. p is "
        "adjusted by Holm over the pairs of a scale, and over those of all scales together."
    )
    columns = [
        words.scale,
        text_column(words.condition, "condition"),
        *([] if against else [text_column(_("Compared with"), "against")]),
        number_column(_("Difference"), "difference", signed),
        range_column(_("95 % CI"), "ci_low", "ci_high", signed),
        number_column("t", "t"),
        number_column("df", "df", decimals(1)),
        number_column("p", "p", p_value),
        number_column(_("p (Holm)"), "p_holm", p_value),
        number_column(_("p (Holm, all scales)"), "p_holm_all", p_value),
    ]
    rows = [row for row in table.get("model_contrasts", []) if against in ("", row["against"])]
    return Table("model-contrasts", _("Differences by the mixed model"), note, columns, rows)


def components(table: Tables) -> Table:
    return inference.components(table, scale="")


def model_sentences(table: Tables) -> list[str]:
    """Why a scale has no model."""
    said = _("{scale}: no mixed model. {reason}")
    return [
        said.format_map(translate_messages(row, _)) for row in table.get("warnings", []) if row["code"] == "no_model"
    ]
