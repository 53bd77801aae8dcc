"""Scores of captions as one array, and the parts of it that are read apart: a dataset, a group of people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from analysis.statistics.estimates import Floats, known_mean

# As rating/protocols/thumbs/ declares them; OVERALL exists only where all five were given.
SCALES = ("PRECISION", "RECALL", "FLUENCY", "CONCISENESS", "IRRELEVANCE", "OVERALL")


class Assessor(NamedTuple):
    listener: Any
    group: str


class Clip(NamedTuple):
    item: str
    dataset: str
    synthesised: bool | None  # none where the collection does not say


@dataclass(frozen=True)
class Scored:
    """The marks, nan where there is none, and what each assessor said of each clip."""

    assessors: list[Assessor]
    clips: list[Clip]
    sources: list[str]
    marks: Floats  # scale x assessor x clip x source
    said_synthesised: Floats  # assessor x clip: 1 yes, 0 no

    def __len__(self) -> int:
        return int(np.isfinite(self.marks).sum())

    def clip_means(self) -> Floats:
        """Scale x clip x source: the mean over assessors."""
        return known_mean(self.marks, axis=1)

    def assessor_means(self) -> Floats:
        """Scale x assessor x source: the mean over clips."""
        return known_mean(self.marks, axis=2)

    def targets(self, scale: int) -> Floats:
        """Assessor x target on one scale; a target is one caption of one clip."""
        flat: Floats = self.marks[scale].reshape(len(self.assessors), len(self.clips) * len(self.sources))
        return flat

    def parts(self) -> Iterator[tuple[dict[str, str | None], Scored]]:
        """Everything together, then by dataset and by group; a name of None means all of them.

        A single dataset or a single group is not told apart.
        """
        for dataset in _levels([clip.dataset for clip in self.clips]):
            for group in _levels([assessor.group for assessor in self.assessors]):
                part = self.where(clip=_named(dataset, "dataset"), assessor=_named(group, "group"))
                if len(part):
                    yield {"dataset": dataset, "group": group}, part

    def where(self, *, clip: Callable[[Clip], bool], assessor: Callable[[Assessor], bool]) -> Scored:
        clips = [place for place, each in enumerate(self.clips) if clip(each)]
        people = [place for place, each in enumerate(self.assessors) if assessor(each)]
        return replace(
            self,
            assessors=[self.assessors[place] for place in people],
            clips=[self.clips[place] for place in clips],
            marks=self.marks[:, people][:, :, clips],
            said_synthesised=self.said_synthesised[people][:, clips],
        )


def _levels(names: Sequence[str]) -> list[str | None]:
    distinct = sorted(set(names))
    return [None, *distinct] if len(distinct) > 1 else [None]


def _named(name: str | None, attribute: str) -> Callable[[Any], bool]:
    return lambda each: name is None or getattr(each, attribute) == name
