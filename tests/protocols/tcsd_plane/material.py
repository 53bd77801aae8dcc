"""A small test on the plane with answers in it, made through the services that the platform uses."""

from typing import Any

from rating.models import Ballot, Experiment, Trial
from rating.services.votes import cast_vote
from stimuli.models import Condition
from stimuli.services.collections import NewSound, add_stimuli, create_collection
from tests.factories import make_experiment, make_user, seated_visit, tone, vote_event

# None of these names may reach anybody before the experiment is unblinded.
PLACES = {"secretgreedy 0": (0.8, 0.2), "secretgreedy 1": (0.3, 0.7), "secretrandom": (0.5, 0.4)}
MADE_WITH = {"secretgreedy 0": "0", "secretgreedy 1": "1"}
WHOLE = "secretwhole"
SECRETS = (*PLACES, WHOLE, "secretgreedy", "secretfamily")
RECORDINGS = ("ferry", "market")


def plane_experiment(*, seats: int = 2) -> Experiment:
    """Two recordings with three summaries each; two of the conditions differ in z alone."""
    owner = make_user()
    collection = create_collection(owner=owner, slug=f"days-of-{owner.pk}", title="Days")
    sounds = []
    for number, recording in enumerate(RECORDINGS):
        sounds.append(NewSound(recording, WHOLE, tone(200 + number, duration_s=1), Condition.Role.FULL_LENGTH))
        for place, condition in enumerate(PLACES):
            sounds.append(NewSound(recording, condition, tone(300 + 50 * number + 10 * place)))
    add_stimuli(collection=collection, sounds=sounds)
    for condition, z in MADE_WITH.items():  # as a table of conditions in an import says it
        collection.conditions.filter(name=condition).update(factors={"method": "secretfamily", "z": z})
    return make_experiment(owner, collection=collection, protocol="tcsd_plane", seats=seats)


def crosses_of(trial: Trial, shift: float) -> dict[str, dict[str, Any]]:
    """Where this rater puts every summary of a page, by slot."""
    wanted = {slot.key: PLACES.get(slot.stimulus.condition.name) for slot in trial.slots.all()}
    return {
        key: {"tc": round(place[0] + shift, 4), "sd": round(place[1] - shift, 4), "decided": True}
        for key, place in wanted.items()
        if place
    }


def moves_to(crosses: dict[str, dict[str, Any]], *, at_ms: int = 0, **changes: Any) -> list[dict[str, Any]]:
    return [
        {
            "slot": key,
            "to": [cross["tc"], cross["sd"]],
            "decided": cross["decided"],
            "input": "pointer",
            "plane_px": 560,
            "numbers": False,
            "at_ms": at_ms,
        }
        | changes
        for key, cross in crosses.items()
    ]


def rate(experiment: Experiment, *, shift: float = 0.0, pages: int = len(RECORDINGS)) -> Ballot:
    """One rater places every summary of so many recordings at once and says nothing."""
    ballot: Ballot = seated_visit(experiment).seat.ballot
    for trial in ballot.trials.order_by("position")[:pages]:
        crosses = crosses_of(trial, shift)
        send(trial, {"crosses": crosses, "moves": moves_to(crosses), "finished": True})
    return ballot


def send(trial: Trial, payload: dict[str, Any], *, revision: int = 0, **changes: Any) -> str:
    event = vote_event(trial, payload=payload, revision=revision, **changes)
    return cast_vote(ballot_id=trial.ballot_id, event=event).status
