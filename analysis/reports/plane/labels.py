"""Where the names of means stand beside them, so that none covers another; what finds no room is left to the legend."""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.reports.svg import Anchor

LETTER_PX, LINE_PX = 6.6, 12.0  # of small text, about
AWAY_PX = 9.0  # from the middle of a mark to its name
MARK_PX = 7.0  # half of what a mean's mark takes up


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: "Box") -> float:
        """The shared area."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(width, 0.0) * max(height, 0.0)

    def inside(self, other: "Box") -> bool:
        wide = other.left <= self.left and self.right <= other.right
        return wide and other.top <= self.top and self.bottom <= other.bottom


@dataclass(frozen=True)
class Label:
    x: float
    y: float  # of the baseline
    anchor: Anchor


# To the right first, as one reads; then left, above, below, and the corners.
_SIDES: tuple[tuple[float, float, Anchor], ...] = (
    (1.0, 0.0, "start"),
    (-1.0, 0.0, "end"),
    (0.0, -1.25, "middle"),
    (0.0, 1.25, "middle"),
    (0.8, -1.0, "start"),
    (0.8, 1.0, "start"),
    (-0.8, -1.0, "end"),
    (-0.8, 1.0, "end"),
)


def place_labels(means: Sequence[tuple[float, float]], names: Sequence[str], frame: Box) -> list[Label | None]:
    """Return a place for each name, in pixels, or none where every place is taken."""
    taken = [Box(x - MARK_PX, y - MARK_PX, x + MARK_PX, y + MARK_PX) for x, y in means]
    placed: list[Label | None] = []
    for (x, y), name in zip(means, names, strict=True):
        found = next((each for each in _places(x, y, name) if _is_free(each[1], taken, frame)), None)
        placed.append(found[0] if found else None)
        if found:
            taken.append(found[1])
    return placed


def _places(x: float, y: float, name: str) -> list[tuple[Label, Box]]:
    width = LETTER_PX * len(name)
    found = []
    for right, down, anchor in _SIDES:
        at_x, middle = x + right * AWAY_PX, y + down * AWAY_PX * 1.2
        left = {"start": at_x, "middle": at_x - width / 2, "end": at_x - width}[anchor]
        box = Box(left, middle - LINE_PX / 2, left + width, middle + LINE_PX / 2)
        found.append((Label(at_x, middle + LINE_PX / 3, anchor), box))
    return found


def _is_free(box: Box, taken: Sequence[Box], frame: Box) -> bool:
    return box.inside(frame) and not any(box.overlap(other) > 0 for other in taken)
