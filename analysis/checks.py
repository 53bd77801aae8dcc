"""Start-up checks: every method that a protocol names exists."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, register

from analysis.registry import methods
from rating.registry import protocols


@register()
def protocols_name_known_methods(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    return [
        Error(
            f"The protocol '{rules.slug}' names the analysis method '{name}', which ANALYSIS_METHODS does not list.",
            hint=f"Known methods: {', '.join(methods())}.",
            id="analysis.E001",
        )
        for rules in protocols().values()
        for name in rules.methods
        if name not in methods()
    ]
