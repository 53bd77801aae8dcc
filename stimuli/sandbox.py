"""Sandbox of the audio library as this app uses it: errors of the library become AppErrors.

Each has the same code, sentence and data as in the library, so that pages, jobs and import findings can show it.
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

STATUSES: dict[type[AudioError], int] = {errors.PositionOutside: 416}


def _app_error(kind: type[AudioError]) -> type[AppError]:
    fields = {"code": kind.code, "status": STATUSES.get(kind, 422), "sentence": kind.message, "__module__": __name__}
    return type(kind.__name__, (AppError,), fields)


APP_ERRORS = {kind: _app_error(kind) for kind in AudioError.__subclasses__()}
# A crash or a limit, which may be the file's fault or that of the machine.
SANDBOX_FAILURES = (APP_ERRORS[errors.DecoderDied], APP_ERRORS[errors.SoundTooCostly])


def to_app_error(error: AudioError) -> AppError:
    named = {name for _, name, _, _ in Formatter().parse(error.message) if name}
    details = {name: value for name, value in error.data.items() if name not in named}
    data = {name: error.data[name] for name in named}
    parts = {name: LazyMessage(str(data[name]), **details) for name in named.intersection(PARTS)}
    return APP_ERRORS[type(error)](**{**data, **parts})


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
