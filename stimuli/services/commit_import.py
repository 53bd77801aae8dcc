"""Commit of a checked import: files first, then all rows in one transaction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from django.db import IntegrityError
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from core.services import audit
from stimuli.imports.pipeline import ImportDraft
from stimuli.imports.plans import JSON, Cell
from stimuli.imports.probe import ProbedFile
from stimuli.imports.reports import some
from stimuli.models import Collection, Condition, FormerRecording, Item, Recording, Stimulus
from stimuli.services.clips import Clip, Place, Sound, clips_for, make_clips, sounds_in
from stimuli.services.collections import check_unfrozen
from stimuli.services.ingest import Transactional, begin_ingest
from stimuli.services.staged_files import StagedFiles, discard_unnamed, original_name, source_name

ROWS_AT_ONCE = 500
ATTEMPTS = 4

Progress = Callable[[int, int, str], None]


class VersionConflict(Exception):
    """The collection was changed by another import since it was read."""


@dataclass
class ImportCommit:
    """Import commit: the draft, the collection as it was read, and the clips to write."""

    collection: Collection
    draft: ImportDraft
    actor: User | None
    replace: bool
    linked: bool  # the files belong to the import and may be shared with it instead of copied
    is_new: bool = False  # the collection comes into being with the import, so that nothing is left if that is rejected
    version: int = 0
    replaced: list[Place] = field(default_factory=list)
    clips: dict[Place, Clip] = field(default_factory=dict)
    stale: list[str] = field(default_factory=list)  # clips that are no longer needed
    # What copies were made from, by the copy's digest: the recording, and the gain in dB.
    origins: dict[str, tuple[UUID, float]] = field(default_factory=dict)

    @property
    def cells(self) -> list[tuple[Cell, ProbedFile | None]]:
        return list(zip(self.draft.plan.cells, self.draft.originals, strict=True))


def commit_import(
    commit: ImportCommit,
    staged: StagedFiles,
    *,
    transactional: Transactional,
    then: Callable[[], None],
    progress: Progress,
) -> None:
    """Commit a draft to its collection, all of it or nothing; `then` runs in the same transaction.

    Files are written first and in no transaction: that may take minutes, and votes must not wait for it. If the
    collection has changed in the meantime, the attempt is repeated; most files are in place by then.
    """
    with staged.until_committed():
        for attempt in range(ATTEMPTS):
            _refresh(commit)
            _stage_files(commit, staged, progress)
            try:
                with transactional():
                    _write(commit)
                    then()
                break
            except VersionConflict:
                continue
            except IntegrityError:  # another import brought the same recording in at the same moment
                if attempt == ATTEMPTS - 1:
                    raise
        else:
            raise AppError(
                "collection.busy",
                409,
                _("Others kept changing the collection during this import, so nothing was imported; try again."),
            )
    discard_unnamed(commit.stale)


def taken_places(collection: Collection, cells: Sequence[Cell]) -> list[Place]:
    """Which of the cells the collection holds already."""
    rows = Stimulus.objects.filter(item__collection=collection).values_list("item__name", "condition__name")
    return sorted({(cell.item, cell.condition) for cell in cells} & set(rows))


class CellsTaken(AppError):
    """Stimuli that the collection holds already; the import page offers to replace them."""

    def __init__(self, *, count: int, cells: str) -> None:
        super().__init__(
            "import.cells_taken",
            409,
            _(
                "The collection holds {count} of these stimuli already ({cells}). Choose to replace them, or import "
                "under other names."
            ),
            count=count,
            cells=cells,
        )


def _refresh(commit: ImportCommit) -> None:
    collection = commit.collection
    if not commit.is_new:
        check_unfrozen(collection)  # before minutes are spent on files; asked again under a lock
        collection.refresh_from_db()
    commit.version = collection.version
    commit.replaced = taken_places(collection, commit.draft.plan.cells)
    if commit.replaced and not commit.replace:
        cells = some(" x ".join(place) for place in commit.replaced)
        raise CellsTaken(count=len(commit.replaced), cells=cells)
    coming = [_sound(cell, probed) for cell, probed in commit.cells if probed and probed.is_short]
    planned = {(cell.item, cell.condition) for cell, _ in commit.cells}
    before = sounds_in(collection)
    staying = [sound for sound in before if sound.place not in planned]
    clips = clips_for([*staying, *coming], collection=collection)
    commit.clips = {clip.sound.place: clip for clip in clips}
    needed = {clip.name for clip in clips} | {sound.file for sound in before}
    commit.stale = [sound.served for sound in before if sound.served and sound.served not in needed]


def _sound(cell: Cell, probed: ProbedFile) -> Sound:
    shape = probed.shape
    return Sound(
        place=(cell.item, cell.condition),
        sha256=probed.sha256,
        file=original_name(probed.sha256, shape["format"]),
        sample_rate_hz=shape["sample_rate_hz"],
        channels=shape["channels"],
        length_samples=shape["length_samples"],
        bits=shape["bits"],
        is_plain=probed.is_plain,
        origin_bits=probed.origin_bits,
    )


def _stage_files(commit: ImportCommit, staged: StagedFiles, progress: Progress) -> None:
    probed = [original for original in commit.draft.originals if original]
    files = ((original_name(one.sha256, one.shape["format"]), Path(one.place)) for one in probed if one.place)
    staged.put_files(files, linked=commit.linked)
    sources = ((source_name(one.sha256, one.path), Path(one.place)) for one in commit.draft.kept)
    staged.put_files(sources, linked=commit.linked)
    places = {one.sha256: Path(one.place) for one in probed if one.place}
    make_clips(commit.clips.values(), staged, places=places, progress=progress)


# --- Rows -------------------------------------------------------------------------------------------------------------


def _write(commit: ImportCommit) -> None:
    collection = commit.collection
    if commit.is_new:
        collection.save(force_insert=True)
    else:
        collection = Collection.objects.select_for_update().get(pk=collection.pk)
        if collection.version != commit.version:
            raise VersionConflict
        check_unfrozen(collection, lock=True)
    recordings = _recordings(commit)
    items, conditions = _items(commit), _conditions(commit)
    _stimuli(commit, recordings, items, conditions)
    collection.version += 1
    collection.save(update_fields=["version"])
    commit.collection.version = collection.version
    if commit.is_new:  # recorded last: the log stays locked until the transaction ends
        target, after = f"collection/{collection.slug}", {"title": collection.title}
        audit.record(actor=commit.actor, action="collection.created", target=target, after=after)


def _recordings(commit: ImportCommit) -> dict[str, Recording]:
    """A row for each original that has none yet; long ones are prepared by jobs."""
    probed = {one.sha256: one for one in commit.draft.originals if one}
    known = _known(probed)
    fresh = {sha: _recording(one, commit.origins.get(sha)) for sha, one in probed.items() if sha not in known}
    Recording.objects.bulk_create(fresh.values(), batch_size=ROWS_AT_ONCE)
    recordings = known | fresh
    for one in probed.values():
        if not one.is_short:
            index = Path(one.index).read_bytes() if one.index else b""
            begin_ingest(recording=recordings[one.sha256], index=index, requested_by=commit.actor)
    return recordings


def _known(probed: dict[str, ProbedFile]) -> dict[str, Recording]:
    digests = list(probed)
    found: dict[str, Recording] = {}
    for start in range(0, len(digests), ROWS_AT_ONCE):
        some_of_them = digests[start : start + ROWS_AT_ONCE]
        found |= {row.sha256: row for row in Recording.objects.filter(sha256__in=some_of_them)}
    # A recording from a time when nothing was measured yet is measured now.
    unmeasured = [row for row in found.values() if not row.measures and probed[row.sha256].measures]
    for row in unmeasured:
        row.measures, row.outline = probed[row.sha256].measures, probed[row.sha256].outline
    Recording.objects.bulk_update(unmeasured, ["measures", "outline"], batch_size=ROWS_AT_ONCE)
    return found


def _recording(probed: ProbedFile, origin: tuple[UUID, float] | None) -> Recording:
    made_from, gain_db = origin or (None, None)
    state = Recording.State.READY if probed.is_short else Recording.State.INGESTING
    return Recording(
        sha256=probed.sha256,
        file=original_name(probed.sha256, probed.shape["format"]),
        byte_count=probed.byte_count,
        state=state,
        measures=probed.measures or {},
        outline=probed.outline,
        made_from_id=made_from,
        gain_db=gain_db,
        **probed.shape,
    )


def _items(commit: ImportCommit) -> dict[str, Item]:
    rows = {item.name: item for item in Item.objects.filter(collection=commit.collection)}
    changed = []
    for name, factors in commit.draft.plan.items.items():
        item = rows.get(name)
        if item is not None and item.factors | factors != item.factors:
            item.factors = item.factors | factors
            changed.append(item)
    fresh = [
        Item(collection=commit.collection, name=name, factors=factors)
        for name, factors in commit.draft.plan.items.items()
        if name not in rows
    ]
    Item.objects.bulk_update(changed, ["factors"], batch_size=ROWS_AT_ONCE)
    Item.objects.bulk_create(fresh, batch_size=ROWS_AT_ONCE)
    return rows | {item.name: item for item in fresh}


def _conditions(commit: ImportCommit) -> dict[str, Condition]:
    """A condition that is there keeps the role it has."""
    rows = {condition.name: condition for condition in Condition.objects.filter(collection=commit.collection)}
    plan = commit.draft.plan
    changed = []
    for name, factors in plan.condition_factors.items():
        condition = rows.get(name)
        if condition is not None and condition.factors | factors != condition.factors:
            condition.factors = condition.factors | factors
            changed.append(condition)
    fresh = [
        Condition(collection=commit.collection, name=name, role=role, factors=plan.condition_factors.get(name, {}))
        for name, role in plan.conditions.items()
        if name not in rows
    ]
    Condition.objects.bulk_update(changed, ["factors"], batch_size=ROWS_AT_ONCE)
    Condition.objects.bulk_create(fresh, batch_size=ROWS_AT_ONCE)
    return rows | {condition.name: condition for condition in fresh}


def _stimuli(
    commit: ImportCommit,
    recordings: dict[str, Recording],
    items: dict[str, Item],
    conditions: dict[str, Condition],
) -> None:
    rows: dict[Place, Stimulus] = {}
    if not commit.is_new:
        existing = Stimulus.objects.filter(item__collection=commit.collection).select_related("item", "condition")
        rows = {(row.item.name, row.condition.name): row for row in existing}
    fresh: list[Stimulus] = []
    changed: list[Stimulus] = []
    former: list[FormerRecording] = []
    replaced = {"version": commit.version + 1, "replaced_by": commit.actor}
    for cell, probed in commit.cells:
        place = (cell.item, cell.condition)
        row = rows.get(place) or Stimulus(item_id=items[cell.item].pk, condition_id=conditions[cell.condition].pk)
        recording_id = recordings[probed.sha256].pk if probed else None
        if row.recording_id and row.recording_id != recording_id:
            former.append(FormerRecording(stimulus=row, recording_id=row.recording_id, **replaced))
        row.starts_at_s, row.clock = _clock(row, cell, recording_id, conditions[cell.condition].role)
        row.recording_id, row.text = recording_id, cell.text
        row.served = commit.clips[place].name if place in commit.clips else ""
        (changed if place in rows else fresh).append(row)
    planned = {(cell.item, cell.condition) for cell, _ in commit.cells}
    for place, clip in commit.clips.items():
        if place not in planned and clip.name != clip.sound.served:
            rows[place].served = clip.name
            changed.append(rows[place])
    Stimulus.objects.bulk_create(fresh, batch_size=ROWS_AT_ONCE)
    FormerRecording.objects.bulk_create(former, batch_size=ROWS_AT_ONCE)
    fields = ["recording", "text", "served", "starts_at_s", "clock"]
    Stimulus.objects.bulk_update(changed, fields, batch_size=ROWS_AT_ONCE)


def _clock(row: Stimulus, cell: Cell, recording_id: UUID | None, role: str) -> tuple[float | None, list[JSON] | None]:
    """When a cell's recording began, and its corrected clock, which holds as long as the recording is the same."""
    if row.recording_id == recording_id:
        return (row.starts_at_s if cell.starts_at_s is None else cell.starts_at_s), row.clock
    usual_s = Condition.Role(role).usual_start_s
    return (usual_s if cell.starts_at_s is None else cell.starts_at_s), cell.clock
