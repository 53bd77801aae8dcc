"""Votes: cast once whatever the network does, chained, never altered. The protocol is docs/decisions/0004."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.errors import AppError
from core.hashing import canonical, digest, hmac_of, valid_hmacs
from core.prepared import PreparedInsert, PreparedUpdate
from rating.errors import (
    AnswerTooLarge,
    BallotAbandoned,
    BallotClosed,
    BallotFull,
    KeyReused,
    NoConsent,
    TooManyAnswers,
    Unheard,
    UnknownTrial,
)
from rating.models import Ballot, Refusal, Score, Trial, Vote
from rating.protocols.base import Answer, Json
from rating.services.asked import Page, Standing, lock_standing, page_of
from rating.services.chains import head_message, heads_of, link_of

# What the chain commits to: the whole row, named column by column, so that a later column does not break old links.
SEALED = (
    *("ballot_id", "trial_id", "consent_id", "outcome", "body_seal", "received_at"),
    *("protocol", "protocol_version", "label_set", "label_set_sha256"),
)
SEALED_AS_JSON = ("revision", "payload", "heard", "client", "flags")
_NEW_VOTE, _NEW_SCORE = PreparedInsert(Vote), PreparedInsert(Score)
_NEW_HEAD = PreparedUpdate(Ballot, chain="the newest link", vote_count=1, vote_bytes=2)
_NEW_ANSWER = PreparedUpdate(Trial, current_vote_id=3, revision=2, answered=True)
MB = 1024 * 1024
MOST_REFUSALS = 1000  # kept of one ballot; later ones are answered in the same way, and not kept
REFUSALS_KEPT_WHOLE, MOST_REFUSED_BYTES = 50, 4096  # the first are kept as they came, later ones only if they are small


@dataclass(frozen=True)
class Limits:
    """How much a seat may store: far more than a person gives, far less than a program could."""

    answer_bytes: int
    revisions: int  # of one page
    ballot_bytes: int


RATED = Limits(answer_bytes=8 * 1024, revisions=1000, ballot_bytes=8 * MB)
# Every step is kept, with the whole page as it then stands: a day of sound takes some thousand steps of 20 kB.
WORKED_ON = Limits(answer_bytes=48 * 1024, revisions=20_000, ballot_bytes=512 * MB)


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
    """The server's word on one event. After any but `unheard` the browser may forget the event.

    What is `unheard` may be sent again as it is, once the sounds in `unfetched` have been fetched.
    """

    event_id: UUID
    status: Literal["stored", "replay", "conflict", "refused", "unheard"]
    revision: int | None
    error: AppError | None = None
    unfetched: tuple[UUID, ...] = ()


def cast_vote(*, ballot_id: UUID, event: VoteEvent, sound_needed: bool = False) -> Receipt:
    """Store an answer in one transaction, or say why not. The same event again gets the same receipt.

    The unique key on the event id is what makes a retry harmless: it lives in the same transaction as the effect.
    `sound_needed` is for answers of a browser: a page's first answer is taken once its sound was fetched. Answers on
    paper, in workbooks and by programs inside this process come by themselves.
    """
    try:
        return _store(ballot_id, event, sound_needed=sound_needed)
    except IntegrityError:
        return _replay(ballot_id, event)
    except AppError as error:
        return _refuse(ballot_id, event, error)


def _store(ballot_id: UUID, event: VoteEvent, *, sound_needed: bool) -> Receipt:
    # Everything that cannot change is read before the lock, so that others wait for as little as possible.
    page = page_of(trial_id=event.trial, ballot_id=ballot_id)
    if page is None:
        raise _reason_without_page(ballot_id)
    limits, size = WORKED_ON if page.rules.workspace else RATED, len(canonical(event.body()))
    if size > limits.answer_bytes:
        raise AnswerTooLarge(most=limits.answer_bytes)
    with transaction.atomic(durable=True):
        standing = lock_standing(trial_id=event.trial, ballot_id=ballot_id)
        if standing is None or standing.closed_at is not None:
            raise BallotAbandoned if standing and standing.abandoned_at else BallotClosed
        if page.consent_id is None:
            raise NoConsent
        answer = page.rules.read(event.payload, page.plan)
        accepted = event.revision == standing.revision
        if sound_needed and accepted and answer.whole and not standing.answered and (missing := page.unfetched()):
            raise Unheard(media=missing)
        _check_room(standing, limits, size)
        vote = _append(ballot_id, page, standing, event, consent_id=page.consent_id, accepted=accepted, size=size)
        if accepted:
            if answer.whole:
                _score(vote, answer, page)
            revision = standing.revision + 1
            _NEW_ANSWER.change(event.trial, current_vote_id=vote.pk, revision=revision, answered=answer.whole)
    return _receipt(vote, standing.revision, fresh=True)


def _check_room(standing: Standing, limits: Limits, size: int) -> None:
    if standing.revision >= limits.revisions:
        raise TooManyAnswers(most=limits.revisions)
    if standing.vote_bytes + size > limits.ballot_bytes:
        raise BallotFull(most_mb=limits.ballot_bytes // MB)


def _reason_without_page(ballot_id: UUID) -> AppError:
    """Why there is nothing to answer; a closed ballot says so before anything else."""
    ballot = Ballot.objects.select_related("consent").get(pk=ballot_id)
    if ballot.closed_at is not None:
        return BallotClosed()
    return UnknownTrial() if hasattr(ballot, "consent") else NoConsent()


def _append(
    ballot_id: UUID, page: Page, standing: Standing, event: VoteEvent, *, consent_id: UUID, accepted: bool, size: int
) -> Vote:
    now = timezone.now()
    too_soon = standing.revision == 0 and page.answered_too_soon(now)
    vote = Vote(
        event_id=event.event_id,
        ballot_id=ballot_id,
        trial_id=event.trial,
        consent_id=consent_id,
        outcome=Vote.Outcome.ACCEPTED if accepted else Vote.Outcome.CONFLICT,
        revision=standing.revision + 1 if accepted else None,
        payload=event.payload,
        heard=event.heard,
        client={"version": event.client, "revision": event.revision, "clock": event.clock},
        flags=[*([] if page.live else ["late"]), *(["fast"] if too_soon else [])],
        body_seal=hmac_of(canonical(event.body()), salt=standing.salt),
        protocol=page.rules.slug,
        protocol_version=page.rules.version,
        label_set=page.label_set,
        label_set_sha256=page.rules.label_set(page.label_set).sha256,
        received_at=now,
    )
    vote.seal = hmac_of(_sealed_row(vote), salt=standing.salt)
    vote.chain = link_of(vote, previous_head=standing.chain)
    count = standing.vote_count + 1
    _NEW_VOTE.add(vote)
    head = hmac_of(head_message(ballot_id, standing.plan_sha256, count, vote.chain))
    _NEW_HEAD.change(ballot_id, chain=head, vote_count=count, vote_bytes=standing.vote_bytes + size)
    return vote


def chain_holds(*, ballot: Ballot) -> bool:
    return not any(chain_problems(ballot=ballot, votes=list(ballot.votes.order_by("id"))))


def chain_problems(*, ballot: Ballot, votes: Sequence[Vote]) -> Iterator[str]:
    """Recompute every seal and link; one altered, removed, added or swapped vote breaks the chain.

    Where the salt has been erased, the seals can no longer be recomputed, but the links over them still can.
    """
    heads = heads_of(ballot, 0, "")
    for number, vote in enumerate(votes, start=1):
        if vote.chain not in [link_of(vote, previous_head=head) for head in heads]:
            yield f"vote {vote.event_id} does not follow the one before it: a vote was altered, removed, added or moved"
        elif ballot.salt and vote.seal not in valid_hmacs(_sealed_row(vote), salt=ballot.salt):
            yield f"vote {vote.event_id} was altered after it was cast"
        heads = heads_of(ballot, number, vote.chain)
    if ballot.vote_count != len(votes):
        yield f"it counts {ballot.vote_count} votes and holds {len(votes)}"
    elif ballot.chain not in heads:
        yield "its chain does not end with its last vote: votes were removed from the end, or its plan was altered"


def _sealed_row(vote: Vote) -> bytes:
    parts = {name: getattr(vote, name) for name in SEALED_AS_JSON} | {name: str(getattr(vote, name)) for name in SEALED}
    return canonical(parts)


def _score(vote: Vote, answer: Answer, page: Page) -> None:
    for mark in answer.marks:
        _NEW_SCORE.add(Score(vote_id=vote.pk, slot_id=page.slot_ids[mark.slot], scale=mark.scale, value=mark.value))


def _replay(ballot_id: UUID, event: VoteEvent) -> Receipt:
    """The event id is known: the same answer gets its receipt again, another answer is refused."""
    vote = Vote.objects.select_related("trial", "ballot").filter(event_id=event.event_id).first()
    if vote is None:
        raise RuntimeError(f"event {event.event_id} broke a constraint other than its own key")
    if vote.ballot_id != ballot_id or vote.body_seal not in valid_hmacs(canonical(event.body()), salt=vote.ballot.salt):
        return _refuse(ballot_id, event, KeyReused())
    return _receipt(vote, vote.trial.revision, fresh=False)


def _refuse(ballot_id: UUID, event: VoteEvent, error: AppError) -> Receipt:
    """Keep what was refused and why. An answer stored earlier under this id is never turned into a refusal."""
    if not isinstance(error, KeyReused) and Vote.objects.filter(event_id=event.event_id).exists():
        return _replay(ballot_id, event)
    _keep_refusal(ballot_id, event, error)
    if isinstance(error, Unheard):
        unfetched = tuple(error.data["media"])
        return Receipt(event_id=event.event_id, status="unheard", revision=None, error=error, unfetched=unfetched)
    return Receipt(event_id=event.event_id, status="refused", revision=None, error=error)


def _keep_refusal(ballot_id: UUID, event: VoteEvent, error: AppError) -> None:
    """Keep a refused answer, within limits: a program that is refused without end must not fill the database."""
    body, kept = event.body(), Refusal.objects.filter(ballot=ballot_id).count()
    small = len(canonical(body)) <= MOST_REFUSED_BYTES
    if kept >= MOST_REFUSALS:
        return
    Refusal.objects.bulk_create(
        [
            Refusal(
                event_id=event.event_id,
                ballot_id=ballot_id,
                body=body if small or kept < REFUSALS_KEPT_WHOLE else {"trial": body["trial"], "left_out": True},
                body_sha256=digest(body),
                code=error.code,
                sentence=str(error),
            )
        ],
        ignore_conflicts=True,
    )


def _receipt(vote: Vote, current: int, *, fresh: bool) -> Receipt:
    """A conflict learns the revision that is current, so that the browser can go on from there."""
    if vote.outcome == Vote.Outcome.CONFLICT:
        return Receipt(event_id=vote.event_id, status="conflict", revision=current)
    return Receipt(event_id=vote.event_id, status="stored" if fresh else "replay", revision=vote.revision)
