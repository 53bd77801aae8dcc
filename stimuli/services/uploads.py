"""Receipt of uploads: bytes in order, flushed to disk before they are acknowledged, kept when a request breaks off."""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from stimuli.models import Import, ImportFile
from stimuli.uploads import files as upload_files
from stimuli.uploads.files import DiskFull, PartialFile

READ_BYTES = 64 * 1024
CHECKSUMS = ("sha1", "sha256")
# A chunk that is not taken is sent again whole, so it waits while the request before it notices that it was cut.
LOCK_WAIT_S = 5
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
        algorithm, _space, encoded = header.partition(" ")
        try:
            digest = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            digest = b""
        if algorithm not in CHECKSUMS or len(digest) != hashlib.new(algorithm).digest_size:
            raise AppError(
                "upload.checksum_unknown",
                400,
                _("The checksum '{given}' cannot be read; send sha1 or sha256, a space, and base64."),
                given=header[:80],
            )
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


def _upload_not_found() -> AppError:
    return AppError("upload.not_found", 404, _("There is no such upload among yours; announce the file again."))


def upload_for(user: User, upload_id: UUID) -> ImportFile:
    """The upload, if it is this person's to see."""
    visible = Import.objects.visible_to(user)
    upload = ImportFile.objects.select_related("parent").filter(pk=upload_id, parent__in=visible).first()
    if upload is None:
        raise _upload_not_found()
    return upload


def check_open(import_: Import, *, now: datetime) -> None:
    """Reject unless more bytes may arrive."""
    if import_.state == Import.State.CANCELLED or (
        import_.state == Import.State.RECEIVING and import_.expires_at <= now
    ):
        raise AppError(
            "upload.gone",
            410,
            _("This import has expired or was cancelled, and what had arrived is deleted; begin a new one."),
        )
    if import_.state != Import.State.RECEIVING:
        raise AppError(
            "upload.closed",
            409,
            _("This import takes no more files: they are being checked, or it is over. Begin a new one."),
        )


def settle(*, upload: ImportFile, now: datetime) -> ImportFile:
    """Bring file and row to the same length, the smaller of the two."""
    if upload.parent.state not in {Import.State.RECEIVING, Import.State.CANCELLED}:
        return upload  # submitted, so complete; its file may be in storage already
    check_open(upload.parent, now=now)
    if not (upload.received_bytes or upload_files.path_of(upload).exists()):
        return upload  # nothing has been sent yet
    with upload_files.locked(upload) as partial:
        return _settle_row(upload, partial)


def _offset_wrong(*, expected: int, given: int) -> AppError:
    return AppError(
        "upload.offset",
        409,
        _("The file goes on at byte {expected}, not at {given}; ask with HEAD and send from there."),
        expected=expected,
        given=given,
    )


def receive(*, upload: ImportFile, incoming: Incoming, now: datetime) -> ImportFile:
    """Write a chunk and commit how far the file now reaches.

    No transaction is open while bytes flow. A chunk with a checksum counts whole or not at all; of one without, what
    arrived before a cut or a full disk is kept.
    """
    check_open(upload.parent, now=now)
    with upload_files.locked(upload, wait_s=LOCK_WAIT_S) as partial:
        upload = _settle_row(upload, partial)
        check_open(upload.parent, now=now)
        if upload.received_bytes != incoming.offset:
            raise _offset_wrong(expected=upload.received_bytes, given=incoming.offset)
        if incoming.offset + incoming.byte_count > upload.byte_count:
            raise AppError(
                "upload.too_long",
                413,
                _("The file was announced with {byte_count} bytes, and this would make it longer; send the rest only."),
                byte_count=upload.byte_count,
            )
        end, trouble = _write(partial, incoming)
        if end > incoming.offset:
            partial.flush()
        upload = _commit(upload, incoming, end, now=now)
    if trouble:
        raise trouble
    return upload


@transaction.atomic
def terminate_upload(*, upload: ImportFile, now: datetime) -> None:
    """Forget a file that was announced, and what of it has arrived."""
    check_open(upload.parent, now=now)
    with upload_files.locked(upload):
        # The file first: a row without its file is settled to zero bytes, a file without its row would stay.
        upload_files.discard_file(upload)
        upload.delete()


def valid_sha256(digest: str, *, path: str) -> str:
    if len(digest) != hashlib.sha256().digest_size * 2 or set(digest.lower()) - set("0123456789abcdef"):
        raise AppError(
            "import.digest_missing",
            422,
            _("The SHA-256 of '{path}' is missing or is not 64 hexadecimal digits; send it for every file."),
            path=path,
        )
    return digest.lower()


def _settle_row(upload: ImportFile, partial: PartialFile) -> ImportFile:
    """The row as it is now, with the file cut to it; a file that has lost its end takes the row back with it."""
    row = ImportFile.objects.select_related("parent").filter(pk=upload.pk).first()
    if row is None:
        upload_files.discard_file(upload)
        raise _upload_not_found()
    partial.cut(row.received_bytes)
    if partial.length < row.received_bytes:
        row.received_bytes = partial.length
        row.save(update_fields=["received_bytes"])
    return row


def _write(partial: PartialFile, incoming: Incoming) -> tuple[int, AppError | None]:
    """Return how far the file reaches and what went wrong; a piece with a checksum counts whole or not at all."""
    checksum = incoming.checksum
    digest = hashlib.new(checksum.algorithm) if checksum else None
    end, trouble = _receive(partial, incoming, digest)
    if checksum and digest:
        if not trouble and digest.digest() != checksum.digest:
            trouble = AppError(
                "upload.checksum",
                460,
                _("The bytes that arrived are not those that were sent; they were discarded, send them again."),
            )
        end = incoming.offset if trouble else end
    partial.cut(end)
    return end, trouble


def _receive(partial: PartialFile, incoming: Incoming, digest: "hashlib._Hash | None") -> tuple[int, AppError | None]:
    position, stop = incoming.offset, incoming.offset + incoming.byte_count
    try:
        while position < stop:
            data = _next_piece(incoming.stream, min(READ_BYTES, stop - position))
            if not data:
                return position, AppError(
                    "upload.cut",
                    408,
                    _(
                        "The request broke off after {received} of {announced} bytes; ask with HEAD and send from "
                        "there."
                    ),
                    received=position - incoming.offset,
                    announced=incoming.byte_count,
                )
            partial.write(data, position)
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
def _commit(upload: ImportFile, incoming: Incoming, end: int, *, now: datetime) -> ImportFile:
    """Acknowledge under a lock of the row, which holds even where two machines share the folder but not its locks."""
    row = ImportFile.objects.select_for_update().filter(pk=upload.pk).first()
    if row is None:
        raise _upload_not_found()
    row.parent = Import.objects.get(pk=row.parent_id)
    check_open(row.parent, now=now)
    if row.received_bytes != incoming.offset:
        raise _offset_wrong(expected=row.received_bytes, given=incoming.offset)
    row.received_bytes = end
    if incoming.sha256 and end == row.byte_count:
        row.claimed_sha256 = valid_sha256(incoming.sha256, path=row.path)
    row.save(update_fields=["received_bytes", "claimed_sha256"])
    _put_off_expiry(row.parent, now=now)
    return row


def _put_off_expiry(import_: Import, *, now: datetime) -> None:
    later = now + timedelta(days=settings.UPLOAD_EXPIRES_DAYS)
    if later - import_.expires_at > EXPIRY_STEP:
        import_.expires_at = later
        import_.save(update_fields=["expires_at"])
