"""The paragraph about methods that goes with a result: what was done, with numbers and versions, ready to copy."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from analysis.reports.base import Result
from analysis.reports.listeners import incomplete_listeners
from rating.models import Experiment
from rating.registry import get_protocol


def methods_paragraph(
    experiment: Experiment, result: Result, sentences: Iterable[str], *, counts: Mapping[str, int], **also: Any
) -> str:
    """Fill the sentences of a method, leave out the empty ones, and add what is true of every method.

    They may name the counts, `protocol`, `protocol_version`, `wording`, `method`, `version` and whatever is in `also`.
    """
    protocol, incomplete = get_protocol(experiment.protocol), incomplete_listeners(result["table"])
    told = [
        *sentences,
        _("{incomplete} of the listeners had not answered every page.") if incomplete else "",
        _("Simulated listeners are included: these are not data.") if result["simulated"] else "",
        _("Computed with Earmark, method {method} {version}.")
        if not experiment.design_sha256
        else _("Computed with Earmark, method {method} {version}; design {design}."),
    ]
    values = {
        **{name: str(number_format(count, 0, use_l10n=True, force_grouping=True)) for name, count in counts.items()},
        "incomplete": incomplete,
        "protocol": protocol.title,
        "protocol_version": protocol.version,
        "wording": experiment.label_set,
        "method": result["method"],
        "version": result["version"],
        "design": experiment.design_sha256[:12],
        **also,
    }
    return " ".join(sentence.format_map(values) for sentence in told if sentence)
