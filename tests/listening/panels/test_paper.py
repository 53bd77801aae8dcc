"""Paper: sheets that name nothing, and crosses entered by an organiser that become votes like any other."""

import json
import re
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import AuditEntry
from listening.models import Completion, Participant, Seat, Visit
from listening.panels.services.paper import paper_of
from rating.models import Consent, Experiment, RejectedVote, Score, Vote
from rating.protocol import Protocol
from rating.registry import module_of, protocols
from rating.services.experiments import pause
from rating.services.pages import plan_of
from rating.services.votes import chain_holds
from tests.factories import make_experiment, sit_down

pytestmark = pytest.mark.django_db

EXAMPLE = {
    "item": "secretitem0",
    "crosses": [{"condition": "secretcondition0", "tc": 0.25, "sd": 0.5, "why": "Rain, and rain again."}],
}
CROSSES = {"s1-TC": "0.741", "s1-SD": "0.219", "s2-TC": "0.191", "s2-SD": "0.861"}


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    """An example and two recordings with two summaries each, and two seats."""
    return make_experiment(protocol="tcsd_plane", items=3, conditions=2, seats=2, options={"example": EXAMPLE})


@pytest.fixture
def staff(client: Client, experiment: Experiment) -> Client:
    client.force_login(experiment.owner)
    return client


@pytest.fixture
def paper(experiment: Experiment) -> str:
    return f"/experiments/{experiment.slug}/panels/1/seats/1/paper/"


@pytest.fixture
def begun(staff: Client, paper: str) -> str:
    staff.post(paper, {"agreed": "on"})
    return paper


def opened(staff: Client, address: str) -> dict[str, str]:
    """The form of a sheet as a browser sends it back, hidden fields included."""
    page = staff.get(address).content.decode()
    tags = re.findall(r"<input[^>]+>", page)
    read = {name[1]: value for tag in tags if (name := re.search(r'name="([^"]+)"', tag)) for value in [_value(tag)]}
    read.pop("csrfmiddlewaretoken")
    return read | {"unit": "share", "comment": ""}


def _value(tag: str) -> str:
    found = re.search(r'value="([^"]*)"', tag)
    return found[1] if found else ""


def enter(staff: Client, address: str, **fields: Any) -> Any:
    return staff.post(address, opened(staff, address) | fields)


def test_the_sheets_hold_a_plane_a_recording_and_name_neither_items_nor_conditions(
    staff: Client, paper: str, experiment: Experiment
) -> None:
    people = staff.get(f"/experiments/{experiment.slug}/people/").content.decode()
    address = paper.replace("/paper/", "/sheets/")
    assert address in people
    page = staff.get(address).content.decode()
    assert page.count('class="sheet__plane"') == 3
    assert "Recording 1 of 2" in page
    assert "Recording 2 of 2" in page
    assert page.count("Seat 1.1") == 4
    assert "High when the different sound sources" in page
    assert page.count("sheet__tokens") == 2
    assert "secret" not in page


def test_the_sheets_are_in_the_experiments_language_and_the_example_stands_where_it_does(
    staff: Client, paper: str
) -> None:
    Experiment.objects.update(language="fr")
    page = staff.get(paper.replace("/paper/", "/sheets/"), headers={"accept-language": "en"}).content.decode()
    assert '<html lang="fr">' in page
    assert "Enregistrement 1 sur 2" in page
    assert re.search(r"translate\(0\.25 -0\.5\)[^§]+?>\s*[12]</text>", page)
    assert "Rain, and rain again." in page


def test_nothing_is_entered_before_the_consent_is_recorded(staff: Client, paper: str) -> None:
    assert staff.get(f"{paper}1/").status_code == 422
    refused = staff.post(paper, {})
    assert refused.status_code == 422
    assert "signed consent" in refused.content.decode()
    assert not Participant.objects.exists()
    assert not Consent.objects.exists()


def test_beginning_takes_the_seat_for_a_new_participant_and_a_second_time_changes_nothing(
    staff: Client, begun: str, experiment: Experiment
) -> None:
    staff.post(begun, {"agreed": "on"})
    seat = Seat.objects.get(number=1)
    assert (seat.state, seat.participant, Participant.objects.count()) == ("taken", Participant.objects.get(), 1)
    assert Consent.objects.get().ballot == seat.ballot
    assert Visit.objects.get().device["device_class"] == "paper"
    logged = AuditEntry.objects.get(action="seat.taken_on_paper")
    assert logged.actor == experiment.owner
    assert logged.after == {"panel": 1, "seat": 1, "occupancy": 1, "consent": "on paper"}


def test_crosses_become_a_vote_that_says_it_came_from_paper_and_by_whom(
    staff: Client, begun: str, experiment: Experiment
) -> None:
    scanned = {"s2-read": "scan", "frame_px": "640"}
    answer = enter(staff, f"{begun}1/", **CROSSES, **scanned, comment="A-1: rain", close="on")
    assert answer.status_code == 302
    vote = Vote.objects.get()
    assert vote.payload == {
        "crosses": {
            "s1": {"tc": 0.741, "sd": 0.219, "decided": True},
            "s2": {"tc": 0.191, "sd": 0.861, "decided": True},
        },
        "moves": [
            {"slot": "s1", "to": [0.741, 0.219], "decided": True, "input": "paper", "plane_px": 0},
            {"slot": "s2", "to": [0.191, 0.861], "decided": True, "input": "scan", "plane_px": 640},
        ],
        "comment": "A-1: rain",
        "finished": True,
    }
    assert vote.client["version"] == "paper"
    assert vote.client["clock"] == {"entered_by": experiment.owner.username}
    assert Score.objects.count() == 4
    logged = AuditEntry.objects.get(action="ballot.entered_from_paper")
    place = {"panel": 1, "seat": 1, "occupancy": 1, "sheet": 1}
    said = {"event": str(vote.event_id), "moved": {"s1": "paper", "s2": "scan"}, "closed": True}
    assert logged.after == place | said
    assert experiment.owner.username in staff.get(begun).content.decode()


def test_per_cent_are_shares_of_a_hundred(staff: Client, begun: str) -> None:
    values = {"s1-TC": "74.1", "s1-SD": "21.904", "s2-TC": "0", "s2-SD": "100"}
    enter(staff, f"{begun}1/", **values, unit="percent", close="on")
    crosses = Vote.objects.get().payload["crosses"]
    assert crosses["s1"] == {"tc": 0.741, "sd": 0.219, "decided": True}
    assert crosses["s2"] == {"tc": 0, "sd": 1, "decided": True}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"s1-TC": "1.2"}, "From 0 to 1."),
        ({"s1-TC": "101", "unit": "percent"}, "From 0 to 100."),
        ({"s1-TC": "nan"}, "Enter a number."),
        ({"s1-TC": "left"}, "Enter a number."),
        ({"s1-SD": ""}, "Every number of a row is needed"),
        ({"s2-TC": "", "s2-SD": ""}, "Missing. Enter a number"),
    ],
)
def test_a_slip_is_named_beside_its_field_and_nothing_is_stored(
    staff: Client, begun: str, change: dict[str, str], complaint: str
) -> None:
    answer = enter(staff, f"{begun}1/", **(CROSSES | {"close": "on"} | change))
    assert answer.status_code == 200
    (field, *_) = change
    beside = answer.content.decode().split(f'name="{field}"')[1].split("</td>")[0]
    assert complaint in beside
    assert not Vote.objects.exists()
    assert not RejectedVote.objects.exists()


def test_a_draft_may_lack_crosses_does_not_count_and_is_gone_on_with(staff: Client, begun: str) -> None:
    enter(staff, f"{begun}1/", **{"s1-TC": "0.5", "s1-SD": "0.5"}, comment="so far")
    assert not Score.objects.exists()
    assert "Draft" in staff.get(begun).content.decode()
    form = opened(staff, f"{begun}1/")
    assert (form["s1-TC"], form["s2-TC"], form["revision"]) == ("0.5", "", "1")
    assert ">\nso far</textarea>" in staff.get(f"{begun}1/").content.decode()
    enter(staff, f"{begun}1/", **{"s2-TC": "0.1", "s2-SD": "0.2"}, close="on")
    newest = Vote.objects.latest("id").payload
    assert [move["slot"] for move in newest["moves"]] == ["s2"]
    assert Score.objects.count() == 4


def test_the_same_form_sent_twice_is_one_vote_and_an_older_form_is_sent_back(staff: Client, begun: str) -> None:
    form = opened(staff, f"{begun}1/") | CROSSES | {"close": "on"}
    other = opened(staff, f"{begun}1/") | CROSSES | {"s1-TC": "0.5", "close": "on"}
    staff.post(f"{begun}1/", form)
    staff.post(f"{begun}1/", form)
    assert Vote.objects.count() == 1
    assert AuditEntry.objects.filter(action="ballot.entered_from_paper").count() == 1
    for late in (other, form | {"s1-TC": "0.6"}):
        answer = staff.post(f"{begun}1/", late, follow=True)
        assert "saved in the meantime" in answer.content.decode()
        assert opened(staff, f"{begun}1/")["s1-TC"] == "0.741"
    assert Score.objects.filter(value=0.741).count() == 1


def test_a_seat_is_finished_once_every_recording_is_closed_and_then_stands(staff: Client, begun: str) -> None:
    enter(staff, f"{begun}1/", **CROSSES, close="on")
    refused = staff.post(f"{begun}finish/", follow=True)
    assert not Completion.objects.exists()
    assert "1 recordings of this seat are still open" in refused.content.decode()
    enter(staff, f"{begun}2/", **CROSSES, close="on")
    assert staff.post(f"{begun}finish/").status_code == 302
    completion = Completion.objects.select_related("seat__ballot").get()
    assert completion.vote_count == 3  # the example counts as seen
    assert chain_holds(ballot=completion.seat.ballot)
    late = enter(staff, f"{begun}1/", **CROSSES, close="on")
    assert "its answers no longer change" in late.content.decode()
    assert Score.objects.count() == 8


def test_a_seat_that_is_answered_online_is_refused(staff: Client, experiment: Experiment) -> None:
    online = sit_down(experiment)
    address = f"/experiments/{experiment.slug}/panels/1/seats/{online.visit.seat.number}/paper/"
    rejected = [staff.post(address, {"agreed": "on"}), staff.get(f"{address}1/")]
    assert [answer.status_code for answer in rejected] == [409, 409]
    for answer in (*rejected, staff.post(f"{address}finish/", follow=True)):
        assert "a person who answers online" in answer.content.decode()
    assert "a person who answers online" in staff.get(address).content.decode()
    assert Participant.objects.count() == 1


def test_nobody_gets_in_online_where_a_seat_is_filled_in_on_paper(
    staff: Client, begun: str, experiment: Experiment
) -> None:
    assert sit_down(experiment).visit.seat.number == 2
    assert Seat.objects.get(number=1).participant != Seat.objects.get(number=2).participant


def test_an_experiment_that_is_not_live_takes_no_new_seat_on_paper(
    staff: Client, paper: str, experiment: Experiment
) -> None:
    pause(experiment=experiment, actor=experiment.owner)
    answer = staff.post(paper, {"agreed": "on"})
    assert (answer.status_code, "this needs it to be live" in answer.content.decode()) == (409, True)
    assert not Participant.objects.exists()


def test_a_recording_or_a_seat_that_is_not_there_is_said_to_be_missing(staff: Client, begun: str) -> None:
    assert staff.get(f"{begun}3/").status_code == 404
    assert staff.get(begun.replace("seats/1", "seats/9")).status_code == 404


def test_a_lease_runs_from_the_newest_sheet(staff: Client, begun: str) -> None:
    Seat.objects.filter(number=1).update(leased_until=timezone.now())
    enter(staff, f"{begun}1/", **CROSSES)
    until = Seat.objects.get(number=1).leased_until
    assert until is not None
    assert (until - timezone.now()).days >= 59


def test_only_protocols_with_sheets_offer_paper(client: Client) -> None:
    experiment = make_experiment(seats=1)
    client.force_login(experiment.owner)
    assert "Print sheets" not in client.get(f"/experiments/{experiment.slug}/people/").content.decode()
    assert client.get(f"/experiments/{experiment.slug}/panels/1/seats/1/sheets/").status_code == 409


@pytest.mark.parametrize(
    "protocol",
    [protocol for protocol in protocols().values() if module_of(protocol.slug, "paper")],
    ids=lambda protocol: protocol.slug,
)
def test_what_is_written_off_paper_is_read_back_as_it_was(protocol: Protocol) -> None:
    experiment = make_experiment(protocol=protocol.slug, seats=1)
    for trial in experiment.ballots.get().trials.all():
        plan = plan_of(trial, trial.slots.all())
        answer = protocol.read(protocol.example(plan, Random(1)), plan)
        again = protocol.read(json.loads(json.dumps(paper_of(experiment).payload_of(answer, plan))), plan)
        assert (again.marks, again.whole) == (answer.marks, answer.whole)
        assert answer.marks
