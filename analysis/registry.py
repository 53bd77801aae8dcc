"""Registry of analysis methods: each protocol's own, found in its app, or else the mean opinion score."""

from functools import cache

from analysis.method import AnyMethod, Method, PageMethod
from analysis.mos import MeanOpinionScore
from analysis.reports.base import Report
from core.errors import AppError
from core.i18n import gettext_noop as _
from rating.registry import instance_in, protocols


@cache
def methods() -> dict[str, Method | PageMethod]:
    """Every method by slug. That of a protocol's module `analysis` has the slug of the protocol."""
    shared = MeanOpinionScore()
    own = {slug: instance_in(slug, "analysis", AnyMethod) for slug in protocols()}
    return {shared.slug: shared} | {slug: method for slug, method in own.items() if method}


def method_of(protocol_slug: str) -> str:
    """The slug of the method that a protocol's answers are analysed with."""
    return protocol_slug if protocol_slug in methods() else MeanOpinionScore.slug


def get_method(slug: str) -> Method | PageMethod:
    try:
        return methods()[slug]
    except KeyError:
        raise AppError(
            "result.unknown_method",
            404,
            _("There is no analysis method called '{slug}' for this experiment. Known: {known}."),
            slug=slug,
            known=", ".join(methods()),
        ) from None


@cache
def get_report(slug: str) -> Report:
    """How the results of a method are shown: by the module `report` beside it."""
    from analysis.reports.mos import MosReport  # it reads results, which this module is loaded for

    own = instance_in(slug, "report", Report) if slug in protocols() else None
    return own or MosReport()
