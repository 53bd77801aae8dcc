"""Titles of chapters: paired by time and compared one by one (TM), and all in one text (GC)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from statistics import fmean
from typing import NamedTuple

from analysis.methods.chapters.words import Agreement, rouge_l

# From pairs of a hypothesis and a reference to how well each agrees.
Similarity = Callable[[Sequence[tuple[str, str]]], list[Agreement]]


class Title(NamedTuple):
    text: str
    start_s: float


class TitleMatching(StrEnum):
    """What must lie within the tolerance for two chapters to be a pair."""

    START = "start"  # chunkseg up to 0.3.4, and the default
    START_AND_END = "start-and-end"  # chunkseg 0.4.0


def rouge_l_of_pairs(pairs: Sequence[tuple[str, str]]) -> list[Agreement]:
    return [rouge_l(given, wanted) for given, wanted in pairs]


# Under the part of a metric's name that tells the similarity: tm_rl_f1.
BY_ROUGE_L: Mapping[str, Similarity] = {"rl": rouge_l_of_pairs}


def title_scores(
    hypothesis: Sequence[Title],
    reference: Sequence[Title],
    *,
    duration_s: float,
    tolerance_s: float,
    matching: TitleMatching,
    similarities: Mapping[str, Similarity] = BY_ROUGE_L,
) -> dict[str, float]:
    """Compare titles. Without a pair there are no tm_ scores; without titles on one side all that is left is 0."""
    pairs = match_titles(hypothesis, reference, duration_s=duration_s, tolerance_s=tolerance_s, matching=matching)
    scores = {"tm_matched": len(pairs) / len(reference)}
    whole = "\n".join(title.text for title in hypothesis), "\n".join(title.text for title in reference)
    for name, similarity in similarities.items():
        if pairs:
            scores |= _named(f"tm_{name}", similarity(pairs))
        scores |= _named(f"gc_{name}", similarity([whole]) if all(whole) else [Agreement(0.0, 0.0, 0.0)])
    return scores


def match_titles(
    hypothesis: Sequence[Title],
    reference: Sequence[Title],
    *,
    duration_s: float,
    tolerance_s: float,
    matching: TitleMatching,
) -> list[tuple[str, str]]:
    """Give each reference title, in the order of its list, the free hypothesis title that starts closest to it."""
    given = list(zip(hypothesis, _ends_s(hypothesis, duration_s), strict=True))
    pairs = []
    for wanted, end_s in zip(reference, _ends_s(reference, duration_s), strict=True):
        near = [
            (abs(title.start_s - wanted.start_s), at)
            for at, (title, other_end_s) in enumerate(given)
            if abs(title.start_s - wanted.start_s) <= tolerance_s
            and (matching is TitleMatching.START or abs(other_end_s - end_s) <= tolerance_s)
        ]
        if near:
            title, _ = given.pop(min(near)[1])
            pairs.append((title.text, wanted.text))
    return pairs


def _ends_s(titles: Sequence[Title], duration_s: float) -> list[float]:
    """A chapter ends where the next one of the list starts, the last one with the recording."""
    return [title.start_s for title in titles[1:]] + [duration_s] * bool(titles)


def _named(prefix: str, agreements: Sequence[Agreement]) -> dict[str, float]:
    return {f"{prefix}_{part}": fmean(getattr(one, part) for one in agreements) for part in Agreement._fields}
