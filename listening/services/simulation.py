"""Simulated listeners: seats of their own, marked as simulated, filled through the real HTTP API."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import datetime
from random import Random
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from listening.bots import Bot
from listening.models import Panel, Seat
from listening.services import panels
from rating.models import Ballot, Experiment
from rating.protocols.base import Json
from rating.registry import get_protocol
from rating.services.pages import plan_of, record_all_fetches


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
    rng = Random(f"{seed}/{experiment.slug}/{seat.panel.number}/{seat.number}")
    if not fetches_sound:
        record_all_fetches(ballot_id=seat.ballot_id, visit_id=seat.pk, now=now)
    link = _on_server(panels.link(panels.invite_to_seat(seat=seat, now=now)), server)
    return Bot(link=link, answers=_answers(seat.ballot, rng), rng=rng, fetches_sound=fetches_sound)


def _seats(experiment: Experiment, listeners: int) -> list[Seat]:
    """Spread the listeners over the panels, the first panels taking what does not divide."""
    chosen = list(experiment.panels.all()) or [Panel.objects.create(experiment=experiment, number=1)]
    each, rest = divmod(listeners, len(chosen))
    return [
        seat
        for nth, panel in enumerate(chosen)
        for seat in panels.add_seats(panel=panel, count=each + (nth < rest), kind=Ballot.Kind.SIMULATED)
    ]


def _answers(ballot: Ballot, rng: Random) -> Callable[[dict[str, Any]], Json]:
    """Know the whole ballot beforehand, so that a bot asks nothing but the server while it plays."""
    protocol = get_protocol(ballot.experiment.protocol)
    trials = ballot.trials.prefetch_related("slots__stimulus__item", "slots__stimulus__condition")
    plans = {str(trial.pk): plan_of(trial, trial.slots.all()) for trial in trials}
    return lambda page: protocol.example(plans[page["trial"]], rng)


def _on_server(link: str, server: str) -> str:
    """The same link at the address where the simulation's server listens."""
    return urlunsplit(urlsplit(link)._replace(scheme=urlsplit(server).scheme, netloc=urlsplit(server).netloc))
