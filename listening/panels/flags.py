"""Flags of the monitor: figures of one listener's answers, and the thresholds beyond which they need a check."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Any

from core.stored_json import list_in, number_in, object_in

LOST_AFTER = timedelta(minutes=2)
SEEN_WITHIN = timedelta(seconds=15)  # requests that are closer together count as one
LONGEST_GAP_S = 300.0  # a longer one is a rest, not a pace
FEWEST_TO_JUDGE = 10  # of a few answers nothing can be said
QUICKEST_ANSWER_MS = 500.0  # from the end of a clip: below it nobody reads a scale, chooses and presses
FLAT_SHARE = 0.9  # of all answers on one number; P.808 asks for a variance, which a few outliers can fake
HIDDEN_SHARE = 0.1
STALL_MS, STALL_SHARE = 250.0, 0.1  # a shorter one is the grain of two clocks
LEVEL_ENDS_DB = 6.0


@dataclass(frozen=True)
class Answer:
    """One answer that counts, without what was answered."""

    session: int
    received_at: datetime
    heard: Any  # as it was stored: a browser said it, so it may be anything
    clock: Any
    flags: Sequence[str] = ()


@dataclass(frozen=True)
class Figures:
    """What one listener's answers say about how they were given; no figure tells what was answered."""

    answers: int = 0
    pace_s: float | None = None
    answer_ms: float | None = None
    clip_ms: float | None = None
    hidden: int = 0
    stalls: int = 0
    hasty: int = 0
    top_share: float = 0.0


@dataclass(frozen=True)
class Situation:
    """What is known of a seat besides its answers."""

    last_seen_at: datetime | None = None
    in_session: bool = False
    paused_at: datetime | None = None
    level_db: float | None = None
    failed_checks: Sequence[str] = field(default=())
    clip_failures: int = 0
    failed_attention: int = 0  # trap and gold clips that were not answered as expected
    silent_clips: int = 0  # clips of which the listener said that nothing was heard
    hidden_reports: int = 0
    lapsed: bool = False
    taken: bool = True


def figures_of(answers: Sequence[Answer], counts_by_value: Iterable[int]) -> Figures:
    """Figures of one listener's answers, given in the order in which they arrived."""
    counts = list(counts_by_value)
    gaps = [gap for one, other in pairwise(answers) if (gap := _gap_s(one, other)) is not None]
    return Figures(
        answers=len(answers),
        pace_s=median(gaps) if gaps else None,
        answer_ms=_median_of(answers, "answer_ms"),
        clip_ms=_median_of(answers, "heard_ms"),
        hidden=sum("hidden" in list_in(object_in(answer.heard).get("interruptions")) for answer in answers),
        stalls=sum((_number(answer.heard, "stall_ms") or 0) > STALL_MS for answer in answers),
        hasty=sum("fast" in answer.flags for answer in answers),
        top_share=max(counts) / sum(counts) if counts else 0.0,
    )


def flags_of(figures: Figures, situation: Situation, *, now: datetime) -> list[str]:
    """Names of all flags that are raised for one seat."""
    enough = figures.answers >= FEWEST_TO_JUDGE
    hidden = max(figures.hidden, situation.hidden_reports)
    raised = {
        "fast": enough and _too_fast(figures),
        "sooner": figures.hasty > 0,
        "flat": enough and figures.top_share >= FLAT_SHARE,
        "level": situation.level_db is not None and abs(situation.level_db) >= LEVEL_ENDS_DB,
        "muted": situation.silent_clips > 0,
        "hidden": enough and hidden >= HIDDEN_SHARE * figures.answers,
        "stalls": enough and figures.stalls >= STALL_SHARE * figures.answers,
        "lost": situation.taken and situation.in_session and _is_silent(situation, now),
        "clips": situation.clip_failures > 0,
        "checks": bool(situation.failed_checks),
        "attention": situation.failed_attention > 0,
        "lapsed": situation.lapsed,
    }
    return [name for name, is_raised in raised.items() if is_raised]


def _too_fast(figures: Figures) -> bool:
    if figures.answer_ms is not None:
        return figures.answer_ms < QUICKEST_ANSWER_MS
    # An old page does not say how long an answer took, but nobody answers faster than the clips last.
    both = figures.pace_s is not None and figures.clip_ms is not None
    return both and 1000 * figures.pace_s < figures.clip_ms  # type: ignore[operator]


def _is_silent(situation: Situation, now: datetime) -> bool:
    """No request for a while, and the last one was not a pause."""
    seen, paused = situation.last_seen_at, situation.paused_at
    on_purpose = seen is not None and paused is not None and paused >= seen - SEEN_WITHIN
    return seen is not None and now - seen > LOST_AFTER and not on_purpose


def _gap_s(one: Answer, other: Answer) -> float | None:
    """Seconds between two answers by the browser's own clock, because answers kept offline arrive together."""
    if one.session != other.session:
        return None
    began, ended = _number(one.clock, "monotonic_ms"), _number(other.clock, "monotonic_ms")
    if began is not None and ended is not None:
        gap_s = (ended - began) / 1000
    else:
        gap_s = (other.received_at - one.received_at).total_seconds()
    return gap_s if 0 < gap_s <= LONGEST_GAP_S else None


def _median_of(answers: Iterable[Answer], name: str) -> float | None:
    values = [value for answer in answers if (value := _number(answer.heard, name)) is not None]
    return float(median(values)) if values else None


def _number(stored: Any, name: str) -> int | float | None:
    return number_in(object_in(stored).get(name))
