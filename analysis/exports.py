"""Downloads: one tidy row a mark, UTF-8, dot decimals, UTC, missing values empty."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any
from uuid import UUID

from analysis.columns import MEANINGS
from core.spreadsheets import neutralise
from core.stored_json import list_in, number_in, object_in, text_in
from rating.protocol import TrialColumn

COLUMNS = list(MEANINGS)


class _Line:
    """A file that hands back what is written to it, so that rows leave one by one."""

    def write(self, text: str) -> str:
        return text


def csv_lines(rows: Iterable[Mapping[str, Any]], *, columns: Sequence[str] = COLUMNS) -> Iterator[str]:
    """Yield a CSV file line by line; a text that a spreadsheet would run as a formula gets an apostrophe before it."""
    writer = csv.DictWriter(_Line(), columns, lineterminator="\n", extrasaction="ignore")
    yield writer.writerow({column: neutralise(column) for column in columns})
    for row in rows:
        yield writer.writerow({column: _cell(row.get(column)) for column in columns})


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
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value
