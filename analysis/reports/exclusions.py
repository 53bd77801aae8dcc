"""Exclusions in words and as a table: how many listeners and trials are left out, why, and what that changed."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.reports.tables import Row, Table, count, number_column, signed, text_column
from listening.models import Exclusion
from listening.panels.services.exclusions import name_of_listener

MOST_NAMED = 10


def exclusion_sentences(table: Mapping[str, Any]) -> list[str]:
    """Who and what is left out of all figures, and why, in one line; nothing where everything counts."""
    rows = table.get("exclusions", [])
    if not rows:
        return []
    named = sorted(rows, key=lambda row: (row["listener"], row["position"] or 0))
    who = [f"{who_is(row)} ({row['reason']})" for row in named[:MOST_NAMED]]
    if len(rows) > MOST_NAMED:
        who.append(_("{n} others").format(n=len(rows) - MOST_NAMED))
    return [_("Excluded from all figures: {counts}. {who}.").format(counts=counted(rows), who="; ".join(who))]


def methods_sentences(table: Mapping[str, Any]) -> list[str]:
    """For the methods section: what was excluded, and how much of it after conditions were known."""
    rows = table.get("exclusions", [])
    if not rows:
        return [_("No answer was excluded.")]
    reasons = list(dict.fromkeys(row["reason"] for row in rows))
    told = "; ".join(reasons[:MOST_NAMED] + (["..."] if len(reasons) > MOST_NAMED else []))
    late = sum(row["after_unblinding"] for row in rows)
    return [
        _("Excluded from all figures: {counts} ({reasons}).").format(counts=counted(rows), reasons=told),
        ngettext(
            "{n} of these exclusions was made after the conditions were known by name.",
            "{n} of these exclusions were made after the conditions were known by name.",
            late,
        ).format(n=late),
    ]


def counted(rows: list[Row]) -> str:
    """How many listeners and how many single trials."""
    trials = sum(row["kind"] == "trial" for row in rows)
    people = len(rows) - trials
    parts = [
        ngettext("{n} listener", "{n} listeners", people).format(n=people) if people else "",
        ngettext("{n} trial", "{n} trials", trials).format(n=trials) if trials else "",
    ]
    return _(" and ").join(part for part in parts if part)


def who_is(row: Row) -> str:
    """What an exclusion is of, in words."""
    if row["kind"] == "trial":
        return _("trial {position} of {listener}").format_map(row)
    if row["kind"] == "seat":
        return _("{listener}, panel {panel}, seat {seat}").format_map(row)
    return str(row["listener"])


def exclusion_tables(table: Mapping[str, Any], against: str = "") -> list[Table]:
    """What the exclusions changed: the means of conditions, and their differences to one of them."""
    return [with_and_without(table), differences_with_and_without(table, against)]


def with_and_without(table: Mapping[str, Any]) -> Table:
    """Means of conditions with all answers, without the excluded ones, and the difference."""
    rows = table.get("with_and_without", [])
    modelled = any(row["model_all"] is not None for row in rows)
    columns = [
        text_column(_("Condition"), "condition"),
        text_column(_("Scale"), "scale"),
        number_column(_("Answers, all"), "n_votes_all", count),
        number_column(_("Mean, all"), "mean_all"),
        number_column(_("Answers, without"), "n_votes_kept", count),
        number_column(_("Mean, without"), "mean_kept"),
        number_column(_("Difference"), "difference", signed),
    ]
    of_model = [
        number_column(_("Model, all"), "model_all"),
        number_column(_("Model, without"), "model_kept"),
        number_column(_("Difference by the model"), "model_difference", signed),
    ]
    note = _(
        "Means of all answers, and without the excluded ones, which all other figures of this page leave out. The "
        "difference is what the exclusions changed."
    )
    title = _("With and without exclusions")
    return Table("exclusions", title, note, [*columns, *(of_model if modelled else [])], rows)


def differences_with_and_without(table: Mapping[str, Any], against: str = "") -> Table:
    """Differences to one condition with all answers and without the excluded ones; to the usual one where none is
    named. By the model where both have one: its differences are those of its means."""
    rows = table.get("with_and_without", [])
    conditions = list(dict.fromkeys(row["condition"] for row in rows))
    usual = table.get("baseline") if table.get("baseline") in conditions else next(iter(conditions), "")
    chosen = against if against in conditions else usual
    base = {row["scale"]: row for row in rows if row["condition"] == chosen}
    kind = "model" if any(row["model_all"] is not None for row in rows) else "mean"
    shown = [
        _compared(row, base[row["scale"]], kind) for row in rows if row["condition"] != chosen and row["scale"] in base
    ]
    columns = [
        text_column(_("Condition"), "condition"),
        text_column(_("Compared with"), "against"),
        text_column(_("Scale"), "scale"),
        number_column(_("Difference, all"), "all", signed),
        number_column(_("Difference, without"), "kept", signed),
        number_column(_("Change"), "change", signed),
    ]
    note = _("Differences of the means of all answers, and without the excluded ones. The change is due to exclusions.")
    if kind == "model":
        note = _(
            "Differences by the mixed model with all answers, and without the excluded ones. The change is due to "
            "exclusions."
        )
    title = _("Differences with and without exclusions")
    return Table("exclusion-differences", title, note, columns, shown)


def _compared(row: Row, base: Row, kind: str) -> Row:
    found = {}
    for part in ("all", "kept"):
        one, other = row[f"{kind}_{part}"], base[f"{kind}_{part}"]
        found[part] = None if one is None or other is None else one - other
    whole, left = found["all"], found["kept"]
    change = None if whole is None or left is None else left - whole
    names = {"condition": row["condition"], "scale": row["scale"], "against": base["condition"]}
    return {**names, **found, "change": change}


def ledger_table(entries: Iterable[Exclusion]) -> Table:
    """Every entry of the ledger in the order in which they were made, lifted ones included."""
    rows = [
        {
            "who": who_is(
                {
                    "kind": str(entry.kind),
                    "listener": name_of_listener(entry.seat),
                    "panel": entry.seat.panel.number,
                    "seat": entry.seat.number,
                    "position": entry.trial.position if entry.trial else None,
                }
            ),
            "reason": entry.told,
            "made": date_format(entry.created_at),
            "unblinding": _("after unblinding") if entry.after_unblinding else _("before unblinding"),
            "lifted": f"{date_format(entry.lifted_at)}: {entry.lifted_reason}" if entry.lifted_at else "-",
        }
        for entry in entries
    ]
    columns = [
        text_column(_("Excluded"), "who"),
        text_column(_("Reason"), "reason"),
        text_column(_("Made"), "made"),
        text_column(_("When"), "unblinding"),
        text_column(_("Lifted"), "lifted"),
    ]
    note = _("Every exclusion that was made, and those that were lifted again. No answer was deleted.")
    return Table("ledger", _("Ledger of exclusions"), note, columns, rows)
