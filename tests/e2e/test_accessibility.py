"""Accessibility scan of every page (axe: WCAG 2.0 to 2.2, A and AA), wide and narrow; --all: in every theme."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page

from listening.panels.services import demo, panels
from rating.models import Experiment
from tests.e2e.conftest import Platform
from tests.e2e.listener import PointerListener
from tests.e2e.staff_pages import ADMIN, NO_PAGES, create_world, laid_out, listed_pages
from tests.factories import PASSWORD, make_panel_experiment, sit_down
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
# Of a long list the first entries stand for the others, which are alike.
FIRST_OF_MANY = """most => document.querySelectorAll("main *").forEach(({ children }) => {
  const seen = {};
  for (const child of [...children]) {
    const kind = `${child.tagName} ${child.className}`;
    seen[kind] = (seen[kind] ?? 0) + 1;
    if (seen[kind] > most) child.remove();
  }
})"""
MOST_ALIKE = 20
Looks = dict[int, tuple[str, ...]]  # themes by width
THEMES = ("light", "dark", "dim")
LOOKS: Looks = {1440: THEMES, 390: THEMES} if ALL else {1440: ("light",), 390: ("dark",)}
ONE_LOOK: Looks = LOOKS if ALL else {1440: ("light",)}  # of pages that share their parts with many others


def violations(page: Page) -> list[str]:
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE.read_text())
    found = page.evaluate(FIND_VIOLATIONS, RULES)
    return [f"{rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]]


def every_look(page: Page, looks: Looks) -> Iterator[str]:
    """In a short run the two that differ most; each theme has been looked at wide and narrow in a whole one."""
    for width, themes in looks.items():
        page.set_viewport_size({"width": width, "height": 900})
        for theme in themes:
            page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
            page.evaluate(SETTLED)
            yield f"{theme} at {width} px"


def scan(page: Page, name: str, looks: Looks = LOOKS) -> list[str]:
    return [f"{name}, {look}: {problem}" for look in every_look(page, looks) for problem in violations(page)]


def overflows(page: Page, name: str) -> list[str]:
    """A page that scrolls sideways on a phone is broken, whatever its colours."""
    page.set_viewport_size({"width": 360, "height": 800})
    page.evaluate(SETTLED)  # a plot takes its new width just before the next frame
    wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return [f"{name} scrolls sideways at 360 px"] if wide else []


def opened(page: Page) -> None:
    """What is folded away is part of the page too."""
    page.evaluate("document.querySelectorAll('main details:not(.menu)').forEach((details) => { details.open = true; })")


def test_every_page_of_the_staff_is_accessible(platform: Platform, device: Callable[..., BrowserContext]) -> None:
    """All that the table of routes has, each with something on it; `staff_pages.NO_PAGES` says what is no page."""
    world = create_world()
    assert sorted(listed_pages() ^ ({each.route for each in world.pages} | set(NO_PAGES))) == []
    tabs = {who: device().new_page() for who in ("admin", "newcomer", "nobody")}
    for who, session in world.sessions.items():
        tabs[who].context.add_cookies([{"name": "earmark", "value": session, "url": platform.address}])
    problems = []
    for each in world.pages:
        page = tabs[each.who]
        answer = page.goto(platform.url(each.path))
        assert answer
        if page.url != platform.url(each.path):
            problems.append(f"{each.name} leads to {page.url}")
        if answer.status != each.status:
            problems.append(f"{each.name} is answered with {answer.status}")
        opened(page)
        if not ALL:
            page.evaluate(FIRST_OF_MANY, MOST_ALIKE)
        problems += scan(page, each.name, ONE_LOOK) + overflows(page, each.name)
    page = tabs["nobody"]
    page.goto(platform.url("/accounts/login/"))
    page.get_by_label("Name").fill(ADMIN)
    page.get_by_label("Password").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.get_by_label("Code").wait_for()
    problems += scan(page, "mfa_authenticate", ONE_LOOK) + overflows(page, "mfa_authenticate")
    assert problems == []


def test_participant_pages_are_accessible(short_demo: Experiment, device: Callable[..., BrowserContext]) -> None:
    link = demo.fresh_links(now=timezone.now())[short_demo.title]
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
