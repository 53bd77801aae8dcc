"""Session settings: the defaults, changes while nobody listens, and every change in the log."""

import pytest
from django.test import Client

from core.models import AuditEntry
from listening.models import SessionSettings
from listening.panels.services.session_settings import change_session_settings, session_settings_of
from rating.models import Experiment
from rating.services.experiments import pause
from tests.errors import raises_error
from tests.factories import make_experiment

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(live=False)


def test_an_experiment_without_session_settings_has_the_usual_ones_and_no_row(experiment: Experiment) -> None:
    assert session_settings_of(experiment).lease_hours == 168
    assert not SessionSettings.objects.exists()


def test_a_change_is_kept_and_logged_with_what_it_was_before(experiment: Experiment) -> None:
    change_session_settings(experiment=experiment, actor=experiment.owner, rest_s=60, ear_check=True)
    assert session_settings_of(experiment).rest_s == 60
    entry = AuditEntry.objects.get(action="session_settings.changed")
    assert (entry.before, entry.after) == ({"rest_s": 300}, {"rest_s": 60})
    change_session_settings(experiment=experiment, actor=experiment.owner, rest_s=60)
    assert AuditEntry.objects.filter(action="session_settings.changed").count() == 1


def test_checks_stay_as_they_are_while_people_listen_and_lease_and_address_do_not() -> None:
    experiment = make_experiment(seats=1)
    owner = experiment.owner
    with raises_error("experiment.wrong_state"):
        change_session_settings(experiment=experiment, actor=owner, ear_check=False)
    change_session_settings(
        experiment=experiment, actor=owner, lease_hours=24, completion_url="https://example.org/{code}"
    )
    assert session_settings_of(experiment).lease_hours == 24
    pause(experiment=experiment, actor=owner)
    change_session_settings(experiment=experiment, actor=owner, ear_check=False)
    assert not session_settings_of(experiment).ear_check


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/{code}",
        "javascript:alert(1)",
        "https://",
        "https:///path",
        "https://user@example.org/",
        "https://example.org/ {code}",
        "https://example.org/{other}",
        'https://example.org/"><script>',
        "https://[::1",
        "https://example.org/" + "x" * 200,
    ],
)
def test_an_address_that_could_harm_is_rejected(url: str, experiment: Experiment) -> None:
    with raises_error("session_settings.completion_url"):
        change_session_settings(experiment=experiment, actor=experiment.owner, completion_url=url)
    assert not SessionSettings.objects.exists()


def test_the_card_changes_everything_in_a_draft(client: Client, experiment: Experiment) -> None:
    client.force_login(experiment.owner)
    wanted = {"level_check": "on", "headphone_screen": "flag", "rest_s": 30, "lease_hours": 12, "completion_url": ""}
    assert client.post(f"/experiments/{experiment.slug}/people/settings/", wanted).status_code == 302
    kept = session_settings_of(experiment)
    assert (kept.ear_check, kept.level_check, kept.headphone_screen) == (False, True, "flag")
    assert (kept.rest_s, kept.lease_hours) == (30, 12)


def test_the_card_changes_lease_and_address_alone_when_live(client: Client) -> None:
    experiment = make_experiment(seats=1)
    client.force_login(experiment.owner)
    page = client.get(f"/experiments/{experiment.slug}/people/").content.decode()
    assert page.count("disabled") >= 4
    wanted = {"rest_s": 30, "lease_hours": 12, "completion_url": "https://example.org/{code}"}
    assert client.post(f"/experiments/{experiment.slug}/people/settings/", wanted).status_code == 302
    kept = session_settings_of(experiment)
    assert (kept.ear_check, kept.rest_s, kept.lease_hours) == (True, 300, 12)
    assert kept.completion_url == "https://example.org/{code}"


def test_a_senseless_lease_is_rejected(client: Client) -> None:
    experiment = make_experiment(seats=1)
    client.force_login(experiment.owner)
    assert client.post(f"/experiments/{experiment.slug}/people/settings/", {"lease_hours": 0}).status_code == 400
    assert not SessionSettings.objects.exists()
