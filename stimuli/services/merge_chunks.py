"""The final files of a long recording, made out of its chunks in a folder that belongs to one attempt."""

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
    """Fold the chunks and put each file under its name; FileNotFoundError where a chunk is gone."""
    derived = Derived.of(recording)
    with _scratch_folder(recording) as folder:
        merged = _merge(recording, folder)
        for name in merged.files:
            storage.keep(derived.file(name), folder / name, linked=True)
    return merged


def clear_scratch(*, before: datetime) -> None:
    """Take away what killed attempts have left; one at a recording that is gone would never be met again."""
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
    """A folder to make final files in; what a killed attempt at the same recording has left is cleared away."""
    for left in _home().glob(f"{recording.pk} *"):
        remove_unlocked(left)
    with locked_tempdir(_home(), prefix=f"{recording.pk} ") as folder:
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _home() -> Path:
    """Beside the files, so that they can be linked."""
    return Path(settings.DATA_DIR) / "folding"
