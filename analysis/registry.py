"""The methods that ANALYSIS_METHODS lists, by slug, and how each is read."""

from functools import cache

from django.utils.module_loading import import_string

from analysis.errors import UnknownMethod
from analysis.methods.base import Method, PageMethod
from analysis.reports.base import Report
from core.plugins import load_plugins


def methods() -> dict[str, Method | PageMethod]:
    return load_plugins("ANALYSIS_METHODS")


def method(slug: str) -> Method | PageMethod:
    try:
        return methods()[slug]
    except KeyError:
        raise UnknownMethod(slug=slug, known=", ".join(methods())) from None


@cache
def report(slug: str) -> Report:
    """How the results of a method are read; the method names its report and never imports it."""
    reader: Report = import_string(method(slug).report)()
    return reader
