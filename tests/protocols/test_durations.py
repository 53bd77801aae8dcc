"""The duration that is stated before consent, against a person of ordinary pace on a virtual clock."""

from collections import defaultdict
from random import Random
from typing import Any

import pytest

from listening.durations import SeatDuration, checks_s, is_far_off, rests_before, seat_duration, whole_minutes
from rating.protocol import Protocol, TrialPlan
from rating.registry import protocols
from tests.protocols.demo_material import MATERIAL
from tests.protocols.human_pace import WORK, Person, get_ready

REST_S = 60
MOST_OFF = 0.15
CHECKS = ({"ears": False, "level": False, "headphones": False}, {"ears": True, "level": True, "headphones": True})
SEATS = [(protocol, group) for protocol in protocols().values() for group in protocol.groups.names or ("",)]


def options_of(protocol: Protocol, group: str) -> dict[str, Any]:
    return {**protocol.defaults, **MATERIAL[protocol.slug][1], **({"group": group} if group else {})}


def plan_of(protocol: Protocol, group: str, seed: int = 1) -> list[TrialPlan]:
    return list(protocol.plan(MATERIAL[protocol.slug][0], options_of(protocol, group), Random(seed)))


def stated(protocol: Protocol, group: str, checks: dict[str, bool], seed: int = 1) -> SeatDuration:
    sessions_s: dict[int, float] = defaultdict(float)
    for trial in plan_of(protocol, group, seed):
        sessions_s[trial.session] += protocol.page_s(trial, options_of(protocol, group))
    return seat_duration(sessions_s, rest_s=REST_S, checks_s=checks_s(**checks))


def needed_s(protocol: Protocol, group: str, checks: dict[str, bool], seed: int) -> float:
    """Go through the plan as a person does: every page, and a rest between two sessions that count."""
    person, last = Person(seed), 0
    get_ready(person, **checks)
    for trial in plan_of(protocol, group):
        if last and trial.session != last:
            person.hear(REST_S)
        WORK[protocol.slug](person, trial, protocol, options_of(protocol, group))
        last = trial.session
    return person.clock_s


@pytest.mark.parametrize("checks", CHECKS, ids=("without checks", "with all checks"))
@pytest.mark.parametrize(("protocol", "group"), SEATS, ids=lambda part: getattr(part, "slug", part))
def test_the_stated_duration_is_what_a_person_of_ordinary_pace_needs(
    protocol: Protocol, group: str, checks: dict[str, bool]
) -> None:
    planned_s = stated(protocol, group, checks).total_s
    for seed in range(5):
        needed = needed_s(protocol, group, checks, seed)
        assert planned_s == pytest.approx(needed, rel=MOST_OFF)
        # What is read is a whole number of minutes, or of five minutes from twenty on.
        assert abs(60 * whole_minutes(planned_s) - planned_s) <= max(30, planned_s / 8)


@pytest.mark.parametrize(("protocol", "group"), SEATS, ids=lambda part: getattr(part, "slug", part))
def test_two_seats_of_one_experiment_state_the_same(protocol: Protocol, group: str) -> None:
    minutes = {whole_minutes(stated(protocol, group, CHECKS[0], seed).total_s) for seed in range(4)}
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
    assert twice == pytest.approx(once + 2 * 2.0 + 0.5 + 1.0)  # two clips of 2 s, the gap, and the gap between rounds


def test_a_sound_that_may_be_played_again_is_heard_more_than_once() -> None:
    acr = protocols()["acr"]
    trial = plan_of(acr, "")[0]
    assert acr.page_s(trial, {"plays_allowed": 0}) > acr.page_s(trial, {"plays_allowed": 1})


@pytest.mark.parametrize(
    ("seconds", "minutes"), [(0, 1), (40, 1), (95, 2), (19.4 * 60, 19), (21 * 60, 20), (44 * 60, 45), (62 * 60, 60)]
)
def test_minutes_are_told_as_people_say_them(seconds: float, minutes: int) -> None:
    assert whole_minutes(seconds) == minutes


@pytest.mark.parametrize(("stated_min", "far"), [(20, False), (14, False), (13, True), (26, False), (27, True)])
def test_more_than_a_third_off_is_far_off(stated_min: int, far: bool) -> None:
    assert is_far_off(stated_min, 20 * 60) == far


def test_a_minute_of_a_short_test_does_not_matter() -> None:
    assert not is_far_off(2, 70)
