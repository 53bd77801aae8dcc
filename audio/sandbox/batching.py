"""Batches of files for sandboxed children: evenly sized, and with a result for every file even if a child crashes."""

from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, TypeVar

from audio.errors import MAKES_NO_SENSE, DecoderDied, SoundTooCostly
from audio.sandbox.client import DEFAULT_LIMITS, Limits, error_from_child, run_sandboxed

T = TypeVar("T")


def even_batches(items: Sequence[T], *, size: Callable[[T], int], max_size: int, children: int) -> list[list[T]]:
    """Cut into batches of about the same size, as many for each child.

    The last item of a batch may exceed max_size, because an item larger than it has to go somewhere. No size is 0.
    """
    total = sum(map(size, items))
    count = children * -(-total // (children * max_size))
    batches: list[list[T]] = [[] for _ in range(count)]
    reached = 0
    for item in items:
        batches[reached * count // total].append(item)
        reached += size(item)
    return [batch for batch in batches if batch]


# --- Validation of many files -----------------------------------------------------------------------------------------


# Enough that a fork costs nothing beside them, and few enough that looking for the one that broke a child is quick.
FILES_PER_CHILD = 50

Result = dict[str, Any] | Exception


def examine_files(
    files: Sequence[BinaryIO],
    names: Sequence[str],
    *,
    longest_h: float,
    short_s: float,
    limits: Limits = DEFAULT_LIMITS,
    files_per_child: int = FILES_PER_CHILD,
) -> list[Result]:
    """Examine each file as `validate.examine_clips` does; a file that is refused has the error as its result.

    If a child crashes, each of its files gets a child of its own, so that only the one at fault is refused.
    """
    results: list[Result] = []
    for start in range(0, len(files), files_per_child):
        batch = slice(start, start + files_per_child)
        results += _examine(files[batch], names[batch], longest_h=longest_h, short_s=short_s, limits=limits)
    return results


def _examine(
    files: Sequence[BinaryIO], names: Sequence[str], *, longest_h: float, short_s: float, limits: Limits
) -> list[Result]:
    try:
        outcome = run_sandboxed(
            "audio.validate:examine_clips",
            *files,
            name=names[0],
            limits=limits,
            names=list(names),
            longest_h=longest_h,
            short_s=short_s,
        )
    except (DecoderDied, SoundTooCostly) as error:
        if len(files) == 1:
            return [error]
        return [
            result
            for file, name in zip(files, names, strict=True)
            for result in _examine([file], [name], longest_h=longest_h, short_s=short_s, limits=limits)
        ]
    clips = outcome.facts.get("clips")
    if not isinstance(clips, list) or len(clips) != len(files):
        return [DecoderDied(name=name, problem=MAKES_NO_SENSE) for name in names]
    return [_result(clip, name) for clip, name in zip(clips, names, strict=True)]


def _result(clip: Any, name: str) -> Result:
    match clip:
        case {"error": dict() as error}:
            return error_from_child(error, name=name)
        case {"shape": dict()}:
            return dict(clip)
        case _:
            return DecoderDied(name=name, problem=MAKES_NO_SENSE)
