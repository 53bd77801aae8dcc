"""CSV and JSON files of a seat's sequence in the published form of CHiME-7 UDASE: one row for each presentation."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from listening.design.base import ScaleOrder, SeatSequence, Showing
from stimuli.imports.tables import complaint, read_csv

COLUMNS = ("subset", "session", "file", "scale")
FOLDER, SUFFIX = "data", ".wav"
MOST_BYTES = 16 * 2**20
HIGHEST_NUMBER = 9999
# The player of the original study read a script: `all_trials = [...]`, with a comma after the last record.
ASSIGNMENT = re.compile(r"^\s*(?:(?:var|let|const)\s+)?[A-Za-z_$][\w$]*\s*=(?=\s*\[)")
TEXT_OR_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(\s*[\]}])')
SOUND_SUFFIX = re.compile(r"\.(?:wav|flac|mp3|ogg|opus|m4a|aiff?)$", re.IGNORECASE)


@dataclass(frozen=True)
class Vocabulary:
    """What a file may speak of: the stimuli there are, as (item, condition), and the orders of scales."""

    stimuli: frozenset[tuple[str, str]]
    orders: Sequence[ScaleOrder]  # the first is taken where a showing names none

    @property
    def scales(self) -> ScaleOrder:
        return self.orders[0]


@dataclass(frozen=True)
class SeatFile:
    """Content of one file: the subset that the seat hears, and its showings in order."""

    name: str
    subset: int
    showings: tuple[Showing, ...]


# --- Writing ----------------------------------------------------------------------------------------------------------


def file_name(number: int, suffix: str) -> str:
    return f"subject_{number}.{suffix}"


def rows_of(sequence: SeatSequence, scales: ScaleOrder) -> Iterator[tuple[int, int, str, str]]:
    """Each presentation: subset, session, file, scale. `scales` are asked where a showing names no order."""
    for showing in sequence.showings:
        path = f"{FOLDER}/{showing.condition}/{showing.item}{SUFFIX}"
        for scale in showing.scales or scales:
            yield sequence.panel, showing.session, path, scale


def written_csv(sequence: SeatSequence, scales: ScaleOrder) -> str:
    """Write the rows with a column of their numbers, which has no name."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["", *COLUMNS])
    writer.writerows([number, *row] for number, row in enumerate(rows_of(sequence, scales)))
    return text.getvalue()


def written_json(sequence: SeatSequence, scales: ScaleOrder) -> str:
    records = [dict(zip(COLUMNS, row, strict=True)) for row in rows_of(sequence, scales)]
    return json.dumps(records, indent=1, ensure_ascii=False)


WRITERS = {"csv": written_csv, "json": written_json}

# --- Reading ----------------------------------------------------------------------------------------------------------


MOST_LISTED = 100


class DesignRowsRejected(AppError):
    """Rows of a seat's file that do not fit: the message names the first, the data up to MOST_LISTED of them."""

    def __init__(self, name: str, problems: Sequence[LazyMessage]) -> None:
        super().__init__(
            "design.rows_refused",
            422,
            _("'{name}' is no sequence for this experiment: {problems}. Nothing was imported."),
            name=name,
            problems=_together(problems),
            count=len(problems),
            rows=[str(problem) for problem in problems[:MOST_LISTED]],
        )


def _together(problems: Sequence[LazyMessage]) -> LazyMessage:
    match problems:
        case [one]:
            return one
        case [one, two]:
            return LazyMessage("{one}; {two}", one=one, two=two)
        case [one, two, three]:
            return LazyMessage("{one}; {two}; {three}", one=one, two=two, three=three)
    one, two, three, *rest = problems
    return LazyMessage("{one}; {two}; {three}; and {count} more", one=one, two=two, three=three, count=len(rest))


def design_file_unreadable(*, name: str, problem: str) -> AppError:
    return AppError(
        "design.file_unreadable",
        422,
        _("'{name}' cannot be read as a seat's sequence: {problem}."),
        name=name,
        problem=problem,
    )


def read_seat_file(content: bytes, *, name: str, vocabulary: Vocabulary) -> SeatFile:
    """Read CSV with or without a column of numbers, JSON records, or the script of the original player."""
    if len(content) > MOST_BYTES:
        raise design_file_unreadable(
            name=name, problem=LazyMessage("it is larger than {size} MB", size=MOST_BYTES >> 20)
        )
    text = _decoded(content, name)
    if not text.strip():
        raise design_file_unreadable(name=name, problem=LazyMessage("it is empty"))
    script = ASSIGNMENT.sub("", text, count=1)
    is_json = script.lstrip().startswith(("[", "{"))
    rows = list(_records(script, name) if is_json else _lines(text, name))
    if not rows:
        raise design_file_unreadable(name=name, problem=LazyMessage("it holds no row"))
    reading = _Reading(vocabulary)
    showings = tuple(reading.showings(rows))
    if reading.problems:
        raise DesignRowsRejected(name, reading.problems)
    return SeatFile(name, reading.subset, showings)


@dataclass(frozen=True)
class _Row:
    place: LazyMessage  # as an editor shows it: a line of a CSV, a record of a list
    values: dict[str, Any]


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as trouble:
        line = content.count(b"\n", 0, trouble.start) + 1
        problem = LazyMessage("line {line} is not UTF-8; save it as UTF-8", line=str(line))
        raise design_file_unreadable(name=name, problem=problem) from None


def _lines(text: str, name: str) -> Iterator[_Row]:
    table = read_csv(text.encode(), name=name)
    missing = [column for column in COLUMNS if column not in table.columns]
    if missing:
        problem = LazyMessage(
            "it has no column {missing}; it needs {columns}", missing=", ".join(missing), columns=", ".join(COLUMNS)
        )
        raise design_file_unreadable(name=name, problem=problem)
    for row in table.rows:
        yield _Row(LazyMessage("line {line}", line=str(row.line)), dict(row.values))


def _records(text: str, name: str) -> Iterator[_Row]:
    plain = TEXT_OR_LAST_COMMA.sub(lambda found: found[1] or found[2], text.strip().rstrip(";"))
    try:
        records = json.loads(plain)
    except (ValueError, RecursionError) as trouble:
        problem = LazyMessage('it is no JSON ("{complaint}")', complaint=complaint(trouble))
        raise design_file_unreadable(name=name, problem=problem) from None
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise design_file_unreadable(name=name, problem=LazyMessage("it is no list of records"))
    for number, record in enumerate(records, start=1):
        yield _Row(LazyMessage("record {number}", number=str(number)), record)


@dataclass
class _Reading:
    """One pass over the rows that gathers every problem instead of stopping at the first."""

    vocabulary: Vocabulary
    problems: list[LazyMessage] = field(default_factory=list)
    subset: int = 0
    _session: int = 0

    def showings(self, rows: Iterable[_Row]) -> Iterator[Showing]:
        """Rows of one stimulus that follow each other with different scales are one showing."""
        group: list[tuple[_Row, str]] = []
        now: tuple[int, str, str] | None = None
        for row in rows:
            here = self._place_of(row)
            scale = self._scale_of(row)
            if now is not None and (here != now or len(group) == len(self.vocabulary.scales)):
                yield self._showing(now, group)
                group = []
            now = here
            group.append((row, scale))
        if now is not None:
            yield self._showing(now, group)

    def _showing(self, now: tuple[int, str, str], group: list[tuple[_Row, str]]) -> Showing:
        session, item, condition = now
        order = tuple(scale for _, scale in group)
        self._judge_order(order, group)
        return Showing(session, item, condition, order if len(self.vocabulary.orders) > 1 else ())

    def _judge_order(self, order: ScaleOrder, group: list[tuple[_Row, str]]) -> None:
        known = set(self.vocabulary.scales)
        if order in self.vocabulary.orders or not set(order) <= known:  # an unknown scale was told of already
            return
        row = group[0][0]
        twice = [(at, scale) for number, (at, scale) in enumerate(group) if scale in order[:number]]
        missing = [scale for scale in self.vocabulary.scales if scale not in order]
        for at, scale in twice:
            self._tell(at, LazyMessage("{scale} is asked twice of one stimulus", scale=scale))
        if missing:
            self._tell(row, LazyMessage("the stimulus is not asked for {scales}", scales=", ".join(missing)))
        if not twice and not missing:
            allowed = ", ".join("-".join(one) for one in self.vocabulary.orders)
            self._tell(
                row, LazyMessage("the order {order} is none of {allowed}", order="-".join(order), allowed=allowed)
            )

    def _place_of(self, row: _Row) -> tuple[int, str, str]:
        subset, session = self._whole(row, "subset"), self._whole(row, "session")
        if subset is not None and self.subset and subset != self.subset:
            message = LazyMessage(
                "subset {subset} follows subset {before}", subset=str(subset), before=str(self.subset)
            )
            self._tell(row, message)
        self.subset = self.subset or subset or 0
        if session is not None and session < self._session:
            message = LazyMessage(
                "session {session} follows session {before}", session=str(session), before=str(self._session)
            )
            self._tell(row, message)
        self._session = self._session if session is None else session
        return (self._session, *self._stimulus_of(row))

    def _whole(self, row: _Row, column: str) -> int | None:
        value = row.values.get(column)
        lowest = 1 if column == "subset" else 0
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}", value.strip()):
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= HIGHEST_NUMBER:
            return value
        message = LazyMessage(
            "{column} is {value}, no whole number from {lowest} to {highest}",
            column=column,
            value=_shown(value),
            lowest=str(lowest),
            highest=str(HIGHEST_NUMBER),
        )
        self._tell(row, message)
        return None

    def _scale_of(self, row: _Row) -> str:
        scale = str(row.values.get("scale", ""))
        if scale not in self.vocabulary.scales:
            known = ", ".join(self.vocabulary.scales)
            self._tell(row, LazyMessage("the scale is {scale}, none of {known}", scale=_shown(scale), known=known))
        return scale

    def _stimulus_of(self, row: _Row) -> tuple[str, str]:
        """The stimulus that a path ends in, whatever folders lie above; names may hold slashes of their own."""
        value = row.values.get("file")
        path = SOUND_SUFFIX.sub("", value.replace("\\", "/")) if isinstance(value, str) else ""
        parts = path.split("/")
        for start in range(len(parts)):
            for middle in range(start + 1, len(parts)):
                found = ("/".join(parts[middle:]), "/".join(parts[start:middle]))
                if found in self.vocabulary.stimuli:
                    return found
        self._tell(row, self._unknown(value, parts))
        return path, ""

    def _unknown(self, value: Any, parts: list[str]) -> LazyMessage:
        items, conditions = (set(names) for names in zip(*self.vocabulary.stimuli, strict=True))
        if len(parts) > 1 and parts[-2] not in conditions:
            return LazyMessage("{file}: there is no condition '{name}'", file=_shown(value), name=parts[-2][:100])
        if len(parts) > 1 and parts[-1] not in items:
            return LazyMessage("{file}: there is no item '{name}'", file=_shown(value), name=parts[-1][:100])
        return LazyMessage("{file} names no stimulus; it needs data/CONDITION/ITEM.wav", file=_shown(value))

    def _tell(self, row: _Row, problem: LazyMessage) -> None:
        self.problems.append(LazyMessage("{place}: {problem}", place=row.place, problem=problem))


def _shown(value: Any) -> str:
    return "missing" if value is None or value == "" else json.dumps(value, ensure_ascii=False)[:100]


def natural(name: str) -> list[tuple[int, str]]:
    """A key by which subject_9 comes before subject_10."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", name)]
