"""Groups of people: where some make what others judge, one person is in one group only."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from listening.models import Panel, Seat
from listening.panels.services import panels
from protocols.speech_summaries.protocol import JUDGE, MAKER, SpeechSummaries
from rating.models import Experiment
from rating.protocol import Groups
from tests.protocols.speech_summaries.material import summaries_experiment

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return summaries_experiment(items=1, makers=2, judges=2)


def link(panel: Panel) -> str:
    return f"/join/{panels.invite(panel=panel, count=1, now=timezone.now(), actor=None)[0]}/"


def panel_of(experiment: Experiment, group: str) -> Panel:
    return experiment.panels.get(group=group)


def join(client: Client, address: str) -> Any:
    return client.post(address, {"agree": "on"})


def taken(experiment: Experiment) -> list[str]:
    return list(Seat.objects.filter(panel__experiment=experiment, state="taken").values_list("panel__group", flat=True))


@pytest.mark.parametrize(("first", "second"), [(MAKER, JUDGE), (JUDGE, MAKER)])
def test_a_browser_that_sat_in_one_group_takes_no_seat_in_the_other(
    experiment: Experiment, client: Client, first: str, second: str
) -> None:
    assert join(client, link(panel_of(experiment, first))).status_code == 302
    other = link(panel_of(experiment, second))
    for response in (client.get(other), join(client, other)):
        assert response.status_code == 409
        assert "you have taken part in the other group" in response.content.decode()
    assert taken(experiment) == [first]
    assert join(Client(), other).status_code == 302  # the link is still good for another person


def test_the_same_group_and_ones_own_seat_stay_open(experiment: Experiment, client: Client) -> None:
    makers = panel_of(experiment, MAKER)
    own = link(makers)
    assert join(client, own).status_code == 302
    assert join(client, own).status_code == 302
    assert join(client, link(makers)).status_code == 302  # two people at one computer
    assert taken(experiment) == [MAKER, MAKER]


def test_another_experiment_is_another_matter(experiment: Experiment, client: Client) -> None:
    join(client, link(panel_of(experiment, MAKER)))
    other = summaries_experiment(items=1, makers=1, judges=1)
    assert join(client, link(panel_of(other, JUDGE))).status_code == 302


def test_rehearsals_may_be_tried_in_every_group(experiment: Experiment, client: Client) -> None:
    tokens = panels.rehearse(experiment=experiment, count=2, now=timezone.now(), actor=experiment.owner)
    assert [join(client, f"/join/{token}/").status_code for token in tokens] == [302, 302]
    assert join(client, link(panel_of(experiment, JUDGE))).status_code == 302


def test_a_protocol_whose_groups_may_mix_refuses_nobody(
    experiment: Experiment, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SpeechSummaries, "groups", Groups((MAKER, JUDGE)))
    for group in (MAKER, JUDGE):
        assert join(client, link(panel_of(experiment, group))).status_code == 302
