"""Errors of stimuli, grouped by the part that raises them."""

from core.errors import AppError
from core.i18n import gettext_noop as _

# --- Uploads and imports ----------------------------------------------------------------------------------------------


class UploadNotFound(AppError):
    code = "upload.not_found"
    status = 404
    sentence = _("There is no such upload among yours; announce the file again.")


class UploadGone(AppError):
    code = "upload.gone"
    status = 410
    sentence = _("This import has expired or was cancelled, and what had arrived is deleted; begin a new one.")


class UploadClosed(AppError):
    code = "upload.closed"
    status = 409
    sentence = _("This import takes no more files: they are being checked, or it is over. Begin a new one.")


class UploadBusy(AppError):
    code = "upload.busy"
    status = 423
    sentence = _("Another request is sending this file at the moment; try again in a few seconds.")


class UploadsCrowded(AppError):
    code = "upload.crowded"
    status = 503
    sentence = _("The server receives as many uploads as it can at once; try again in a few seconds.")


class OffsetWrong(AppError):
    code = "upload.offset"
    status = 409
    sentence = _("The file goes on at byte {expected}, not at {given}; ask with HEAD and send from there.")


class ChecksumWrong(AppError):
    code = "upload.checksum"
    status = 460  # tus 1.0, checksum extension
    sentence = _("The bytes that arrived are not those that were sent; they were discarded, send them again.")


class ChecksumUnknown(AppError):
    code = "upload.checksum_unknown"
    sentence = _("The checksum '{given}' cannot be read; send sha1 or sha256, a space, and base64.")


class UploadHeaderWrong(AppError):
    code = "upload.header"
    sentence = _("The header {header} is missing or cannot be read; it must hold {wanted}.")


class UploadTypeWrong(AppError):
    code = "upload.media_type"
    status = 415
    sentence = _("Bytes of an upload are sent as application/offset+octet-stream.")


class TusVersionWrong(AppError):
    code = "upload.version"
    status = 412
    sentence = _("This server speaks tus 1.0.0; say so in the header Tus-Resumable.")


class UploadLengthDeferred(AppError):
    code = "upload.length_deferred"
    sentence = _("The length of a file must be known when it is announced; send it as Upload-Length.")


class BodyLengthMissing(AppError):
    code = "upload.body_length"
    status = 411
    sentence = _("The request does not say how long it is; send it with Content-Length.")


class UploadTooLong(AppError):
    code = "upload.too_long"
    status = 413
    sentence = _("The file was announced with {byte_count} bytes, and this would make it longer; send the rest only.")


class UploadCut(AppError):
    code = "upload.cut"
    status = 408
    sentence = _("The request broke off after {received} of {announced} bytes; ask with HEAD and send from there.")


class DiskFull(AppError):
    code = "upload.disk_full"
    status = 507
    sentence = _("The server's disk is full. What has arrived is kept; sending goes on once there is room.")


class QuotaExceeded(AppError):
    code = "upload.quota"
    status = 413
    sentence = _(
        "These files hold {needed_gb:.2f} GB, and {left_gb:.2f} of your {quota_gb:.2f} GB are free. "
        "Cancel other imports, send less, or ask an admin for more."
    )


class FilesRefused(AppError):
    code = "upload.files_refused"
    status = 422
    sentence = _("The list of files cannot be taken: {problems}")


class ImportNotFound(AppError):
    code = "import.not_found"
    status = 404
    sentence = _("There is no such import among yours in this collection.")


class ImportStateWrong(AppError):
    code = "import.wrong_state"
    status = 409
    sentence = _("This is not possible while the import is in the state '{state}'. Open it to see how it goes on.")


class ImportIncomplete(AppError):
    code = "import.incomplete"
    status = 409
    sentence = _("{missing} of the announced files have not arrived whole, '{path}' among them; send them first.")


class ImportEmpty(AppError):
    code = "import.empty"
    status = 422
    sentence = _("The import holds no files; announce at least one.")


class DigestMissing(AppError):
    code = "import.digest_missing"
    status = 422
    sentence = _("The SHA-256 of '{path}' is missing or is not 64 hexadecimal digits; send it for every file.")


class CollectionNotYours(AppError):
    code = "collection.not_yours"
    status = 403
    sentence = _("Only {owner}, who owns the collection, can import into it; make a collection of your own.")


class CollectionSlugTaken(AppError):
    code = "collection.slug_taken"
    status = 409
    sentence = _("Another collection has the short name '{slug}'; choose another.")


# --- Files, layouts and tables of an import ---------------------------------------------------------------------------


class LayoutUnknown(AppError):
    code = "import.layout_unknown"
    status = 422
    sentence = _("There is no layout '{layout}'. Choose one of {known}.")


class LayoutUnclear(AppError):
    code = "import.layout_unclear"
    status = 422
    sentence = _(
        "It is not clear which stimuli the files are: {problem}. "
        "Sort them into one folder per condition, with the same file names in each, "
        "or add a manifest.csv with the columns path, item and condition."
    )


class LayoutUnfit(AppError):
    code = "import.layout_unfit"
    status = 422
    sentence = _("The files do not fit the layout '{layout}': {problem}. Move them, or choose another layout.")


class NothingToImport(AppError):
    code = "import.nothing"
    status = 422
    sentence = _("There is nothing to import: no sound, no Audacity project and no table of texts was found.")


class TableUnreadable(AppError):
    code = "table.unreadable"
    status = 422
    sentence = _(
        "The table '{name}' cannot be read: {problem}. Save it as CSV in UTF-8, or as XLSX with the table on sheet 1."
    )


class LinesUnreadable(AppError):
    code = "table.lines_unreadable"
    status = 422
    sentence = _("'{name}' cannot be read: {problem}. Give one JSON object per line, in UTF-8.")


class ProjectUnreadable(AppError):
    code = "project.unreadable"
    status = 422
    sentence = _(
        "The Audacity project '{name}' cannot be read: {problem}. "
        "Open it in Audacity 3, save it, close it, and give the .aup3 file; or export its clips as WAV."
    )


class ImportRefused(AppError):
    code = "import.refused"
    status = 422
    sentence = _("Nothing was imported, because of {count} problems. The first: {first}")


class CellsTaken(AppError):
    code = "import.cells_taken"
    status = 409
    sentence = _(
        "The collection holds {count} of these stimuli already ({cells}). "
        "Choose to replace them, or import under other names."
    )


class CollectionBusy(AppError):
    code = "collection.busy"
    status = 409
    sentence = _("Others kept changing the collection during this import, so nothing was imported; try again.")


class LevelsRefused(AppError):
    code = "levels.refused"
    status = 422
    sentence = _("The collection was not copied: {problem}.")


class ArchiveRefused(AppError):
    code = "archive.refused"
    status = 422
    sentence = _("'{name}' cannot be unpacked: {problem}. Give a plain zip of the files, or the folder itself.")


# --- Collections and stimuli ------------------------------------------------------------------------------------------


class CollectionNotFound(AppError):
    code = "collection.not_found"
    status = 404
    sentence = _("There is no collection '{slug}' among those you may see.")


class StimulusNotFound(AppError):
    code = "stimulus.not_found"
    status = 404
    sentence = _("There is no such stimulus in this collection.")


# --- Clock of a recording ---------------------------------------------------------------------------------------------


class ClockRefused(AppError):
    code = "clock.refused"
    status = 422
    sentence = _("The clock was not changed: {problem}.")


class ClockNotYours(AppError):
    code = "clock.not_yours"
    status = 403
    sentence = _("Only {owner}, who owns the collection, can correct the clock of its recordings; ask them.")


# --- Delivery ---------------------------------------------------------------------------------------------------------


class NoSound(AppError):
    code = "sound.none"
    status = 404
    sentence = _("This stimulus is a text, so there is nothing to hear or to draw.")


class NoClip(AppError):
    code = "sound.no_clip"
    status = 404
    sentence = _("This recording is too long for one clip. It is heard in slices: ask for slice/ instead.")


class NoPicture(AppError):
    code = "sound.no_picture"
    status = 404
    sentence = _("There is no such picture of this sound. Its manifest lists the levels and statistics.")


class SliceTooLong(AppError):
    code = "sound.slice_too_long"
    status = 422
    sentence = _("A slice holds {longest} samples at most; ask for several, one after another.")


class BytesOutside(AppError):
    code = "sound.bytes_outside"
    status = 416
    sentence = _("The clip has {byte_count} bytes; ask for a range that begins before its end.")


class RecordingRefused(AppError):
    code = "recording.refused"
    status = 409
    sentence = _("This recording cannot be used. {refusal}")


class RecordingNotReady(AppError):
    code = "recording.not_ready"
    status = 409
    sentence = _("This part of the recording is still being prepared. Try again in a moment.")
