"""Archive and bin of experiments: hidden, deleted for 30 days, restored, removed for good."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import AuditEntry, User
from core.services import audit
from rating.errors import wrong_state
from rating.models import Ballot, Consent, Experiment, RejectedVote, Score, TextVersion, Trial, Vote
from rating.services.access import experiment_not_found
from rating.services.experiments import check_no_jobs, locked

DAYS_IN_BIN = 30  # rating.0001_initial says the same to the database, which keeps votes until then
REMOVED = "experiment.removed"


@transaction.atomic
def archive(*, experiment: Experiment, actor: User) -> Experiment:
    """Hide an experiment from lists; all else stays as it is."""
    experiment = _checked_not_live(experiment)
    return _mark(experiment, actor, "experiment.archived", archived_at=timezone.now())


@transaction.atomic
def unarchive(*, experiment: Experiment, actor: User) -> Experiment:
    return _mark(locked(experiment), actor, "experiment.unarchived", archived_at=None)


def would_lose(experiment: Experiment) -> dict[str, int]:
    """What deleting the experiment would lose in the end."""
    counts = experiment.ballots.counts_by_kind()
    main = counts.get(Ballot.Kind.MAIN, {})
    return {
        "seats": main.get("ballots", 0),
        "listeners": Consent.objects.filter(ballot__experiment=experiment, ballot__kind=Ballot.Kind.MAIN).count(),
        "answers": Vote.objects.filter(ballot__experiment=experiment, ballot__kind=Ballot.Kind.MAIN).count(),
        "other_answers": Vote.objects.filter(ballot__experiment=experiment)
        .exclude(ballot__kind=Ballot.Kind.MAIN)
        .count(),
    }


@transaction.atomic
def delete_experiment(*, experiment: Experiment, actor: User, typed: str) -> Experiment:
    """Put an experiment into the bin, from where it can be restored for 30 days. Its short name is typed to confirm."""
    experiment = _checked_not_live(experiment)
    check_no_jobs(experiment)
    if typed.strip() != experiment.slug:
        raise AppError(
            "experiment.name_mismatch",
            422,
            _("Type the short name {slug} to delete the experiment."),
            slug=experiment.slug,
        )
    return _mark(experiment, actor, "experiment.deleted", deleted_at=timezone.now())


@transaction.atomic
def restore(*, experiment: Experiment, actor: User) -> Experiment:
    """Take an experiment out of the bin, as it was."""
    experiment = locked(experiment)
    if past_bin().filter(pk=experiment.pk).exists():
        raise experiment_not_found(experiment.slug)  # its removal may have begun
    return _mark(experiment, actor, "experiment.restored", deleted_at=None)


def binned_experiment_for(user: User, slug: str) -> Experiment:
    """The experiment in the bin, if this user may restore it."""
    found = Experiment.objects.in_bin_of(user).select_related("collection", "owner").filter(slug=slug).first()
    if found is None:
        raise experiment_not_found(slug)
    return found


def _checked_not_live(experiment: Experiment) -> Experiment:
    experiment = locked(experiment)
    if experiment.state == Experiment.State.LIVE:
        raise wrong_state(experiment, needed="draft, paused or closed")
    return experiment


def _mark(experiment: Experiment, actor: User, action: str, **marks: Any) -> Experiment:
    if all((getattr(experiment, name) is None) == (value is None) for name, value in marks.items()):
        return experiment
    for name, value in marks.items():
        setattr(experiment, name, value)
    experiment.save(update_fields=list(marks))
    audit.record(actor=actor, action=action, target=f"experiment/{experiment.slug}")
    return experiment


# --- After 30 days ----------------------------------------------------------------------------------------------------


def past_bin() -> QuerySet[Experiment]:
    """Experiments whose time in the bin is over."""
    return Experiment.objects.filter(deleted_at__lt=timezone.now() - timedelta(days=DAYS_IN_BIN))


def record_removal(experiment: Experiment) -> None:
    """Note in the audit log, once, which ballots are about to go; verification expects them no longer."""
    with transaction.atomic():
        target = audit.name_of(experiment)
        if AuditEntry.objects.filter(action=REMOVED, target=target).exists():
            return
        ballots = [str(pk) for pk in experiment.ballots.order_by("pk").values_list("pk", flat=True)]
        after = {"slug": experiment.slug, "ballots": ballots} | would_lose(experiment)
        audit.record(actor=None, action=REMOVED, target=target, after=after)


def remove_ballot(ballot: Ballot) -> None:
    """Delete a ballot and everything on it; the database lets votes go only after their time in the bin."""
    with transaction.atomic():
        Score.objects.filter(vote__ballot=ballot).delete()
        Trial.objects.filter(ballot=ballot).update(current_vote=None, revision=0, answered=False)
        Vote.objects.filter(ballot=ballot).delete()
        RejectedVote.objects.filter(ballot=ballot).delete()
        Consent.objects.filter(ballot=ballot).delete()
        ballot.delete()


def remove_experiment(experiment: Experiment) -> None:
    """Delete the row at last, when no seat and no ballot is left."""
    with transaction.atomic():
        TextVersion.objects.filter(experiment=experiment).delete()
        experiment.delete()
