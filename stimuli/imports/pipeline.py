"""Import pipeline up to the commit: unpack, plan, extract, probe and check the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from audio import quality_checks as findings
from audio.formats import Shape
from audio.partial_results import Measures
from audio.quality_checks import Severity
from core.errors import AppError
from core.i18n import gettext_noop as _
from stimuli.imports.archives import unpack_archives
from stimuli.imports.extraction import extract_part, find_parts
from stimuli.imports.layouts import check_cells
from stimuli.imports.leaving_out import remove_left_out, tell_left_out, without_unplaced
from stimuli.imports.planner import complete_plan, make_plan
from stimuli.imports.plans import Cell, LeftOut, Plan
from stimuli.imports.probe import ProbedFile, ProbeResults, Rules, probe_files, sha256_of
from stimuli.imports.reports import Report
from stimuli.imports.sources import Kind, SourceFile

Progress = Callable[[int, int, str], None]

REPLACEMENT = "replacement"
MISSING = frozenset({"cell.missing", "cell.missing_beside"})


@dataclass(frozen=True)
class KeptFile:
    """A table or project that the import used; it is stored unchanged, so that the import can be traced later."""

    path: str
    place: str
    sha256: str


@dataclass
class ImportDraft:
    """Import draft: the plan, its report, and the probed file of each cell (None for a text)."""

    plan: Plan
    report: Report
    originals: list[ProbedFile | None] = field(default_factory=list)
    kept: list[KeptFile] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)  # SHA-256 of every file that was looked at, by its path

    @property
    def is_rejected(self) -> bool:
        return bool(self.report.errors)

    def to_json(self) -> dict[str, Any]:
        return {
            "plan": self.plan.to_json(),
            "report": self.report.to_json(),
            "originals": [original and asdict(original) for original in self.originals],
            "kept": [asdict(kept) for kept in self.kept],
            "digests": self.digests,
        }

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> Self:
        originals = [ProbedFile(**original) if original else None for original in facts["originals"]]
        kept = [KeptFile(**kept) for kept in facts["kept"]]
        report = Report.from_json(facts["report"])
        return cls(Plan.from_json(facts["plan"]), report, originals, kept, facts["digests"])


@dataclass(frozen=True)
class Replaced:
    """The place whose sound an import replaces, and the other sounds of its item, to compare the new one with."""

    item: str
    condition: str
    role: str
    beside: Sequence[findings.Cell]


def draft_import(
    sources: Iterable[SourceFile],
    *,
    work: Path,
    rules: Rules,
    layout: str = "auto",
    metadata: Path | None = None,
    progress: Progress = lambda done, total, note: None,
    left_out: Sequence[LeftOut] = (),
    results: ProbeResults | None = None,
    replaced: Replaced | None = None,
) -> ImportDraft:
    """Draft an import without writing rows; the report lists all problems, not only the first.

    `results` are those of an earlier check of the same files, to which new ones are added.
    """
    report = Report()
    given = list(sources)
    dropped = {one.path for one in left_out}
    unpacked = unpack_archives(given, work, most_bytes=rules.unpacked_bytes, report=report, without=dropped)
    found = without_unplaced(unpacked, left_out)
    if replaced:
        plan = _plan_replacement(found, replaced, report)
    else:
        plan = _plan_files(found, layout, metadata, report, longest_h=rules.longest_h)
    gone = remove_left_out(plan, left_out, report)
    check_cells(plan, report)
    result = ImportDraft(plan, report)
    found = [source for source in found if source.path not in dropped]
    _probe_all(result, found, work, rules, progress, results or ProbeResults(work))
    _check(result, without={cell.name for cell in gone}, beside=replaced.beside if replaced else ())
    tell_left_out(plan, gone, report)
    if not result.is_rejected:
        result.kept = _kept(plan, found, metadata)
    _name_files(result, [*given, *found])
    report.counts |= _counts(result, found)
    return result


def _plan_files(
    sources: Sequence[SourceFile], layout: str, metadata: Path | None, report: Report, *, longest_h: float
) -> Plan:
    """The plan of the files, as far as it could be made; what kept it from being complete is in the report."""
    plan = Plan(layout)
    try:
        plan, tables = make_plan(sources, layout=layout, metadata=metadata, report=report)
        by_path = {source.path: source for source in sources}
        for bundle in plan.bundles:
            find_parts(bundle, by_path[bundle.path], plan, report, longest_h=longest_h)
        complete_plan(plan, tables, given=metadata.name if metadata else "", report=report)
    except AppError as problem:
        report.reject(problem)
    return plan


def _name_files(result: ImportDraft, sources: Sequence[SourceFile]) -> None:
    """Say of each finding which files it is about: it names a path, a part of a file, or a cell."""
    cells = result.plan.cells
    files = {cell.name: cell.path for cell in cells} | {_called(cell): cell.path for cell in cells}
    result.report.name_files(files | {source.path: source.path for source in sources})


def _probe_all(
    result: ImportDraft,
    sources: Sequence[SourceFile],
    work: Path,
    rules: Rules,
    progress: Progress,
    results: ProbeResults,
) -> None:
    """Probe every file; without a plan too, so that broken files are reported."""
    by_path = {source.path: source for source in sources}
    places: dict[str, Path] = {}
    for number, cell in enumerate(result.plan.cells):
        if cell.text is None:
            place = _place(cell, by_path[cell.path], work / f"part-{number}.wav", result.report)
            if place:
                places[_called(cell)] = place
    if not result.plan.cells:
        places = {source.path: source.place for source in sources if source.kind is Kind.SOUND}
    known = {source.path: source.sha256 for source in sources}
    before = set(results.by_digest)
    found = probe_files(places, known=known, results=results, rules=rules, progress=progress)
    rejected = {name: verdict for name, verdict in found.items() if isinstance(verdict, AppError)}
    for name, error in rejected.items():
        result.report.reject(error, name)
    probed = {name: verdict for name, verdict in found.items() if not isinstance(verdict, AppError)}
    digests = {known[name] for name in found}
    result.report.probed, result.report.reused = len(digests - before), len(digests & before)
    result.digests = {path: known[path] for path in by_path if known[path]}
    result.originals = [None if cell.text else probed.get(_called(cell)) for cell in result.plan.cells]
    result.plan.cells = _with_rates(result.plan.cells, result.originals)


def _with_rates(cells: Sequence[Cell], originals: Sequence[ProbedFile | None]) -> list[Cell]:
    """Add the sample rate to cut parts, so that the proposal can show their times."""
    rates_hz = {
        cell.path: original.shape["sample_rate_hz"]
        for cell, original in zip(cells, originals, strict=True)
        if cell.start is not None and original
    }
    return [cell if cell.start is None else replace(cell, sample_rate_hz=rates_hz.get(cell.path)) for cell in cells]


def _called(cell: Cell) -> str:
    """The name of a cell's file, or of its part of a file, in reports."""
    return f"{cell.path} ({cell.name})" if cell.is_part else cell.path


def _place(cell: Cell, source: SourceFile, target: Path, report: Report) -> Path | None:
    if not cell.is_part:
        return source.place
    try:
        extract_part(cell, source, target)
    except AppError as problem:
        report.reject(problem, source.path)
        return None
    return target


def _plan_replacement(sources: Sequence[SourceFile], replaced: Replaced, report: Report) -> Plan:
    sounds = [source for source in sources if source.kind is Kind.SOUND]
    plan = Plan(REPLACEMENT)
    if len(sounds) != 1:
        report.error(_("One sound takes the place of one clip, and {count} were sent."), count=len(sounds))
        return plan
    plan.add(Cell(replaced.item, replaced.condition, sounds[0].path), role=replaced.role)
    return plan


def _check(result: ImportDraft, *, without: set[str], beside: Sequence[findings.Cell]) -> None:
    """Add the results of the quality checks as warnings; the experimenter decides whether they matter.

    They stand beside the errors: a file that cannot be read counts as there, and is told by its error alone. What is
    missing at the places of files that were left out is told once for all of them.
    """
    plan = result.plan
    cells = [
        findings.Cell(
            cell.item,
            cell.condition,
            plan.conditions[cell.condition],
            Shape.from_json(original.shape) if original else None,
            Measures.from_json(original.measures) if original and original.measures else None,
            original.sha256 if original else "",
            original.byte_count if original else 0,
        )
        for cell, original in zip(plan.cells, result.originals, strict=True)
    ]
    conditions = [*plan.conditions, *(cell.condition for cell in beside)]
    for one in findings.check_sounds([*cells, *beside], plan.items, conditions):
        severity = Severity.NOTE if one.severity is Severity.NOTE else Severity.WARNING
        place = " x ".join(name for name in (one.item, one.condition) if name)
        if one.code in MISSING and place in without:
            continue
        result.report.add(severity, one.sentence, place, **one.data)


def _kept(plan: Plan, sources: Sequence[SourceFile], metadata: Path | None) -> list[KeptFile]:
    """The tables that were used, and the files out of which parts were taken."""
    used = {*plan.attached, *(cell.path for cell in plan.cells if cell.is_part)}
    came = [source for source in sources if source.path in used]
    kept = [KeptFile(source.path, str(source.place), source.sha256 or sha256_of(source.place)) for source in came]
    if metadata and metadata.name in used:
        kept.append(KeptFile(metadata.name, str(metadata), sha256_of(metadata)))
    return kept


def _counts(result: ImportDraft, sources: Sequence[SourceFile]) -> dict[str, int]:
    probed = [original for original in result.originals if original]
    return {
        "files": len(sources),
        "items": len(result.plan.items),
        "conditions": len(result.plan.conditions),
        "stimuli": len(result.plan.cells),
        "texts": sum(cell.text is not None for cell in result.plan.cells),
        "long_recordings": sum(not original.is_short for original in probed),
        "ignored": len(result.plan.ignored),
        "duration_s": round(sum(original.duration_s for original in probed)),
    }
