"""Flags: what is raised at which threshold, from figures that tell nothing of the answers themselves."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from listening.panels.flags import Answer, Figures, Situation, figures_of, flags_of
from tests.scale import ALL

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def answers(count: int, *, every_s: float = 8.0, session: int = 1, **heard: Any) -> list[Answer]:
    return [Answer(session, NOW + timedelta(seconds=every_s * n), dict(heard), {}) for n in range(count)]


def raised(figures: Figures | None = None, **situation: Any) -> list[str]:
    return flags_of(figures or Figures(), Situation(**situation), now=NOW)


def test_the_pace_is_the_median_between_answers_and_a_rest_is_no_pace() -> None:
    given = answers(5, every_s=8)
    late = Answer(1, given[-1].received_at + timedelta(hours=1), {}, {})
    after = Answer(1, late.received_at + timedelta(seconds=8), {}, {})
    assert figures_of([*given, late, after], []).pace_s == 8


def test_answers_that_waited_offline_have_the_pace_of_the_browsers_own_clock() -> None:
    given = [Answer(1, NOW, {}, {"monotonic_ms": 9000 * n}) for n in range(4)]
    assert figures_of(given, []).pace_s == 9


def test_between_two_sessions_and_after_a_reload_there_is_no_pace() -> None:
    assert figures_of([*answers(1), *answers(1, session=2)], []).pace_s is None
    back = [Answer(1, NOW, {}, {"monotonic_ms": 5000}), Answer(1, NOW, {}, {"monotonic_ms": 100})]
    assert figures_of(back, []).pace_s is None


@pytest.mark.parametrize(("answer_ms", "fast"), [(499, True), (500, False), (2000, False)])
def test_too_fast_is_below_half_a_second_after_the_end_of_the_clip(answer_ms: int, fast: bool) -> None:
    assert ("fast" in raised(figures_of(answers(10, answer_ms=answer_ms), []))) is fast


@pytest.mark.parametrize(("every_s", "fast"), [(3.9, True), (4.5, False)])
def test_nobody_answers_faster_than_the_clips_last(every_s: float, fast: bool) -> None:
    assert ("fast" in raised(figures_of(answers(12, every_s=every_s, heard_ms=4000), []))) is fast


def test_of_a_few_answers_nothing_is_said() -> None:
    assert raised(figures_of(answers(9, answer_ms=1, interruptions=["hidden"]), [9])) == []


@pytest.mark.parametrize(("counts", "flat"), [([18, 1, 1], True), ([17, 2, 1], False), ([20], True)])
def test_flat_is_nearly_all_answers_on_one_number(counts: list[int], flat: bool) -> None:
    assert ("flat" in raised(figures_of(answers(20), counts))) is flat


def test_a_level_at_either_end_is_looked_at() -> None:
    assert [("level" in raised(level_db=level)) for level in (-6.0, -5.9, 0.0, 5.9, 6.0)] == [
        *(True, False, False, False, True),
    ]


def test_a_page_that_is_often_hidden_is_looked_at() -> None:
    shown, hidden = answers(18), answers(2, interruptions=["hidden"])
    assert "hidden" in raised(figures_of([*shown, *hidden], []))
    assert "hidden" not in raised(figures_of([*shown, *hidden[:1]], []))
    assert "hidden" in raised(figures_of(shown, []), hidden_reports=2)


def test_silence_in_the_middle_of_a_session_is_a_lost_connection_unless_a_person_paused() -> None:
    silent = NOW - timedelta(minutes=3)
    assert raised(last_seen_at=silent, in_session=True) == ["lost"]
    assert raised(last_seen_at=NOW - timedelta(minutes=1), in_session=True) == []
    assert raised(last_seen_at=silent, in_session=False) == []
    assert raised(last_seen_at=silent, in_session=True, taken=False) == []
    assert raised(last_seen_at=silent, in_session=True, paused_at=silent) == []
    before = silent - timedelta(minutes=1)
    assert raised(last_seen_at=silent, in_session=True, paused_at=before) == ["lost"]


def test_sound_that_often_stands_still_is_looked_at() -> None:
    smooth, stalled = answers(18, stall_ms=250), answers(2, stall_ms=251)
    assert "stalls" in raised(figures_of([*smooth, *stalled], []))
    assert "stalls" not in raised(figures_of([*smooth, *stalled[:1]], []))


def test_failed_clips_failed_checks_silence_and_an_ended_lease_are_looked_at() -> None:
    flags = raised(clip_failures=1, failed_checks=["headphones"], silent_clips=1, lapsed=True)
    assert flags == ["muted", "clips", "checks", "lapsed"]


@pytest.mark.parametrize("strange", ["fast", None, True, [1]])
def test_what_a_browser_sends_may_be_anything(strange: object) -> None:
    given = [Answer(1, NOW, {"answer_ms": strange, "heard_ms": strange}, {"monotonic_ms": strange}) for _ in range(12)]
    figures = figures_of(given, [])
    assert (figures.answer_ms, figures.pace_s) == (None, None)


# --- Whatever a browser sent, and whatever an older server stored ----------------------------------------------------

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = ("answer_ms", "heard_ms", "stall_ms", "interruptions", "monotonic_ms", "wall", "plays", "heard_full")
ODD_OBJECTS = ANYTHING | st.dictionaries(st.sampled_from(NAMES), ANYTHING, max_size=4)


@given(st.lists(st.tuples(ODD_OBJECTS, ODD_OBJECTS), max_size=6))
@settings(max_examples=300 if ALL else 40)
def test_figures_are_had_of_anything_that_may_have_been_stored(stored: list[tuple[Any, Any]]) -> None:
    given_answers = [Answer(1, NOW + timedelta(seconds=n), *one) for n, one in enumerate(stored)]
    figures = figures_of(given_answers * 3, [3, 1])
    assert figures.answers == 3 * len(stored)
    assert flags_of(figures, Situation(), now=NOW) is not None


def test_the_vote_that_once_took_the_monitor_down_counts_for_nothing() -> None:
    given_answers = answers(12, stall_ms="x", interruptions=5, heard_ms=10**400)
    assert raised(figures_of(given_answers, [12])) == ["flat"]


@pytest.mark.parametrize(("hasty", "flags"), [(0, []), (1, ["sooner"])])
def test_one_answer_sooner_than_its_sound_lasts_is_worth_a_look(hasty: int, flags: list[str]) -> None:
    given_answers = [Answer(1, NOW, {}, {}, ("fast",)) for _ in range(hasty)] + answers(3)
    assert raised(figures_of(given_answers, [])) == flags
