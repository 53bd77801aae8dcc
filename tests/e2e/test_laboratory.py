"""A laboratory's whole way in a browser, without any command: from files of which one is bad to the dataset."""

import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import BrowserContext, Download, Page, expect

from listening.models import Seat
from listening.panels.services.simulation import Answers, Bot
from rating.models import Ballot
from stimuli.models import Stimulus
from tests.contracts.tree import ROOT
from tests.e2e.conftest import FIRST_JOB_MS, Platform
from tests.e2e.listener import PointerListener
from tests.e2e.test_workbench import imported_without_the_bad_file
from tests.factories import marks, tone
from tests.people import PASSWORD, experimenter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CONDITIONS, ITEMS = ("clean", "coded"), ("bell", "door", "rain", "street", "train")
TYPO, TITLE = "How claen is it?", "How clean is it?"
SLUG = "how-claen-is-it"
GUIDE = ROOT / "docs/guides/last-vote-to-paper.md"
AMENDED, EXTENDED, EXCLUDED = "the title had a typo", "the first listeners disagreed", "said to have had a cold"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten clips of different pitch and level, of which the last is no sound."""
    for row, condition in enumerate(CONDITIONS):
        (tmp_path / "clips" / condition).mkdir(parents=True)
        for column, item in enumerate(ITEMS):
            content = tone(300 + 100 * row + 30 * column, duration_s=1.0)
            (tmp_path / "clips" / condition / f"{item}.wav").write_bytes(content)
    (tmp_path / "clips/coded/train.wav").write_bytes(b"RIFF....WAVE")
    return tmp_path / "clips"


def press(page: Page, name: str) -> None:
    """Press the first link, button or disclosure of the page whose words begin with this name."""
    named = re.compile(rf"^\s*{re.escape(name)}(\W|$)")
    page.locator("main :is(a, button, summary):visible").filter(has_text=named).first.click()


def downloaded(page: Page, name: str) -> Download:
    with page.expect_download() as download:
        press(page, name)
    return download.value


def sign_in(page: Page, platform: Platform) -> None:
    page.goto(platform.url("/accounts/login/"))
    page.get_by_label("Name").fill(experimenter().username)
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Sign in")
    page.wait_for_url("**/experiments/")


def upload_and_normalise(page: Page, folder: Path) -> None:
    page.get_by_role("navigation").get_by_role("link", name="Collections").click()
    press(page, "New collection")
    page.get_by_label("Title").fill("Street sounds")
    page.get_by_label("Short name").fill("street")
    press(page, "Create and upload")
    assert imported_without_the_bad_file(page, folder) == []
    page.get_by_role("link", name="Street sounds").first.click()
    press(page, "Normalise loudness")
    page.get_by_label("Loudness in LUFS").fill("-30")
    press(page, "Create the copy")
    press(page, "Open")
    expect(page.get_by_text("Copied from Street sounds")).to_be_visible()


def create_and_design(page: Page) -> None:
    press(page, "Create an experiment")
    page.get_by_label("Title", exact=True).fill(TYPO)
    press(page, "Create experiment")
    press(page, "Design")
    page.get_by_text("1 are missing: train x coded").get_by_role("link", name="Street sounds").click()
    press(page, "Exclude train")
    press(page, "Exclude the item")
    page.goto(page.url.partition("/collections/")[0] + f"/experiments/{SLUG}/")
    press(page, "Choose the design yourself")
    for label, value in {"Panels": "2", "Listeners per panel": "2", "Items per panel": "2"}.items():
        page.get_by_label(label, exact=True).fill(value)
    press(page, "Preview design")
    press(page, "Apply this design")
    expect(page.get_by_role("heading", name="Current design", exact=True)).to_be_visible(timeout=FIRST_JOB_MS)


def rehearse(page: Page) -> None:
    press(page, "People")
    press(page, "Rehearse")
    with page.expect_popup() as popup:
        press(page, "Open the link")
    rehearsal = popup.value
    expect(rehearsal.get_by_text(TYPO).first).to_be_visible()
    press(rehearsal, "Agree and begin")
    expect(rehearsal.get_by_text("Rehearsal").first).to_be_visible()
    rehearsal.close()


def go_live(page: Page) -> str:
    """Go live, and return the one link for all listeners."""
    press(page, "Go live")
    page.locator("main").get_by_role("button", name="Go live").click()
    press(page, "Create a link")
    return page.locator(".copyline code").inner_text()


def amend_the_title(page: Page) -> None:
    press(page, "Settings")
    page.get_by_label("Title", exact=True).fill(TITLE)
    page.get_by_label("Reason").fill(AMENDED)
    press(page, "Amend")
    expect(page.get_by_role("heading", name=TITLE, level=1)).to_be_visible()


def extend(page: Page) -> None:
    """One seat more in each panel."""
    press(page, "People")
    press(page, "Add listeners")
    press(page, "Preview")
    expect(page.get_by_role("heading", name="From 4 to 6 listeners")).to_be_visible()
    page.get_by_label("Reason").fill(EXTENDED)
    press(page, "Add 2 listeners")
    expect(page.get_by_text(EXTENDED)).to_be_visible(timeout=FIRST_JOB_MS)


def listen(link: str, *, listeners: int) -> None:
    """Let listeners answer at random through the API, which a browser would use too; a browser each takes long."""
    for number in range(listeners):
        with Bot(link=link, answers=at_random(Random(number)), rng=Random(number)) as bot:
            bot.play()


def at_random(rng: Random) -> Answers:
    return lambda _page: marks(rng.choice([2, 3, 4, 5]))


# --- The guide: what each step's bold words do ------------------------------------------------------------------------


def steps_of(guide: str) -> list[tuple[str, ...]]:
    """The bold words of every numbered step."""
    steps = re.findall(r"^\d+\. (.+)$", guide, re.MULTILINE)
    return [tuple(re.findall(r"\*\*(.+?)\*\*", step)) for step in steps]


def look_who_is_incomplete(page: Page, monitor: str) -> None:
    press(page, monitor)
    expect(page.locator("table [data-state=finished]")).to_have_count(4)
    expect(page.locator("table [data-state=running], table [data-state=paused]")).to_have_count(1)


def release_the_drop_out(page: Page, people: str, release: str) -> None:
    press(page, people)
    press(page, release)
    page.get_by_label("Reason").fill("never came back")
    page.get_by_role("button", name=release).click()
    expect(page.get_by_text("is open again")).to_be_visible()


def read_the_rules(page: Page, results: str, exclusions: str) -> None:
    press(page, results)
    expect(page.get_by_text("Up to date with")).to_be_visible(timeout=FIRST_JOB_MS)
    press(page, exclusions)
    expect(page.get_by_role("heading", name="Check with rules")).to_be_visible()


def exclude_one(page: Page, exclude: str) -> None:
    page.get_by_label("Listener", exact=True).select_option(index=0)
    page.get_by_label("Reason").fill(EXCLUDED)
    page.locator("#exclude").get_by_role("button", name=exclude).click()
    expect(page.locator("#ledger")).to_contain_text(EXCLUDED)


def close_for_good(page: Page, close: str, for_good: str) -> None:
    press(page, close)
    press(page, for_good)
    expect(page.get_by_text("Closed", exact=True)).to_be_visible()


def unblind(page: Page, results: str, unblind: str) -> None:
    press(page, results)
    page.get_by_label("Reason").fill("everybody has listened")
    press(page, unblind)
    expect(page.locator("[data-result-table]")).to_contain_text("coded", timeout=FIRST_JOB_MS)


def read_the_model(page: Page, model: str) -> None:
    press(page, model)
    expect(page.get_by_role("link", name=model, exact=True)).to_have_attribute("aria-current", "true")


def choose_reference_and_margin(page: Page, show: str) -> None:
    page.get_by_label("Compared with").select_option("clean")
    page.get_by_label("Margin of equivalence").fill("0.5")
    press(page, show)
    page.wait_for_url("**margin=0.5**")
    assert "against=clean" in page.url


def take_figure_table_and_text(page: Page, figure: str, table: str, copy: str) -> None:
    assert "<svg" in downloaded(page, figure).path().read_text()
    assert r"\begin{tabular}" in downloaded(page, table).path().read_text()
    press(page, copy)
    text = page.evaluate("navigator.clipboard.readText()")
    for told in (AMENDED, EXTENDED):
        assert told in text


def keep_the_report(page: Page, report: str, download: str) -> None:
    press(page, report)
    text = downloaded(page, download).path().read_text()
    for told in (TITLE, "coded", AMENDED, EXCLUDED):
        assert told in text


def take_the_dataset(page: Page, results: str, dataset: str) -> None:
    press(page, results)
    folder = Path(downloaded(page, dataset).path()).with_suffix(".folder")
    with zipfile.ZipFile(downloaded(page, dataset).path()) as archive:
        archive.extractall(folder)
    (root,) = {path.parent for path in folder.rglob("design.json")}
    assert AMENDED in next(root.rglob("*texts_data.csv")).read_text()
    assert EXCLUDED in next(root.rglob("*exclusions_data.csv")).read_text()
    design = json.loads((root / "design.json").read_text())
    assert [each["reason"] for each in design["extensions"]] == [EXTENDED]
    subprocess.run([sys.executable, "analysis/starter.py"], cwd=root, check=True, capture_output=True)


ACTIONS: dict[tuple[str, ...], Callable[..., None]] = {
    ("Monitor",): look_who_is_incomplete,
    ("People", "Release seat"): release_the_drop_out,
    ("Results", "Exclusions"): read_the_rules,
    ("Exclude",): exclude_one,
    ("Close", "Close for good"): close_for_good,
    ("Results", "Unblind"): unblind,
    ("Mixed model",): read_the_model,
    ("Show",): choose_reference_and_margin,
    ("SVG", "LaTeX", "Copy"): take_figure_table_and_text,
    ("Report", "Download as one HTML file"): keep_the_report,
    ("Results", "Dataset"): take_the_dataset,
}


@pytest.mark.long  # each page on the way has tests of its own
def test_a_laboratory_needs_no_command_from_the_files_to_the_paper(
    platform: Platform, folder: Path, device: Callable[..., BrowserContext]
) -> None:
    page = device(permissions=["clipboard-read", "clipboard-write"]).new_page()
    sign_in(page, platform)
    upload_and_normalise(page, folder)
    assert Stimulus.objects.count() == 18
    create_and_design(page)
    rehearse(page)
    link = go_live(page)
    page.goto(platform.url(f"/experiments/{SLUG}/"))
    amend_the_title(page)
    extend(page)

    PointerListener(device().new_page()).join(link)
    listen(link, listeners=4)
    page.goto(platform.url(f"/experiments/{SLUG}/"))
    for words, act in ACTIONS.items():
        act(page, *words)

    states = Counter(Seat.objects.filter(ballot__kind=Ballot.Kind.MAIN).values_list("state", flat=True))
    assert states == {Seat.State.FINISHED: 4, Seat.State.OPEN: 2, Seat.State.ABANDONED: 1}


@pytest.mark.usefixtures("platform")  # without it the server is stopped, and the next test starts it again
def test_every_step_of_the_guide_from_the_last_vote_to_the_paper_is_taken_above() -> None:
    assert steps_of(GUIDE.read_text()) == list(ACTIONS)
