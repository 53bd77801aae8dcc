"""Metadata tables: rows are matched to the items of a plan, and columns become factors of the items."""

from collections import defaultdict
from collections.abc import Iterable

from core.i18n import gettext_noop as _
from stimuli.imports.plans import Plan
from stimuli.imports.reports import Report, some
from stimuli.imports.sources import name_of
from stimuli.imports.tables import Row, Table, first_of

# In the order in which they are believed to name an item.
ITEM_COLUMNS = (
    *("item", "file", "filename", "file_name", "wavfile", "wav", "wav_file", "audio", "audio_file", "path"),
    *("sample", "stimulus", "name", "utterance", "utterance_id", "clip", "id"),
)


def attach_factors(table: Table, plan: Plan, report: Report) -> bool:
    """Give each item the columns of its row; False when the table names no items."""
    column = first_of(table.columns, ITEM_COLUMNS)
    if not column:
        return False
    rows = _rows_by_item(table, column, plan)
    for item, found in rows.items():
        plan.items[item] = _merged(found, column, table, item, report) | plan.items[item]
    _tell_unmatched(table, column, rows, plan, report)
    plan.attached.append(table.name)
    return True


def _rows_by_item(table: Table, column: str, plan: Plan) -> dict[str, list[Row]]:
    known = {item: item for item in plan.items}
    # Spreadsheets and file systems disagree about capitals; an item is found anyway if only one can be meant.
    folded: dict[str, list[str]] = defaultdict(list)
    for item in plan.items:
        folded[item.casefold()].append(item)
    known |= {key: items[0] for key, items in folded.items() if len(items) == 1 and key not in known}
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in table.rows:
        value = row.values.get(column, "")
        found = next((known[key] for key in _keys(value) if key in known), None)
        if found is not None:
            rows[found].append(row)
    return dict(rows)


def _keys(value: str) -> Iterable[str]:
    """How a cell may name an item: as it is, as a file of it, or with other capitals."""
    for key in (value, name_of(value), value.removesuffix("/").rpartition("/")[2]):
        yield key
        yield key.casefold()


def _merged(found: list[Row], column: str, table: Table, item: str, report: Report) -> dict[str, str]:
    """An item may have a row for each of its conditions, as long as they agree."""
    factors: dict[str, tuple[str, int]] = {}
    for row in found:
        for name, value in row.values.items():
            before, line = factors.setdefault(name, (value, row.line))
            if before != value and name != column:
                report.error(
                    _(
                        "Lines {line} and {other} of '{table}' disagree about item '{item}': "
                        "'{column}' is '{before}' and '{value}'. Correct one of them."
                    ),
                    table.name,
                    line=line,
                    other=row.line,
                    table=table.name,
                    item=item,
                    column=name,
                    before=before[:80],
                    value=value[:80],
                )
    return {name: value for name, (value, _) in factors.items() if name != column}


def _tell_unmatched(table: Table, column: str, rows: dict[str, list[Row]], plan: Plan, report: Report) -> None:
    used = {row.line for found in rows.values() for row in found}
    unmatched = [row for row in table.rows if row.line not in used]
    if unmatched:
        report.warn(
            _("Rows of '{table}' that belong to no item were left out: {names} (line {lines})."),
            table.name,
            count=len(unmatched),
            table=table.name,
            lines=some(str(row.line) for row in unmatched),
            names=some(f"'{row.values.get(column, '')[:60]}'" for row in unmatched),
        )
    without = [item for item in plan.items if item not in rows]
    if without:
        report.warn(
            _("'{table}' has no row for these items, which get none of its factors: {names}."),
            table.name,
            table=table.name,
            count=len(without),
            names=some(without),
        )
