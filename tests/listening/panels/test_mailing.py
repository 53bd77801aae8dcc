"""E-mail to participants: preview first, one message per person with their own link, reminders, deleted addresses."""

import re
from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.jobs import queue
from core.jobs.worker import work
from core.models import AuditEntry, Job
from listening.models import Invitation, Mailing, Message, Seat
from listening.panels.services import links, mailing, panels, removal
from rating.models import Experiment
from rating.services.disposal import DAYS_IN_BIN
from tests.errors import raises_error
from tests.factories import make_experiment

pytestmark = pytest.mark.django_db
TEXT = {"subject": "Test: {title}", "text": "About {minutes} min: {link} {braces stay}"}


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=4, title="Sounds", contact="lab@example.org")


@pytest.fixture
def staff(client: Client, experiment: Experiment) -> Client:
    client.force_login(experiment.owner)
    return client


@pytest.fixture
def page(experiment: Experiment) -> str:
    return f"/experiments/{experiment.slug}/people/mail/"


def write(staff: Client, page: str, recipients: str = "P07, anna@example.org\nbert@example.org", **other: str) -> Any:
    return staff.post(page, {"panel": 1, "recipients": recipients, **TEXT, **other})


def run_job() -> Job:
    job = Job.objects.latest("created_at")
    claimed = queue.claim(worker="test", names=[job.name], job_id=job.pk)
    assert claimed is not None
    work(claimed)
    job.refresh_from_db()
    return job


def send(staff: Client, page: str, **wanted: str) -> None:
    assert write(staff, page, **wanted).status_code == 302
    assert staff.post(f"{page}send/").status_code == 302
    assert run_job().state == Job.State.DONE


def link_in(message: Any) -> str:
    found = re.search(r"/join/[\w-]+/", str(message.body))
    assert found is not None
    return found[0]


def test_each_person_gets_one_message_with_their_own_link(staff: Client, page: str) -> None:
    send(staff, page)
    assert [message.to for message in mail.outbox] == [["anna@example.org"], ["bert@example.org"]]
    assert {message.subject for message in mail.outbox} == {"Test: Sounds"}
    assert all(re.match(r"About \d+½? min: http.* \{braces stay\}$", str(message.body)) for message in mail.outbox)
    assert {tuple(message.reply_to) for message in mail.outbox} == {("lab@example.org",)}
    addresses = [link_in(message) for message in mail.outbox]
    assert len(set(addresses)) == 2
    Client().get(addresses[0])
    stored = Invitation.objects.get(opened_at__isnull=False)
    assert (stored.label, stored.address) == ("P07", "anna@example.org")
    assert Message.objects.filter(sent_at__isnull=False).count() == 2


def test_nothing_is_made_or_sent_before_the_preview_is_confirmed(staff: Client, page: str) -> None:
    assert staff.post(f"{page}send/", follow=True).redirect_chain[-1][0] == page
    shown = staff.get(write(staff, page).headers["Location"]).content.decode()
    assert "anna@example.org" in shown
    assert "Test: Sounds" in shown
    assert "/join/.../" in shown
    assert not Invitation.objects.exists()
    assert not Job.objects.exists()
    staff.post(f"{page}send/")
    again = staff.post(f"{page}send/", follow=True).content.decode()
    assert "There is no message to send" in again
    assert Mailing.objects.count() == 1


@pytest.mark.parametrize(
    ("recipients", "said"),
    [
        ("anna", "This is no e-mail address: anna"),
        ("a@example.org\nA@example.org", "is there twice"),
        ("a@example.org\x00", "Null characters"),
        ("a@example.org\nBcc: x@example.org", "This is no e-mail address"),
    ],
)
def test_an_unfit_address_is_refused_where_it_was_typed(staff: Client, page: str, recipients: str, said: str) -> None:
    answer = write(staff, page, recipients)
    assert answer.status_code == 400
    assert said in answer.content.decode()


@pytest.mark.parametrize(
    "wrong", [{"text": "no link"}, {"text": "{link} {name}"}, {"subject": "{link}"}, {"subject": "{code}"}]
)
def test_an_unfit_text_is_refused(staff: Client, page: str, wrong: dict[str, str]) -> None:
    assert write(staff, page, **wrong).status_code == 400


def test_a_subject_cannot_add_a_header(staff: Client, page: str) -> None:
    send(staff, page, subject="Test\r\nBcc: x@example.org")
    assert {message.subject for message in mail.outbox} == {"Test Bcc: x@example.org"}


def test_a_reminder_has_the_same_link_and_goes_to_those_who_are_asked_for(staff: Client, page: str) -> None:
    send(staff, page)
    first = {message.to[0]: link_in(message) for message in mail.outbox}
    mail.outbox.clear()
    Client().get(first["anna@example.org"])
    for whom, expected in (("unopened", ["bert@example.org"]), ("unfinished", sorted(first))):
        assert staff.post(f"{page}reminder/", {"whom": whom, **TEXT}).status_code == 302
        staff.post(f"{page}send/")
        run_job()
        assert sorted(message.to[0] for message in mail.outbox) == expected
        assert all(link_in(message) == first[message.to[0]] for message in mail.outbox)
        mail.outbox.clear()


def test_nobody_who_finished_or_was_revoked_is_reminded(staff: Client, page: str, experiment: Experiment) -> None:
    send(staff, page)
    Client().post(link_in(mail.outbox[0]), {"agree": "on"})
    Seat.objects.filter(invitation__address="anna@example.org").update(state=Seat.State.FINISHED)
    bert, now = Invitation.objects.get(address="bert@example.org"), timezone.now()
    links.revoke_link(link=bert, now=now, actor=experiment.owner)
    with raises_error("invitation.mail_nobody"):
        mailing.remind(experiment=experiment, whom="unfinished", now=now, actor=experiment.owner, **TEXT)


def test_the_same_address_is_not_invited_twice(staff: Client, page: str) -> None:
    send(staff, page)
    write(staff, page)
    shown = staff.post(f"{page}send/", follow=True).content.decode()
    assert "anna@example.org, bert@example.org have a link already" in shown
    assert Invitation.objects.count() == 2
    write(staff, page, recipients="Anna@Example.org")
    assert "Anna@Example.org have a link already" in staff.post(f"{page}send/", follow=True).content.decode()
    assert Invitation.objects.count() == 2


def test_a_refused_person_does_not_hold_up_the_others(
    staff: Client, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = mail.EmailMessage.send

    def refuse(message: mail.EmailMessage, *args: Any) -> int:
        if message.to == ["anna@example.org"]:
            raise SMTPRecipientsRefused({"anna@example.org": (550, b"no such person")})
        return sent(message, *args)

    monkeypatch.setattr(mail.EmailMessage, "send", refuse)
    send(staff, page)
    assert [message.to for message in mail.outbox] == [["bert@example.org"]]
    assert "no such person" in Message.objects.get(invitation__address="anna@example.org").error
    assert "1 of 2 messages sent, 1 refused" in staff.get(page.replace("mail/", "links/")).content.decode()


def test_a_run_that_was_cut_short_sends_the_rest_and_nothing_twice(
    staff: Client, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = mail.EmailMessage.send

    def cut(message: mail.EmailMessage, *args: Any) -> int:
        if message.to == ["bert@example.org"]:
            raise SMTPServerDisconnected("gone")
        return sent(message, *args)

    write(staff, page)
    staff.post(f"{page}send/")
    monkeypatch.setattr(mail.EmailMessage, "send", cut)
    job = run_job()
    assert job.state != Job.State.DONE
    monkeypatch.undo()
    Job.objects.update(not_before=timezone.now())
    assert run_job().state == Job.State.DONE
    assert [message.to[0] for message in mail.outbox] == ["anna@example.org", "bert@example.org"]


def test_the_secret_of_a_link_is_nowhere_in_the_database(staff: Client, page: str) -> None:
    send(staff, page)
    tokens = [link_in(message).split("/")[2] for message in mail.outbox]
    rows = str([list(model.objects.values()) for model in (Invitation, Mailing, Message, Job, AuditEntry)])
    assert not any(token in rows for token in tokens)
    assert "anna" not in str(list(AuditEntry.objects.values()) + list(Job.objects.values()))


def test_addresses_are_deleted_on_demand_and_with_the_experiment(
    staff: Client, page: str, experiment: Experiment
) -> None:
    send(staff, page)
    staff.post(f"{page}forget/")
    assert not Invitation.objects.exclude(address="").exists()
    assert Invitation.objects.filter(label="P07").exists()
    Experiment.objects.update(deleted_at=timezone.now() - timedelta(days=DAYS_IN_BIN + 1))
    removal.empty_bin()
    assert not Mailing.objects.exists()
    assert not Message.objects.exists()


def test_a_new_key_of_the_site_gives_a_new_link(staff: Client, page: str, settings: Settings) -> None:
    send(staff, page, recipients="anna@example.org")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, [settings.SECRET_KEY]
    invitation = Invitation.objects.get()
    assert mailing._token_of(invitation) == link_in(mail.outbox[0]).split("/")[2]
    settings.SECRET_KEY_FALLBACKS = []
    fresh = mailing._token_of(invitation)
    assert Client().get(f"/join/{fresh}/").status_code == 200
    assert Client().get(link_in(mail.outbox[0])).status_code == 404


def test_in_production_nothing_is_sent_to_a_log(settings: Settings, experiment: Experiment) -> None:
    settings.PRODUCTION, settings.EMAIL_BACKEND = True, "django.core.mail.backends.console.EmailBackend"
    panel, now = experiment.panels.get(), timezone.now()
    recipients = [("", "anna@example.org")]
    with raises_error("invitation.mail_off"):
        mailing.send_invitations(panel=panel, recipients=recipients, now=now, actor=experiment.owner, **TEXT)
    assert not Invitation.objects.exists()


def test_no_participant_sees_an_address(staff: Client, page: str) -> None:
    send(staff, page)
    person = Client()
    seen = person.get(link_in(mail.outbox[0])).content.decode()
    seen += person.post(link_in(mail.outbox[0]), {"agree": "on"}, follow=True).content.decode()
    assert "anna" not in seen
    assert "bert" not in seen
    assert panels.overview(experiment=Experiment.objects.get(), now=timezone.now())[0]["taken"] == 1
