"""Worlds in which each job of stimuli has something to do, and what it leaves behind there."""

import hashlib
import io
import tempfile
from pathlib import Path
from typing import Any

from django.utils import timezone

from core.models import Job
from stimuli.announcements import Announced
from stimuli.models import Chunk, Collection, Intake, Recording
from stimuli.services import intakes, uploads
from stimuli.services.collections import add_stimulus
from stimuli.services.ingest import Alone, add_chunk, make_chunk
from stimuli.services.uploads import Incoming
from tests.audio.long_recordings import day_wav
from tests.factories import make_collection, make_user, tone
from tests.stimuli.intake_material import arrived, new_collection
from tests.stimuli.recordings import bring_in

CHUNKS = 2  # of an hour and more at 8 kHz


def _long_recording() -> Recording:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.wav"
        day_wav(path, hours=1.2, rate=8000)
        return bring_in(path)


def a_chunk_to_make() -> dict[str, Any]:
    return {"recording_id": str(_long_recording().pk), "number": 1}


def a_recording_to_fold() -> dict[str, Any]:
    recording = _long_recording()
    for number in range(CHUNKS):
        make_chunk(recording=recording, number=number)
        add_chunk(recording, number, claim=Alone())
    return {"recording_id": str(recording.pk)}


def an_ingest_without_jobs() -> dict[str, Any]:
    _long_recording()
    Job.objects.filter(name="stimuli.ingest_chunk").delete()
    return {}


def an_expired_intake() -> dict[str, Any]:
    arrived(new_collection())
    Intake.objects.update(expires_at=timezone.now())
    return {}


def a_sealed_intake() -> dict[str, Any]:
    content = tone(440)
    collection = new_collection()
    paths = ("C0/a.wav", "C1/a.wav")
    files = [Announced(path, len(content)) for path in paths]
    intake = intakes.begin_intake(collection=collection, owner=collection.owner, files=files, now=timezone.now())
    for upload in intake.files.all():
        incoming = Incoming(offset=0, byte_count=len(content), stream=io.BytesIO(content))
        uploads.receive(upload=upload, incoming=incoming, now=timezone.now())
    digest = hashlib.sha256(content).hexdigest()
    intakes.seal_intake(intake=intake, digests=dict.fromkeys(paths, digest), actor=collection.owner, now=timezone.now())
    return {"intake_id": str(intake.pk)}


def a_confirmed_intake() -> dict[str, Any]:
    """Confirmed without a check: the import then looks at the files itself."""
    arguments = a_sealed_intake()
    Intake.objects.filter(pk=arguments["intake_id"]).update(state=Intake.State.IMPORTING)
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
    "stimuli.fold_recording": (
        a_recording_to_fold,
        Recording.objects.filter(state=Recording.State.READY).exclude(measures={}).exists,
    ),
    "stimuli.resume_ingests": (an_ingest_without_jobs, Job.objects.filter(name="stimuli.ingest_chunk").exists),
    "stimuli.expire_intakes": (an_expired_intake, Intake.objects.filter(state=Intake.State.CANCELLED).exists),
    "stimuli.check_intake": (a_sealed_intake, Intake.objects.filter(state=Intake.State.PROPOSED).exists),
    "stimuli.import_intake": (a_confirmed_intake, Intake.objects.filter(state=Intake.State.DONE).exists),
    "stimuli.normalise_copy": (a_collection_to_copy, Collection.objects.filter(slug="copy").exists),
}
