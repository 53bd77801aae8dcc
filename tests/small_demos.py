"""Demos in a small form, so that their texts and settings are there at once: short sounds, and few of them."""

from importlib import import_module
from typing import Any

import pytest

from core.models import User
from protocols.chaptering import demo as chaptering
from protocols.p835 import demo as p835
from protocols.p835.noisy_speech import POOL
from protocols.tcsd_plane.soundscape.example import EXAMPLE
from protocols.tcsd_plane.soundscape.programmes import DAY, MORNING
from rating.models import Experiment
from stimuli.models import Collection, Condition
from stimuli.services.collections import add_stimulus
from tests.factories import make_user, tone


def _fill_p835(collection: Collection, owner: User) -> None:
    for number in range(4):
        sound: dict[str, Any] = {"item": f"sample_{number}", "content": tone(300)}
        factors = {name: list(levels)[number % 2] for name, levels in POOL.items()}
        for condition in ("C0", "C1"):
            add_stimulus(collection=collection, condition=condition, factors=factors, **sound)
    for item in p835.PRACTICE:
        practised: dict[str, Any] = {"content": tone(400), "role": Condition.Role.REFERENCE}
        add_stimulus(collection=collection, item=item, condition="ref", **practised)


def _fill_plane(collection: Collection, owner: User) -> None:
    summaries = {MORNING.name: [cross["condition"] for cross in EXAMPLE], DAY.name: ["greedy", "reference"]}
    for item, conditions in summaries.items():
        whole: dict[str, Any] = {"content": tone(200, duration_s=60), "role": Condition.Role.FULL_LENGTH}
        add_stimulus(collection=collection, item=item, condition="full", **whole)
        for condition in conditions:
            add_stimulus(collection=collection, item=item, condition=condition, content=tone(300, duration_s=2))


def _fill_chapters(collection: Collection, owner: User) -> None:
    for item in chaptering.RECORDINGS:
        add_stimulus(collection=collection, item=item, condition=chaptering.HEARD, content=tone(300, duration_s=20))


SMALL: dict[str, dict[str, Any]] = {
    "acr": {"DURATION_S": 0.5},
    "dcr": {"DURATION_S": 0.5},
    "p835": {"_fill": _fill_p835, "PANELS": 1, "SEATS": 2, "SIZE": 4, "SESSIONS": 2},
    "tcsd_plane": {"_fill": _fill_plane},
    "thumbs": {"CLIP_S": 4.0},
    "chaptering": {"_fill": _fill_chapters},
    "speech_summaries": {"SECONDS_A_WORD": 0.05},
}


def build_demo(slug: str, monkeypatch: pytest.MonkeyPatch) -> Experiment:
    module = import_module(f"protocols.{slug}.demo")
    for name, value in SMALL.get(slug, {}).items():
        monkeypatch.setattr(module, name, value)
    experiment: Experiment = module.build(owner=make_user())
    return experiment
