"""Accounts: made by admins, signed in to with a second factor, changed only with a trace."""

import io
import re

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.staticfiles import finders
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from config import settings as real_settings
from core.models import AuditEntry, User
from core.services import accounts
from tests.errors import raises_error
from tests.people import PASSWORD, SECRET, admin, browser_of, code_shown_by_the_app, experimenter, give_second_factor

pytestmark = pytest.mark.django_db


def sign_in(client: Client, name: str, password: str = PASSWORD) -> int:
    return client.post(reverse("account_login"), {"login": name, "password": password}).status_code


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_the_command_makes_an_account_and_shows_its_password_once() -> None:
    said = io.StringIO()
    call_command("create_account", "erin", "--role", "experimenter", stdout=said)
    password = re.search(r"shown only now: (\S+)", said.getvalue())
    assert password is not None
    user = User.objects.get(username="erin")
    assert user.check_password(password[1])
    assert (user.role, user.is_staff, user.is_superuser) == ("experimenter", False, False)


def test_the_command_reads_a_password_and_does_not_repeat_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(PASSWORD + "\n"))
    said = io.StringIO()
    call_command("create_account", "ada", "--role", "admin", "--password-stdin", stdout=said)
    assert User.objects.get(username="ada").check_password(PASSWORD)
    assert PASSWORD not in said.getvalue()


def test_the_command_rejects_a_taken_name_with_a_sentence() -> None:
    experimenter("erin")
    with pytest.raises(CommandError, match="already an account called 'erin'"):
        call_command("create_account", "erin")


@pytest.mark.parametrize(
    ("name", "password", "code"),
    [
        ("erin", "short", "account.password_weak"),
        ("erin", "password123", "account.password_weak"),
        ("e rin", PASSWORD, "account.name_invalid"),
    ],
)
def test_weak_passwords_and_unfit_names_make_no_account(name: str, password: str, code: str) -> None:
    with raises_error(code):
        accounts.create_account(name=name, role=User.Role.EXPERIMENTER, password=password, actor=None)
    assert not User.objects.exists()
    assert not AuditEntry.objects.exists()


def test_only_admins_may_look_into_the_django_admin() -> None:
    ada = admin()
    assert ada.is_staff
    assert not experimenter().is_staff
    page = browser_of(ada).get(reverse("admin:index")).content.decode()
    title = re.search("<title>(.*)</title>", page)
    assert title is not None
    assert title[1].endswith(" - Earmark")
    assert 'href="/static/icons/earmark.svg"' in page
    assert finders.find("icons/earmark.svg")


def test_a_role_changes_with_an_audit_entry_and_the_right_to_the_admin_follows() -> None:
    ada, erin = admin(), experimenter()
    accounts.change_role(account=erin, role=User.Role.ADMIN, actor=ada, reason="joins the lab")
    erin.refresh_from_db()
    assert (erin.role, erin.is_staff) == ("admin", True)
    entry = AuditEntry.objects.get(action="account.role_changed")
    assert (entry.actor, entry.before, entry.after) == (ada, {"role": "experimenter"}, {"role": "admin"})
    assert entry.reason == "joins the lab"


def test_the_last_admin_stays_an_admin() -> None:
    ada = admin()
    with raises_error("account.last_admin"):
        accounts.change_role(account=ada, role=User.Role.EXPERIMENTER, actor=ada)
    ada.refresh_from_db()
    assert ada.is_admin


def test_changing_a_role_to_itself_leaves_no_entry() -> None:
    ada = admin()
    accounts.change_role(account=ada, role=User.Role.ADMIN, actor=ada)
    assert not AuditEntry.objects.filter(action="account.role_changed").exists()


def test_an_admin_changes_a_role_on_the_accounts_page() -> None:
    ada, erin = admin(), experimenter()
    browser_of(ada).post(reverse("core:change_role", args=[erin.pk]), {"role": "admin", "reason": ""})
    erin.refresh_from_db()
    assert erin.is_admin


def test_an_unknown_role_is_rejected(client: Client) -> None:
    ada, erin = admin(), experimenter()
    answer = browser_of(ada).post(reverse("core:change_role", args=[erin.pk]), {"role": "owner"})
    assert answer.status_code == 400
    erin.refresh_from_db()
    assert erin.role == "experimenter"


def test_nobody_can_sign_up(client: Client) -> None:
    fields = {"username": "mallory", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post(reverse("account_signup"), fields).status_code == 404
    assert not User.objects.exists()


def test_a_password_lets_in_and_gives_the_session_a_new_key(client: Client) -> None:
    experimenter("erin")
    before = client.session.session_key
    assert before
    assert sign_in(client, "erin") == 302
    assert is_signed_in(client)
    assert client.session.session_key != before


def test_a_wrong_password_does_not_let_in(client: Client) -> None:
    experimenter("erin")
    assert sign_in(client, "erin", "wrong") == 200
    assert not is_signed_in(client)


def test_after_five_failures_even_the_right_password_has_to_wait(client: Client) -> None:
    experimenter("erin")
    for _ in range(5):
        sign_in(client, "erin", "wrong")
    sign_in(client, "erin")
    assert not is_signed_in(client)


def test_an_address_that_a_client_claims_for_itself_is_not_believed(client: Client) -> None:
    experimenter("erin")
    for number in range(10):
        fields = {"login": f"nobody{number}", "password": "wrong"}
        client.post(reverse("account_login"), fields, headers={"x-forwarded-for": f"192.0.2.{number}"})
    sign_in(client, "erin")
    assert not is_signed_in(client)


def test_an_inactive_account_cannot_sign_in_and_loses_its_session(client: Client) -> None:
    erin = experimenter("erin")
    browser = browser_of(erin)
    User.objects.filter(pk=erin.pk).update(is_active=False)
    sign_in(client, "erin")
    assert not is_signed_in(client)
    assert browser.get(reverse("core:account")).status_code == 302


def test_with_a_second_factor_the_password_alone_does_not_let_in(client: Client) -> None:
    give_second_factor(experimenter("erin"))
    sign_in(client, "erin")
    assert not is_signed_in(client)
    client.post(reverse("mfa_authenticate"), {"code": "000000"})
    assert not is_signed_in(client)
    client.post(reverse("mfa_authenticate"), {"code": code_shown_by_the_app()})
    assert is_signed_in(client)


def test_a_newcomer_is_led_to_the_second_factor_and_then_let_in(client: Client, settings: Settings) -> None:
    settings.SECOND_FACTOR_REQUIRED = True
    experimenter("erin")
    sign_in(client, "erin")
    assert client.get(reverse("core:account")).headers["Location"] == reverse("mfa_activate_totp")
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    page = client.get(reverse("mfa_activate_totp"))
    assert "second factor" in page.content.decode()
    secret = page.context["form"].secret
    done = client.post(reverse("mfa_activate_totp"), {"code": code_shown_by_the_app(secret)}, follow=True)
    assert done.redirect_chain[-1][0] == reverse("mfa_view_recovery_codes")
    assert client.get(reverse("core:account")).status_code == 200


def test_the_secret_of_the_second_factor_is_not_kept_in_plain_text() -> None:
    give_second_factor(experimenter("erin"))
    assert SECRET not in str(list(Authenticator.objects.values_list("data", flat=True)))


def test_a_changed_site_key_is_explained_and_an_old_key_still_opens(client: Client, settings: Settings) -> None:
    give_second_factor(experimenter("erin"))
    old = settings.SECRET_KEY
    settings.SECRET_KEY = "another key, of which nothing was sealed"
    sign_in(client, "erin")
    answer = client.post(reverse("mfa_authenticate"), {"code": code_shown_by_the_app()})
    assert answer.status_code == 403
    assert "auth.second_factor_unreadable" in answer.content.decode()
    settings.SECRET_KEY_FALLBACKS = [old]
    sign_in(client, "erin")
    client.post(reverse("mfa_authenticate"), {"code": code_shown_by_the_app()})
    assert is_signed_in(client)


def test_a_lost_second_factor_is_removed_by_command_with_an_audit_entry(client: Client) -> None:
    erin = experimenter("erin")
    give_second_factor(erin)
    call_command("remove_second_factor", "erin", "--reason", "telephone lost")
    assert AuditEntry.objects.get(action="account.second_factor_removed").reason == "telephone lost"
    sign_in(client, "erin")
    assert is_signed_in(client)
    with pytest.raises(CommandError, match="no second factor"):
        call_command("remove_second_factor", "erin", "--reason", "again")
    with pytest.raises(CommandError, match="no account"):
        call_command("remove_second_factor", "nobody", "--reason", "typing error")


def test_an_admin_removes_a_lost_second_factor_with_a_reason_and_never_the_own() -> None:
    ada, erin = admin("ada"), experimenter("erin")
    for person in (ada, erin):
        give_second_factor(person)
    browser = browser_of(ada)
    page = browser.get(reverse("core:people")).content.decode()
    address = reverse("core:remove_second_factor", args=[erin.pk])
    assert f'action="{address}"' in page
    assert reverse("core:remove_second_factor", args=[ada.pk]) not in page
    assert browser.post(address, {"reason": ""}).status_code == 400
    assert Authenticator.objects.filter(user=erin).exists()
    answer = browser.post(address, {"reason": "telephone lost, known by sight"}, follow=True)
    assert "The second factor of &#x27;erin&#x27; is removed." in answer.content.decode()
    entry = AuditEntry.objects.get(action="account.second_factor_removed")
    assert (entry.actor, entry.reason) == (ada, "telephone lost, known by sight")
    assert "has no second factor" in browser.post(address, {"reason": "again"}, follow=True).content.decode()
    own = browser.post(reverse("core:remove_second_factor", args=[ada.pk]), {"reason": "mine"})
    assert own.status_code == 409
    assert Authenticator.objects.filter(user=ada).exists()


def test_an_account_gets_an_address_to_which_links_are_then_sent(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    ada, erin = admin("ada"), experimenter("erin")
    browser = browser_of(ada)
    assert "Send it by e-mail" not in browser.get(reverse("core:people")).content.decode()
    answer = browser.post(reverse("core:change_email", args=[erin.pk]), {"email": "erin@example.org"}, follow=True)
    assert "Send it by e-mail" in answer.content.decode()
    browser.post(reverse("core:change_email", args=[erin.pk]), {"email": "erin@example.org"})
    entry = AuditEntry.objects.get(action="account.email_changed")
    assert (entry.before, entry.after) == ({"has_email": False}, {"has_email": True}), "the log keeps no address"


def test_passwords_are_kept_as_argon2() -> None:
    assert real_settings.PASSWORD_HASHERS[0].endswith("Argon2PasswordHasher")
