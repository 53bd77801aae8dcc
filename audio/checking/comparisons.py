"""Checks of sounds beside each other: the conditions of an item, and the matrix as a whole."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from audio.checking.checklist import Cell, Options, SoundFinding, finding
from audio.facts import Shape
from audio.formats import Format
from audio.slicing.likeness import Coding, are_alike

MOST_BITS = 24  # with which a clip is served
LISTED = 5  # names in a sentence; one with a hundred is not read


def missing(cells: Sequence[Cell], items: Sequence[str], conditions: Sequence[str]) -> Iterator[SoundFinding]:
    """Find empty places, of those conditions that an item should have.

    Items with nothing but references or anchors are material of their own, as for an anchoring session. A reference
    that no item under test has is such material too.
    """
    roles = {cell.condition: cell.role for cell in cells}
    held = _by(cells, lambda cell: cell.item)
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
                yield finding("cell.missing" if is_needed else "cell.missing_beside", item, condition)


def inside_items(cells: Sequence[Cell], options: Options) -> Iterator[SoundFinding]:
    """Compare the conditions of each item."""
    for item, own in _by([cell for cell in cells if cell.shape], lambda cell: cell.item).items():
        yield from _differences("item", own, item)
        yield from _identical(item, own)
        # Beside a full-length recording stand excerpts of it, which need not be equal in length or level.
        summaries = [cell for cell in own if cell.role != "full-length"]
        if len(summaries) < len(own):
            yield from _codings(item, summaries)
        else:
            yield from _lengths(item, own, options)
            yield from _levels(item, own, options)


def across_all(cells: Sequence[Cell]) -> Iterator[SoundFinding]:
    yield from _differences("collection", cells)
    yield from _depths(cells)


def repeated(cells: Sequence[Cell]) -> Iterator[SoundFinding]:
    """Find files that stand under more than one item."""
    for same in _by([cell for cell in cells if cell.shape], lambda cell: cell.sha256).values():
        items = sorted({cell.item for cell in same})
        for cell in same if len(items) > 1 else ():
            others = [item for item in items if item != cell.item]
            yield finding("cell.repeated", cell.item, cell.condition, items=_listed(others))


def _identical(item: str, own: Sequence[Cell]) -> Iterator[SoundFinding]:
    for same in _by(own, lambda cell: cell.sha256).values():
        names = sorted(cell.condition for cell in same)
        if len(names) > 1:
            yield finding("cell.identical", item, names[-1], conditions=_listed(names))


def _differences(scope: str, cells: Sequence[Cell], item: str = "") -> Iterator[SoundFinding]:
    """Find more than one sample rate, and more than one number of channels."""
    shapes = [(cell.condition, cell.shape) for cell in cells if cell.shape]
    if len({shape.sample_rate_hz for _, shape in shapes}) > 1:
        yield finding(
            f"{scope}.rates_differ", item, values=_counted(shapes, lambda shape: f"{shape.sample_rate_hz} Hz")
        )
    if len({shape.channels for _, shape in shapes}) > 1:
        values = _counted(shapes, lambda shape: str(shape.channels))
        yield finding(f"{scope}.channels_differ", item, values=values)


def _depths(cells: Sequence[Cell]) -> Iterator[SoundFinding]:
    """Find more than one bit depth among what is served as clips."""
    shapes = [(cell.condition, cell.shape) for cell in cells if cell.shape and cell.role != "full-length"]
    depths = {min(shape.bits, MOST_BITS) for _, shape in shapes}
    if len(depths) > 1:
        values = _counted(shapes, lambda shape: f"{shape.bits} bits" if shape.bits <= MOST_BITS else "floating point")
        yield finding("collection.depths_differ", values=values, lowest=min(depths))


def _codings(item: str, summaries: Sequence[Cell]) -> Iterator[SoundFinding]:
    """Find summaries that participants could tell apart by their bytes."""
    codings = {
        cell.condition: Coding(Format(cell.shape.format), 8 * cell.byte_count / cell.duration_s)
        for cell in summaries
        if cell.shape
    }
    if not are_alike(list(codings.values())):
        yield finding("item.codings_differ", item, values=_grouped((name, str(one)) for name, one in codings.items()))


def _lengths(item: str, own: Sequence[Cell], options: Options) -> Iterator[SoundFinding]:
    shortest, longest = min(own, key=lambda cell: cell.duration_s), max(own, key=lambda cell: cell.duration_s)
    if longest.duration_s - shortest.duration_s > options.length_tolerance_s:
        yield finding(
            "item.lengths_differ",
            item,
            shortest=shortest.condition,
            shortest_s=shortest.duration_s,
            longest=longest.condition,
            longest_s=longest.duration_s,
        )


def _levels(item: str, own: Sequence[Cell], options: Options) -> Iterator[SoundFinding]:
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
        yield finding(
            "level.spread",
            item,
            quietest=quietest,
            quietest_lufs=levels[quietest],
            loudest=loudest,
            loudest_lufs=levels[loudest],
        )


def _by(cells: Sequence[Cell], key: Callable[[Cell], str]) -> dict[str, list[Cell]]:
    groups: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[key(cell)].append(cell)
    return groups


def _counted(shapes: Sequence[tuple[str, Shape]], say: Callable[[Shape], str]) -> str:
    """Say each value with the conditions that have it, the most common first: '16000 Hz (C0, C1), 48000 Hz (ref)'."""
    return _grouped((condition, say(shape)) for condition, shape in shapes)


def _grouped(values: Iterable[tuple[str, str]]) -> str:
    groups: dict[str, list[str]] = defaultdict(list)
    for condition, value in values:
        groups[value].append(condition)
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    return ", ".join(f"{value} ({_listed(sorted(set(names)))})" for value, names in ordered)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:LISTED])
    return f"{shown} ... ({len(names)})" if len(names) > LISTED else shown
