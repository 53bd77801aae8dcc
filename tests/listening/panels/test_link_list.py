"""The list of links: labels, states, search, revocation; and nothing of it for participants."""

import csv
import io
import re
from datetime import timedelta
from urllib.parse import unquote

import pytest
from django.test import Client
from django.utils import timezone

from core.models import AuditEntry
from listening.models import Invitation, Seat
from listening.panels.services import links, panels, seats
from listening.panels.views.links import QUIET, qr_code
from listening.participation.access import token_digest
from rating.models import Experiment
from tests.errors import raises_error
from tests.factories import make_experiment

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=8)


@pytest.fixture
def staff(client: Client, experiment: Experiment) -> Client:
    client.force_login(experiment.owner)
    return client


@pytest.fixture
def page(experiment: Experiment) -> str:
    return f"/experiments/{experiment.slug}/people/links/"


def new_link(experiment: Experiment, label: str, *, days: int = 180) -> tuple[str, Invitation]:
    panel, now = experiment.panels.get(), timezone.now()
    [token] = panels.invite(panel=panel, count=1, now=now, actor=None, labels=[label], days=days)
    return f"/join/{token}/", Invitation.objects.get(token_sha256=token_digest(token))


def state_of(link: Invitation) -> str:
    return str(Invitation.objects.with_state(timezone.now()).get(pk=link.pk).state)


def test_a_link_is_made_for_each_label_and_the_table_has_them(staff: Client, experiment: Experiment) -> None:
    sent = {"count": 1, "labels": " P07\n\n=SUM(A1) \nanna@example.org", "days": 30}
    shown = staff.post(f"/experiments/{experiment.slug}/panels/1/invitations/", sent, follow=True).content.decode()
    made = Invitation.objects.order_by("label")
    assert [link.label for link in made] == ["=SUM(A1)", "P07", "anna@example.org"]
    assert {(link.expires_at - timezone.now()).days for link in made} == {29}
    table = re.search(r'href="data:text/csv;charset=utf-8,([^"]+)" download', shown)
    assert table is not None
    rows = list(csv.DictReader(io.StringIO(unquote(table[1]), newline="")))
    assert [row["label"] for row in rows] == ["P07", "'=SUM(A1)", "anna@example.org"]
    assert shown.count('<svg class="link-card__qr"') == 3


@pytest.mark.parametrize("labels", ["P07\nP07", "x" * 101, "\n".join(str(n) for n in range(501))])
def test_unfit_labels_are_refused_and_kept_in_the_form(staff: Client, experiment: Experiment, labels: str) -> None:
    sent = {"count": 1, "labels": labels}
    answer = staff.post(f"/experiments/{experiment.slug}/panels/1/invitations/", sent)
    assert answer.status_code == 400
    assert labels.replace("\n", "\n") in answer.content.decode()
    assert not Invitation.objects.exists()


def test_a_link_says_what_has_become_of_it(experiment: Experiment) -> None:
    address, link = new_link(experiment, "P07")
    assert state_of(link) == "made"
    person = Client()
    person.head(address)
    assert state_of(link) == "made"
    person.get(address)
    assert state_of(link) == "opened"
    person.post(address, {"agree": "on"})
    assert state_of(link) == "running"
    seat = Seat.objects.get(invitation=link)
    seats.reissue_seat(seat=seat, now=timezone.now(), actor=experiment.owner)
    assert state_of(link) == "released"
    Seat.objects.filter(pk=seat.pk).update(state=Seat.State.FINISHED)
    assert state_of(link) == "finished"
    _, late = new_link(experiment, "late")
    later = timezone.now() + timedelta(days=181)
    assert Invitation.objects.with_state(later).get(pk=late.pk).state == "expired"


def test_the_first_opening_stays(experiment: Experiment) -> None:
    address, link = new_link(experiment, "P07")
    Client().get(address)
    first = Invitation.objects.get(pk=link.pk).opened_at
    Client().get(address)
    assert Invitation.objects.get(pk=link.pk).opened_at == first


def test_a_revoked_link_opens_nothing_and_its_seat_can_be_offered_again(
    staff: Client, experiment: Experiment, page: str
) -> None:
    address, link = new_link(experiment, "P07")
    assert panels.overview(experiment=experiment, now=timezone.now())[0]["needed"] == 7
    assert staff.post(f"{page}{link.pk}/revoke/").status_code == 302
    for answer in (Client().get(address), Client().post(address, {"agree": "on"})):
        assert answer.status_code == 410
        assert "the experimenter has withdrawn it" in answer.content.decode()
    assert panels.overview(experiment=experiment, now=timezone.now())[0]["needed"] == 8
    assert AuditEntry.objects.filter(action="link.revoked").count() == 1
    with raises_error("invitation.not_revocable"):
        links.revoke_link(link=link, now=timezone.now(), actor=experiment.owner)


def test_who_listens_already_goes_on_after_a_revocation_but_cannot_come_back_by_the_link(
    experiment: Experiment,
) -> None:
    address, link = new_link(experiment, "P07")
    person = Client()
    visit = person.post(address, {"agree": "on"}).headers["Location"]
    links.revoke_link(link=link, now=timezone.now(), actor=experiment.owner)
    assert person.get(visit).status_code == 200
    assert person.get(address).status_code == 410


def test_a_link_for_many_is_revoked_alone(experiment: Experiment) -> None:
    tokens = [panels.invite_many(experiment=experiment, now=timezone.now(), actor=experiment.owner) for _ in range(2)]
    link = Invitation.objects.get(token_sha256=token_digest(tokens[0]))
    links.revoke_link(link=link, now=timezone.now(), actor=experiment.owner)
    assert [Client().get(f"/join/{token}/").status_code for token in tokens] == [410, 200]
    assert panels.links_for_many(experiment=experiment, now=timezone.now()).count() == 1


def test_the_list_is_searched_and_filtered(staff: Client, experiment: Experiment, page: str) -> None:
    address, _ = new_link(experiment, "P07")
    new_link(experiment, "P08")
    Client().get(address)
    assert [label in staff.get(f"{page}?state=opened").content.decode() for label in ("P07", "P08")] == [True, False]
    assert [label in staff.get(f"{page}?search=p08").content.decode() for label in ("P07", "P08")] == [False, True]
    assert "No link matches." in staff.get(f"{page}?state=revoked").content.decode()
    assert "/join/" not in staff.get(page).content.decode()


def test_a_label_is_changed_and_neither_stands_in_the_audit_log(
    staff: Client, experiment: Experiment, page: str
) -> None:
    _, link = new_link(experiment, "anna@example.org")
    staff.post(f"{page}{link.pk}/label/", {"label": "P07"})
    assert Invitation.objects.get().label == "P07"
    entries = str(list(AuditEntry.objects.values("target", "before", "after", "reason")))
    assert "anna" not in entries
    assert "P07" not in entries


def test_links_of_another_experiment_are_unknown(staff: Client, page: str) -> None:
    _, link = new_link(make_experiment(seats=1), "P07")
    assert staff.post(f"{page}{link.pk}/revoke/").status_code == 404
    assert "P07" not in staff.get(page).content.decode()


def test_no_participant_sees_a_label(experiment: Experiment) -> None:
    address, _ = new_link(experiment, "anna@example.org")
    new_link(experiment, "bert@example.org")
    person = Client()
    seen = person.get(address).content.decode()
    seen += person.post(address, {"agree": "on"}, follow=True).content.decode()
    assert "example.org" not in seen


def test_a_qr_code_is_drawn_with_its_finder_patterns_and_a_quiet_zone() -> None:
    code = qr_code("https://example.org/join/abc/")
    dark = {
        (int(x) + n, int(y))
        for x, y, length in re.findall(r"M(\d+),(\d+)h(\d+)v1h-\d+z", code["path"])
        for n in range(int(length))
    }
    last = code["size"] - QUIET - 1
    assert {(QUIET, QUIET), (last, QUIET), (QUIET, last)} <= dark
    assert min(x for x, _ in dark) == min(y for _, y in dark) == QUIET
    assert (QUIET + 1, QUIET + 1) not in dark
