"""The experimenter's page of panels: seats are added, links are shown once and kept nowhere."""

import re

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from listening.models import Invitation, Seat
from tests.factories import make_experiment

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client: Client) -> str:
    experiment = make_experiment(seats=2)
    client.force_login(experiment.owner)
    return f"/experiments/{experiment.slug}/"


def test_new_links_are_shown_in_the_answer_and_never_again(client: Client, page: str) -> None:
    answer = client.post(f"{page}panels/1/invitations/", {"count": 2})
    links = set(re.findall(r"/join/([\w-]+)/", answer.content.decode()))
    assert len(links) == Invitation.objects.count() == 2
    later = client.get(f"{page}people/").content.decode()
    kept = "".join(str(session.get_decoded()) for session in Session.objects.all())
    for link in links:
        assert Client().get(f"/join/{link}/").status_code == 200
        assert link not in later
        assert link not in kept


def test_a_panel_is_added_with_its_seats(client: Client, page: str) -> None:
    assert client.post(f"{page}panels/", {"seats": 3}).status_code == 302
    assert Seat.objects.filter(panel__number=2).count() == 3
    assert "0 of 3 seats finished" in client.get(f"{page}people/").content.decode()


@pytest.mark.parametrize(
    ("path", "body"),
    [("panels/", {"seats": 0}), ("panels/", {"seats": "many"}), ("panels/1/invitations/", {"count": 501})],
)
def test_a_senseless_number_is_refused_and_adds_nothing(
    client: Client, page: str, path: str, body: dict[str, object]
) -> None:
    assert client.post(page + path, body).status_code == 400
    assert client.post(f"{page}panels/9/invitations/", {"count": 1}).status_code == 404
    assert (Seat.objects.count(), Invitation.objects.count()) == (2, 0)
