"""Nearest paths of a network to a summary, compared with a list of every path."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import log, prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.speech_summaries.analysis.network import END, START, Network, Path, find_closest
from protocols.speech_summaries.analysis.utterances import CLOSEST, Candidate, Reading, Summary
from tests.protocols.speech_summaries.cherry import MANUAL, PAPER

READINGS = [Reading(closest=closest, boundaries=boundaries) for closest in CLOSEST for boundaries in (False, True)]
LAST = 8

summaries = st.lists(
    st.sets(st.integers(1, LAST), min_size=1).map(lambda chosen: tuple(sorted(chosen))), min_size=1, max_size=6
)
candidates = st.lists(st.integers(1, LAST) | st.sampled_from(["?a", "?b"]), max_size=9).map(tuple)


def every_path(network: Network, node: int = START) -> Iterator[Summary]:
    for following in network.arcs[node]:
        if following == END:
            yield ()
        else:
            yield from ((following, *rest) for rest in every_path(network, following))


def distance(one: Sequence[Any], other: Sequence[Any]) -> int:
    @cache
    def between(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        unlike = int(one[i - 1] != other[j - 1])
        return min(between(i - 1, j - 1) + unlike, between(i - 1, j) + 1, between(i, j - 1) + 1)

    return between(len(one), len(other))


def listed(network: Network, candidate: Candidate, reading: Reading) -> list[Path]:
    """Sort every path by the words of the definition: error count or rate, longer, more popular, smaller positions."""

    def closeness(path: Path) -> tuple[Fraction, int, int, Summary]:
        errors = Fraction(path.errors, len(path.words) if reading.closest == "accuracy" else 1)
        nodes = (START, *path.words, END) if reading.boundaries else path.words
        popularity = prod(network.arcs[left][right] for left, right in pairwise(nodes))
        return errors, -len(path.words), -popularity, path.words

    paths = [Path(words, distance(candidate, words)) for words in every_path(network)]
    return sorted(paths, key=closeness)


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.name)
@given(summaries=summaries, candidate=candidates)
def test_the_target_is_the_first_of_all_paths(reading: Reading, summaries: list[Summary], candidate: Candidate) -> None:
    network = Network.of(summaries)
    assert find_closest(network, candidate, reading).best == listed(network, candidate, reading)[0]


@pytest.mark.parametrize("boundaries", [False, True])
@given(summaries=summaries, candidate=candidates)
def test_paths_come_in_the_order_of_their_closeness_and_none_is_missing(
    boundaries: bool, summaries: list[Summary], candidate: Candidate
) -> None:
    network, reading = Network.of(summaries), Reading(boundaries=boundaries)
    assert list(find_closest(network, candidate, reading).paths()) == listed(network, candidate, reading)


@given(summaries=summaries, candidate=candidates)
def test_by_accuracy_too_the_first_path_walked_is_the_target(summaries: list[Summary], candidate: Candidate) -> None:
    search = find_closest(Network.of(summaries), candidate, Reading(closest="accuracy"))
    assert next(search.paths()) == search.best


@given(summaries=summaries, candidate=candidates, most=st.integers(0, 5))
def test_near_ties_are_the_next_paths_within_one_error(
    summaries: list[Summary], candidate: Candidate, most: int
) -> None:
    network = Network.of(summaries)
    target, *others = listed(network, candidate, Reading())
    within = [path for path in others if path.errors <= target.errors + 1]
    assert find_closest(network, candidate, Reading()).near_ties(most) == within[:most]


def test_the_sentence_of_the_paper_is_not_a_path_of_its_network() -> None:
    """No summary joins Japan and bloom, and none ends on bloom; the paper says otherwise."""
    network = Network.of(MANUAL.values())
    assert len(list(every_path(network))) == 12
    assert find_closest(network, PAPER, Reading()).best == Path((3, 4, 5, 6), errors=1)


def test_equal_products_are_equal_in_whatever_order_they_are_multiplied() -> None:
    """As sums of logarithms they would differ in the last digit, and larger positions would win."""
    upper, lower = (3, 2, 7, 6, 5), (3, 6, 7, 5, 2)
    assert sum(map(log, upper)) < sum(map(log, lower))
    pairs = [*pairwise((1, 3, 5, 7, 9, 11)), *pairwise((2, 4, 6, 8, 10, 12))]
    network = Network.of([pair for pair, count in zip(pairs, upper + lower, strict=True) for _ in range(count)])
    # Six foreign words are six errors off every path of up to six words, and of these the longest two come first.
    assert find_closest(network, ("?",) * 6, Reading()).best.words == (1, 3, 5, 7, 9, 11)
