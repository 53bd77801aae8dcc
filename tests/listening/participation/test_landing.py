"""The landing page: what it takes and what is needed, in true numbers, before anybody agrees."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from core.models import AuditEntry
from listening.durations import minutes_text, stated_minutes
from listening.models import Seat
from listening.panels.next_steps import StepState, steps_of
from listening.panels.services import panels
from listening.panels.services.durations import fresh_seat, misleading_minutes
from listening.panels.services.session_settings import change_session_settings, session_settings_of
from rating.models import Experiment
from rating.pace import EAR_CHECK_S, INTRODUCTION_S, LEVEL_CHECK_S
from rating.protocol import TrialKind
from rating.registry import protocols
from tests.factories import make_experiment, new_token, opened, sit_down
from tests.people import browser_of
from tests.protocols.demo_material import CHECKED
from tests.small_demos import build_demo

pytestmark = pytest.mark.django_db

TAGS = re.compile(r"<[^>]+>")


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=1)


def landing(experiment: Experiment, *, panel: int = 0) -> str:
    """The words of the page that a fresh link leads to."""
    link = new_token(experiment)
    if panel:
        chosen = experiment.panels.get(number=panel)
        link = panels.invite(panel=chosen, count=1, now=timezone.now(), actor=experiment.owner)[0]
    answer = Client().get(f"/join/{link}/")
    assert answer.status_code == 200
    return " ".join(TAGS.sub(" ", answer.content.decode()).split())


def test_one_line_says_minutes_clips_and_that_one_can_pause() -> None:
    experiment = make_experiment(items=20, seats=2)
    planned = fresh_seat(experiment=experiment)
    assert planned is not None
    minutes = stated_minutes(planned.duration.total_s)
    assert f"About {minutes_text(minutes)} minutes, 40 clips, you can pause." in landing(experiment)


def test_a_clip_of_several_pages_is_counted_once_and_practice_is_said() -> None:
    experiment = make_experiment(protocol="p835", seats=1)
    ballot = Seat.objects.get(panel__experiment=experiment).ballot
    ballot.trials.filter(position__lte=3).update(kind=TrialKind.PRACTICE, session=0)
    clips = ballot.trials.filter(kind=TrialKind.TEST).count() // 3
    assert f"minutes, {clips} clips and 1 for practice, you can pause." in landing(experiment)


@pytest.mark.parametrize(
    ("protocol", "noun"),
    [
        ("dcr", "pairs"),
        ("speech_summaries", "sentences"),  # told apart by groups
        pytest.param("abx", "comparisons", marks=pytest.mark.long),
        pytest.param("chaptering", "recordings", marks=pytest.mark.long),
    ],
)
def test_what_is_counted_has_the_protocols_own_noun(protocol: str, noun: str) -> None:
    group = {"group": protocols()[protocol].groups.names[0]} if protocols()[protocol].groups.names else {}
    experiment = make_experiment(protocol=protocol, live=False)
    panels.create_panel(experiment=experiment, seats=1, actor=experiment.owner, **group)
    opened(experiment)
    assert re.search(rf"About \d+½? minutes?, \d+ {noun}, you can pause\.", landing(experiment))


def test_every_panel_and_every_seat_states_the_same() -> None:
    experiment = make_experiment(items=6, seats=2)
    panels.create_panel(experiment=experiment, seats=2, actor=experiment.owner)
    second = experiment.panels.get(number=2)
    for seat in second.seats.all():
        seat.ballot.trials.update(planned_s=60)  # as where the items of a panel are longer
    lines = {re.findall(r"About [^.]*\.", landing(experiment, panel=number))[0] for number in (1, 1, 2)}
    assert len(lines) == 1
    before_s = INTRODUCTION_S + EAR_CHECK_S + LEVEL_CHECK_S
    assert lines.pop().startswith(f"About {minutes_text(stated_minutes(12 * 60 + before_s))} minutes, ")


@pytest.mark.parametrize(
    ("slug", "counted"),
    [
        ("acr", r"12 clips and 3 for practice"),
        pytest.param("dcr", r"12 pairs and 3 for practice", marks=pytest.mark.long),  # like acr, with its own noun
        pytest.param("abx", r"12 comparisons and \d+ for practice", marks=pytest.mark.long),
        ("p835", r"8 clips and 4 for practice"),
    ],
)
def test_a_demo_states_its_plan_has_a_little_practice_and_begins_with_the_volume(
    slug: str, counted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = build_demo(slug, monkeypatch)
    assert re.search(rf"About \d+½? minutes, {counted}, you can pause\.", landing(experiment))
    assert "minute" not in experiment.consent_text
    planned, known = fresh_seat(experiment=experiment), session_settings_of(experiment)
    assert planned is not None
    assert 1 <= planned.practice <= 4
    checks = {"ears": known.ear_check, "level": known.level_check, "headphones": known.headphone_screen != "off"}
    assert tuple(check for check, is_on in checks.items() if is_on) == CHECKED[slug]
    assert known.level_check


def test_the_duration_that_the_experimenter_states_stands() -> None:
    experiment = make_experiment(items=20, seats=1)
    change_session_settings(experiment=experiment, actor=experiment.owner, stated_minutes=25)
    assert "About 25 minutes, 40 clips, you can pause." in landing(experiment)
    assert AuditEntry.objects.get(action="session_settings.changed").after == {"stated_minutes": 25}


def test_a_stated_duration_far_from_the_plan_is_warned_of_and_a_near_one_is_not() -> None:
    experiment = make_experiment(items=20, seats=1, live=False)
    planned = fresh_seat(experiment=experiment)
    assert planned is not None
    minutes = stated_minutes(planned.duration.total_s)
    staff = browser_of(experiment.owner)
    for stated, warned in ((round(minutes) + 1, False), (3 * round(minutes), True), (None, False)):
        change_session_settings(experiment=experiment, actor=experiment.owner, stated_minutes=stated)
        assert bool(misleading_minutes(experiment)) == warned
        page = staff.get(f"/experiments/{experiment.slug}/people/").content.decode()
        assert (f"the plan takes about {minutes_text(minutes)} min" in page) == warned
        sentences = [
            step.sentence for step in steps_of(experiment, now=timezone.now()) if step.state == StepState.CHECK
        ]
        assert any("the plan takes about" in sentence for sentence in sentences) == warned


@pytest.mark.parametrize(("typed", "status"), [("30", 302), ("", 302), ("0", 400), ("5000", 400), ("soon", 400)])
def test_the_form_takes_whole_minutes_or_nothing(typed: str, status: int, experiment: Experiment) -> None:
    wanted = {"stated_minutes": typed, "rest_s": 300, "lease_hours": 168, "completion_url": ""}
    address = f"/experiments/{experiment.slug}/people/settings/"
    assert browser_of(experiment.owner).post(address, wanted).status_code == status


@pytest.mark.parametrize(
    ("protocol", "width"),
    [("tcsd_plane", True), pytest.param("chaptering", True, marks=pytest.mark.long), ("acr", False)],
)
def test_what_is_needed_is_said_before_consent(protocol: str, width: bool) -> None:
    experiment = make_experiment(protocol=protocol, seats=1)
    words = landing(experiment)
    assert "Headphones and a quiet place." in words  # the ear check needs them, whatever the protocol does
    assert ("this test needs a window at least 1024 pixels wide" in words) == width


def test_consent_is_asked_for_once(experiment: Experiment) -> None:
    page = Client().get(f"/join/{new_token(experiment)}/").content.decode()
    assert 'type="checkbox"' not in page
    assert page.count("Agree and begin") == 1
    assert "Until then, nothing is recorded." in page


def test_a_link_shows_the_task_of_its_own_group_alone() -> None:
    tasks = protocols()["speech_summaries"].groups.tasks
    experiment = make_experiment(protocol="speech_summaries", live=False)
    for group in tasks:
        panels.create_panel(experiment=experiment, seats=1, actor=experiment.owner, group=group)
    opened(experiment)
    for number, group in enumerate(tasks, start=1):
        words = landing(experiment, panel=number)
        assert [name for name, task in tasks.items() if task in words] == [group]


def test_a_link_preview_takes_no_seat_and_is_answered(experiment: Experiment) -> None:
    assert Client().head(f"/join/{new_token(experiment)}/").status_code == 200
    assert Client().head("/").status_code == 200
    assert Seat.objects.get().state == Seat.State.OPEN


def test_the_monitor_tells_what_is_left_of_the_plan_before_the_first_answer() -> None:
    experiment = make_experiment(items=20, seats=1)
    ballot = sit_down(experiment).ballot
    ballot.trials.update(planned_s=30)
    page = browser_of(experiment.owner).get(f"/experiments/{experiment.slug}/monitor/")
    assert page.context["seen"]["lines"][0]["minutes_left"] == 20
