"""Votes: cast once whatever the network does, chained, never altered. The protocol is docs/decisions/0004."""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db import IntegrityError, transaction

from core.errors import AppError
from rating.canonical import canonical, digest
from rating.errors import BallotClosed, KeyReused, NoConsent, UnknownTrial
from rating.models import Ballot, Experiment, Refusal, Score, Slot, Trial, Vote
from rating.protocols.base import Answer, Json
from rating.registry import protocol
from rating.services.ballots import plan_of

# What the chain commits to: the whole row, named column by column, so that a later column does not break old links.
SEALED = (
    *("ballot_id", "trial_id", "consent_id", "outcome", "body_seal", "received_at"),
    *("protocol", "protocol_version", "label_set", "label_set_sha256"),
)
SEALED_AS_JSON = ("revision", "payload", "heard", "client", "flags")


@dataclass(frozen=True)
class VoteEvent:
    """What the browser says happened: its own id, the page, the revision it knew, and the answer."""

    event_id: UUID
    trial: UUID
    revision: int
    payload: Json
    heard: Json
    clock: Json
    client: str

    def body(self) -> Json:
        """Everything that must be equal for two deliveries to be the same event."""
        return {
            "trial": str(self.trial),
            "revision": self.revision,
            "payload": self.payload,
            "heard": self.heard,
            "clock": self.clock,
        }


@dataclass(frozen=True)
class Receipt:
    """The server's final word on one event; only after it may the browser forget the event."""

    event_id: UUID
    status: Literal["stored", "replay", "conflict", "refused"]
    revision: int | None
    error: AppError | None = None


def cast_vote(*, ballot_id: UUID, event: VoteEvent) -> Receipt:
    """Store an answer in one transaction, or say why not. The same event again gets the same receipt.

    The unique key on the event id is what makes a retry harmless: it lives in the same transaction as the effect.
    """
    try:
        return _store(ballot_id, event)
    except IntegrityError:
        return _replay(ballot_id, event)
    except AppError as error:
        return _refuse(ballot_id, event, error)


@transaction.atomic(durable=True)
def _store(ballot_id: UUID, event: VoteEvent) -> Receipt:
    ballot = Ballot.objects.select_for_update(of=("self",)).select_related("experiment", "consent").get(pk=ballot_id)
    if ballot.closed_at is not None:
        raise BallotClosed
    if not hasattr(ballot, "consent"):
        raise NoConsent
    slots = list(
        Slot.objects.filter(trial_id=event.trial, trial__ballot=ballot).select_related(
            "trial", "stimulus__item", "stimulus__condition"
        )
    )
    if not slots:
        raise UnknownTrial
    trial = slots[0].trial
    answer = protocol(ballot.experiment.protocol).read(event.payload, plan_of(trial, slots))
    accepted = event.revision == trial.revision
    vote = _append(ballot, trial, event, revision=trial.revision + 1 if accepted else None)
    if accepted:
        _score(vote, answer, slots)
        Trial.objects.filter(pk=trial.pk).update(current_vote=vote, revision=vote.revision)
    return _receipt(vote, trial, fresh=True)


def _append(ballot: Ballot, trial: Trial, event: VoteEvent, *, revision: int | None) -> Vote:
    experiment = ballot.experiment
    rules = protocol(experiment.protocol)
    vote = Vote(
        event_id=event.event_id,
        ballot=ballot,
        trial=trial,
        consent=ballot.consent,
        outcome=Vote.Outcome.CONFLICT if revision is None else Vote.Outcome.ACCEPTED,
        revision=revision,
        payload=event.payload,
        heard=event.heard,
        client={"version": event.client, "revision": event.revision, "clock": event.clock},
        flags=[] if experiment.state == Experiment.State.LIVE else ["late"],
        body_seal=_keyed(ballot.salt, event.body()),
        protocol=rules.slug,
        protocol_version=rules.version,
        label_set=experiment.label_set,
        label_set_sha256=rules.label_set(experiment.label_set).sha256,
    )
    vote.seal = _keyed(ballot.salt, _sealed_row(vote))
    vote.chain = _link(ballot.chain, vote)
    vote.save(force_insert=True)
    Ballot.objects.filter(pk=ballot.pk).update(chain=vote.chain, vote_count=ballot.vote_count + 1)
    return vote


def chain_holds(*, ballot: Ballot) -> bool:
    """Walk the log and recompute every seal and link; one altered, removed or swapped vote breaks it.

    Where the salt has been erased, the seals can no longer be recomputed, but the links over them still can.
    """
    votes = ballot.votes.order_by("id")
    head = ""
    for vote in votes:
        head = _link(head, vote)
        if head != vote.chain or (ballot.salt and vote.seal != _keyed(ballot.salt, _sealed_row(vote))):
            return False
    return head == ballot.chain and len(votes) == ballot.vote_count


def _link(previous: str, vote: Vote) -> str:
    return hashlib.sha256(f"{previous}{vote.event_id}{vote.seal}".encode()).hexdigest()


def _sealed_row(vote: Vote) -> Json:
    return {name: getattr(vote, name) for name in SEALED_AS_JSON} | {name: str(getattr(vote, name)) for name in SEALED}


def _keyed(salt: str, value: Json) -> str:
    return hmac.new(bytes.fromhex(salt), canonical(value), hashlib.sha256).hexdigest()


def _score(vote: Vote, answer: Answer, slots: list[Slot]) -> None:
    by_key = {slot.key: slot for slot in slots}
    Score.objects.bulk_create(
        Score(vote=vote, slot=by_key[mark.slot], scale=mark.scale, value=mark.value) for mark in answer.marks
    )


def _replay(ballot_id: UUID, event: VoteEvent) -> Receipt:
    """The event id is known: the same answer gets its receipt again, another answer is refused."""
    vote = Vote.objects.select_related("trial", "ballot").filter(event_id=event.event_id).first()
    if vote is None:
        raise RuntimeError(f"event {event.event_id} broke a constraint other than its own key")
    if vote.ballot_id != ballot_id or vote.body_seal != _keyed(vote.ballot.salt, event.body()):
        return _refuse(ballot_id, event, KeyReused())
    return _receipt(vote, vote.trial, fresh=False)


def _refuse(ballot_id: UUID, event: VoteEvent, error: AppError) -> Receipt:
    """Keep what was refused and why. An answer stored earlier under this id is never turned into a refusal."""
    if not isinstance(error, KeyReused) and Vote.objects.filter(event_id=event.event_id).exists():
        return _replay(ballot_id, event)
    Refusal.objects.bulk_create(
        [
            Refusal(
                event_id=event.event_id,
                ballot_id=ballot_id,
                body=event.body(),
                body_sha256=digest(event.body()),
                code=error.code,
                sentence=str(error),
            )
        ],
        ignore_conflicts=True,
    )
    return Receipt(event_id=event.event_id, status="refused", revision=None, error=error)


def _receipt(vote: Vote, trial: Trial, *, fresh: bool) -> Receipt:
    if vote.outcome == Vote.Outcome.CONFLICT:
        return Receipt(event_id=vote.event_id, status="conflict", revision=trial.revision)
    return Receipt(event_id=vote.event_id, status="stored" if fresh else "replay", revision=vote.revision)
