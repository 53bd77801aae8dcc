"""Quality checks of a collection: what is wrong with its sounds, each alone and beside each other."""

from collections.abc import Iterable, Iterator, Sequence

from audio.checking.checklist import Cell as Cell
from audio.checking.checklist import Options as Options
from audio.checking.checklist import Severity as Severity
from audio.checking.checklist import SoundFinding as SoundFinding
from audio.checking.checklist import finding
from audio.checking.comparisons import across_all, inside_items, missing, repeated
from audio.facts import Measures

ORDER = list(Severity)


def find(
    cells: Sequence[Cell], items: Iterable[str], conditions: Iterable[str], options: Options | None = None
) -> list[SoundFinding]:
    """Check a collection that should have these items under these conditions; the worst comes first."""
    options = options or Options()
    found = [
        *missing(cells, list(items), list(conditions)),
        *(one for cell in cells for one in _alone(cell, options)),
        *inside_items(cells, options),
        *repeated(cells),
        *across_all(cells),
    ]
    return sorted(found, key=lambda one: (ORDER.index(one.severity), one.item, one.condition, one.code))


# --- One sound alone --------------------------------------------------------------------------------------------------


def _alone(cell: Cell, options: Options) -> Iterator[SoundFinding]:
    place = cell.item, cell.condition
    if cell.shape is None:
        return
    if cell.role != "full-length":
        if options.shortest_s is not None and cell.duration_s < options.shortest_s:
            yield finding("sound.short", *place, duration_s=cell.duration_s, shortest_s=options.shortest_s)
        if options.longest_s is not None and cell.duration_s > options.longest_s:
            yield finding("sound.long", *place, duration_s=cell.duration_s, longest_s=options.longest_s)
    measures = cell.measures
    if measures is None:
        return
    if measures.leading_silence_s >= cell.duration_s:
        yield finding("sound.silent", *place)
        return
    yield from _faults(cell, measures, options)
    yield from _silences(cell, measures, options)
    yield from _level(cell, measures, options)


def _faults(cell: Cell, measures: Measures, options: Options) -> Iterator[SoundFinding]:
    place, peak = (cell.item, cell.condition), measures.true_peak_dbtp
    if measures.clipped_samples:
        yield finding("sound.clipped", *place, clipped_samples=measures.clipped_samples)
    if peak is not None and peak > options.highest_true_peak_dbtp:
        yield finding("sound.true_peak", *place, true_peak_dbtp=peak, highest_dbtp=options.highest_true_peak_dbtp)
    if abs(measures.dc_offset) > options.largest_dc_offset:
        yield finding("sound.dc_offset", *place, offset_percent=abs(measures.dc_offset) * 100)


def _silences(cell: Cell, measures: Measures, options: Options) -> Iterator[SoundFinding]:
    if cell.role == "full-length":
        return  # a day has silent hours
    place, longest = (cell.item, cell.condition), options.longest_end_silence_s
    start_s, end_s, gap_s = measures.leading_silence_s, measures.trailing_silence_s, measures.longest_silence_s
    if start_s > longest:
        yield finding("sound.silent_start", *place, silence_s=start_s, longest_s=longest)
    if end_s > longest:
        yield finding("sound.silent_end", *place, silence_s=end_s, longest_s=longest)
    if gap_s > max(options.longest_gap_s, start_s, end_s):
        yield finding("sound.gap", *place, silence_s=gap_s)


def _level(cell: Cell, measures: Measures, options: Options) -> Iterator[SoundFinding]:
    if options.target_lufs is None or cell.role == "full-length":
        return
    place, target, tolerance = (cell.item, cell.condition), options.target_lufs, options.level_tolerance_lu
    if measures.integrated_lufs is None:
        yield finding("level.unmeasured", *place)
    elif abs(measures.integrated_lufs - target) > tolerance:
        yield finding(
            "level.off_target",
            *place,
            integrated_lufs=measures.integrated_lufs,
            target_lufs=target,
            tolerance_lu=tolerance,
        )
