"""Casting a vote against one bare INSERT of the same row, both durable, in turns on the same database."""

import time
from collections.abc import Callable, Iterator
from statistics import median

from django.db import connection, transaction
from django.utils import timezone

from core.models import User
from core.services.accounts import create_account, random_password
from listening.access import token_digest
from listening.demos.acr import build
from listening.models import Invitation
from listening.services import panels, visits
from rating.models import Ballot, Refusal
from rating.services.votes import VoteEvent, cast_vote
from tests.factories import vote_event

ROUNDS, VOTES_A_ROUND = 10, 60


def run() -> Iterator[str]:
    ballot = _seated()
    ratios, fully = [], []
    for _ in range(ROUNDS):
        bare = _rate(_bare_insert, ballot)
        cast = _rate(_cast, ballot)
        ratios.append(cast / bare)
        fully.append(cast)
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    found = f"{median(ratios):.2f} ({spread}), {median(fully):.0f} votes/s"
    yield f"cast_vote / bare INSERT on {connection.vendor}: {found}"


def _seated() -> Ballot:
    owner = create_account(name="bench", role=User.Role.EXPERIMENTER, password=random_password(), actor=None)
    experiment = build(owner=owner)
    token = panels.invite(panel=experiment.panels.get(), count=1, now=timezone.now(), actor=owner)[0]
    invitation = Invitation.objects.get(token_sha256=token_digest(token))
    return visits.claim_seat(invitation=invitation, now=timezone.now(), language="en", device={}).seat.ballot


def _rate(work: Callable[[Ballot, VoteEvent], None], ballot: Ballot) -> float:
    trial = ballot.trials.earliest("position")
    events = [vote_event(trial, revision=trial.revision + number) for number in range(VOTES_A_ROUND)]
    start = time.perf_counter()
    for event in events:
        work(ballot, event)
    return VOTES_A_ROUND / (time.perf_counter() - start)


def _cast(ballot: Ballot, event: VoteEvent) -> None:
    receipt = cast_vote(ballot_id=ballot.pk, event=event)
    if receipt.status != "stored":
        raise RuntimeError(f"a vote was not stored but {receipt.status}: there is nothing to measure")


def _bare_insert(ballot: Ballot, event: VoteEvent) -> None:
    with transaction.atomic(durable=True):
        Refusal.objects.create(
            event_id=event.event_id, ballot=ballot, body=event.body(), body_sha256="", code="bench", sentence=""
        )
