"""Reader of a dataset's zip: unpacked through the guarded archive reader, its tables row by row as they were."""

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.spreadsheets import restore
from stimuli.imports.archives import open_archive, stream

MOST_BYTES = 16 * 2**30
LONGEST_CELL = 16 * 2**20
DESCRIPTION = "dataset_description.json"
TABLE, SIDECAR = "_data.csv", "_data.json"


def dataset_unreadable(*, name: str, problem: str) -> AppError:
    return AppError(
        "dataset.unreadable",
        422,
        _("'{name}' is no dataset of Earmark: {problem}. Give the zip as it was downloaded."),
        name=name,
        problem=problem,
    )


@dataclass(frozen=True)
class DatasetFiles:
    """The files of a dataset by their path in it."""

    name: str
    places: dict[str, Path]

    @property
    def tables(self) -> dict[str, str]:
        """The path of each table by its name."""
        return {
            path.rpartition("description-")[2].removesuffix(TABLE): path
            for path in self.places
            if path.startswith("data/") and path.endswith(TABLE)
        }

    def text(self, path: str) -> str:
        try:
            return self.places[path].read_text(encoding="utf-8")
        except (KeyError, UnicodeDecodeError):
            raise dataset_unreadable(name=self.name, problem=f"it has no readable {path}") from None

    def json(self, path: str) -> Any:
        try:
            return json.loads(self.text(path))
        except ValueError as error:
            raise dataset_unreadable(name=self.name, problem=f"{path} is no JSON ({error})") from None

    def columns(self, table: str) -> list[str]:
        with self._opened(table) as file:
            return next(csv.reader(file), [])

    def rows(self, table: str) -> Iterator[dict[str, str]]:
        """The rows of a table with the texts as they were before apostrophes guarded them; none where it is missing."""
        if table not in self.tables:
            return
        with self._opened(table) as file:
            for row in csv.DictReader(file, restkey="", restval=""):
                if "" in row:
                    raise dataset_unreadable(name=self.name, problem=f"a row of {table} has more cells than columns")
                yield {name: restore(cell) for name, cell in row.items()}

    @contextmanager
    def _opened(self, table: str) -> Iterator[Any]:
        csv.field_size_limit(LONGEST_CELL)
        with self.places[self.tables[table]].open(encoding="utf-8", newline="") as file:
            try:
                yield file
            except (csv.Error, UnicodeDecodeError) as error:
                raise dataset_unreadable(name=self.name, problem=f"{table} is no CSV ({error})") from None


@contextmanager
def opened_dataset(place: Path) -> Iterator[DatasetFiles]:
    """Unpack a dataset into a temporary folder, each file under a number."""
    with TemporaryDirectory(prefix="earmark-dataset-") as folder, place.open("rb") as file:
        places: dict[str, Path] = {}
        roots = set()
        for number, entry in enumerate(open_archive(file, name=place.name, most_bytes=MOST_BYTES)):
            root, _slash, path = entry.path.partition("/")
            roots.add(root)
            places[path] = Path(folder) / str(number)
            with places[path].open("wb") as target:
                for piece in stream(entry):
                    target.write(piece)
        if len(roots) != 1 or DESCRIPTION not in places:
            raise dataset_unreadable(name=place.name, problem=f"it has no {DESCRIPTION} in one folder")
        yield DatasetFiles(place.name, places)


def as_number(cell: str) -> float | None:
    return float(cell) if cell else None


def as_json(cell: str, otherwise: Any = None) -> Any:
    return json.loads(cell) if cell else otherwise
