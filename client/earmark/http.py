"""Requests to the API: the token, errors as exceptions, and further attempts where that is safe."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

SAFE = {"GET", "HEAD"}
PASSING = {429, 502, 503, 504}  # what may be answered otherwise a moment later
ATTEMPTS = 5
LONGEST_PAUSE_S = 30.0
API = "/api/v1/"


class EarmarkError(Exception):
    """An error from the server: its sentence, code and data. Where no server answers, the code is `unreachable`."""

    def __init__(self, sentence: str, *, code: str, status: int = 0, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code
        self.status = status
        self.data = dict(data or {})

    def __str__(self) -> str:
        fields = self.data.get("fields")
        return f"{self.sentence} ({self.code})" + (f" {fields}" if fields else "")


class Connection:
    """One server and one token. A request that changes something is sent once; one that reads, up to five times."""

    def __init__(self, url: str, token: str, *, timeout_s: float = 60.0, pause_s: float = 0.5) -> None:
        self._pause_s = pause_s
        self._http = httpx.Client(
            base_url=url.rstrip("/"),
            timeout=timeout_s,
            headers={"Authorization": f"Bearer {token}", "Accept": "application/json, */*;q=0.5"},
        )

    def close(self) -> None:
        self._http.close()

    def ask(self, method: str, path: str, **parts: Any) -> httpx.Response:
        """The answer to a request; an error where the server refuses it."""
        attempts = ATTEMPTS if method in SAFE else 1
        for attempt in range(1, attempts + 1):
            try:
                answer = self._http.request(method, self._address(path), **parts)
            except httpx.TransportError as problem:
                if attempt == attempts:
                    raise EarmarkError(f"The server cannot be reached: {problem}", code="unreachable") from problem
                self._wait(attempt)
                continue
            if answer.status_code in PASSING and attempt < attempts:
                self._wait(attempt, answer)
                continue
            return _checked(answer)
        raise AssertionError("unreachable")  # the last attempt returns or raises

    def json(self, method: str, path: str, body: Any = None, **parts: Any) -> Any:
        """The JSON that a request is answered with; None where there is none."""
        answer = self.ask(method, path, **({"json": body} if body is not None else {}), **parts)
        return answer.json() if answer.content else None

    def pages(self, path: str, **params: str) -> Iterator[dict[str, Any]]:
        """Every row of a list that comes in pages."""
        page = self.json("GET", path, params={name: value for name, value in params.items() if value})
        while True:
            yield from page["results"]
            if not page["next"]:
                return
            page = self.json("GET", page["next"])

    def save(self, path: str, into: Path, **params: str) -> Path:
        """Write a file that the server makes; a download that breaks off leaves nothing behind."""
        part = into.with_name(f"{into.name}.part")
        try:
            with self._stream(path, params) as answer, part.open("wb") as file:
                for piece in answer.iter_bytes():
                    file.write(piece)
            part.replace(into)
        finally:
            part.unlink(missing_ok=True)
        return into

    @contextmanager
    def _stream(self, path: str, params: Mapping[str, str]) -> Iterator[httpx.Response]:
        try:
            with self._http.stream("GET", self._address(path), params=params) as answer:
                if answer.is_error:
                    answer.read()
                yield _checked(answer)
        except httpx.TransportError as problem:
            raise EarmarkError(f"The download broke off: {problem}", code="unreachable") from problem

    def _address(self, path: str) -> str:
        return path if path.startswith(("/", "http://", "https://")) else API + path

    def _wait(self, attempt: int, answer: httpx.Response | None = None) -> None:
        """Wait for as long as the server asks, else for twice as long each time."""
        asked = answer.headers.get("Retry-After", "") if answer is not None else ""
        pause_s = float(asked) if asked.isdecimal() else self._pause_s * 2 ** (attempt - 1)
        time.sleep(min(pause_s, LONGEST_PAUSE_S))

    def wait_for(self, path: str, *, done: set[str], failed: set[str], every_s: float = 0.5) -> dict[str, Any]:
        """Ask again and again until something has come to an end; return how it stands then."""
        while True:
            state: dict[str, Any] = self.json("GET", path)
            if state["state"] in done | failed:
                return state
            time.sleep(every_s)

    def finish(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """Wait for a job; an error where it fails."""
        ended = self.wait_for(f"jobs/{job['id']}/", done={"done"}, failed={"failed", "cancelled"})
        if ended["state"] != "done":
            raise EarmarkError(ended["error"] or f"The job {ended['name']} failed.", code="job.failed", data=ended)
        return ended


def _checked(answer: httpx.Response) -> httpx.Response:
    if not answer.is_error:
        return answer
    try:
        told = answer.json()
        sentence, code, data = told["detail"], told["code"], told["data"]
    except (ValueError, KeyError, TypeError):
        sentence, code, data = f"The server answered {answer.status_code}.", f"http.{answer.status_code}", {}
    raise EarmarkError(sentence, code=code, status=answer.status_code, data=data)
