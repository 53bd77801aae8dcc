"""What is kept of a chunk until its recording is folded."""

from typing import Any

from audio.drawing.dat import Peaks
from audio.drawing.packs import Pack
from audio.drawing.parameters import Codes
from audio.measuring.runs import Runs
from audio.measuring.tallies import Tally


class ChunkResult(Pack):
    """Reads what `audio.drawing.chunks` has written."""

    @property
    def number(self) -> int:
        return int(self.facts["number"])

    def tally(self) -> Tally:
        arrays: dict[str, Any] = {name: self.array(f"tally.{name}") for name in self.facts["tally_arrays"]}
        return Tally(**self.facts["tally"], **arrays)

    def peaks(self, level: int) -> Peaks:
        return self.array(f"peaks.{level}")

    def runs(self) -> Runs:
        return self.array("runs")

    def columns(self, statistic: str, level: int) -> Codes:
        """Return the columns of a level whose tiles are longer than a chunk."""
        return self.array(f"columns.{statistic}.{level}")

    def tile(self, number: int) -> bytes:
        """Return a tile by its number among those of Pyramid.tiles_of_chunk."""
        start, stop = self.array("tile_bounds", number, number + 2).tolist()
        return self.array("tiles", start, stop).tobytes()

    def tiles(self) -> tuple[bytes, list[int]]:
        """Return all tiles, one after the other, and their bounds."""
        return self.array("tiles").tobytes(), self.array("tile_bounds").tolist()
