"""Sound checks before the first clip: which are due, what is stored, and that no solution is sent."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from audio.clips import examine_plain_clips
from core.models import AuditEntry
from listening.design.base import DesignRequest
from listening.models import Seat, SessionSettings, SetupStep, Visit
from listening.panels.services import designs
from listening.participation.screening import SCREENINGS
from listening.participation.services import setup
from rating.models import Experiment, Slot
from rating.services.experiments import go_live
from stimuli.models import Recording
from tests.factories import Sitting, event, make_experiment, make_panel_experiment, sit_down
from tests.listening.panels.test_links import consent, prolific_link

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(seats=4, items=3, conditions=3)


@pytest.fixture
def seated(experiment: Experiment) -> Callable[..., Sitting]:
    """Takes a seat under these settings of the experiment."""

    def sit(**settings: Any) -> Sitting:
        SessionSettings.objects.filter(experiment=experiment).delete()
        SessionSettings.objects.create(experiment=experiment, **settings)
        return sit_down(experiment)

    return sit


def state(sitting: Sitting, again: str = "") -> dict[str, Any]:
    answer: dict[str, Any] = sitting.client.get(f"/api/v1/visits/{sitting.visit.pk}/setup/", {"again": again}).json()
    return answer


def told(sitting: Sitting, **outcome: Any) -> Any:
    return sitting.client.post(f"/api/v1/visits/{sitting.visit.pk}/setup/", outcome, content_type="application/json")


def solution(sitting: Sitting, slug: str, attempt: int) -> list[str]:
    return list(SCREENINGS[slug].solution(setup._seed(sitting.visit, slug, attempt)))


def names(answer: dict[str, Any]) -> list[str]:
    return [step["step"] for step in answer["steps"]]


@pytest.fixture(scope="module")
def shared_sitting(shared_experiment: Experiment) -> Sitting:
    return sit_down(shared_experiment)


def test_ears_and_level_are_due_unless_a_person_decides_otherwise(
    experiment: Experiment, seated: Callable[..., Sitting]
) -> None:
    assert names(state(sit_down(experiment))) == ["ears", "level"]
    assert names(state(seated(ear_check=False, level_check=False))) == []
    assert names(state(seated(headphone_screen="flag"))) == ["ears", "level", "headphones"]


def test_a_level_is_kept_in_decibels_and_as_a_factor(sitting: Sitting) -> None:
    told(sitting, step="ears", screening="ears", answers=solution(sitting, "ears", 1))
    answer = told(sitting, step="level", level_db=1.5, sample_rate_hz=48000, plays=[1, 2, 0, 0]).json()
    assert (answer["passed"], answer["steps"], answer["level_db"]) == (True, [], 1.5)
    row = SetupStep.objects.get(step="level")
    assert row.outcome == {"level_db": 1.5, "gain": 0.594251, "sample_rate_hz": 48000, "plays": [1, 2, 0, 0]}


@pytest.mark.parametrize(("level_db", "gain"), [(-6, 0.251), (0, 0.5), (6, 0.998)])
def test_the_gain_at_the_ends_and_in_the_middle(level_db: float, gain: float) -> None:
    assert setup.gain_of(level_db) == pytest.approx(gain, abs=5e-4)


@pytest.mark.parametrize("level_db", [6.1, -6.1, 1e9, "nan", "loud", None])
def test_a_level_out_of_reach_is_refused_and_nothing_is_kept(level_db: Any, sitting: Sitting) -> None:
    response = told(sitting, step="level", level_db=level_db)
    assert response.status_code in (400, 422)
    assert response.json()["code"] in ("setup.invalid", "request.invalid")
    assert not SetupStep.objects.exists()


def test_the_level_is_set_again_on_request_and_both_are_kept(seated: Callable[..., Sitting]) -> None:
    sitting = seated(ear_check=False)
    told(sitting, step="level", level_db=1)
    assert state(sitting)["steps"] == []
    again = state(sitting, again="level")
    assert (names(again), again["steps"][0]["level_db"]) == (["level"], 1)
    assert told(sitting, step="level", level_db=-2).json()["level_db"] == -2
    assert SetupStep.objects.count() == 2


def test_another_device_is_set_up_anew(seated: Callable[..., Sitting]) -> None:
    sitting = seated(ear_check=False)
    told(sitting, step="level", level_db=1)
    elsewhere = Client()
    other = elsewhere.post(sitting.link).headers["Location"].split("/")[2]
    assert names(elsewhere.get(f"/api/v1/visits/{other}/setup/").json()) == ["level"]


def test_failed_ears_may_be_tried_again_and_after_that_the_visit_goes_on(seated: Callable[..., Sitting]) -> None:
    sitting = seated(level_check=False)
    for attempt in (1, 2):
        right = solution(sitting, "ears", attempt)
        assert [step["again"] for step in state(sitting)["steps"]] == [attempt == 2]
        assert told(sitting, step="ears", screening="ears", answers=right[1:] + right[:1]).json()["passed"] is False
    assert state(sitting)["steps"] == []
    assert [row.passed for row in SetupStep.objects.all()] == [False, False]


def test_headphones_get_a_second_chance_by_another_method(seated: Callable[..., Sitting]) -> None:
    sitting = seated(ear_check=False, level_check=False, headphone_screen="flag")
    assert state(sitting)["steps"][0]["screening"] == "huggins"
    assert told(sitting, step="headphones", screening="huggins", answers=["1"] * 6).json()["passed"] is False
    assert state(sitting)["steps"][0]["screening"] == "antiphase"
    right = solution(sitting, "antiphase", 2)
    assert told(sitting, step="headphones", screening="antiphase", answers=right).json()["passed"] is True
    assert state(sitting)["steps"] == []


def fails_headphones_twice(sitting: Sitting) -> dict[str, Any]:
    told(sitting, step="headphones", screening="huggins", answers=["1"] * 6)
    wrong = [str(int(right) % 3 + 1) for right in solution(sitting, "antiphase", 2)]
    answer: dict[str, Any] = told(sitting, step="headphones", screening="antiphase", answers=wrong).json()
    return answer


def test_a_second_failure_turns_away_with_thanks_and_frees_the_seat() -> None:
    """By the link of a recruiting service, with its code for people who are screened out."""
    experiment = make_experiment(seats=1)
    out = {"screen_out_code": "OUT1", "screen_out_url": "https://example.org/?cc={code}", "completion_code": "DONE1"}
    checks = {"ear_check": False, "level_check": False, "headphone_screen": "turn_away"}
    SessionSettings.objects.create(experiment=experiment, **checks, **out)
    link, client = prolific_link(experiment), Client()
    visit = Visit.objects.get(pk=consent(client, link).split("/")[2])
    sitting = Sitting(client=client, visit=visit, link=link)
    answer = fails_headphones_twice(sitting)
    assert (answer["passed"], answer["steps"], answer["turned_away"]) == (False, [], True)
    for address in (f"/visits/{visit.pk}/", link):  # coming back says the same
        page = client.get(address)
        assert page.status_code == 410
        assert "This test needs headphones" in page.content.decode()
        assert 'href="https://example.org/?cc=OUT1"' in page.content.decode()
        assert "DONE1" not in page.content.decode()
    assert client.post(f"/api/v1/visits/{visit.pk}/finish/").status_code == 410
    states = Seat.objects.filter(panel__experiment=experiment).order_by("occupancy").values_list("state", flat=True)
    assert list(states) == ["abandoned", "open"], "the next person gets the same plan"
    assert AuditEntry.objects.get(action="seat.reissued").reason == "The headphone screen was failed twice."


def test_who_has_answered_already_or_is_only_noted_is_not_turned_away(seated: Callable[..., Sitting]) -> None:
    checks: dict[str, Any] = {"ear_check": False, "level_check": False}
    noted = seated(**checks, headphone_screen="flag")
    assert fails_headphones_twice(noted)["turned_away"] is False
    returning = seated(**checks, headphone_screen="turn_away")
    returning.vote(event(returning.upcoming()["trials"][0]["trial"]))
    assert fails_headphones_twice(returning)["turned_away"] is False
    kept = [noted.visit.seat_id, returning.visit.seat_id]
    assert set(Seat.objects.filter(pk__in=kept).values_list("state", flat=True)) == {"taken"}


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
def test_what_is_no_outcome_is_refused_with_a_sentence(outcome: dict[str, Any], sitting: Sitting) -> None:
    SessionSettings.objects.create(experiment=sitting.ballot.experiment, headphone_screen="flag")
    response = told(sitting, **outcome)
    assert response.status_code in (400, 422)
    assert response.json()["detail"]
    assert not SetupStep.objects.exists()


def test_sounds_are_served_for_every_round_and_name_nothing(seated: Callable[..., Sitting]) -> None:
    sitting = seated(headphone_screen="flag")
    for step in state(sitting)["steps"]:
        for url in step.get("sounds", []):
            response = sitting.client.get(url)
            assert response.headers["Content-Type"] == "audio/wav"
            assert response.content[:4] == b"RIFF"
    base = f"/api/v1/visits/{sitting.visit.pk}/setup"
    for wrong in ("/ears/1/4/", "/ears/1/0/", "/ears/9/1/", "/taste/1/1/"):
        assert sitting.client.get(base + wrong).json()["code"] == "setup.sound_unknown"


def clip_bytes_of(sitting: Sitting, **trials: Any) -> set[bytes]:
    """What this seat's pages play, as participants get it."""
    slots = Slot.objects.filter(trial__ballot=sitting.ballot, **{f"trial__{name}": one for name, one in trials.items()})
    return {slot.stimulus.served.open("rb").read() for slot in slots.select_related("stimulus")}


def level_clips(sitting: Sitting) -> dict[str, bytes]:
    """The clips of the level check by their address."""
    (step,) = [step for step in state(sitting)["steps"] if step["step"] == "level"]
    found = {clip["url"]: sitting.client.get(clip["url"]) for clip in step["clips"]}
    assert {response.status_code for response in found.values()} == {200}
    return {url: b"".join(response) for url, response in found.items()}


def with_practice() -> Sitting:
    """A seat of a design with an anchoring session of two references."""
    experiment = make_panel_experiment(references=2)
    wanted = DesignRequest(panels=1, seats=1, size=8, sessions=1)
    draft = designs.draft_design(experiment=experiment, wanted=wanted)
    designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    go_live(experiment=Experiment.objects.get(pk=experiment.pk), actor=experiment.owner)
    return sit_down(Experiment.objects.get(pk=experiment.pk))


def test_the_level_is_set_on_practice_clips_under_addresses_of_their_own() -> None:
    sitting = with_practice()
    clips = level_clips(sitting)
    assert set(clips.values()) <= clip_bytes_of(sitting, kind="practice")
    assert not set(clips.values()) & clip_bytes_of(sitting, kind="test")
    ids = [str(media) for media in Slot.objects.values_list("media", flat=True)]
    assert not [url for url in clips for media in ids if media in url or media.replace("-", "") in url]


def test_without_practice_the_level_is_set_on_a_sound_that_is_no_clip_of_the_test(
    seated: Callable[..., Sitting],
) -> None:
    sitting = seated(ear_check=False)
    clips = level_clips(sitting)
    assert len(clips) == 1
    assert not set(clips.values()) & clip_bytes_of(sitting)


def test_a_practice_clip_that_is_also_tested_is_not_played_before_its_trial() -> None:
    sitting = with_practice()
    practised = Slot.objects.filter(trial__ballot=sitting.ballot, trial__kind="practice").values("stimulus")
    tested = Slot.objects.filter(trial__ballot=sitting.ballot, trial__kind="test")
    tested.update(stimulus=practised[:1])
    Slot.objects.filter(trial__ballot=sitting.ballot, trial__kind="practice").update(stimulus=practised[:1])
    assert not set(level_clips(sitting).values()) & clip_bytes_of(sitting)


def test_the_generated_sound_is_as_loud_as_the_clips_of_the_seat(seated: Callable[..., Sitting]) -> None:
    sitting = seated(ear_check=False)
    for number, slot in enumerate(Slot.objects.filter(trial__ballot=sitting.ballot).order_by("pk")):
        Recording.objects.filter(stimuli=slot.stimulus_id).update(measures={"integrated_lufs": -30.0 + number})
    (content,) = level_clips(sitting).values()
    (verdict,) = examine_plain_clips(io.BytesIO(content), names=["level"], longest_h=1.0, short_s=600.0)["clips"]
    assert verdict["measures"]["integrated_lufs"] == pytest.approx(-26.0, abs=0.1)  # the middle of -30 to -22
    (url,) = level_clips(sitting)
    assert sitting.client.get(url.replace("/1/1/", "/1/2/")).json()["code"] == "setup.sound_unknown"


def test_a_seat_without_short_clips_has_no_level_to_set(seated: Callable[..., Sitting]) -> None:
    sitting = seated(ear_check=False)
    Recording.objects.update(length_samples=8000 * 31)
    assert names(state(sitting)) == []
