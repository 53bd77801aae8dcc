"""Errors of the audio library: files that are no audio, are damaged, or would cost too much to decode.

Each has a code and an English message that is filled with its data. The messages are marked for translation with
`gettext_noop` and translated where they are shown; this package knows no catalogue and no HTTP.
"""

import re
from typing import Any, ClassVar

PLACE = re.compile(r"\{(\w+)\}")
PARTS = ("problem", "resource")  # data that are messages themselves, with places for the rest of the data


def gettext_noop(message: str) -> str:
    """Mark a message for the translation catalogue."""
    return message


# Used in several modules.
UNRECOGNISED = gettext_noop("its first bytes are those of no sound format that Earmark reads")
NOT_FINITE = gettext_noop("it has samples that are not finite numbers")
SEVERAL_STREAMS = gettext_noop("it is several streams in one file; give each as a file of its own")
DECODER_SAYS = gettext_noop('the decoder says "{complaint}"')
MAKES_NO_SENSE = gettext_noop("its answer makes no sense")


class AudioError(Exception):
    """Base of the errors that this package raises; anything else is a defect."""

    code: ClassVar[str]
    message: ClassVar[str]

    def __init__(self, **data: Any) -> None:
        super().__init__(data)
        self.data = data

    def __str__(self) -> str:
        parts = {name: _fill(str(self.data[name]), self.data) for name in PARTS if name in self.data}
        return self.message.format(**{**self.data, **parts})

    def to_json(self) -> dict[str, Any]:
        return {"kind": type(self).__name__, "data": self.data}


def _fill(message: str, data: dict[str, Any]) -> str:
    """Fill places by name alone: the attributes and widths of str.format are not for data of untrusted files."""
    return PLACE.sub(lambda place: _written(data.get(place[1], place[0])), message)


def _written(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


class NotAudio(AudioError):
    code = "sound.not_sound"
    message = gettext_noop("'{name}' cannot be read as sound: {problem}. Give a WAV, FLAC, MP3, Ogg, M4A or AIFF file.")


class EmptyAudio(AudioError):
    code = "sound.empty"
    message = gettext_noop("'{name}' holds no sound. Give a file with at least one sample.")


class SoundBroken(AudioError):
    code = "sound.broken"
    message = gettext_noop("'{name}' is damaged or breaks off: {problem}. Export it again and give the new file.")


class SoundUnsupported(AudioError):
    code = "sound.unsupported"
    message = gettext_noop("'{name}' is sound of a kind that Earmark does not take: {problem}.")


class SoundTooLong(AudioError):
    code = "sound.too_long"
    message = gettext_noop(
        "'{name}' is longer than the {limit_h:g} hours that a recording may last. Cut it into parts."
    )


class SoundTooCostly(AudioError):
    code = "sound.too_costly"
    message = gettext_noop(
        "'{name}' takes more {resource} to decode than a sound of its size should. Export it again as WAV or FLAC."
    )


class DecoderDied(AudioError):
    code = "sound.decoder_died"
    message = gettext_noop("The decoder broke down over '{name}' ({problem}). Export it again as WAV or FLAC.")


class PositionOutside(AudioError):
    code = "sound.position_outside"
    message = gettext_noop("There is no sound at {start} to {stop}: the recording has {length} samples.")


class LevelUnknown(AudioError):
    code = "level.unknown"
    message = gettext_noop(
        "'{name}' is too quiet or too short to have a loudness, so it cannot be brought to a level. "
        "Give sound of at least 0.4 s that is louder than -70 LUFS."
    )


class LevelTooHigh(AudioError):
    code = "level.too_high"
    message = gettext_noop(
        "'{name}' would be clipped: its largest sample would lie {excess_db:.1f} dB above full scale. "
        "Choose a level that is lower by at least that much."
    )
