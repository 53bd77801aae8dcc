"""Recomputing every table of the MOS, reading included, against one pandas groupby over the same table in memory."""

import time
from collections.abc import Callable, Iterator
from itertools import product
from statistics import median
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
from django.db import connection
from django.utils import timezone

from analysis import datasets
from analysis.codebook import Codebook
from analysis.folding import RECORD
from analysis.models import FoldedBallot
from analysis.mos import MeanOpinionScore, tables
from analysis.mos.cells import Marks
from core.models import User
from core.services.accounts import create_account, random_password
from listening.models import Panel, Participant, Seat
from rating.models import Ballot, Consent, Experiment, Score, Slot, Trial, Vote
from rating.services.experiments import create_experiment
from stimuli.models import Collection, Condition, Item, Stimulus

ROUNDS = 5
PANELS, ITEMS_A_PANEL, CONDITIONS, SCALES = 4, 32, 5, ("SIG", "BAK", "OVRL")
MARKS_A_LISTENER = ITEMS_A_PANEL * CONDITIONS * len(SCALES)
ORDER = ["SIG", "BAK", "OVRL"]


def run() -> Iterator[str]:
    yield from _measure("20,000 votes", _voted(listeners=42), cold=True)
    yield from _measure("2,000,000 votes, folded directly", _folded(listeners=4168), cold=False)


def _measure(name: str, experiment: Experiment, *, cold: bool) -> Iterator[str]:
    """Cold reads single votes, as after the first look; warm reads folds, as after every later vote."""
    if cold:
        seconds = _seconds(lambda: datasets.marks(experiment, simulated=False), rounds=1)
        yield f"{name}: read from single votes, once a ballot: {seconds * 1000:.0f} ms"
        _fold(experiment)
    table = datasets.marks(experiment, simulated=False)
    words = table.astype(dict.fromkeys(("condition", "scale", "item", "listener"), "str"))
    method = MeanOpinionScore()
    method.run(table)  # loads scipy
    plain = _seconds(lambda: _grouped(words))
    coded = _seconds(lambda: _grouped(table))
    reading = _seconds(lambda: datasets.marks(experiment, simulated=False))
    same = _seconds(lambda: _by_condition(datasets.marks(experiment, simulated=False)))
    whole = _seconds(lambda: method.run(datasets.marks(experiment, simulated=False)))
    yield (
        f"{name} ({len(table):,} marks, {connection.vendor}): pandas {plain * 1000:.1f} ms over names, "
        f"{coded * 1000:.1f} ms over categories; reading folds takes {reading * 1000:.1f} ms"
    )
    for what, seconds in (("by condition over listeners, votes and items", same), ("every table", whole)):
        ratios = f"{seconds / plain:.1f} times pandas over names, {seconds / coded:.1f} over categories"
        yield f"{name}: {what}, reading included: {seconds * 1000:.0f} ms, {ratios}"


def _by_condition(table: pd.DataFrame) -> Any:
    return tables.by_condition(tables.Gathered.of(Marks.of(table, np.ones(len(table), dtype=bool))))


def _grouped(table: pd.DataFrame) -> Any:
    return table.groupby(["condition", "scale"], observed=True)["value"].agg(["count", "mean", "std"])


def _seconds(work: Callable[[], Any], *, rounds: int = ROUNDS) -> float:
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return median(taken)


def _experiment() -> Experiment:
    """The published design's shape without its sound: 4 x 32 items under 5 conditions, as texts that nobody hears."""
    name = f"bench-mos-{uuid4().hex[:8]}"
    owner = create_account(name=name, role=User.Role.EXPERIMENTER, password=random_password(), actor=None)
    collection = Collection.objects.create(slug=name, title=name, owner=owner)
    items = Item.objects.bulk_create(
        Item(collection=collection, name=f"item {n:03d}", factors={"place": f"place {n % 3}", "sex": "fm"[n % 2]})
        for n in range(PANELS * ITEMS_A_PANEL)
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
        protocol_slug="p835",
        label_set="p835-en-1",
        consent_text="",
        seed="bench",
    )


def _seats(experiment: Experiment, listeners: int) -> list[Ballot]:
    panels = Panel.objects.bulk_create(Panel(experiment=experiment, number=n + 1) for n in range(PANELS))
    ballots = Ballot.objects.bulk_create(
        Ballot(experiment=experiment, seed=str(n), vote_count=MARKS_A_LISTENER) for n in range(listeners)
    )
    people = Participant.objects.bulk_create(Participant(experiment=experiment, number=n + 1) for n in range(listeners))
    Seat.objects.bulk_create(
        Seat(panel=panels[n % PANELS], number=n // PANELS + 1, ballot=ballot, participant=person, state="taken")
        for n, (ballot, person) in enumerate(zip(ballots, people, strict=True))
    )
    return ballots


def _marks(codebook: Codebook, number: int, rng: np.random.Generator) -> Any:
    """One listener's marks on the items of the panel, as records: stimuli in a random order, each on every scale."""
    every = np.array([int(heard.item[-3:]) for heard in codebook.stimuli])
    heard = rng.permutation(np.flatnonzero(every // ITEMS_A_PANEL == number % PANELS))
    records = np.zeros(MARKS_A_LISTENER, dtype=RECORD)
    records["stimulus"] = np.repeat(heard, len(SCALES))
    records["position"] = np.arange(1, MARKS_A_LISTENER + 1)
    records["session"] = 1 + np.arange(MARKS_A_LISTENER) * 4 // MARKS_A_LISTENER
    order = ORDER if number % 2 else ["BAK", "SIG", "OVRL"]
    pages = [codebook.column_code({"part": part, "order": order}) for part in range(1, len(SCALES) + 1)]
    records["columns"] = np.tile(pages, len(heard))
    records["scale"] = np.tile(np.arange(len(SCALES)), len(heard))
    records["value"] = rng.integers(1, 6, MARKS_A_LISTENER)
    return records


def _folded(*, listeners: int) -> Experiment:
    """Folds without votes behind them: what is measured is everything after the folding."""
    experiment, rng = _experiment(), np.random.default_rng(1)
    codebook = Codebook.of(experiment)
    FoldedBallot.objects.bulk_create(
        (
            FoldedBallot(
                ballot=ballot,
                vote_count=ballot.vote_count,
                codebook=codebook.sha256,
                columns=_marks(codebook, number, rng).tobytes(),
            )
            for number, ballot in enumerate(_seats(experiment, listeners))
        ),
        batch_size=100,
    )
    return experiment


def _voted(*, listeners: int) -> Experiment:
    """Real rows for every mark, written in bulk."""
    experiment, rng = _experiment(), np.random.default_rng(1)
    codebook = Codebook.of(experiment)
    for number, ballot in enumerate(_seats(experiment, listeners)):
        _write(ballot, codebook, _marks(codebook, number, rng))
    return experiment


def _write(ballot: Ballot, codebook: Codebook, records: Any) -> None:
    consent = Consent.objects.create(ballot=ballot, text_sha256="", language="en")
    trials = [
        Trial(
            ballot=ballot,
            position=int(record["position"]),
            session=int(record["session"]),
            kind="test",
            ask=[codebook.scales[record["scale"]]],
            detail={"part": 1 + int(record["scale"]), "order": ORDER},
        )
        for record in records
    ]
    Trial.objects.bulk_create(trials)
    slots = [
        Slot(trial=trial, key="a", stimulus_id=codebook.stimuli[record["stimulus"]].id)
        for trial, record in zip(trials, records, strict=True)
    ]
    Slot.objects.bulk_create(slots)
    fixed = {"ballot": ballot, "consent": consent, "outcome": "accepted", "revision": 1, "payload": {}}
    votes = Vote.objects.bulk_create(
        Vote(event_id=uuid4(), trial=trial, protocol="p835", received_at=timezone.now(), **fixed) for trial in trials
    )
    for trial, vote in zip(trials, votes, strict=True):
        trial.current_vote, trial.revision = vote, 1
    Trial.objects.bulk_update(trials, ["current_vote", "revision"], batch_size=200)
    Score.objects.bulk_create(
        Score(vote=vote, slot=slot, scale=codebook.scales[record["scale"]], value=float(record["value"]))
        for vote, slot, record in zip(votes, slots, records, strict=True)
    )


def _fold(experiment: Experiment) -> None:
    from analysis.services.folds import refold
    from analysis.tasks import refresh_results
    from core.jobs import JobRun, enqueue, queue
    from core.models import Job

    asked = enqueue(refresh_results, experiment_id=str(experiment.pk))
    claimed = queue.claim(worker="bench", names=[asked.name], job_id=asked.pk)
    if claimed is None:
        raise RuntimeError("the job that folds could not be claimed: there is nothing to measure")
    refold(run=JobRun(claimed), experiment=experiment, simulated=False)
    Job.objects.filter(pk=asked.pk).delete()
