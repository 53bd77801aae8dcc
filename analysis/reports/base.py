"""Contract of a report: what the results page shows of a method, what a reader may choose, and its files."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext_noop as _

from analysis.reports.exclusions import exclusion_tables
from analysis.reports.pictures import PICTURE_FORMATS, SVG, PictureFormat
from analysis.reports.tables import TABLE_FORMATS, Table, tables_in
from core.errors import AppError
from rating.models import Experiment

Result = Mapping[str, Any]  # as analysis.services.results.read_result gives it
Asked = Mapping[str, str]  # what stands in the address
Pieces = Iterable[str | bytes]

TYPED = ("reason", "made_at")  # of an exclusion: what a person typed, and when
TABLE_PREFIX = "table-"  # of the name under which a table is downloaded


@dataclass(frozen=True)
class ReportFile:
    """A file that is made of one result, under its own name; it holds no name that the reader may not see."""

    title: str | Promise
    make: Callable[[Experiment, Result, Asked], Pieces]
    content_type: str = "text/csv; charset=utf-8"
    of_votes: bool = False  # it is made of the votes themselves, so no result need have been computed


class Report(ABC):
    """A template of the page, and what stands in it. Names of conditions in a result are those of the moment."""

    template: ClassVar[str]
    downloads: ClassVar[str] = ""  # a template that lists more than `files`, inside a <dl>
    files: ClassVar[Mapping[str, ReportFile]] = {}  # by the name of the download; all are in the dataset, too
    # Tables whose very structure tells conditions apart, such as an order along a parameter: kept from a blind reader.
    open_only: ClassVar[tuple[str, ...]] = ()

    long: ClassVar[tuple[str, ...]] = ()  # tables that pollers are spared; the API gives them page by page

    @abstractmethod
    def context(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Any]:
        """Return what the template needs, as `part.report`."""

    def tables(self, experiment: Experiment, result: Result, asked: Asked) -> dict[str, Table]:
        """Return every table of the page by its id; each can be downloaded by itself."""
        shown = [*exclusion_tables(result["table"], asked.get("against", "")), self.context(experiment, result, asked)]
        return {table.id: table for table in tables_in(shown)}

    @property
    def files_and_pictures(self) -> dict[str, ReportFile]:
        """The files, and beside each figure the same one in other formats."""
        return {each: made for name, file in self.files.items() for each, made in _with_pictures(name, file)}

    def file(self, name: str) -> ReportFile | None:
        """Return the file of this name: one of `files`, a figure of them in another format such as mos.pdf, or a table
        of the page such as table-conditions.tex."""
        files = self.files_and_pictures
        if name in files:
            return files[name]
        table_id, ending = name.removeprefix(TABLE_PREFIX).rpartition(".")[::2]
        if not name.startswith(TABLE_PREFIX) or ending not in TABLE_FORMATS:
            return None

        def make(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
            tables = self.tables(experiment, result, asked)
            if table_id not in tables:
                raise file_unknown(name, known=[f"{TABLE_PREFIX}{each}.{ending}" for each in tables])
            return list(TABLE_FORMATS[ending].write(tables[table_id]))  # at once, in the language of the request

        return ReportFile(name, make, TABLE_FORMATS[ending].content_type)

    def anonymous(self, table: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tables of a result as the anonymous dataset has them: without times and without what was typed."""
        told = [{name: row[name] for name in row if name not in TYPED} for row in table.get("exclusions", [])]
        return {**table, **({"exclusions": told} if told else {})}

    def dataset(self, experiment: Experiment, result: Result, *, simulated: bool) -> Iterable[tuple[str, Pieces]]:
        """Return files that the dataset holds besides, by their path in it."""
        return ()


def _with_pictures(name: str, file: ReportFile) -> Iterator[tuple[str, ReportFile]]:
    yield name, file
    for ending, form in PICTURE_FORMATS.items() if file.content_type == SVG else ():
        yield f"{name.removesuffix('.svg')}.{ending}", _picture(file, form)


def _picture(file: ReportFile, form: PictureFormat) -> ReportFile:
    def make(experiment: Experiment, result: Result, asked: Asked) -> Pieces:
        return [form.write("".join(str(piece) for piece in file.make(experiment, result, asked)))]

    return replace(file, title=form.title, make=make, content_type=form.content_type)


class Choices(ABC):
    """What a report can be asked for; what it does not know falls back to its default."""

    usual: ClassVar[Mapping[str, str]] = {}  # defaults that need no words in an address

    def __init__(self, asked: Asked) -> None:
        self.simulated = asked.get("simulated") == "1"

    @property
    @abstractmethod
    def chosen(self) -> Mapping[str, str | None]:
        """Each choice under its name in the address."""

    @property
    def kept(self) -> dict[str, str | int]:
        """Everything that was chosen: what a form that changes one choice sends along of the others."""
        return self._worded({})

    def query(self, **changes: str | int | None) -> str:
        """The same page with other choices, all in one order."""
        return urlencode(self._worded(changes))

    def _worded(self, changes: Mapping[str, str | int | None]) -> dict[str, str | int]:
        told = {"simulated": "1" if self.simulated else "", **self.chosen, **changes}
        return {name: value for name, value in told.items() if value and self.usual.get(name) != value}


def file_unknown(name: str, *, known: Iterable[str]) -> AppError:
    return AppError(
        "result.unknown_file",
        404,
        _("This method has no file called '{name}'. Known: {known}."),
        name=name[:80],
        known=", ".join(known) or "-",
    )


def one_of(wanted: str | None, known: Sequence[str], usual: str = "") -> str:
    """What was asked for, or the usual, or the first there is."""
    if wanted in known:
        return str(wanted)
    return usual if usual in known else next(iter(known), "")
