"""Visits to every registered protocol, played by its own bot over HTTP from the consent to a result."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from analysis.registry import method_of
from analysis.services.dataset.archive import export_dataset
from analysis.services.dataset.check import verify_dataset
from analysis.services.dataset.files import opened_dataset
from analysis.services.dataset.restoring import import_dataset
from analysis.services.results import read_result
from analysis.tasks import refresh_stale_results
from core.jobs import declared_jobs, enqueue, queue
from core.jobs.worker import work
from listening.panels.services.panels import create_panel
from listening.panels.services.simulation import simulate
from rating.models import Ballot, Experiment
from rating.protocol import LabelStatus, Protocol
from rating.registry import protocols
from rating.services.experiments import create_experiment, go_live, unblind
from rating.services.votes import chain_holds
from stimuli.models import Condition
from stimuli.services.collections import add_stimulus, add_text, create_collection
from tests import people
from tests.factories import tone
from tests.scale import ALL

LISTENERS = 2
# One for each kind of page: a workspace, and texts; both have a method of their own. Rated clips and the shared method
# are those of the example, whose visit test_adding_a_protocol.py takes.
KINDS = ("tcsd_plane", "speech_summaries")
ITEMS = "pq" if ALL else "p"
# Options that decide how many pages a seat has; with --all as they are unless somebody chooses.
FEW_PAGES = {} if ALL else {"practice": 1, "repetitions": 1}
WORDS = ["One", "two", "three", "four", "five"]
# What is read, by condition; a protocol gets those of the kinds that it reads.
TEXTS: dict[str, tuple[Condition.Role, dict[str, Any]]] = {
    "spoken": (Condition.Role.REFERENCE, {"kind": "tokens", "text": " ".join(WORDS), "tokens": WORDS}),
    "short": (Condition.Role.TEST, {"kind": "tokens", "text": "One five", "tokens": ["One", "five"]}),
    "brief": (Condition.Role.TEST, {"kind": "caption", "text": "Somebody counts.", "tokens": None}),
    "full": (Condition.Role.TEST, {"kind": "caption", "text": "Somebody counts to five.", "tokens": None}),
}


def live_experiment(protocol: Protocol) -> Experiment:
    """Items under conditions of every role that is planned, in the first wording that may collect data."""
    owner = people.experimenter()
    collection = create_collection(owner=owner, slug="material", title="Material")
    roles = {"clean": Condition.Role.REFERENCE, "x": Condition.Role.TEST, "y": Condition.Role.TEST}
    if Condition.Role.FULL_LENGTH in protocol.roles:
        roles["whole"] = Condition.Role.FULL_LENGTH
    for n, (item, condition) in enumerate(product(ITEMS, roles)):
        sound = tone(300 + 10 * n, duration_s=0.6)
        add_stimulus(collection=collection, item=item, condition=condition, content=sound, role=roles[condition])
    for item, (condition, (role, text)) in product(ITEMS, TEXTS.items()):
        if text["kind"] in protocol.text_kinds:
            add_text(collection=collection, item=item, condition=condition, text=text, role=role)
    labels = next(labels for labels in protocol.label_sets if labels.status is not LabelStatus.DRAFT)
    experiment = create_experiment(
        owner=owner,
        slug="trying-it",
        title="Trying it",
        collection=collection,
        protocol_slug=protocol.slug,
        label_set=labels.id,
        consent_text="You will hear a few clips.",
        seed="fixed",
        options={name: count for name, count in FEW_PAGES.items() if name in protocol.options},
    )
    create_panel(experiment=experiment, seats=1, actor=owner)
    return go_live(experiment=experiment, actor=owner)


def fold_results() -> None:
    asked = enqueue(refresh_stale_results)
    claimed = queue.claim(worker="test", names=list(declared_jobs()), job_id=asked.pk)
    assert claimed is not None
    work(claimed)


@pytest.mark.parametrize(
    "protocol",
    [
        pytest.param(protocol, id=slug, marks=[pytest.mark.long] * (slug not in KINDS))
        for slug, protocol in protocols().items()
    ],
)
def test_a_visit_goes_from_the_link_to_a_receipt_and_into_the_result(
    protocol: Protocol, live_server: LiveServer, tmp_path: Path
) -> None:
    experiment = live_experiment(protocol)
    receipts = list(
        simulate(experiment=experiment, listeners=LISTENERS, seed="1", server=live_server.url, now=timezone.now())
    )
    assert len({receipt["code"] for receipt in receipts}) == LISTENERS
    ballots = Ballot.objects.filter(experiment=experiment, kind=Ballot.Kind.SIMULATED)
    assert [chain_holds(ballot=ballot) for ballot in ballots] == [True] * LISTENERS
    answered = sum(receipt["vote_count"] for receipt in receipts)
    assert sum(ballot.vote_count for ballot in ballots) == answered

    fold_results()
    method = method_of(protocol.slug)
    with_bots = read_result(experiment=experiment, slug=method, simulated=True)
    without = read_result(experiment=experiment, slug=method, simulated=False)
    assert (with_bots["stale"], with_bots["vote_count"]) == (False, answered)
    assert with_bots["table"]["rows"]
    assert without["vote_count"] == 0
    assert not without["table"]["rows"]
    check_dataset(experiment, tmp_path / "dataset.zip", method)


def check_dataset(experiment: Experiment, place: Path, method: str) -> None:
    """The dataset has no defects, and the experiment that is made of it has the same results."""
    named = unblind(experiment=experiment, actor=experiment.owner, reason="to import it again")
    place.write_bytes(b"".join(export_dataset(experiment=named, actor=named.owner, simulated=True)))
    with opened_dataset(place) as files:
        assert not [check.line for check in verify_dataset(files) if check.defects]
        copy = import_dataset(files=files, owner=named.owner).experiment
    fold_results()
    theirs, ours = (read_result(experiment=one, slug=method, simulated=True, long=True) for one in (named, copy))
    assert ours["table"] == theirs["table"]
