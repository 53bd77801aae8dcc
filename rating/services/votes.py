"""Votes: cast once whatever the network does, chained, never altered. The protocol is docs/decisions/0004."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from core import sql
from core.errors import AppError
from core.hashing import canonical, digest
from core.hmacs import hmac_of, valid_hmacs
from rating.errors import KeyReused, SoundNotFetched, unknown_trial
from rating.label_sets import label_set_of
from rating.models import Ballot, RejectedVote, Vote
from rating.protocol import Answer, Json
from rating.services.vote_context import BallotState, TrialContext, lock_ballot_state, trial_context

# What the chain commits to: the whole row, named column by column, so that a later column does not break old links.
SIGNED_FIELDS = (
    *("ballot_id", "trial_id", "consent_id", "outcome", "body_hmac", "received_at"),
    *("protocol", "protocol_version", "label_set", "label_set_sha256"),
)
SIGNED_AS_JSON = ("revision", "payload", "heard", "client", "flags")
_COLUMNS = (
    *("event_id", "ballot_id", "trial_id", "consent_id", "outcome", "revision", "payload", "heard", "client", "flags"),
    *("body_hmac", "seal", "protocol", "protocol_version", "label_set", "label_set_sha256", "chain", "received_at"),
)
_JSON_COLUMNS = {"payload", "heard", "client", "flags"}
_ADD_VOTE = f"""
INSERT INTO rating_vote ({", ".join(_COLUMNS)}) VALUES ({", ".join(f"%({name})s" for name in _COLUMNS)}) RETURNING id
"""  # noqa: S608 - made of the names above
_ADD_SCORE = """
INSERT INTO rating_score (vote_id, slot_id, scale, value) VALUES (%(vote)s, %(slot)s, %(scale)s, %(value)s)
"""
_MOVE_HEAD = """
UPDATE rating_ballot SET chain = %(chain)s, vote_count = %(count)s, vote_bytes = %(bytes)s WHERE id = %(ballot)s
"""
_ANSWER_TRIAL = """
UPDATE rating_trial SET current_vote_id = %(vote)s, revision = %(revision)s, answered = %(whole)s WHERE id = %(trial)s
"""
MB = 1024 * 1024
MOST_REJECTED = 1000  # kept of one ballot; later ones are answered in the same way, and not kept
REJECTED_KEPT_WHOLE, MOST_REJECTED_BYTES = (
    50,
    4096,
)  # the first are kept as they came, later ones only if they are small


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
    """The server's word on one event. After any but `sound_missing` the browser may forget the event.

    What is `sound_missing` may be sent again as it is, once the sounds in `unfetched` have been fetched.
    """

    event_id: UUID
    status: Literal["stored", "replay", "conflict", "refused", "sound_missing"]
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
        return _reject(ballot_id, event, error)


def _ballot_abandoned() -> AppError:
    return AppError(
        "visit.given_away", 409, _("This place was given to another person; this answer is kept, and does not count.")
    )


def _ballot_closed() -> AppError:
    return AppError(
        "visit.finished", 409, _("This test is finished and its receipt issued; its answers no longer change.")
    )


def _no_consent() -> AppError:
    return AppError(
        "vote.no_consent", 409, _("No answer is taken before consent. Open your link again and agree first.")
    )


def _store(ballot_id: UUID, event: VoteEvent, *, sound_needed: bool) -> Receipt:
    # Everything that cannot change is read before the lock, so that others wait for as little as possible.
    context = trial_context(trial_id=event.trial, ballot_id=ballot_id)
    if context is None:
        raise _reason_without_trial(ballot_id)
    limits, size = WORKED_ON if context.protocol.access.workspace else RATED, len(canonical(event.body()))
    if size > limits.answer_bytes:
        raise AppError(
            "vote.too_large",
            413,
            _("The answer holds more than {most} bytes, which is more than any answer to this page needs."),
            most=limits.answer_bytes,
        )
    with transaction.atomic(durable=True):
        state = lock_ballot_state(trial_id=event.trial, ballot_id=ballot_id)
        if state is None or state.closed_at is not None:
            raise _ballot_abandoned() if state and state.abandoned_at else _ballot_closed()
        if context.consent_id is None:
            raise _no_consent()
        answer = context.protocol.read(event.payload, context.plan)
        accepted = event.revision == state.revision
        if sound_needed and accepted and answer.whole and not state.answered and (missing := context.unfetched()):
            raise SoundNotFetched(media=missing)
        _check_limits(state, limits, size)
        vote = _append(ballot_id, context, state, event, consent_id=context.consent_id, accepted=accepted, size=size)
        if accepted:
            if answer.whole:
                _score(vote, answer, context)
            revision = state.revision + 1
            sql.execute(_ANSWER_TRIAL, trial=event.trial, vote=vote.pk, revision=revision, whole=answer.whole)
    return _receipt(vote, state.revision, fresh=True)


def _check_limits(state: BallotState, limits: Limits, size: int) -> None:
    if state.revision >= limits.revisions:
        raise AppError(
            "vote.too_many",
            409,
            _("This page has been answered {most} times and takes no further answer. The last one counts."),
            most=limits.revisions,
        )
    if state.vote_bytes + size > limits.ballot_bytes:
        raise AppError(
            "vote.ballot_full",
            409,
            _(
                "The answers of this seat hold {most_mb} MB, and no more are taken. Everything up to here is kept; "
                "please tell the experimenter."
            ),
            most_mb=limits.ballot_bytes // MB,
        )


def _reason_without_trial(ballot_id: UUID) -> AppError:
    """The error for a trial that is not part of the ballot; a closed ballot comes first."""
    ballot = Ballot.objects.select_related("consent").get(pk=ballot_id)
    if ballot.closed_at is not None:
        return _ballot_closed()
    return unknown_trial() if hasattr(ballot, "consent") else _no_consent()


def _append(
    ballot_id: UUID,
    context: TrialContext,
    state: BallotState,
    event: VoteEvent,
    *,
    consent_id: UUID,
    accepted: bool,
    size: int,
) -> Vote:
    now = timezone.now()
    too_soon = state.revision == 0 and context.answered_too_soon(now)
    vote = Vote(
        event_id=event.event_id,
        ballot_id=ballot_id,
        trial_id=event.trial,
        consent_id=consent_id,
        outcome=Vote.Outcome.ACCEPTED if accepted else Vote.Outcome.CONFLICT,
        revision=state.revision + 1 if accepted else None,
        payload=event.payload,
        heard=event.heard,
        client={"version": event.client, "revision": event.revision, "clock": event.clock},
        flags=[*([] if context.live else ["late"]), *(["fast"] if too_soon else [])],
        body_hmac=hmac_of(canonical(event.body()), salt=state.salt),
        protocol=context.protocol.slug,
        protocol_version=context.protocol.version,
        label_set=context.label_set,
        label_set_sha256=label_set_of(context.protocol, context.label_set).sha256,
        received_at=now,
    )
    vote.seal = hmac_of(signed_row(vote), salt=state.salt)
    vote.chain = link_of(vote, previous_head=state.chain)
    count = state.vote_count + 1
    values = {name: getattr(vote, name) for name in _COLUMNS}
    values |= {name: sql.Json(values[name]) for name in _JSON_COLUMNS}
    vote.pk = sql.fetch(_ADD_VOTE, **values)[0]["id"]
    head = hmac_of(head_message(ballot_id, state.plan_sha256, count, vote.chain))
    sql.execute(_MOVE_HEAD, ballot=ballot_id, chain=head, count=count, bytes=state.vote_bytes + size)
    return vote


# --- The chain over a ballot's votes ----------------------------------------------------------------------------------
# Each link covers the vote and the head before it. The head is an HMAC, stored with the ballot and nowhere else:
# without the key nobody can say what it was before the last vote, so votes cannot be removed from the end. It also
# covers the ballot's plan and its number of votes.


def link_of(vote: Vote, *, previous_head: str) -> str:
    """Hash of a vote and the head before it."""
    return hashlib.sha256(f"{previous_head}{vote.event_id}{vote.seal}".encode()).hexdigest()


def head_message(ballot_id: UUID, plan_sha256: str, count: int, link: str) -> bytes:
    """Message whose HMAC is the head of a ballot with `count` votes; the link is empty where there is none."""
    return f"ballot {ballot_id} {plan_sha256} {count} {link}".encode()


def heads_of(ballot: Ballot, count: int, link: str) -> list[str]:
    """The head under each key that is or was in use."""
    return valid_hmacs(head_message(ballot.pk, ballot.plan_sha256, count, link))


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
        elif ballot.salt and vote.seal not in valid_hmacs(signed_row(vote), salt=ballot.salt):
            yield f"vote {vote.event_id} was altered after it was cast"
        heads = heads_of(ballot, number, vote.chain)
    if ballot.vote_count != len(votes):
        yield f"it counts {ballot.vote_count} votes and holds {len(votes)}"
    elif ballot.chain not in heads:
        yield "its chain does not end with its last vote: votes were removed from the end, or its plan was altered"


def signed_row(vote: Vote) -> bytes:
    parts = {name: getattr(vote, name) for name in SIGNED_AS_JSON} | {
        name: str(getattr(vote, name)) for name in SIGNED_FIELDS
    }
    return canonical(parts)


def _score(vote: Vote, answer: Answer, context: TrialContext) -> None:
    for mark in answer.marks:
        sql.execute(_ADD_SCORE, vote=vote.pk, slot=context.slot_ids[mark.slot], scale=mark.scale, value=mark.value)


def _replay(ballot_id: UUID, event: VoteEvent) -> Receipt:
    """The event id is known: the same answer gets its receipt again, another answer is rejected."""
    vote = Vote.objects.select_related("trial", "ballot").filter(event_id=event.event_id).first()
    if vote is None:
        raise RuntimeError(f"event {event.event_id} broke a constraint other than its own key")
    if vote.ballot_id != ballot_id or vote.body_hmac not in valid_hmacs(canonical(event.body()), salt=vote.ballot.salt):
        return _reject(ballot_id, event, KeyReused())
    return _receipt(vote, vote.trial.revision, fresh=False)


def _reject(ballot_id: UUID, event: VoteEvent, error: AppError) -> Receipt:
    """Keep what was rejected and why. An answer stored earlier under this id stays stored."""
    if not isinstance(error, KeyReused) and Vote.objects.filter(event_id=event.event_id).exists():
        return _replay(ballot_id, event)
    _keep_rejected(ballot_id, event, error)
    if isinstance(error, SoundNotFetched):
        unfetched = tuple(error.data["media"])
        return Receipt(event_id=event.event_id, status="sound_missing", revision=None, error=error, unfetched=unfetched)
    return Receipt(event_id=event.event_id, status="refused", revision=None, error=error)


def _keep_rejected(ballot_id: UUID, event: VoteEvent, error: AppError) -> None:
    """Keep a rejected answer, within limits: a program that is rejected without end must not fill the database."""
    body, kept = event.body(), RejectedVote.objects.filter(ballot=ballot_id).count()
    small = len(canonical(body)) <= MOST_REJECTED_BYTES
    if kept >= MOST_REJECTED:
        return
    RejectedVote.objects.bulk_create(
        [
            RejectedVote(
                event_id=event.event_id,
                ballot_id=ballot_id,
                body=body if small or kept < REJECTED_KEPT_WHOLE else {"trial": body["trial"], "left_out": True},
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
