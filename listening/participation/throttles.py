"""Rate limits of the participant's API: requests a minute for one visit, and for one address.

Counts lie in the cache, which processes share where there is a Redis; otherwise each process counts for itself.
"""

import logging
import time
from typing import ClassVar

from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

logger = logging.getLogger(__name__)
PAUSE_S = 10.0  # without counting, after a failure of the cache


class CountingThrottle(SimpleRateThrottle):
    """One counter for each period: the framework's own list of every request costs more than a vote at our rates."""

    scope: str | None = None
    num_requests: int
    duration: int  # of a period, in seconds
    paused_until: ClassVar[float] = float("-inf")

    def get_rate(self) -> str | None:
        return self.THROTTLE_RATES.get(self.scope or "")

    def allow_request(self, request: Request, view: APIView) -> bool:
        if self.rate is None or time.monotonic() < CountingThrottle.paused_until:
            return True
        self.now = self.timer()
        key = f"throttle.{self.scope}.{self.ident(request, view)}.{int(self.now // self.duration)}"
        try:
            return self._count(key) <= self.num_requests
        except Exception as problem:  # whatever a cache raises when it is out of reach: votes do not depend on it
            CountingThrottle.paused_until = time.monotonic() + PAUSE_S
            logger.warning("Requests are not counted for %d s, because the cache fails: %s", PAUSE_S, problem)
            return True

    def wait(self) -> float:
        """Until the next period begins."""
        return float(self.duration - self.now % self.duration)

    def ident(self, request: Request, view: APIView) -> str:
        return str(self.get_ident(request))

    def _count(self, key: str) -> int:
        try:
            return cache.incr(key)
        except ValueError:  # the first of this period
            cache.add(key, 0, timeout=2 * self.duration)
            return cache.incr(key)


class VisitThrottle(CountingThrottle):
    scope = "visit"

    def ident(self, request: Request, view: APIView) -> str:
        return str(view.kwargs["visit_id"])


class AddressThrottle(CountingThrottle):
    scope = "address"
