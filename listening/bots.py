"""A listener that is a program: it takes part through the real HTTP API, page by page, as a browser does."""

import re
import time
from collections.abc import Callable, Iterator
from random import Random
from types import TracebackType
from typing import Any, Self
from uuid import UUID

import httpx

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
        self.http = httpx.Client(timeout=timeout_s, follow_redirects=True, headers={"User-Agent": "Earmark bot"})
        self.counter = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    def play(self) -> dict[str, Any]:
        """Consent, hear and answer every page, return the receipt, and hang up."""
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
        while trials := self._patiently("GET", f"{api}upcoming/").json()["trials"]:
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
        answer: dict[str, Any] = self._patiently("POST", url, json=body, headers=headers).json()
        for result in answer.get("results", []):
            if result["status"] not in ("stored", "replay"):
                raise RuntimeError(f"a bot's answer was not stored: {result}")
        return answer

    def _patiently(self, method: str, url: str, **parts: Any) -> httpx.Response:
        """Ask, and again when the server says when; bots are faster than a listener may be."""
        while (answer := self.http.request(method, url, **parts)).status_code == httpx.codes.TOO_MANY_REQUESTS:
            time.sleep(float(answer.headers.get("Retry-After", 1)))
        return answer.raise_for_status()


def _csrf_in(html: str) -> str:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', html)
    if found is None:
        raise RuntimeError("the page has no form to agree with")
    return found[1]


def _csrf_cookie(http: httpx.Client) -> str:
    return next(name for name in http.cookies if name.endswith("csrf"))
