"""Rows for tests, made through the same services that the platform uses; nothing here writes a table by hand."""

import itertools
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any
from uuid import UUID, uuid4

import numpy as np
from django.test import Client
from django.utils import timezone

from audio.synthesis import clip_bytes
from core.errors import AppError
from core.models import User
from core.services.accounts import create_account
from listening.models import Invitation, Seat, Visit
from listening.panels.services import panels
from listening.panels.services.session_settings import change_session_settings
from listening.participation.access import token_digest
from listening.participation.services import visits
from rating.models import Ballot, Experiment, Trial
from rating.registry import get_protocol
from rating.services.experiments import create_experiment, design_digest, go_live
from rating.services.pages import record_all_fetches
from rating.services.texts import publish_texts
from rating.services.votes import VoteEvent
from stimuli.models import Collection, Condition
from stimuli.services.collections import NewSound, add_stimuli, add_text, create_collection

PASSWORD = "correct horse battery staple"
_numbers = itertools.count(1)
WORDS = ["Beautiful", "cherry", "trees", "bloom", "along", "the", "river", "in", "early", "spring"]
# Of every kind that some protocol reads: a transcript and two versions of it, two captions, and a plain transcript.
TEXTS: list[tuple[str, Condition.Role, dict[str, Any]]] = [
    ("secrettranscript", Condition.Role.REFERENCE, {"kind": "tokens", "text": " ".join(WORDS), "tokens": WORDS}),
    ("secretsystem0", Condition.Role.TEST, {"kind": "tokens", "text": "cherry trees", "tokens": WORDS[1:3]}),
    ("secretsystem1", Condition.Role.TEST, {"kind": "tokens", "text": "trees bloom", "tokens": WORDS[2:4]}),
    ("secretsource0", Condition.Role.TEST, {"kind": "caption", "text": "A car passes.", "tokens": None}),
    ("secretsource1", Condition.Role.TEST, {"kind": "caption", "text": "Birds sing.", "tokens": None}),
    ("secretspeech", Condition.Role.TEST, {"kind": "transcript", "text": "Beautiful trees.", "tokens": None}),
]


def make_user(role: User.Role = User.Role.EXPERIMENTER, name: str = "") -> User:
    return create_account(name=name or f"person{next(_numbers)}", role=role, password=PASSWORD, actor=None)


@cache
def tone(frequency_hz: float, duration_s: float = 0.05, sample_rate_hz: int = 8000) -> bytes:
    """A very short WAV: enough to be heard by a program."""
    times = np.arange(round(duration_s * sample_rate_hz)) / sample_rate_hz
    return clip_bytes((0.1 * np.sin(2 * np.pi * frequency_hz * times)).astype(np.float32), sample_rate_hz)


def make_collection(
    owner: User,
    *,
    items: int = 2,
    conditions: int = 2,
    references: bool = False,
    full_length: bool = False,
    texts: bool = False,
) -> Collection:
    """Items under conditions, with names that no participant may see; also references, whole recordings, and texts."""
    collection = create_collection(owner=owner, slug=f"collection-{next(_numbers)}", title="Test sounds")
    sounds = [
        NewSound(f"secretitem{item}", f"secretcondition{condition}", tone(300 + 100 * item + 10 * condition))
        for item, condition in itertools.product(range(items), range(conditions))
    ]
    for item in range(items if references else 0):
        role, sound = Condition.Role.REFERENCE, tone(350 + 100 * item)
        sounds.append(NewSound(f"secretitem{item}", "secretref", sound, role))
    for item in range(items if full_length else 0):
        role, whole = Condition.Role.FULL_LENGTH, tone(200 + 100 * item, duration_s=1)
        sounds.append(NewSound(f"secretitem{item}", "secretwhole", whole, role))
    add_stimuli(collection=collection, sounds=sounds)
    for item in range(items if texts else 0):
        for source, role, text in TEXTS:
            add_text(collection=collection, item=f"secretitem{item}", condition=source, text=text, role=role)
    return collection


def make_panel_collection(
    owner: User, *, items: int = 8, conditions: int = 2, references: int = 2, left_out: tuple[str, str] = ("", "")
) -> Collection:
    """Folders C0, C1, ... and ref as a designed panel test has them; each item with a session and a location."""
    collection = create_collection(owner=owner, slug=f"collection-{next(_numbers)}", title="Panel sounds")
    cells = [(f"s{item:02d}", f"C{condition}") for item in range(items) for condition in range(conditions)]
    sounds = []
    for item, condition in cells:
        number = int(item[1:])
        factors = {"session": ("S01", "S21")[number % 2], "location": ("dining", "kitchen")[number // 2 % 2]}
        if (item, condition) != left_out:
            sounds.append(NewSound(item, condition, tone(300), factors=factors))
    role = Condition.Role.REFERENCE
    sounds += [NewSound(f"i{number:02d}_f1", "ref", tone(400), role) for number in range(references)]
    add_stimuli(collection=collection, sounds=sounds)
    return collection


def make_panel_experiment(owner: User | None = None, **parts: Any) -> Experiment:
    """A draft of a P.835 test with that collection, to be designed."""
    owner = owner or make_user()
    sizes = {name: parts.pop(name) for name in ("items", "conditions", "references", "left_out") if name in parts}
    fields: dict[str, Any] = {"protocol": "p835", "label_set": "p835-en-1", "live": False}
    parts["options"] = {"practice": sizes.get("references", 2), **parts.get("options", {})}
    collection = parts.pop("collection", None) or make_panel_collection(owner, **sizes)
    return make_experiment(owner, collection=collection, **(fields | parts))


def make_experiment(owner: User | None = None, *, live: bool = True, protocol: str = "acr", **parts: Any) -> Experiment:
    """An experiment with a handful of stimuli; `seats=n` adds a panel before it goes live."""
    owner = owner or make_user()
    seats = parts.pop("seats", 0)
    chosen = get_protocol(protocol)
    # What is read is about one sound, by any author.
    usual = {"items": 2, "conditions": 1 if chosen.text_kinds else 2}
    if "practice" in chosen.options:
        parts["options"] = {"practice": 0, **parts.get("options", {})}  # tests of practice ask for it
    sizes = {name: parts.pop(name, size) for name, size in usual.items()}
    collection = parts.pop("collection", None) or make_collection(
        owner,
        **sizes,
        references=chosen.shows_reference,
        full_length=Condition.Role.FULL_LENGTH in chosen.roles,
        texts=bool(chosen.text_kinds),
    )
    fields = {
        "slug": f"experiment-{next(_numbers)}",
        "title": "A test",
        "label_set": chosen.label_sets[0].id,
        "consent_text": "I agree.",
        "seed": "fixed",
    }
    experiment = create_experiment(owner=owner, collection=collection, protocol_slug=protocol, **(fields | parts))
    if seats:
        panels.create_panel(experiment=experiment, seats=seats, actor=owner)
    return opened(experiment) if live else experiment


def opened(experiment: Experiment) -> Experiment:
    """Let it go live; without a seat, which the test adds later, by hand."""
    try:
        return go_live(experiment=experiment, actor=experiment.owner)
    except AppError as error:
        if error.code != "experiment.no_seats":
            raise
        fields = {"state": Experiment.State.LIVE, "design_sha256": design_digest(experiment)}
        Experiment.objects.filter(pk=experiment.pk).update(**fields)
        experiment = Experiment.objects.select_related("collection", "owner").get(pk=experiment.pk)
        publish_texts(experiment=experiment, now=timezone.now())
        return experiment


@dataclass(frozen=True)
class Sitting:
    """A participant's browser after consent: the session cookie, the visit, and the link that led there."""

    client: Client
    visit: Visit
    link: str

    @property
    def ballot(self) -> Ballot:
        return self.visit.seat.ballot

    @property
    def api(self) -> str:
        return f"/api/v1/visits/{self.visit.id}/"

    def upcoming(self) -> dict[str, Any]:
        answer: dict[str, Any] = self.client.get(f"{self.api}upcoming/").json()
        return answer

    def vote(self, *events: dict[str, Any]) -> Any:
        body = {"client": "test", "events": list(events)}
        return self.client.post(f"{self.api}votes/", body, content_type="application/json")

    def answer_all(self) -> None:
        while trials := self.upcoming()["trials"]:
            self.vote(*(event(page["trial"], revision=page["revision"]) for page in trials))


def sit_down(experiment: Experiment | None = None, *, fetched: bool = True) -> Sitting:
    """Take a seat as a participant does: open the link, agree, follow the redirect; the browser has every sound."""
    experiment = experiment or make_experiment(seats=1)
    token = new_token(experiment)
    client = Client()
    client.post(f"/join/{token}/", {"agree": "on"})
    invitation = Invitation.objects.select_related("seat").get(token_sha256=token_digest(token))
    assert invitation.seat is not None
    visit = Visit.objects.filter(seat=invitation.seat).select_related("seat__ballot__experiment").latest("created_at")
    if fetched:
        fetch_all(visit)
    return Sitting(client=client, visit=visit, link=f"/join/{token}/")


def new_token(experiment: Experiment, **options: Any) -> str:
    panel = experiment.panels.first() or panels.create_panel(experiment=experiment, seats=1, actor=experiment.owner)
    return panels.invite(panel=panel, count=1, now=timezone.now(), actor=experiment.owner, **options)[0]


def token_without_sound_check(experiment: Experiment) -> str:
    """Open a draft to listeners who need not check ears and level; the token of an invitation to it."""
    change_session_settings(experiment=experiment, actor=experiment.owner, ear_check=False, level_check=False)
    token = new_token(experiment)
    go_live(experiment=experiment, actor=experiment.owner)
    return token


def seated_visit(experiment: Experiment | None = None) -> Visit:
    """The same as sit_down, through services and without a browser."""
    experiment = experiment or make_experiment(seats=1)
    invitation = Invitation.objects.get(token_sha256=token_digest(new_token(experiment)))
    return _seated(invitation)


def consent_to(seat: Seat) -> Visit:
    """Take one particular seat, as simulated listeners do."""
    invitation = Invitation.objects.get(token_sha256=token_digest(panels.invite_to_seat(seat=seat, now=timezone.now())))
    return _seated(invitation)


def _seated(invitation: Invitation) -> Visit:
    visit = visits.claim_seat(invitation=invitation, now=timezone.now(), device={})
    fetch_all(visit)
    return visit


def fetch_all(visit: Visit, *, ago: timedelta = timedelta(hours=1)) -> None:
    """Every sound of the seat was given to this visit, long enough ago to have been heard."""
    record_all_fetches(ballot_id=visit.seat.ballot_id, visit_id=visit.pk, now=timezone.now() - ago)


def marks(value: Any = 4, *, slot: str = "a", scale: str = "QUALITY") -> dict[str, Any]:
    return {"marks": [{"slot": slot, "scale": scale, "value": value}]}


def event(trial: str | UUID, *, value: Any = 4, revision: int = 0, **changes: Any) -> dict[str, Any]:
    """An answer as the browser sends it."""
    return {
        "event_id": str(new_id()),
        "trial": str(trial),
        "revision": revision,
        "payload": marks(value),
        "heard": {"plays": 1, "heard_ms": 450, "heard_full": True},
        "clock": {"counter": 1},
    } | changes


def vote_event(trial: Trial, *, value: Any = 4, revision: int = 0, **changes: Any) -> VoteEvent:
    """The same answer as services take it."""
    fields = event(trial.id, value=value, revision=revision) | {"client": "test"} | changes
    return VoteEvent(**{**fields, "event_id": UUID(str(fields["event_id"])), "trial": UUID(str(fields["trial"]))})


def new_id() -> UUID:
    return uuid4()
