"""Withdrawal: what a finished participant can take back, until when, and what the experimenter sees of it."""

import pytest
from django.test import Client
from django.utils import timezone

from analysis.datasets import counted
from core.models import AuditEntry
from listening.models import Completion, Seat
from listening.panels.services import monitoring
from listening.participation.services.verification import verify
from rating.models import Ballot, Experiment, Vote
from rating.services.experiments import close
from tests.factories import Sitting, make_experiment, sit_down

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_sitting(module_db: None) -> Sitting:
    """One that is finished."""
    sitting = sit_down()
    sitting.answer_all()
    sitting.client.post(f"{sitting.api}finish/")
    return sitting


def receipt(sitting: Sitting) -> str:
    page: str = sitting.client.get(f"/visits/{sitting.visit.id}/receipt/").content.decode()
    return page


def withdraw(sitting: Sitting) -> int:
    return int(sitting.client.post(f"/visits/{sitting.visit.id}/withdraw/").status_code)


def test_withdrawn_answers_stay_stored_and_count_nowhere(sitting: Sitting) -> None:
    votes = Vote.objects.count()
    assert "Withdraw all my answers" in receipt(sitting)
    assert withdraw(sitting) == 302
    ballot = Ballot.objects.get(pk=sitting.ballot.pk)
    assert ballot.abandoned_at is not None
    assert Vote.objects.count() == votes
    assert not counted(ballot.experiment, simulated=False).filter(vote_count__gt=0).exists()
    assert verify().problems == []
    assert AuditEntry.objects.filter(action="ballot.withdrawn").count() == 1


def test_the_receipt_and_the_link_say_that_they_are_withdrawn_and_the_code_stays(sitting: Sitting) -> None:
    code = Completion.objects.get().code
    withdraw(sitting)
    page = receipt(sitting)
    assert "Your answers are withdrawn" in page
    assert code in page
    assert "Withdraw all my answers" not in page
    assert sitting.client.get(f"/visits/{sitting.visit.id}/").status_code == 302
    assert "Your answers to this test are withdrawn" in sitting.client.get(sitting.link).content.decode()


def test_the_place_is_free_for_another_person_and_the_experimenter_sees_both(sitting: Sitting) -> None:
    withdraw(sitting)
    assert list(Seat.objects.order_by("occupancy").values_list("state", flat=True)) == ["abandoned", "open"]
    experiment = Experiment.objects.get()
    [line] = monitoring.experiment_status(experiment=experiment, now=timezone.now())["lines"]
    assert line["state"] == "withdrawn"
    client = Client()
    client.force_login(experiment.owner)
    header, row = client.get(f"/experiments/{experiment.slug}/people/codes/").content.decode().splitlines()
    assert header.endswith(",withdrawn_at")
    assert row.split(",")[-1].startswith(str(timezone.now().year))


def test_asking_twice_is_asking_once(sitting: Sitting) -> None:
    assert [withdraw(sitting), withdraw(sitting)] == [302, 302]
    assert Seat.objects.count() == 2


def test_before_the_last_answer_and_after_the_end_of_the_experiment_nothing_can_be_withdrawn(sitting: Sitting) -> None:
    unfinished = sit_down(make_experiment(seats=1))
    assert withdraw(unfinished) == 409
    experiment = sitting.ballot.experiment
    close(experiment=experiment, actor=experiment.owner)
    assert "Withdraw all my answers" not in receipt(sitting)
    assert withdraw(sitting) == 409
    assert not Ballot.objects.filter(abandoned_at__isnull=False).exists()


def test_nobody_withdraws_for_another(sitting: Sitting) -> None:
    assert Client().post(f"/visits/{sitting.visit.id}/withdraw/").status_code == 401
    assert not Ballot.objects.filter(abandoned_at__isnull=False).exists()
