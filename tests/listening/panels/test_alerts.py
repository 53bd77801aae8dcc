"""E-mail alerts of the monitor: told once, told again after a return, only to those who asked and may see it."""

from datetime import timedelta
from smtplib import SMTPRecipientsRefused
from typing import Any
from uuid import uuid4

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.models import AuditEntry, User
from listening.models import ClientReport, Invitation, MonitorAlert, Seat, SetupStep, Visit
from listening.panels.services import alerts, seats
from rating.models import Collaborator, Experiment
from rating.services import access, experiments
from stimuli.models import Condition
from tests.errors import raises_error
from tests.factories import make_experiment, make_user, seated_visit
from tests.people import browser_of

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=4, title="Sounds")


@pytest.fixture
def asked(experiment: Experiment) -> MonitorAlert:
    return ask(experiment, experiment.owner)


def ask(experiment: Experiment, user: User) -> MonitorAlert:
    made = alerts.set_alert(experiment=experiment, user=user, by_email=True, address=f"{user.username}@example.org")
    assert made is not None
    return made


def told(*, after: timedelta = timedelta(0)) -> list[str]:
    """Every line of the messages that two runs send so long from now: what the second one repeats is there twice."""
    mail.outbox.clear()
    for _ in range(2):
        alerts.tell(now=timezone.now() + after)
    return [line for message in mail.outbox for line in str(message.body).splitlines() if line.startswith("- ")]


def test_seats_are_told_when_the_last_is_taken_and_when_the_last_is_finished(
    experiment: Experiment, asked: MonitorAlert
) -> None:
    visits = [seated_visit(experiment) for _ in range(3)]
    assert told() == []
    visits.append(seated_visit(experiment))
    assert told() == ["- All 4 seats are taken; nobody else can take part."]
    [message] = mail.outbox
    assert message.to == [asked.address]
    assert message.subject == "Sounds: All 4 seats are taken; nobody else can take part."
    assert f"/experiments/{experiment.slug}/monitor/" in str(message.body)
    Seat.objects.update(state=Seat.State.FINISHED)
    assert told() == ["- All 4 seats are finished."]


def test_silence_is_told_after_days_without_an_answer_while_live(experiment: Experiment, asked: MonitorAlert) -> None:
    assert told(after=timedelta(days=2)) == []
    experiments.pause(experiment=experiment, actor=experiment.owner)
    assert told(after=timedelta(days=4)) == []
    experiments.go_live(experiment=experiment, actor=experiment.owner)
    assert told(after=timedelta(days=3)) == [
        "- No answer has come in for 3 days, and 4 of 4 seats are not finished.",
    ]


def test_what_is_over_and_returns_is_told_again(experiment: Experiment, asked: MonitorAlert) -> None:
    visit = seated_visit(experiment)
    ClientReport.objects.create(event_id=uuid4(), visit=visit, trial=visit.seat.ballot.trials.all()[0], kind="clip")
    said = ["- Clips failed for 1 listener who was there in the last 24 hours."]
    assert told() == said
    assert told(after=timedelta(hours=30)) == []
    Visit.objects.update(last_seen_at=timezone.now() + timedelta(hours=30))
    assert told(after=timedelta(hours=30)) == said


def test_a_quarter_of_flagged_or_lost_listeners_is_told_without_anything_about_a_person(
    experiment: Experiment, asked: MonitorAlert
) -> None:
    visits = [seated_visit(experiment) for _ in range(3)]
    Invitation.objects.update(label="P07", address="anna@example.org")
    SetupStep.objects.create(visit=visits[0], step="ears", outcome={}, passed=False)
    assert told() == []  # of three listeners, one is no share
    seats.reissue_seat(seat=visits[2].seat, now=timezone.now(), actor=experiment.owner)
    seated_visit(experiment)
    assert told() == ["- 1 of 4 listeners has dropped out or has not come back in time."]
    seated_visit(experiment)
    assert told() == [
        "- All 4 seats are taken; nobody else can take part.",
        "- 1 of 4 listeners has a flag that you should check.",
    ]
    sent = str(mail.outbox[0].message())
    people = ["sub-0", "P07", "anna", *Condition.objects.values_list("name", flat=True)]
    assert not [text for text in people if text in sent]


def test_everybody_who_sees_the_monitor_asks_for_themselves_and_loses_it_with_the_experiment(
    experiment: Experiment,
) -> None:
    viewer, page = make_user(), f"/experiments/{experiment.slug}/monitor/"
    access.share(
        experiment=experiment, actor=experiment.owner, colleague_name=viewer.username, role=Collaborator.Role.VIEWER
    )
    asks = {"by_email": "on", "address": "viewer@example.org"}
    shown = browser_of(viewer).post(f"{page}alert/", asks, follow=True).content.decode()
    assert "Messages will go to viewer@example.org." in shown
    assert 'value="viewer@example.org"' not in browser_of(experiment.owner).get(page).content.decode()
    ask(experiment, experiment.owner)
    days = timedelta(days=3)
    assert len(told(after=days)) == 2
    MonitorAlert.objects.update(told=[])
    access.unshare(experiment=experiment, actor=experiment.owner, colleague_name=viewer.username)
    User.objects.filter(pk=experiment.owner.pk).update(is_active=False)
    assert told(after=days) == []


def test_a_message_is_in_the_language_in_which_it_was_asked_for(client: Client, experiment: Experiment) -> None:
    client.force_login(experiment.owner)
    asks = {"by_email": "on", "address": "erin@example.org"}
    client.post(f"/experiments/{experiment.slug}/monitor/alert/", asks, headers={"Accept-Language": "fr"})
    assert told(after=timedelta(days=3)) == [
        "- Aucune réponse n’est arrivée depuis 3 jours, et 4 places sur 4 ne sont pas terminées."
    ]


def test_the_same_box_ends_the_messages_and_the_log_has_both(client: Client, experiment: Experiment) -> None:
    client.force_login(experiment.owner)
    page = f"/experiments/{experiment.slug}/monitor/alert/"
    refused = client.post(page, {"by_email": "on"})
    assert refused.status_code == 422
    assert "Enter the e-mail address" in refused.content.decode()
    client.post(page, {"by_email": "on", "address": "erin@example.org"})
    shown = client.post(page, {"address": "erin@example.org"}, follow=True).content.decode()
    assert "You get no more e-mail about this experiment." in shown
    assert told(after=timedelta(days=3)) == []
    entries = AuditEntry.objects.filter(action="monitor_alert.changed").order_by("id")
    assert [entry.after for entry in entries] == [{"by_email": True}, {"by_email": False}]


def test_what_the_mail_server_refuses_for_good_is_shown_and_not_sent_again(
    client: Client, experiment: Experiment, asked: MonitorAlert, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = []

    def refuse(message: mail.EmailMessage, *args: Any) -> int:
        sent.append(message)
        raise SMTPRecipientsRefused({asked.address: (550, b"no such person")})

    monkeypatch.setattr(mail.EmailMessage, "send", refuse)
    told(after=timedelta(days=3))
    assert len(sent) == 1
    client.force_login(experiment.owner)
    assert "no such person" in client.get(f"/experiments/{experiment.slug}/monitor/").content.decode()


def test_nothing_is_promised_where_no_mail_is_sent(settings: Settings, experiment: Experiment) -> None:
    settings.PRODUCTION, settings.EMAIL_BACKEND = True, "django.core.mail.backends.console.EmailBackend"
    with raises_error("monitor_alert.mail_off"):
        ask(experiment, experiment.owner)


def test_the_api_sets_it_too(client: Client, experiment: Experiment) -> None:
    client.force_login(experiment.owner)
    address = f"/api/v1/experiments/{experiment.slug}/monitor/alert/"
    wanted = {"by_email": True, "address": "erin@example.org"}
    assert client.put(address, wanted, content_type="application/json").json() == wanted
    assert client.get(address).json() == wanted
    off = {"by_email": False, "address": ""}
    assert client.put(address, {"by_email": False}, content_type="application/json").json() == off
    assert not MonitorAlert.objects.exists()
