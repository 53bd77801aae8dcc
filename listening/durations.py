"""Duration of a whole seat, from consent to the last answer: pages by their plan, breaks, checks; plain Python.

The landing page, the design report and the monitor state it. What a page takes is the protocol's `page_s`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rating.pace import EAR_CHECK_S, HEADPHONE_SCREEN_S, INTRODUCTION_S, LEVEL_CHECK_S

PRACTICE = 0  # the session before the first that counts
HALVES_UP_TO_MIN, EXACT_UP_TO_MIN, ROUNDED_TO_MIN = 10, 40, 5
SHORT_PRACTICE_S = 240  # practice that is over sooner calls for no rest
FAR_OFF = 1 / 3  # from here on a stated duration misleads those who agree to it


@dataclass(frozen=True)
class SeatDuration:
    """Seconds of each session's pages, of what comes before them, and of the breaks between them."""

    sessions_s: Mapping[int, float]
    before_s: float
    breaks_s: float

    @property
    def pages_s(self) -> float:
        return sum(self.sessions_s.values())

    @property
    def practice_s(self) -> float:
        return self.sessions_s.get(PRACTICE, 0.0)

    @property
    def after_checks_s(self) -> float:
        return self.pages_s + self.breaks_s

    @property
    def total_s(self) -> float:
        return self.before_s + self.after_checks_s


def seat_duration(sessions_s: Mapping[int, float], *, rest_s: float, checks_s: float) -> SeatDuration:
    """Add up a seat's plan."""
    breaks = sum(rests_before(session, sessions_s) for session in sessions_s)
    return SeatDuration(sessions_s, before_s=INTRODUCTION_S + checks_s, breaks_s=breaks * rest_s)


def rests_before(session: int, sessions_s: Mapping[int, float]) -> bool:
    """Whether a break comes before a session: not before the first, and not after short practice alone."""
    earlier = [other for other in sessions_s if other < session]
    return bool(earlier) and (earlier != [PRACTICE] or sessions_s[PRACTICE] > SHORT_PRACTICE_S)


def checks_s(*, ears: bool, level: bool, headphones: bool) -> float:
    """Seconds of the checks before the first page."""
    return ears * EAR_CHECK_S + level * LEVEL_CHECK_S + headphones * HEADPHONE_SCREEN_S


def stated_minutes(seconds: float) -> float:
    """Minutes as people say them: in halves up to ten, exact up to forty, then in fives."""
    minutes = seconds / 60
    step = 0.5 if minutes < HALVES_UP_TO_MIN else 1 if minutes < EXACT_UP_TO_MIN else ROUNDED_TO_MIN
    return max(1, step * round(minutes / step))


def minutes_text(minutes: float) -> str:
    """The number as it is read, such as 2½."""
    return f"{int(minutes)}½" if minutes % 1 else str(int(minutes))


def is_far_off(stated_min: float, planned_s: float) -> bool:
    """Whether a stated duration differs from the plan's by more than a third of it; a minute never matters."""
    off_s = abs(60 * stated_min - planned_s)
    return off_s > FAR_OFF * planned_s and off_s > 60
