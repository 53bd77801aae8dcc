"""Refusals of sound itself: what is no sound, is damaged, or would cost too much."""

from core.clauses import clause
from core.errors import AppError, sentence

# Said in several places.
UNRECOGNISED = clause("its first bytes are those of no sound format that Earmark reads")
NOT_FINITE = clause("it has samples that are not finite numbers")
SEVERAL_STREAMS = clause("it is several streams in one file; give each as a file of its own")


class NotAudio(AppError):
    code = "sound.not_sound"
    status = 422
    sentence = sentence("'{name}' cannot be read as sound: {problem}. Give a WAV, FLAC, MP3, Ogg, M4A or AIFF file.")


class EmptyAudio(AppError):
    code = "sound.empty"
    status = 422
    sentence = sentence("'{name}' holds no sound. Give a file with at least one sample.")


class SoundBroken(AppError):
    code = "sound.broken"
    status = 422
    sentence = sentence("'{name}' is damaged or breaks off: {problem}. Export it again and give the new file.")


class SoundUnsupported(AppError):
    code = "sound.unsupported"
    status = 422
    sentence = sentence("'{name}' is sound of a kind that Earmark does not take: {problem}.")


class SoundTooLong(AppError):
    code = "sound.too_long"
    status = 422
    sentence = sentence("'{name}' is longer than the {limit_h:g} hours that a recording may last. Cut it into parts.")


class SoundTooCostly(AppError):
    code = "sound.too_costly"
    status = 422
    sentence = sentence(
        "'{name}' takes more {resource} to decode than a sound of its size should. Export it again as WAV or FLAC."
    )


class DecoderDied(AppError):
    code = "sound.decoder_died"
    status = 422
    sentence = sentence("The decoder broke down over '{name}' ({problem}). Export it again as WAV or FLAC.")


class PositionOutside(AppError):
    code = "sound.position_outside"
    status = 416
    sentence = sentence("There is no sound at {start} to {stop}: the recording has {length} samples.")


class RecordingNotReady(AppError):
    code = "recording.not_ready"
    status = 409
    sentence = sentence("This part of the recording is still being prepared. Try again in a moment.")
