"""Imports for tests: begun, sent and submitted through the services."""

import hashlib
import io
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.utils import timezone

from core.jobs import JobRun, declared_jobs, queue
from core.models import User
from stimuli.models import Collection, Import, ImportFile
from stimuli.services import imports, uploads
from stimuli.services.collections import create_collection
from stimuli.services.uploads import Incoming
from stimuli.uploads.manifest import DeclaredFile
from tests.factories import make_user

CONTENT = bytes(range(256)) * 1024  # 256 KiB, so that it takes several reads
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def new_collection(owner: User | None = None) -> Collection:
    return create_collection(owner=owner or make_user(), slug=f"c-{uuid4().hex[:8]}", title="Sounds")


def begin(collection: Collection, *files: DeclaredFile, now: datetime | None = None) -> Import:
    announced = files or [DeclaredFile("C0/a.wav", len(CONTENT))]
    return imports.begin_import(
        collection=collection, owner=collection.owner, files=announced, now=now or timezone.now()
    )


def send(upload: ImportFile, content: bytes, offset: int = 0, **parts: Any) -> ImportFile:
    incoming = Incoming(offset=offset, byte_count=len(content), stream=io.BytesIO(content))
    return uploads.receive(upload=upload, incoming=replace(incoming, **parts), now=timezone.now())


def arrived(collection: Collection) -> Import:
    """An import whose only file is there."""
    import_ = begin(collection)
    send(import_.files.get(), CONTENT)
    return import_


def submit(import_: Import, **digests: str) -> Import:
    return imports.submit_import(
        import_=import_, digests=digests or {"C0/a.wav": SHA256}, actor=import_.owner, now=timezone.now()
    )


def uploaded(collection: Collection, files: dict[str, bytes]) -> Import:
    announced = [DeclaredFile(path, len(sound)) for path, sound in files.items()]
    import_ = imports.begin_import(collection=collection, owner=collection.owner, files=announced, now=timezone.now())
    for file in import_.files.all():
        send(file, files[file.path])
    digests = {path: hashlib.sha256(sound).hexdigest() for path, sound in files.items()}
    return imports.submit_import(import_=import_, digests=digests, actor=collection.owner, now=timezone.now())


def run(name: str) -> None:
    """Do the job that waits under that name, as a worker would."""
    job = queue.claim(worker="test", names=[name])
    assert job is not None
    declared_jobs()[name](run=JobRun(job), **job.arguments)


def confirmed(import_: Import, *, replace: bool = False) -> Import:
    imports.confirm_import(import_=import_, actor=import_.owner, replace=replace)
    run("stimuli.commit_confirmed_import")
    import_.refresh_from_db()
    return import_
