"""Names of files and conditions in a table of metrics, and the clips that they stand for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from analysis.metrics.reading import Metrics, reject_lines
from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _


class Clip(NamedTuple):
    """An item under a condition; without an item, the condition as a whole."""

    item: str
    condition: str


@dataclass(frozen=True)
class Matched:
    """What each name of a table stands for; a name that fits nothing, or several clips, is unmatched."""

    clips: dict[str, Clip]
    unmatched: list[str]


class KnownNames:
    """Clips by name: CONDITION/ITEM as exports have it, or the path of the import, with or without its ending.

    A name may have more folders before it, or fewer as long as it fits one clip alone. Capitals make no difference.
    """

    def __init__(self, clips: Iterable[Clip], paths: Mapping[tuple[str, str], str] | None = None) -> None:
        self._whole: dict[tuple[str, ...], set[Clip]] = defaultdict(set)
        self._ends: dict[tuple[str, ...], set[Clip]] = defaultdict(set)
        self._conditions: dict[str, Clip] = {}
        for clip in clips:
            self._conditions[clip.condition] = Clip("", clip.condition)
            for name in (f"{clip.condition}/{clip.item}", (paths or {}).get(clip, "")):
                for steps in _spellings(name):
                    self._whole[steps].add(clip)
                    for start in range(len(steps)):
                        self._ends[steps[start:]].add(clip)

    def match(self, names: Sequence[str], *, by: str) -> Matched:
        found: dict[str, Clip] = {}
        for name in names:
            fitting = self._conditions.get(name) if by == "condition" else self._clip(name)
            if fitting:
                found[name] = fitting
        return Matched(found, [name for name in names if name not in found])

    def _clip(self, name: str) -> Clip | None:
        fitting = self._fitting(name)
        return next(iter(fitting)) if len(fitting) == 1 else None

    def _fitting(self, name: str) -> set[Clip]:
        for steps in _spellings(name):
            if steps in self._ends:
                return self._ends[steps]
            for start in range(1, len(steps)):
                if steps[start:] in self._whole:
                    return self._whole[steps[start:]]
        return set()


def _spellings(name: str) -> Iterator[tuple[str, ...]]:
    """The steps of a path or address in small letters, as they are and without the ending of the last."""
    bare = unquote(urlsplit(name).path) if "://" in name else name
    parts = bare.replace("\\", "/").casefold().split("/")
    steps = tuple(part for part in parts if part not in {"", ".", ".."})
    if steps:
        yield steps
        if stem := steps[-1].rpartition(".")[0]:
            yield (*steps[:-1], stem)


def check_names(table: Metrics, known: KnownNames) -> Matched:
    """Some name must fit, and no two the same clip with a value of the same metric."""
    matched = known.match([row.name for row in table.rows], by=table.by)
    if not matched.clips:
        raise AppError(
            "metrics.nothing_matches",
            422,
            _(
                "No name in '{file}' is known here; the first is '{name}' in line {line}. Name a condition as the "
                "collection does, and a file CONDITION/ITEM or by the path that it was imported from."
            ),
            file=table.name,
            name=table.rows[0].name[:80],
            line=str(table.rows[0].line),
        )
    problems = []
    earlier: dict[tuple[Clip, str], tuple[str, int]] = {}
    for row in table.rows:
        clip = matched.clips.get(row.name)
        if clip is None:
            continue
        twice = [earlier[clip, metric] for metric in row.values if (clip, metric) in earlier]
        if twice:
            problems.append(
                LazyMessage(
                    "line {line}: '{name}' is the same clip as '{other}' in line {earlier}; keep one of them",
                    line=str(row.line),
                    earlier=str(twice[0][1]),
                    name=row.name[:80],
                    other=twice[0][0][:80],
                )
            )
        earlier |= {(clip, metric): (row.name, row.line) for metric in row.values}
    reject_lines(table.name, problems)
    return matched
