"""`./earmark screenshots`: pictures of the demo for the README, or of every page in every theme and width.

It needs the development requirements and Chromium, and works on a temporary database of its own.
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from scripts.console import ROOT, say
from scripts.install import PYTHON
from scripts.platform import running
from scripts.provision import CHROMIUM_FLAGS, chromium_program
from tests.e2e.listener import PointerListener
from tests.servers import free_port

WIDTHS = {"desktop": (1440, 900), "phone": (390, 844)}
THEMES = ("light", "dark", "dim")
SETTLE_MS = 2000  # until the finest pictures have come
PANELS_DEMO = "demo-p835"
PRACTICE = 144  # pages before its first break
ON_THEIR_WAY = (264, 90, 31)  # pages that others have answered, for the monitor
# What the README shows: page, width, theme.
SHOWN = {
    ("trial", "desktop", "light"),
    ("results", "desktop", "light"),
    ("sound-close", "desktop", "dark"),
    ("trial", "phone", "dim"),
}


def screenshots(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./earmark screenshots", description="Take pictures of the demo.")
    parser.add_argument("--all", metavar="FOLDER", type=Path, help="every page, width and theme, into this folder")
    options = parser.parse_args(arguments)
    folder: Path = options.all or ROOT / "docs" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    everything = options.all is not None
    with tempfile.TemporaryDirectory() as data, _demo(Path(data)) as (address, words):
        for name in _pictures(address, words, folder, everything=everything):
            say(f"{folder / name}")
    return 0


@contextlib.contextmanager
def _demo(data: Path) -> Iterator[tuple[str, str]]:
    """A demo with simulated listeners and an hour of sound; yields its address and what demo_link says."""
    from bench.material import hour_of_mp3

    port = free_port()
    environment = {**os.environ, "EARMARK_DATA_DIR": str(data), "EARMARK_PUBLIC_URL": f"http://127.0.0.1:{port}"}

    def manage(*command: str) -> str:
        done = subprocess.run(
            [PYTHON, "manage.py", *command], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout

    manage("migrate")
    manage("collectstatic", "--no-input")
    manage("create_demo")
    manage("simulate_responses", "--experiment", "demo-acr", "--listeners", "12", "--seed", "1")
    manage("normalise_stimuli", "demo-acr", "--lufs", "-30", "--out", "Levelled")
    incoming = data / "incoming"
    incoming.mkdir()
    hour_of_mp3(incoming / "reserve-2024-05-01.mp3")
    manage("import_stimuli", str(incoming), "--collection", "Soundscapes", "--wait")
    with running(port=port, environment=environment) as address:
        yield address, manage("demo_link")


def _pictures(address: str, words: str, folder: Path, *, everything: bool) -> Iterator[str]:
    from playwright.sync_api import sync_playwright

    logins = dict(re.findall(r"Sign in +(\S+) / (\S+)", words))
    link = re.search(r"Take part +(\S+)", words)
    if link is None:
        raise RuntimeError("the demo has no participant link")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium_program()), args=CHROMIUM_FLAGS)
        desk, seat = browser.new_context(), browser.new_context()
        _sign_in(desk.new_page(), address, "demo-admin", logins["demo-admin"])
        pages = _panel_pages(browser, desk, address)
        pages |= _staff_pages(desk, address) | _sound_pages(desk, address) | _participant_pages(seat, link[1])
        for name, page in pages.items():
            for width, theme in [(width, theme) for width in WIDTHS for theme in THEMES]:
                if everything or (name, width, theme) in SHOWN:
                    yield _picture(page, folder, name, width, theme)
        browser.close()


def _picture(page: Any, folder: Path, name: str, width: str, theme: str) -> str:
    page.set_viewport_size({"width": WIDTHS[width][0], "height": WIDTHS[width][1]})
    page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
    page.wait_for_timeout(150)
    file = f"{name}-{width}-{theme}.png"
    page.screenshot(path=folder / file)
    return file


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
        "level-copy": "/collections/demo-acr/level/",
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


def _panel_pages(browser: Any, desk: Any, address: str) -> dict[str, Any]:
    """A designed experiment: its pages, a trial, and a break after practice, with others on their way."""
    rested, tried, *others = _new_links(desk.new_page(), address)
    for link, count in zip(others, ON_THEIR_WAY, strict=False):
        _seated(browser, link, answered=count)
    trial, pause = browser.new_context().new_page(), _seated(browser, rested, answered=PRACTICE)
    _answer_one(trial, tried)
    pause.reload()
    PointerListener(pause).start()
    pause.locator("#rest").wait_for()
    names = ("design", "people", "monitor")
    staff = _opened(desk, address, {f"p835-{name}": f"/experiments/{PANELS_DEMO}/{name}/" for name in names})
    return staff | {"p835-trial": trial, "p835-break": pause}


def _new_links(page: Any, address: str) -> list[str]:
    page.goto(f"{address}/experiments/{PANELS_DEMO}/people/")
    page.get_by_role("button", name="Make links").first.click()
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
    """Somebody who has answered so many pages already: through the API, for hearing them all would take an hour."""
    context = browser.new_context()
    page = context.new_page()
    PointerListener(page).join(link)
    visit = json.loads(page.locator("#visit").text_content())
    api, headers = page.url.split("/visits/")[0] + visit["api"], {"X-CSRFToken": visit["csrf"], "Referer": page.url}
    while answered > 0:
        trials = context.request.get(f"{api}upcoming/").json()["trials"][:answered]
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


if __name__ == "__main__":
    sys.exit(screenshots(sys.argv[1:]))
