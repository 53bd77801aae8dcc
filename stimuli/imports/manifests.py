"""Manifest tables: the item and the condition of each file."""

from pathlib import PurePosixPath

from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from stimuli.errors import layout_unfit
from stimuli.imports.condition_tables import FACTOR_PREFIX, describe, factors_of_condition
from stimuli.imports.layouts import MANIFEST, role_of
from stimuli.imports.plans import ROLES, Cell, Ignored, Plan
from stimuli.imports.reports import Report
from stimuli.imports.sources import Kind, SourceFile, composed, name_of
from stimuli.imports.tables import Row, Table, first_of

NAME = "manifest"
PARTS = {"start_samples": "start", "stop_samples": "stop", "clip": "clip"}
PATH_COLUMNS = ("path", "file")
OWN_COLUMNS = frozenset({*PATH_COLUMNS, "item", "condition", "role", *PARTS})


def is_manifest(table: Table) -> bool:
    """By its name, or because it says of files which conditions they are."""
    named = PurePosixPath(table.name).stem.casefold() == NAME
    return bool(first_of(table.columns, PATH_COLUMNS)) and (named or {"item", "condition"} <= set(table.columns))


def read_manifest(table: Table, sources: list[SourceFile], report: Report) -> Plan:
    """Make a plan of a manifest's rows; files that it does not name stay out."""
    path_column = first_of(table.columns, PATH_COLUMNS)
    if not path_column or not {"item", "condition"} & set(table.columns):
        problem = LazyMessage(
            "'{table}' needs the column path and at least one of item and condition", table=table.name
        )
        raise layout_unfit(layout=MANIFEST, problem=problem)
    plan = Plan(MANIFEST, attached=[table.name])
    heard = {source.path: source for source in sources if source.kind in {Kind.SOUND, Kind.PROJECT}}
    for row in table.rows:
        path = row.values.get(path_column, "")
        source = _named(path, table, heard)
        if source is None:
            report.error(
                _("Line {line} of '{table}' names '{path}', which is not there. Add it, or drop the line."),
                table.name,
                line=row.line,
                table=table.name,
                path=path,
            )
        else:
            _add(row, source, table, plan, report)
    named = {cell.path for cell in plan.cells}
    unnamed = _("it is not in {table}")
    plan.ignored += [Ignored(path, unnamed, {"table": table.name}) for path in heard if path not in named]
    return plan


def _add(row: Row, source: SourceFile, table: Table, plan: Plan, report: Report) -> None:
    condition = row.values.get("condition", "original")
    role = row.values.get("role", "").casefold() or plan.conditions.get(condition) or role_of(condition)
    parts = {name: row.values[column] for column, name in PARTS.items() if column in row.values}
    problem = _problem(role, parts, source, plan.conditions.get(condition))
    if problem:
        message = _("Line {line} of '{table}' cannot be followed: {problem}.")
        report.error(message, table.name, line=row.line, table=table.name, problem=problem)
        return
    start, stop, clip = (int(parts[name]) if name in parts else None for name in ("start", "stop", "clip"))
    factors = {
        column: value
        for column, value in row.values.items()
        if column not in OWN_COLUMNS and not column.startswith(FACTOR_PREFIX)
    }
    item = row.values.get("item", "") or name_of(source.path)
    before = plan.items.get(item, {})
    for column in sorted(before.keys() & factors.keys()):
        if before[column] != factors[column]:
            message = _(
                "Line {line} of '{table}' gives '{column}' of item '{item}' another value than a line before it. "
                "Correct one of them."
            )
            report.error(message, table.name, line=row.line, table=table.name, column=column, item=item)
    plan.add(Cell(item, condition, source.path, start=start, stop=stop, clip=clip), role=role, factors=factors)
    describe(condition, factors_of_condition(row), plan, report, table=table, row=row)


def _problem(role: str, parts: dict[str, str], source: SourceFile, known_role: str | None) -> LazyMessage | None:
    if role not in ROLES:
        return LazyMessage("'{role}' is no role; write one of {roles}", role=role, roles=", ".join(ROLES))
    if known_role not in {None, role}:
        return LazyMessage(
            "the role of its condition was '{before}' in a line before it and is '{role}' here",
            before=known_role,
            role=role,
        )
    if not all(value.isascii() and value.isdigit() for value in parts.values()):
        return LazyMessage("{columns} are whole numbers", columns=", ".join(PARTS))
    if ("start" in parts) != ("stop" in parts) or int(parts.get("start", 0)) >= int(parts.get("stop", 1)):
        return LazyMessage("start_samples and stop_samples belong together, and the start comes first")
    if (source.kind is Kind.PROJECT) != ("clip" in parts) or parts.get("clip") == "0":
        return LazyMessage("a clip is given for Audacity projects and nothing else, counted from 1")
    return None


def _named(path: str, table: Table, heard: dict[str, SourceFile]) -> SourceFile | None:
    """Paths count from the manifest's own folder, or from the top of what was sent."""
    path = composed(path).replace("\\", "/").removeprefix("./")
    beside = str(PurePosixPath(table.name).parent / path)
    return heard.get(beside) or heard.get(path)
