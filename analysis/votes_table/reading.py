"""Votes from a CSV: columns found or missed with the nearest name, and every row that does not fit by its line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np
import pandas as pd

from core.errors import AppError
from core.i18n import LazyMessage, join_problems
from core.i18n import gettext_noop as _
from core.spreadsheets import NUMBER, restore
from stimuli.errors import TableUnreadable
from stimuli.imports.tables import Row, Table, first_of, read_csv

# By meaning: what the column may be called, best first. The second names are those of the platform's own votes.csv.
NEEDED = {
    "listener": ("listener", "subject_id"),
    "item": ("item",),
    "condition": ("condition",),
    "scale": ("scale",),
    "score": ("score", "value"),
}
OPTIONAL = {"panel": ("panel",), "session": ("session",), "repetition": ("repetition",), "role": ("role", "kind")}
# What other programs call them, to name the column that is probably meant.
ELSEWHERE = {
    "listener": ("subject", "participant", "rater", "assessor", "worker", "observer", "user", "person", "worker_id"),
    "item": ("sample", "stimulus", "clip", "file", "content", "sentence", "utterance", "file_url", "track"),
    "condition": ("system", "method", "algorithm", "treatment", "condition_name", "hrc", "model", "codec"),
    "scale": ("attribute", "dimension", "question", "response_scale", "measure"),
    "score": ("vote", "rating", "mark", "mos", "opinion", "answer", "response"),
}
IDENTITY = ("listener", "item", "condition", "scale", "session", "repetition")
NOT_COUNTED = ("practice", "training", "gold", "trap", "trapping")  # roles whose votes are in no figure
BETWEEN = "|"  # item and condition in the keys of the results
MOST_LISTED = 100
MOST_LEVELS = 30  # of a further column, beyond which it is a number or a name and no factor

# Ranges that scales have, tried in this order; and those of scales that are known by name.
RANGES = ((1.0, 5.0), (1.0, 7.0), (0.0, 10.0), (0.0, 100.0), (-100.0, 100.0))
CATEGORIES, COMPARISON, UNIT, PERCENT = (1.0, 5.0), (-3.0, 3.0), (0.0, 1.0), (0.0, 100.0)
BY_NAME = dict.fromkeys(("SIG", "BAK", "OVRL", "OVR", "MOS", "ACR", "DCR", "DMOS"), CATEGORIES)
BY_NAME |= {"CCR": COMPARISON, "CMOS": COMPARISON, "MUSHRA": PERCENT}
MOST_OUTSIDE = 0.2  # share of the scores beyond a range that is guessed: these are taken for mistakes


class Range(NamedTuple):
    low: float
    high: float
    source: str  # given, name or votes

    def __contains__(self, score: object) -> bool:
        return isinstance(score, float) and self.low <= score <= self.high


@dataclass(frozen=True)
class VotesTable:
    """Votes as they count, with what was left out of them."""

    name: str
    votes: pd.DataFrame  # columns of NEEDED, those of OPTIONAL that there are, and the factors
    ranges: Mapping[str, Range]  # by scale
    factors: tuple[str, ...]  # further columns, and panel and session
    not_factors: tuple[str, ...]  # further columns with one level or too many
    not_counted: Mapping[str, int]  # votes by role
    excluded: tuple[str, ...] = ()

    def without(self, listeners: Iterable[str]) -> VotesTable:
        """The table without some listeners; each of them must be in it."""
        gone = tuple(dict.fromkeys(listeners))
        known = sorted(self.votes["listener"].unique())
        for name in gone:
            if name not in known:
                near = get_close_matches(name, known, n=1) or known[:1]
                raise AppError(
                    "votes.listener_unknown",
                    422,
                    _("There is no listener called '{name}' in '{file}'. The nearest name is '{near}'."),
                    name=name,
                    file=self.name,
                    near=near[0],
                )
        left = self.votes[~self.votes["listener"].isin(gone)]
        if not len(left):
            raise AppError(
                "votes.all_excluded",
                422,
                _("All listeners of '{file}' are excluded. Keep at least one."),
                file=self.name,
            )
        return replace(self, votes=left, excluded=gone)


def read_votes(content: bytes, *, name: str, ranges: Mapping[str, tuple[float, float]] | None = None) -> VotesTable:
    """Read a whole table, or reject it with all lines that do not fit; `ranges` by scale, "" for every other one."""
    table = read_csv(content, name=name)
    columns = _columns(table)
    if not table.rows:
        raise TableUnreadable(name=name, problem=LazyMessage("it has a heading and no rows"))
    named = {column for column in columns.values() if column}
    further = [column for column in table.columns if column not in named]
    problems: list[LazyMessage] = []
    rows, lines = [], []
    for row in table.rows:
        read = _read(row, columns, problems)
        if read is not None:
            rows.append(read | {column: restore(row.values.get(column, "")) for column in further})
            lines.append(row.line)
    _reject(name, problems)
    votes = pd.DataFrame(rows)
    found = _ranges(votes, ranges or {})
    problems.extend(_doubles(votes, lines))
    problems.extend(_outside(votes, lines, found))
    _reject(name, problems)
    counted, not_counted = _counted(votes, name)
    scales = set(counted["scale"])
    levels = {column: counted[column].nunique() for column in (*further, *_kept(columns, ("panel", "session")))}
    factors = tuple(column for column, count in levels.items() if 1 < count <= MOST_LEVELS)
    return VotesTable(
        name=name,
        votes=counted,
        ranges={scale: each for scale, each in found.items() if scale in scales},
        factors=factors,
        not_factors=tuple(column for column in further if column not in factors),
        not_counted=not_counted,
    )


def _columns(table: Table) -> dict[str, str]:
    columns = {meaning: first_of(table.columns, names) for meaning, names in (NEEDED | OPTIONAL).items()}
    missing = [meaning for meaning in NEEDED if not columns[meaning]]
    if missing:
        free = [column for column in table.columns if column not in columns.values()]
        near = _nearest(missing[0], free)
        hint = (
            LazyMessage("Rename '{near}', if it is that", near=near)
            if near
            else LazyMessage("Add it, with one value in every line")
        )
        raise AppError(
            "votes.column_missing",
            422,
            _("'{file}', line 1: there is no column '{column}'. {hint}. The columns there are: {known}."),
            file=table.name,
            column="', '".join(missing),
            hint=hint,
            known=", ".join(table.columns) or "-",
        )
    return columns


def _nearest(meaning: str, columns: Sequence[str]) -> str:
    """The column that is probably meant: by its spelling, or by what other programs call it."""
    wanted = (meaning, *ELSEWHERE[meaning])
    near = (get_close_matches(each, columns, n=1, cutoff=0.7) for each in wanted)
    return next((found[0] for found in near if found), "")


def _kept(columns: Mapping[str, str], meanings: Iterable[str]) -> list[str]:
    return [meaning for meaning in meanings if columns[meaning]]


def _read(row: Row, columns: Mapping[str, str], problems: list[LazyMessage]) -> dict[str, str | float] | None:
    """The values of a line by meaning, or nothing and one more problem."""
    read: dict[str, str | float] = {}
    line = str(row.line)
    for meaning in NEEDED:
        text = restore(row.values.get(columns[meaning], ""))
        if not text or (meaning == "score" and text.casefold() in ("na", "nan", "null", "none", "-")):
            problems.append(
                LazyMessage(
                    "line {line}: '{column}' is empty; fill it in, or take the line out",
                    line=line,
                    column=columns[meaning],
                )
            )
            return None
        read[meaning] = text
    if BETWEEN in str(read["condition"]):
        problems.append(
            LazyMessage("line {line}: a condition's name cannot hold '|'; write it in another way", line=line)
        )
        return None
    score = str(read["score"])
    if not NUMBER.fullmatch(score) or not math.isfinite(float(score)):
        problems.append(
            LazyMessage(
                "line {line}: the score '{score}' is no number; write it with a point, such as 3.5",
                line=line,
                score=score[:40],
            )
        )
        return None
    optional = {meaning: restore(row.values.get(columns[meaning], "")) for meaning in OPTIONAL if columns[meaning]}
    return read | {"score": float(score)} | optional


def _doubles(votes: pd.DataFrame, lines: Sequence[int]) -> Iterator[LazyMessage]:
    identity = [column for column in IDENTITY if column in votes]
    first: dict[tuple[str, ...], int] = {}
    for key, line in zip(votes[identity].itertuples(index=False, name=None), lines, strict=True):
        earlier = first.setdefault(key, line)
        if earlier != line:
            listener, item, condition, scale = key[:4]
            yield LazyMessage(
                "line {line}: listener '{listener}' has voted on '{item}' under '{condition}' on the scale '{scale}' "
                "in line {earlier} already; keep one of them, or number them in a column 'repetition'",
                line=str(line),
                earlier=str(earlier),
                listener=listener,
                item=item,
                condition=condition,
                scale=scale,
            )


def _outside(votes: pd.DataFrame, lines: Sequence[int], ranges: Mapping[str, Range]) -> Iterator[LazyMessage]:
    for scale, score, line in zip(votes["scale"], votes["score"], lines, strict=True):
        if float(score) not in ranges[scale]:
            yield LazyMessage(
                "line {line}: the score {score} is outside {low} to {high}, the range of the scale '{scale}'; correct "
                "it, or state another range",
                line=str(line),
                score=f"{score:g}",
                low=f"{ranges[scale].low:g}",
                high=f"{ranges[scale].high:g}",
                scale=scale,
            )


def _ranges(votes: pd.DataFrame, given: Mapping[str, tuple[float, float]]) -> dict[str, Range]:
    unknown = sorted(set(given) - set(votes["scale"]) - {""})
    if unknown:
        raise AppError(
            "votes.scale_unknown",
            422,
            _("There is no scale called '{name}' among the votes. Known: {known}."),
            name=unknown[0],
            known=", ".join(sorted(votes["scale"].unique())),
        )
    return {
        str(scale): _range(str(scale), part.to_numpy(np.float64), given)
        for scale, part in votes.groupby("scale")["score"]
    }


def _range(scale: str, scores: np.ndarray, given: Mapping[str, tuple[float, float]]) -> Range:
    if scale in given or "" in given:
        return Range(*given.get(scale, given.get("", CATEGORIES)), "given")
    name = re.split(r"[\s_:-]", scale.upper())[0]
    if name in BY_NAME:
        return Range(*BY_NAME[name], "name")
    low, high = float(scores.min()), float(scores.max())
    if 0 <= low < 1 and high <= 1:
        return Range(*UNIT, "votes")
    if -3 <= low < 0 and high <= 3:
        return Range(*COMPARISON, "votes")
    for each in RANGES:
        if float(((scores < each[0]) | (scores > each[1])).mean()) < MOST_OUTSIDE:
            return Range(*each, "votes")
    return Range(low, high, "votes")


def _counted(votes: pd.DataFrame, name: str) -> tuple[pd.DataFrame, dict[str, int]]:
    """The votes that count, and how many of which role do not."""
    if "role" not in votes:
        return votes, {}
    role = votes["role"].str.casefold()
    out = role.isin(NOT_COUNTED)
    if out.all():
        raise AppError(
            "votes.none_counts",
            422,
            _("No vote of '{file}' counts: all have one of the roles {roles}."),
            file=name,
            roles=", ".join(NOT_COUNTED),
        )
    return votes[~out].reset_index(drop=True), {str(key): int(n) for key, n in role[out].value_counts().items()}


def _reject(name: str, problems: Sequence[LazyMessage]) -> None:
    if problems:
        raise AppError(
            "votes.rows_rejected",
            422,
            _("'{file}' was not analysed: {problems}."),
            file=name,
            problems=join_problems(problems),
            count=len(problems),
            rows=[str(problem) for problem in problems[:MOST_LISTED]],
        )
