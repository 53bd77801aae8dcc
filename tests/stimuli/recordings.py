"""Recordings in storage as an import leaves them, for tests that begin there."""

import hashlib
from pathlib import Path

from pytest_django.fixtures import Settings

from audio.sandbox.client import run_sandboxed
from stimuli import storage
from stimuli.models import Collection, Condition, Item, Recording, Stimulus
from stimuli.services.ingest import begin_ingest
from tests.factories import make_user


def bring_in(path: Path, *, short_s: float = 600, linked: bool = False) -> Recording:
    """Keep a file and ask for its ingest if it is long. A file that is linked is not copied, so it must not change."""
    sha256 = hashlib.file_digest(path.open("rb"), "sha256").hexdigest()
    with path.open("rb") as file:
        found = run_sandboxed("audio.validate:probe_file", file, name=path.name, longest_h=48, short_s=short_s)
    shape = found.facts["shape"]
    name = f"recordings/{sha256}{path.suffix}"
    storage.keep(name, path, linked=linked)
    is_short = found.facts["is_short"]
    recording = Recording.objects.create(
        sha256=sha256,
        file=name,
        byte_count=path.stat().st_size,
        state=Recording.State.READY if is_short else Recording.State.INGESTING,
        **shape,
    )
    if not is_short:
        begin_ingest(recording=recording, index=found.blobs["index"])
    return recording


def cell_of(recording: Recording, *, collection: Collection | None = None, served: str = "") -> Stimulus:
    """Put the recording into a collection of its own."""
    collection = collection or Collection.objects.create(slug=f"c-{recording.pk}", title="Days", owner=make_user())
    item = Item.objects.create(collection=collection, name=f"item {recording}")
    condition, _ = Condition.objects.get_or_create(collection=collection, name="full-length")
    return Stimulus.objects.create(item=item, condition=condition, recording=recording, served=served)


def fresh_storage(settings: Settings, folder: Path) -> None:
    """Let the test have folders of its own for everything."""
    folder.mkdir(parents=True, exist_ok=True)
    settings.DATA_DIR = folder
    settings.MEDIA_ROOT = folder / "files"
    settings.PICTURE_CACHE_DIR = folder / "pictures"
