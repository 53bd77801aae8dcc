"""The only module that turns rows into tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from django.db.models import Count, Q

from analysis.codebook import Codebook
from analysis.method import COLUMNS, AnsweredPage, HeardSlot
from rating.models import UNANSWERED, Ballot, Experiment, Score, Trial
from rating.protocol import Entry
from rating.registry import get_protocol
from rating.services.pages import entry_of, plan_of
from stimuli.models import Stimulus

if TYPE_CHECKING:
    import pandas as pd

    from analysis.folding import Records

# What a download of single marks tells, and where it comes from.
SOURCES = {
    "ballot": "vote__ballot_id",
    "listener": "vote__ballot__seat__participant__number",
    "panel": "vote__ballot__seat__panel__number",
    "session": "vote__trial__session",
    "position": "vote__trial__position",
    "detail": "vote__trial__detail",
    "item": "slot__stimulus__item__name",
    "factors": "slot__stimulus__item__factors",
    "condition": "slot__stimulus__condition__name",
    "condition_role": "slot__stimulus__condition__role",
    "scale": "scale",
    "value": "value",
    "kind": "vote__trial__kind",
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


class Sitting(NamedTuple):
    """A ballot that counts: one listener, in one seat of one panel, and its folded marks."""

    ballot: UUID
    kind: str
    vote_count: int
    panel: int | None
    seat: int | None
    participant: int | None  # none where the participant was erased; the ballot still counts as one person
    group: str | None  # of people, where the protocol has groups
    columns: bytes | None  # none where there is no fold that holds every vote


class Progress(NamedTuple):
    """How far a listener has come with the pages of the test; practice is not counted."""

    listener: int  # as in the tables of marks
    pages: int
    of_pages: int
    complete: bool  # nothing is left to answer; a page whose clip would not play was left out


@dataclass(frozen=True)
class Table:
    """Every mark that counts as codes: which sitting, what was heard, on which scale, and the value."""

    codebook: Codebook
    sittings: list[Sitting]
    sitting: Any  # one code a mark
    records: Records


def counted(experiment: Experiment, *, simulated: bool) -> Any:
    """The ballots that count: no previews, no rehearsals, none given up; simulated ones only when asked for."""
    kinds = [Ballot.Kind.MAIN, Ballot.Kind.SIMULATED] if simulated else [Ballot.Kind.MAIN]
    return Ballot.objects.filter(experiment=experiment, kind__in=kinds, abandoned_at__isnull=True)


def sittings(experiment: Experiment, codebook: Codebook, *, simulated: bool) -> list[Sitting]:
    """Return every ballot that counts, panel by panel and seat by seat, with its fold where that is current."""
    rows = counted(experiment, simulated=simulated).order_by(
        "seat__panel__number", "seat__number", "seat__occupancy", "kind", "id"
    )
    names = (
        *("id", "kind", "vote_count", "seat__panel__number", "seat__number", "seat__participant__number"),
        "seat__panel__group",
    )
    current = codebook.sha256
    folds = ("folded__vote_count", "folded__codebook", "folded__columns")
    return [
        Sitting(
            *(ballot, kind, held, panel, seat, who, group),
            bytes(columns) if (votes, codes) == (held, current) else None,
        )
        for ballot, kind, held, panel, seat, who, group, votes, codes, columns in rows.values_list(*names, *folds)
    ]


def progress(experiment: Experiment, seated: Sequence[Sitting], *, simulated: bool) -> list[Progress]:
    """Return how far everybody in these sittings has come."""
    trials = Trial.objects.filter(ballot__in=counted(experiment, simulated=simulated), kind="test")
    counts = (
        trials.order_by()
        .values_list("ballot")
        .annotate(planned=Count("id"), given=Count("id", filter=Q(answered=True)), left=Count("id", filter=UNANSWERED))
    )
    found = {ballot: (given, planned, left == 0) for ballot, planned, given, left in counts}
    return [
        Progress(number, *found.get(sitting.ballot, (0, 0, False))) for number, sitting in enumerate(seated, start=1)
    ]


def table(experiment: Experiment, *, simulated: bool) -> Table:
    """Return every mark that counts; what is folded is not read again from single votes."""
    import numpy as np

    from analysis.folding import BALLOTS_AT_ONCE, fold, lengths, unfold

    codebook = Codebook.of(experiment)
    seated = sittings(experiment, codebook, simulated=simulated)
    stale = [sitting.ballot for sitting in seated if sitting.columns is None and sitting.vote_count]
    fresh: dict[UUID, bytes] = {}
    for start in range(0, len(stale), BALLOTS_AT_ONCE):
        fresh |= fold(stale[start : start + BALLOTS_AT_ONCE], codebook)
    columns = [fresh.get(sitting.ballot, b"") if sitting.columns is None else sitting.columns for sitting in seated]
    return Table(codebook, seated, np.repeat(np.arange(len(seated)), lengths(columns)), unfold(columns))


def marks(experiment: Experiment, *, simulated: bool) -> pd.DataFrame:
    """Return every mark that counts, one a row, with the columns that methods expect."""
    return frame(table(experiment, simulated=simulated))


def frame(coded: Table) -> pd.DataFrame:
    """Spell a table out for methods; names are categories, so that nothing is written two million times."""
    import numpy as np
    import pandas as pd

    records, codebook = coded.records, coded.codebook
    stimulus = records["stimulus"].astype(np.intp)

    def named(codes: Any, names: Any) -> pd.Categorical:
        return pd.Categorical.from_codes(codes, pd.Index(names), validate=False)

    def by_stimulus(names: list[str]) -> pd.Categorical:
        codes, kinds = pd.factorize(np.array(names, dtype=object), sort=True)
        return named(codes[stimulus], kinds)

    panels = sorted({sitting.panel for sitting in coded.sittings if sitting.panel is not None})
    of_sitting = [panels.index(each.panel) if each.panel is not None else -1 for each in coded.sittings]
    groups = sorted({sitting.group or "" for sitting in coded.sittings})
    of_group = [groups.index(sitting.group or "") for sitting in coded.sittings]
    columns = {
        "listener": named(coded.sitting, list(range(1, len(coded.sittings) + 1))),
        "panel": named(np.array(of_sitting, dtype=np.int32)[coded.sitting], panels),
        "session": np.ascontiguousarray(records["session"]),
        "position": np.ascontiguousarray(records["position"]),
        "item": by_stimulus([heard.item for heard in codebook.stimuli]),
        "condition": by_stimulus([heard.condition for heard in codebook.stimuli]),
        "condition_role": by_stimulus([heard.role for heard in codebook.stimuli]),
        "scale": named(records["scale"], list(codebook.scales)),
        "value": np.ascontiguousarray(records["value"]),
        "kind": named(records["practice"], ["test", "practice"]),
        "factors": by_stimulus([heard.factors for heard in codebook.stimuli]),
        "condition_factors": by_stimulus([heard.condition_factors for heard in codebook.stimuli]),
        "group": named(np.array(of_group, dtype=np.int32)[coded.sitting], groups),
    }
    return pd.DataFrame({name: columns[name] for name in COLUMNS} | _own_columns(coded), copy=False)


def _own_columns(coded: Table) -> dict[str, pd.Categorical]:
    """The columns that the protocol adds to the table."""
    import numpy as np
    import pandas as pd

    codes, found = pd.factorize(np.ascontiguousarray(coded.records["columns"]))
    made = {}
    for column in coded.codebook.columns:
        places, names = pd.factorize(np.array(coded.codebook.column_names(column, found), dtype=object))
        made[column.key] = pd.Categorical.from_codes(places[codes], pd.Index(names), validate=False)
    return made


def answered_pages(experiment: Experiment, seated: Sequence[Sitting]) -> Iterator[AnsweredPage]:
    """Yield every page of these sittings with its newest answer, ballot by ballot, as the protocol reads it."""
    protocol = get_protocol(experiment.protocol)
    for listener, sitting in enumerate(seated, start=1):
        trials = Trial.objects.filter(ballot=sitting.ballot, answered=True).select_related("current_vote")
        for trial in trials.prefetch_related(
            "slots__stimulus__item", "slots__stimulus__condition", "slots__stimulus__recording"
        ):
            plan = plan_of(trial, trial.slots.all())
            answer = protocol.read(trial.current_vote.payload, plan)  # type: ignore[union-attr]
            yield AnsweredPage(
                listener=listener,
                group=sitting.group or "",
                panel=sitting.panel,
                session=trial.session,
                position=trial.position,
                kind=trial.kind,
                slots={slot.key: _heard(slot.entry) for slot in plan.slots},
                marks={(mark.slot, mark.scale): mark.value for mark in answer.marks},
                detail=answer.detail,
            )


def material(experiment: Experiment) -> list[HeardSlot]:
    """Everything in the experiment's collection, also what nobody is asked about, such as a system's answer."""
    stimuli = Stimulus.objects.filter(item__collection=experiment.collection_id)
    return [_heard(entry_of(each)) for each in stimuli.select_related("item", "condition", "recording")]


def _heard(entry: Entry) -> HeardSlot:
    return HeardSlot(entry.item, entry.condition, entry.role, entry.factors, entry.text, entry.duration_s)


def detailed_marks(experiment: Experiment, *, simulated: bool) -> Iterator[dict[str, Any]]:
    """Yield every mark that counts with all that is known of it, in the order in which it arrived."""
    names = list(SOURCES)
    ballots = counted(experiment, simulated=simulated)
    scores = Score.objects.filter(vote__ballot__in=ballots, vote__current_for__isnull=False)
    rows = scores.order_by("vote_id", "slot__key", "scale").values_list(*SOURCES.values())
    for row in rows.iterator(chunk_size=2000):
        yield dict(zip(names, row, strict=True))
