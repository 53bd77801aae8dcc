"""Quality checks of a collection, computed from the stored measures."""

from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext

from audio.formats import Shape
from audio.partial_results import Measures
from audio.quality_checks import Cell, Options, Severity, SoundFinding, check_sounds
from core.errors import AppError
from stimuli import storage
from stimuli.models import Collection, Recording, Stimulus
from stimuli.sandbox import examine_files
from stimuli.services.clips import is_short

SHAPE = ("format", "sample_rate_hz", "channels", "length_samples", "bits")
OWN_FIELDS = {
    "pk": "id",
    "item__name": "item",
    "item__factors": "factors",
    "condition__name": "condition",
    "condition__role": "role",
    "condition__factors": "condition_factors",
    "text": "text",
    "starts_at_s": "starts_at_s",
    "clock": "clock",
}
SOUND_FIELDS = tuple(f"recording__{name}" for name in ("pk", "sha256", "file", "byte_count", "measures", *SHAPE))


@dataclass(frozen=True)
class CellRecording:
    """The recording of a cell."""

    id: UUID
    sha256: str
    file: str
    byte_count: int
    measures: dict[str, Any]
    shape: dict[str, Any]

    @property
    def is_clip(self) -> bool:
        return is_short(self.shape["length_samples"], self.shape["sample_rate_hz"])

    @property
    def is_unmeasured(self) -> bool:
        return self.is_clip and not self.measures


@dataclass(frozen=True)
class StimulusCell:
    """A stimulus: an item under a condition, with sound or with text."""

    id: UUID
    item: str
    factors: dict[str, str]
    condition: str
    role: str
    condition_factors: dict[str, str]
    text: dict[str, Any] | None
    starts_at_s: float | None
    clock: list[dict[str, Any]] | None  # corrected; None where what was detected holds
    sound: CellRecording | None

    def __str__(self) -> str:
        return f"{self.item} x {self.condition}"

    def to_check(self) -> Cell:
        """The cell as the checks of sound take it."""
        sound = self.sound
        return Cell(
            self.item,
            self.condition,
            self.role,
            shape=Shape.from_json(sound.shape) if sound else None,
            measures=Measures.from_json(sound.measures) if sound and sound.measures else None,
            sha256=sound.sha256 if sound else "",
            byte_count=sound.byte_count if sound else 0,
        )


def cells_in(collection: Collection) -> list[StimulusCell]:
    rows = Stimulus.objects.filter(item__collection=collection).values_list(*OWN_FIELDS, *SOUND_FIELDS)
    return [_cell(row) for row in rows]


def _cell(row: tuple[Any, ...]) -> StimulusCell:
    own = dict(zip(OWN_FIELDS.values(), row, strict=False))
    recording, sha256, file, byte_count, measures, *shape = row[len(OWN_FIELDS) :]
    sound = None
    if recording is not None:
        sound = CellRecording(recording, sha256, file, byte_count, measures, dict(zip(SHAPE, shape, strict=True)))
    return StimulusCell(**own, sound=sound)


# --- Checks -----------------------------------------------------------------------------------------------------------


FILES_AT_ONCE = 50


def check_collection(*, collection: Collection, options: Options | None = None) -> dict[str, Any]:
    """Say what was found, the gravest first, in the reader's language; nothing is decoded for it."""
    items = list(collection.items.filter(excluded_at__isnull=True).values_list("name", flat=True))
    offered = set(items)
    cells = {(cell.item, cell.condition): cell for cell in cells_in(collection) if cell.item in offered}
    conditions = list(collection.conditions.values_list("name", flat=True))
    found = check_sounds([cell.to_check() for cell in cells.values()], items, conditions, options)
    by_severity = Counter(one.severity for one in found)
    return {
        "collection": collection.slug,
        "version": collection.version,
        "stimuli": len(cells),
        **{f"{severity.value}s": by_severity[severity] for severity in Severity},
        "unmeasured": sum(cell.sound is not None and cell.sound.is_unmeasured for cell in cells.values()),
        "findings": [_told(one, cells.get((one.item, one.condition))) for one in found],
    }


def measure_missing(*, collection: Collection) -> int:
    """Measure short recordings that came in before there were measures; say how many."""
    rows = Recording.objects.filter(
        stimuli__item__collection=collection, state=Recording.State.READY, measures={}
    ).distinct()
    missing = [row for row in rows if is_short(row.length_samples, row.sample_rate_hz)]
    for start in range(0, len(missing), FILES_AT_ONCE):
        batch = missing[start : start + FILES_AT_ONCE]
        with ExitStack() as stack:
            files = [stack.enter_context(storage.local_file(str(row.file.name))) for row in batch]
            verdicts = examine_files(
                files,
                [str(row) for row in batch],
                longest_h=settings.LONGEST_RECORDING_H,
                short_s=settings.SHORT_RECORDING_S,
            )
        for row, verdict in zip(batch, verdicts, strict=True):
            if isinstance(verdict, AppError):
                raise verdict
            row.measures, row.outline = verdict["measures"], verdict["outline"]
        Recording.objects.bulk_update(batch, ["measures", "outline"])
    return len(missing)


def _told(found: SoundFinding, cell: StimulusCell | None) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity.value,
        "sentence": found.say(gettext(found.sentence)),
        "item": found.item,
        "condition": found.condition,
        "stimulus": str(cell.id) if cell else None,
        "data": found.data,
    }
