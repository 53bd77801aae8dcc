"""What a methods section says of mean opinion scores."""

from django.utils.translation import gettext as _

from analysis.reports.base import Result
from analysis.reports.paragraphs import methods_paragraph
from rating.models import Experiment


def paragraph(experiment: Experiment, result: Result) -> str:
    """Say what the figures are made of; nothing where there are none."""
    counts = result["counts"]
    if not counts:
        return ""
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
    ]
    return methods_paragraph(
        experiment, result, told, counts=counts, scales=", ".join(scale["key"] for scale in result["scales"])
    )
