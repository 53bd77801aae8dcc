"""Simulated listeners: seats of their own, marked as simulated, filled through the real HTTP API."""

from collections.abc import Callable, Iterator
from datetime import datetime
from random import Random
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from listening.bots import Bot
from listening.models import Panel
from listening.services import panels
from rating.models import Ballot, Experiment, Trial
from rating.protocols.base import Json
from rating.registry import protocol
from rating.services.ballots import plan_of


def simulate(
    *, experiment: Experiment, listeners: int, seed: str, server: str, now: datetime
) -> Iterator[dict[str, Any]]:
    """Seat so many simulated listeners, play each visit to its receipt, and yield the receipts as they come.

    The bots answer with the protocol's own example, which knows the condition; a browser could not.
    """
    panel = experiment.panels.first() or Panel.objects.create(experiment=experiment, number=1)
    for seat in panels.add_seats(panel=panel, count=listeners, kind=Ballot.Kind.SIMULATED):
        rng = Random(f"{seed}/{seat.number}")
        link = _on_server(panels.link(panels.invite_to_seat(seat=seat, now=now)), server)
        with Bot(link=link, answers=_answers(experiment, rng), rng=rng) as bot:
            yield bot.play()


def _answers(experiment: Experiment, rng: Random) -> Callable[[dict[str, Any]], Json]:
    rules = protocol(experiment.protocol)

    def answer(page: dict[str, Any]) -> Json:
        trial = Trial.objects.prefetch_related("slots__stimulus__item", "slots__stimulus__condition").get(
            pk=page["trial"]
        )
        return rules.example(plan_of(trial, trial.slots.all()), rng)

    return answer


def _on_server(link: str, server: str) -> str:
    """The same link at the address where the simulation's server listens."""
    return urlunsplit(urlsplit(link)._replace(scheme=urlsplit(server).scheme, netloc=urlsplit(server).netloc))
