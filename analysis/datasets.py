"""Tables of an experiment's answers: the ballots that count, their scores as a DataFrame, and their pages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from django.db.models import Count, Func, Q, QuerySet, TextField
from django.db.models.functions import Cast

from analysis.method import COLUMNS, EXCLUDED, REASON, AnsweredPage, HeardSlot
from core.stored_json import list_in, number_in
from listening.panels.services.exclusions import Excluded, excluded_now
from rating.models import UNANSWERED, Ballot, Experiment, Score, Slot, Trial, Vote
from rating.protocol import COUNTED, Entry, TrialKind
from rating.registry import get_protocol
from rating.services.pages import entry_of, plan_of
from stimuli.models import Condition, Stimulus

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from analysis.statistics.listener_rules import Pace

# What a download of single scores tells, and where it comes from.
DETAILED_COLUMNS = {
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
    "condition_factors": "slot__stimulus__condition__factors",
    "slot": "slot__key",
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
# What a method's table is made of. Ids and JSON come as text: 200,000 UUID and dict objects would take seconds.
SCORE_COLUMNS: dict[str, str | Cast] = {
    "ballot": Cast("vote__ballot_id", TextField()),
    "stimulus": Cast("slot__stimulus_id", TextField()),
    "detail": Cast("vote__current_for__detail", TextField()),
    "kind": "vote__current_for__kind",
    "scale": "scale",
    "slot": "slot__key",
    "position": "vote__current_for__position",
    "session": "vote__current_for__session",
    "value": "value",
}
REPEATED = ("ballot", "stimulus", "detail", "kind", "scale", "slot")  # texts that many rows share
ROWS_AT_ONCE = 20_000  # rows that are held as Python objects
STIMULUS_COLUMNS = {
    "item": "item",
    "condition": "condition",
    "condition_role": "role",
    "factors": "factors",
    "condition_factors": "condition_factors",
}


class CountedBallot(NamedTuple):
    """A ballot that counts: one listener, in one seat of one panel."""

    ballot: UUID
    kind: str
    vote_count: int
    panel: int | None
    seat: int | None
    participant: int | None  # none where the participant was erased; the ballot still counts as one person
    group: str | None  # of people, where the protocol has groups


class Progress(NamedTuple):
    """How far a listener has come with the pages of the test; practice is not counted."""

    listener: int  # as in the tables of scores
    pages: int
    of_pages: int
    complete: bool  # nothing is left to answer; a page whose clip would not play was left out


class StimulusNames(NamedTuple):
    """A stimulus by its names."""

    item: str
    condition: str
    role: str
    factors: str  # of the item, as JSON
    condition_factors: str  # as JSON


@dataclass(frozen=True)
class Dataset:
    """The ballots that count, listener 1 first, and every current score on them, one a row, excluded ones marked."""

    ballots: list[CountedBallot]
    scores: pd.DataFrame


def counted(experiment: Experiment, *, simulated: bool) -> QuerySet[Ballot]:
    """The ballots that count: no previews, no rehearsals, none given up; simulated ones only when asked for."""
    kinds = [Ballot.Kind.MAIN, Ballot.Kind.SIMULATED] if simulated else [Ballot.Kind.MAIN]
    return Ballot.objects.filter(experiment=experiment, kind__in=kinds, abandoned_at__isnull=True)


def counted_ballots(experiment: Experiment, *, simulated: bool) -> list[CountedBallot]:
    """Return every ballot that counts, panel by panel and seat by seat."""
    ordered = counted(experiment, simulated=simulated).order_by(
        "seat__panel__number", "seat__number", "seat__occupancy", "kind", "id"
    )
    rows = ordered.values_list(
        *("id", "kind", "vote_count", "seat__panel__number", "seat__number", "seat__participant__number"),
        "seat__panel__group",
    )
    return [CountedBallot(*row) for row in rows]


def progress(experiment: Experiment, ballots: Sequence[CountedBallot], *, simulated: bool) -> list[Progress]:
    """Return how far the listener of each of these ballots has come."""
    trials = Trial.objects.filter(ballot__in=counted(experiment, simulated=simulated), kind="test")
    counts = (
        trials.order_by()
        .values_list("ballot")
        .annotate(planned=Count("id"), given=Count("id", filter=Q(answered=True)), left=Count("id", filter=UNANSWERED))
    )
    found = {ballot: (given, planned, left == 0) for ballot, planned, given, left in counts}
    return [Progress(number, *found.get(each.ballot, (0, 0, False))) for number, each in enumerate(ballots, start=1)]


def unanswered(experiment: Experiment, *, simulated: bool) -> Counter[tuple[str, str, str]]:
    """Return how many ratings of the test have not been given yet, by scale, item and condition."""
    slots = Slot.objects.filter(
        trial__ballot__in=counted(experiment, simulated=simulated), trial__kind="test", trial__answered=False
    ).exclude(stimulus__condition__role=Condition.Role.FULL_LENGTH)  # it is listened to, and not rated
    rows = slots.order_by().values_list("trial__ask", "stimulus__item__name", "stimulus__condition__name")
    found: Counter[tuple[str, str, str]] = Counter()
    for ask, item, condition, count in rows.annotate(count=Count("trial")):
        for scale in ask:
            found[scale, item, condition] += count
    return found


def read_dataset(experiment: Experiment, *, simulated: bool) -> Dataset:
    """Read the ballots that count and their scores."""
    ballots = counted_ballots(experiment, simulated=simulated)
    return Dataset(ballots, _scores(experiment, ballots, simulated=simulated))


def read_scores(experiment: Experiment, *, simulated: bool) -> pd.DataFrame:
    """Return every current score, one a row, with the columns that methods expect and whether it is excluded."""
    return read_dataset(experiment, simulated=simulated).scores


def not_excluded(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores that results are made of."""
    return scores[~scores[EXCLUDED]]


def _scores(experiment: Experiment, ballots: Sequence[CountedBallot], *, simulated: bool) -> pd.DataFrame:
    """Read the scores of current answers, listener by listener in the order of the pages; names are categories."""
    import pandas as pd

    rows = _read_rows(experiment, simulated=simulated)
    numbers = {each.ballot: number for number, each in enumerate(ballots, start=1)}
    listener = _renamed(rows["ballot"], lambda ballot: numbers.get(UUID(ballot)))
    rows["listener"] = pd.Categorical(listener, categories=list(numbers.values()))
    # A ballot that came after the list of ballots was read has no number, and is left to the next time.
    rows = rows[rows["listener"].notna()].sort_values(["listener", "position", "slot", "scale"], ignore_index=True)
    by_number = dict(enumerate(ballots, start=1))
    stimuli = read_stimuli(experiment)
    columns: dict[str, Any] = {
        name: rows[name] for name in ("listener", "session", "position", "scale", "value", "kind")
    }
    columns["panel"] = _renamed(rows["listener"], lambda number: by_number[number].panel)
    columns["group"] = _renamed(rows["listener"], lambda number: by_number[number].group or "")
    for name, field in STIMULUS_COLUMNS.items():
        names = {text: getattr(stimuli[UUID(text)], field) for text in rows["stimulus"].cat.categories}
        columns[name] = _renamed(rows["stimulus"], names.get)
    own = get_protocol(experiment.protocol).trial_columns
    details = {text: json.loads(text) for text in rows["detail"].cat.categories} if own else {}
    for column in own:
        names = {text: _text(column.of(detail)) for text, detail in details.items()}
        columns[column.key] = _renamed(rows["detail"], names.get)
    reasons = _reasons(rows, numbers, excluded_now(experiment))
    columns |= {EXCLUDED: reasons != "", REASON: pd.Categorical(reasons)}
    return pd.DataFrame({name: columns[name] for name in (*COLUMNS, *(each.key for each in own), EXCLUDED, REASON)})


def _reasons(rows: pd.DataFrame, numbers: dict[UUID, int], excluded: Excluded) -> np.ndarray[Any, Any]:
    """Why each score is excluded; empty where it counts."""
    import numpy as np

    found = np.full(len(rows), "", dtype=object)
    for (ballot, position), why in excluded.pages.items():
        found[((rows["listener"] == numbers.get(ballot)) & (rows["position"] == position)).to_numpy()] = why
    for ballot, why in excluded.ballots.items():
        found[(rows["listener"] == numbers.get(ballot)).to_numpy()] = why
    return found


def _read_rows(experiment: Experiment, *, simulated: bool) -> pd.DataFrame:
    """Read the columns of SCORE_COLUMNS, a part at a time: few rows are Python objects at any moment."""
    import pandas as pd
    from pandas.api.types import union_categoricals

    scores = Score.objects.filter(
        vote__ballot__in=counted(experiment, simulated=simulated), vote__current_for__kind__in=COUNTED
    )
    rows = scores.values_list(*SCORE_COLUMNS.values()).iterator(chunk_size=ROWS_AT_ONCE)
    parts: list[pd.DataFrame] = []
    while (some := list(islice(rows, ROWS_AT_ONCE))) or not parts:
        part = pd.DataFrame.from_records(some, columns=list(SCORE_COLUMNS))
        parts.append(part.astype(dict.fromkeys(REPEATED, "category")))
    texts = {name: union_categoricals([part[name] for part in parts], sort_categories=True) for name in REPEATED}
    numbers = pd.concat([part[["position", "session", "value"]] for part in parts], ignore_index=True)
    return numbers.assign(**texts)


def _renamed(column: pd.Series[Any], name_of: Callable[[Any], Any]) -> pd.Categorical:
    """Name each category anew, once, whatever the number of rows; None is no name."""
    import numpy as np
    import pandas as pd

    names = np.empty(len(column.cat.categories), dtype=object)
    names[:] = [name_of(each) for each in column.cat.categories]
    codes, found = pd.factorize(names, sort=True)
    return pd.Categorical.from_codes(codes[column.cat.codes], pd.Index(found).infer_objects())


def _text(value: str | int | None) -> str:
    return "" if value is None else str(value)


class _AnswerTime(Func):
    """`answer_ms` of a JSON column as the first of a JSON array, which keeps numbers apart from texts that look like
    them. SQLite makes an array of several paths; its arrow operator is newer than some systems' SQLite."""

    template = "jsonb_build_array(%(expressions)s -> 'answer_ms')"

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "JSON_EXTRACT(%(expressions)s, '$.answer_ms', '$.answer_ms')"
        return self.as_sql(compiler, connection, template=template, **context)


def paces(experiment: Experiment, ballots: Sequence[CountedBallot], *, simulated: bool) -> dict[int, Pace]:
    """Return how fast the listener of each of these ballots answered the pages of the test."""
    from analysis.statistics.listener_rules import Pace

    numbers = {each.ballot: number for number, each in enumerate(ballots, start=1)}
    votes = Vote.objects.filter(
        ballot__in=counted(experiment, simulated=simulated), current_for__kind="test", current_for__answered=True
    )
    # As text, since 20,000 ids and objects would take longer than everything that is made of them.
    columns = ("ballot_id", _AnswerTime("heard"), "flags")
    rows = votes.order_by().values_list(*(Cast(column, TextField()) for column in columns))
    is_fast = cache(lambda flags: "fast" in list_in(json.loads(flags)))
    found: dict[str, tuple[list[float], list[bool]]] = {}
    remaining = rows.iterator(chunk_size=ROWS_AT_ONCE)
    while some := list(islice(remaining, ROWS_AT_ONCE)):
        values = json.loads("[" + ",".join(value or "null" for _, value, _ in some) + "]")
        for (ballot, _, flags), value in zip(some, values, strict=True):
            times, sooner = found.setdefault(ballot, ([], []))
            sooner.append(is_fast(flags))
            time = number_in(value[0]) if value else None
            if time is not None:
                times.append(time)
    # A ballot that came after the list of ballots was read has no number.
    known = {numbers.get(UUID(ballot)): pace for ballot, pace in found.items()}
    return {number: Pace(times, sum(sooner), len(sooner)) for number, (times, sooner) in known.items() if number}


def repeated_scores(experiment: Experiment, ballots: Sequence[CountedBallot], *, simulated: bool) -> pd.DataFrame:
    """Return the ratings of clips that attention checks let listeners hear a second time, which are no part of the
    test."""
    import pandas as pd

    numbers = {each.ballot: number for number, each in enumerate(ballots, start=1)}
    names = {
        "listener": "vote__ballot",
        "item": "slot__stimulus__item__name",
        "condition": "slot__stimulus__condition__name",
        "scale": "scale",
        "position": "vote__current_for__position",
        "value": "value",
    }
    again = Score.objects.filter(
        vote__ballot__in=counted(experiment, simulated=simulated), vote__current_for__kind=TrialKind.REPEAT
    )
    rows = [(numbers.get(ballot), *rest) for ballot, *rest in again.values_list(*names.values())]
    return pd.DataFrame([row for row in rows if row[0]], columns=list(names))


def read_stimuli(experiment: Experiment) -> dict[UUID, StimulusNames]:
    """Return the names of everything in the experiment's collection, by id."""
    rows = Stimulus.objects.filter(item__collection=experiment.collection_id).values_list(
        "id", "item__name", "condition__name", "condition__role", "item__factors", "condition__factors"
    )
    return {
        stimulus: StimulusNames(item, condition, role, _as_json(factors), _as_json(made_with))
        for stimulus, item, condition, role, factors, made_with in rows
    }


def _as_json(factors: object) -> str:
    named = factors if isinstance(factors, dict) else {}
    return json.dumps({str(key): str(value) for key, value in named.items()}, sort_keys=True, ensure_ascii=False)


def answered_pages(experiment: Experiment, ballots: Sequence[CountedBallot]) -> Iterator[AnsweredPage]:
    """Yield every page of these ballots with its newest answer, ballot by ballot, as the protocol reads it."""
    protocol = get_protocol(experiment.protocol)
    for listener, counts in enumerate(ballots, start=1):
        trials = Trial.objects.filter(ballot=counts.ballot, answered=True, kind__in=COUNTED)
        trials = trials.select_related("current_vote")
        for trial in trials.prefetch_related(
            "slots__stimulus__item", "slots__stimulus__condition", "slots__stimulus__recording"
        ):
            plan = plan_of(trial, trial.slots.all())
            answer = protocol.read(trial.current_vote.payload, plan)  # type: ignore[union-attr]
            yield AnsweredPage(
                listener=listener,
                group=counts.group or "",
                panel=counts.panel,
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


def detailed_scores(experiment: Experiment, *, simulated: bool) -> Iterator[dict[str, Any]]:
    """Yield every current score with all that is known of it, in the order in which it arrived."""
    names, excluded = list(DETAILED_COLUMNS), excluded_now(experiment)
    ballots = counted(experiment, simulated=simulated)
    scores = Score.objects.filter(vote__ballot__in=ballots, vote__current_for__isnull=False)
    rows = scores.order_by("vote_id", "slot__key", "scale").values_list(*DETAILED_COLUMNS.values())
    for row in rows.iterator(chunk_size=2000):
        score = dict(zip(names, row, strict=True))
        yield score | excluded.columns(score["ballot"], score["position"])
