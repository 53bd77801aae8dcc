"""A small P.835 test with answers in it, made through the services that the platform uses."""

from typing import Any

from analysis.tasks import refresh_stale_results
from core.jobs import JobRun, enqueue, queue
from core.models import Job
from rating.models import Ballot, Experiment
from rating.services.votes import cast_vote
from stimuli.models import Condition
from stimuli.services.collections import NewSound, add_stimuli, create_collection
from tests.factories import make_experiment, make_user, marks, seated_visit, tone, vote_event
from tests.waiting import wait_until

# None of these names may reach anybody before the experiment is unblinded.
CONDITIONS = ("secretnoisy", "secretenhanced", "secretother")
REFERENCES = ("secretanchor1", "secretanchor2")
SECRETS = (*CONDITIONS, *REFERENCES)


def p835_experiment(*, seats: int = 2, items: int = 3, **parts: Any) -> Experiment:
    """Three conditions of a few items with a factor, and two references for the practice before."""
    owner = make_user()
    collection = create_collection(owner=owner, slug=f"sounds-of-{owner.pk}", title="Sounds")
    sounds = [
        NewSound(
            f"sentence {number}",
            condition,
            tone(200 + 50 * number + 10 * place),
            factors={"location": "kitchen" if number % 2 else "garden"},
        )
        for number in range(items)
        for place, condition in enumerate(CONDITIONS)
    ]
    for place, condition in enumerate(REFERENCES):
        sounds.append(NewSound("talker", condition, tone(900 + 10 * place), Condition.Role.REFERENCE))
    add_stimuli(collection=collection, sounds=sounds)
    shape: dict[str, Any] = {"protocol": "p835", "label_set": "p835-en-1", "options": {"practice": len(REFERENCES)}}
    return make_experiment(owner, collection=collection, seats=seats, **shape, **parts)


def listen(experiment: Experiment, *, shift: int = 0) -> Ballot:
    """One listener answers every page; marks depend on condition, scale and position, so that cells differ."""
    ballot: Ballot = seated_visit(experiment).seat.ballot
    for trial in ballot.trials.order_by("position").prefetch_related("slots__stimulus__condition"):
        [slot] = trial.slots.all()
        name = slot.stimulus.condition.name
        value = 1 + (SECRETS.index(name) + trial.position + len(trial.ask[0]) + shift) % 5
        event = vote_event(trial, payload=marks(value, scale=trial.ask[0]))
        assert cast_vote(ballot_id=ballot.pk, event=event).status == "stored"
    return ballot


def refresh() -> None:
    """Bring every result up to date, as the worker does; where a worker is running, it may be the one."""
    job = enqueue(refresh_stale_results)
    claimed = queue.claim(worker="test", names=[job.name], job_id=job.pk)
    if claimed is None:
        wait_until(lambda: not Job.objects.get(pk=job.pk).is_unfinished)
        assert Job.objects.get(pk=job.pk).state == Job.State.DONE
        return
    refresh_stale_results(run=JobRun(claimed))
    queue.complete(job=claimed)  # or a worker that comes later would wait for the end of this claim's lease
