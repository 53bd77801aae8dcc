"""Participants that are programs: they vote through the real API and send each vote again until it is answered."""

import random
import ssl
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx

from tests.factories import event

# The server is on this machine and speaks no TLS; loading certificates would take 50 ms of each client.
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@dataclass
class Acknowledged:
    """What the server said it has: the answer under each event id, and how often it had to be asked."""

    values: dict[UUID, int] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    retries: int = 0


# All voters join at once, and one database admits them one after the other; nothing is killed yet.
JOINING_S = 120


class Voter:
    """One browser in one seat; it answers its pages over and over, so every vote after the first is a new revision."""

    def __init__(self, *, url: str, token: str, seed: str) -> None:
        self.http = httpx.Client(base_url=url, timeout=20, follow_redirects=True, verify=NO_CERTIFICATES)
        self.token = token
        self.chance = random.Random(seed)
        self.acknowledged = Acknowledged()
        self.api = ""
        self.revisions: dict[str, int] = {}

    def enter(self) -> None:
        """Open the link, agree, and read what is asked."""
        link = f"/join/{self.token}/"
        self.http.get(link).raise_for_status()
        page = self.http.post(link, data={"agree": "on"}, headers=self._csrf(), timeout=JOINING_S).raise_for_status()
        self.api = f"/api/v1{page.url.path}"
        upcoming = self.http.get(f"{self.api}upcoming/").raise_for_status().json()
        self.revisions = {trial["trial"]: trial["revision"] for trial in upcoming["trials"]}
        for sound in (sound for trial in upcoming["trials"] for sound in trial["media"].values()):
            self.http.get(sound["url"]).raise_for_status()

    def vote_until(self, stop: threading.Event, *, deadline: float) -> None:
        while not stop.is_set():
            trial, value = self.chance.choice(list(self.revisions)), self.chance.randint(1, 5)
            made = event(trial, value=value, revision=self.revisions[trial])
            result = self._insist(made, deadline=deadline)
            self.acknowledged.values[UUID(made["event_id"])] = value
            self.acknowledged.statuses[result["status"]] += 1
            self.revisions[trial] = result["revision"]

    def offer(self, made: dict[str, Any]) -> dict[str, Any] | None:
        """Send a vote once; returns the server's word on it, or None when no word came."""
        body = {"client": "test", "events": [made]}
        try:
            reply = self.http.post(f"{self.api}votes/", json=body, headers=self._csrf())
        except httpx.TransportError:
            return None
        if reply.status_code >= 500 or reply.status_code == httpx.codes.TOO_MANY_REQUESTS:
            return None
        result: dict[str, Any] = reply.raise_for_status().json()["results"][0]
        return result

    def finish(self) -> dict[str, Any]:
        receipt: dict[str, Any] = self.http.post(f"{self.api}finish/", headers=self._csrf()).raise_for_status().json()
        return receipt

    def _insist(self, made: dict[str, Any], *, deadline: float) -> dict[str, Any]:
        while (result := self.offer(made)) is None:
            assert time.monotonic() < deadline, "no answer before the time limit"
            self.acknowledged.retries += 1
            time.sleep(self.chance.uniform(0.02, 0.2))
        return result

    def _csrf(self) -> dict[str, str]:
        return {"X-CSRFToken": next(value for name, value in self.http.cookies.items() if name.endswith("csrf"))}
