"""Start-up checks: every protocol is complete before the first participant meets it."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, register
from django.template import TemplateDoesNotExist
from django.template.loader import get_template

from rating.protocols.base import RatingProtocol
from rating.registry import protocols


@register()
def protocols_are_complete(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    return [
        Error(f"The protocol '{rules.slug}' {problem}.", hint="See docs/adding-a-protocol.md.", id="rating.E001")
        for rules in protocols().values()
        for problem in _problems(rules)
    ]


def _problems(rules: RatingProtocol) -> Iterator[str]:
    for constant in ("slug", "version", "title", "view", "scales", "methods", "defaults", "label_sets"):
        if not hasattr(rules, constant):
            yield f"does not set '{constant}'"
            return
    scales = {scale.key for scale in rules.scales}
    for labels in rules.label_sets:
        if set(labels.scales) != scales:
            yield f"has a label set '{labels.id}' whose scales are not exactly {', '.join(sorted(scales))}"
    if not rules.label_sets:
        yield "has no label set"
    try:
        get_template(f"rating/protocols/{rules.slug}.html")
    except TemplateDoesNotExist:
        yield f"has no template templates/rating/protocols/{rules.slug}.html with its instructions"
