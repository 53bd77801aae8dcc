"""Loudness normalisation: a copy of a whole collection at one loudness, with a report of before and after."""

import csv
import hashlib
import io
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from django.db import transaction
from django.template.defaultfilters import floatformat
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from audio.loudness import TRUE_PEAK_LIMIT_DBTP
from audio.sandbox.batching import even_batches
from audio.sandbox.client import Limits
from core.errors import AppError
from core.i18n import LazyMessage
from core.jobs import JobRun, enqueue, job
from core.models import Job, User
from core.services import audit
from core.spreadsheets import neutralise
from stimuli import storage
from stimuli.imports.pipeline import ImportDraft
from stimuli.imports.plans import Cell, Plan
from stimuli.imports.probe import ProbedFile
from stimuli.imports.reports import Report, some
from stimuli.models import Collection, CollectionQuerySet, Import
from stimuli.sandbox import error_from_child, run_sandboxed
from stimuli.services.collections import collection_slug_taken, open_collection
from stimuli.services.commit_import import ImportCommit, Progress, commit_import
from stimuli.services.ingest import Transactional
from stimuli.services.quality_checks import CellRecording, StimulusCell, cells_in, measure_missing
from stimuli.services.staged_files import StagedFiles, original_name

LAYOUT = "levels"
LOWEST_LUFS, HIGHEST_LUFS = -60.0, 0.0
CHILDREN = 2
MOST_FILES_PER_CHILD = 200
VALUES_PER_CHILD = 16 * 2**20  # samples times channels
COPY_FORMAT, COPY_BITS = "wav", 24  # as audio.clips writes it
MEGABYTE = 2**20


@dataclass(frozen=True)
class ClipSource:
    """A clip to be copied, and the cells that it fills."""

    sound: CellRecording
    cells: list[StimulusCell]

    def __str__(self) -> str:
        return str(self.cells[0])

    @property
    def values(self) -> int:
        """How many numbers it consists of."""
        return int(self.sound.shape["length_samples"] * self.sound.shape["channels"])


@dataclass(frozen=True)
class NormalisedClip:
    """A clip at its new level."""

    source: ClipSource
    probed: ProbedFile
    gain_db: float

    @property
    def peaks_high(self) -> bool:
        """Whether it passes the true peak that EBU R 128 allows; a player may then clip it."""
        return bool(self.probed.measures and self.probed.measures["true_peak_dbtp"] > TRUE_PEAK_LIMIT_DBTP)


def normalise_collection(
    *,
    source: Collection,
    target_lufs: float,
    slug: str,
    title: str,
    actor: User,
    transactional: Transactional = transaction.atomic,
    progress: Progress = lambda done, total, note: None,
) -> Collection:
    """Copy a collection with every clip at the target; the source stays as it is, whatever happens."""
    awaiting = _awaiting_copy(slug, source)
    measure_missing(collection=source)
    cells = cells_in(source)
    reject_unfit(cells, target_lufs)
    staged = StagedFiles()
    with staged.until_committed():
        copies = _copies(_sources(cells), target_lufs, staged, progress)
        made = awaiting or Collection(slug=slug, title=title, owner=actor)
        draft, is_new = _draft(source, cells, copies), awaiting is None
        commit = ImportCommit(made, draft, actor, replace=False, linked=True, is_new=is_new)
        commit.origins = {copy.probed.sha256: (copy.source.sound.id, copy.gain_db) for copy in copies.values()}
        conclude = partial(_conclude, commit, source, copies, target_lufs)
        commit_import(commit, staged, transactional=transactional, then=conclude, progress=progress)
    return made


def ask_for_copy(*, source: Collection, target_lufs: float, slug: str, title: str, actor: User) -> Job:
    """Have a collection copied to a level in the background, unless it is clear now that it cannot be."""
    _awaiting_copy(slug, source)
    reject_unfit(cells_in(source), target_lufs)
    return _enqueue_copy(source, target_lufs=target_lufs, slug=slug, title=title, actor=actor)


def _enqueue_copy(source: Collection, *, target_lufs: float, slug: str, title: str, actor: User) -> Job:
    arguments = {"source_id": str(source.pk), "target_lufs": target_lufs, "slug": slug, "title": title}
    key = _copy_key(slug)
    return enqueue(normalise_copy, key=key, requested_by=actor, actor_id=str(actor.pk), **arguments)


def _copy_key(slug: str) -> str:
    return f"{normalise_copy.name}:{slug}"


def _awaiting_copy(slug: str, source: Collection) -> Collection | None:
    """The collection of this name that awaits copies from this source; a name of any other is taken."""
    awaiting = awaiting_copies(source).filter(slug=slug).first()
    if awaiting is None and Collection.objects.filter(slug=slug).exists():
        raise collection_slug_taken(slug=slug)
    return awaiting


def awaiting_copies(source: Collection) -> CollectionQuerySet:
    """Empty collections that were opened for copies of this one, which are not made yet or could not be."""
    return Collection.objects.filter(copied_by__collection=source, version=0)


@transaction.atomic
def ask_for_copy_of_import(*, import_: Import, target_lufs: float, actor: User) -> Collection:
    """Open a collection that gets the clips of an import at one loudness as soon as they are imported."""
    import_ = Import.objects.select_for_update(of=("self",)).select_related("collection").get(pk=import_.pk)
    check_level(target_lufs)
    title = copy_title(import_.collection.title, target_lufs)
    import_.copy_into, import_.copy_lufs = open_collection(owner=actor, title=title), target_lufs
    import_.save(update_fields=["copy_into", "copy_lufs"])
    if import_.state == Import.State.DONE:
        enqueue_copy_of_import(import_, actor=actor)
    return import_.copy_into


def enqueue_copy_of_import(import_: Import, *, actor: User | None) -> None:
    """Enqueue the copy that was asked for with an import, if one was."""
    into, target_lufs = import_.copy_into, import_.copy_lufs
    if into and target_lufs is not None:
        person = actor or import_.owner
        _enqueue_copy(import_.collection, target_lufs=target_lufs, slug=into.slug, title=into.title, actor=person)


def job_for(*, source: Collection, slug: str) -> Job | None:
    """The newest job that copies this collection under this short name."""
    jobs = Job.objects.filter(key=_copy_key(slug), arguments__source_id=str(source.pk))
    return jobs.order_by("-created_at").first()


def copy_title(title: str, target_lufs: float) -> str:
    return f"{title[:180]} ({target_lufs:g} LUFS)"


@job(queue="interactive", title=gettext_noop("Creating the copy"))
def normalise_copy(*, run: JobRun, source_id: str, target_lufs: float, slug: str, title: str, actor_id: str) -> None:
    """Normalise a copy of a collection: an error is its result, and stands in its last note."""
    if Import.objects.filter(collection__slug=slug, layout=LAYOUT, plan__source=source_id).exists():
        return
    source, actor = Collection.objects.get(pk=source_id), User.objects.get(pk=actor_id)
    wanted: dict[str, Any] = {"target_lufs": target_lufs, "slug": slug, "title": title, "actor": actor}
    try:
        normalise_collection(source=source, **wanted, transactional=run.finish, progress=run.progress)
    except AppError as error:
        run.progress(0, 1, str(error))


def _levels_rejected(*, problem: str) -> AppError:
    return AppError("levels.refused", 422, gettext_noop("The collection was not copied: {problem}."), problem=problem)


def reject_unfit(cells: Sequence[StimulusCell], target_lufs: float) -> None:
    """Reject a level that some of the clips cannot have, naming them and the highest level that all can have."""
    check_level(target_lufs)
    measured = {str(source): source.sound.measures for source in _sources(cells) if source.sound.measures}
    unknown = [name for name, measures in measured.items() if measures["integrated_lufs"] is None]
    if unknown:
        message = LazyMessage(
            "{count} of its sounds are too quiet or too short to have a loudness ({names})",
            count=len(unknown),
            names=some(unknown),
        )
        raise _levels_rejected(problem=message)
    ceilings = {name: highest_lufs(measures) for name, measures in measured.items()}
    clipped = [name for name, ceiling in ceilings.items() if ceiling < target_lufs]
    if clipped:
        message = LazyMessage(
            "{count} of its sounds would be clipped at {target} LUFS ({names}); "
            "the highest level that all of them can have is {highest} LUFS",
            count=len(clipped),
            target=f"{target_lufs:g}",
            names=some(clipped),
            highest=f"{min(ceilings.values()):.1f}",
        )
        raise _levels_rejected(problem=message)


def check_level(target_lufs: float) -> None:
    if not LOWEST_LUFS <= target_lufs <= HIGHEST_LUFS:
        message = LazyMessage(
            "{target} LUFS is no level between {lowest} and {highest}",
            target=f"{target_lufs:g}",
            lowest=f"{LOWEST_LUFS:g}",
            highest=f"{HIGHEST_LUFS:g}",
        )
        raise _levels_rejected(problem=message)


def highest_lufs(measures: dict[str, Any]) -> float:
    """The level at which the largest sample reaches full scale, rounded down to what can be asked for."""
    headroom_lufs: float = measures["integrated_lufs"] - measures["sample_peak_dbfs"]
    return math.floor(headroom_lufs * 10) / 10


# --- Copies -----------------------------------------------------------------------------------------------------------


def _sources(cells: Sequence[StimulusCell]) -> list[ClipSource]:
    """Each clip once, however many cells it fills."""
    found: dict[str, ClipSource] = {}
    for cell in cells:
        if cell.sound and cell.sound.is_clip:
            found.setdefault(cell.sound.sha256, ClipSource(cell.sound, [])).cells.append(cell)
    return list(found.values())


def _copies(
    sources: Sequence[ClipSource], target_lufs: float, staged: StagedFiles, progress: Progress
) -> dict[str, NormalisedClip]:
    """A copy of each, by the digest of what it was made from."""
    copies: dict[str, NormalisedClip] = {}
    batches = even_batches(sources, size=_size, max_size=VALUES_PER_CHILD, children=CHILDREN)
    with ThreadPoolExecutor(CHILDREN + 1) as pool:  # one more, which writes while the others wait for children
        for made in pool.map(lambda batch: _normalise(batch, target_lufs, staged), batches):
            copies |= {copy.source.sound.sha256: copy for copy in made}
            progress(len(copies), len(sources), "")
    return copies


def _size(source: ClipSource) -> int:
    """Its share of what a child may hold, or as much as leaves a child with no more files than it may have."""
    return max(source.values, VALUES_PER_CHILD // MOST_FILES_PER_CHILD)


def _normalise(batch: Sequence[ClipSource], target_lufs: float, staged: StagedFiles) -> list[NormalisedClip]:
    output_bytes = sum(source.values for source in batch) * COPY_BITS // 8 + MEGABYTE
    names = [str(source) for source in batch]
    with ExitStack() as stack:
        outcome = run_sandboxed(
            "audio.clips:normalise_clips",
            *(stack.enter_context(storage.local_file(source.sound.file)) for source in batch),
            name=names[0],
            limits=Limits(
                cpu_s=300,
                wall_s=600,
                memory_bytes=512 * MEGABYTE + 8 * output_bytes,
                result_bytes=output_bytes + MEGABYTE,
            ),
            names=names,
            befores=[source.sound.measures for source in batch],
            target_lufs=target_lufs,
        )
    made, contents = [], {}
    for number, (source, entry) in enumerate(zip(batch, outcome.facts["copies"], strict=True)):
        if "error" in entry:
            raise error_from_child(entry["error"], name=names[number])
        content = outcome.blobs[str(number)]
        made.append(_copy(source, entry, content))
        contents[original_name(made[-1].probed.sha256, COPY_FORMAT)] = content
    staged.put_bytes(contents)
    return made


def _copy(source: ClipSource, entry: dict[str, Any], content: bytes) -> NormalisedClip:
    probed = ProbedFile(
        place="",  # it stands in storage already
        sha256=hashlib.sha256(content).hexdigest(),
        byte_count=len(content),
        shape={**source.sound.shape, "format": COPY_FORMAT, "bits": COPY_BITS},
        measures=entry["after"],
        is_short=True,
        is_plain=True,
        origin_bits=source.sound.shape["bits"],
        outline=entry["outline"],
    )
    return NormalisedClip(source, probed, entry["gain_db"])


# --- Rows -------------------------------------------------------------------------------------------------------------


def _draft(source: Collection, cells: Sequence[StimulusCell], copies: dict[str, NormalisedClip]) -> ImportDraft:
    """What an import would have made of the copies; texts and long recordings come along as they are."""
    plan, report = Plan(LAYOUT), Report()
    originals: list[ProbedFile | None] = []
    for cell in cells:
        clock: dict[str, Any] = {"starts_at_s": cell.starts_at_s, "clock": cell.clock}
        part = Cell(cell.item, cell.condition, source.slug, text=cell.text, **clock)
        plan.add(part, role=cell.role, factors=cell.factors)
        plan.condition_factors[cell.condition] = cell.condition_factors
        originals.append(_probed(cell.sound, copies) if cell.sound else None)
    longs = [str(cell) for cell in cells if cell.sound and not cell.sound.is_clip]
    if longs:
        message = gettext_noop("{count} long recordings were taken over at the level they have: {names}.")
        report.warn(message, count=len(longs), names=some(longs))
    loud = [str(cell) for copy in copies.values() if copy.peaks_high for cell in copy.source.cells]
    if loud:
        message = gettext_noop("{count} sounds have true peaks above -1 dBTP and may be clipped by a player: {names}.")
        report.warn(message, count=len(loud), names=some(loud))
    report.counts = {"stimuli": len(cells), "copies": len(copies)}
    return ImportDraft(plan, report, originals)


def _probed(sound: CellRecording, copies: dict[str, NormalisedClip]) -> ProbedFile:
    if sound.sha256 in copies:
        return copies[sound.sha256].probed
    return ProbedFile("", sound.sha256, sound.byte_count, sound.shape, sound.measures or None, is_short=False)


def _conclude(commit: ImportCommit, source: Collection, copies: dict[str, NormalisedClip], target_lufs: float) -> None:
    """Write the report with before and after."""
    now, plan = timezone.now(), {"layout": LAYOUT, "source": str(source.pk), "target_lufs": target_lufs}
    Import.objects.create(
        collection=commit.collection,
        owner=commit.collection.owner,
        state=Import.State.DONE,
        layout=LAYOUT,
        plan=plan,
        report=commit.draft.report.to_json() | {"levels": [_told(copy) for copy in copies.values()]},
        version=commit.collection.version,
        expires_at=now,
        finished_at=now,
    )
    target, after = f"collection/{commit.collection.slug}", {"source": source.slug, "target_lufs": target_lufs}
    audit.record(actor=commit.actor, action="collection.normalised", target=target, after=after)


def _told(copy: NormalisedClip) -> dict[str, Any]:
    before, after = copy.source.sound.measures, copy.probed.measures or {}
    return {
        "cells": [{"item": cell.item, "condition": cell.condition} for cell in copy.source.cells],
        "from": copy.source.sound.sha256,
        "to": copy.probed.sha256,
        "gain_db": copy.gain_db,
        "before_lufs": before["integrated_lufs"],
        "after_lufs": after["integrated_lufs"],
        "before_dbtp": before["true_peak_dbtp"],
        "after_dbtp": after["true_peak_dbtp"],
    }


# --- Report -----------------------------------------------------------------------------------------------------------


FIGURES = ("before_lufs", "gain_db", "after_lufs", "before_dbtp", "after_dbtp")
MOST_ROWS = 2000

Levels = Sequence[Mapping[str, Any]]  # report["levels"] of an import, one for each clip that was copied


def summary(levels: Levels, target_lufs: float) -> str:
    """How many copies there are, and how far the worst of them lie from what was wanted."""
    if not levels:
        return _("It has no clips, so nothing was brought to {target} LUFS.").format(target=level(target_lufs))
    message = ngettext(
        "{count} copy at {target} LUFS, {worst} LU off at most; the highest true peak is {peak} dBTP.",
        "{count} copies at {target} LUFS, {worst} LU off at most; the highest true peak is {peak} dBTP.",
        len(levels),
    )
    return message.format(
        count=len(levels),
        target=level(target_lufs),
        worst=floatformat(max(abs(one["after_lufs"] - target_lufs) for one in levels), 2),
        peak=floatformat(max(one["after_dbtp"] for one in levels), 1),
    )


def rows(levels: Levels) -> list[dict[str, Any]]:
    """One for each cell, by item and condition; cells may share a clip."""
    cells = ({**cell, **{name: one[name] for name in FIGURES}} for one in levels for cell in one["cells"])
    return sorted(cells, key=lambda row: (row["item"], row["condition"]))


def table(levels: Levels) -> str:
    """The same as CSV, to the last digit."""
    text = io.StringIO()
    writer = csv.DictWriter(text, ["item", "condition", *FIGURES], lineterminator="\n")
    writer.writeheader()
    for row in rows(levels):
        writer.writerow({**row, "item": neutralise(row["item"]), "condition": neutralise(row["condition"])})
    return text.getvalue()


def level(lufs: float) -> str:
    """A requested level, in the reader's number format."""
    return number_format(Decimal(f"{lufs:g}"))


def loudness_copy(import_: Import, reader: User) -> dict[str, Any] | None:
    """What the page of an import shows of the copies that it made, or nothing if it made none."""
    if (import_.layout, import_.state) != (LAYOUT, Import.State.DONE):  # an upload that names it is rejected
        return None
    levels, shown = import_.report["levels"], rows(import_.report["levels"])
    return {
        **_origin(import_, reader),
        "summary": summary(levels, import_.plan["target_lufs"]),
        "rows": shown[:MOST_ROWS],
        "more": max(0, len(shown) - MOST_ROWS),
    }


def origin_of(collection: Collection, reader: User) -> dict[str, Any] | None:
    """From what a collection was copied and to which level, if it was and if the reader may see how."""
    imports = Import.objects.visible_to(reader).filter(collection=collection, layout=LAYOUT, state=Import.State.DONE)
    made = imports.defer("report").first()
    return _origin(made, reader) if made else None


def _origin(import_: Import, reader: User) -> dict[str, Any]:
    source = Collection.objects.visible_to(reader).filter(pk=import_.plan["source"]).first()
    target = import_.plan["target_lufs"]
    return {"import_id": import_.pk, "source": source, "target": level(target), "target_lufs": target}
