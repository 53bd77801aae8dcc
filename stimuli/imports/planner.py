"""Import planner: files and tables become a plan, with the reason for every file that is left out."""

from collections.abc import Sequence
from pathlib import Path

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from stimuli.errors import layout_unfit
from stimuli.imports.condition_tables import (
    add_condition_factors,
    describes_conditions,
    name_numbers,
    names_numbers,
    take_starts,
    tell_bare_numbers,
)
from stimuli.imports.factors import attach_factors
from stimuli.imports.layouts import LAYOUTS, MANIFEST, layout_of, plan_from_folders
from stimuli.imports.manifests import is_manifest, read_manifest
from stimuli.imports.plans import Ignored, Plan
from stimuli.imports.reports import Report
from stimuli.imports.sources import Kind, SourceFile, inspect_file, suffix_of
from stimuli.imports.summaries import SUMMARIES
from stimuli.imports.tables import MOST_BYTES, Table, load_table
from stimuli.imports.texts import add_texts, read_lines, text_columns

# What people keep beside their sounds; that it stays out needs no explanation.
EXPECTED = frozenset({".txt", ".md", ".pdf", ".docx", ".doc", ".rtf", ".html", ".json", ".yaml", ".yml", ".py", ".m"})


def make_plan(
    sources: Sequence[SourceFile], *, layout: str, metadata: Path | None, report: Report
) -> tuple[Plan, list[Table]]:
    """Make the plan from paths and the manifest; return it with the tables that are still to be applied."""
    if layout not in LAYOUTS:
        raise AppError(
            "import.layout_unknown",
            422,
            _("There is no layout '{layout}'. Choose one of {known}."),
            layout=layout,
            known=", ".join(LAYOUTS),
        )
    tables = _tables(sources, report)
    given = _given(metadata, report)
    manifest = next((table for table in [*given, *tables] if is_manifest(table)), None)
    if layout == "auto":
        layout = layout_of(sources, has_manifest=manifest is not None)
    if layout == MANIFEST:
        if manifest is None:
            problem = LazyMessage("there is no table called manifest.csv with a column path")
            raise layout_unfit(layout=layout, problem=problem)
        plan = read_manifest(manifest, list(sources), report)
    else:
        plan = plan_from_folders(sources, layout, report)
    rest = [table for table in [*given, *tables] if table is not manifest or layout != MANIFEST]
    plan.ignored += _left_out(sources, report)
    return plan, rest


def complete_plan(plan: Plan, tables: Sequence[Table], *, given: str, report: Report) -> None:
    """Apply the tables to a plan whose items are known: names of conditions, texts, factors, start times."""
    for table in tables:
        if text_columns(table):
            add_texts(table, plan, report)
        elif plan.layout == SUMMARIES and names_numbers(table):
            name_numbers(table, plan, report)
    if not plan.cells and not report.errors:
        raise AppError(
            "import.nothing",
            422,
            _("There is nothing to import: no sound, no Audacity project and no table of texts was found."),
        )
    for table in tables:
        if table.name in plan.attached or _attached(table, plan, report):
            continue
        plan.ignored.append(Ignored(table.name, _("it names no items")))
        message = _("'{table}' was left out: it has no column item, file, sample or name to find items by.")
        (report.error if table.name == given else report.warn)(message, table.name, table=table.name)
    take_starts(plan, report)
    tell_bare_numbers(plan, report)


def _attached(table: Table, plan: Plan, report: Report) -> bool:
    if describes_conditions(table):
        add_condition_factors(table, plan, report)
        return True
    return attach_factors(table, plan, report)


def _tables(sources: Sequence[SourceFile], report: Report) -> list[Table]:
    tables = []
    for source in sources:
        if source.kind in {Kind.TABLE, Kind.LINES}:
            try:
                tables.append(_read(source))
            except AppError as problem:
                report.reject(problem, source.path)
    return tables


def _given(metadata: Path | None, report: Report) -> list[Table]:
    return _tables([inspect_file(metadata.name, metadata)], report) if metadata else []


def _read(source: SourceFile) -> Table:
    with source.place.open("rb") as file:
        if source.kind is Kind.LINES:
            return read_lines(file.read(MOST_BYTES + 1), name=source.path)
        return load_table(file, name=source.path)


def _left_out(sources: Sequence[SourceFile], report: Report) -> list[Ignored]:
    left = []
    for source in sources:
        if source.kind is not Kind.OTHER:
            continue
        left.append(Ignored(source.path, _("it is no sound, no table and no Audacity 3 project")))
        suffix = suffix_of(source.path)
        if suffix in {".aup3-wal", ".aup3-shm"}:
            message = _("'{path}' shows that its project was open. Close it in Audacity, and send the project again.")
            report.error(message, source.path, path=source.path)
        elif suffix == ".aup":
            message = _("'{path}' is a project of Audacity 2. Open it in Audacity 3, save it, and send the .aup3 file.")
            report.warn(message, source.path, path=source.path)
        elif suffix not in EXPECTED:
            message = _("'{path}' was left out: it is no sound, no table and no Audacity 3 project.")
            report.note(message, source.path, path=source.path)
    return left
