"""Simulated listeners: bots that take part through the HTTP API, in seats that are marked as simulated."""

import re
import ssl
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import datetime
from functools import cache
from random import Random
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

import httpx

from listening.models import Panel, Seat
from listening.panels.services import panels
from listening.panels.services.bots import answers_of
from rating.models import Ballot, Experiment
from rating.services.pages import record_all_fetches

Answers = Callable[[dict[str, Any]], Any]  # from a page as the browser sees it to a payload


class Bot:
    """One simulated participant. Randomness is passed in, so that the same seed listens in the same way."""

    def __init__(
        self, *, link: str, answers: Answers, rng: Random, fetches_sound: bool = True, timeout_s: float = 30
    ) -> None:
        self.link = link
        self.answers = answers
        self.rng = rng
        self.fetches_sound = fetches_sound
        self.http = httpx.Client(
            timeout=timeout_s, follow_redirects=True, headers={"User-Agent": "Earmark bot"}, verify=_certificates()
        )
        self.counter = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    def play(self) -> dict[str, Any]:
        """Consent, fetch and answer every page, and return the receipt."""
        with self:
            api, csrf = self._enter()
            for page in self._pages(api):
                self._hear(page)
                self._post(f"{api}votes/", csrf, {"client": "bot", "events": [self._event(page)]})
            return self._post(f"{api}finish/", csrf, {})

    def _enter(self) -> tuple[httpx.URL, str]:
        landing = self.http.get(self.link).raise_for_status()
        form = {"csrfmiddlewaretoken": _csrf_in(landing.text), "agree": "on"}
        page = self.http.post(self.link, data=form, headers={"Referer": self.link}).raise_for_status()
        visit = re.fullmatch(r"/visits/([0-9a-f-]{36})/(?:receipt/)?", page.url.path)
        if visit is None:
            raise RuntimeError(f"after consenting, {page.url.path} came instead of a visit")
        return page.url.join(f"/api/v1/visits/{visit[1]}/"), self.http.cookies[_csrf_cookie(self.http)]

    def _pages(self, api: httpx.URL) -> Iterator[dict[str, Any]]:
        while trials := self._request("GET", f"{api}upcoming/").json()["trials"]:
            yield from trials

    def _hear(self, page: dict[str, Any]) -> None:
        """Fetch every sound of the page, as the gate in the browser demands."""
        for sound in page["media"].values() if self.fetches_sound else ():
            address = sound["url"] + ("manifest/" if sound["sliced"] else "")
            self.http.get(httpx.URL(self.link).join(address)).raise_for_status()

    def _event(self, page: dict[str, Any]) -> dict[str, Any]:
        self.counter += 1
        duration_ms = round(1000 * sum(sound["duration_s"] for sound in page["media"].values()))
        return {
            "event_id": str(UUID(int=self.rng.getrandbits(128), version=4)),
            "trial": page["trial"],
            "revision": page["revision"],
            "payload": self.answers(page),
            "heard": {"plays": 1, "heard_ms": duration_ms, "heard_full": True},
            "clock": {"counter": self.counter},
        }

    def _post(self, url: str, csrf: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"X-CSRFToken": csrf, "Referer": self.link}
        answer: dict[str, Any] = self._request("POST", url, json=body, headers=headers).json()
        for result in answer.get("results", []):
            if result["status"] not in ("stored", "replay"):
                raise RuntimeError(f"a bot's answer was not stored: {result}")
        return answer

    def _request(self, method: str, url: str, **parts: Any) -> httpx.Response:
        """Send a request, and again after Retry-After; bots are faster than the limits allow."""
        while (answer := self.http.request(method, url, **parts)).status_code == httpx.codes.TOO_MANY_REQUESTS:
            time.sleep(float(answer.headers.get("Retry-After", 1)))
        return answer.raise_for_status()


def _csrf_in(html: str) -> str:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', html)
    if found is None:
        raise RuntimeError("the page has no form to agree with")
    return found[1]


@cache
def _certificates() -> ssl.SSLContext:
    """Loaded once: for each bot it would take longer than its first pages."""
    return httpx.create_ssl_context()


def _csrf_cookie(http: httpx.Client) -> str:
    return next(name for name in http.cookies if name.endswith("csrf"))


def simulate(
    *,
    experiment: Experiment,
    listeners: int,
    seed: str,
    server: str,
    now: datetime,
    at_once: int = 1,
    fetches_sound: bool = True,
) -> Iterator[dict[str, Any]]:
    """Seat so many simulated listeners, play each visit to its receipt, and yield the receipts as they come.

    The bots answer with the protocol's own example, which knows the condition; a browser could not. Bots that fetch no
    sound have it noted as fetched here, because without that no answer is taken.
    """
    how: dict[str, Any] = {"seed": seed, "server": server, "now": now, "fetches_sound": fetches_sound}
    bots = [_bot(experiment, seat, **how) for seat in _seats(experiment, listeners)]
    with ThreadPoolExecutor(at_once) as pool:
        yield from (played.result() for played in as_completed([pool.submit(bot.play) for bot in bots]))


def _bot(experiment: Experiment, seat: Seat, *, seed: str, server: str, now: datetime, fetches_sound: bool) -> Bot:
    name = f"{seed}/{experiment.slug}/{seat.panel.number}/{seat.number}"
    rng = Random(name)
    if not fetches_sound:
        record_all_fetches(ballot_id=seat.ballot_id, visit_id=seat.pk, now=now)
    link = _on_server(panels.link(panels.invite_to_seat(seat=seat, now=now)), server)
    answer = answers_of(seat.ballot, name, rng)
    return Bot(link=link, answers=lambda page: answer(page["trial"]), rng=rng, fetches_sound=fetches_sound)


def _seats(experiment: Experiment, listeners: int) -> list[Seat]:
    """Spread the listeners over the panels, the first panels taking what does not divide."""
    chosen = list(experiment.panels.all()) or [Panel.objects.create(experiment=experiment, number=1)]
    each, rest = divmod(listeners, len(chosen))
    return [
        seat
        for nth, panel in enumerate(chosen)
        for seat in panels.add_seats(panel=panel, count=each + (nth < rest), kind=Ballot.Kind.SIMULATED)
    ]


def _on_server(link: str, server: str) -> str:
    """The same link at the address where the simulation's server listens."""
    return urlunsplit(urlsplit(link)._replace(scheme=urlsplit(server).scheme, netloc=urlsplit(server).netloc))
