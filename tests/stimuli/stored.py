"""Digests of stored files, for tests."""

import hashlib
from pathlib import Path

from django.conf import settings
from django.db.models.fields.files import FieldFile

from stimuli import storage
from stimuli.models import Recording
from stimuli.services.sources import Derived


def files_in_storage() -> set[str]:
    root = Path(settings.MEDIA_ROOT)
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def name_of(file: FieldFile) -> str:
    assert file.name
    return file.name


def content(file: FieldFile) -> bytes:
    return storage.read_range(name_of(file), 0, size(file))


def size(file: FieldFile) -> int:
    return storage.byte_count(name_of(file))


def derived_digests(recording: Recording) -> dict[str, str]:
    """Every file that was made of a recording, by name."""
    folder = Path(settings.MEDIA_ROOT) / Derived.of(recording).folder
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def recording_of(item: str, condition: str) -> Recording:
    return Recording.objects.get(stimuli__item__name=item, stimuli__condition__name=condition)


def place(file: FieldFile) -> Path:
    return Path(settings.MEDIA_ROOT) / name_of(file)
