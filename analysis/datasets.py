"""The only module that turns rows into tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from analysis.methods.base import COLUMNS
from rating.models import Ballot, Experiment, Score

if TYPE_CHECKING:
    import pandas as pd

# Where each column of a method's table comes from.
SOURCES = {
    "listener": "vote__ballot__seat__participant__number",
    "panel": "vote__ballot__seat__panel__number",
    "session": "vote__trial__session",
    "position": "vote__trial__position",
    "item": "slot__stimulus__item__name",
    "condition": "slot__stimulus__condition__name",
    "condition_role": "slot__stimulus__condition__role",
    "scale": "scale",
    "value": "value",
    "kind": "vote__trial__kind",
}
# What a download adds to it.
DETAILS = {
    "row_id": "id",
    "trial_id": "vote__trial_id",
    "row_type": "vote__ballot__kind",
    "revision": "vote__revision",
    "label_set": "vote__label_set",
    "protocol": "vote__protocol",
    "protocol_version": "vote__protocol_version",
    "heard": "vote__heard",
    "client": "vote__client",
    "flags": "vote__flags",
    "received_at": "vote__received_at",
}


def marks(experiment: Experiment, *, simulated: bool) -> pd.DataFrame:
    """Return every mark that counts, one a row, with the columns that methods expect."""
    import pandas as pd

    rows = current_scores(experiment, simulated=simulated).values_list(*(SOURCES[column] for column in COLUMNS))
    return pd.DataFrame(list(rows), columns=list(COLUMNS))


def detailed_marks(experiment: Experiment, *, simulated: bool) -> Iterator[dict[str, Any]]:
    """Yield every mark that counts with all that is known of it, in the order in which it arrived."""
    sources = SOURCES | DETAILS
    names = list(sources)
    rows = current_scores(experiment, simulated=simulated).order_by("vote_id", "slot__key", "scale")
    for row in rows.values_list(*sources.values()).iterator(chunk_size=2000):
        yield dict(zip(names, row, strict=True))


def current_scores(experiment: Experiment, *, simulated: bool) -> Any:
    """The scores of the one current answer to each trial; simulated ballots only when asked for."""
    kinds = [Ballot.Kind.MAIN, Ballot.Kind.SIMULATED] if simulated else [Ballot.Kind.MAIN]
    return Score.objects.filter(
        vote__ballot__experiment=experiment, vote__ballot__kind__in=kinds, vote__current_for__isnull=False
    )
