"""Start-up checks: a protocol that has an analysis of its own also has the report that shows it."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, register

from rating.registry import module_of, protocols


@register()
def analyses_have_reports(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    return [
        Error(
            f"The protocol '{slug}' has only one of the modules 'analysis' and 'report'.",
            hint="A protocol with neither gets mean opinion scores; see docs/adding-a-protocol.md.",
            id="analysis.E001",
        )
        for slug in protocols()
        if (module_of(slug, "analysis") is None) != (module_of(slug, "report") is None)
    ]
