"""Many files shared out among sealed children, so that no answer is too large and all are done at about one time."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def even_batches(items: Sequence[T], *, size: Callable[[T], int], room: int, children: int) -> list[list[T]]:
    """Cut into batches of about the same size, as many for each child.

    The last item of a batch may stand out of the room: whatever is larger than that has to go somewhere. No size is 0.
    """
    total = sum(map(size, items))
    count = children * -(-total // (children * room))
    batches: list[list[T]] = [[] for _ in range(count)]
    reached = 0
    for item in items:
        batches[reached * count // total].append(item)
        reached += size(item)
    return [batch for batch in batches if batch]
