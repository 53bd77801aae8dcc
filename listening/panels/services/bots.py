"""Bots of simulated listeners inside this process: they take a seat, answer every page and question, and finish."""

from collections.abc import Callable
from random import Random
from typing import Any
from uuid import uuid5

from django.utils import timezone

from listening.models import Invitation, Seat, Visit
from listening.panels.services import panels
from listening.participation.access import token_digest
from listening.participation.services import questionnaires, visits
from rating.models import Ballot, Trial
from rating.protocol import Json, TrialPlan
from rating.questions import CHOICES, NO, YES, Kind, Place, Question
from rating.registry import get_protocol
from rating.services.pages import plan_of, record_all_fetches, whole_slots
from rating.services.votes import VoteEvent

CLIENT = "bot"
LINK_DAYS = 1
QUICKEST_S, SLOWEST_S = 1.0, 4.0  # from the end of a clip to the answer, as people take


def answers_of(ballot: Ballot, listener: str, rng: Random) -> Callable[[str], Json]:
    """From the id of a page to an answer, by the variance components of the protocol.

    The whole ballot is known beforehand, so that a bot asks nothing but for its next page while it listens.
    """
    plans, protocol = _plans_of(ballot), get_protocol(ballot.experiment.protocol)
    return lambda trial: protocol.example(plans[trial], rng, listener=listener)


def listen(*, seat: Seat, seed: str, answered: Callable[[], None]) -> None:
    """Take the seat, or go on in it, and answer what is left of it. The same seed answers in the same way."""
    ballot = seat.ballot
    name = f"{seed}/{seat.panel.number}/{seat.number}"
    # A run that was cut short goes on with other draws than those that its first pages have had.
    rng = Random(f"{name}/{ballot.vote_count}" if ballot.vote_count else name)
    visit = _enter(seat)
    record_all_fetches(ballot_id=ballot.pk, visit_id=visit.pk, now=timezone.now() - visits.SITTING_GAP)
    _answer_questions(visit, Place.BEFORE, rng)
    plans, answer, at_ms = _plans_of(ballot), answers_of(ballot, name, rng), 0.0
    for counter, trial in enumerate(list(ballot.trials.unanswered()), start=1):
        heard_ms = 1000 * sum(slot.entry.duration_s for slot in plans[str(trial.pk)].slots)
        took_ms = 1000 * rng.uniform(QUICKEST_S, SLOWEST_S)
        at_ms += heard_ms + took_ms
        heard = {"plays": 1, "heard_ms": round(heard_ms), "heard_full": True, "answer_ms": round(took_ms)}
        clock = {"counter": counter, "monotonic_ms": round(at_ms)}
        _cast(visit, trial, payload=answer(str(trial.pk)), heard=heard, clock=clock)
        answered()
    _answer_questions(visit, Place.AFTER, rng)
    visits.finish_visit(visit=visit, now=timezone.now())


def _plans_of(ballot: Ballot) -> dict[str, TrialPlan]:
    trials = ballot.trials.prefetch_related(whole_slots())
    return {str(trial.pk): plan_of(trial, trial.slots.all()) for trial in trials}


def _enter(seat: Seat) -> Visit:
    now, device = timezone.now(), {"browser": CLIENT, "device_class": CLIENT}
    if seat.state != Seat.State.OPEN:
        return visits.begin_visit(seat=seat, device=device, now=now)
    token = panels.invite_to_seat(seat=seat, now=now, days=LINK_DAYS)
    invitation = Invitation.objects.get(token_sha256=token_digest(token))
    return visits.claim_seat(invitation=invitation, now=now, device=device)


def _cast(visit: Visit, trial: Trial, **answer: Any) -> None:
    event = VoteEvent(
        event_id=uuid5(trial.pk, CLIENT),
        trial=trial.pk,
        revision=trial.revision,
        client=CLIENT,
        **answer,
    )
    [receipt] = visits.submit_votes(visit=visit, events=[event], now=timezone.now())
    if receipt.status not in ("stored", "replay"):
        raise RuntimeError(f"The answer of a bot was not stored: {receipt}")


def _answer_questions(visit: Visit, place: Place, rng: Random) -> None:
    seat = Seat.objects.select_related("ballot__experiment").get(pk=visit.seat_id)
    if questionnaires.is_due(seat, place):
        asked = questionnaires.questions_of(seat.ballot.experiment, place)
        values = {question.key: _answer(question, rng) for question in asked}
        questionnaires.hand_in(visit=visit, place=place, values=values, now=timezone.now())


def _answer(question: Question, rng: Random) -> Json:
    """Any answer that fits; a text that may be left empty is."""
    if question.kind is Kind.YES_NO:
        return rng.choice((YES, NO))
    if question.kind in CHOICES:
        values = [value for value, _label in question.options]
        several = question.kind is Kind.SEVERAL
        return rng.sample(values, max(1, int(question.low or 1))) if several else rng.choice(values)
    if question.is_text:
        return CLIENT if question.required else None
    low = int(question.low or 0)
    return rng.randint(low, int(question.high) if question.high is not None else low + 10)
