"""Seats of a link for many: nobody gets into another person's by guessing, and one address cannot empty the link."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from listening.models import Participant, Recruitment, Seat, SetupStep, Visit
from listening.panels.services import panels, seats
from listening.participation.services import visits
from listening.participation.services.visits import PanelFull
from rating.models import Experiment, Vote
from tests.factories import event, make_experiment, new_token, sit_down
from tests.people import browser_of

pytestmark = pytest.mark.django_db
VICTIM = "PROLIFIC_PID=victim0001"
FORM = re.compile(r'<input type="hidden" name="(arrival)" value="([^"]+)">')
CODE = re.compile(r"[2-9A-HJ-NP-Z]{4}(?:-[2-9A-HJ-NP-Z]{4}){2}")
MINUTES = timedelta(minutes=1)


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=3)


def link_of(experiment: Experiment, service: str = "") -> str:
    """Create a link for many, for people of a recruiting service or for anybody."""
    token = panels.invite_many(experiment=experiment, now=timezone.now(), actor=experiment.owner, service=service)
    return f"/join/{token}/"


def agree(browser: Client, link: str, **extra: Any) -> Any:
    """Open the page and send its form as it stands."""
    hidden = dict(FORM.findall(browser.get(link, **extra).content.decode()))
    return browser.post(link, {"agree": "on", **hidden}, **extra)


def visit_of(answer: Any) -> Visit:
    assert answer.status_code == 302, answer.content
    return Visit.objects.select_related("seat__ballot").get(pk=answer.headers["Location"].split("/")[2])


def vote(browser: Client, visit: Visit, value: int, revision: int = 0, trial: UUID | None = None) -> str:
    trial = trial or visit.seat.ballot.trials.earliest("position").pk
    pages = browser.get(f"/api/v1/visits/{visit.pk}/upcoming/").json().get("trials", [])
    for sound in (sound for page in pages for sound in page["media"].values()):
        browser.get(sound["url"])
    body = {"client": "test", "events": [event(trial, value=value, revision=revision)]}
    answer = browser.post(f"/api/v1/visits/{visit.pk}/votes/", body, content_type="application/json")
    return str(answer.json()["results"][0]["status"]) if answer.status_code == 200 else str(answer.json()["code"])


def code_shown_to(browser: Client, visit: Visit) -> str:
    shown: set[str] = set(CODE.findall(browser.get(f"/visits/{visit.pk}/").content.decode()))
    (code,) = shown
    return code


def come_back(browser: Client, link: str) -> Any:
    return browser.post(link, dict(FORM.findall(browser.get(link).content.decode())))


# --- Another browser --------------------------------------------------------------------------------------------------


def test_a_guessed_number_shows_no_answer_and_can_neither_overwrite_nor_finish(experiment: Experiment) -> None:
    link = f"{link_of(experiment, 'prolific')}?{VICTIM}"
    victim, guesser = Client(), Client()
    visit = visit_of(agree(victim, link))
    assert vote(victim, visit, 5) == "stored"
    for answer in (guesser.get(link), agree(guesser, link), come_back(guesser, link)):
        page = answer.content.decode()
        assert answer.status_code == 409
        assert "was begun in another browser" in page
        assert "You have answered" not in page
        assert not CODE.search(page)
    assert vote(guesser, visit, 1, revision=1) == "visit.unknown"
    assert guesser.post(f"/api/v1/visits/{visit.pk}/finish/").status_code == 401
    assert Visit.objects.count() == Participant.objects.count() == Vote.objects.count() == 1


def test_the_browser_that_began_goes_on_by_the_same_link(experiment: Experiment) -> None:
    link = f"{link_of(experiment, 'prolific')}?{VICTIM}"
    victim = Client()
    visit = visit_of(agree(victim, link))
    vote(victim, visit, 5)
    page = victim.get(link).content.decode()
    assert "Welcome back" in page
    assert "You have answered" in page
    assert visit_of(come_back(victim, link)).seat == visit.seat


@pytest.mark.parametrize("who", ["", VICTIM])
def test_agreeing_twice_at_once_takes_one_seat_although_the_first_changed_the_cookie(
    who: str, experiment: Experiment
) -> None:
    """As after a double click: the second press is sent under the cookie from before the first."""
    link = f"{link_of(experiment, 'prolific')}?{who}"
    browser = Client()
    form = {"agree": "on", **dict(FORM.findall(browser.get(link).content.decode()))}
    second = Client()
    second.cookies.load(browser.cookies.output(header="", sep=";"))
    first_visit = visit_of(browser.post(link, form))
    assert visit_of(second.post(link, form)).seat == first_visit.seat
    assert Participant.objects.count() == 1


@pytest.mark.parametrize("who", ["", VICTIM])
def test_the_code_shown_after_consent_leads_another_device_to_the_same_seat(who: str, experiment: Experiment) -> None:
    link = f"{link_of(experiment, 'prolific')}?{who}"
    phone, laptop = Client(), Client()
    visit = visit_of(agree(phone, link))
    code = code_shown_to(phone, visit)
    assert code in phone.get(link).content.decode()
    typed = f" {code.lower().replace('-', ' ')} "
    assert visit_of(laptop.post(link, {"resume": typed})).seat == visit.seat
    assert visit_of(come_back(laptop, link)).seat == visit.seat
    assert visit_of(come_back(phone, link)).seat == visit.seat
    assert Participant.objects.count() == 1


@pytest.mark.parametrize("code", ["2222-2222-2222", pytest.param("x", marks=pytest.mark.long), "é" * 500, "\x00"])
def test_a_wrong_code_leads_nowhere_and_says_so(code: str, experiment: Experiment) -> None:
    link = link_of(experiment, "prolific")
    agree(Client(), f"{link}?{VICTIM}")
    for address in (link, f"{link}?{VICTIM}"):
        answer = Client().post(address, {"resume": code, "agree": "on"})
        assert answer.status_code == 422
        assert "No place in this test has this code" in answer.content.decode()
    assert Visit.objects.count() == 1


def test_a_code_of_another_experiment_leads_nowhere(experiment: Experiment) -> None:
    link, other = link_of(experiment), link_of(make_experiment(seats=1))
    browser = Client()
    code = code_shown_to(browser, visit_of(agree(browser, link)))
    assert Client().post(other, {"resume": code}).status_code == 422


def test_codes_stay_good_while_the_servers_key_is_being_changed(settings: Settings, experiment: Experiment) -> None:
    link = f"{link_of(experiment, 'prolific')}?{VICTIM}"
    browser = Client()
    visit = visit_of(agree(browser, link))
    code = code_shown_to(browser, visit)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "n" * 50
    assert Client().get(link).status_code == 409
    assert visit_of(Client().post(link, {"resume": code})).seat == visit.seat


# --- Which links believe what -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("personal", [True, False])
def test_a_link_that_was_not_made_for_a_service_believes_no_parameter(personal: bool, experiment: Experiment) -> None:
    victim = visit_of(agree(Client(), f"{link_of(experiment, 'prolific')}?{VICTIM}"))
    other = f"/join/{new_token(experiment)}/" if personal else link_of(experiment)
    taken = visit_of(agree(Client(), f"{other}?{VICTIM}"))
    assert taken.seat != victim.seat
    assert Recruitment.objects.filter(service="prolific").count() == 1


def test_a_personal_link_leads_on_from_another_device_and_shows_no_code(experiment: Experiment) -> None:
    sitting = sit_down(experiment)
    assert not CODE.search(sitting.client.get(f"/visits/{sitting.visit.id}/").content.decode())
    assert visit_of(Client().post(sitting.link)).seat == sitting.visit.seat


def test_a_service_that_nobody_knows_is_rejected(experiment: Experiment) -> None:
    answer = browser_of(experiment.owner).post(f"/experiments/{experiment.slug}/links/", {"service": "acme"})
    assert answer.status_code == 400


def test_a_services_number_is_kept_as_a_digest_of_this_experiment_alone(
    settings: Settings, experiment: Experiment
) -> None:
    for one in (experiment, make_experiment(seats=1)):
        agree(Client(), f"{link_of(one, 'prolific')}?{VICTIM}", REMOTE_ADDR="192.0.2.7")
    settings.SECRET_KEY = "n" * 50
    agree(Client(), f"{link_of(experiment, 'prolific')}?{VICTIM}", REMOTE_ADDR="192.0.2.7")
    rows = list(Recruitment.objects.values("service", "person", "browser", "address"))
    assert {row["service"] for row in rows} == {"prolific"}
    for name in ("person", "browser", "address"):
        assert len({row[name] for row in rows}) == 3
    assert "victim" not in str(rows)
    assert "192.0.2" not in str(rows)


def test_the_experimenter_gets_the_codes_to_pay_by_and_no_number(client: Client, experiment: Experiment) -> None:
    link, browser = f"{link_of(experiment, 'prolific')}?{VICTIM}", Client()
    visit = visit_of(agree(browser, link))
    for trial in visit.seat.ballot.trials.order_by("position"):
        vote(browser, visit, 4, trial=trial.pk)
    code = browser.post(f"/api/v1/visits/{visit.pk}/finish/").json()["code"]
    client.force_login(experiment.owner)
    answer = client.get(f"/experiments/{experiment.slug}/people/codes/")
    assert answer.headers["Content-Type"].startswith("text/csv")
    header, row = answer.content.decode().splitlines()
    assert header == "completion_code,subject_id,finished_at,answers,withdrawn_at"
    assert row.split(",")[:2] == [code, "sub-0001"]
    assert row.endswith(",4,")
    assert "victim" not in answer.content.decode()


# --- One address ------------------------------------------------------------------------------------------------------


def seats_taken_from(address: str, link: str, tries: int) -> int:
    answers = [agree(Client(), f"{link}?PROLIFIC_PID=bot{n}", REMOTE_ADDR=address) for n in range(tries)]
    return sum(answer.status_code == 302 for answer in answers)


def test_one_address_does_not_empty_a_link_for_many(settings: Settings, experiment: Experiment) -> None:
    settings.UNANSWERED_SEATS_PER_ADDRESS = 2
    link = link_of(experiment, "prolific")
    assert seats_taken_from("192.0.2.1", link, 3) == 2
    rejected = agree(Client(), f"{link}?PROLIFIC_PID=bot99", REMOTE_ADDR="192.0.2.1")
    assert (rejected.status_code, b"invitation.crowded" in rejected.content) == (429, True)
    assert agree(Client(), f"{link}?PROLIFIC_PID=honest", REMOTE_ADDR="192.0.2.2").status_code == 302


def test_an_answer_makes_room_for_the_next_person_behind_the_same_address(
    settings: Settings, experiment: Experiment
) -> None:
    settings.UNANSWERED_SEATS_PER_ADDRESS = 1
    link, first = link_of(experiment), Client()
    visit = visit_of(agree(first, link))
    assert agree(Client(), link).status_code == 429
    vote(first, visit, 4)
    assert agree(Client(), link).status_code == 302


def test_neighbours_in_one_network_of_ipv6_count_as_one_address(settings: Settings, experiment: Experiment) -> None:
    settings.UNANSWERED_SEATS_PER_ADDRESS = 1
    link = link_of(experiment)
    came = [agree(Client(), link, REMOTE_ADDR=who).status_code for who in ("2001:db8::1", "2001:db8::2", "2001:db9::1")]
    assert came == [302, 429, 302]


def test_personal_links_and_a_limit_of_zero_let_everybody_in(settings: Settings, experiment: Experiment) -> None:
    settings.UNANSWERED_SEATS_PER_ADDRESS = 1
    link = link_of(experiment)
    agree(Client(), link)
    assert agree(Client(), f"/join/{new_token(experiment)}/").status_code == 302
    settings.UNANSWERED_SEATS_PER_ADDRESS = 0
    assert agree(Client(), link).status_code == 302


# --- The lease until the first answer ---------------------------------------------------------------------------------


def lease_left(visit: Visit) -> timedelta:
    until = Seat.objects.get(pk=visit.seat_id).leased_until
    assert until is not None
    return until - timezone.now()


def let_lapse(visit: Visit) -> None:
    Seat.objects.filter(pk=visit.seat_id).update(leased_until=timezone.now() - MINUTES)


def test_a_seat_of_a_link_for_many_waits_shortly_until_the_first_answer_and_long_after_it(
    experiment: Experiment,
) -> None:
    browser = Client()
    visit = visit_of(agree(browser, link_of(experiment)))
    assert lease_left(visit) <= 30 * MINUTES
    vote(browser, visit, 4)
    assert lease_left(visit) > timedelta(hours=167)


def test_the_sound_checks_and_coming_back_renew_the_short_lease_and_never_shorten_a_long_one(
    experiment: Experiment,
) -> None:
    browser = Client()
    link = link_of(experiment)
    visit = visit_of(agree(browser, link))
    ears = {"step": SetupStep.Step.EARS, "screening": "ears", "answers": ["left"] * 3}
    address = f"/api/v1/visits/{visit.pk}/setup/"
    for sign in (
        lambda: browser.get(address),
        lambda: browser.post(address, ears, content_type="application/json"),
        lambda: browser.get(f"/api/v1/visits/{visit.pk}/upcoming/"),
        lambda: come_back(browser, link),
    ):
        let_lapse(visit)
        Visit.objects.update(last_seen_at=timezone.now() - MINUTES)
        sign()
        assert timedelta() < lease_left(visit) <= 30 * MINUTES
    vote(browser, visit, 4)
    come_back(browser, link)
    assert lease_left(visit) > timedelta(hours=167)


def test_a_personal_link_keeps_its_seat_as_long_as_the_session_settings_say(experiment: Experiment) -> None:
    assert lease_left(sit_down(experiment).visit) > timedelta(hours=167)


def test_who_lost_a_seat_before_the_first_answer_may_take_another() -> None:
    experiment = make_experiment(seats=1)
    link = f"{link_of(experiment, 'prolific')}?{VICTIM}"
    slow, quick = Client(), Client()
    first = visit_of(agree(slow, link))
    let_lapse(first)
    second = visit_of(agree(quick, link_of(experiment)))
    assert second.seat.occupancy == 2
    told = slow.get(f"/visits/{first.pk}/")
    assert (told.status_code, b"open your link again" in told.content) == (410, True)
    assert agree(slow, link).status_code == 409  # nothing is free now
    let_lapse(second)
    assert visit_of(agree(slow, link)).seat.occupancy == 3


def test_who_answered_keeps_the_seat_when_the_short_lease_is_over() -> None:
    experiment = make_experiment(seats=1)
    link, browser = link_of(experiment), Client()
    visit = visit_of(agree(browser, link))
    vote(browser, visit, 4)
    invitation = panels.links_for_many(experiment=experiment, now=timezone.now()).get()
    late = timezone.now() + 60 * MINUTES
    with pytest.raises(PanelFull):
        visits.check_claimable(invitation, now=late)


def test_addresses_are_forgotten_when_they_are_no_longer_needed(experiment: Experiment) -> None:
    link = link_of(experiment)
    answered, lapsed, waiting = Client(), Client(), Client()
    first, second, third = (visit_of(agree(browser, link)) for browser in (answered, lapsed, waiting))
    vote(answered, first, 4)
    let_lapse(second)
    assert not Recruitment.objects.filter(address="").exists()
    seats.forget_addresses(now=timezone.now())
    kept = Recruitment.objects.exclude(address="").get()
    assert kept.participant == Seat.objects.get(pk=third.seat_id).participant
