"""Votes restored from a dataset: sealed anew by this server in their old order, with their times and revisions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID, uuid5

from django.db import transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.hashing import canonical
from core.hmacs import hmac_of
from rating.models import Ballot, Consent, Experiment, Score, Slot, TextVersion, Trial, Vote
from rating.registry import get_protocol
from rating.services.pages import plan_of, whole_slots
from rating.services.texts import current_texts
from rating.services.votes import head_message, link_of, signed_row

ROWS_AT_ONCE, PAGES_AT_ONCE = 1000, 200
Mark = tuple[str, str, float]  # slot, scale, value


@dataclass(frozen=True)
class RestoredVote:
    """An answer as a dataset has it; the trial is one of this server's."""

    event_id: UUID
    trial: UUID
    accepted: bool
    revision: int | None
    marks: tuple[Mark, ...]
    payload: Any
    heard: Any
    client: Mapping[str, Any]
    flags: list[str]
    received_at: datetime
    protocol: str
    protocol_version: str
    label_set: str
    label_set_sha256: str


@dataclass
class _Ballot:
    """What every vote moves on."""

    row: Ballot
    consent: UUID | None
    count: int = 0
    size: int = 0


@dataclass
class _Page:
    row: Trial
    slots: dict[str, int]
    newest: tuple[int, int] | None = None  # the revision and the key of the current vote


@dataclass
class _Restoring:
    experiment: Experiment
    ballots: dict[UUID, _Ballot] = field(default_factory=dict)
    pages: dict[UUID, _Page] = field(default_factory=dict)


@transaction.atomic
def restore_consents(
    *, experiment: Experiment, texts: Iterable[Mapping[str, Any]], agreed: Mapping[UUID, tuple[int | None, str, str]]
) -> None:
    """Restore the versions of the texts, and which one was agreed to on each ballot: number, hash and language."""
    versions = {row["number"]: TextVersion(experiment=experiment, **row) for row in texts}
    TextVersion.objects.bulk_create(versions.values())
    unpublished = current_texts(experiment=experiment) if None in {number for number, *_ in agreed.values()} else None
    Consent.objects.bulk_create(
        Consent(
            ballot_id=ballot,
            text_version=versions[number] if number is not None else unpublished,
            text_sha256=sha256,
            language=language,
        )
        for ballot, (number, sha256, language) in agreed.items()
    )


@transaction.atomic
def restore_votes(*, experiment: Experiment, votes: Iterable[RestoredVote], answered: set[UUID]) -> int:
    """Append votes in the order in which they are given, and make the newest of each page the current one.

    `answered` are the pages whose newest answer is a whole one. Returns how many votes there were.
    """
    state = _read(experiment)
    count, rest = 0, iter(votes)
    while some := list(islice(rest, ROWS_AT_ONCE)):
        taken = set(
            Vote.objects.filter(event_id__in=[vote.event_id for vote in some]).values_list("event_id", flat=True)
        )
        made = Vote.objects.bulk_create([_sealed(state, vote, taken) for vote in some])
        count += len(made)
        Score.objects.bulk_create(_scores(state, zip(some, made, strict=True)), batch_size=ROWS_AT_ONCE)
        for vote, row in zip(some, made, strict=True):
            if vote.revision is not None:
                state.pages[vote.trial].newest = (vote.revision, row.pk)
    _write_heads(state, answered)
    return count


def _read(experiment: Experiment) -> _Restoring:
    consents = dict(Consent.objects.filter(ballot__experiment=experiment).values_list("ballot", "id"))
    ballots = {row.pk: _Ballot(row, consents.get(row.pk)) for row in experiment.ballots.select_for_update()}
    trials = Trial.objects.filter(ballot__experiment=experiment)
    pages = {trial.pk: _Page(trial, {}) for trial in trials}
    for trial, key, slot in Slot.objects.filter(trial__in=trials).values_list("trial", "key", "pk"):
        pages[trial].slots[key] = slot
    return _Restoring(experiment, ballots, pages)


def _sealed(state: _Restoring, vote: RestoredVote, taken: set[UUID]) -> Vote:
    page = state.pages[vote.trial]
    ballot = state.ballots[page.row.ballot_id]
    if ballot.consent is None:
        raise _unfit(vote, "there is no consent on its seat")
    body = {
        "trial": str(vote.trial),
        "revision": vote.client.get("revision"),
        "payload": vote.payload,
        "heard": vote.heard,
        "clock": vote.client.get("clock"),
    }
    message = canonical(body)
    row = Vote(
        event_id=uuid5(state.experiment.pk, str(vote.event_id)) if vote.event_id in taken else vote.event_id,
        ballot_id=ballot.row.pk,
        trial_id=vote.trial,
        consent_id=ballot.consent,
        outcome=Vote.Outcome.ACCEPTED if vote.accepted else Vote.Outcome.CONFLICT,
        revision=vote.revision,
        payload=vote.payload,
        heard=vote.heard,
        client=dict(vote.client),
        flags=vote.flags,
        body_hmac=hmac_of(message, salt=ballot.row.salt),
        protocol=vote.protocol,
        protocol_version=vote.protocol_version,
        label_set=vote.label_set,
        label_set_sha256=vote.label_set_sha256,
        received_at=vote.received_at,
    )
    row.seal = hmac_of(signed_row(row), salt=ballot.row.salt)
    row.chain = link_of(row, previous_head=ballot.row.chain)
    ballot.count, ballot.size = ballot.count + 1, ballot.size + len(message)
    ballot.row.chain = hmac_of(head_message(ballot.row.pk, ballot.row.plan_sha256, ballot.count, row.chain))
    return row


def _scores(state: _Restoring, votes: Iterable[tuple[RestoredVote, Vote]]) -> Iterator[Score]:
    for vote, row in votes:
        slots = state.pages[vote.trial].slots
        for slot, scale, value in vote.marks:
            if slot not in slots:
                raise _unfit(vote, f"its page has no slot {slot}")
            yield Score(vote=row, slot_id=slots[slot], scale=scale, value=value)


def _write_heads(state: _Restoring, answered: set[UUID]) -> None:
    for ballot in state.ballots.values():
        ballot.row.vote_count, ballot.row.vote_bytes = ballot.count, ballot.size
    Ballot.objects.bulk_update(
        [ballot.row for ballot in state.ballots.values()], ["chain", "vote_count", "vote_bytes"], batch_size=500
    )
    pages = [page for page in state.pages.values() if page.newest]
    for page in pages:
        page.row.revision, page.row.current_vote_id = page.newest or (0, None)
        page.row.answered = page.row.pk in answered
    Trial.objects.bulk_update([page.row for page in pages], ["revision", "current_vote", "answered"], batch_size=500)


def check_marks(*, experiment: Experiment) -> None:
    """Reject marks that the protocol does not read out of the current answers."""
    protocol = get_protocol(experiment.protocol)
    trials = Trial.objects.filter(ballot__experiment=experiment, answered=True).select_related("current_vote")
    whole = trials.prefetch_related(whole_slots(), "current_vote__scores__slot")
    for trial in whole.iterator(chunk_size=PAGES_AT_ONCE):
        vote = trial.current_vote
        if vote is None or vote.protocol_version != protocol.version:
            continue
        read = {
            (mark.slot, mark.scale, mark.value)
            for mark in protocol.read(vote.payload, plan_of(trial, trial.slots.all())).marks
        }
        if read != {(score.slot.key, score.scale, score.value) for score in vote.scores.all()}:
            raise AppError(
                "dataset.marks_differ",
                422,
                _("The marks of the answer {event} are not those that its protocol reads in it."),
                event=str(vote.event_id),
            )


def _unfit(vote: RestoredVote, problem: str) -> AppError:
    return AppError(
        "dataset.answer_unfit",
        422,
        _("The answer {event} of the dataset cannot be restored: {problem}."),
        event=str(vote.event_id),
        problem=problem,
    )
