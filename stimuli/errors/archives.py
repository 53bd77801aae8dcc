"""Refusals of zip archives."""

from core.errors import AppError, sentence


class ArchiveRefused(AppError):
    code = "archive.refused"
    status = 422
    sentence = sentence("'{name}' cannot be unpacked: {problem}. Give a plain zip of the files, or the folder itself.")
