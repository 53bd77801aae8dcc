"""Accessibility scan of every page (axe: WCAG 2.0 to 2.2, A and AA), wide and narrow; --all: in every theme."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page

from listening.design.base import DesignRequest
from listening.panels.services import demo, panels
from listening.panels.services.designs import adopt_draft, draft_design
from rating.models import Experiment
from rating.services.experiments import go_live
from stimuli.models import Collection
from stimuli.services.quality_checks import measure_missing
from tests.e2e.conftest import Platform, let_in
from tests.e2e.listener import PointerListener
from tests.e2e.test_journey import sign_in
from tests.factories import consent_to, make_panel_experiment, sit_down
from tests.scale import ALL

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AXE = Path(__file__).resolve().parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# What passes is only counted: elements are described where they are reported.
FIND_VIOLATIONS = """rules => axe.run({ runOnly: rules, resultTypes: ["violations"] })
  .then((result) => result.violations)"""
# A colour half way between two themes is nobody's to judge; an animation without end is not waited for.
SETTLED = """() => Promise.race([
  new Promise((done) => setTimeout(done, 1000)),
  new Promise(requestAnimationFrame).then(
    () => Promise.allSettled(document.getAnimations().map((animation) => animation.finished))),
])"""
THEMES = ("light", "dark", "dim")
LOOKS = {1440: THEMES, 390: THEMES} if ALL else {1440: ("light",), 390: ("dark",)}
STAFF_PAGES = [
    "/experiments/",
    "/new-experiment/",
    "/experiments/demo-acr/",
    "/experiments/demo-acr/people/",
    "/experiments/demo-acr/simulations/",
    "/experiments/demo-acr/results/",
    "/collections/",
    "/collections/demo-acr/?show=loudness",
    "/account/",
    "/experiments/none/",
]


def violations(page: Page) -> list[str]:
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE.read_text())
    found = page.evaluate(FIND_VIOLATIONS, RULES)
    return [f"{rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]]


def every_look(page: Page) -> Iterator[str]:
    """In a short run the two that differ most; each theme has been looked at wide and narrow in a whole one."""
    for width, themes in LOOKS.items():
        page.set_viewport_size({"width": width, "height": 900})
        for theme in themes:
            page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
            page.evaluate(SETTLED)
            yield f"{theme} at {width} px"


def scan(page: Page, name: str) -> list[str]:
    return [f"{name}, {look}: {problem}" for look in every_look(page) for problem in violations(page)]


def overflows(page: Page, name: str) -> list[str]:
    """A page that scrolls sideways on a phone is broken, whatever its colours."""
    page.set_viewport_size({"width": 360, "height": 800})
    wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return [f"{name} scrolls sideways at 360 px"] if wide else []


def test_staff_pages_are_accessible(platform: Platform, page: Page) -> None:
    demo.create_demo()
    measure_missing(collection=Collection.objects.get(slug="demo-acr"))
    page.goto(platform.url("/accounts/login/"))
    problems = scan(page, "sign-in")
    sign_in(page, platform)
    for path in STAFF_PAGES:
        page.goto(platform.url(path))
        problems += scan(page, path) + overflows(page, path)
    page.goto(platform.url("/experiments/demo-acr/people/"))
    page.get_by_role("button", name="Create links").click()
    page.locator(".copyline").first.wait_for()
    problems += scan(page, "new links") + overflows(page, "new links")
    assert problems == []


def laid_out(experiment: Experiment) -> Experiment:
    """Two panels, and one seat of each taken."""
    wanted = DesignRequest(panels=2, seats=2, size=4, sessions=2, factors=("session",))
    adopt_draft(experiment=experiment, draft=draft_design(experiment=experiment, wanted=wanted), actor=experiment.owner)
    live = go_live(experiment=Experiment.objects.get(pk=experiment.pk), actor=experiment.owner)
    for panel in live.panels.all():
        consent_to(panel.seats.earliest("number"))
    return live


def opened(page: Page) -> None:
    """What is folded away is part of the page too."""
    page.evaluate("document.querySelectorAll('main details:not(.menu)').forEach((details) => { details.open = true; })")


def test_pages_of_a_designed_experiment_are_accessible(platform: Platform, page: Page) -> None:
    draft = make_panel_experiment(title="A rather long title, as people give them")
    live = laid_out(make_panel_experiment(draft.owner))
    let_in(page.context, platform.address, draft.owner)
    tried = "?preset=udase-exact&panels=2&seats=2&size=4&sessions=2&seed=0&factors=session"
    problems = []
    for path in (
        f"/experiments/{draft.slug}/",
        f"/experiments/{draft.slug}/design/{tried}",
        f"/experiments/{draft.slug}/people/",
        f"/experiments/{draft.slug}/monitor/",
        f"/experiments/{live.slug}/",
        f"/experiments/{live.slug}/design/",
        f"/experiments/{live.slug}/people/",
        f"/experiments/{live.slug}/people/links/",
        f"/experiments/{live.slug}/people/mail/",
        f"/experiments/{live.slug}/people/mail/reminder/",
        f"/experiments/{live.slug}/monitor/",
        f"/experiments/{live.slug}/results/",
        "/monitor/",
    ):
        page.goto(platform.url(path))
        opened(page)
        problems += scan(page, path) + overflows(page, path)
    assert problems == []


def test_participant_pages_are_accessible(platform: Platform, device: Callable[..., BrowserContext]) -> None:
    demo.create_demo()
    link = next(iter(demo.fresh_links(now=timezone.now()).values()))
    page = device().new_page()
    listener = PointerListener(page)
    page.goto(link)
    problems = scan(page, "consent") + overflows(page, "consent")
    listener.join(link)
    listener.set_up()
    problems += scan(page, "instructions")
    listener.push("#start:enabled")
    listener.play()
    page.wait_for_selector("#gate:not([disabled])")
    listener.choose(3)
    problems += scan(page, "trial") + overflows(page, "trial")
    assert problems == []


def test_what_a_returning_listener_meets_is_accessible(
    platform: Platform, device: Callable[..., BrowserContext]
) -> None:
    live = laid_out(make_panel_experiment())
    rehearsal = panels.rehearse(experiment=live, count=1, now=timezone.now(), actor=live.owner)[0]
    page = device().new_page()
    problems = []
    for name, link in {"rehearsal": panels.link(rehearsal), "back again": platform.url(sit_down(live).link)}.items():
        page.goto(link)
        problems += scan(page, name) + overflows(page, name)
    assert problems == []


def test_the_scan_finds_what_is_wrong(platform: Platform, page: Page) -> None:
    page.goto(platform.url("/"))
    assert violations(page) == []
    page.evaluate("document.body.append(document.createElement('img'))")
    assert any(problem.startswith("image-alt") for problem in violations(page))
