"""The metrics of chapters as their definitions read, in loops, to hold the vectorised ones against."""

from collections.abc import Sequence
from functools import cache

Row = Sequence[bool]


def masses(row: Row) -> list[int]:
    """The segment of every unit, of which there is one more than there are flags."""
    segments = [0]
    for flag in row:
        segments.append(segments[-1] + flag)
    return segments


def width_of(reference: Row) -> int:
    return max(2, round((len(reference) + 1) / (2 * (sum(reference) + 1))))


def pk(hypothesis: Row, reference: Row) -> float:
    found, wanted, k = masses(hypothesis), masses(reference), width_of(reference)
    windows = range(len(wanted) - k)
    wrong = sum((found[i] == found[i + k]) != (wanted[i] == wanted[i + k]) for i in windows)
    return wrong / len(windows) if windows else 0.0


def window_diff(hypothesis: Row, reference: Row) -> float:
    k = width_of(reference)
    windows = range(len(reference) + 1 - k)
    wrong = sum(sum(hypothesis[i : i + k]) != sum(reference[i : i + k]) for i in windows)
    return wrong / len(windows) if windows else 0.0


def boundary_similarity(hypothesis: Row, reference: Row) -> float:
    additions = transpositions = matches = at = 0
    while at < len(reference):
        here, there = (hypothesis[at], reference[at]), (hypothesis[at + 1 : at + 2], reference[at + 1 : at + 2])
        if here == (True, True):
            matches += 1
        elif here[0] != here[1]:
            crossed = bool(there[0]) and (there[0][0], there[1][0]) == (here[1], here[0])
            transpositions, additions = transpositions + crossed, additions + (not crossed)
            at += crossed
        at += 1
    compared = additions + transpositions + matches
    return 1 - (additions + transpositions / 2) / compared if compared else 1.0


def ghd(hypothesis: Row, reference: Row) -> float:
    given = [at for at, flag in enumerate(hypothesis) if flag]
    wanted = [at for at, flag in enumerate(reference) if flag]

    @cache
    def least(i: int, j: int) -> float:
        """The cost of turning the first i given boundaries into the first j wanted ones."""
        if not i or not j:
            return 2.0 * (i + j)
        shifted = least(i - 1, j - 1) + abs(given[i - 1] - wanted[j - 1])
        return min(shifted, least(i - 1, j) + 2, least(i, j - 1) + 2)

    return least(len(given), len(wanted))


def edits(one: Sequence[str], other: Sequence[str]) -> int:
    row = list(range(len(other) + 1))
    for i, word in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, against in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (word != against))
    return row[-1]


def common(one: Sequence[str], other: Sequence[str]) -> int:
    row = [0] * (len(other) + 1)
    for word in one:
        before = row[:]
        for j, against in enumerate(other, 1):
            row[j] = before[j - 1] + 1 if word == against else max(before[j], row[j - 1])
    return row[-1]
