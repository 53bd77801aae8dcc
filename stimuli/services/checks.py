"""Checks of a collection: what is wrong with its sounds, out of what was measured, with the cell to go to."""

from collections import Counter
from contextlib import ExitStack
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from audio.quality_checks import Options, Severity, SoundFinding, check_sounds
from core.errors import AppError
from stimuli import storage
from stimuli.models import Collection, Recording
from stimuli.sandbox import examine_files
from stimuli.services.cells import FilledCell, cells_in
from stimuli.services.clips import is_short

FILES_AT_ONCE = 50


def check_collection(*, collection: Collection, options: Options | None = None) -> dict[str, Any]:
    """Say what was found, the gravest first, in the reader's language; nothing is decoded for it."""
    cells = {(cell.item, cell.condition): cell for cell in cells_in(collection)}
    items = list(collection.items.values_list("name", flat=True))
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
            row.measures = verdict["measures"]
        Recording.objects.bulk_update(batch, ["measures"])
    return len(missing)


def _told(found: SoundFinding, cell: FilledCell | None) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity.value,
        "sentence": found.say(gettext(found.sentence)),
        "item": found.item,
        "condition": found.condition,
        "stimulus": str(cell.id) if cell else None,
        "data": found.data,
    }
