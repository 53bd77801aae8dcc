"""Setting up before the first clip: which checks are due, what is kept, and that nothing is given away."""

from typing import Any

import pytest
from django.utils import timezone

from listening.models import Procedure, SetupStep
from listening.screening import SCREENINGS
from listening.services import setup
from listening.services.media import stimulus_for
from tests.factories import Sitting, make_experiment, sit_down

pytestmark = pytest.mark.django_db


def seated(**procedure: Any) -> Sitting:
    experiment = make_experiment(seats=1, items=3, conditions=3)
    Procedure.objects.create(experiment=experiment, **procedure)
    return sit_down(experiment)


def state(sitting: Sitting, again: str = "") -> dict[str, Any]:
    answer: dict[str, Any] = sitting.client.get(f"/api/v1/visits/{sitting.visit.pk}/setup/", {"again": again}).json()
    return answer


def told(sitting: Sitting, **outcome: Any) -> Any:
    return sitting.client.post(f"/api/v1/visits/{sitting.visit.pk}/setup/", outcome, content_type="application/json")


def solution(sitting: Sitting, slug: str, attempt: int) -> list[str]:
    return list(SCREENINGS[slug].solution(setup._seed(sitting.visit, slug, attempt)))


def names(answer: dict[str, Any]) -> list[str]:
    return [step["step"] for step in answer["steps"]]


def test_ears_and_level_are_due_unless_somebody_decides_otherwise() -> None:
    assert names(state(sit_down())) == ["ears", "level"]
    assert names(state(seated(ear_check=False, level_check=False))) == []
    assert names(state(seated(headphone_screen="flag"))) == ["ears", "level", "headphones"]


def test_a_level_is_kept_in_decibels_and_as_a_factor() -> None:
    sitting = seated()
    told(sitting, step="ears", screening="ears", answers=solution(sitting, "ears", 1))
    answer = told(sitting, step="level", level_db=1.5, sample_rate_hz=48000, plays=[1, 2, 0, 0]).json()
    assert (answer["passed"], answer["steps"], answer["level_db"]) == (True, [], 1.5)
    row = SetupStep.objects.get(step="level")
    assert row.outcome == {"level_db": 1.5, "gain": 0.594251, "sample_rate_hz": 48000, "plays": [1, 2, 0, 0]}


@pytest.mark.parametrize(("level_db", "gain"), [(-6, 0.251), (0, 0.5), (6, 0.998)])
def test_the_gain_at_the_ends_and_in_the_middle(level_db: float, gain: float) -> None:
    assert setup.gain_of(level_db) == pytest.approx(gain, abs=5e-4)


@pytest.mark.parametrize("level_db", [6.1, -6.1, 1e9, "nan", "loud", None])
def test_a_level_out_of_reach_is_refused_and_nothing_is_kept(level_db: Any) -> None:
    response = told(seated(), step="level", level_db=level_db)
    assert response.status_code in (400, 422)
    assert response.json()["code"] in ("setup.invalid", "request.invalid")
    assert not SetupStep.objects.exists()


def test_the_level_is_set_again_on_request_and_both_are_kept() -> None:
    sitting = seated(ear_check=False)
    told(sitting, step="level", level_db=1)
    assert state(sitting)["steps"] == []
    again = state(sitting, again="level")
    assert (names(again), again["steps"][0]["level_db"]) == (["level"], 1)
    assert told(sitting, step="level", level_db=-2).json()["level_db"] == -2
    assert SetupStep.objects.count() == 2


def test_another_device_is_set_up_anew() -> None:
    sitting = seated(ear_check=False)
    told(sitting, step="level", level_db=1)
    response = sitting.client.post(sitting.link)
    other = response.headers["Location"].split("/")[2]
    assert names(sitting.client.get(f"/api/v1/visits/{other}/setup/").json()) == ["level"]


def test_failed_ears_may_be_tried_again_and_after_that_the_visit_goes_on() -> None:
    sitting = seated(level_check=False)
    for attempt in (1, 2):
        right = solution(sitting, "ears", attempt)
        assert [step["again"] for step in state(sitting)["steps"]] == [attempt == 2]
        assert told(sitting, step="ears", screening="ears", answers=right[1:] + right[:1]).json()["passed"] is False
    assert state(sitting)["steps"] == []
    assert [row.passed for row in SetupStep.objects.all()] == [False, False]


def test_headphones_get_a_second_chance_by_another_method() -> None:
    sitting = seated(ear_check=False, level_check=False, headphone_screen="flag")
    assert state(sitting)["steps"][0]["screening"] == "huggins"
    assert told(sitting, step="headphones", screening="huggins", answers=["1"] * 6).json()["passed"] is False
    assert state(sitting)["steps"][0]["screening"] == "antiphase"
    right = solution(sitting, "antiphase", 2)
    assert told(sitting, step="headphones", screening="antiphase", answers=right).json()["passed"] is True
    assert state(sitting)["steps"] == []


@pytest.mark.parametrize(
    "outcome",
    [
        {"step": "ears", "screening": "ears", "answers": ["left"]},
        {"step": "ears", "screening": "ears", "answers": ["left", "up", "right"]},
        {"step": "headphones", "screening": "antiphase", "answers": ["1"] * 6},
        {"step": "headphones", "screening": "nonsense", "answers": ["1"] * 6},
        {"step": "ears", "screening": "ears"},
        {"step": "level"},
        {"step": "taste", "level_db": 0},
        {},
    ],
)
def test_what_is_no_outcome_is_refused_with_a_sentence(outcome: dict[str, Any]) -> None:
    response = told(seated(headphone_screen="flag"), **outcome)
    assert response.status_code in (400, 422)
    assert response.json()["detail"]
    assert not SetupStep.objects.exists()


def test_sounds_are_served_for_every_round_and_name_nothing() -> None:
    sitting = seated(headphone_screen="flag")
    for step in state(sitting)["steps"]:
        for url in step.get("sounds", []):
            response = sitting.client.get(url)
            assert response.headers["Content-Type"] == "audio/wav"
            assert response.content[:4] == b"RIFF"
    base = f"/api/v1/visits/{sitting.visit.pk}/setup"
    for wrong in ("/ears/1/4/", "/ears/1/0/", "/ears/9/1/", "/taste/1/1/"):
        assert sitting.client.get(base + wrong).json()["code"] == "setup.sound_unknown"


def test_level_clips_are_real_ones_of_different_kinds_under_opaque_addresses() -> None:
    sitting = seated(ear_check=False)
    clips = state(sitting)["steps"][0]["clips"]
    keys = [clip["url"].rstrip("/").rsplit("/", 1)[1] for clip in clips]
    chosen = [stimulus_for(visit=sitting.visit, key=key, now=timezone.now()) for key in keys]
    assert len({stimulus.pk for stimulus in chosen}) == 4
    assert len({stimulus.condition_id for stimulus in chosen}) == 3
    assert all(sitting.client.get(clip["url"]).status_code == 200 for clip in clips)
