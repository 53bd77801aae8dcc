"""Letters instead of condition names, until somebody unblinds: the same letters every time, in no telling order."""

from collections.abc import Iterable
from random import Random
from string import ascii_uppercase


def letters(conditions: Iterable[str], *, seed: str) -> dict[str, str]:
    """Give each condition a letter (after Z: AA, AB, ...), drawn from the experiment's seed."""
    shuffled = sorted(set(conditions))
    Random(f"{seed}/letters").shuffle(shuffled)
    return {name: _letter(number) for number, name in enumerate(shuffled)}


def _letter(number: int) -> str:
    rest, last = divmod(number, len(ascii_uppercase))
    return (_letter(rest - 1) if rest else "") + ascii_uppercase[last]
