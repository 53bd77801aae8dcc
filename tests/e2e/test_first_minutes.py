"""First minutes of every demo: no more clicks and half the words of before, and nothing is said twice."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext

from core.models import User
from listening.models import Panel
from listening.panels.services import panels
from protocols.chaptering import demo as chaptering
from protocols.p835.noisy_speech import POOL
from protocols.tcsd_plane.soundscape.example import EXAMPLE
from protocols.tcsd_plane.soundscape.programmes import DAY, MORNING
from rating.models import Experiment
from rating.registry import protocols
from stimuli.models import Collection, Condition
from stimuli.services.collections import add_stimulus
from tests.e2e.conftest import Platform
from tests.e2e.first_minutes import Newcomer
from tests.factories import make_user, tone

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Clicks from the link to the first trial and words on the landing page, as a reader of the first version counted them;
# DCR and ABX came later and are measured by ACR. Words of the consent text, which is the experimenter's, are left out.
BEFORE = {
    "acr": (4, 150),
    "abx": (4, 150),
    "dcr": (4, 150),
    "p835": (13, 232),
    "tcsd_plane": (4, 525),
    "speech_summaries": (3, 259),
    "thumbs": (4, 279),
    "chaptering": (3, 268),
}


def _fill_p835(collection: Collection, owner: User) -> None:
    for number in range(4):
        sound: dict[str, Any] = {"item": f"sample_{number}", "content": tone(300)}
        factors = {name: list(levels)[number % 2] for name, levels in POOL.items()}
        for condition in ("C0", "C1"):
            add_stimulus(collection=collection, condition=condition, factors=factors, **sound)
        practised: dict[str, Any] = {
            "item": f"i{number:02d}_f1",
            "content": tone(400),
            "role": Condition.Role.REFERENCE,
        }
        add_stimulus(collection=collection, condition="ref", **practised)


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


# What each demo is made of here, so that its texts are there at once: short sounds, and few of them.
SMALL: dict[str, dict[str, Any]] = {
    "acr": {"DURATION_S": 0.5},
    "dcr": {"DURATION_S": 0.5},
    "p835": {"_fill": _fill_p835, "PANELS": 1, "SEATS": 2, "SIZE": 4, "SESSIONS": 2},
    "tcsd_plane": {"_fill": _fill_plane},
    "thumbs": {"CLIP_S": 4.0},
    "chaptering": {"_fill": _fill_chapters},
    "speech_summaries": {"SECONDS_A_WORD": 0.05},
}


@pytest.mark.parametrize("slug", list(protocols()))
def test_a_newcomer_reads_half_as_much_and_nothing_twice_with_no_more_clicks(
    slug: str,
    platform: Platform,
    device: Callable[..., BrowserContext],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    module = import_module(f"protocols.{slug}.demo")
    for name, value in SMALL.get(slug, {}).items():
        monkeypatch.setattr(module, name, value)
    experiment: Experiment = module.build(owner=make_user())
    clicks, words = BEFORE[slug]
    for panel in _panels_of_each_group(experiment):
        invitation = panels.invite(panel=panel, count=1, now=timezone.now(), actor=None)[0]
        walk = Newcomer(device()).arrive(panels.link(invitation))
        line = (
            f"{slug} {panel.group}: {walk.clicks} clicks, {walk.sound_check_clicks} of them in the sound check "
            f"(before {clicks}), {walk.words} words (before {words}), {walk.screens} screens"
        )
        with capsys.disabled():
            print(f"\n{line}")  # noqa: T201 - the figures are half of what the run is for
        assert walk.repeated == []
        assert walk.words <= words / 2, walk.reading
        assert walk.clicks <= clicks


def _panels_of_each_group(experiment: Experiment) -> list[Panel]:
    return list({panel.group: panel for panel in experiment.panels.order_by("-number")}.values())
