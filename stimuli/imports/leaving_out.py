"""Files that a person left out of an import, and what the plan and later designs lack without them."""

from collections.abc import Sequence

from core.errors import AppError
from core.i18n import gettext_noop as _
from stimuli.imports.plans import Cell, Ignored, LeftOut, Plan
from stimuli.imports.reports import Report, some
from stimuli.imports.sources import SourceFile


def without_unplaced(sources: Sequence[SourceFile], left_out: Sequence[LeftOut]) -> list[SourceFile]:
    """The files without those that were left out and had no place in the plan, such as tables and archives."""
    unplaced = {one.path for one in left_out if not one.is_placed}
    return [source for source in sources if source.path not in unplaced]


def remove_left_out(plan: Plan, left_out: Sequence[LeftOut], report: Report) -> list[Cell]:
    """Remove the cells of files that were left out, and what only they had; return these cells."""
    paths = {one.path for one in left_out}
    gone = [cell for cell in plan.cells if cell.path in paths]
    plan.cells = [cell for cell in plan.cells if cell.path not in paths]
    if gone:
        items, conditions = {cell.item for cell in plan.cells}, {cell.condition for cell in plan.cells}
        plan.items = {name: factors for name, factors in plan.items.items() if name in items}
        plan.conditions = {name: role for name, role in plan.conditions.items() if name in conditions}
        plan.condition_factors = {
            name: factors for name, factors in plan.condition_factors.items() if name in conditions
        }
    report.findings = [finding for finding in report.findings if finding.path not in paths]
    plan.ignored = [ignored for ignored in plan.ignored if ignored.path not in paths]
    plan.ignored += [Ignored(one.path, _("{person} left it out"), {"person": one.person}) for one in left_out]
    if gone and not plan.cells:
        report.reject(AppError("import.all_left_out", 422, _("Every sound was left out, so nothing can be imported.")))
    return gone


def tell_left_out(plan: Plan, gone: Sequence[Cell], report: Report) -> None:
    """Say what the collection lacks without these cells, and what that means for designs."""
    if not plan.cells:
        return
    items = sorted({cell.item for cell in gone} - set(plan.items))
    conditions = sorted({cell.condition for cell in gone} - set(plan.conditions))
    if items:
        report.warn(
            _(
                "No file of these items is left: {items}. They are not imported, and rows of tables about them are not "
                "used. Designs go without these items."
            ),
            count=len(items),
            items=some(items),
        )
    if conditions:
        report.warn(
            _(
                "No file of these conditions is left: {conditions}. They are not imported. Designs go without these "
                "conditions."
            ),
            count=len(conditions),
            conditions=some(conditions),
        )
    present = {(cell.item, cell.condition) for cell in plan.cells}
    lacking = sorted(
        cell.name
        for cell in gone
        if cell.item in plan.items and cell.condition in plan.conditions and (cell.item, cell.condition) not in present
    )
    if lacking:
        report.warn(
            _(
                "Without the files that were left out, these places are empty: {cells}. A design that panels share "
                "needs every condition of every item, and is refused as long as one is missing. Add the files later, "
                "or exclude the items on the collection's page."
            ),
            count=len(lacking),
            cells=some(lacking),
        )
