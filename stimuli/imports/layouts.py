"""Folder layouts: which item and condition each file is, by its path."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath

from audio.quality_checks import Severity
from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from stimuli.errors import layout_unfit
from stimuli.imports.plans import LONGEST_NAME, Bundle, Cell, Plan
from stimuli.imports.reports import Finding, Report, some
from stimuli.imports.sources import PROJECT_SUFFIX, Kind, SourceFile, name_of
from stimuli.imports.summaries import FULL_LENGTH, SUMMARIES, is_full_length, read_summaries

CONDITIONS, MANIFEST, FLAT = "conditions", "manifest", "flat"
LAYOUTS = ("auto", CONDITIONS, SUMMARIES, MANIFEST, FLAT)
ORIGINAL = "original"

# A folder of such a name is a condition even where it stands alone.
USUAL_CONDITION = re.compile(
    r"c\d+|(hidden[ _-]?)?ref(erence)?s?|.*anchor.*|full[ _.-]?length|traps?|gold", re.IGNORECASE
)
ROLE_SIGNS = (
    ("reference", re.compile(r"(hidden[ _-]?)?ref(erence)?s?", re.IGNORECASE)),
    ("anchor", re.compile(r".*anchor.*", re.IGNORECASE)),
    (FULL_LENGTH, re.compile(r"full[ _.-]?length", re.IGNORECASE)),
    ("trap", re.compile(r"traps?", re.IGNORECASE)),
    ("gold", re.compile(r"gold", re.IGNORECASE)),
)


def layout_of(sources: Sequence[SourceFile], *, has_manifest: bool) -> str:
    """Say which layout the files have, or decline to guess."""
    heard = _heard(sources)
    if has_manifest:
        return MANIFEST
    if not heard:
        return FLAT
    if any(is_full_length(source.path) for source in heard):
        return SUMMARIES
    by_condition = _by_condition(heard)
    if by_condition and (_share_names(by_condition) or all(USUAL_CONDITION.fullmatch(name) for name in by_condition)):
        return CONDITIONS
    if len(_folders(heard)) <= 1:
        return FLAT
    problem = LazyMessage("they lie in {count} folders that share no file names", count=len(_folders(heard)))
    raise AppError(
        "import.layout_unclear",
        422,
        _(
            "It is not clear which stimuli the files are: {problem}. Sort them into one folder per condition, with the "
            "same file names in each, or add a manifest.csv with the columns path, item and condition."
        ),
        problem=problem,
    )


def plan_from_folders(sources: Sequence[SourceFile], layout: str, report: Report) -> Plan:
    """Make a plan from where the files lie; what is wrong goes into the report."""
    heard = _heard(sources)
    plan = Plan(layout)
    _READERS[layout](heard, plan, report)
    return plan


def check_cells(plan: Plan, report: Report) -> None:
    """Find names that cannot be, and cells that several files claim."""
    claims: dict[tuple[str, str], list[str]] = defaultdict(list)
    for cell in plan.cells:
        claims[cell.item, cell.condition].append(cell.path)
    for (item, condition), paths in claims.items():
        if len(paths) > 1:
            message = _("{paths} would all be item '{item}' under condition '{condition}'. Keep one of them.")
            data = {"paths": some(paths), "item": item, "condition": condition}
            report.findings.append(Finding(Severity.ERROR, message, data, paths[0], tuple(dict.fromkeys(paths))))
    for name in {*plan.items, *plan.conditions}:
        if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
            message = _("'{name}' is no name for an item or a condition. Use up to {most} letters, digits and signs.")
            files = tuple(dict.fromkeys(cell.path for cell in plan.cells if name in (cell.item, cell.condition)))
            report.findings.append(
                Finding(Severity.ERROR, message, {"name": name[:80], "most": LONGEST_NAME}, files=files)
            )


def role_of(condition: str) -> str:
    """The role that a condition's name suggests."""
    return next((role for role, sign in ROLE_SIGNS if sign.fullmatch(condition)), "test")


# --- Conditions: C0/a.wav, C1/a.wav, ref/a.wav ------------------------------------------------------------------------


def _read_conditions(heard: Sequence[SourceFile], plan: Plan, report: Report) -> None:
    by_condition = _by_condition(heard)
    if not by_condition:
        raise layout_unfit(layout=CONDITIONS, problem=LazyMessage("there is no folder for each condition"))
    for condition, found in by_condition.items():
        for item, source in found:
            _take(source, item, condition, plan, role=role_of(condition))
    depth = _depth(heard)
    outside = [source.path for source in heard if len(PurePosixPath(source.path).parts) <= depth + 1]
    for path in outside:
        report.error(_("'{path}' lies outside the folders of the conditions. Put it into one."), path, path=path)


def _by_condition(heard: Sequence[SourceFile]) -> dict[str, list[tuple[str, SourceFile]]]:
    """Files by the folder that is their condition; deeper folders belong to the item's name."""
    found: dict[str, list[tuple[str, SourceFile]]] = defaultdict(list)
    depth = _depth(heard)
    for source in heard:
        parts = source.path.split("/")
        if len(parts) > depth + 1:
            found[parts[depth]].append((_item_name(parts[depth + 1 :]), source))
    return dict(found)


def _share_names(by_condition: dict[str, list[tuple[str, SourceFile]]]) -> bool:
    """Whether folders hold files of equal names, as far as they are no references of their own."""
    shared = Counter(item for found in by_condition.values() for item, _ in found)
    tests = [found for name, found in by_condition.items() if role_of(name) == "test"]
    most = max((len(found) for found in tests), default=0)
    return len(by_condition) > 1 and 2 * sum(count > 1 for count in shared.values()) >= most > 0


# --- Flat: single files -----------------------------------------------------------------------------------------------


def _read_flat(heard: Sequence[SourceFile], plan: Plan, report: Report) -> None:
    top = _common(heard)
    for source in heard:
        _take(source, _item_name(source.path.split("/")[top:]), ORIGINAL, plan, role="test")


# --- Shared -----------------------------------------------------------------------------------------------------------


def _take(source: SourceFile, item: str, condition: str, plan: Plan, *, role: str) -> None:
    if source.kind is Kind.PROJECT:
        plan.bundles.append(Bundle(source.path, item, condition))
        plan.conditions.setdefault(condition, role)
    else:
        plan.add(Cell(item, condition, source.path), role=role)


def _heard(sources: Iterable[SourceFile]) -> list[SourceFile]:
    return [source for source in sources if source.kind in {Kind.SOUND, Kind.PROJECT}]


def _folders(heard: Sequence[SourceFile]) -> set[str]:
    return {source.path.rpartition("/")[0] for source in heard} - {""}


def _common(heard: Sequence[SourceFile]) -> int:
    """How many folders all files have in common."""
    parents = [source.path.split("/")[:-1] for source in heard]
    return next(
        (depth for depth, steps in enumerate(zip(*parents, strict=False)) if len(set(steps)) > 1),
        min((len(parent) for parent in parents), default=0),
    )


def _depth(heard: Sequence[SourceFile]) -> int:
    """How many folders wrap the conditions' own; one that is called like a condition is no wrapper."""
    common = _common(heard)
    steps = heard[0].path.split("/")[:common] if heard else []
    return next((depth for depth, step in enumerate(steps) if USUAL_CONDITION.fullmatch(step)), common)


def _item_name(parts: Sequence[str]) -> str:
    name = name_of(parts[-1]).removesuffix(PROJECT_SUFFIX)
    return "/".join([*parts[:-1], name])


_READERS: dict[str, Callable[[Sequence[SourceFile], Plan, Report], None]] = {
    CONDITIONS: _read_conditions,
    SUMMARIES: read_summaries,
    FLAT: _read_flat,
}
