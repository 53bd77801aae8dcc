"""Normalisation: a whole collection copied to one loudness, with before and after, or not at all."""

import hashlib
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils import timezone

from audio.loudness import TRUE_PEAK_LIMIT_DBTP
from audio.sandbox.batching import even_batches
from audio.sandbox.client import Limits
from core.clauses import clause
from core.errors import AppError, sentence
from core.jobs import JobRun, enqueue, job
from core.models import Job, User
from core.services import audit
from stimuli import storage
from stimuli.errors.intake import LevelsRefused
from stimuli.errors.uploads import CollectionSlugTaken
from stimuli.intake.drafting import Draft
from stimuli.intake.hearing import Heard
from stimuli.intake.plans import Cell, Plan
from stimuli.intake.reports import Report, some
from stimuli.models import Collection, Intake
from stimuli.sandbox import error_from_child, run_sandboxed
from stimuli.services.cells import FilledCell, Sounding, cells_in
from stimuli.services.checks import measure_missing
from stimuli.services.filling import Fence, Filling, Progress, fill, whole
from stimuli.services.keeping import Keeping, original_name

LAYOUT = "levels"
LOWEST_LUFS, HIGHEST_LUFS = -60.0, 0.0
CHILDREN = 2
MOST_FILES_PER_CHILD = 200
VALUES_PER_CHILD = 16 * 2**20  # samples times channels
COPY_FORMAT, COPY_BITS = "wav", 24  # as audio.clips writes it
MEGABYTE = 2**20


@dataclass(frozen=True)
class Source:
    """A clip to be copied, and the cells that it fills."""

    sound: Sounding
    cells: list[FilledCell]

    def __str__(self) -> str:
        return str(self.cells[0])

    @property
    def values(self) -> int:
        """How many numbers it consists of."""
        return int(self.sound.shape["length_samples"] * self.sound.shape["channels"])


@dataclass(frozen=True)
class Copy:
    """A clip at its new level."""

    source: Source
    heard: Heard
    gain_db: float

    @property
    def peaks_high(self) -> bool:
        """Whether it passes the true peak that EBU R 128 allows; a player may then clip it."""
        return bool(self.heard.measures and self.heard.measures["true_peak_dbtp"] > TRUE_PEAK_LIMIT_DBTP)


def normalise_collection(
    *,
    source: Collection,
    target_lufs: float,
    slug: str,
    title: str,
    actor: User,
    fence: Fence = whole,
    progress: Progress = lambda done, total, note: None,
) -> Collection:
    """Copy a collection with every clip at the target; the source stays as it is, whatever happens."""
    if Collection.objects.filter(slug=slug).exists():
        raise CollectionSlugTaken(slug=slug)
    measure_missing(collection=source)
    cells = cells_in(source)
    refuse_unfit(cells, target_lufs)
    keeping = Keeping()
    with keeping.until_committed():
        copies = _copies(_sources(cells), target_lufs, keeping, progress)
        made = Collection(slug=slug, title=title, owner=actor)
        filling = Filling(made, _draft(source, cells, copies), actor, replace=False, linked=True, is_new=True)
        filling.origins = {copy.heard.sha256: (copy.source.sound.id, copy.gain_db) for copy in copies.values()}
        conclude = partial(_conclude, filling, source, copies, target_lufs)
        fill(filling, keeping, fence=fence, then=conclude, progress=progress)
    return made


def ask_for_copy(*, source: Collection, target_lufs: float, slug: str, title: str, actor: User) -> Job:
    """Have a collection copied to a level in the background, unless it is clear now that it cannot be."""
    if Collection.objects.filter(slug=slug).exists():
        raise CollectionSlugTaken(slug=slug)
    refuse_unfit(cells_in(source), target_lufs)
    arguments = {"source_id": str(source.pk), "target_lufs": target_lufs, "slug": slug, "title": title}
    key = f"{normalise_copy.name}:{slug}"
    return enqueue(normalise_copy, key=key, requested_by=actor, actor_id=str(actor.pk), **arguments)


@job(queue="interactive")
def normalise_copy(*, run: JobRun, source_id: str, target_lufs: float, slug: str, title: str, actor_id: str) -> None:
    """Normalise a copy of a collection: a refusal is its result, and stands in its last note."""
    if Intake.objects.filter(collection__slug=slug, layout=LAYOUT, plan__source=source_id).exists():
        return
    source, actor = Collection.objects.get(pk=source_id), User.objects.get(pk=actor_id)
    wanted: dict[str, Any] = {"target_lufs": target_lufs, "slug": slug, "title": title, "actor": actor}
    try:
        normalise_collection(source=source, **wanted, fence=run.finish, progress=run.progress)
    except AppError as refusal:
        run.progress(0, 1, str(refusal))


def refuse_unfit(cells: Sequence[FilledCell], target_lufs: float) -> None:
    """Refuse a level that some of the clips cannot have, naming them and the highest level that all can have."""
    if not LOWEST_LUFS <= target_lufs <= HIGHEST_LUFS:
        says = clause(
            "{target} LUFS is no level between {lowest} and {highest}",
            target=f"{target_lufs:g}",
            lowest=f"{LOWEST_LUFS:g}",
            highest=f"{HIGHEST_LUFS:g}",
        )
        raise LevelsRefused(problem=says)
    measured = {str(source): source.sound.measures for source in _sources(cells) if source.sound.measures}
    unknown = [name for name, measures in measured.items() if measures["integrated_lufs"] is None]
    if unknown:
        says = clause(
            "{count} of its sounds are too quiet or too short to have a loudness ({names})",
            count=len(unknown),
            names=some(unknown),
        )
        raise LevelsRefused(problem=says)
    ceilings = {name: highest_lufs(measures) for name, measures in measured.items()}
    clipped = [name for name, ceiling in ceilings.items() if ceiling < target_lufs]
    if clipped:
        says = clause(
            "{count} of its sounds would be clipped at {target} LUFS ({names}); "
            "the highest level that all of them can have is {highest} LUFS",
            count=len(clipped),
            target=f"{target_lufs:g}",
            names=some(clipped),
            highest=f"{min(ceilings.values()):.1f}",
        )
        raise LevelsRefused(problem=says)


def highest_lufs(measures: dict[str, Any]) -> float:
    """The level at which the largest sample reaches full scale, rounded down to what can be asked for."""
    headroom_lufs: float = measures["integrated_lufs"] - measures["sample_peak_dbfs"]
    return math.floor(headroom_lufs * 10) / 10


# --- Copies -----------------------------------------------------------------------------------------------------------


def _sources(cells: Sequence[FilledCell]) -> list[Source]:
    """Each clip once, however many cells it fills."""
    found: dict[str, Source] = {}
    for cell in cells:
        if cell.sound and cell.sound.is_clip:
            found.setdefault(cell.sound.sha256, Source(cell.sound, [])).cells.append(cell)
    return list(found.values())


def _copies(sources: Sequence[Source], target_lufs: float, keeping: Keeping, progress: Progress) -> dict[str, Copy]:
    """A copy of each, by the digest of what it was made from."""
    copies: dict[str, Copy] = {}
    batches = even_batches(sources, size=_size, room=VALUES_PER_CHILD, children=CHILDREN)
    with ThreadPoolExecutor(CHILDREN + 1) as pool:  # one more, which writes while the others wait for children
        for made in pool.map(lambda batch: _levelled(batch, target_lufs, keeping), batches):
            copies |= {copy.source.sound.sha256: copy for copy in made}
            progress(len(copies), len(sources), "")
    return copies


def _size(source: Source) -> int:
    """So much of a child's room, or as much as leaves a child with no more files than it may have."""
    return max(source.values, VALUES_PER_CHILD // MOST_FILES_PER_CHILD)


def _levelled(batch: Sequence[Source], target_lufs: float, keeping: Keeping) -> list[Copy]:
    room = sum(source.values for source in batch) * COPY_BITS // 8 + MEGABYTE
    names = [str(source) for source in batch]
    with ExitStack() as stack:
        outcome = run_sandboxed(
            "audio.clips:normalise_clips",
            *(stack.enter_context(storage.local_file(source.sound.file)) for source in batch),
            name=names[0],
            limits=Limits(cpu_s=300, wall_s=600, memory_bytes=512 * MEGABYTE + 8 * room, result_bytes=room + MEGABYTE),
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
        contents[original_name(made[-1].heard.sha256, COPY_FORMAT)] = content
    keeping.put_bytes(contents)
    return made


def _copy(source: Source, entry: dict[str, Any], content: bytes) -> Copy:
    heard = Heard(
        place="",  # it stands in storage already
        sha256=hashlib.sha256(content).hexdigest(),
        byte_count=len(content),
        shape={**source.sound.shape, "format": COPY_FORMAT, "bits": COPY_BITS},
        measures=entry["after"],
        is_short=True,
        is_plain=True,
        origin_bits=source.sound.shape["bits"],
    )
    return Copy(source, heard, entry["gain_db"])


# --- Rows -------------------------------------------------------------------------------------------------------------


def _draft(source: Collection, cells: Sequence[FilledCell], copies: dict[str, Copy]) -> Draft:
    """What an import would have made of the copies; texts and long recordings come along as they are."""
    plan, report = Plan(LAYOUT), Report()
    originals: list[Heard | None] = []
    for cell in cells:
        clock: dict[str, Any] = {"starts_at_s": cell.starts_at_s, "clock": cell.clock}
        part = Cell(cell.item, cell.condition, source.slug, text=cell.text, **clock)
        plan.add(part, role=cell.role, factors=cell.factors)
        plan.condition_factors[cell.condition] = cell.condition_factors
        originals.append(_heard(cell.sound, copies) if cell.sound else None)
    longs = [str(cell) for cell in cells if cell.sound and not cell.sound.is_clip]
    if longs:
        says = sentence("{count} long recordings were taken over at the level they have: {names}.")
        report.warn(says, count=len(longs), names=some(longs))
    loud = [str(cell) for copy in copies.values() if copy.peaks_high for cell in copy.source.cells]
    if loud:
        says = sentence("{count} sounds have true peaks above -1 dBTP and may be clipped by a player: {names}.")
        report.warn(says, count=len(loud), names=some(loud))
    report.counts = {"stimuli": len(cells), "copies": len(copies)}
    return Draft(plan, report, originals)


def _heard(sound: Sounding, copies: dict[str, Copy]) -> Heard:
    if sound.sha256 in copies:
        return copies[sound.sha256].heard
    return Heard("", sound.sha256, sound.byte_count, sound.shape, sound.measures or None, is_short=False)


def _conclude(filling: Filling, source: Collection, copies: dict[str, Copy], target_lufs: float) -> None:
    """Write the report with before and after."""
    now, plan = timezone.now(), {"layout": LAYOUT, "source": str(source.pk), "target_lufs": target_lufs}
    Intake.objects.create(
        collection=filling.collection,
        owner=filling.collection.owner,
        state=Intake.State.DONE,
        layout=LAYOUT,
        plan=plan,
        report=filling.draft.report.to_json() | {"levels": [_told(copy) for copy in copies.values()]},
        version=filling.collection.version,
        expires_at=now,
        finished_at=now,
    )
    target, after = f"collection/{filling.collection.slug}", {"source": source.slug, "target_lufs": target_lufs}
    audit.record(actor=filling.actor, action="collection.normalised", target=target, after=after)


def _told(copy: Copy) -> dict[str, Any]:
    before, after = copy.source.sound.measures, copy.heard.measures or {}
    return {
        "cells": [{"item": cell.item, "condition": cell.condition} for cell in copy.source.cells],
        "from": copy.source.sound.sha256,
        "to": copy.heard.sha256,
        "gain_db": copy.gain_db,
        "before_lufs": before["integrated_lufs"],
        "after_lufs": after["integrated_lufs"],
        "before_dbtp": before["true_peak_dbtp"],
        "after_dbtp": after["true_peak_dbtp"],
    }
