"""Registry of the protocols that RATING_PROTOCOLS lists, by slug."""

from core.plugins import load_plugins
from rating.errors import UnknownProtocol
from rating.protocols.base import RatingProtocol


def protocols() -> dict[str, RatingProtocol]:
    return load_plugins("RATING_PROTOCOLS")


def get_protocol(slug: str) -> RatingProtocol:
    try:
        return protocols()[slug]
    except KeyError:
        raise UnknownProtocol(slug=slug, known=", ".join(protocols())) from None
