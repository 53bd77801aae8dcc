"""manage.py verify_votes: changes made with the database's password show."""

import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import transaction
from django.db.backends.utils import CursorWrapper
from django.test import override_settings
from django.utils import timezone

from core.hashing import digest
from core.hmacs import hmac_of
from core.models import AuditEntry, AuditHead
from listening.models import Completion
from listening.participation.services.visits import finish_visit
from rating.models import Ballot, Experiment, Score, Slot, Trial, Vote
from rating.services import votes as casting
from rating.services.ballots import _outline
from rating.services.experiments import design_digest
from rating.services.pages import plan_of
from rating.services.votes import head_message, link_of
from stimuli.models import Stimulus
from tests.factories import make_experiment, marks, seated_visit, sit_down, vote_event
from tests.tampering import tampering

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Study:
    """A ballot with its receipt, and one that a person is still answering; each page was answered twice."""

    experiment: Experiment
    finished: Ballot
    open: Ballot


@pytest.fixture(scope="module")
def shared_study(module_db: None) -> Study:
    experiment = make_experiment(seats=3)
    ballots = []
    for pages in (4, 3):
        visit = seated_visit(experiment)
        for trial in visit.seat.ballot.trials.order_by("position")[:pages]:
            casting.cast_vote(ballot_id=trial.ballot_id, event=vote_event(trial, value=2))
            casting.cast_vote(ballot_id=trial.ballot_id, event=vote_event(trial, value=3, revision=1))
        if pages == 4:
            finish_visit(visit=visit, now=timezone.now())
        ballots.append(Ballot.objects.get(pk=visit.seat.ballot_id))
    return Study(experiment, *ballots)


@pytest.fixture
def study(shared_study: Study) -> Study:
    return deepcopy(shared_study)


def verdict(**options: Any) -> tuple[int, str]:
    """The exit status and what was said."""
    said = StringIO()
    try:
        call_command("verify_votes", stdout=said, **options)
    except CommandError as error:
        return error.returncode, str(error)
    return 0, said.getvalue()


def test_what_nobody_touched_holds(study: Study) -> None:
    entries = AuditEntry.objects.count()
    assert verdict() == (
        0,
        f"14 votes on 3 ballots, every chain holds, and so does the audit log of {entries} entries.\n",
    )
    assert verdict(experiment=study.experiment.slug) == verdict()
    assert verdict(experiment="another")[1].startswith("0 votes on 0 ballots")


def test_a_ballot_that_does_not_hold_is_named(study: Study) -> None:
    Ballot.objects.filter(pk=study.open.pk).update(vote_count=3)
    with pytest.raises(CommandError, match=str(study.open.pk)[:8]):
        call_command("verify_votes", experiment=study.experiment.slug)


# --- What is done to it -----------------------------------------------------------------------------------------------


def edit_a_payload(study: Study, cursor: CursorWrapper) -> None:
    vote = study.finished.votes.earliest("id")
    cursor.execute("UPDATE rating_vote SET payload = %s WHERE id = %s", [json.dumps(marks(5)), vote.pk])


def edit_a_payload_and_erase_the_salt(study: Study, cursor: CursorWrapper) -> None:
    edit_a_payload(study, cursor)
    Ballot.objects.update(salt="")


def delete_the_last_vote(study: Study, cursor: CursorWrapper) -> Vote:
    vote = study.open.votes.latest("id")
    older = study.open.votes.filter(trial=vote.trial_id).earliest("id")
    Score.objects.filter(vote=vote).delete()
    Trial.objects.filter(pk=vote.trial_id).update(current_vote=older, revision=1)
    cursor.execute("DELETE FROM rating_vote WHERE id = %s", [vote.pk])
    return vote


def delete_the_last_vote_and_count_one_less(study: Study, cursor: CursorWrapper) -> None:
    delete_the_last_vote(study, cursor)
    Ballot.objects.filter(pk=study.open.pk).update(vote_count=study.open.vote_count - 1)


def delete_the_last_vote_and_put_the_head_back(study: Study, cursor: CursorWrapper) -> None:
    delete_the_last_vote_and_count_one_less(study, cursor)
    Ballot.objects.filter(pk=study.open.pk).update(chain=study.open.votes.latest("id").chain)


def empty(ballot: Ballot, cursor: CursorWrapper) -> None:
    Score.objects.filter(vote__ballot=ballot).delete()
    ballot.trials.update(current_vote=None, revision=0, answered=False)
    for vote in ballot.votes.all():
        cursor.execute("DELETE FROM rating_vote WHERE id = %s", [vote.pk])
    Ballot.objects.filter(pk=ballot.pk).update(chain="", vote_count=0)


def empty_a_finished_ballot(study: Study, cursor: CursorWrapper) -> None:
    empty(study.finished, cursor)


def empty_a_finished_ballot_and_its_receipt(study: Study, cursor: CursorWrapper) -> None:
    empty(study.finished, cursor)
    Completion.objects.update(vote_count=0, chain="")


def empty_an_open_ballot(study: Study, cursor: CursorWrapper) -> None:
    empty(study.open, cursor)


def empty_an_open_ballot_and_take_the_head_of_another(study: Study, cursor: CursorWrapper) -> None:
    empty(study.open, cursor)
    Ballot.objects.filter(pk=study.open.pk).update(
        chain=Ballot.objects.exclude(pk=study.open.pk).get(vote_count=0).chain
    )


def edit_scores(study: Study, cursor: CursorWrapper) -> None:
    Score.objects.update(value=5)


def delete_scores(study: Study, cursor: CursorWrapper) -> None:
    Score.objects.all().delete()


def point_trials_at_older_votes(study: Study, cursor: CursorWrapper) -> None:
    for trial in study.finished.trials.all():
        older = trial.votes.earliest("id")
        Trial.objects.filter(pk=trial.pk).update(current_vote=older)


def point_trials_at_older_votes_and_lower_the_revision(study: Study, cursor: CursorWrapper) -> None:
    point_trials_at_older_votes(study, cursor)
    study.finished.trials.update(revision=1)


def open_an_answered_page(study: Study, cursor: CursorWrapper) -> None:
    Trial.objects.filter(pk=study.open.trials.earliest("position").pk).update(answered=False)


def swap_stimuli(study: Study, cursor: CursorWrapper) -> None:
    one, other = Slot.objects.filter(trial__ballot=study.finished).order_by("trial__position")[:2]
    Slot.objects.filter(pk=one.pk).update(stimulus=other.stimulus_id)
    Slot.objects.filter(pk=other.pk).update(stimulus=one.stimulus_id)


def swap_stimuli_and_hash_the_plan_again(study: Study, cursor: CursorWrapper) -> None:
    swap_stimuli(study, cursor)
    plan = [plan_of(trial, trial.slots.all()) for trial in study.finished.trials.order_by("position")]
    Ballot.objects.filter(pk=study.finished.pk).update(plan_sha256=digest([_outline(page) for page in plan]))


def swap_recordings(study: Study, cursor: CursorWrapper) -> None:
    one, other = Stimulus.objects.order_by("item__name", "condition__name")[:2]
    Stimulus.objects.filter(pk=one.pk).update(recording=other.recording_id)
    Stimulus.objects.filter(pk=other.pk).update(recording=one.recording_id)


def swap_recordings_and_hash_the_design_again(study: Study, cursor: CursorWrapper) -> None:
    swap_recordings(study, cursor)
    Experiment.objects.update(design_sha256=design_digest(study.experiment))


def edit_the_count_of_a_receipt(study: Study, cursor: CursorWrapper) -> None:
    Completion.objects.update(vote_count=3)


def edit_the_chain_of_a_receipt(study: Study, cursor: CursorWrapper) -> None:
    Completion.objects.update(chain="0" * 64)


def edit_the_code_of_a_receipt(study: Study, cursor: CursorWrapper) -> None:
    Completion.objects.update(code="AAAA-AAAA")


def count_a_finished_ballot_no_more(study: Study, cursor: CursorWrapper) -> None:
    Ballot.objects.filter(pk=study.finished.pk).update(kind="simulated")


def abandon_a_finished_ballot(study: Study, cursor: CursorWrapper) -> None:
    Ballot.objects.filter(pk=study.finished.pk).update(abandoned_at=timezone.now())


def delete_a_receipt(study: Study, cursor: CursorWrapper) -> None:
    Completion.objects.all().delete()
    Ballot.objects.update(closed_at=None)


def delete_a_ballot(study: Study, cursor: CursorWrapper) -> None:
    empty(study.finished, cursor)
    pk = study.finished.pk
    Completion.objects.all().delete()
    Trial.objects.filter(ballot=pk).delete()
    for table, column in (("rating_consent", "ballot_id"), ("listening_seat", "ballot_id"), ("rating_ballot", "id")):
        key = Ballot._meta.pk.get_db_prep_value(pk, connection=cursor.db)
        cursor.execute(f"DELETE FROM {table} WHERE {column} = %s", [key])


def delete_the_end_of_the_log(study: Study, cursor: CursorWrapper) -> None:
    for entry in AuditEntry.objects.order_by("-id")[:3]:
        cursor.execute("DELETE FROM core_auditentry WHERE id = %s", [entry.pk])


def delete_the_end_of_the_log_and_put_the_head_back(study: Study, cursor: CursorWrapper) -> None:
    delete_the_end_of_the_log(study, cursor)
    AuditHead.objects.update(seal=AuditEntry.objects.latest("id").seal)


def delete_the_middle_of_the_log(study: Study, cursor: CursorWrapper) -> None:
    cursor.execute("DELETE FROM core_auditentry WHERE id = %s", [AuditEntry.objects.order_by("id")[2].pk])


def delete_the_whole_log(study: Study, cursor: CursorWrapper) -> None:
    cursor.execute("DELETE FROM core_auditentry")
    AuditHead.objects.all().delete()


def edit_an_entry_of_the_log(study: Study, cursor: CursorWrapper) -> None:
    entry = AuditEntry.objects.order_by("id")[2]
    cursor.execute("UPDATE core_auditentry SET reason = 'rewritten' WHERE id = %s", [entry.pk])


def add_an_entry_to_the_log(study: Study, cursor: CursorWrapper) -> None:
    AuditEntry.objects.create(action="nothing.happened", target="thing:1", seal="0" * 64)


def rewrite_a_vote_and_its_chain(study: Study, cursor: CursorWrapper) -> None:
    """The salt is in the ballot's row: everything is made again but for the key, which has to be guessed."""
    ballot = study.finished
    head = hmac_of(head_message(ballot.pk, ballot.plan_sha256, 0, ""))
    for number, vote in enumerate(ballot.votes.order_by("id"), start=1):
        vote.payload = marks(5)
        vote.seal = hmac_of(casting.signed_row(vote), salt=ballot.salt)
        vote.chain = link_of(vote, previous_head=head)
        head = hmac_of(head_message(ballot.pk, ballot.plan_sha256, number, vote.chain))
        vote.save()
    Ballot.objects.filter(pk=ballot.pk).update(chain=head)
    Completion.objects.update(chain=head)
    Score.objects.filter(vote__ballot=ballot).update(value=5)


CHANGES: dict[Callable[[Study, CursorWrapper], Any], str] = {
    edit_a_payload: r"vote [0-9a-f-]+ was altered after it was cast",
    edit_a_payload_and_erase_the_salt: "its salt is gone",
    delete_the_last_vote: "it counts 6 votes and holds 5",
    delete_the_last_vote_and_count_one_less: "votes were removed from the end",
    delete_the_last_vote_and_put_the_head_back: "votes were removed from the end",
    empty_a_finished_ballot: "its receipt is for 4 answers, and 0 pages are answered",
    empty_a_finished_ballot_and_its_receipt: "the audit log has 8 votes of it that are not those it holds",
    empty_an_open_ballot: "votes were removed from the end",
    empty_an_open_ballot_and_take_the_head_of_another: "votes were removed from the end",
    edit_scores: "the scores of vote .* are not those that it gives",
    delete_scores: "the scores of vote .* are not those that it gives",
    point_trials_at_older_votes: "page 1 does not point at its newest accepted vote",
    point_trials_at_older_votes_and_lower_the_revision: "page 1 does not point at its newest accepted vote",
    open_an_answered_page: "page 1 is marked as open, and is not",
    swap_stimuli: "its pages are not those that were planned",
    swap_stimuli_and_hash_the_plan_again: "or its plan was altered",
    swap_recordings: "are no longer those with which it went live",
    swap_recordings_and_hash_the_design_again: "the hash of its design is not the one in the audit log",
    edit_the_count_of_a_receipt: "its receipt is for 3 answers, and 4 pages are answered",
    edit_the_chain_of_a_receipt: "its receipt was given for other votes than it holds",
    edit_the_code_of_a_receipt: "its receipt, or whether it counts, is not what the audit log says",
    count_a_finished_ballot_no_more: "its receipt, or whether it counts, is not what the audit log says",
    abandon_a_finished_ballot: "it was finished, and is marked as abandoned",
    delete_a_receipt: "it was finished, and its receipt is gone",
    delete_a_ballot: r"Ballot [0-9a-f-]+ is gone, and the audit log has votes of it",
    delete_the_end_of_the_log: "The audit log does not end with the entry that was written last",
    delete_the_end_of_the_log_and_put_the_head_back: "The audit log does not end with the entry that was written last",
    delete_the_middle_of_the_log: r"Audit entry \d+ .* does not hold",
    delete_the_whole_log: "the hash of its design is not the one in the audit log",
    edit_an_entry_of_the_log: r"Audit entry \d+ .* does not hold",
    add_an_entry_to_the_log: r"Audit entry \d+ \(.*nothing.happened\) does not hold",
}


# Found by the same comparison as another change in the list.
ALIKE = {
    delete_scores,
    empty_an_open_ballot,
    point_trials_at_older_votes_and_lower_the_revision,
    delete_the_end_of_the_log,
}


@pytest.mark.parametrize(
    "change",
    [pytest.param(change, marks=[pytest.mark.long] if change in ALIKE else []) for change in CHANGES],
    ids=lambda change: change.__name__,
)
def test_a_change_made_in_the_database_shows(study: Study, change: Callable[[Study, CursorWrapper], Any]) -> None:
    with tampering() as cursor:
        change(study, cursor)
        status, said = verdict()
        assert status == 1
        assert re.search(CHANGES[change], said), said


def test_a_vote_that_was_rewritten_with_its_whole_chain_shows(study: Study) -> None:
    """Without the key the chain breaks; with it, the audit log still has the chain as it was."""
    with tampering() as cursor:
        with override_settings(SEAL_KEYS=["a guess"]):
            rewrite_a_vote_and_its_chain(study, cursor)
        status, said = verdict()
        assert status == 1
        assert re.search("vote .* does not follow the one before it", said), said
    with tampering() as cursor:
        rewrite_a_vote_and_its_chain(study, cursor)
        status, said = verdict()
        assert status == 1
        assert "does not follow" not in said
        assert "the audit log has 8 votes of it that are not those it holds" in said


# --- The key ----------------------------------------------------------------------------------------------------------


def test_another_key_is_told_from_tampering(study: Study) -> None:
    with override_settings(SEAL_KEYS=["another key"]):
        status, said = verdict()
        assert status == 1
        first, second = said.splitlines()
        assert first == "1 problems were found."
        assert re.match(r"None of the \d+ seals .* fits this server's key \(EARMARK_SEAL_KEY\)", second)


def test_after_a_change_of_key_old_and_new_votes_hold_and_retries_are_known(study: Study) -> None:
    trials = list(study.open.trials.order_by("position"))
    sent = vote_event(trials[3], value=1)
    casting.cast_vote(ballot_id=study.open.pk, event=sent)
    with override_settings(SEAL_KEYS=["another key", *settings.SEAL_KEYS]):
        assert casting.cast_vote(ballot_id=study.open.pk, event=sent).status == "replay"
        assert casting.cast_vote(ballot_id=study.open.pk, event=vote_event(trials[3], revision=1)).status == "stored"
        assert verdict(root="")[0] == 0
        assert verdict()[0] == 0
    assert verdict()[0] == 1


# --- The root ---------------------------------------------------------------------------------------------------------


def new_root() -> str:
    status, said = verdict(root="")
    assert status == 0
    (root,) = re.findall(r"^root (\d+-[0-9a-f]{64})$", said, re.MULTILINE)
    return str(root)


def test_a_root_holds_as_long_as_records_are_only_added(study: Study) -> None:
    root = new_root()
    casting.cast_vote(ballot_id=study.open.pk, event=vote_event(study.open.trials.latest("position")))
    status, said = verdict(root=root)
    assert (status, said.splitlines()[-1]) == (0, f"The audit log holds the root {root}.")
    assert verdict(root=new_root())[0] == 0


def test_an_older_copy_of_the_whole_database_shows_by_a_root_kept_elsewhere(study: Study) -> None:
    copy = transaction.savepoint()
    casting.cast_vote(ballot_id=study.open.pk, event=vote_event(study.open.trials.latest("position")))
    root = new_root()
    transaction.savepoint_rollback(copy)
    assert verdict()[0] == 0
    status, said = verdict(root=root)
    assert status == 1
    assert f"The root {root} is not in the audit log" in said


def test_a_ballot_as_it_was_before_a_root_was_taken_shows(study: Study) -> None:
    trial = study.open.trials.latest("position")
    casting.cast_vote(ballot_id=study.open.pk, event=vote_event(trial))
    new_root()
    with tampering() as cursor:
        Score.objects.filter(vote__trial=trial).delete()
        Trial.objects.filter(pk=trial.pk).update(current_vote=None, revision=0, answered=False)
        cursor.execute("DELETE FROM rating_vote WHERE id = %s", [trial.votes.get().pk])
        Ballot.objects.filter(pk=study.open.pk).update(chain=study.open.chain, vote_count=6)
        status, said = verdict()
        assert status == 1
        assert "the audit log has 7 votes of it that are not those it holds" in said


@pytest.mark.parametrize("root", ["x", "1", "1-", "-1-0", "9" * 40 + "-0", "1-" + "0" * 64])
def test_what_is_no_root_of_this_log_is_refused(study: Study, root: str) -> None:
    assert verdict(root=root)[0] == 1


def test_a_receipt_carries_the_root_of_its_moment() -> None:
    sitting = sit_down()
    sitting.answer_all()
    root = sitting.client.post(f"{sitting.api}finish/").json()["root"]
    assert root in sitting.client.get(f"/visits/{sitting.visit.pk}/receipt/").content.decode()
    assert verdict(root=root)[0] == 0
