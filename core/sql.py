"""Plain parameterised SQL for the statements of a vote, where building a query costs Django more than running it.

PostgreSQL also keeps the plan of each statement. Everything else in the project goes through the ORM.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection


@dataclass(frozen=True)
class Json:
    """A parameter for a JSON column, whatever its value."""

    value: Any


def fetch(
    statement: str,
    *,
    uuids: Sequence[str] = (),
    jsons: Sequence[str] = (),
    times: Sequence[str] = (),
    bools: Sequence[str] = (),
    **parameters: Any,
) -> list[dict[str, Any]]:
    """Run a SELECT, or an INSERT that returns something: each row by the names of its columns.

    SQLite has no types of its own for the columns named in uuids, jsons, times and bools.
    """
    names, rows = _execute(statement, parameters, fetching=True)
    found = [dict(zip(names, row, strict=True)) for row in rows]
    if connection.vendor == "sqlite":
        for row in found:
            _read(row, uuids, UUID)
            _read(row, times, _time)
            _read(row, bools, bool)
    for row in found:
        _read(row, jsons, json.loads)  # Django has psycopg give JSON as text as well
    return found


def execute(statement: str, **parameters: Any) -> None:
    _execute(statement, parameters, fetching=False)


def for_update(*tables: str) -> str:
    """The clause that locks the rows of these tables; on SQLite a transaction holds the only lock there is."""
    return "" if connection.vendor == "sqlite" else f"FOR UPDATE OF {', '.join(tables)}"


def _execute(
    statement: str, parameters: Mapping[str, Any], *, fetching: bool
) -> tuple[list[str], list[tuple[Any, ...]]]:
    adapted = {name: _adapt(value) for name, value in parameters.items()}
    with _cursor() as cursor:
        with connection.wrap_database_errors:
            cursor.execute(statement, adapted)
            rows = cursor.fetchall() if fetching else []
        return [column[0] for column in cursor.description or ()], rows


def _cursor() -> Any:
    if connection.vendor == "sqlite":
        return connection.cursor()
    # Django's own cursor writes the values into the statement, so that PostgreSQL would plan each one anew.
    from psycopg import Cursor

    connection.ensure_connection()
    connection.connection.prepare_threshold = 0  # Django turns plans off; its own cursors never ask for one
    return Cursor(connection.connection)


def _adapt(value: Any) -> Any:
    match value:
        case Json():
            return connection.ops.adapt_json_value(value.value, None)
        case UUID() if connection.vendor == "sqlite":
            return value.hex
        case datetime():
            return connection.ops.adapt_datetimefield_value(value)
    return value


def _read(row: dict[str, Any], names: Sequence[str], convert: Callable[[Any], Any]) -> None:
    for name in names:
        if row[name] is not None:
            row[name] = convert(row[name])


def _time(value: Any) -> datetime:
    """A time as Django stores it on SQLite: UTC without a zone, as text where no column declares its type."""
    return (value if isinstance(value, datetime) else datetime.fromisoformat(value)).replace(tzinfo=UTC)
