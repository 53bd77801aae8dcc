"""Permissions: a view names its audience, and a view that names none is open to nobody."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from core import permissions
from core.models import User
from tests.people import admin, bearing, browser_of, experimenter, give_second_factor, token_of

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.odd_views")]


@pytest.mark.parametrize(
    "address", ["/odd/unlisted/", "/api/odd/function/", "/api/odd/unlisted/", "/api/odd/unguarded/"]
)
def test_a_view_without_an_enforced_audience_is_refused_even_to_an_admin(address: str) -> None:
    answer = browser_of(admin()).get(address, headers={"accept": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (403, "permission.no_audience")


def test_a_strangers_way_to_a_staff_page_leads_through_sign_in_and_back(client: Client) -> None:
    answer = client.get("/service/audit/?page=2")
    assert answer.status_code == 302
    assert answer.headers["Location"] == f"{reverse('account_login')}?next=/service/audit/%3Fpage%3D2"


def test_a_strangers_post_is_not_resumed_after_sign_in(client: Client) -> None:
    answer = client.post("/account/", {"name": "x"})
    assert answer.headers["Location"] == f"{reverse('account_login')}?next={reverse('rating:experiments')}"


def test_a_stranger_is_told_to_sign_in_where_a_program_asks(client: Client) -> None:
    page = client.get("/account/", headers={"accept": "application/json"})
    api = client.get("/api/odd/staff/")
    for answer in (page, api):
        assert (answer.status_code, answer.json()["code"]) == (401, "auth.required")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_an_experimenter_is_kept_from_admin_pages() -> None:
    browser = browser_of(experimenter())
    assert browser.get("/service/").status_code == 403
    assert browser.get("/admin/").status_code == 403
    assert browser.get("/api/odd/admins/").json()["code"] == "auth.denied"


def test_an_admin_opens_admin_pages() -> None:
    browser = browser_of(admin())
    for address in ("/service/", "/service/audit/", "/service/people/", "/admin/", "/api/odd/admins/"):
        assert browser.get(address).status_code == 200, address


def test_without_the_required_second_factor_only_its_set_up_is_open(settings: Settings) -> None:
    settings.SECOND_FACTOR_REQUIRED = True
    browser = browser_of(admin())
    for address in ("/account/", "/service/", "/admin/"):
        assert browser.get(address).headers["Location"] == reverse("mfa_activate_totp"), address
    assert browser.get("/api/odd/staff/").json()["code"] == "auth.second_factor"
    assert browser.get(reverse("mfa_index")).status_code == 200


def test_with_the_second_factor_everything_opens(settings: Settings) -> None:
    settings.SECOND_FACTOR_REQUIRED = True
    ada = admin()
    give_second_factor(ada)
    browser = browser_of(ada)
    for address in ("/account/", "/service/", "/api/odd/staff/"):
        assert browser.get(address).status_code == 200, address


def test_a_token_of_a_person_without_the_required_second_factor_is_worth_nothing(settings: Settings) -> None:
    script = bearing(token_of(experimenter(), "read"))
    assert script.get("/api/odd/staff/").status_code == 200
    settings.SECOND_FACTOR_REQUIRED = True
    assert script.get("/api/odd/staff/").json()["code"] == "auth.second_factor"


def test_a_staff_session_ends_after_its_working_day_however_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    browser = browser_of(experimenter())
    assert browser.get("/account/").status_code == 200
    session = browser.session
    session[permissions.SIGNED_IN_AT] -= permissions.STAFF_SESSION_S - 60
    session.save()
    assert browser.get("/account/").status_code == 200
    session[permissions.SIGNED_IN_AT] -= 120
    session.save()
    assert browser.get("/api/odd/staff/").status_code == 401
    assert browser.get("/account/").status_code == 302


def test_personal_pages_are_kept_by_no_cache() -> None:
    answer = browser_of(experimenter()).get("/account/")
    assert "no-store" in answer.headers["Cache-Control"]


def test_the_admin_shows_rows_and_changes_none() -> None:
    ada = admin()
    browser = browser_of(ada)
    row = reverse("admin:core_user_change", args=[ada.pk])
    page = browser.get(row)
    assert page.status_code == 200
    assert ada.password not in page.content.decode()
    assert browser.post(row, {"username": "changed"}).status_code == 403
    assert browser.get(reverse("admin:core_user_add")).status_code == 403
    assert browser.post(reverse("admin:core_user_delete", args=[ada.pk]), {"post": "yes"}).status_code == 403
    assert User.objects.get().username == ada.username


def test_a_post_from_a_foreign_page_is_refused() -> None:
    browser = Client(enforce_csrf_checks=True)
    assert browser.post("/api/odd/participants/").json()["code"] == "request.csrf"
    browser.force_login(experimenter())
    assert browser.post("/api/odd/staff/").json()["code"] == "request.csrf"
    page = browser.post("/account/", {"name": "x"})
    assert page.status_code == 403
    assert "request.csrf" in page.content.decode()


def test_a_post_with_the_pages_own_token_is_accepted() -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(experimenter())
    browser.get("/account/")
    proof = browser.cookies["earmark-csrf"].value
    answer = browser.post("/api/odd/staff/", {}, "application/json", headers={"x-csrftoken": proof})
    assert answer.status_code == 200
