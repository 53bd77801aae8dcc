"""Bytes that arrive: received in order, on the disk before they are acknowledged, kept over every kind of cut."""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from django.conf import settings
from django.db import transaction

from core.errors import AppError
from core.models import User
from stimuli import spool
from stimuli.errors import (
    ChecksumUnknown,
    ChecksumWrong,
    DigestMissing,
    DiskFull,
    OffsetWrong,
    UploadClosed,
    UploadCut,
    UploadGone,
    UploadNotFound,
    UploadTooLong,
)
from stimuli.models import Intake, IntakeFile
from stimuli.spool import Landing

READ_BYTES = 64 * 1024
CHECKSUMS = ("sha1", "sha256")
# A chunk that arrives puts the end off again, but not every chunk needs to write that down.
EXPIRY_STEP = timedelta(hours=1)


class Reader(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True)
class Checksum:
    """What the sender says of one chunk."""

    algorithm: str
    digest: bytes

    @classmethod
    def read_from(cls, header: str) -> "Checksum":
        algorithm, _, encoded = header.partition(" ")
        try:
            digest = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            digest = b""
        if algorithm not in CHECKSUMS or len(digest) != hashlib.new(algorithm).digest_size:
            raise ChecksumUnknown(given=header[:80])
        return cls(algorithm, digest)


@dataclass(frozen=True)
class Incoming:
    """One chunk on its way: where it belongs, how long it is said to be, and what it must turn out to be."""

    offset: int
    byte_count: int
    stream: Reader
    checksum: Checksum | None = None
    # Of the whole file, once the sender knows it: with the last chunk at the latest.
    sha256: str = ""


def upload_for(user: User, upload_id: UUID) -> IntakeFile:
    """The upload, if it is this person's to see."""
    visible = Intake.objects.visible_to(user)
    upload = IntakeFile.objects.select_related("intake").filter(pk=upload_id, intake__in=visible).first()
    if upload is None:
        raise UploadNotFound
    return upload


def check_open(intake: Intake, *, now: datetime) -> None:
    """Refuse unless more bytes may arrive."""
    if intake.state == Intake.State.CANCELLED or (intake.state == Intake.State.RECEIVING and intake.expires_at <= now):
        raise UploadGone
    if intake.state != Intake.State.RECEIVING:
        raise UploadClosed


def settle(*, upload: IntakeFile, now: datetime) -> IntakeFile:
    """Bring file and row to the same length, and say which: the smaller of what was committed and what is there."""
    if upload.intake.state not in {Intake.State.RECEIVING, Intake.State.CANCELLED}:
        return upload  # sealed, so complete; its file may have moved on
    check_open(upload.intake, now=now)
    if not (upload.received_bytes or spool.path_of(upload).exists()):
        return upload  # nothing has been sent yet
    with spool.claimed(upload) as landing:
        return _settled(upload, landing)


def receive(*, upload: IntakeFile, incoming: Incoming, now: datetime) -> IntakeFile:
    """Write a chunk and commit how far the file now reaches.

    No transaction is open while bytes flow. A chunk with a checksum counts whole or not at all; of one without, what
    arrived before a cut or a full disk is kept.
    """
    check_open(upload.intake, now=now)
    with spool.claimed(upload) as landing:
        upload = _settled(upload, landing)
        check_open(upload.intake, now=now)
        if upload.received_bytes != incoming.offset:
            raise OffsetWrong(expected=upload.received_bytes, given=incoming.offset)
        if incoming.offset + incoming.byte_count > upload.byte_count:
            raise UploadTooLong(byte_count=upload.byte_count)
        end, trouble = _write(landing, incoming)
        if end > incoming.offset:
            landing.flush()
        upload = _commit(upload, incoming, end, now=now)
    if trouble:
        raise trouble
    return upload


@transaction.atomic
def terminate_upload(*, upload: IntakeFile, now: datetime) -> None:
    """Forget a file that was announced, and what of it has arrived."""
    check_open(upload.intake, now=now)
    with spool.claimed(upload):
        # The file first: a row without its file is settled to zero bytes, a file without its row would stay.
        spool.discard_file(upload)
        upload.delete()


def valid_sha256(digest: str, *, path: str) -> str:
    if len(digest) != hashlib.sha256().digest_size * 2 or set(digest.lower()) - set("0123456789abcdef"):
        raise DigestMissing(path=path)
    return digest.lower()


def _settled(upload: IntakeFile, landing: Landing) -> IntakeFile:
    """The row as it is now, with the file cut to it; a file that has lost its end takes the row back with it."""
    row = IntakeFile.objects.select_related("intake").filter(pk=upload.pk).first()
    if row is None:
        spool.discard_file(upload)
        raise UploadNotFound
    landing.cut(row.received_bytes)
    if landing.length < row.received_bytes:
        row.received_bytes = landing.length
        row.save(update_fields=["received_bytes"])
    return row


def _write(landing: Landing, incoming: Incoming) -> tuple[int, AppError | None]:
    """Return how far the file reaches and what went wrong; a piece with a checksum counts whole or not at all."""
    checksum = incoming.checksum
    digest = hashlib.new(checksum.algorithm) if checksum else None
    end, trouble = _pour(landing, incoming, digest)
    if checksum and digest:
        if not trouble and digest.digest() != checksum.digest:
            trouble = ChecksumWrong()
        end = incoming.offset if trouble else end
    landing.cut(end)
    return end, trouble


def _pour(landing: Landing, incoming: Incoming, digest: "hashlib._Hash | None") -> tuple[int, AppError | None]:
    position, stop = incoming.offset, incoming.offset + incoming.byte_count
    try:
        while position < stop:
            data = _next_piece(incoming.stream, min(READ_BYTES, stop - position))
            if not data:
                return position, UploadCut(received=position - incoming.offset, announced=incoming.byte_count)
            landing.write(data, position)
            if digest:
                digest.update(data)
            position += len(data)
    except DiskFull as full:
        return position, full
    return position, None


def _next_piece(stream: Reader, size: int) -> bytes:
    try:
        return stream.read(size)
    except OSError:  # reset, or silent for too long
        return b""


@transaction.atomic(durable=True)
def _commit(upload: IntakeFile, incoming: Incoming, end: int, *, now: datetime) -> IntakeFile:
    """Acknowledge under a lock of the row, which holds even where two machines share the folder but not its locks."""
    row = IntakeFile.objects.select_for_update().filter(pk=upload.pk).first()
    if row is None:
        raise UploadNotFound
    row.intake = Intake.objects.get(pk=row.intake_id)
    check_open(row.intake, now=now)
    if row.received_bytes != incoming.offset:
        raise OffsetWrong(expected=row.received_bytes, given=incoming.offset)
    row.received_bytes = end
    if incoming.sha256 and end == row.byte_count:
        row.claimed_sha256 = valid_sha256(incoming.sha256, path=row.path)
    row.save(update_fields=["received_bytes", "claimed_sha256"])
    _put_off_expiry(row.intake, now=now)
    return row


def _put_off_expiry(intake: Intake, *, now: datetime) -> None:
    later = now + timedelta(days=settings.UPLOAD_EXPIRES_DAYS)
    if later - intake.expires_at > EXPIRY_STEP:
        intake.expires_at = later
        intake.save(update_fields=["expires_at"])
