"""Start-up checks of the protocols: constants, label sets and templates."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf.locale import LANG_INFO
from django.core.checks import CheckMessage, Error, register
from django.template import TemplateDoesNotExist
from django.template.loader import get_template

from rating.protocol import Protocol
from rating.registry import protocols


@register()
def protocols_are_complete(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    return [
        Error(f"The protocol '{protocol.slug}' {problem}.", hint="See docs/adding-a-protocol.md.", id="rating.E001")
        for protocol in protocols().values()
        for problem in _problems(protocol)
    ]


def _problems(protocol: Protocol) -> Iterator[str]:
    for constant in ("slug", "version", "title", "scales", "label_sets"):
        if not hasattr(protocol, constant):
            yield f"does not set '{constant}'"
            return
    scales = {scale.key for scale in protocol.scales}
    for labels in protocol.label_sets:
        if set(labels.scales) != scales:
            yield f"has a label set '{labels.id}' whose scales are not exactly {', '.join(sorted(scales))}"
        if labels.language not in LANG_INFO:
            yield f"has a label set '{labels.id}' in a language that Django does not know: '{labels.language}'"
    if not protocol.label_sets:
        yield "has no label set"
    try:
        get_template(f"{protocol.slug}/instructions.html")
    except TemplateDoesNotExist:
        yield f"has no template templates/{protocol.slug}/instructions.html"
