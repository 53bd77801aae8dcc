"""Verification of votes, receipts and the audit log, and the root hash that covers them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db import transaction

from core.models import AuditEntry
from core.services import audit
from listening.models import Completion
from rating.models import Ballot, Experiment
from rating.services.verification import (
    ballot_problems,
    experiment_problems,
    heads,
    heads_on_record,
    removed_ballots,
)

COMPLETED = "ballot.completed"
WITHDRAWN = "ballot.withdrawn"  # by the participant
WRONG_KEY = (
    "None of the {count} seals on the audit log fits this server's key (EARMARK_SEAL_KEY): it is not the key that they "
    "were made with, or all of them were replaced."
)


@dataclass
class Verification:
    """Counts of what was verified, and every problem as a sentence."""

    votes: int = 0
    ballots: int = 0
    entries: int = 0
    problems: list[str] = field(default_factory=list)


def verify(*, experiment: str = "") -> Verification:
    """Verify the audit log and the votes, of one experiment or of all."""
    found = Verification(entries=AuditEntry.objects.count())
    found.problems += log_problems()
    if found.problems == [WRONG_KEY.format(count=found.entries)]:
        return found
    experiments = Experiment.objects.order_by("slug")
    ballots = Ballot.objects.select_related("experiment", "seat__completion").order_by("experiment__slug", "pk")
    kept = heads_on_record()
    if experiment:
        experiments, ballots = experiments.filter(slug=experiment), ballots.filter(experiment__slug=experiment)
    else:
        gone = kept.keys() - set(ballots.values_list("pk", flat=True)) - removed_ballots()
        found.problems += [f"Ballot {pk} is gone, and the audit log has votes of it." for pk in sorted(gone)]
    for row in experiments:
        found.problems += [f"Experiment {row.slug}: {problem}." for problem in experiment_problems(row)]
    for ballot in ballots.iterator():
        found.ballots += 1
        found.votes += ballot.vote_count
        on_record = kept.get(ballot.pk, ())
        found.problems += [f"Ballot {ballot}: {one}." for one in ballot_problems(ballot, on_record=on_record)]
        found.problems += [f"Ballot {ballot}: {one}." for one in completion_problems(ballot)]
    return found


def log_problems() -> list[str]:
    broken = list(audit.broken_entries())
    if broken and len(broken) == AuditEntry.objects.count():
        return [WRONG_KEY.format(count=len(broken))]
    problems = [
        f"Audit entry {entry.pk} ({entry.at:%Y-%m-%d %H:%M:%S} UTC, {entry.action}) does not hold: it was altered, or "
        "one before it was removed or added."
        for entry in broken
    ]
    if not audit.ends_with_head():
        problems.append("The audit log does not end with the entry that was written last: entries were removed.")
    return problems


def completion_problems(ballot: Ballot) -> Iterator[str]:
    """Problems of a receipt that differs from its ballot or from the audit log."""
    completion = getattr(getattr(ballot, "seat", None), "completion", None)
    entry = completion_entry(ballot)
    if completion is None:
        if entry is not None or (ballot.closed_at is not None and ballot.abandoned_at is None):
            yield "it was finished, and its receipt is gone"
        return
    if entry is None or entry.after != _completed(completion, ballot):
        yield "its receipt, or whether it counts, is not what the audit log says"
    if ballot.abandoned_at is not None and not _is_withdrawn(ballot):
        yield "it was finished, and is marked as abandoned, so that it does not count"
    if completion.chain != ballot.chain:
        yield "its receipt was given for other votes than it holds"
    answered = ballot.trials.filter(answered=True).count()
    if completion.vote_count != answered:
        yield f"its receipt is for {completion.vote_count} answers, and {answered} pages are answered"


def record_completion(*, completion: Completion, ballot: Ballot) -> AuditEntry:
    """Put a receipt, and with it the end of the ballot's chain, into the audit log."""
    return audit.record(actor=None, action=COMPLETED, target=ballot, after=_completed(completion, ballot))


def completion_entry(ballot: Ballot) -> AuditEntry | None:
    return AuditEntry.objects.filter(action=COMPLETED, target=audit.name_of(ballot)).order_by("id").first()


def _is_withdrawn(ballot: Ballot) -> bool:
    return AuditEntry.objects.filter(action=WITHDRAWN, target=audit.name_of(ballot)).exists()


def completion_root(ballot: Ballot) -> str:
    """The root of the log when the ballot was finished, for its receipt."""
    entry = completion_entry(ballot)
    return audit.root_of(entry) if entry else ""


@transaction.atomic
def take_root() -> str:
    """Put the end of every open ballot's chain into the audit log, and return the root that covers it all."""
    open_ballots = Ballot.objects.filter(vote_count__gt=0, seat__completion__isnull=True).order_by("pk")
    after = {"heads": heads(open_ballots)}
    return audit.root_of(audit.record(actor=None, action="votes.root_taken", target="votes", after=after))


def _completed(completion: Completion, ballot: Ballot) -> dict[str, object]:
    told = {"code": completion.code, "answers": completion.vote_count, "kind": str(ballot.kind)}
    return told | {"heads": heads([ballot])}
