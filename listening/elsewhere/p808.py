"""Input tables of the P.808 toolkit: rated, gold and trapping clips become an experiment; all else is listed."""

import re
from collections.abc import Iterator, Mapping, Sequence

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from listening.elsewhere.base import (
    REFERENCE,
    TEST,
    Converted,
    Part,
    Placed,
    Sounds,
    sound_missing,
    unreadable,
)
from listening.elsewhere.pattern_groups import NoPattern, groups_in
from rating.attention import PAGES_PER_CHECK, checkable, expected_of
from rating.protocol import GOLD, TRAP, Designable, PageHolds, Protocol
from stimuli.imports.sources import name_of
from stimuli.imports.tables import Row, Table

NAME = "P.808"
RATED, COMPARED_WITH = "rating_clips", "references"
ONLY_CONDITION = "original"
REFERENCE_NAME = "reference"
# The columns that tell a table's purpose, and why its rows are not carried over.
OTHERS = {
    "training_clips": LazyMessage("practice trials are drawn from the rated clips; import these clips to rate them"),
    "math": LazyMessage("Earmark asks no sums as a qualification"),
    "hearing_test_url": LazyMessage("Earmark has no hearing test with digits; it has a headphone screen of its own"),
    "pair_a": LazyMessage("Earmark has no test of just noticeable differences as a qualification"),
}
CHECKED = {"trapping_clips": ("trapping", TRAP), "gold_clips": ("gold", GOLD)}  # the beginning of an answer's column
NO_ANSWER = LazyMessage("it has no expected answer that the scales of this protocol have")
TOO_MANY = LazyMessage("not used: every listener hears all checks, which are too many then")
SETTING = re.compile(r"^(\w+)\s*[:=]\s*(.*?)\s*$")
PATTERN = "condition_pattern"


def is_p808(table: Table) -> bool:
    return RATED in table.columns or bool({*OTHERS, *CHECKED} & set(table.columns))


def read_p808(
    tables: Sequence[Table],
    *,
    title: str,
    settings: Mapping[str, bytes],
    sounds: Sounds,
    protocols: Sequence[Protocol],
    chosen: str = "",
) -> Converted:
    """Read the tables of one test, and the configuration files beside them."""
    rated = [table for table in tables if RATED in table.columns]
    if len(rated) != 1:
        names = ", ".join(table.name for table in rated) or "-"
        problem = LazyMessage(
            "one table with a column rating_clips is needed, and these have one: {names}", names=names
        )
        raise unreadable(NAME, problem)
    table, found = rated[0], Converted(NAME, title=title)
    pairs = COMPARED_WITH in table.columns
    protocol = _protocol(protocols, PageHolds.PAIR if pairs else PageHolds.STIMULUS, chosen)
    part = Part(protocol, "")
    paths = [row.values.get(RATED, "") for row in table.rows]
    cells = _read_settings(settings, found, paths) or _cells_by_folder(paths)
    for row in table.rows:
        _take(row, table, part, found, sounds=sounds, cell=cells[row.values.get(RATED, "")], pairs=pairs)
    for column in set(table.columns) - {RATED, COMPARED_WITH, "", *CHECKED}:
        if any(column.startswith(name) and clips in table.columns for clips, (name, _role) in CHECKED.items()):
            continue
        found.drop(f"{table.name}, {column}", LazyMessage("Earmark has nothing like it"))
    if part.placed:
        found.parts.append(part)
        _take_checks(tables, part, found, sounds=sounds)
    for other in tables:
        _tell_others(other, found)
    return found


def _take(
    row: Row, table: Table, part: Part, found: Converted, *, sounds: Sounds, cell: tuple[str, str], pairs: bool
) -> None:
    where, path = f"{table.name}, line {row.line}", row.values.get(RATED, "")
    item, condition = cell
    sound = sounds.find(path)
    if sound is None:
        found.drop(where, sound_missing(path))
        return
    if not pairs:
        taken = {(one.item, one.condition) for one in part.placed}
        part.placed.append(Placed(sound, part.item_called(item) if (item, condition) in taken else item, condition))
        return
    compared = row.values.get(COMPARED_WITH, "")
    reference = sounds.find(compared)
    if reference is None:
        found.drop(where, sound_missing(compared))
        return
    item = name_of(_bare(compared))
    mine = {one.condition for one in part.placed if one.item == item and one.role != REFERENCE}
    if condition in mine:
        item = part.item_called(item)
    if not any(one.item == item for one in part.placed):
        part.placed.append(Placed(reference, item, REFERENCE_NAME, REFERENCE))
    part.placed.append(Placed(sound, item, condition))


def _take_checks(tables: Sequence[Table], part: Part, found: Converted, *, sounds: Sounds) -> None:
    """Trapping and gold clips, traps first; as many are used as every listener can have, and all are imported."""
    rated = [one.condition for one in part.placed if one.role == TEST]
    for clips, (stem, role) in CHECKED.items():
        condition = f"{role}-clips" if role in rated else role
        for table in tables:
            for row in table.rows if clips in table.columns else []:
                path, where = row.values.get(clips, ""), f"{table.name}, line {row.line}"
                sound, expected = sounds.find(path), _expected(row, stem, part.protocol)
                if sound is None or not expected:
                    found.drop(where, NO_ANSWER if sound else sound_missing(path))
                    continue
                item = part.item_called(name_of(_bare(path)))
                part.placed.append(Placed(sound, item, condition, role))
                if len(part.expected) < len(rated) // PAGES_PER_CHECK:
                    part.expected[item, condition] = expected
                else:
                    found.change(f"{where} ({item}, {expected})", TOO_MANY)
    if part.expected:
        how = LazyMessage(
            "every listener hears all {count} of them, and only the answer in the table passes; the page Attention "
            "checks can widen it",
            count=len(part.expected),
        )
        found.change(", ".join(name for name in CHECKED if any(name in table.columns for table in tables)), how)


def _expected(row: Row, stem: str, protocol: Protocol) -> str:
    """The answer in a column such as gold_clips_ans or trapping_ans, or on one scale, as in gold_sig_ans."""
    if checkable(protocol) is None:
        return ""
    scales = {scale.key.casefold(): scale.key for scale in protocol.scales}
    told = []
    for column, value in row.values.items():
        of = re.fullmatch(rf"{stem}_(?:clips_)?(?:(\w+)_)?ans", column)
        if of and (not of[1] or of[1].casefold() in scales):
            told.append(f"{scales[of[1].casefold()]} {value}" if of[1] else value)
    try:
        return ", ".join(told) if expected_of(", ".join(told), protocol) else ""
    except AppError:
        return ""


def _tell_others(table: Table, found: Converted) -> None:
    """Every row of the tables that are not about rated clips, with what it asked for."""
    for column, why in OTHERS.items():
        if column in table.columns and not (column == "math" and RATED in table.columns):
            for row in table.rows:
                if value := row.values.get(column, ""):
                    found.drop(f"{table.name}, line {row.line} ({_bare(value).rpartition('/')[2]})", why)


def _read_settings(
    settings: Mapping[str, bytes], found: Converted, paths: Sequence[str]
) -> dict[str, tuple[str, str]] | None:
    """The cells of the clips by the pattern of conditions, if a configuration has one; other settings are listed."""
    cells = None
    for name, content in settings.items():
        for number, line in enumerate(content.decode("utf-8", errors="replace").splitlines(), start=1):
            setting = SETTING.match(line.strip())
            if setting is None:
                continue
            where = f"{name}, line {number} ({setting[1]})"
            if setting[1] != PATTERN:
                found.drop(where, LazyMessage("Earmark has nothing like it"))
                continue
            try:
                groups = groups_in([path[:500] for path in paths], setting[2][:200])
            except NoPattern:
                raise unreadable(name, LazyMessage("condition_pattern is no regular expression")) from None
            except TimeoutError:
                found.drop(where, LazyMessage("matching it takes too long; conditions are folders here"))
            else:
                cells = {path: _cell(path, parts) for path, parts in zip(paths, groups, strict=True)}
    return cells


def _cells_by_folder(paths: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The item and condition of each clip; folders are conditions where clips of equal names lie in several."""
    names = [_bare(path).rpartition("/")[2] for path in paths]
    folders = {path: _bare(path).rpartition("/")[0].rpartition("/")[2] for path in paths}
    crossed = len(set(folders.values())) > 1 and len(set(names)) < len(names)
    return {path: (name_of(_bare(path)), (crossed and folders[path]) or ONLY_CONDITION) for path in paths}


def _cell(path: str, parts: Sequence[str]) -> tuple[str, str]:
    """What the pattern found in the name is the condition, and the rest the item."""
    item = name_of(_bare(path))
    for part in parts:
        item = item.replace(part, "", 1)
    bare = re.sub(r"([-_. ])[-_. ]+", r"\1", item).strip("-_. ")
    return bare or name_of(_bare(path)), "-".join(parts) or ONLY_CONDITION


def _protocol(protocols: Sequence[Protocol], holds: PageHolds, chosen: str) -> Protocol:
    """The protocol that was chosen, or the first that asks about such pages."""
    fitting = list(fitting_protocols(protocols, holds))
    for protocol in fitting:
        if chosen in {"", protocol.slug}:
            return protocol
    raise AppError(
        "experiment_file.protocol_unfit",
        422,
        _("The table does not fit this protocol. Choose one of: {known}."),
        known=", ".join(protocol.title for protocol in fitting) or "-",
    )


def fitting_protocols(protocols: Sequence[Protocol], holds: PageHolds) -> Iterator[Protocol]:
    """Protocols whose pages hold such stimuli and nothing to read."""
    for protocol in protocols:
        if isinstance(protocol, Designable) and protocol.page_holds is holds and not protocol.text_kinds:
            yield protocol


def _bare(path: str) -> str:
    """A path without the address of its server."""
    return re.sub(r"^\w+://[^/]+/", "", path).partition("?")[0]
