"""Checks of stored ballots: the votes against their chain, and all that was made of them against the votes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from core.errors import AppError
from core.hashing import digest
from core.models import AuditEntry
from rating.models import Ballot, Consent, Experiment, Score, Trial, Vote
from rating.protocol import Answer
from rating.registry import get_protocol
from rating.services.ballots import plan_digest
from rating.services.disposal import REMOVED
from rating.services.experiments import design_digest
from rating.services.pages import plan_of
from rating.services.votes import chain_problems, heads_of


def heads(ballots: Iterable[Ballot]) -> dict[str, list[int | str]]:
    """What the audit log keeps of ballots, so that their votes are part of its chain too."""
    return {str(ballot.pk): [ballot.vote_count, ballot.chain] for ballot in ballots if ballot.vote_count}


def heads_on_record() -> dict[UUID, list[tuple[int, str]]]:
    """Every head that the audit log has kept, by ballot."""
    kept: dict[UUID, list[tuple[int, str]]] = defaultdict(list)
    for entry in AuditEntry.objects.filter(after__has_key="heads").iterator():
        for ballot, (count, head) in (entry.after or {})["heads"].items():
            kept[UUID(ballot)].append((count, head))
    return kept


def removed_ballots() -> set[UUID]:
    """The ballots that went with their experiment after its time in the bin."""
    removals = AuditEntry.objects.filter(action=REMOVED).iterator()
    return {UUID(ballot) for entry in removals for ballot in (entry.after or {})["ballots"]}


def experiment_problems(experiment: Experiment) -> Iterator[str]:
    """Whether the design is still the one that was frozen, and that one the one in the audit log."""
    if experiment.state == Experiment.State.DRAFT:
        return
    if experiment.design_sha256 != design_digest(experiment):
        yield "its stimuli, texts, options or wording are no longer those with which it went live"
    changes = ("experiment.state_changed", "experiment.amended", "experiment.extended")
    entries = AuditEntry.objects.filter(action__in=changes, target=f"experiment/{experiment.slug}")
    newest = entries.order_by("id").last()
    frozen = newest.after or {} if newest else {}
    if (frozen.get("state"), frozen.get("design_sha256")) != (experiment.state, experiment.design_sha256):
        yield "its state or the hash of its design is not the one in the audit log"


def ballot_problems(ballot: Ballot, *, on_record: Sequence[tuple[int, str]] = ()) -> Iterator[str]:
    votes = list(ballot.votes.order_by("id"))
    if not ballot.salt:
        yield "its salt is gone, so that nobody can tell whether votes were altered"
    yield from chain_problems(ballot=ballot, votes=votes)
    yield from _consent_problems(ballot)
    for count, head in on_record:
        link = votes[count - 1].chain if 0 < count <= len(votes) else ""
        if count > len(votes) or head not in heads_of(ballot, count, link):
            yield f"the audit log has {count} votes of it that are not those it holds"
    trials = list(ballot.trials.order_by("position").prefetch_related(*SHOWN))
    if plan_digest(plan_of(trial, trial.slots.all()) for trial in trials) != ballot.plan_sha256:
        yield "its pages are not those that were planned: other stimuli, scales or another order"
    by_trial: dict[UUID, list[Vote]] = defaultdict(list)
    for vote in votes:
        by_trial[vote.trial_id].append(vote)
    scores = _scores(ballot)
    for trial in trials:
        yield from _trial_problems(trial, by_trial[trial.pk], scores)


def _consent_problems(ballot: Ballot) -> Iterator[str]:
    consent = Consent.objects.filter(ballot=ballot).select_related("text_version").first()
    if consent is not None and consent.text_sha256 != digest(consent.text_version.consent_text):
        yield "its consent was given to another text than the one that is kept with it"


SHOWN = ("slots__stimulus__item", "slots__stimulus__condition", "slots__stimulus__recording")
Marks = set[tuple[int, str, float]]


def _trial_problems(trial: Trial, votes: Sequence[Vote], scores: dict[int, Marks]) -> Iterator[str]:
    accepted = [vote for vote in votes if vote.outcome == Vote.Outcome.ACCEPTED]
    newest = accepted[-1] if accepted else None
    if trial.current_vote_id != (newest.pk if newest else None) or trial.revision != len(accepted):
        yield f"page {trial.position} does not point at its newest accepted vote"
    slots = {slot.key: slot.pk for slot in trial.slots.all()}
    for vote in votes:
        answer, problem = _read(trial, vote)
        if problem:
            yield problem
            continue
        if answer is None:
            continue
        counts = answer.whole and vote.outcome == Vote.Outcome.ACCEPTED
        marks = {(slots[mark.slot], mark.scale, mark.value) for mark in answer.marks} if counts else set()
        if marks != scores.get(vote.pk, set()):
            yield f"the scores of vote {vote.event_id} on page {trial.position} are not those that it gives"
        if vote is newest and trial.answered != answer.whole:
            yield f"page {trial.position} is marked as {'answered' if trial.answered else 'open'}, and is not"


def _read(trial: Trial, vote: Vote) -> tuple[Answer | None, str]:
    """The protocol's reading of a vote, or a problem; neither for a vote of another protocol version."""
    protocol = get_protocol(vote.protocol)
    if vote.protocol_version != protocol.version:
        return None, ""
    try:
        return protocol.read(vote.payload, plan_of(trial, trial.slots.all())), ""
    except AppError as error:
        return None, f"vote {vote.event_id} is no answer to page {trial.position}: {error}"


def _scores(ballot: Ballot) -> dict[int, Marks]:
    found: dict[int, Marks] = defaultdict(set)
    rows = Score.objects.filter(vote__ballot=ballot).values_list("vote_id", "slot_id", "scale", "value")
    for vote, slot, scale, value in rows:
        found[vote].add((slot, scale, value))
    return found
