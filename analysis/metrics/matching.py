"""Names of files and conditions in a table of metrics, matched to the clips of an experiment's collection."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from analysis.datasets import read_stimuli
from listening.panels.services.elsewhere import imported_paths
from rating.models import Experiment


class Clip(NamedTuple):
    """An item under a condition; without an item, the condition as a whole."""

    item: str
    condition: str


@dataclass(frozen=True)
class Matched:
    """What each name of a table stands for; a name that fits nothing, or several clips, is unmatched."""

    clips: dict[str, Clip]
    unmatched: list[str]


def match_names(experiment: Experiment, names: Sequence[str], *, by: str) -> Matched:
    find = _conditions(experiment) if by == "condition" else _ClipNames(experiment)
    found = {name: find[name] for name in names if name in find}
    return Matched(found, [name for name in names if name not in found])


def _conditions(experiment: Experiment) -> dict[str, Clip]:
    return {name: Clip("", name) for name in experiment.collection.conditions.values_list("name", flat=True)}


class _ClipNames:
    """Clips by name: CONDITION/ITEM as exports have it, or the path of the import, with or without its ending.

    A name may have more folders before it, or fewer as long as it fits one clip alone. Capitals make no difference.
    """

    def __init__(self, experiment: Experiment) -> None:
        self._whole: dict[tuple[str, ...], set[Clip]] = defaultdict(set)
        self._ends: dict[tuple[str, ...], set[Clip]] = defaultdict(set)
        paths = imported_paths(experiment.collection)
        for stimulus in read_stimuli(experiment).values():
            clip = Clip(stimulus.item, stimulus.condition)
            for name in (f"{clip.condition}/{clip.item}", paths.get(clip, "")):
                for steps in _spellings(name):
                    self._whole[steps].add(clip)
                    for start in range(len(steps)):
                        self._ends[steps[start:]].add(clip)

    def __contains__(self, name: str) -> bool:
        return len(self._found(name)) == 1

    def __getitem__(self, name: str) -> Clip:
        [clip] = self._found(name)
        return clip

    def _found(self, name: str) -> set[Clip]:
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
    steps = _steps(bare.replace("\\", "/").casefold().split("/"))
    if steps:
        yield steps
        stem = steps[-1].rpartition(".")[0]
        if stem:
            yield (*steps[:-1], stem)


def _steps(parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(part for part in parts if part not in {"", ".", ".."})
