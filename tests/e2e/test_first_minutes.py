"""First minutes of every demo: no more clicks and half the words of before, and nothing is said twice."""

from collections.abc import Callable
from typing import NamedTuple

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext

from listening.models import Panel
from listening.panels.services import panels
from rating.models import Experiment
from rating.registry import protocols
from tests.e2e.conftest import Platform
from tests.e2e.first_minutes import Newcomer
from tests.small_demos import build_demo

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


class FirstVersion(NamedTuple):
    """The way from the link to the first trial as a reader of the first version counted it, consent text included."""

    clicks: int
    landing: int  # words
    shown_again: int  # words of the landing page on the screen after it
    screens: int  # before the first trial

    @property
    def words(self) -> int:
        return self.landing + self.shown_again


ACR = FirstVersion(4, 150, 60, 2)
BEFORE = {
    "acr": ACR,
    "abx": ACR,  # which came later, as did DCR
    "dcr": ACR,
    "p835": FirstVersion(13, 232, 95, 5),
    "tcsd_plane": FirstVersion(4, 525, 400, 3),
    "speech_summaries": FirstVersion(3, 259, 110, 2),
    "thumbs": FirstVersion(4, 279, 150, 3),
    "chaptering": FirstVersion(3, 268, 150, 2),
}


@pytest.mark.parametrize("slug", list(protocols()))
def test_a_newcomer_reads_half_as_much_and_nothing_twice_with_no_more_clicks(
    slug: str,
    platform: Platform,
    device: Callable[..., BrowserContext],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    experiment = build_demo(slug, monkeypatch)
    before = BEFORE[slug]
    for panel in _panels_of_each_group(experiment):
        invitation = panels.invite(panel=panel, count=1, now=timezone.now(), actor=None)[0]
        walk = Newcomer(device()).arrive(panels.link(invitation))
        line = (
            f"{slug} {panel.group}: {walk.clicks} clicks, {walk.sound_check_clicks} of them in the sound check "
            f"(before {before.clicks}), {walk.words} words (before {before.landing} + {before.shown_again} = "
            f"{before.words}), {walk.screens} screens (before {before.screens})"
        )
        with capsys.disabled():
            print(f"\n{line}")  # noqa: T201 - the figures are half of what the run is for
        assert walk.repeated == []
        assert walk.words <= before.words / 2, walk.reading
        assert walk.clicks <= before.clicks
        assert walk.screens <= before.screens, [*walk.reading, *walk.sound_check, *walk.work]


def _panels_of_each_group(experiment: Experiment) -> list[Panel]:
    return list({panel.group: panel for panel in experiment.panels.order_by("-number")}.values())
