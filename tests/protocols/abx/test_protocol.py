"""ABX: balanced trials, an X that nothing in the browser tells, and answers that are judged on the server."""

import json
from collections import Counter
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from protocols.abx import demo
from protocols.abx.protocol import AbxDiscrimination
from rating.models import Ballot, Experiment, Slot
from rating.options import check_options
from rating.protocol import Answer, Entry, InvalidAnswer, Mark, MaterialUnfit, OptionUnfit, TrialKind, TrialPlan
from tests.factories import event, make_experiment, make_user, sit_down
from tests.scale import ALL

ABX = AbxDiscrimination()


def entry(item: str, condition: str, duration_s: float = 2.0) -> Entry:
    role = "reference" if condition == "clean" else "test"
    return Entry(f"{item}-{condition}", item, condition, role, duration_s=duration_s)


ENTRIES = [entry(item, condition) for item in "pq" for condition in ("clean", "x", "y")]


def planned(seed: int = 1, entries: list[Entry] = ENTRIES, **options: Any) -> list[TrialPlan]:
    return list(ABX.plan(entries, {"practice": 0, **options}, Random(seed)))


def pair_of(trial: TrialPlan) -> tuple[str, ...]:
    return tuple(sorted(slot.entry.stimulus for slot in trial.slots[:2]))


def arrangement_of(trial: TrialPlan) -> tuple[str, str]:
    """Which condition is A, and which letter X is."""
    return trial.slots[0].entry.role, trial.detail["x_is"]


@pytest.mark.parametrize("seed", range(5))
def test_x_is_the_very_sound_that_the_plan_says(seed: int) -> None:
    for trial in planned(seed):
        a, b, x = trial.slots
        assert [slot.key for slot in trial.slots] == ["a", "b", "x"]
        assert a.entry != b.entry
        assert x.entry == {"a": a, "b": b}[trial.detail["x_is"]].entry


def test_practice_comes_first_with_pairs_of_different_items_and_leaves_the_rest_as_it_was() -> None:
    practice, rest = planned(practice=2)[:2], planned(practice=2)[2:]
    assert {(trial.kind, trial.session) for trial in practice} == {(TrialKind.PRACTICE, 0)}
    assert {trial.slots[0].entry.item for trial in practice} == {"p", "q"}
    assert all(trial.slots[2].entry == trial.slots["ab".index(trial.detail["x_is"])].entry for trial in practice)
    assert rest == planned()


@pytest.mark.parametrize("seed", range(5))
def test_four_repetitions_have_every_arrangement_of_every_pair_once(seed: int) -> None:
    trials = planned(seed)
    assert len(trials) == 2 * 2 * 4
    arrangements = Counter((pair_of(trial), arrangement_of(trial)) for trial in trials)
    assert set(arrangements.values()) == {1}
    assert len(arrangements) == 16
    assert all(pair_of(before)[0][0] != pair_of(after)[0][0] for before, after in pairwise(trials)), "items alternate"


@pytest.mark.parametrize("repetitions", [1, 2, 3, 6])
def test_a_seat_is_balanced_whatever_the_number_of_repetitions(repetitions: int) -> None:
    for seed in range(10):
        counts = Counter(arrangement_of(trial) for trial in planned(seed, repetitions=repetitions))
        assert max(counts.values()) - min(counts.values()) <= 1
        assert len(counts) == 4


def test_two_repetitions_of_a_pair_balance_x_and_what_is_a() -> None:
    pairs: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for trial in planned(repetitions=2):
        pairs.setdefault(pair_of(trial), []).append(arrangement_of(trial))
    for one, other in pairs.values():
        assert one[0] != other[0]
        assert one[1] != other[1]


def test_which_letter_x_is_cannot_be_foreseen() -> None:
    """Over many seeds, every place of a seat has X as A about as often as X as B."""
    first = Counter(planned(seed)[0].detail["x_is"] for seed in range(400))
    assert 150 < first["a"] < 250


def test_conditions_are_paired_with_the_reference_or_with_each_other() -> None:
    assert len({pair_of(trial) for trial in planned(pairs="all")}) == 2 * 3
    without = [each for each in ENTRIES if each.condition != "clean"]
    assert {pair_of(trial) for trial in planned(entries=without)} == {("p-x", "p-y"), ("q-x", "q-y")}
    with pytest.raises(MaterialUnfit, match="r has one sound"):
        planned(entries=[*ENTRIES, entry("r", "x")])


def test_sounds_whose_length_would_tell_are_refused_by_name() -> None:
    planned(entries=[entry("p", "clean", 2.0), entry("p", "x", 2.0002)])
    with pytest.raises(MaterialUnfit, match=r"clean and x of p last 2\.000 s and 2\.012 s"):
        planned(entries=[entry("p", "clean", 2.0), entry("p", "x", 2.012)])


def test_trials_are_divided_into_sessions_of_equal_length() -> None:
    assert Counter(trial.session for trial in planned(sessions=2)) == {1: 8, 2: 8}


@pytest.mark.parametrize(("option", "value"), [("repetitions", 0), ("repetitions", 101), ("sessions", 0)])
def test_an_option_without_trials_is_refused(option: str, value: int) -> None:
    with pytest.raises(OptionUnfit, match=option):
        check_options(ABX, {option: value}, {})


def test_the_server_judges_the_answer_and_keeps_how_it_was_listened() -> None:
    trial = planned()[0]
    right = trial.detail["x_is"]
    wrong = "b" if right == "a" else "a"
    listened = {"heard_ms": {"a": 900, "b": 1200.5, "x": 2000}, "switches": 5}
    value = 1.0 if right == "a" else 2.0
    assert ABX.read({"answer": right, **listened}, trial) == Answer(
        marks=(Mark("x", "ANSWER", value), Mark("x", "CORRECT", 1.0)), detail={"answer": right, **listened}
    )
    assert ABX.read({"answer": wrong}, trial).marks == (Mark("x", "ANSWER", 3 - value), Mark("x", "CORRECT", 0.0))


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        ({"answer": "x"}, "answer is one of a, b"),
        ({"answer": None}, "answer is one of a, b"),
        ({"heard_ms": {}}, "lacks answer"),
        ({"answer": "a", "correct": True}, "without correct"),
        ({"answer": "a", "heard_ms": {"c": 1}}, "heard_ms is an object with a, b, x"),
        ({"answer": "a", "heard_ms": {"a": -1}}, "heard_ms of a is a number"),
        ({"answer": "a", "switches": 1.5}, "switches is a whole number"),
    ],
)
def test_anything_else_is_refused_with_what_would_be_right(payload: Any, problem: str) -> None:
    with pytest.raises(InvalidAnswer, match=problem):
        ABX.read(payload, planned()[0])


# --- What reaches the browser -----------------------------------------------------------------------------------------


def test_a_page_is_the_same_whatever_x_is() -> None:
    assert len({json.dumps(ABX.present(trial)) for trial in planned()}) == 1


@pytest.mark.django_db
def test_no_address_header_or_length_tells_which_sound_x_is() -> None:
    sitting = sit_down(make_experiment(protocol="abx", seats=1))
    for page in sitting.upcoming()["trials"]:
        told = page["media"]
        slots = {slot.key: slot for slot in Slot.objects.filter(trial=page["trial"])}
        assert slots["x"].stimulus_id in {slots["a"].stimulus_id, slots["b"].stimulus_id}
        assert len({sound["url"] for sound in told.values()}) == 3
        assert len({json.dumps(sound | {"url": ""}) for sound in told.values()}) == 1
        answers = [sitting.client.get(sound["url"]) for sound in told.values()]
        assert len({tuple(sorted(answer.headers.items())) for answer in answers}) == 1
        assert not {"ETag", "Last-Modified"} & set(answers[0].headers)
        assert len({len(b"".join(answer.streaming_content)) for answer in answers}) == 1  # type: ignore[attr-defined]
        assert "x_is" not in json.dumps(page)


@pytest.mark.django_db
def test_the_receipt_of_an_answer_is_the_same_whether_it_was_right() -> None:
    sitting = sit_down(make_experiment(protocol="abx", seats=1))
    said = []
    for page, right in zip(sitting.upcoming()["trials"], (True, False), strict=False):
        for sound in page["media"].values():
            b"".join(sitting.client.get(sound["url"]).streaming_content)  # type: ignore[attr-defined]
        x_is = Slot.objects.get(trial=page["trial"], key="x").trial.detail["x_is"]
        answer = x_is if right else "ab".replace(x_is, "")
        response = sitting.vote(event(page["trial"], payload={"answer": answer}))
        said.append({**response.json()["results"][0], "event_id": ""})
    assert said[0] == said[1]
    assert said[0]["status"] == "stored"


# --- The demo ---------------------------------------------------------------------------------------------------------


def test_the_versions_of_a_demo_sound_differ_in_the_band_that_was_taken_away_alone() -> None:
    for sound in (demo.shaker(1), demo.plucks(2)):
        assert np.abs(sound).max() == pytest.approx(demo.PEAK)
        for cutoff_hz in demo.CUTOFFS_HZ:
            difference = np.abs(np.fft.rfft(sound - demo.low_passed(sound, cutoff_hz)))
            frequency_hz = np.fft.rfftfreq(len(sound), 1 / demo.RATE_HZ)
            below, above = difference[frequency_hz < 0.7 * cutoff_hz], difference[frequency_hz > 1.1 * cutoff_hz]
            assert below.max() < 0.01 * np.abs(np.fft.rfft(sound)).max()
            assert above.max() > 10 * below.max()


@pytest.mark.django_db
def test_the_demo_is_live_with_twelve_trials_a_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    if not ALL:  # how long its sounds are decides nothing here
        monkeypatch.setattr(demo, "BEAT_S", 0.05)
        monkeypatch.setattr(demo, "DURATION_S", 0.4)
    experiment = demo.build(owner=make_user())
    assert experiment.state == Experiment.State.LIVE
    ballot = Ballot.objects.filter(experiment=experiment).earliest("seat__number")
    rated = ballot.trials.filter(kind=TrialKind.TEST)
    assert Counter(trial.detail["x_is"] for trial in rated) == {"a": 6, "b": 6}
