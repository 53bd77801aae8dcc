"""Tables of the MOS computed anew, against one pandas groupby over the same table and against means alone."""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from statistics import median
from typing import Any, NamedTuple
from unittest.mock import patch
from uuid import uuid4

import numpy as np
import pandas as pd
from django.db import connection
from django.utils import timezone

from analysis import datasets
from analysis.models import Result
from analysis.mos import MeanOpinionScore, tables
from analysis.mos.cells import with_categories
from analysis.tasks import refresh_results
from core.jobs import JobRun, enqueue, queue
from core.models import User
from core.services.accounts import create_account, random_password
from listening.models import Panel, Participant, Seat
from rating.models import Ballot, Consent, Experiment, Score, Slot, TextVersion, Trial, Vote
from rating.services.experiments import create_experiment
from stimuli.models import Collection, Condition, Item, Stimulus

ROUNDS = 5
CONDITIONS = 5


class Shape(NamedTuple):
    protocol: str
    wording: str
    panels: int
    items_a_panel: int
    orders: tuple[list[str], ...]  # of the scales, in turn

    @property
    def marks_a_listener(self) -> int:
        return self.items_a_panel * CONDITIONS * len(self.orders[0])


# The published design's shape, and one scale on which everybody hears everything.
P835 = Shape("p835", "p835-en-1", 4, 32, (["SIG", "BAK", "OVRL"], ["BAK", "SIG", "OVRL"]))
ACR = Shape("acr", "acr-en-1", 1, 100, (["QUALITY"],))


def run() -> Iterator[str]:
    acr = voted(ACR, listeners=40)
    yield from _with_model("20,000 votes of ACR (40 listeners x 100 items x 5 conditions)", acr)
    few = voted(P835, listeners=42)
    yield from _measure("20,000 votes", few)
    yield from _with_model("20,000 votes of P.835", few)
    many = voted(P835, listeners=417)
    yield from _measure("200,000 votes", many)
    yield from _with_model("200,000 votes of P.835", many)


def _with_model(name: str, experiment: Experiment) -> Iterator[str]:
    """A refresh of the results, reading and writing included, against the same without model, tests and agreement."""
    _refresh(experiment)  # loads scipy
    whole = _cpu_s(lambda: _refresh(experiment))
    with patch("analysis.mos.model.inference", lambda marks, complete: {"model_warnings": []}):
        means = _cpu_s(lambda: _refresh(experiment))
    yield (
        f"{name}: a refresh takes {whole:.2f} s of CPU with the mixed model, differences, tests, agreement and "
        f"bootstrap, {means:.2f} s without, ratio {whole / means:.1f}"
    )


def _refresh(experiment: Experiment) -> None:
    Result.objects.filter(experiment=experiment).delete()
    job = enqueue(refresh_results, experiment_id=str(experiment.pk))
    claimed = queue.claim(worker="bench", names=[job.name], job_id=job.pk)
    if claimed is None:
        raise RuntimeError("The job was claimed by another worker.")
    refresh_results(run=JobRun(claimed), experiment_id=str(experiment.pk))
    queue.complete(job=claimed)


def _cpu_s(work: Callable[[], Any]) -> float:
    taken = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return median(taken)


def _measure(name: str, experiment: Experiment) -> Iterator[str]:
    table = datasets.read_scores(experiment, simulated=False)
    words = table.astype(dict.fromkeys(("condition", "scale", "item", "listener"), "str"))
    method = MeanOpinionScore()
    method.run(table)  # loads scipy
    plain = _seconds(lambda: _grouped(words))
    coded = _seconds(lambda: _grouped(table))
    reading = _seconds(lambda: datasets.read_scores(experiment, simulated=False))
    same = _seconds(lambda: _by_condition(datasets.read_scores(experiment, simulated=False)))
    whole = _seconds(lambda: method.run(datasets.read_scores(experiment, simulated=False)))
    yield (
        f"{name} ({len(table):,} marks, {connection.vendor}): pandas {plain * 1000:.1f} ms over names, "
        f"{coded * 1000:.1f} ms over categories; reading takes {reading * 1000:.1f} ms"
    )
    for what, seconds in (("by condition over listeners, votes and items", same), ("every table", whole)):
        ratios = f"{seconds / plain:.1f} times pandas over names, {seconds / coded:.1f} over categories"
        yield f"{name}: {what}, reading included: {seconds * 1000:.0f} ms, {ratios}"


def _by_condition(table: pd.DataFrame) -> Any:
    gathered = tables.Gathered.of(with_categories(table))
    return tables.by_condition(gathered, gathered)


def _grouped(table: pd.DataFrame) -> Any:
    return table.groupby(["condition", "scale"], observed=True)["value"].agg(["count", "mean", "std"])


def _seconds(work: Callable[[], Any], *, rounds: int = ROUNDS) -> float:
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return median(taken)


def _experiment(shape: Shape) -> Experiment:
    """A design without its sound: items under five conditions, as texts that nobody hears."""
    name = f"bench-mos-{uuid4().hex[:8]}"
    owner = create_account(name=name, role=User.Role.EXPERIMENTER, password=random_password(), actor=None)
    collection = Collection.objects.create(slug=name, title=name, owner=owner)
    items = Item.objects.bulk_create(
        Item(collection=collection, name=f"item {n:03d}", factors={"place": f"place {n % 3}", "sex": "fm"[n % 2]})
        for n in range(shape.panels * shape.items_a_panel)
    )
    conditions = Condition.objects.bulk_create(
        Condition(collection=collection, name=f"C{n}") for n in range(CONDITIONS)
    )
    Stimulus.objects.bulk_create(
        Stimulus(item=item, condition=condition, text={"kind": "caption", "text": "", "tokens": []})
        for item, condition in product(items, conditions)
    )
    return create_experiment(
        owner=owner,
        slug=name,
        title=name,
        collection=collection,
        protocol_slug=shape.protocol,
        label_set=shape.wording,
        consent_text="",
        seed="bench",
    )


def _seats(experiment: Experiment, shape: Shape, listeners: int) -> list[Ballot]:
    panels = Panel.objects.bulk_create(Panel(experiment=experiment, number=n + 1) for n in range(shape.panels))
    ballots = Ballot.objects.bulk_create(
        Ballot(experiment=experiment, seed=str(n), vote_count=shape.marks_a_listener) for n in range(listeners)
    )
    people = Participant.objects.bulk_create(Participant(experiment=experiment, number=n + 1) for n in range(listeners))
    Seat.objects.bulk_create(
        Seat(
            panel=panels[n % shape.panels],
            number=n // shape.panels + 1,
            ballot=ballot,
            participant=person,
            state="taken",
        )
        for n, (ballot, person) in enumerate(zip(ballots, people, strict=True))
    )
    return ballots


def voted(shape: Shape, *, listeners: int, left_open: int = 0) -> Experiment:
    """Real rows for every mark, written in bulk; the last listener may have a few pages to go."""
    experiment, rng = _experiment(shape), np.random.default_rng(1)
    stimuli = Stimulus.objects.filter(item__collection=experiment.collection_id).order_by("item__name", "id")
    by_panel = np.array(stimuli.values_list("id", flat=True)).reshape(shape.panels, -1)
    ballots = _seats(experiment, shape, listeners)
    for number, ballot in enumerate(ballots):
        order = shape.orders[number % len(shape.orders)]
        answered = shape.marks_a_listener - (left_open if ballot is ballots[-1] else 0)
        _write(ballot, shape.protocol, rng.permutation(by_panel[number % shape.panels]), order, rng, answered)
    Ballot.objects.filter(pk=ballots[-1].pk).update(vote_count=shape.marks_a_listener - left_open)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE rating_trial SET revision = 1, answered = TRUE, current_vote_id ="
            " (SELECT id FROM rating_vote WHERE rating_vote.trial_id = rating_trial.id) WHERE current_vote_id IS NULL"
            " AND EXISTS (SELECT 1 FROM rating_vote WHERE rating_vote.trial_id = rating_trial.id)"
        )
        cursor.execute("ANALYZE")
    return experiment


def _write(
    ballot: Ballot, protocol: str, heard: Any, order: Sequence[str], rng: np.random.Generator, answered: int
) -> None:
    """One listener's marks on the items of the panel: stimuli in a random order, each on every scale."""
    pages = [(stimulus, part) for stimulus in heard for part in range(len(order))]
    texts, _ = TextVersion.objects.get_or_create(experiment=ballot.experiment, number=1)
    consent = Consent.objects.create(ballot=ballot, text_version=texts, text_sha256="", language="en")
    trials = Trial.objects.bulk_create(
        Trial(
            ballot=ballot,
            position=position,
            session=1 + position * 4 // (len(pages) + 1),
            kind="test",
            ask=[order[part]],
            detail={"part": part + 1, "order": order},
        )
        for position, (_, part) in enumerate(pages, start=1)
    )
    slots = Slot.objects.bulk_create(
        Slot(trial=trial, key="a", stimulus_id=stimulus) for trial, (stimulus, _) in zip(trials, pages, strict=True)
    )
    fixed = {"ballot": ballot, "consent": consent, "outcome": "accepted", "revision": 1, "payload": {}}
    votes = Vote.objects.bulk_create(
        Vote(event_id=uuid4(), trial=trial, protocol=protocol, received_at=timezone.now(), **fixed)
        for trial in trials[:answered]
    )
    Score.objects.bulk_create(
        Score(vote=vote, slot=slot, scale=order[part], value=float(value))
        for vote, slot, (_, part), value in zip(votes, slots, pages, rng.integers(1, 6, len(pages)), strict=False)
    )
