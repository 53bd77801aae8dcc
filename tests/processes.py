"""Other processes as the kernel shows them."""

from pathlib import Path


def children_of(process: int) -> list[int]:
    """The processes that it has started and that were not waited for yet."""
    return [int(number) for number in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def is_alive(process: int) -> bool:
    """Whether it runs; one that has ended but was not waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
