"""Worlds in which each job of stimuli has something to do, and what it leaves behind there."""

import hashlib
import io
import tempfile
from pathlib import Path
from typing import Any

from django.utils import timezone

from core.models import Job
from stimuli.models import Chunk, Collection, Import, Recording
from stimuli.services import imports, uploads
from stimuli.services.collections import add_stimulus
from stimuli.services.ingest import add_chunk, make_chunk
from stimuli.services.uploads import Incoming
from stimuli.uploads.manifest import DeclaredFile
from tests.audio.long_recordings import day_wav
from tests.factories import make_collection, make_user, tone
from tests.scale import ALL
from tests.stimuli.import_material import arrived, new_collection
from tests.stimuli.recordings import bring_in

# Of an hour and more at 8 kHz. In the short run one, of a minute; that several are put together is in test_ingest.py.
HOURS, CHUNKS = (1.2, 2) if ALL else (0.02, 1)


def _long_recording() -> Recording:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.wav"
        day_wav(path, hours=HOURS, rate=8000)
        return bring_in(path, short_s=30)


def a_chunk_to_make() -> dict[str, Any]:
    return {"recording_id": str(_long_recording().pk), "number": CHUNKS - 1}


def a_recording_to_fold() -> dict[str, Any]:
    recording = _long_recording()
    for number in range(CHUNKS):
        make_chunk(recording=recording, number=number)
        add_chunk(recording, number)
    return {"recording_id": str(recording.pk)}


def an_ingest_without_jobs() -> dict[str, Any]:
    _long_recording()
    Job.objects.filter(name="stimuli.ingest_chunk").delete()
    return {}


def an_expired_import() -> dict[str, Any]:
    arrived(new_collection())
    Import.objects.update(expires_at=timezone.now())
    return {}


def a_submitted_import() -> dict[str, Any]:
    content = tone(440)
    collection = new_collection()
    paths = ("C0/a.wav", "C1/a.wav")
    files = [DeclaredFile(path, len(content)) for path in paths]
    import_ = imports.begin_import(collection=collection, owner=collection.owner, files=files, now=timezone.now())
    for upload in import_.files.all():
        incoming = Incoming(offset=0, byte_count=len(content), stream=io.BytesIO(content))
        uploads.receive(upload=upload, incoming=incoming, now=timezone.now())
    digest = hashlib.sha256(content).hexdigest()
    imports.submit_import(
        import_=import_, digests=dict.fromkeys(paths, digest), actor=collection.owner, now=timezone.now()
    )
    return {"import_id": str(import_.pk)}


def a_confirmed_import() -> dict[str, Any]:
    """Confirmed without a check: the import then looks at the files itself."""
    arguments = a_submitted_import()
    Import.objects.filter(pk=arguments["import_id"]).update(state=Import.State.IMPORTING)
    return arguments


def a_collection_to_copy() -> dict[str, Any]:
    owner = make_user()
    source = make_collection(owner, items=1, conditions=1)
    add_stimulus(collection=source, item="long enough", condition="c", content=tone(440, duration_s=1.0))
    Collection.objects.get(pk=source.pk).items.exclude(name="long enough").delete()
    target = {"target_lufs": -30.0, "slug": "copy", "title": "Copy"}
    return {"source_id": str(source.pk), "actor_id": str(owner.pk), **target}


STIMULI_EXAMPLES = {
    "stimuli.ingest_chunk": (a_chunk_to_make, Chunk.objects.exists),
    "stimuli.merge_recording": (
        a_recording_to_fold,
        Recording.objects.filter(state=Recording.State.READY).exclude(measures={}).exists,
    ),
    "stimuli.resume_ingests": (an_ingest_without_jobs, Job.objects.filter(name="stimuli.ingest_chunk").exists),
    "stimuli.expire_imports": (an_expired_import, Import.objects.filter(state=Import.State.CANCELLED).exists),
    "stimuli.check_import": (a_submitted_import, Import.objects.filter(state=Import.State.PROPOSED).exists),
    "stimuli.commit_confirmed_import": (a_confirmed_import, Import.objects.filter(state=Import.State.DONE).exists),
    "stimuli.normalise_copy": (a_collection_to_copy, Collection.objects.filter(slug="copy").exists),
}
