"""Contract of a report: what the results page shows of a method, and which files can be taken away."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.utils.functional import Promise

from rating.models import Experiment

Result = Mapping[str, Any]  # as analysis.services.results.read_result gives it
Asked = Mapping[str, str]  # what stands in the address
Pieces = Iterable[str]


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

    def dataset(self, experiment: Experiment, result: Result, *, simulated: bool) -> Iterable[tuple[str, Pieces]]:
        """Return files that the dataset holds besides, by their path in it."""
        return ()
