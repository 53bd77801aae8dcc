"""Refusals of changes of level."""

from core.errors import AppError, sentence


class LevelUnknown(AppError):
    code = "level.unknown"
    status = 422
    sentence = sentence(
        "'{name}' is too quiet or too short to have a loudness, so it cannot be brought to a level. "
        "Give sound of at least 0.4 s that is louder than -70 LUFS."
    )


class LevelTooHigh(AppError):
    code = "level.too_high"
    status = 422
    sentence = sentence(
        "'{name}' would be clipped: its largest sample would lie {excess_db:.1f} dB above full scale. "
        "Choose a level that is lower by at least that much."
    )
