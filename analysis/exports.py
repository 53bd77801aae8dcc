"""Downloads: one tidy row a mark, UTF-8, dot decimals, UTC, missing values empty."""

import csv
import json
from collections.abc import Iterable, Iterator
from datetime import UTC
from typing import Any

COLUMNS = [
    "row_id",
    "experiment",
    "design_sha256",
    "subject_id",
    "panel",
    "session",
    "position",
    "trial_id",
    "kind",
    "item",
    "condition",
    "condition_role",
    "scale",
    "value",
    "label_set",
    "protocol",
    "protocol_version",
    "revision",
    "n_plays",
    "heard_ms",
    "heard_full",
    "client_wall",
    "received_at",
    "row_type",
    "flags",
]


class _Line:
    """A file that hands back what is written to it, so that rows leave one by one."""

    def write(self, text: str) -> str:
        return text


def csv_lines(rows: Iterable[dict[str, Any]], *, columns: list[str] = COLUMNS) -> Iterator[str]:
    """Yield a CSV file line by line. This is the analysis edition: text stands exactly as it was given."""
    writer = csv.DictWriter(_Line(), columns, lineterminator="\n", extrasaction="ignore")
    yield writer.writerow(dict(zip(columns, columns, strict=True)))
    for row in rows:
        yield writer.writerow({column: _cell(row.get(column)) for column in columns})


def vote_row(
    mark: dict[str, Any], *, experiment: str, design_sha256: str, condition: str, blind: bool
) -> dict[str, Any]:
    """Shape one mark for the download; a role such as "reference" would give a blind condition away."""
    heard = mark["heard"]
    return mark | {
        "experiment": experiment,
        "design_sha256": design_sha256,
        "subject_id": f"sub-{mark['listener']:04d}" if mark["listener"] is not None else "",
        "condition": condition,
        "condition_role": "" if blind else mark["condition_role"],
        "n_plays": heard.get("plays"),
        "heard_ms": heard.get("heard_ms"),
        "heard_full": heard.get("heard_full"),
        "client_wall": mark["client"]["clock"].get("wall"),
        "flags": " ".join(mark["flags"]),
    }


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value, sort_keys=True)
    if hasattr(value, "astimezone"):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value
