"""Condition tables: names for numbered summaries, factors of conditions, and start times of recordings."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from core.i18n import gettext_noop as _
from stimuli.imports.factors import ITEM_COLUMNS
from stimuli.imports.layouts import role_of
from stimuli.imports.plans import Cell, Plan
from stimuli.imports.reports import Report, some
from stimuli.imports.summaries import FULL_LENGTH, SUMMARIES
from stimuli.imports.tables import Row, Table, first_of
from stimuli.times_of_day import seconds_of

CONDITION, NUMBER, STARTS_AT = "condition", "number", "starts_at"
FACTOR_PREFIX = "condition."  # condition.z of a row is the factor z of its condition
LAST_NUMBER = re.compile(r"0*(\d+)$")


def factors_of_condition(row: Row) -> dict[str, str]:
    """The factors that a row gives its condition."""
    return {
        column.removeprefix(FACTOR_PREFIX): value
        for column, value in row.values.items()
        if column.startswith(FACTOR_PREFIX) and column != FACTOR_PREFIX
    }


def describe(condition: str, factors: Mapping[str, str], plan: Plan, report: Report, *, table: Table, row: Row) -> None:
    """Give a condition the factors of one more row, which must not contradict a row before it."""
    known = plan.condition_factors.setdefault(condition, {}) if factors else {}
    for name, value in factors.items():
        if known.setdefault(name, value) != value:
            report.error(
                _(
                    "Line {line} of '{table}' gives '{column}' of condition '{condition}' another value than a line "
                    "before it. Correct one of them."
                ),
                table.name,
                line=row.line,
                table=table.name,
                column=name,
                condition=condition,
            )


# --- Tables -----------------------------------------------------------------------------------------------------------


def names_numbers(table: Table) -> bool:
    """Whether a table says which condition each summary is: by number, in one recording or in all."""
    return {NUMBER, CONDITION} <= set(table.columns)


def describes_conditions(table: Table) -> bool:
    """Whether a table has a row for each condition, and none for items."""
    return CONDITION in table.columns and not first_of(table.columns, ITEM_COLUMNS)


def name_numbers(table: Table, plan: Plan, report: Report) -> None:
    """Put the condition's name in place of a summary's number."""
    names: dict[tuple[str, str], str] = {}
    for row in table.rows:
        number, condition = LAST_NUMBER.search(row.values.get(NUMBER, "")), row.values.get(CONDITION, "")
        if number is None or not condition:
            message = _("Line {line} of '{table}' needs a number and a condition. Fill both in.")
            report.error(message, table.name, line=row.line, table=table.name)
            continue
        names[row.values.get("item", "").casefold(), number[1]] = condition
        describe(condition, factors_of_condition(row), plan, report, table=table, row=row)
    used: set[tuple[str, str]] = set()
    plan.cells = [_renamed(cell, names, used) for cell in plan.cells]
    roles = plan.conditions
    plan.conditions = {cell.condition: roles.get(cell.condition) or role_of(cell.condition) for cell in plan.cells}
    plan.attached.append(table.name)
    _tell_unused(names.keys() - used, table, report)


def add_condition_factors(table: Table, plan: Plan, report: Report) -> None:
    """Give each condition the columns of its row."""
    unknown = []
    for row in table.rows:
        condition = row.values.get(CONDITION, "")
        if condition in plan.conditions:
            own = {name.removeprefix(FACTOR_PREFIX): value for name, value in row.values.items() if name != CONDITION}
            describe(condition, own, plan, report, table=table, row=row)
        else:
            unknown.append(condition)
    plan.attached.append(table.name)
    if unknown:
        message = _("Rows of '{table}' that belong to no condition were left out: {names}.")
        report.warn(message, table.name, table=table.name, names=some(f"'{name[:60]}'" for name in unknown))


def _renamed(cell: Cell, names: Mapping[tuple[str, str], str], used: set[tuple[str, str]]) -> Cell:
    for key in ((cell.item.casefold(), cell.condition), ("", cell.condition)):
        if key in names:
            used.add(key)
            return replace(cell, condition=names[key])
    return cell


def _tell_unused(keys: Iterable[tuple[str, str]], table: Table, report: Report) -> None:
    left = sorted(keys)
    if left:
        message = _("Rows of '{table}' name summaries that are not there: {names}. They were left out.")
        names = some(f"{item} {number}".strip() for item, number in left)
        report.warn(message, table.name, table=table.name, names=names)


# --- The plan as a whole ----------------------------------------------------------------------------------------------


def tell_bare_numbers(plan: Plan, report: Report) -> None:
    """Say what conditions are called where nothing but numbers tells summaries apart, and how to name them."""
    bare = [name for name, role in plan.conditions.items() if role != FULL_LENGTH]
    if plan.layout != SUMMARIES or not bare or not all(name.isdigit() for name in bare):
        return
    report.note(
        _(
            "The summaries are known by number only, so the conditions are called {names}. "
            "If a number stands for something else in each recording, or to name the methods, add a table with the "
            "columns item, number and condition; columns such as condition.z become the conditions' factors."
        ),
        names=some(sorted(bare, key=int), most=8),
    )


def take_starts(plan: Plan, report: Report) -> None:
    """Move the column starts_at from the items' factors to the recordings that began then."""
    starts: dict[str, float] = {}
    for item, factors in plan.items.items():
        said = factors.pop(STARTS_AT, None)
        starts_at_s = seconds_of(said) if said is not None else None
        if starts_at_s is not None:
            starts[item] = starts_at_s
        elif said is not None:
            message = _("'{said}' is no time of day at which '{item}' began. Write it as 06:30 or 06:30:00.")
            report.error(message, said=said[:40], item=item)
    summarised = {cell.item for cell in plan.cells if plan.conditions[cell.condition] == FULL_LENGTH}
    plan.cells = [
        replace(cell, starts_at_s=starts[cell.item])
        if cell.item in starts and (plan.conditions[cell.condition] == FULL_LENGTH or cell.item not in summarised)
        else cell
        for cell in plan.cells
    ]
