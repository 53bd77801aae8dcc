"""Statements that are written once in a process and asked often: where people wait, writing them takes the longest.

Django writes the SQL, from models, as always; what is spared is to write it again, and PostgreSQL to plan it again.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Model, Q, QuerySet, UUIDField
from django.db.models.sql import InsertQuery, UpdateQuery

Converters = Mapping[int, tuple[list[Callable[..., Any]], Any]]
_ID = UUIDField()


@dataclass(frozen=True)
class _Place:
    """Where a value goes."""

    name: str


@dataclass(frozen=True)
class _Statement:
    sql: str
    parameters: Sequence[Any]  # a _Place, or a value that is always the same
    converters: Converters

    def read(self, row: Sequence[Any]) -> tuple[Any, ...]:
        """Turn what the database gives into what the fields mean."""
        values = list(row)
        for position, (steps, expression) in self.converters.items():
            for step in steps:
                values[position] = step(values[position], expression, connection)
        return tuple(values)


class _Prepared(ABC):
    """A statement with places. It is written around made-up values, one for each place, all of them different."""

    def __init__(self, **made_up: UUID | int | str) -> None:
        self._made_up = made_up
        self._written: dict[str, _Statement] = {}

    @abstractmethod
    def _compiler(self) -> Any:
        """Django's compiler of the statement, around the made-up values."""

    def _run(self, values: Mapping[str, Any], *, fetch: bool) -> list[tuple[Any, ...]]:
        # Two threads may both write it the first time; they write the same.
        statement = self._written.get(connection.vendor) or self._write()
        spelled = {name: _spell(value) for name, value in values.items()}
        parameters = [spelled[part.name] if isinstance(part, _Place) else part for part in statement.parameters]
        return [statement.read(row) for row in _execute(statement.sql, parameters, fetch=fetch)]

    def _write(self) -> _Statement:
        compiler = self._compiler()
        sql, parameters = compiler.as_sql()
        places = {_spell(value): _Place(name) for name, value in self._made_up.items()}
        columns = [column[0] for column in compiler.select or ()]
        statement = _Statement(
            sql=sql,
            parameters=[places.get(part, part) for part in parameters],
            converters=compiler.get_converters(columns),
        )
        found = {part.name for part in statement.parameters if isinstance(part, _Place)}
        if found != set(self._made_up):  # also where two of them are equal, as 1 and True are
            raise ValueError(f"not every value of {sorted(self._made_up)} has a place in: {sql}")
        self._written[connection.vendor] = statement
        return statement


class PreparedRead(_Prepared):
    """What a `values_list` finds."""

    def __init__(self, build: Callable[..., QuerySet[Any, Any]], **made_up: UUID | int | str) -> None:
        super().__init__(**made_up)
        self._build = build

    def rows(self, **values: UUID | int | str) -> list[tuple[Any, ...]]:
        return self._run(values, fetch=True)

    def _compiler(self) -> Any:
        return self._build(**self._made_up).query.get_compiler(connection=connection)


class PreparedUpdate(_Prepared):
    """New values, by the names of their columns, for the row of one id."""

    def __init__(self, model: type[Model], **made_up: int | str) -> None:
        super().__init__(**made_up, pk=UUID(int=1))
        self._model = model

    def change(self, pk: UUID, **values: int | str) -> None:
        self._run({**values, "pk": pk}, fetch=False)

    def _compiler(self) -> Any:
        changed = {name: value for name, value in self._made_up.items() if name != "pk"}
        query = UpdateQuery(self._model)
        query.add_q(Q(pk=self._made_up["pk"]))
        query.add_update_values(changed)
        return query.get_compiler(connection=connection)


class PreparedInsert:
    """A new row with the values that `save` would give it; the database gives it its number."""

    def __init__(self, model: type[Model]) -> None:
        self._model = model
        self._fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
        self._written: dict[str, str] = {}

    def add(self, row: Model) -> None:
        sql = self._written.get(connection.vendor) or self._write(row)
        values = [field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in self._fields]
        ((number,),) = _execute(sql, values, fetch=True)
        row.pk = number

    def _write(self, row: Model) -> str:
        query = InsertQuery(self._model)
        query.insert_values(self._fields, [row])
        compiler = query.get_compiler(connection=connection)
        compiler.returning_fields = [self._model._meta.pk]
        ((sql, _),) = compiler.as_sql()
        self._written[connection.vendor] = str(sql)
        return self._written[connection.vendor]


def _execute(sql: str, parameters: Sequence[Any], *, fetch: bool) -> list[Any]:
    if connection.vendor == "postgresql":
        return _execute_planned(sql, parameters, fetch=fetch)
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchall() if fetch else []


def _execute_planned(sql: str, parameters: Sequence[Any], *, fetch: bool) -> list[Any]:
    """Django's own cursor writes the values into the statement, so that PostgreSQL would plan each one anew."""
    from psycopg import Cursor

    connection.ensure_connection()
    wire = connection.connection
    wire.prepare_threshold = 0  # Django turns plans off; its own cursors never ask for one
    with connection.wrap_database_errors, Cursor(wire) as cursor:
        cursor.execute(sql, parameters, prepare=True)
        return cursor.fetchall() if fetch else []


def _spell(value: Any) -> Any:
    """A value as this database takes it."""
    return _ID.get_db_prep_value(value, connection) if isinstance(value, UUID) else value
