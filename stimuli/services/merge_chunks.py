"""Merge of the chunks of a long recording into its final files, in a temporary folder of one attempt."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings

from audio.merge_chunks import MergedFiles, merge_chunks
from stimuli import storage
from stimuli.locked_tempdir import locked_tempdir, remove_unlocked
from stimuli.models import Recording
from stimuli.services.sources import Derived, pyramid_of, shape_of


def merge(*, recording: Recording) -> MergedFiles:
    """Merge the chunks and store each file; FileNotFoundError if a chunk was removed."""
    derived = Derived.of(recording)
    with _scratch_folder(recording) as folder:
        merged = _merge(recording, folder)
        for name in merged.files:
            storage.keep(derived.file(name), folder / name, linked=True)
    return merged


def clear_scratch(*, before: datetime) -> None:
    """Remove what killed attempts have left, also for recordings that no longer exist."""
    for left in _home().glob("*"):
        with suppress(FileNotFoundError):
            if left.stat().st_mtime < before.timestamp():
                remove_unlocked(left)


def _merge(recording: Recording, folder: Path) -> MergedFiles:
    names = map(Derived.of(recording).chunk, range(pyramid_of(recording).chunks))
    chunks = (storage.read_range(name, 0, storage.byte_count(name)) for name in names)
    return merge_chunks(chunks, shape=shape_of(recording), folder=folder)


@contextmanager
def _scratch_folder(recording: Recording) -> Iterator[Path]:
    """Temporary folder for the final files; removes what a killed attempt at the same recording has left."""
    for left in _home().glob(f"{recording.pk} *"):
        remove_unlocked(left)
    with locked_tempdir(_home(), prefix=f"{recording.pk} ") as folder:
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _home() -> Path:
    """Beside the files, so that they can be linked."""
    return Path(settings.DATA_DIR) / "merging"
