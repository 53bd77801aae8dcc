"""API tokens: scoped, expiring, shown once, kept only as a digest."""

import re
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.models import ApiToken, AuditEntry, User
from core.services import accounts
from tests.errors import raises_error
from tests.people import bearing, browser_of, experimenter, token_of

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.odd_views")]

STAFF_VIEW = "/api/odd/staff/"


def code_for(client: Client, address: str = STAFF_VIEW, *, post: bool = False) -> str:
    """The code of the error, or the status where there is none."""
    answer = client.post(address, {}, "application/json") if post else client.get(address)
    return str(answer.json()["code"] if answer.status_code >= 400 else answer.status_code)


def test_a_token_acts_for_its_owner_and_is_kept_only_as_a_digest() -> None:
    secret = token_of(experimenter(), "read")
    assert re.fullmatch(r"earmark_[A-Za-z0-9_-]{43}", secret)
    assert code_for(bearing(secret)) == "200"
    assert secret not in str(ApiToken.objects.values())
    assert secret not in str(AuditEntry.objects.values())


@pytest.mark.parametrize("secret", ["", "earmark_", "earmark_" + "x" * 43, "é", "a b"])
def test_an_unknown_token_is_rejected_and_not_taken_for_a_stranger(secret: str) -> None:
    assert code_for(bearing(secret)) == "token.invalid"


def test_expired_and_revoked_tokens_and_those_of_inactive_people_are_rejected() -> None:
    erin = experimenter()
    expired, revoked, orphaned = (token_of(erin, "read", name=name) for name in ("a", "b", "c"))
    ApiToken.objects.filter(name="a").update(expires_at=Now())
    accounts.revoke_token(token=ApiToken.objects.get(name="b"), actor=erin, now=timezone.now())
    assert code_for(bearing(expired)) == "token.invalid"
    assert code_for(bearing(revoked)) == "token.invalid"
    assert code_for(bearing(orphaned)) == "200"
    User.objects.update(is_active=False)
    assert code_for(bearing(orphaned)) == "token.invalid"


def test_reading_needs_read_and_changing_needs_write() -> None:
    erin = experimenter()
    reader, writer = (bearing(token_of(erin, scope, name=scope)) for scope in ("read", "write"))
    assert (code_for(reader), code_for(reader, post=True)) == ("200", "token.scope")
    assert (code_for(writer), code_for(writer, post=True)) == ("token.scope", "200")


def test_a_view_may_ask_for_a_scope_of_its_own() -> None:
    erin = experimenter()
    writer = bearing(token_of(erin, "read", "write"))
    opener = bearing(token_of(erin, "unblind", name="opener"))
    assert code_for(writer, "/api/odd/unblinding/", post=True) == "token.scope"
    assert code_for(opener, "/api/odd/unblinding/", post=True) == "200"


def test_a_token_opens_no_page() -> None:
    assert bearing(token_of(experimenter(), "read")).get("/account/").status_code == 302


def test_a_token_needs_no_csrf_proof_because_no_browser_sends_it_unasked() -> None:
    script = Client(enforce_csrf_checks=True, headers={"authorization": f"Bearer {token_of(experimenter(), 'write')}"})
    assert code_for(script, post=True) == "200"


def test_its_use_is_noted_at_most_once_a_minute() -> None:
    script = bearing(token_of(experimenter(), "read"))
    script.get(STAFF_VIEW)
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    script.get(STAFF_VIEW)
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    script.get(STAFF_VIEW)
    assert ApiToken.objects.get().last_used_at != first - timedelta(minutes=2)


def test_the_account_page_shows_a_new_token_once() -> None:
    browser = browser_of(experimenter())
    fields = {"name": "notebook", "scopes": ["read", "write"], "days": 7}
    page = browser.post(reverse("core:account"), fields, follow=True).content.decode()
    secret = re.search(r"earmark_[A-Za-z0-9_-]{43}", page)
    assert secret is not None
    assert code_for(bearing(secret[0]), post=True) == "200"
    again = browser.get(reverse("core:account")).content.decode()
    assert "notebook" in again
    assert "earmark_" not in again


@pytest.mark.parametrize(
    "wrong", [{"days": 0}, {"days": 366}, {"scopes": []}, {"scopes": ["root"]}, {"name": ""}, {"name": "x" * 101}]
)
def test_the_account_page_rejects_unfit_tokens(wrong: dict[str, object]) -> None:
    fields = {"name": "notebook", "scopes": ["read"], "days": 7, **wrong}
    assert browser_of(experimenter()).post(reverse("core:account"), fields).status_code == 400
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize(
    ("scopes", "days"), [([], 7), (["root"], 7), (["read", "root"], 7), (["read"], 0), (["read"], 366)]
)
def test_the_service_itself_rejects_unfit_tokens(scopes: list[str], days: int) -> None:
    with raises_error("token.unfit"):
        accounts.create_token(owner=experimenter(), name="x", scopes=scopes, days=days, now=timezone.now())


def test_sending_the_form_twice_makes_one_token() -> None:
    browser = browser_of(experimenter())
    fields = {"name": "notebook", "scopes": ["read"], "days": 7}
    browser.post(reverse("core:account"), fields)
    again = browser.post(reverse("core:account"), fields)
    assert again.status_code == 400
    assert ApiToken.objects.count() == 1


def test_revoking_is_recorded_once_and_only_the_owner_can() -> None:
    erin = experimenter("erin")
    token_of(erin, "read")
    address = reverse("core:revoke_token", args=[ApiToken.objects.get().pk])
    assert browser_of(experimenter("eve")).post(address).status_code == 404
    assert ApiToken.objects.get().revoked_at is None
    browser = browser_of(erin)
    browser.post(address)
    browser.post(address)
    assert ApiToken.objects.get().revoked_at is not None
    assert list(AuditEntry.objects.filter(action__startswith="token.").values_list("action", flat=True)) == [
        "token.revoked",
        "token.created",
    ]
