"""The exclusions ledger: what can be excluded, who did it when and why, and that nothing is ever deleted."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from core.errors import AppError
from core.models import AuditEntry
from listening.models import Exclusion, Seat
from listening.panels.services.exclusions import RuleOutcome, Target, exclude, exclude_by_rule, excluded_now, lift
from listening.panels.services.seats import reissue_seat
from rating.models import Experiment, Score, Vote
from rating.services.experiments import unblind
from rating.services.votes import cast_vote
from tests.factories import make_experiment, seated_visit, vote_event

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=3)


def answered(experiment: Experiment, *, pages: int | None = None) -> Seat:
    seat = seated_visit(experiment).seat
    for trial in seat.ballot.trials.unanswered()[:pages]:
        cast_vote(ballot_id=seat.ballot.pk, event=vote_event(trial))
    return seat


def refused(code: str, experiment: Experiment, target: Target, reason: str = "late") -> None:
    with pytest.raises(AppError) as error:
        exclude(experiment=experiment, actor=experiment.owner, target=target, reason=reason)
    assert error.value.code == code


def test_an_entry_keeps_who_when_and_whether_conditions_were_known(experiment: Experiment) -> None:
    seat, owner = answered(experiment), experiment.owner
    answers = (Vote.objects.count(), Score.objects.count())
    first = exclude(experiment=experiment, actor=owner, target=Target(listener="sub-0001"), reason=" fell asleep ")
    assert (first.kind, first.seat, first.trial, first.reason) == ("listener", seat, None, "fell asleep")
    assert (first.made_by, first.after_unblinding) == (owner, False)
    assert excluded_now(experiment).ballots == {seat.ballot_id: "fell asleep"}
    unblind(experiment=experiment, actor=owner, reason="done")
    lifted = lift(experiment=experiment, entry_id=first.pk, actor=owner, reason="was awake")
    assert (lifted.lifted_by, lifted.lifted_reason, lifted.lifted_after_unblinding) == (owner, "was awake", True)
    assert not excluded_now(experiment)
    again = exclude(experiment=experiment, actor=owner, target=Target(panel=1, seat=1), reason="noise")
    assert (again.kind, again.after_unblinding) == ("seat", True)
    assert Exclusion.objects.count() == 2
    assert (Vote.objects.count(), Score.objects.count()) == answers
    made, back, _ = AuditEntry.objects.filter(action__startswith="exclusion.").order_by("id")
    place = {"kind": "listener", "panel": 1, "seat": 1, "occupancy": 1}
    assert (made.action, made.after, made.reason) == (
        "exclusion.made",
        place | {"after_unblinding": False},
        "fell asleep",
    )
    assert (back.action, back.before, back.reason) == ("exclusion.lifted", place, "was awake")
    with pytest.raises(AppError, match="was lifted before"):
        lift(experiment=experiment, entry_id=first.pk, actor=owner, reason="again")


def test_one_trial_is_excluded_alone() -> None:
    experiment = make_experiment(seats=1)
    seat = answered(experiment, pages=2)
    entry = exclude(
        experiment=experiment, actor=experiment.owner, target=Target(listener="sub-0001", position=2), reason="a phone"
    )
    trial = seat.ballot.trials.get(position=2)
    assert (entry.kind, entry.trial) == ("trial", trial)
    found = excluded_now(experiment)
    assert (found.reason(seat.ballot_id, 2), found.reason(seat.ballot_id, 1)) == ("a phone", "")


def test_what_cannot_be_excluded_is_refused_with_the_reason(experiment: Experiment) -> None:
    answered(experiment, pages=1)
    seated_visit(experiment)
    left = answered(experiment, pages=1)
    reissue_seat(seat=left, now=timezone.now(), actor=experiment.owner)
    one = Target(listener="sub-0001")
    refused("exclusion.reason_missing", experiment, one, reason=" ")
    refused("exclusion.listener_unknown", experiment, Target(listener="sub-0099"))
    refused("exclusion.listener_unknown", experiment, Target(listener="Anna"))
    refused("seat.unknown", experiment, Target(panel=1, seat=9))
    refused("exclusion.trial_unknown", experiment, Target(listener="sub-0001", position=99))
    refused("exclusion.no_answers", experiment, Target(listener="sub-0001", position=2))
    refused("exclusion.no_answers_of_seat", experiment, Target(listener="sub-0002"))
    refused("exclusion.not_counted", experiment, Target(listener="sub-0003"))
    exclude(experiment=experiment, actor=experiment.owner, target=one, reason="late")
    refused("exclusion.repeated", experiment, one)
    refused("exclusion.repeated", experiment, Target(panel=1, seat=1))
    refused("exclusion.trial_repeated", experiment, Target(listener="sub-0001", position=1))
    assert Exclusion.objects.count() == 1


def test_a_rule_excludes_all_it_proposes_or_nobody(experiment: Experiment) -> None:
    for _ in range(2):
        answered(experiment)
    both = [(Target(listener=f"sub-000{n}"), RuleOutcome("p913", 0.25, 0.75, "QUALITY")) for n in (1, 2)]
    exclude(experiment=experiment, actor=experiment.owner, target=both[1][0], reason="late")
    with pytest.raises(AppError, match="excluded already"):
        exclude_by_rule(experiment=experiment, actor=experiment.owner, found=both)
    assert Exclusion.objects.count() == 1
    (entry,) = exclude_by_rule(experiment=experiment, actor=experiment.owner, found=both[:1])
    assert entry.told == "p913: 0.25 (QUALITY, threshold 0.75)"


def test_the_database_knows_one_standing_exclusion_of_a_seat() -> None:
    experiment = make_experiment(seats=1)
    seat = answered(experiment)
    row = {"kind": "seat", "seat": seat, "made_by": experiment.owner, "after_unblinding": False}
    Exclusion.objects.create(**row, reason="late")
    for wrong in ({"reason": "again"}, {"reason": ""}, {"reason": "x", "kind": "trial"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Exclusion.objects.create(**(row | wrong))
