"""Pages for screenshots: those of the demo, each in a tab of its own, and every page of the staff."""

import json
import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from tests.e2e.listener import PointerListener

SETTLE_MS = 2000  # until the finest pictures have come
PANELS_DEMO = "demo-p835"
WORKED_ON = ("demo-plane", "demo-thumbs", "demo-speech-summaries", "demo-chaptering")
PRACTICE = 12  # pages before its first break
ON_THEIR_WAY = (264, 90, 31)  # pages that others have answered, for the monitor
# Crosses as a person might have put them by now: seven of eight, three of them close together.
PLACED = ((0.2, 0.3), (0.6, 0.8), (0.64, 0.8), (0.6, 0.76), (0.4, 0.1), (0.9, 0.5), (0.1, 0.9))
PLANE_MARGIN_PX = 22, 46  # before the origin and beyond the maximum: protocols/tcsd_plane/view/geometry.ts
MARKED = (0.135, 0.405, 0.595, 0.84)  # chapters, as shares of the recording
TITLES = ("Arrival", "The first floor", "Drilling", "Noon", "Clearing up")


def demo_pages(browser: Any, address: str, words: str) -> dict[str, Any]:
    """Every page by its name; `words` is what demo_link said."""
    logins = dict(re.findall(r"Sign in +(\S+) / (\S+)", words))
    links = {title: link for link, title in re.findall(r"Take part +(\S+) +\((.*)\)", words)}
    staff = browser.new_context()
    _sign_in(staff.new_page(), address, "demo-admin", logins["demo-admin"])
    return {
        **_panel_pages(browser, staff, address),
        **_staff_pages(staff, address),
        **_sound_pages(staff, address),
        **_participant_pages(browser.new_context(), next(iter(links.values()))),
        **_workspaces(browser, links),
    }


def staff_pages(browser: Any, address: str, world: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every page of experimenters and admins by its name; `world` is what tests.e2e.staff_pages has made."""
    tabs = {who: browser.new_context().new_page() for who in ("admin", "newcomer", "nobody")}
    for who, session in world["sessions"].items():
        tabs[who].context.add_cookies([{"name": "earmark", "value": session, "url": address}])
    for each in world["pages"]:
        page = tabs[each["who"]]
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(address + each["path"])
        yield "staff-" + re.sub(r"\W+", "-", each["name"]), page


def _sign_in(page: Any, address: str, name: str, password: str) -> None:
    page.goto(f"{address}/accounts/login/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/experiments/")


def _opened(context: Any, address: str, paths: dict[str, str]) -> dict[str, Any]:
    """Each address in a tab of its own."""
    pages = {name: context.new_page() for name in paths}
    for name, path in paths.items():
        pages[name].goto(address + path)
    return pages


def _staff_pages(context: Any, address: str) -> dict[str, Any]:
    paths = {
        "experiments": "/experiments/",
        "new-experiment": "/new-experiment/",
        "experiment": "/experiments/demo-acr/",
        "people": "/experiments/demo-acr/people/",
        "results": "/experiments/demo-acr/results/?simulated=1",
        "collection": "/collections/demo-acr/",
        "account": "/account/",
        "service": "/service/",
        "not-found": "/experiments/none/",
        **{f"{slug.removeprefix('demo-')}-results": f"/experiments/{slug}/results/?simulated=1" for slug in WORKED_ON},
    }
    pages = _opened(context, address, paths)
    pages["results"].locator("[data-result-table] tbody tr:nth-child(3)").wait_for()
    pages["results"].locator("svg.ci-plot").wait_for()
    return pages


def _sound_pages(context: Any, address: str) -> dict[str, Any]:
    """What fills a collection, and a long recording as a whole and close by."""
    paths = {
        "collections": "/collections/",
        "new-collection": "/new-collection/",
        "import": "/collections/soundscapes/import/",
        "level-copy": "/collections/demo-acr/normalise/",
        "levelled": "/collections/levelled/",
        "before-and-after": "/collections/levelled/",
        "sound": "/collections/soundscapes/",
        "sound-close": "/collections/soundscapes/",
    }
    pages = _opened(context, address, paths)
    pages["before-and-after"].get_by_role("link", name="Before and after").click()
    pages["before-and-after"].get_by_text("Every cell").click()
    for name, steps in (("sound", 0), ("sound-close", 8)):
        page = pages[name]
        page.locator("[data-matrix] a[href$='/sound/']").click()
        page.locator(".viewer[data-ready]").wait_for()
        page.locator(".viewer__spectrum").click()
        for _ in range(steps):
            page.keyboard.press("+")
        page.wait_for_timeout(SETTLE_MS)
    return pages


def _participant_pages(context: Any, link: str) -> dict[str, Any]:
    """The consent page before it is agreed to, and a trial with an answer."""
    consent, trial = context.new_page(), context.new_page()
    consent.goto(link)
    _answer_one(trial, link)
    return {"consent": consent, "trial": trial}


def _workspaces(browser: Any, links: dict[str, str]) -> dict[str, Any]:
    """The pages that are worked on, each with some work done."""
    plane = _begun(browser, links["A day in a minute: the TC/SD plane"])
    plane.get_by_role("button", name="Start rating").click()
    plane.locator("[data-step=place]").click()
    surface = plane.locator(".board:not(.board--shown) .board__plane")
    surface.wait_for()
    plane.locator("button", has_text=re.compile("^08$")).click()
    before, after = PLANE_MARGIN_PX
    side = surface.evaluate("plane => plane.clientWidth") - before - after
    for number, (tc, sd) in enumerate(PLACED, start=1):
        plane.locator(f".board__token[data-token=s{number}]").click()
        surface.click(position={"x": before + tc * side, "y": after + (1 - sd) * side})

    captions = _begun(browser, links["How good is the caption?"])
    captions.get_by_role("button", name="Next").click()
    scored = captions.locator("[data-slot=c1]")
    for scale, value in {"PRECISION": "4", "RECALL": "2.5"}.items():
        scored.locator(f"[data-scale={scale}] label:has(input[value='{value}'])").click()
    scored.get_by_role("button", name="No penalties").click()

    words = _begun(browser, links["The news in fewer words"])
    for number in (2, 3, 6, 8, 9):
        words.locator("[data-part=words] button").nth(number - 1).click()

    chapters = _begun(browser, links["Where does a new chapter begin?"])
    chapters.locator(".viewer[data-ready]").wait_for()
    picture = chapters.locator(".viewer__spectrum")
    for share in MARKED:
        picture.click(position={"x": share * picture.evaluate("it => it.clientWidth"), "y": 20})
        chapters.keyboard.press("c")
    for field, title in zip(chapters.locator(".chapters input[placeholder]").all(), TITLES, strict=False):
        field.fill(title)
    pages = {"crosses": plane, "captions": captions, "words": words, "chapters": chapters}
    for page in pages.values():
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(SETTLE_MS)
    return pages


def _begun(browser: Any, link: str) -> Any:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    listener = PointerListener(page)
    listener.join(link)
    listener.start()
    return page


def _panel_pages(browser: Any, staff: Any, address: str) -> dict[str, Any]:
    """A designed experiment: its pages, a trial, and a break after practice, with others on their way."""
    rested, tried, *others = _new_links(staff.new_page(), address)
    for link, count in zip(others, ON_THEIR_WAY, strict=False):
        _seated(browser, link, answered=count)
    trial, pause = browser.new_context().new_page(), _seated(browser, rested, answered=PRACTICE)
    _answer_one(trial, tried)
    pause.reload()
    PointerListener(pause).start()
    pause.locator("#rest").wait_for()
    names = ("design", "people", "monitor")
    pages = _opened(staff, address, {f"p835-{name}": f"/experiments/{PANELS_DEMO}/{name}/" for name in names})
    return pages | {"p835-trial": trial, "p835-break": pause}


def _new_links(page: Any, address: str) -> list[str]:
    page.goto(f"{address}/experiments/{PANELS_DEMO}/people/")
    page.get_by_role("button", name="Create links").first.click()
    page.locator(".copyline").first.wait_for()
    links: list[str] = page.locator(".copyline code").all_inner_texts()
    page.close()
    return links


def _answer_one(page: Any, link: str) -> None:
    """Take part up to the first answer, which is chosen and not yet sent."""
    listener = PointerListener(page)
    listener.join(link)
    listener.start()
    listener.play()
    page.locator("#gate:not([disabled])").wait_for()
    listener.choose(4)


def _seated(browser: Any, link: str, *, answered: int) -> Any:
    """A person who has answered so many pages already: through the API, for hearing them all would take an hour."""
    context = browser.new_context()
    page = context.new_page()
    PointerListener(page).join(link)
    visit = json.loads(page.locator("#visit").text_content())
    api, headers = page.url.split("/visits/")[0] + visit["api"], {"X-CSRFToken": visit["csrf"], "Referer": page.url}
    while answered > 0:
        trials = context.request.get(f"{api}upcoming/").json()["trials"][:answered]
        if not trials:
            raise RuntimeError(f"{link} has {answered} pages fewer than the pictures need.")
        for sound in (sound for trial in trials for sound in trial["media"].values()):
            context.request.get(page.url.split("/visits/")[0] + sound["url"])
        events = [_event(trial) for trial in trials]
        context.request.post(f"{api}votes/", data={"client": "screenshots", "events": events}, headers=headers)
        answered -= len(trials)
    return page


def _event(trial: dict[str, Any]) -> dict[str, Any]:
    marks = [{"slot": "a", "scale": scale, "value": 2 + trial["position"] % 3} for scale in trial["page"]["ask"]]
    return {
        "event_id": str(uuid4()),
        "trial": trial["trial"],
        "revision": trial["revision"],
        "payload": {"marks": marks},
        "heard": {"plays": 1, "heard_ms": 1000, "heard_full": True},
        "clock": {"counter": trial["position"]},
    }
