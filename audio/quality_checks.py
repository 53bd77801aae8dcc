"""Quality checks of a collection: problems of its sounds, each alone and compared with each other."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from audio.errors import gettext_noop
from audio.formats import Format, Shape
from audio.partial_results import Measures
from audio.slices import Coding, are_similar


class Severity(StrEnum):
    """From what makes a test impossible to what is only worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Cell:
    """One place of the matrix items x conditions, with what is known of the sound in it."""

    item: str
    condition: str
    role: str  # test, reference, anchor, full-length, trap or gold
    shape: Shape | None  # None for a text
    measures: Measures | None  # None until they are known
    sha256: str
    byte_count: int = 0

    @property
    def duration_s(self) -> float:
        return self.shape.length_samples / self.shape.sample_rate_hz if self.shape else 0.0


@dataclass(frozen=True)
class Options:
    """What is asked of the sounds. A limit of None is not checked."""

    target_lufs: float | None = None
    level_tolerance_lu: float = 0.5
    highest_true_peak_dbtp: float = -1.0  # EBU R 128
    largest_dc_offset: float = 0.005
    longest_end_silence_s: float = 1.0
    longest_gap_s: float = 2.0
    shortest_s: float | None = None
    longest_s: float | None = None
    length_tolerance_s: float = 0.02


@dataclass(frozen=True)
class SoundFinding:
    """One thing that was found; no item or no condition where it concerns all of them."""

    code: str
    severity: Severity
    sentence: str  # to be translated, then filled with the data
    data: dict[str, Any] = field(default_factory=dict)
    item: str = ""
    condition: str = ""

    def __str__(self) -> str:
        return self.say(self.sentence)

    def say(self, sentence: str) -> str:
        """Fill a (translated) sentence with this finding's data."""
        return sentence.format(**self.data)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


KINDS = {
    "cell.missing": (
        Severity.ERROR,
        gettext_noop("There is no sound here. Add it, or take the item out."),
    ),
    "cell.missing_beside": (
        Severity.WARNING,
        gettext_noop("There is no sound here, though other items have one. Add it if it is to be heard."),
    ),
    "sound.silent": (
        Severity.ERROR,
        gettext_noop("There is nothing to hear: no sample is above -60 dBFS. Export the sound again."),
    ),
    "sound.short": (
        Severity.ERROR,
        gettext_noop("It lasts {duration_s:.2f} s; at least {shortest_s:g} s are asked for."),
    ),
    "sound.long": (
        Severity.ERROR,
        gettext_noop("It lasts {duration_s:.2f} s; at most {longest_s:g} s are asked for."),
    ),
    "cell.identical": (
        Severity.WARNING,
        gettext_noop("{conditions} hold the same file. Listeners would compare a sound with itself; check the export."),
    ),
    "cell.repeated": (
        Severity.WARNING,
        gettext_noop(
            "The same file stands under other items too: {items}. Each item should be heard under its own name."
        ),
    ),
    "item.rates_differ": (
        Severity.WARNING,
        gettext_noop("The conditions have different sample rates: {values}. Convert them to one rate."),
    ),
    "item.channels_differ": (
        Severity.WARNING,
        gettext_noop("The conditions have different numbers of channels: {values}. Give all of them as many."),
    ),
    "item.lengths_differ": (
        Severity.WARNING,
        gettext_noop(
            "{shortest} lasts {shortest_s:.3f} s and {longest} {longest_s:.3f} s. "
            "Cut the conditions to the same length; they may also be shifted against each other."
        ),
    ),
    "item.codings_differ": (
        Severity.WARNING,
        gettext_noop(
            "The summaries are coded differently: {values}. So that this gives none of them away, listeners get all of "
            "them without loss, at many times the bytes. Give all of them in one format and bit rate."
        ),
    ),
    "level.spread": (
        Severity.WARNING,
        gettext_noop(
            "{quietest} has {quietest_lufs:.1f} LUFS and {loudest} {loudest_lufs:.1f} LUFS. "
            "Unless level is under test, bring the conditions to the same level."
        ),
    ),
    "level.off_target": (
        Severity.WARNING,
        gettext_noop(
            "It has {integrated_lufs:.1f} LUFS; {target_lufs:g} LUFS within {tolerance_lu:g} LU are asked for."
        ),
    ),
    "collection.depths_differ": (
        Severity.WARNING,
        gettext_noop(
            "The collection has different bit depths: {values}. So that this gives no condition away, listeners get "
            "every clip with {lowest} bits; those with more are dithered. Export all conditions with one depth."
        ),
    ),
    "sound.clipped": (
        Severity.WARNING,
        gettext_noop("{clipped_samples} samples are clipped. Record or export it at a lower level."),
    ),
    "sound.true_peak": (
        Severity.WARNING,
        gettext_noop(
            "The true peak is {true_peak_dbtp:.1f} dBTP; {highest_dbtp:g} dBTP or less is safe from clipping."
        ),
    ),
    "sound.silent_start": (
        Severity.WARNING,
        gettext_noop("It begins with {silence_s:.2f} s of silence. Cut it to {longest_s:g} s or less."),
    ),
    "sound.silent_end": (
        Severity.WARNING,
        gettext_noop("It ends with {silence_s:.2f} s of silence. Cut it to {longest_s:g} s or less."),
    ),
    "sound.dc_offset": (
        Severity.WARNING,
        gettext_noop("Its mean is {offset_percent:.1f} percent of full scale away from zero. Remove the DC offset."),
    ),
    "sound.gap": (
        Severity.NOTE,
        gettext_noop("It is silent for {silence_s:.2f} s inside. Check that nothing is missing there."),
    ),
    "level.unmeasured": (
        Severity.NOTE,
        gettext_noop("It is too short or too quiet to have a loudness; its level was not checked."),
    ),
    "collection.rates_differ": (
        Severity.NOTE,
        gettext_noop("The collection has different sample rates: {values}. One rate for all is safer to compare."),
    ),
    "collection.channels_differ": (
        Severity.NOTE,
        gettext_noop(
            "The collection has different numbers of channels: {values}. The same for all is safer to compare."
        ),
    ),
}


def _finding(code: str, item: str = "", condition: str = "", **data: Any) -> SoundFinding:
    severity, text = KINDS[code]
    return SoundFinding(code, severity, text, data, item, condition)


# --- Checks of one sound ----------------------------------------------------------------------------------------------


ORDER = list(Severity)


def check_sounds(
    cells: Sequence[Cell], items: Iterable[str], conditions: Iterable[str], options: Options | None = None
) -> list[SoundFinding]:
    """Check a collection that should have these items under these conditions; the worst comes first."""
    options = options or Options()
    found = [
        *_check_missing(cells, list(items), list(conditions)),
        *(one for cell in cells for one in _check_sound(cell, options)),
        *_compare_conditions(cells, options),
        *_check_repeated(cells),
        *_compare_collection(cells),
    ]
    return sorted(found, key=lambda one: (ORDER.index(one.severity), one.item, one.condition, one.code))


# --- One sound alone --------------------------------------------------------------------------------------------------


def _check_sound(cell: Cell, options: Options) -> Iterator[SoundFinding]:
    place = cell.item, cell.condition
    if cell.shape is None:
        return
    if cell.role != "full-length":
        if options.shortest_s is not None and cell.duration_s < options.shortest_s:
            yield _finding("sound.short", *place, duration_s=cell.duration_s, shortest_s=options.shortest_s)
        if options.longest_s is not None and cell.duration_s > options.longest_s:
            yield _finding("sound.long", *place, duration_s=cell.duration_s, longest_s=options.longest_s)
    measures = cell.measures
    if measures is None:
        return
    if measures.leading_silence_s >= cell.duration_s:
        yield _finding("sound.silent", *place)
        return
    yield from _check_faults(cell, measures, options)
    yield from _check_silences(cell, measures, options)
    yield from _check_level(cell, measures, options)


def _check_faults(cell: Cell, measures: Measures, options: Options) -> Iterator[SoundFinding]:
    place, peak = (cell.item, cell.condition), measures.true_peak_dbtp
    if measures.clipped_samples:
        yield _finding("sound.clipped", *place, clipped_samples=measures.clipped_samples)
    if peak is not None and peak > options.highest_true_peak_dbtp:
        yield _finding("sound.true_peak", *place, true_peak_dbtp=peak, highest_dbtp=options.highest_true_peak_dbtp)
    if abs(measures.dc_offset) > options.largest_dc_offset:
        yield _finding("sound.dc_offset", *place, offset_percent=abs(measures.dc_offset) * 100)


def _check_silences(cell: Cell, measures: Measures, options: Options) -> Iterator[SoundFinding]:
    if cell.role == "full-length":
        return  # a day has silent hours
    place, longest = (cell.item, cell.condition), options.longest_end_silence_s
    start_s, end_s, gap_s = measures.leading_silence_s, measures.trailing_silence_s, measures.longest_silence_s
    if start_s > longest:
        yield _finding("sound.silent_start", *place, silence_s=start_s, longest_s=longest)
    if end_s > longest:
        yield _finding("sound.silent_end", *place, silence_s=end_s, longest_s=longest)
    if gap_s > max(options.longest_gap_s, start_s, end_s):
        yield _finding("sound.gap", *place, silence_s=gap_s)


def _check_level(cell: Cell, measures: Measures, options: Options) -> Iterator[SoundFinding]:
    if options.target_lufs is None or cell.role == "full-length":
        return
    place, target, tolerance = (cell.item, cell.condition), options.target_lufs, options.level_tolerance_lu
    if measures.integrated_lufs is None:
        yield _finding("level.unmeasured", *place)
    elif abs(measures.integrated_lufs - target) > tolerance:
        yield _finding(
            "level.off_target",
            *place,
            integrated_lufs=measures.integrated_lufs,
            target_lufs=target,
            tolerance_lu=tolerance,
        )


# --- Comparisons ------------------------------------------------------------------------------------------------------


MOST_BITS = 24  # with which a clip is served
LISTED = 5  # names in a sentence; one with a hundred is not read


def _check_missing(cells: Sequence[Cell], items: Sequence[str], conditions: Sequence[str]) -> Iterator[SoundFinding]:
    """Find empty places, of those conditions that an item should have.

    Items with nothing but references or anchors are material of their own, as for an anchoring session. A reference
    that no item under test has is such material too.
    """
    roles = {cell.condition: cell.role for cell in cells}
    held = _group_by(cells, lambda cell: cell.item)
    tested = {item for item, own in held.items() if any(cell.role == "test" for cell in own)}
    if not tested:
        tested = set(items)
    beside = {cell.condition for cell in cells if cell.item in tested}
    present = {(cell.item, cell.condition) for cell in cells}
    summarised = {cell.item for cell in cells if cell.role == "full-length"}
    for item in items:
        if item in held and item not in tested:
            continue
        for condition in conditions:
            is_test = roles.get(condition, "test") == "test"
            if (item, condition) not in present and (is_test or condition in beside):
                # A recording may have fewer summaries than others: the example of the TC/SD study has seven of eight.
                is_needed = is_test and item not in summarised
                yield _finding("cell.missing" if is_needed else "cell.missing_beside", item, condition)


def _compare_conditions(cells: Sequence[Cell], options: Options) -> Iterator[SoundFinding]:
    """Compare the conditions of each item."""
    for item, own in _group_by([cell for cell in cells if cell.shape], lambda cell: cell.item).items():
        yield from _check_differences("item", own, item)
        yield from _check_identical(item, own)
        # Beside a full-length recording stand excerpts of it, which need not be equal in length or level.
        summaries = [cell for cell in own if cell.role != "full-length"]
        if len(summaries) < len(own):
            yield from _check_codings(item, summaries)
        else:
            yield from _check_lengths(item, own, options)
            yield from _check_levels(item, own, options)


def _compare_collection(cells: Sequence[Cell]) -> Iterator[SoundFinding]:
    yield from _check_differences("collection", cells)
    yield from _check_depths(cells)


def _check_repeated(cells: Sequence[Cell]) -> Iterator[SoundFinding]:
    """Find files that stand under more than one item."""
    for same in _group_by([cell for cell in cells if cell.shape], lambda cell: cell.sha256).values():
        items = sorted({cell.item for cell in same})
        for cell in same if len(items) > 1 else ():
            others = [item for item in items if item != cell.item]
            yield _finding("cell.repeated", cell.item, cell.condition, items=_list_names(others))


def _check_identical(item: str, own: Sequence[Cell]) -> Iterator[SoundFinding]:
    for same in _group_by(own, lambda cell: cell.sha256).values():
        names = sorted(cell.condition for cell in same)
        if len(names) > 1:
            yield _finding("cell.identical", item, names[-1], conditions=_list_names(names))


def _check_differences(scope: str, cells: Sequence[Cell], item: str = "") -> Iterator[SoundFinding]:
    """Find more than one sample rate, and more than one number of channels."""
    shapes = [(cell.condition, cell.shape) for cell in cells if cell.shape]
    if len({shape.sample_rate_hz for _, shape in shapes}) > 1:
        yield _finding(
            f"{scope}.rates_differ", item, values=_group_shapes(shapes, lambda shape: f"{shape.sample_rate_hz} Hz")
        )
    if len({shape.channels for _, shape in shapes}) > 1:
        values = _group_shapes(shapes, lambda shape: str(shape.channels))
        yield _finding(f"{scope}.channels_differ", item, values=values)


def _check_depths(cells: Sequence[Cell]) -> Iterator[SoundFinding]:
    """Find more than one bit depth among what is served as clips."""
    shapes = [(cell.condition, cell.shape) for cell in cells if cell.shape and cell.role != "full-length"]
    depths = {min(shape.bits, MOST_BITS) for _, shape in shapes}
    if len(depths) > 1:
        values = _group_shapes(
            shapes, lambda shape: f"{shape.bits} bits" if shape.bits <= MOST_BITS else "floating point"
        )
        yield _finding("collection.depths_differ", values=values, lowest=min(depths))


def _check_codings(item: str, summaries: Sequence[Cell]) -> Iterator[SoundFinding]:
    """Find summaries that participants could tell apart by their bytes."""
    codings = {
        cell.condition: Coding(Format(cell.shape.format), 8 * cell.byte_count / cell.duration_s)
        for cell in summaries
        if cell.shape
    }
    if not are_similar(list(codings.values())):
        yield _finding(
            "item.codings_differ", item, values=_list_groups((name, str(one)) for name, one in codings.items())
        )


def _check_lengths(item: str, own: Sequence[Cell], options: Options) -> Iterator[SoundFinding]:
    shortest, longest = min(own, key=lambda cell: cell.duration_s), max(own, key=lambda cell: cell.duration_s)
    if longest.duration_s - shortest.duration_s > options.length_tolerance_s:
        yield _finding(
            "item.lengths_differ",
            item,
            shortest=shortest.condition,
            shortest_s=shortest.duration_s,
            longest=longest.condition,
            longest_s=longest.duration_s,
        )


def _check_levels(item: str, own: Sequence[Cell], options: Options) -> Iterator[SoundFinding]:
    """Find conditions further apart than sounds within the tolerance of one target can be."""
    levels = {
        cell.condition: cell.measures.integrated_lufs
        for cell in own
        if cell.measures and cell.measures.integrated_lufs is not None
    }
    if not levels:
        return
    quietest, loudest = min(levels, key=lambda name: levels[name]), max(levels, key=lambda name: levels[name])
    if levels[loudest] - levels[quietest] > 2 * options.level_tolerance_lu:
        yield _finding(
            "level.spread",
            item,
            quietest=quietest,
            quietest_lufs=levels[quietest],
            loudest=loudest,
            loudest_lufs=levels[loudest],
        )


def _group_by(cells: Sequence[Cell], key: Callable[[Cell], str]) -> dict[str, list[Cell]]:
    groups: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[key(cell)].append(cell)
    return groups


def _group_shapes(shapes: Sequence[tuple[str, Shape]], say: Callable[[Shape], str]) -> str:
    """Say each value with the conditions that have it, the most common first: '16000 Hz (C0, C1), 48000 Hz (ref)'."""
    return _list_groups((condition, say(shape)) for condition, shape in shapes)


def _list_groups(values: Iterable[tuple[str, str]]) -> str:
    groups: dict[str, list[str]] = defaultdict(list)
    for condition, value in values:
        groups[value].append(condition)
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    return ", ".join(f"{value} ({_list_names(sorted(set(names)))})" for value, names in ordered)


def _list_names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:LISTED])
    return f"{shown} ... ({len(names)})" if len(names) > LISTED else shown
