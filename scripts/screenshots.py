"""`./earmark screenshots`: pictures of the demo for the README, or of every page in every theme and width.

It needs the development requirements and Chromium, and works on a temporary database of its own.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain, product
from pathlib import Path
from typing import Any

from scripts.console import ROOT, say
from scripts.install import PYTHON
from scripts.provision import CHROMIUM_FLAGS, chromium_program
from scripts.screenshot_pages import WORKED_ON, demo_pages, staff_pages
from scripts.testserver import running
from tests.servers import free_port

WIDTHS = {"desktop": (1440, 900), "phone": (390, 844)}
THEMES = ("light", "dark", "dim")
WORLD = "from tests.e2e.staff_pages import world_as_json; print(world_as_json())"
# What the README shows: page, width, theme.
SHOWN = {
    ("trial", "desktop", "light"),
    ("crosses", "desktop", "light"),
    ("chapters", "desktop", "dark"),
    ("captions", "desktop", "light"),
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
    with tempfile.TemporaryDirectory() as data, _demo(Path(data), staff=everything) as (address, words, world):
        for name in _pictures(address, words, folder, world):
            say(f"{folder / name}")
    return 0


@contextlib.contextmanager
def _demo(data: Path, *, staff: bool) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """A demo with simulated listeners and an hour of sound; yields its address and what demo_link says.

    With `staff` also the world in which every page of the staff has something to show.
    """
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
    for experiment, listeners in {"demo-acr": 12, **dict.fromkeys(WORKED_ON, 6)}.items():
        manage("simulate_responses", "--experiment", experiment, "--listeners", str(listeners), "--seed", "1")
    manage("normalise_stimuli", "demo-acr", "--lufs", "-30", "--out", "Levelled")
    incoming = data / "incoming"
    incoming.mkdir()
    hour_of_mp3(incoming / "reserve-2024-05-01.mp3")
    manage("import_stimuli", str(incoming), "--collection", "Soundscapes")
    manage("ingest_recordings")
    with running(port=port, environment=environment) as address:
        world = json.loads(manage("shell", "-c", WORLD).splitlines()[-1]) if staff else {}
        yield address, manage("demo_link"), world


def _pictures(address: str, words: str, folder: Path, world: dict[str, Any]) -> Iterator[str]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium_program()), args=CHROMIUM_FLAGS)
        pages = demo_pages(browser, address, words).items()
        for name, page in chain(pages, staff_pages(browser, address, world)) if world else pages:
            for width, theme in product(WIDTHS, THEMES):
                if world or (name, width, theme) in SHOWN:
                    yield _picture(page, folder, name, width, theme)
        browser.close()


def _picture(page: Any, folder: Path, name: str, width: str, theme: str) -> str:
    page.set_viewport_size({"width": WIDTHS[width][0], "height": WIDTHS[width][1]})
    page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
    page.wait_for_timeout(150)
    file = f"{name}-{width}-{theme}.png"
    page.screenshot(path=folder / file)
    return file


if __name__ == "__main__":
    sys.exit(screenshots(sys.argv[1:]))
