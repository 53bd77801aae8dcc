"""The cells of a collection with all that is known of their sound, read in one go and without rows as objects."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from audio.formats import Shape
from audio.partial_results import Measures
from audio.quality_checks import Cell
from stimuli.models import Collection, Stimulus
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
class Sounding:
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
class FilledCell:
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
    sound: Sounding | None

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


def cells_in(collection: Collection) -> list[FilledCell]:
    rows = Stimulus.objects.filter(item__collection=collection).values_list(*OWN_FIELDS, *SOUND_FIELDS)
    return [_cell(row) for row in rows]


def _cell(row: tuple[Any, ...]) -> FilledCell:
    own = dict(zip(OWN_FIELDS.values(), row, strict=False))
    recording, sha256, file, byte_count, measures, *shape = row[len(OWN_FIELDS) :]
    sound = None
    if recording is not None:
        sound = Sounding(recording, sha256, file, byte_count, measures, dict(zip(SHAPE, shape, strict=True)))
    return FilledCell(**own, sound=sound)
