"""Imports for tests: begun, sent and sealed as programs do it."""

import hashlib
import io
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.utils import timezone

from core.models import User
from stimuli.announcements import Announced
from stimuli.models import Collection, Intake, IntakeFile
from stimuli.services import intakes, uploads
from stimuli.services.collections import create_collection
from stimuli.services.uploads import Incoming
from tests.factories import make_user

CONTENT = bytes(range(256)) * 1024  # 256 KiB, so that it takes several reads
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def new_collection(owner: User | None = None) -> Collection:
    return create_collection(owner=owner or make_user(), slug=f"c-{uuid4().hex[:8]}", title="Sounds")


def begin(collection: Collection, *files: Announced, now: datetime | None = None) -> Intake:
    announced = files or [Announced("C0/a.wav", len(CONTENT))]
    return intakes.begin_intake(
        collection=collection, owner=collection.owner, files=announced, now=now or timezone.now()
    )


def send(upload: IntakeFile, content: bytes, offset: int = 0, **parts: Any) -> IntakeFile:
    incoming = Incoming(offset=offset, byte_count=len(content), stream=io.BytesIO(content))
    return uploads.receive(upload=upload, incoming=replace(incoming, **parts), now=timezone.now())


def arrived(collection: Collection) -> Intake:
    """An import whose only file is there."""
    intake = begin(collection)
    send(intake.files.get(), CONTENT)
    return intake


def seal(intake: Intake, **digests: str) -> Intake:
    return intakes.seal_intake(
        intake=intake, digests=digests or {"C0/a.wav": SHA256}, actor=intake.owner, now=timezone.now()
    )
