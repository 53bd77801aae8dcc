"""The paragraph about methods that goes with a result: what was done, with numbers and versions, ready to copy."""

from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from rating.models import Experiment
from rating.registry import protocol


def methods_paragraph(experiment: Experiment, result: dict[str, Any]) -> str:
    """Say what the figures are made of; nothing where there are none."""
    counts = result["counts"]
    if not counts:
        return ""
    rules = protocol(experiment.protocol)
    numbers = {name: str(number_format(count, 0, use_l10n=True, force_grouping=True)) for name, count in counts.items()}
    told = [
        _(
            "{listeners} listeners in {panels} panels rated {items} items under {conditions} conditions on the scales "
            "{scales} with the protocol {protocol} {protocol_version} (wording {wording}), {votes} votes in all."
        ),
        _(
            "Mean opinion scores are means of listener means; intervals are 95 % t intervals over listeners, not cut "
            "to the ends of the scale. SDs have n − 1 in the denominator."
        ),
        _("{practice_votes} votes of the anchoring session are kept apart.") if counts["practice_votes"] else "",
        _("No vote was excluded by a rule; ballots that were given up and taken over by others do not count."),
        _("Simulated listeners are included: these are not data.") if result["simulated"] else "",
        _("Computed with Earmark, method {method} {version}.")
        if not experiment.design_sha256
        else _("Computed with Earmark, method {method} {version}; design {design}."),
    ]
    values = {
        "scales": ", ".join(scale.key for scale in rules.scales),
        "protocol": rules.title,
        "protocol_version": rules.version,
        "wording": experiment.label_set,
        "method": result["method"],
        "version": result["version"],
        "design": experiment.design_sha256[:12],
    }
    return " ".join(sentence.format_map(numbers | values) for sentence in told if sentence)
