"""Letters instead of condition names until the experiment is unblinded: the same every time, in no telling order."""

from collections.abc import Iterable
from itertools import count
from random import Random
from string import ascii_uppercase

from rating.models import Experiment


def condition_names(experiment: Experiment) -> dict[str, str]:
    """What each condition is called towards experimenters at this moment."""
    names = list(experiment.collection.conditions.values_list("name", flat=True))
    return letters(names, seed=experiment.seed) if experiment.unblinded_at is None else {name: name for name in names}


def letters(conditions: Iterable[str], *, seed: str) -> dict[str, str]:
    """Give each condition a letter (after Z: AA, AB, ...), drawn from the experiment's seed.

    No letter is the name of a condition: a file with letters must not be taken for one with names.
    """
    shuffled = sorted(set(conditions))
    Random(f"{seed}/letters").shuffle(shuffled)
    free = (letter for letter in map(_letter, count()) if letter not in shuffled)
    return dict(zip(shuffled, free, strict=False))


def _letter(number: int) -> str:
    rest, last = divmod(number, len(ascii_uppercase))
    return (_letter(rest - 1) if rest else "") + ascii_uppercase[last]
