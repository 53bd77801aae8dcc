"""Accounts in the page: invited and reset by links that work once, deactivated and reactivated, always with a trace."""

import re
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from config.logs import mask
from core.jobs import queue
from core.jobs.worker import work
from core.models import AuditEntry, Job, User
from core.services import accounts, password_links
from tests.errors import raises_error
from tests.factories import make_experiment
from tests.people import PASSWORD, admin, browser_of, experimenter, token_of

pytestmark = pytest.mark.django_db
NEW = "seven green lamps"


def link_on(page: str) -> str:
    """The path of the link that a page shows."""
    found = re.search(r'<code id="link">([^<]+)</code>', page)
    assert found is not None, page
    return urlsplit(found[1]).path


def can_sign_in(name: str, password: str) -> bool:
    client = Client()
    client.post(reverse("account_login"), {"login": name, "password": password})
    return "_auth_user_id" in client.session


def test_an_invited_person_chooses_a_password_by_a_link_that_is_shown_once_and_works_once() -> None:
    browser = browser_of(admin())
    page = browser.post(reverse("core:invite"), {"name": "erin", "email": "", "role": "experimenter"}, follow=True)
    link = link_on(page.content.decode())
    assert "shown already" in browser.get(reverse("core:new_password_link")).content.decode()
    assert not User.objects.get(username="erin").has_usable_password()

    visitor = Client()
    assert "erin" in visitor.get(link).content.decode()
    differing = visitor.post(link, {"password": NEW, "again": "another password"})
    weak = visitor.post(link, {"password": "short", "again": "short"})
    assert [differing.status_code, weak.status_code] == [400, 400]
    assert "too easy to guess" in weak.content.decode()
    assert visitor.post(link, {"password": NEW, "again": NEW}).headers["Location"] == reverse("account_login")
    assert can_sign_in("erin", NEW)
    assert visitor.post(link, {"password": PASSWORD, "again": PASSWORD}).status_code == 404
    assert can_sign_in("erin", NEW)
    actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"account.created", "account.password_link_made", "account.password_chosen"} <= actions


def test_a_link_ends_with_time_with_a_newer_one_and_with_the_account() -> None:
    ada, erin, now = admin(), experimenter(), timezone.now()

    def token() -> str:
        link = password_links.make_link(account=erin, by_mail=False, now=now, actor=ada)
        return link.rstrip("/").rpartition("/")[2]

    first = token()
    now += timedelta(seconds=1)
    second = token()
    assert password_links.account_of(second, now=now + timedelta(days=2)) == erin
    for unfit in (first, second[:-1], "", "-", f"{erin.pk}-", "9" * 30 + "-x", second.replace(str(erin.pk), "²", 1)):
        with raises_error("account.link_invalid"):
            password_links.account_of(unfit, now=now)
    with raises_error("account.link_invalid"):
        password_links.account_of(second, now=now + timedelta(days=3))
    accounts.deactivate(account=erin, actor=ada)
    accounts.reactivate(account=erin, actor=ada)
    with raises_error("account.link_invalid"):
        password_links.account_of(second, now=now)


def test_a_new_password_ends_open_sessions_and_the_link_is_hidden_from_logs() -> None:
    ada, erin = admin(), experimenter()
    session = browser_of(erin)
    page = browser_of(ada).post(reverse("core:make_password_link", args=[erin.pk]), follow=True)
    link = link_on(page.content.decode())
    assert session.get(reverse("core:account")).status_code == 200
    Client().post(link, {"password": NEW, "again": NEW})
    assert session.get(reverse("core:account")).status_code == 302
    assert link.split("/")[2] not in mask(f"GET {link}")


def test_with_mail_the_link_is_sent_and_not_shown(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    form = {"name": "erin", "email": "erin@example.org", "role": "experimenter"}
    page = browser_of(admin()).post(reverse("core:invite"), form, follow=True).content.decode()
    assert "sent to erin@example.org" in page
    assert "/set-password/" not in page
    waiting = Job.objects.get(name="core.send_password_link")
    assert "set-password" not in str(waiting.arguments)
    job = queue.claim(worker="test", names=[waiting.name])
    assert job is not None
    work(job)
    [message] = mail.outbox
    assert message.to == ["erin@example.org"]
    link = re.search(r"https?://\S+/set-password/\S+", str(message.body))
    assert link is not None
    assert Client().get(urlsplit(link[0]).path).status_code == 200


def test_without_mail_or_address_no_message_can_be_asked_for() -> None:
    page = browser_of(admin()).post(
        reverse("core:make_password_link", args=[experimenter().pk]), {"send": "mail"}, follow=True
    )
    assert "no e-mail address" in page.content.decode()
    assert not Job.objects.exists()


def test_a_deactivated_account_keeps_its_experiments_and_opens_nothing_until_it_is_reactivated() -> None:
    ada, erin = admin(), experimenter()
    experiment, token, session = make_experiment(erin), token_of(erin, "read"), browser_of(erin)
    browser = browser_of(ada)
    browser.post(reverse("core:deactivate", args=[erin.pk]), {"reason": "left the lab"})
    bearer = Client(headers={"authorization": f"Bearer {token}"})
    assert session.get(reverse("rating:experiments")).status_code == 302
    assert bearer.get(reverse("api:experiments")).status_code == 401
    assert not can_sign_in("erin", PASSWORD)
    page = browser.get(reverse("core:people")).content.decode()
    assert "deactivated" in page
    experiment.refresh_from_db()
    assert experiment.owner == erin
    browser.post(reverse("core:make_password_link", args=[erin.pk]))
    assert not AuditEntry.objects.filter(action="account.password_link_made").exists()
    browser.post(reverse("core:reactivate", args=[erin.pk]))
    assert can_sign_in("erin", PASSWORD)
    entry = AuditEntry.objects.get(action="account.deactivated")
    assert (entry.actor, entry.reason) == (ada, "left the lab")


def test_no_admin_locks_out_themselves_or_the_last_admin() -> None:
    ada, zoe, erin = admin(), admin("zoe"), experimenter()
    with raises_error("account.own"):
        accounts.deactivate(account=ada, actor=ada)
    with raises_error("account.own"):
        accounts.change_role(account=ada, role=User.Role.EXPERIMENTER, actor=ada)
    answer = browser_of(ada).post(reverse("core:deactivate", args=[ada.pk]), {"reason": ""})
    assert answer.status_code == 409
    accounts.deactivate(account=zoe, actor=ada)
    with raises_error("account.last_admin"):
        accounts.deactivate(account=ada, actor=None)
    accounts.deactivate(account=erin, actor=ada)
    assert set(User.objects.filter(is_active=True)) == {ada}


def test_the_page_counts_the_experiments_of_each_account() -> None:
    erin = experimenter()
    make_experiment(erin)
    page = browser_of(admin()).get(reverse("core:people")).content.decode()
    assert re.search(r'\?q=erin">1<', page)
    assert re.search(r'\?q=ada">0<', page)
