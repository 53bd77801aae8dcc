"""Links: one for each person, one for many, people who come from Prolific, and where the receipt leads."""

import csv
import io
import re
from copy import deepcopy
from datetime import timedelta
from urllib.parse import unquote

import pytest
from django.test import Client
from django.utils import timezone

from core.models import AuditEntry
from listening.models import Completion, Invitation, Participant, Recruitment, Seat, SessionSettings, Visit
from listening.panels.services import panels, seats
from listening.participation.recruitment import digests
from rating.models import Experiment
from rating.services.experiments import pause
from tests.factories import event, make_experiment, new_token, sit_down

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_three_seats(module_db: None) -> Experiment:
    return make_experiment(seats=3)


@pytest.fixture
def three_seats(shared_three_seats: Experiment) -> Experiment:
    return deepcopy(shared_three_seats)


WHO = "PROLIFIC_PID=60aa&STUDY_ID=study7&SESSION_ID=sub9"


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=1)


def open_link(experiment: Experiment, service: str = "") -> str:
    token = panels.invite_many(experiment=experiment, now=timezone.now(), actor=experiment.owner, service=service)
    return f"/join/{token}/"


def prolific_link(experiment: Experiment) -> str:
    return f"{open_link(experiment, 'prolific')}?{WHO}"


def consent(client: Client, address: str) -> str:
    """Open the page, send its form with everything that is hidden in it, and return the visit's address."""
    page = client.get(address).content.decode()
    hidden = dict(re.findall(r'<input type="hidden" name="(arrival)" value="([^"]+)">', page))
    answer = client.post(address.partition("?")[0], {"agree": "on", **hidden})
    assert answer.status_code == 302, answer.content
    return str(answer.headers["Location"])


def seat_of(address: str) -> Seat:
    return Visit.objects.select_related("seat__panel").get(pk=address.split("/")[2]).seat


# --- One link for many ------------------------------------------------------------------------------------------------


def test_everybody_who_consents_by_the_link_for_many_takes_a_seat_of_their_own(three_seats: Experiment) -> None:
    experiment = three_seats
    link = open_link(experiment)
    taken = [seat_of(consent(Client(), link)).number for _ in range(3)]
    assert sorted(taken) == [1, 2, 3]
    late = Client().post(link, {"agree": "on"})
    assert (late.status_code, b"invitation.full" in late.content) == (409, True)
    assert Invitation.objects.get().seat is None


def test_the_panel_that_lacks_most_people_is_filled_first(experiment: Experiment) -> None:
    panels.create_panel(experiment=experiment, seats=3, actor=experiment.owner)
    link = open_link(experiment)
    filled = [seat_of(consent(Client(), link)).panel.number for _ in range(4)]
    assert filled == [2, 2, 1, 2]


def test_the_same_browser_comes_back_to_its_own_seat_and_is_told_so(three_seats: Experiment) -> None:
    experiment = three_seats
    link, browser = open_link(experiment), Client()
    first = seat_of(consent(browser, link))
    assert b"Welcome back" in browser.get(link).content
    assert seat_of(str(browser.post(link).headers["Location"])) == first
    assert Participant.objects.count() == 1
    assert Visit.objects.count() == 1


def test_pressing_the_button_twice_takes_one_seat(three_seats: Experiment) -> None:
    experiment = three_seats
    link, browser = open_link(experiment), Client()
    browser.get(link)
    for _ in range(2):
        assert browser.post(link, {"agree": "on"}).status_code == 302
    assert Participant.objects.count() == 1


def test_opening_a_link_for_many_takes_nothing_and_promises_only_this_browser(experiment: Experiment) -> None:
    link = open_link(experiment)
    page = Client().get(link).content
    assert b"in this browser" in page
    assert not Recruitment.objects.exists()
    assert experiment.panels.get().seats.get().state == Seat.State.OPEN


def test_a_lapsed_seat_in_any_panel_is_given_to_who_comes_by_the_link_for_many(experiment: Experiment) -> None:
    panels.create_panel(experiment=experiment, seats=1, actor=experiment.owner)
    link = open_link(experiment)
    for _ in range(2):
        consent(Client(), link)
    Seat.objects.filter(panel__number=2).update(leased_until=timezone.now() - timedelta(hours=1))
    seat = seat_of(consent(Client(), link))
    assert (seat.panel.number, seat.occupancy) == (2, 2)


def test_closing_the_links_for_many_keeps_new_people_out_and_lets_others_go_on(
    client: Client, three_seats: Experiment
) -> None:
    experiment = three_seats
    link, browser = open_link(experiment), Client()
    consent(browser, link)
    client.force_login(experiment.owner)
    assert client.post(f"/experiments/{experiment.slug}/links/close/").status_code == 302
    assert Client().post(link, {"agree": "on"}).status_code == 410
    assert browser.post(link).status_code == 302
    assert AuditEntry.objects.filter(action="experiment.links_closed").count() == 1


# --- People from Prolific ---------------------------------------------------------------------------------------------


def test_who_comes_from_prolific_is_kept_through_consent_and_apart(experiment: Experiment) -> None:
    seat = seat_of(consent(Client(), prolific_link(experiment)))
    kept = Recruitment.objects.get()
    assert (kept.service, kept.person) == ("prolific", digests(experiment.pk, "prolific", "60aa")[0])
    assert kept.participant == seat.participant
    kept.delete()
    assert Participant.objects.count() == 1


def test_the_same_person_from_prolific_comes_back_by_any_link_of_the_experiment_for_prolific(
    three_seats: Experiment,
) -> None:
    experiment = three_seats
    browser = Client()
    first = seat_of(consent(browser, prolific_link(experiment)))
    other = prolific_link(experiment)
    assert b"Welcome back" in browser.get(other).content
    assert seat_of(consent(browser, other)) == first
    assert Participant.objects.count() == 1


def test_a_person_from_prolific_comes_back_although_the_test_is_paused(experiment: Experiment) -> None:
    browser = Client()
    link = prolific_link(experiment)
    consent(browser, link)
    pause(experiment=experiment, actor=experiment.owner)
    assert seat_of(consent(browser, link)) == Visit.objects.get().seat


def test_a_person_from_prolific_whose_seat_was_given_away_is_told_so_and_takes_no_other(
    three_seats: Experiment,
) -> None:
    experiment = three_seats
    link = prolific_link(experiment)
    seat = seat_of(consent(Client(), link))
    seats.reissue_seat(seat=seat, now=timezone.now(), actor=experiment.owner)
    answer = Client().get(link)
    assert (answer.status_code, b"What you did is kept" in answer.content) == (410, True)
    assert Participant.objects.count() == 1


def test_the_same_person_in_another_experiment_is_another_person_there() -> None:
    for experiment in (make_experiment(seats=1), make_experiment(seats=1)):
        consent(Client(), prolific_link(experiment))
    assert Recruitment.objects.filter(service="prolific").count() == Participant.objects.count() == 2


@pytest.mark.parametrize("field", ["forged", "eyJzZXJ2aWNlIjoicHJvbGlmaWMifQ:1abc:xyz"])
def test_a_forged_field_says_nothing_about_who_comes(field: str, experiment: Experiment) -> None:
    Client().post(open_link(experiment, "prolific"), {"agree": "on", "arrival": field})
    assert Recruitment.objects.get().service == "browser"


def test_a_field_of_another_link_is_not_accepted(three_seats: Experiment) -> None:
    experiment = three_seats
    page = Client().get(prolific_link(experiment)).content.decode()
    (value,) = set(re.findall(r'name="arrival" value="([^"]+)"', page))
    Client().post(open_link(experiment, "prolific"), {"agree": "on", "arrival": value})
    assert Recruitment.objects.get().service == "browser"


@pytest.mark.parametrize("person", ["", "x" * 65, "<script>", "a b", "%00"])
def test_a_number_that_is_none_is_ignored(person: str, experiment: Experiment) -> None:
    consent(Client(), f"{open_link(experiment, 'prolific')}?PROLIFIC_PID={person}")
    assert Recruitment.objects.get().service == "browser"


def test_personal_links_ask_no_service_who_comes(three_seats: Experiment) -> None:
    experiment = three_seats
    consent(Client(), f"/join/{new_token(experiment)}/?{WHO}")
    consent(Client(), f"/join/{new_token(experiment)}/?{WHO}")
    assert Participant.objects.count() == 2
    assert not Recruitment.objects.exists()


# --- What the experimenter gets ---------------------------------------------------------------------------------------


def test_links_come_as_a_table_for_a_mail_merge(client: Client, three_seats: Experiment) -> None:
    experiment = three_seats
    client.force_login(experiment.owner)
    answer = client.post(f"/experiments/{experiment.slug}/panels/1/invitations/", {"count": 2}, follow=True)
    table = re.search(r'href="data:text/csv;charset=utf-8,([^"]+)" download', answer.content.decode())
    assert table is not None
    rows = list(csv.DictReader(io.StringIO(unquote(table[1]), newline="")))
    assert [row["panel"] for row in rows] == ["1", "1"]
    for row in rows:
        assert Client().get("/join/" + row["link"].partition("/join/")[2]).status_code == 200


@pytest.mark.parametrize(
    ("service", "ending"), [("", "/</code>"), ("prolific", "/?PROLIFIC_PID={{%PROLIFIC_PID%}}</code>")]
)
def test_the_link_for_many_is_shown_once_and_as_prolific_wants_it(
    client: Client, service: str, ending: str, experiment: Experiment
) -> None:
    client.force_login(experiment.owner)
    page = client.post(f"/experiments/{experiment.slug}/links/", {"service": service}, follow=True).content.decode()
    assert re.search(r"/join/[\w-]+" + re.escape(ending), page)
    made = Invitation.objects.get()
    assert (made.many, made.service) == (True, service)
    assert "/join/" not in client.get(f"/experiments/{experiment.slug}/people/").content.decode()


def test_the_page_says_how_many_links_each_panel_still_needs(client: Client) -> None:
    experiment = make_experiment(seats=4)
    panel = experiment.panels.get()
    now = timezone.now()
    sit_down(experiment)
    panels.invite(panel=panel, count=1, now=now, actor=None)
    panels.invite(panel=panel, count=5, now=now - timedelta(days=10), actor=None, days=20)
    Invitation.objects.filter(expires_at__lt=now + timedelta(days=15)).update(
        created_at=now - timedelta(days=10), expires_at=now - timedelta(days=1)
    )
    row = panels.overview(experiment=experiment, now=now)[0]
    assert (row["open"], row["links"], row["needed"]) == (3, 1, 2)
    client.force_login(experiment.owner)
    assert "needs 2 more links" in client.get(f"/experiments/{experiment.slug}/people/").content.decode()


# --- Where the receipt leads ------------------------------------------------------------------------------------------


def finished(experiment: Experiment) -> str:
    sitting = sit_down(experiment)
    sitting.answer_all()
    sitting.client.post(f"{sitting.api}finish/")
    page: str = sitting.client.get(f"/visits/{sitting.visit.id}/receipt/").content.decode()
    return page


def test_the_receipt_leads_back_with_the_code_in_its_place(experiment: Experiment) -> None:
    SessionSettings.objects.create(experiment=experiment, completion_url="https://example.org/done?cc={code}&x=1")
    page = finished(experiment)
    assert f'href="https://example.org/done?cc={Completion.objects.get().code}&amp;x=1"' in page


def test_a_code_for_everybody_stands_on_the_receipt_and_in_its_address(experiment: Experiment) -> None:
    back = {"completion_code": "C1ALL", "completion_url": "https://example.org/?cc={code}"}
    SessionSettings.objects.create(experiment=experiment, **back)
    sitting = sit_down(experiment)
    assert sitting.client.post(f"{sitting.api}finish/").status_code == 409
    unfinished = sitting.client.get(f"/visits/{sitting.visit.id}/receipt/", follow=True).content.decode()
    assert "C1ALL" not in unfinished, "no code for work that was not done"
    sitting.answer_all()
    sitting.client.post(f"{sitting.api}finish/")
    page = sitting.client.get(f"/visits/{sitting.visit.id}/receipt/").content.decode()
    assert 'id="completion-code">C1ALL<' in page
    assert 'href="https://example.org/?cc=C1ALL"' in page
    assert Completion.objects.get().code in page, "the own code tells the receipts apart"


def test_without_an_address_the_receipt_leads_nowhere(experiment: Experiment) -> None:
    assert "Go back with your code" not in finished(experiment)


def test_the_code_of_a_rehearsal_leads_nowhere(experiment: Experiment) -> None:
    back = {"completion_code": "C1ALL", "completion_url": "https://example.org/{code}"}
    SessionSettings.objects.create(experiment=experiment, **back)
    token = panels.rehearse(experiment=experiment, count=1, now=timezone.now(), actor=experiment.owner)[0]
    client = Client()
    visit = consent(client, f"/join/{token}/").split("/")[2]
    while trials := client.get(f"/api/v1/visits/{visit}/upcoming/").json()["trials"]:
        for sound in (sound for page in trials for sound in page["media"].values()):
            client.get(sound["url"])
        body = {"client": "test", "events": [event(page["trial"]) for page in trials]}
        client.post(f"/api/v1/visits/{visit}/votes/", body, content_type="application/json")
    client.post(f"/api/v1/visits/{visit}/finish/")
    page = client.get(f"/visits/{visit}/receipt/").content.decode()
    assert "Rehearsal: nothing here counts" in page
    assert "example.org" not in page
    assert "C1ALL" not in page


def test_who_comes_too_late_is_thanked_and_led_back_with_the_code_for_it(experiment: Experiment) -> None:
    back = {"full_code": "FULL1", "full_url": "https://example.org/?cc={code}", "screen_out_code": "OUT1"}
    SessionSettings.objects.create(experiment=experiment, **back)
    link = prolific_link(experiment)
    consent(Client(), link)
    late = Client()
    for _ in range(2):  # coming again says the same
        answer = late.get(link.replace("60aa", "70bb"))
        page = answer.content.decode()
        assert answer.status_code == 409
        assert 'href="https://example.org/?cc=FULL1"' in page
        assert "OUT1" not in page
    assert late.post(link.partition("?")[0], {"agree": "on"}).status_code == 409
    assert Participant.objects.count() == 1
    personal = Client().get(f"/join/{new_token(experiment)}/").content.decode()
    assert "All places in your group are taken" in personal
    assert "FULL1" not in personal
