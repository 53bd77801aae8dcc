"""The methods that ANALYSIS_METHODS lists, by slug."""

from analysis.errors import UnknownMethod
from analysis.methods.base import Method
from core.plugins import load_plugins


def methods() -> dict[str, Method]:
    return load_plugins("ANALYSIS_METHODS")


def method(slug: str) -> Method:
    try:
        return methods()[slug]
    except KeyError:
        raise UnknownMethod(slug=slug, known=", ".join(methods())) from None
