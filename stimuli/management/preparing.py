"""Ingest of long recordings one after the other, shared by two commands; a rejected one does not stop the rest."""

from collections.abc import Callable, Iterable
from functools import partial

from core.errors import AppError
from stimuli.models import Recording
from stimuli.services.ingest import ingest_at_once


def prepare_all(
    recordings: Iterable[Recording],
    *,
    show: Callable[[str, int, int], None],
    complain: Callable[[str], None],
) -> int:
    """Prepare each, showing its chunks, and complain of those that cannot be used; say how many these are."""
    failed = 0
    for recording in recordings:
        name = _called(recording)
        try:
            ingest_at_once(recording=recording, told=partial(show, name))
        except AppError as error:
            complain(f"{name}: {error}")
            failed += 1
    return failed


def counted(count: int) -> str:
    return f"{count} long recording{'' if count == 1 else 's'}"


def _called(recording: Recording) -> str:
    """The name of a stimulus with this recording, because a digest says nothing to people."""
    stimulus = recording.stimuli.select_related("item", "condition").first()
    return str(stimulus or recording)
