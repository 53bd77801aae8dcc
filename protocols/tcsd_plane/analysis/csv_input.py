"""Placements from a CSV of any usual dialect, under the platform's column names or those of published sheets."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from core.spreadsheets import restore
from protocols.tcsd_plane.analysis.placements import Placement, Placements, Setting, setting_of
from stimuli.errors import TableUnreadable
from stimuli.imports.tables import Row, Table, first_of, read_csv

# By meaning: what the column may be called, best first. Published sheets say faithfulness for TC and scenism for SD.
NEEDED = {
    "rater": ("rater", "expert", "annotator", "annotator_id"),
    "recording": ("recording", "soundscape", "dataset"),
    "condition": ("condition", "condition_label"),
    "tc": ("tc", "faithfulness"),
    "sd": ("sd", "scenism"),
}
OPTIONAL = {"z": ("z",), "family": ("family", "method")}
# Stricter than float(), which also takes 1_0, nan and the digits of every script.
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Sheet:
    """A table and which of its columns means what."""

    table: Table
    columns: dict[str, str]  # by meaning

    @classmethod
    def of(cls, table: Table) -> "Sheet":
        columns = {meaning: first_of(table.columns, names) for meaning, names in (NEEDED | OPTIONAL).items()}
        for meaning, names in NEEDED.items():
            if not columns[meaning]:
                said = _alternatives(names)
                raise AppError(
                    "plane.column_missing",
                    422,
                    _("'{name}' has no column '{column}'. Call a column {accepted}. The columns there are: {known}."),
                    name=table.name,
                    column=meaning,
                    accepted=said,
                    known=", ".join(table.columns) or "-",
                )
        if not table.rows:
            raise TableUnreadable(name=table.name, problem=LazyMessage("it has a heading and no rows"))
        return cls(table, columns)

    def placements(self) -> Iterator[tuple[int, Placement]]:
        """Yield every placement with its line."""
        for row in self.table.rows:
            rater, recording, condition = (self._text(row, part) for part in ("rater", "recording", "condition"))
            tc, sd = (self._coordinate(row, axis) for axis in ("tc", "sd"))
            yield row.line, Placement(rater, recording, condition, tc, sd)

    def settings(self) -> Iterator[tuple[int, str, Setting | None]]:
        """Yield every line's condition and what it was made with."""
        for row in self.table.rows:
            factors = {part: row.values.get(self.columns[part], "") for part in OPTIONAL}
            if factors["z"]:
                self._number(row, "z", factors["z"])
            yield row.line, self._text(row, "condition"), setting_of(factors)

    def _text(self, row: Row, meaning: str) -> str:
        column = self.columns[meaning]
        if column not in row.values:
            raise AppError(
                "plane.cell_empty",
                422,
                _("'{name}', line {line}: '{column}' is empty. Fill it in, or take the line out."),
                name=self.table.name,
                line=str(row.line),
                column=column,
            )
        return restore(row.values[column])

    def _coordinate(self, row: Row, meaning: str) -> float:
        text = self._text(row, meaning)
        value = self._number(row, meaning, text)
        if not 0 <= value <= 1:
            wanted = LazyMessage("a coordinate lies between 0 and 1: divide percentages by 100")
            raise self._unfit(row, meaning, text, wanted)
        return value

    def _number(self, row: Row, meaning: str, text: str) -> float:
        if not NUMBER.fullmatch(text) or not math.isfinite(value := float(text)):
            raise self._unfit(row, meaning, text, LazyMessage("that is no number: write it with a point, such as 0.27"))
        return value

    def _unfit(self, row: Row, meaning: str, value: str, wanted: LazyMessage) -> AppError:
        column = self.columns[meaning]
        return AppError(
            "plane.value_unfit",
            422,
            _("'{name}', line {line}: '{column}' is '{value}', and {wanted}."),
            name=self.table.name,
            line=str(row.line),
            column=column,
            value=value,
            wanted=wanted,
        )


def read_placements(content: bytes, *, name: str) -> Placements:
    """Read a whole sheet, or reject it with the line and what would be right."""
    sheet = Sheet.of(read_csv(content, name=name))
    lines: dict[tuple[str, str, str], int] = {}
    placed: list[Placement] = []
    for line, mark in sheet.placements():
        first = lines.setdefault((mark.rater, mark.recording, mark.condition), line)
        if first != line:
            facts = {"rater": mark.rater, "recording": mark.recording, "condition": mark.condition}
            raise AppError(
                "plane.mark_twice",
                422,
                _(
                    "'{name}', lines {first} and {second}: rater '{rater}' has two marks for recording '{recording}' "
                    "under condition '{condition}'. Keep one of them, or give conditions that differ in a parameter "
                    "names that do."
                ),
                name=name,
                first=str(first),
                second=str(line),
                **facts,
            )
        placed.append(mark)
    return Placements.of(placed, _settings(sheet))


def _settings(sheet: Sheet) -> dict[str, Setting]:
    """What each condition was made with; every line of a condition says the same."""
    made: dict[str, tuple[int, Setting | None]] = {}
    for line, condition, setting in sheet.settings():
        first, known = made.setdefault(condition, (line, setting))
        if setting != known:
            raise AppError(
                "plane.setting_differs",
                422,
                _(
                    "'{name}', lines {first} and {second}: condition '{condition}' has two different values of z or "
                    "method. Give it the same in every line, or give the two conditions names of their own."
                ),
                name=sheet.table.name,
                first=str(first),
                second=str(line),
                condition=condition,
            )
    return {condition: setting for condition, (_, setting) in made.items() if setting is not None}


def _alternatives(names: tuple[str, ...]) -> LazyMessage:
    others = ", ".join(names[:-1])
    return LazyMessage("{others} or {last}", others=others, last=names[-1])
