"""Many short files at once: a few sealed children for all of them, and a verdict for every file all the same."""

from collections.abc import Sequence
from typing import Any, BinaryIO

from audio.errors import DecoderDied, SoundTooCostly
from audio.sealed.asking import ORDINARY, Limits, revived, run_sealed
from core.clauses import clause
from core.errors import AppError

# Enough that a fork costs nothing beside them, and few enough that looking for the one that broke a child is quick.
FILES_PER_CHILD = 50

Verdict = dict[str, Any] | AppError


def examine_many(
    files: Sequence[BinaryIO],
    names: Sequence[str],
    *,
    longest_h: float,
    short_s: float,
    limits: Limits = ORDINARY,
    files_per_child: int = FILES_PER_CHILD,
) -> list[Verdict]:
    """Judge each file as `judging.files.examine_clips` does; a refusal stands in the place of the file it refuses.

    If a child dies, each of its files gets a child of its own, so that only the guilty one is refused.
    """
    verdicts: list[Verdict] = []
    for start in range(0, len(files), files_per_child):
        batch = slice(start, start + files_per_child)
        verdicts += _judged(files[batch], names[batch], longest_h=longest_h, short_s=short_s, limits=limits)
    return verdicts


def _judged(
    files: Sequence[BinaryIO], names: Sequence[str], *, longest_h: float, short_s: float, limits: Limits
) -> list[Verdict]:
    try:
        outcome = run_sealed(
            "audio.judging.files:examine_clips",
            *files,
            name=names[0],
            limits=limits,
            names=list(names),
            longest_h=longest_h,
            short_s=short_s,
        )
    except (DecoderDied, SoundTooCostly) as refusal:
        if len(files) == 1:
            return [refusal]
        return [
            verdict
            for file, name in zip(files, names, strict=True)
            for verdict in _judged([file], [name], longest_h=longest_h, short_s=short_s, limits=limits)
        ]
    clips = outcome.facts.get("clips")
    if not isinstance(clips, list) or len(clips) != len(files):
        return [DecoderDied(name=name, problem=clause("its answer makes no sense")) for name in names]
    return [_verdict(clip, name) for clip, name in zip(clips, names, strict=True)]


def _verdict(clip: Any, name: str) -> Verdict:
    match clip:
        case {"error": {"kind": str() as kind, "data": dict() as data}}:
            return revived(kind, data, name=name)
        case {"shape": dict()}:
            return dict(clip)
        case _:
            return DecoderDied(name=name, problem=clause("its answer makes no sense"))
