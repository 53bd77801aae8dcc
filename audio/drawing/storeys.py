"""The stored levels of a chunk's spectrogram, each drawn while its columns arrive, so that no level is held whole."""

from collections.abc import Sequence

import numpy as np

from audio.drawing.parameters import Codes, Powers
from audio.drawing.pyramid import COLUMNS, STATISTICS, Pyramid
from audio.drawing.spectrogram import codes, pooled
from audio.drawing.tiles import picture


class Storey:
    """One level: what fills a tile is drawn, and every two columns make one of the storey above.

    Where a tile is longer than a chunk, the columns are kept as they are.
    """

    def __init__(self, level: int, above: "Storey | None", *, has_tiles: bool) -> None:
        self.level, self.has_tiles = level, has_tiles
        self.tiles: dict[str, list[bytes]] = {statistic: [] for statistic in STATISTICS}
        self.columns: dict[str, Codes] = {}
        self._above = above
        self._maxima: list[Codes] = []
        self._means: list[Powers] = []
        self._count = 0

    def feed(self, maxima: Codes, means: Powers) -> None:
        """Take the next columns; a tile ends with the last of a call, never in its middle."""
        self._maxima.append(maxima)
        self._means.append(means)
        self._count += maxima.shape[1]
        if self._count == COLUMNS:
            self._draw()

    def close(self) -> None:
        """Draw what is left; the storey below comes first."""
        if self._count:
            self._draw()

    def _draw(self) -> None:
        maxima, means = np.concatenate(self._maxima, axis=1), np.concatenate(self._means, axis=1)
        self._maxima, self._means, self._count = [], [], 0
        for statistic, found in zip(STATISTICS, (maxima, codes(means)), strict=True):
            if self.has_tiles:
                self.tiles[statistic].append(picture(found))
            else:
                self.columns[statistic] = found
        if self._above:
            self._above.feed(pooled(maxima, "max"), pooled(means, "mean"))


def storeys(pyramid: Pyramid) -> Sequence[Storey]:
    """Return all stored levels, the finest first."""
    built: list[Storey] = []
    for level in reversed(pyramid.stored_levels):
        has_tiles = pyramid.tiles_per_chunk(level) > 0
        built.insert(0, Storey(level, built[0] if built else None, has_tiles=has_tiles))
    return built
