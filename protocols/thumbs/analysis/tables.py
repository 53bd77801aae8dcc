"""Statistics of caption scores: means by source, tests between sources, use of the scales, and agreement."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from analysis.statistics.agreement import ALPHA_LEVEL, absolute_agreement, interval_alpha
from analysis.statistics.differences import d_z, paired_t, welch_t
from analysis.statistics.estimates import Estimate, Floats, figure, known_mean
from analysis.statistics.model_rows import model_rows, votes_of
from analysis.statistics.proportions import wilson
from analysis.statistics.ranks import holm, signed_rank
from analysis.statistics.raters import use_of_scale

if TYPE_CHECKING:
    import pandas as pd


# As protocol.py declares them; OVERALL exists only where all five were given.
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


SAID = "SYNTHESISED"
TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

Cells = dict[tuple[Any, ...], list[float]]


def scored_of(table: pd.DataFrame) -> Scored:
    """Gather every mark that is not practice; where a person scored the same caption twice, the mean counts."""
    rated = table[(table["kind"] != "practice") & table["scale"].isin([*SCALES, SAID])]
    names = ("listener", "group", "item", "factors", "condition", "scale", "value")
    captions: Cells = defaultdict(list)
    said: Cells = defaultdict(list)
    columns = (rated[name].tolist() for name in names)
    for listener, group, item, factors, condition, scale, value in zip(*columns, strict=True):
        assessor, clip = Assessor(listener, str(group)), (str(item), str(factors))
        if scale == SAID:
            said[assessor, clip].append(value)
        else:
            captions[scale, assessor, clip, str(condition)].append(value)
    assessors = sorted({key[1] for key in captions} | {key[0] for key in said})
    clips = sorted({key[2] for key in captions} | {key[1] for key in said})
    sources = sorted({key[3] for key in captions})
    return Scored(
        assessors=assessors,
        clips=[_clip(*clip) for clip in clips],
        sources=sources,
        marks=_filled(captions, (SCALES, assessors, clips, sources)),
        said_synthesised=_filled(said, (assessors, clips)),
    )


def _filled(cells: Cells, axes: Sequence[Iterable[Any]]) -> Floats:
    places = [{name: place for place, name in enumerate(axis)} for axis in axes]
    values = np.full([len(names) for names in places], np.nan)
    for key, given in cells.items():
        at = tuple(names[name] for names, name in zip(places, key, strict=True))
        values[at] = math.fsum(given) / len(given)  # fsum rounds once, so the order of the rows plays no part
    return values


def _clip(item: str, factors: str) -> Clip:
    known = json.loads(factors) if factors else {}
    truth = TRUTHS.get(str(known.get("synthesised", "")).strip().lower())
    return Clip(item, str(known.get("dataset", "")), truth)


Rows = list[dict[str, Any]]


def over_clips(scored: Scored) -> Rows:
    """By source, dataset and group: the mean over assessors of each clip first, then over clips."""
    return [row for about, part in scored.parts() for row in _rows(about, part, part.clip_means(), unit="clip")]


def over_assessors(scored: Scored) -> Rows:
    """The same the other way round: each assessor's mean over clips first, for what other assessors would say."""
    return [row for about, part in scored.parts() for row in _rows(about, part, part.assessor_means(), unit="assessor")]


def _rows(about: dict[str, str | None], part: Scored, means: Floats, *, unit: str) -> Rows:
    rows: Rows = []
    for code, scale in enumerate(SCALES):
        for place, source in enumerate(part.sources):
            known = np.isfinite(part.marks[code, :, :, place])
            if not known.any():
                continue
            found = Estimate.over(means[code, :, place])
            rows.append(
                {
                    "condition": source,
                    "scale": scale,
                    **about,
                    "unit": unit,
                    "n_clips": int(known.any(axis=0).sum()),
                    "n_assessors": int(known.any(axis=1).sum()),
                    "n_votes": int(known.sum()),
                    "mean": figure(found.mean),
                    "sd": figure(found.sd),
                    **found.interval(),
                }
            )
    return rows


def by_clip(scored: Scored) -> Rows:
    """The mean over assessors of every caption, by group."""
    return [
        {
            "condition": source,
            "item": clip.item,
            "dataset": clip.dataset,
            "group": about["group"],
            "scale": scale,
            "n_assessors": int(np.isfinite(part.marks[code, :, at, place]).sum()),
            "mean": figure(means[code, at, place]),
        }
        for about, part in scored.parts()
        if about["dataset"] is None
        for means in [part.clip_means()]
        for code, scale in enumerate(SCALES)
        for at, clip in enumerate(part.clips)
        for place, source in enumerate(part.sources)
        if np.isfinite(means[code, at, place])
    ]


ADJUSTED = ("p", "p_welch", "p_wilcoxon")  # each over the six scores of a pair, in a dataset, by a group


def contrasts(scored: Scored) -> Rows:
    """Every source against every other, both ways round, so that the order of a pair tells nothing of the names."""
    rows: Rows = []
    for about, part in scored.parts():
        means = part.clip_means()
        for one, other in permutations(range(len(part.sources)), 2):
            named = {"condition": part.sources[one], "against": part.sources[other], **about}
            tested = [_tested(means[code, :, one], means[code, :, other]) for code in range(len(SCALES))]
            for column in ADJUSTED:
                adjusted = holm(np.array([row[column] for row in tested], dtype=float))
                for row, p in zip(tested, adjusted.tolist(), strict=True):
                    row[f"{column}_holm"] = p
            rows += [
                {**named, "scale": scale, "n_clips": n, **{name: figure(value) for name, value in row.items()}}
                for scale, row in zip(SCALES, tested, strict=True)
                if (n := row.pop("n"))
            ]
    return rows


def _tested(first: Floats, second: Floats) -> dict[str, Any]:
    """Paired over the clips that have both captions; Welch's test takes the same clips as two samples."""
    both = np.isfinite(first) & np.isfinite(second)
    first, second = first[both], second[both]
    differences = np.round(first - second, 12)  # 3.9 - 3.6 and 4.2 - 3.9 are the same, and must not seem to vary
    found, paired, welch = Estimate.over(differences), paired_t(differences), welch_t(first, second)
    effect, ranks = d_z(differences), signed_rank(differences)
    return {
        "n": found.n,
        "difference": found.mean,
        "ci_low": found.mean - found.half_width,
        "ci_high": found.mean + found.half_width,
        "t": paired.t,
        "df": paired.df,
        "p": paired.p,
        "d_z": effect.value,
        "d_z_low": effect.low,
        "d_z_high": effect.high,
        "t_welch": welch.t,
        "df_welch": welch.df,
        "p_welch": welch.p,
        "w_plus": ranks.w_plus,
        "p_wilcoxon": ranks.p if ranks.n else np.nan,
    }


def scale_use(scored: Scored) -> Rows:
    """Each assessor on each scale; `offset` is the bias: own marks less the others' mean on the same captions."""
    rows: Rows = []
    for code, scale in enumerate(SCALES):
        targets = scored.targets(code)
        for place, assessor in enumerate(scored.assessors):
            if np.isfinite(targets[place]).any():
                about = {"rater": assessor.listener, "group": assessor.group, "scale": scale}
                rows.append(about | use_of_scale(targets, place))
    return rows


def agreement(scored: Scored) -> Rows:
    """On each score over captions, by group: of one assessor, of the mean of all, and alpha, which takes gaps."""
    rows: Rows = []
    for about, part in scored.parts():
        if about["dataset"] is not None:
            continue
        for code, scale in enumerate(SCALES):
            marks = part.targets(code)
            marks = marks[np.isfinite(marks).any(axis=1)]
            single, (alpha, n_pairable) = absolute_agreement(marks), interval_alpha(marks)
            of_mean = single.of_mean(len(marks))
            rows.append(
                {
                    "scale": scale,
                    "group": about["group"],
                    "n_assessors": len(marks),
                    "icc_single": figure(single.value),
                    "icc_single_low": figure(single.low),
                    "icc_single_high": figure(single.high),
                    "icc_mean": figure(of_mean.value),
                    "icc_mean_low": figure(of_mean.low),
                    "icc_mean_high": figure(of_mean.high),
                    "icc_captions": single.n_targets,
                    "captions": int(np.isfinite(marks).any(axis=0).sum()),
                    "alpha": figure(alpha),
                    "alpha_level": ALPHA_LEVEL,
                    "alpha_marks": n_pairable,
                }
            )
    return rows


def told_synthesised(scored: Scored) -> Rows:
    """How often "synthesised?" was answered as the collection has it, by dataset and group; Wilson's interval."""
    rows: Rows = []
    for about, part in scored.parts():
        truth = np.array([np.nan if clip.synthesised is None else float(clip.synthesised) for clip in part.clips])
        asked = np.isfinite(part.said_synthesised) & np.isfinite(truth)
        if not asked.any():
            continue
        said, right = part.said_synthesised == 1, part.said_synthesised == truth
        n, hits = int(asked.sum()), int((right & asked).sum())
        share = wilson(hits, n)
        rows.append(
            {
                **about,
                "n_assessors": int(asked.any(axis=1).sum()),
                "n_clips": int(asked.any(axis=0).sum()),
                "n": n,
                "right": hits,
                "accuracy": figure(share.value),
                "ci_low": figure(share.low),
                "ci_high": figure(share.high),
                "n_synthesised": int((asked & (truth == 1)).sum()),
                "taken_for_synthesised": int((asked & (truth == 1) & said).sum()),
                "n_recorded": int((asked & (truth == 0)).sum()),
                "recorded_taken_for_synthesised": int((asked & (truth == 0) & said).sum()),
            }
        )
    return rows


def models(scored: Scored) -> dict[str, Rows]:
    """Of each score over all datasets and groups: assessors and clips random, each also by source."""
    names = [each.listener for each in scored.assessors], [clip.item for clip in scored.clips], scored.sources
    return model_rows({scale: votes_of(scored.marks[code], *names) for code, scale in enumerate(SCALES)})


def analyse(scored: Scored) -> dict[str, Any]:
    modelled = models(scored)
    return {
        "rows": over_clips(scored),
        "over_assessors": over_assessors(scored),
        "clips": by_clip(scored),
        "contrasts": contrasts(scored),
        "model_level": modelled["model_level"],
        "model_contrasts": modelled["model_contrasts"],
        "components": modelled["components"],
        "assessors": scale_use(scored),
        "agreement": agreement(scored) if len(scored) else [],
        "synthesised": told_synthesised(scored),
        "warnings": modelled["model_warnings"],
        "counts": {
            "marks": len(scored),
            "assessors": len(scored.assessors),
            "clips": len(scored.clips),
            "sources": len(scored.sources),
        },
    }
