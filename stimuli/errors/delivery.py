"""Refusals of delivery: what was asked for is no part of the sound."""

from core.errors import AppError, sentence


class NoSound(AppError):
    code = "sound.none"
    status = 404
    sentence = sentence("This stimulus is a text, so there is nothing to hear or to draw.")


class NoClip(AppError):
    code = "sound.no_clip"
    status = 404
    sentence = sentence("This recording is too long for one clip. It is heard in slices: ask for slice/ instead.")


class NoPicture(AppError):
    code = "sound.no_picture"
    status = 404
    sentence = sentence("There is no such picture of this sound. Its manifest lists the levels and statistics.")


class SliceTooLong(AppError):
    code = "sound.slice_too_long"
    status = 422
    sentence = sentence("A slice holds {longest} samples at most; ask for several, one after another.")


class BytesOutside(AppError):
    code = "sound.bytes_outside"
    status = 416
    sentence = sentence("The clip has {byte_count} bytes; ask for a range that begins before its end.")


class RecordingRefused(AppError):
    code = "recording.refused"
    status = 409
    sentence = sentence("This recording cannot be used. {refusal}")


class RecordingNotReady(AppError):
    code = "recording.not_ready"
    status = 409
    sentence = sentence("This part of the recording is still being prepared. Try again in a moment.")
