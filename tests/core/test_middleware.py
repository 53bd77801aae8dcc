"""Middleware: what a person or a program sees when something is rejected or fails."""

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import translation

from core.http_errors import not_found

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.odd_views")]


@pytest.fixture
def client() -> Client:
    """A browser that is shown failures instead of having them raised into the test."""
    return Client(raise_request_exception=False)


def test_a_program_gets_the_error_as_a_problem(client: Client) -> None:
    answer = client.get("/api/odd/refusing/")
    assert answer.status_code == 418
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json() == {
        "type": "urn:earmark:error:tea.refused",
        "code": "tea.refused",
        "status": 418,
        "detail": "There is no tea for Ada; ask for coffee.",
        "data": {"name": "Ada"},
    }


def test_a_person_gets_the_error_as_a_page(client: Client) -> None:
    answer = client.get("/odd/refusing/", headers={"accept": "text/html,*/*"})
    assert answer.status_code == 418
    assert answer.headers["Content-Type"].startswith("text/html")
    page = answer.content.decode()
    assert "There is no tea for Ada; ask for coffee." in page
    assert "tea.refused" in page


def test_a_page_asked_for_as_json_rejects_in_json(client: Client) -> None:
    assert client.get("/odd/refusing/", headers={"accept": "application/json"}).json()["code"] == "tea.refused"


@pytest.mark.parametrize(("address", "json"), [("/nowhere/", False), ("/api/v1/nowhere/", True)])
def test_an_unknown_address_is_rejected_in_the_form_that_the_asker_reads(
    client: Client, address: str, json: bool
) -> None:
    answer = client.get(address)
    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("application/problem+json" if json else "text/html")
    assert "not_found" in answer.content.decode()


@pytest.mark.parametrize("address", ["/odd/broken/", "/api/odd/broken/"])
def test_a_defect_shows_no_internals_and_is_recorded(
    client: Client, address: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = client.get(address)
    assert answer.status_code == 500
    assert "server.error" in answer.content.decode()
    assert "password is blue" not in answer.content.decode()
    assert "password is blue" in caplog.text


def test_a_form_larger_than_allowed_is_rejected_before_it_is_read(client: Client) -> None:
    answer = client.post("/odd/form/", {"field": "x" * (1024 * 1024 + 1)}, headers={"accept": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (413, "request.too_large")


def test_a_method_that_a_page_does_not_answer_is_rejected_with_those_allowed(client: Client) -> None:
    answer = client.post("/", headers={"accept": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (405, "request.method")
    assert answer.headers["Allow"] == "GET, HEAD"


def test_the_sentence_is_said_in_the_readers_language(client: Client) -> None:
    """The language reaches the error; which sentences the catalogue holds is another test's business."""
    answer = client.get("/api/v1/nowhere/", headers={"accept-language": "fr"})
    assert answer.headers["Content-Language"] == "fr"
    with translation.override("fr"):
        assert answer.json()["detail"] == translation.gettext(not_found().message)


def test_health_is_told_to_anybody(client: Client) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json() == {"ok": True, "database": "ok", "writing": "ok", "disk": "ok"}


def test_health_is_denied_while_the_database_is_away(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(connection, "cursor", away)
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["ok"]) == (503, False)


def test_the_front_door_tells_strangers_what_to_do(client: Client) -> None:
    page = client.get("/").content.decode()
    assert "Open the link that you were given" in page
    assert "/accounts/login/" in page
