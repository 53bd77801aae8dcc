"""CSV files: one row a mark with the meanings of its columns, and every table of a result in one file."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from itertools import chain
from typing import Any
from uuid import UUID

from core.spreadsheets import neutralise
from core.stored_json import list_in, number_in, object_in, text_in
from rating.protocol import Protocol, TrialColumn

# The columns in the download of single marks, and the dictionary that goes along with the data.
MEANINGS = {
    "row_id": "The mark's number; it never changes and is never used again.",
    "experiment": "The experiment's short name.",
    "design_sha256": "A hash of all that shapes an answer, fixed when the experiment went live; new once amended or "
    "extended.",
    "subject_id": "The participant's pseudonym in this experiment, such as sub-0007; erased-... after erasure.",
    "panel": "The number of the panel.",
    "session": "The session of the plan; 0 is practice.",
    "position": "The trial's place in the ballot, from 1.",
    "trial_id": "The trial; marks of one page share it.",
    "kind": "practice or test; trap, gold or repeat for an attention check, which counts in no mean.",
    "item": "The item's name.",
    "factors": "The item's factors, as a JSON object.",
    "condition": "The condition: a letter until the experiment is unblinded, then its name.",
    "condition_role": "test, reference, anchor, full-length, trap or gold; empty until the experiment is unblinded.",
    "scale": "The scale, in capitals.",
    "value": "The mark.",
    "label_set": "The wording that was shown.",
    "protocol": "The protocol's slug.",
    "protocol_version": "Its version when the vote was cast.",
    "revision": "How often the trial had been answered, this answer included.",
    "repetition": "How often the listener had heard the item in this condition by then, this time included; pages in a "
    "row about the same sounds count as one.",
    "previous_condition": "The condition in which the listener heard the same item before; empty the first time.",
    "response_ms": "Milliseconds from the end of the clip to the answer, as the browser says.",
    "n_plays": "How often the clip was played, as the browser says.",
    "heard_ms": "How many milliseconds of it were played.",
    "heard_full": "Whether it was played to its end.",
    "stall_ms": "The longest time for which its sound stalled, in milliseconds.",
    "interruptions": "What came in between while it played: hidden, device or suspended.",
    "level_db": "The level that the participant had set before, in dB above or below the middle.",
    "client_wall": "The time of the answer by the participant's clock: data, not order.",
    "received_at": "When the server stored the vote.",
    "elapsed_s": "Seconds from when the seat was taken until then.",
    "row_type": "main or simulated.",
    "flags": "What to know about the vote. late: it came after the experiment was paused or closed; fast: it came "
    "sooner after its sound was first fetched than the sound lasts.",
    "excluded": "Whether results leave the mark out: its listener, seat or trial is excluded.",
    "exclusion_reason": "Why: the reason that a person gave, or the rule with its figure and threshold.",
}

COLUMNS = list(MEANINGS)


class _Line:
    """A file that hands back what is written to it, so that rows leave one by one."""

    def write(self, text: str) -> str:
        return text


def csv_lines(rows: Iterable[Mapping[str, Any]], *, columns: Sequence[str] = COLUMNS) -> Iterator[str]:
    """Yield a CSV file line by line: dot decimals, UTC, missing values empty.

    A text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    writer = csv.writer(_Line(), lineterminator="\n")
    yield writer.writerow([neutralise(column) for column in columns])
    for row in rows:
        yield writer.writerow([_cell(row.get(column)) for column in columns])


def with_rows(pieces: Iterable[str | bytes]) -> Iterator[str | bytes] | None:
    """The same pieces of a CSV file, or nothing where they are a header alone."""
    rest, held, lines = iter(pieces), [], 0
    for piece in rest:
        held.append(piece)
        lines += len(piece.splitlines())
        if lines > 1:
            return chain(held, rest)
    return None


def vote_row(
    mark: dict[str, Any],
    *,
    experiment: str,
    design_sha256: str,
    condition: str,
    blind: bool,
    level_db: float | None = None,
    columns: Sequence[TrialColumn] = (),
) -> dict[str, Any]:
    """Shape one mark for the download; a role such as "reference" would give a blind condition away."""
    heard, detail = object_in(mark["heard"]), object_in(mark["detail"])
    heard_full, clock = heard.get("heard_full"), object_in(object_in(mark["client"]).get("clock"))
    return mark | {
        "experiment": experiment,
        "design_sha256": design_sha256,
        "subject_id": subject_id(mark["listener"], mark["ballot"]),
        **{column.key: column.of(detail) for column in columns},
        "factors": mark["factors"] or None,
        "condition": condition,
        "condition_role": "" if blind else mark["condition_role"],
        "response_ms": number_in(heard.get("answer_ms")),
        "stall_ms": number_in(heard.get("stall_ms")),
        "interruptions": " ".join(map(str, list_in(heard.get("interruptions")))),
        "n_plays": number_in(heard.get("plays")),
        "heard_ms": number_in(heard.get("heard_ms")),
        "heard_full": heard_full if isinstance(heard_full, bool) else None,
        "level_db": level_db,
        "client_wall": text_in(clock.get("wall")),
        "flags": " ".join(map(str, list_in(mark["flags"]))),
    }


def subject_id(number: int | None, ballot: UUID) -> str:
    """The participant's pseudonym; an erased participant's ballot is still one listener, and has a name for that."""
    return f"sub-{number:04d}" if number is not None else f"erased-{ballot.hex[:8]}"


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, str):
        return neutralise(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    if hasattr(value, "astimezone"):
        return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return value


def meanings_for(protocol: Protocol) -> dict[str, str]:
    """The meanings of all columns, with the protocol's own after the kind of the trial."""
    own = {column.key: column.help for column in protocol.trial_columns}
    at = list(MEANINGS).index("kind") + 1
    return dict([*list(MEANINGS.items())[:at], *own.items(), *list(MEANINGS.items())[at:]])


# A result's tables in one file: what a row is about in the first columns, its figures in the others.
FIRST_COLUMNS = (
    "table",
    "unit",
    "scale",
    "condition",
    "against",
    "panel",
    "factor",
    "level",
    "item",
    "session",
    "order",
    "against_order",
    "pairing",
    "n_votes",
    "n_listeners",
    "n_items",
    "mos",
    "difference",
    "slope_per_100_pages",
    "residual",
    "sd",
    "ci_low",
    "ci_high",
    "votes_1",
    "votes_2",
    "votes_3",
    "votes_4",
    "votes_5",
    "share_lowest",
    "share_highest",
    "good_or_better",
    "poor_or_worse",
)
# The same tables under the names that a reader of the file will look for.
CALLED = {
    "rows": "conditions",
    "votes_level": "conditions",
    "votes_level_p808": "conditions",
    "items_level": "conditions",
}
NO_FIGURES = ("warnings", "adjusted_warnings", "screening")
NOT_FLAT = ("counts",)  # spread over columns


def table_columns(tables: Mapping[str, Any]) -> list[str]:
    """The columns that say what a row is about and the figures that most tables have, then all others as they come."""
    others = dict.fromkeys(
        name
        for row in table_rows(tables)
        for name, value in row.items()
        if name not in FIRST_COLUMNS and name not in NOT_FLAT and not isinstance(value, dict | list)
    )
    return [*FIRST_COLUMNS, *others]


def table_rows(tables: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every row of every table under the name of its table; figures as they are, to the last digit."""
    for part, rows in tables.items():
        if not isinstance(rows, list) or part in NO_FIGURES:
            continue
        for row in rows:
            counts = {f"votes_{category}": count for category, count in row.get("counts", {}).items()}
            yield {"table": CALLED.get(part, part), **row, **counts}
