"""Downloads, each noted in the audit log."""

from collections.abc import Iterator

from django.db import transaction

from analysis import datasets
from analysis.exports import csv_lines, vote_row
from analysis.services.results import condition_names
from core.models import User
from core.services import audit
from rating.models import Experiment


def export_votes(*, experiment: Experiment, actor: User, simulated: bool) -> Iterator[str]:
    """Return the experiment's marks as lines of CSV; conditions are letters until the experiment is unblinded."""
    blind = experiment.unblinded_at is None
    with transaction.atomic():
        audit.record(
            actor=actor,
            action="experiment.exported",
            target=f"experiment/{experiment.slug}",
            after={"blind": blind, "simulated": simulated},
        )
    names = condition_names(experiment)
    rows = (
        vote_row(
            mark,
            experiment=experiment.slug,
            design_sha256=experiment.design_sha256,
            condition=names[mark["condition"]],
            blind=blind,
        )
        for mark in datasets.detailed_marks(experiment, simulated=simulated)
    )
    return csv_lines(rows)
