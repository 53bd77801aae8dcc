"""Sandbox of the audio library as this app uses it: errors of the library become AppErrors.

Each has the same code, message and data as in the library, so that pages, jobs and import findings can show it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from string import Formatter
from typing import Any, BinaryIO

from audio import errors
from audio.errors import PARTS, AudioError
from audio.sandbox import batching, client
from audio.sandbox.client import Outcome
from core.errors import AppError
from core.i18n import LazyMessage


class SandboxFailure(AppError):
    """A crash or a limit of the sandbox, which may be the file's fault or that of the machine."""


def to_app_error(error: AudioError) -> AppError:
    named = {name for _, name, _, _ in Formatter().parse(error.message) if name}
    details = {name: value for name, value in error.data.items() if name not in named}
    data = {name: error.data[name] for name in named}
    parts = {name: LazyMessage(str(data[name]), **details) for name in named.intersection(PARTS)}
    failed = isinstance(error, errors.DecoderDied | errors.SoundTooCostly)
    status = 416 if isinstance(error, errors.PositionOutside) else 422
    return (SandboxFailure if failed else AppError)(error.code, status, error.message, **{**data, **parts})


@contextmanager
def app_errors() -> Iterator[None]:
    """Raise an error of the audio library as an AppError."""
    try:
        yield
    except AudioError as error:
        raise to_app_error(error) from error


def run_sandboxed(work: str, *files: BinaryIO, **options: Any) -> Outcome:
    with app_errors():
        return client.run_sandboxed(work, *files, **options)


def examine_files(files: Sequence[BinaryIO], names: Sequence[str], **options: Any) -> list[dict[str, Any] | AppError]:
    results = batching.examine_files(files, names, **options)
    return [result if isinstance(result, dict) else _known(result) for result in results]


def error_from_child(error: Any, *, name: str) -> AppError:
    return _known(client.error_from_child(error, name=name))


def _known(error: Exception) -> AppError:
    if isinstance(error, AudioError):
        return to_app_error(error)
    if isinstance(error, AppError):
        return error
    raise error
