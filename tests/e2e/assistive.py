"""Looks at a page as assistive technology gets it: names and states, focus order, zoom, no motion, forced colours."""

from collections.abc import Iterator
from contextlib import suppress

from django.utils import timezone
from playwright.sync_api import Page, TimeoutError, expect

from listening.panels.services import panels
from listening.panels.services.session_settings import change_session_settings
from rating.models import Experiment
from rating.services.experiments import go_live
from tests.scale import ALL

MOST_STOPS = 80
SETTLING_MS = 10_000
# A screen of 1440 by 900 at 200 %, and the width that WCAG 1.4.10 asks of pages that are read.
ZOOMED = ({"width": 720, "height": 450}, {"width": 320, "height": 640})
# What is too wide is cut off, and what is low is covered: in a short run each is looked for in the size that is harder.
NARROW, LOW = (ZOOMED, ZOOMED) if ALL else (ZOOMED[1:], ZOOMED[:1])
WHOLE = {"width": 1440, "height": 900}
# What takes no time still begins and ends with a frame, so the number is waited for.
MOVES = """count => document.getAnimations().filter(({ playState }) => playState === "running").length
  + (getComputedStyle(document.documentElement).scrollBehavior === "smooth" ? 1 : 0) === count"""
# What reaches over the edge of a page that scrolls sideways.
CUT_OFF = """() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const isOver = (element) => element.getBoundingClientRect().right > clientWidth + 1;
  const all = scrollWidth > clientWidth ? [...document.querySelectorAll("body *")] : [];
  return all.filter(isOver).map(({ outerHTML }) => outerHTML.slice(0, 90));
}"""
# Whether anything of what has the focus can be seen: not covered by a bar, and not outside of the window (WCAG 2.4.11).
IN_SIGHT = """() => {
  const active = document.activeElement;
  if (!active.closest("main")) return null;
  const isLine = getComputedStyle(active).pointerEvents === "none"; // of which only the flag can be hit
  const shown = active.matches(".fills-label") ? active.parentElement : isLine ? active.firstElementChild : active;
  const { left, top, width, height } = shown.getBoundingClientRect();
  const hits = [0.1, 0.5, 0.9].map((share) => document.elementFromPoint(left + width / 2, top + height * share));
  return hits.some((hit) => hit && (shown.contains(hit) || hit.contains(shown)));
}"""
STYLE = "(element, property) => getComputedStyle(element)[property]"


# Whether a sound has begun since the last look. A dialog tells with the next frame that it was closed; until then the
# focus is on what opened it.
LISTEN = """async () => {
  await new Promise(requestAnimationFrame);
  globalThis.begun = 0;
  const { start } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function (...rest) {
    globalThis.begun += 1;
    return start.apply(this, rest);
  };
}"""


def space_plays(page: Page) -> None:
    """A dialog was closed: Space plays, and does not press what opened the dialog."""
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.evaluate(LISTEN)
    page.keyboard.press("Space")
    page.wait_for_function("() => begun > 0")
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.keyboard.press("Escape")


def shows(page: Page, tree: str) -> None:
    """The tree has these parts in this order, nothing moves, and nothing is cut off when it is enlarged."""
    expect(page.locator("main")).to_match_aria_snapshot(tree)
    page.wait_for_function(MOVES, arg=0)
    for size in NARROW:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert cut_off(page) == [], size
    page.set_viewport_size(WHOLE)  # type: ignore[arg-type]


def cut_off(page: Page) -> list[str]:
    """What stays beyond the edge; pictures get their new width a frame after the window."""
    with suppress(TimeoutError):
        page.wait_for_function(f"() => ({CUT_OFF})().length === 0", timeout=SETTLING_MS)
    found: list[str] = page.evaluate(CUT_OFF)
    return found


def tabbed(page: Page) -> Iterator[None]:
    """Tab through the content once, when its sound is shown and its answers are saved; each stop can be seen."""
    expect(page.locator(".viewer:not([data-ready]), #save-state:not([data-state=saved]):visible")).to_have_count(0)
    page.locator(".skip-link").focus()
    page.keyboard.press("Enter")
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        seen = page.evaluate(IN_SIGHT)
        if seen is None:
            return
        assert seen, page.locator(":focus").aria_snapshot()
        yield
    raise AssertionError("Tab comes to no end")


def stops(page: Page) -> list[str]:
    """Roles and names of what Tab comes to, one after the other."""
    trees = (page.locator(":focus").aria_snapshot() for _ in tabbed(page))
    return [tree.splitlines()[0].removeprefix("- ").removesuffix(":") for tree in trees]


def in_order(page: Page, *names: str) -> None:
    assert stops(page) == list(names)
    for size in LOW:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert len(list(tabbed(page))) == len(names), size
    page.set_viewport_size(WHOLE)  # type: ignore[arg-type]


def stands_out(page: Page, chosen: str, other: str, by: str = "backgroundColor") -> None:
    """What is chosen has another ground than what is not, also where the system's colours replace all others."""
    page.emulate_media(forced_colors="active")
    one, two = (page.locator(selector).first.evaluate(STYLE, by) for selector in (chosen, other))
    assert one != two, (chosen, other, one)
    page.emulate_media(forced_colors="none")


def opened(experiment: Experiment, group: str = "", **settings: bool | str) -> str:
    """A personal link to an experiment that goes live with these parts of the sound check or without them."""
    change_session_settings(experiment=experiment, actor=experiment.owner, **settings)
    live = go_live(experiment=experiment, actor=experiment.owner)
    invited = panels.invite(panel=live.panels.get(group=group), count=1, now=timezone.now(), actor=None)
    return panels.link(invited[0])
