"""Captions as files: one row a score, and one row a caption and assessor in the shape of the study's sheet."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from analysis.datasets import counted
from analysis.exports import subject_id
from rating.models import Experiment, Trial
from rating.registry import get_protocol
from rating.services.experiments import condition_names
from rating.services.pages import plan_of

Row = dict[str, Any]

SCORES = ("PRECISION", "RECALL", "FLUENCY", "CONCISENESS", "IRRELEVANCE", "OVERALL")
ABOUT = ("subject_id", "group", "no", "record_id", "item", "dataset", "caption", "condition")
WIDE = (*ABOUT, *(name.lower() for name in SCORES), "synthesised", "comment", "row_type")
LONG = (*ABOUT, "scale", "value", "row_type")
CLIPS = ("item", "dataset", "condition", "group", "scale", "n_assessors", "mean")


def captions(experiment: Experiment, *, simulated: bool) -> Iterator[Row]:
    """Yield every caption that was scored to the end, assessor by assessor, in the order of that assessor's pages.

    `no` counts the assessor's clips, `record_id` is what the assessor knew the clip by, `caption` its number there.
    """
    rules, names = get_protocol(experiment.protocol), condition_names(experiment)
    numbers: dict[Any, int] = {}
    for trial in _scored(experiment, simulated=simulated):
        slots = {slot.key: slot for slot in trial.slots.all()}
        answer = rules.read(trial.current_vote.payload, plan_of(trial, slots.values()))  # type: ignore[union-attr]
        marks = {(mark.slot, mark.scale): mark.value for mark in answer.marks}
        said = marks.get(("clip", "SYNTHESISED"))
        numbers[trial.ballot_id] = numbers.get(trial.ballot_id, 0) + 1
        about = {
            **_who(trial),
            "no": numbers[trial.ballot_id],
            "record_id": str(slots["clip"].media)[:8],
            "item": slots["clip"].stimulus.item.name,
            "dataset": slots["clip"].stimulus.item.factors.get("dataset", ""),
            "synthesised": None if said is None else "yes" if said else "no",
        }
        for key in sorted(slots.keys() - {"clip"}, key=lambda key: (len(key), key)):
            yield {
                **about,
                "caption": int(key.removeprefix("c")),
                "condition": names[slots[key].stimulus.condition.name],
                **{scale.lower(): marks.get((key, scale)) for scale in SCORES},
                "comment": answer.detail["comments"].get(key, ""),
            }


def scores(experiment: Experiment, *, simulated: bool) -> Iterator[Row]:
    """Yield the same with one row a score."""
    for caption in captions(experiment, simulated=simulated):
        about = {name: caption[name] for name in (*ABOUT, "row_type")}
        for scale in SCORES:
            if caption[scale.lower()] is not None:
                yield {**about, "scale": scale, "value": caption[scale.lower()]}


def _who(trial: Trial) -> Row:
    seat = getattr(trial.ballot, "seat", None)
    participant = seat.participant if seat else None
    return {
        "subject_id": subject_id(participant.number if participant else None, trial.ballot_id),
        "group": seat.panel.group if seat else "",
        "row_type": trial.ballot.kind,
    }


def _scored(experiment: Experiment, *, simulated: bool) -> QuerySet[Trial]:
    trials = Trial.objects.filter(ballot__in=counted(experiment, simulated=simulated), kind="test", answered=True)
    return (
        trials.select_related("ballot__seat__participant", "ballot__seat__panel", "current_vote")
        .prefetch_related("slots__stimulus__item", "slots__stimulus__condition", "slots__stimulus__recording")
        .order_by(
            "ballot__seat__panel__number", "ballot__seat__number", "ballot__seat__occupancy", "ballot_id", "position"
        )
    )
