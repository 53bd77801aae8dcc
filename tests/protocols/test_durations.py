"""The duration that is stated before consent, against a person of ordinary pace on a virtual clock."""

from collections import defaultdict
from collections.abc import Collection
from random import Random
from statistics import mean
from typing import Any

import pytest

from listening.durations import (
    SeatDuration,
    checks_s,
    is_far_off,
    minutes_text,
    rests_before,
    seat_duration,
    stated_minutes,
)
from rating.pace import QUESTION_S
from rating.protocol import Protocol, TrialPlan
from rating.registry import protocols
from tests.protocols.demo_material import CHECKED, MATERIAL
from tests.protocols.human_pace import WORK, Person, answer_questions, get_ready

REST_S = 60
MOST_OFF = 0.15
PEOPLE = 5
EVERY_CHECK = ("ears", "level", "headphones")
SEATS = [(protocol, group) for protocol in protocols().values() for group in protocol.groups.names or ("",)]


def options_of(protocol: Protocol, group: str) -> dict[str, Any]:
    return {**protocol.defaults, **MATERIAL[protocol.slug][1], **({"group": group} if group else {})}


def plan_of(protocol: Protocol, group: str, seed: int = 1) -> list[TrialPlan]:
    return list(protocol.plan(MATERIAL[protocol.slug][0], options_of(protocol, group), Random(seed)))


def planned(
    protocol: Protocol, group: str, checks: Collection[str], *, seed: int = 1, questions: int = 0
) -> SeatDuration:
    sessions_s: dict[int, float] = defaultdict(float)
    for trial in plan_of(protocol, group, seed):
        sessions_s[trial.session] += protocol.page_s(trial, options_of(protocol, group))
    before_s = checks_s(**{check: check in checks for check in EVERY_CHECK}) + QUESTION_S * questions
    return seat_duration(sessions_s, rest_s=REST_S, checks_s=before_s)


def needed_s(protocol: Protocol, group: str, checks: Collection[str], *, seed: int, questions: int = 0) -> float:
    """Go through the plan as a person does: every page, and a rest between two sessions that count."""
    person, last = Person(seed), 0
    get_ready(person, **{check: check in checks for check in EVERY_CHECK})
    answer_questions(person, questions)
    for trial in plan_of(protocol, group):
        if last and trial.session != last:
            person.hear(REST_S)
        WORK[protocol.slug](person, trial, protocol, options_of(protocol, group))
        last = trial.session
    return person.clock_s


@pytest.mark.parametrize("checks", ["those of the demo", "none", "all"])
@pytest.mark.parametrize(("protocol", "group"), SEATS, ids=lambda part: getattr(part, "slug", part))
def test_the_stated_duration_is_what_a_person_of_ordinary_pace_needs(
    protocol: Protocol, group: str, checks: str
) -> None:
    chosen = {"none": (), "all": EVERY_CHECK}.get(checks, CHECKED[protocol.slug])
    stated_s = 60 * stated_minutes(planned(protocol, group, chosen).total_s)
    needed = [needed_s(protocol, group, chosen, seed=seed) for seed in range(PEOPLE)]
    # Each of them in what the demos state; people of two minutes are further apart than a half minute can tell.
    for people_s in needed if chosen == CHECKED[protocol.slug] else [mean(needed)]:
        assert stated_s == pytest.approx(people_s, rel=MOST_OFF)


@pytest.mark.parametrize("questions", [6, 20])
def test_questions_take_the_time_that_is_stated_for_them(questions: int) -> None:
    acr = protocols()["acr"]
    stated_s = 60 * stated_minutes(planned(acr, "", ["level"], questions=questions).total_s)
    for seed in range(PEOPLE):
        needed = needed_s(acr, "", ["level"], seed=seed, questions=questions)
        assert stated_s == pytest.approx(needed, rel=MOST_OFF)


@pytest.mark.parametrize(("protocol", "group"), SEATS, ids=lambda part: getattr(part, "slug", part))
def test_two_seats_of_one_experiment_state_the_same(protocol: Protocol, group: str) -> None:
    minutes = {stated_minutes(planned(protocol, group, (), seed=seed).total_s) for seed in range(4)}
    assert len(minutes) == 1


def test_only_long_practice_calls_for_a_rest() -> None:
    short, long, none = {0: 60.0, 1: 600.0, 2: 600.0}, {0: 1500.0, 1: 600.0}, {1: 600.0, 2: 600.0}
    breaks = [seat_duration(sessions_s, rest_s=REST_S, checks_s=0).breaks_s for sessions_s in (short, long, none)]
    assert breaks == [REST_S, REST_S, REST_S]
    assert [rests_before(session, short) for session in short] == [False, False, True]
    assert seat_duration({0: 60.0, 1: 600.0}, rest_s=REST_S, checks_s=0).breaks_s == 0


def test_silences_and_rounds_of_a_pair_take_their_time() -> None:
    dcr = protocols()["dcr"]
    trial = plan_of(dcr, "")[0]
    once = dcr.page_s(trial, dcr.defaults)
    assert dcr.page_s(trial, {**dcr.defaults, "gap_s": 2.5}) == pytest.approx(once + 2)
    twice = dcr.page_s(trial, {**dcr.defaults, "rounds": 2})
    assert twice == pytest.approx(once + 2 * 2.4 + 0.5 + 1.0)  # two clips of 2.4 s, the gap, and the gap between rounds


def test_a_sound_that_may_be_played_again_is_heard_more_than_once() -> None:
    acr = protocols()["acr"]
    trial = plan_of(acr, "")[0]
    assert acr.page_s(trial, {"plays_allowed": 0}) > acr.page_s(trial, {"plays_allowed": 1})


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1"),
        (70, "1"),
        (95, "1½"),
        (149, "2½"),
        (4.8 * 60, "5"),
        (7.4 * 60, "7½"),
        (11.4 * 60, "11"),
        (21.4 * 60, "21"),
        (44 * 60, "45"),
    ],
)
def test_minutes_are_told_as_people_say_them(seconds: float, text: str) -> None:
    assert minutes_text(stated_minutes(seconds)) == text


def test_what_is_stated_is_never_far_from_the_plan() -> None:
    plans_s = range(60, 3 * 3600)
    assert max(abs(60 * stated_minutes(seconds) / seconds - 1) for seconds in plans_s if seconds >= 120) <= MOST_OFF


@pytest.mark.parametrize(("stated_min", "far"), [(20, False), (14, False), (13, True), (26, False), (27, True)])
def test_more_than_a_third_off_is_far_off(stated_min: int, far: bool) -> None:
    assert is_far_off(stated_min, 20 * 60) == far


def test_a_minute_of_a_short_test_does_not_matter() -> None:
    assert not is_far_off(2, 70)
