"""Two ways from a zip on disk to a link that opens, with the clicks and the typed fields that they take."""

import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from listening.models import Design
from rating.models import Experiment
from stimuli.models import Stimulus
from tests.e2e.conftest import FIRST_JOB_MS, Platform, let_in
from tests.factories import tone
from tests.people import experimenter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Kept by the tab across pages; a field counts once, however much is typed into it.
COUNT = """
const add = (what) => { sessionStorage[what] = Number(sessionStorage[what] ?? 0) + 1; };
addEventListener("pointerdown", () => add("clicks"), true);
const typed = new Set();
addEventListener("keydown", ({ target }) => {
  if (!typed.has(target) && target.matches("input, textarea")) { typed.add(target); add("fields"); }
}, true);
"""


class Laboratory:
    """A person who makes an experiment with the pointer, and whose presses and typed fields are counted."""

    def __init__(self, context: BrowserContext) -> None:
        context.add_init_script(COUNT)
        self.page = context.new_page()
        self._dialogs = 0

    def press(self, name: str, *, role: Literal["button", "link"] = "button") -> None:
        target = self.page.locator("main").get_by_role(role, name=name, exact=True)
        expect(target.first).to_be_enabled(timeout=FIRST_JOB_MS)
        target.first.click()

    def write(self, label: str, text: str) -> None:
        field = self.page.get_by_label(label, exact=True)
        field.click()
        field.press("ControlOrMeta+a")
        field.press_sequentially(text)

    def choose(self, label: str) -> None:
        self.page.get_by_role("radio", name=label).locator("xpath=..").click()

    def expect_checked(self, found: str) -> None:
        expect(self.page.locator("[data-found=proposed]")).to_contain_text(found, timeout=FIRST_JOB_MS)

    def choose_file(self, path: Path) -> None:
        """One press opens the browser's dialog, another one in it chooses the file."""
        with self.page.expect_file_chooser() as dialog:
            self.press("Choose files")
        dialog.value.set_files(path)
        self._dialogs += 1

    @property
    def clicks(self) -> int:
        return self._count("clicks") + self._dialogs

    @property
    def fields(self) -> int:
        return self._count("fields")

    def _count(self, what: str) -> int:
        return int(self.page.evaluate("what => Number(sessionStorage[what] ?? 0)", what))


@pytest.fixture
def laboratory(platform: Platform, device: Callable[..., BrowserContext]) -> Laboratory:
    context = device(permissions=["clipboard-read", "clipboard-write"])
    let_in(context, platform.address, experimenter())
    made = Laboratory(context)
    made.page.goto(platform.url("/experiments/"))
    return made


def zipped(folder: Path, *, items: int, conditions: int) -> Path:
    """Short sounds of different pitch, a folder for each condition, with a table of a factor."""
    path = folder / "Noisy street.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for condition in range(conditions):
            for item in range(items):
                content = tone(300 + 40 * item + 7 * condition, duration_s=1.0, sample_rate_hz=16_000)
                archive.writestr(f"C{condition}/s{item}.wav", content)
        rows = [f"s{item},{'fm'[item % 2]}" for item in range(items)]
        archive.writestr("metadata.csv", "\n".join(["item,sex", *rows]))
    return path


def expect_opens(page: Page, link: str, title: str) -> None:
    page.goto(link)
    expect(page.locator("main")).to_contain_text(title)
    expect(page.get_by_role("button", name="Agree and begin")).to_be_visible()


def live_link(laboratory: Laboratory) -> str:
    laboratory.press("Go live", role="link")
    laboratory.press("Go live")
    laboratory.press("Create a link")
    laboratory.press("Copy")
    return str(laboratory.page.evaluate("navigator.clipboard.readText()"))


def assert_within(laboratory: Laboratory, way: str, *, clicks: int, fields: int) -> None:
    sys.stdout.write(f"{way}: {laboratory.clicks} clicks, {laboratory.fields} typed fields\n")
    assert laboratory.clicks <= clicks
    assert laboratory.fields <= fields


def test_from_a_zip_to_an_acr_link_that_opens(
    laboratory: Laboratory, tmp_path: Path, device: Callable[..., BrowserContext]
) -> None:
    laboratory.press("New experiment", role="link")
    laboratory.choose_file(zipped(tmp_path, items=3, conditions=2))
    laboratory.choose("Absolute category rating (P.800)")
    laboratory.write("Title", "How good is it?")
    laboratory.expect_checked("6 clips, items: 3, conditions: 2")
    laboratory.press("Create experiment")
    laboratory.press("Create seats without a design")
    expect(laboratory.page.locator("#next-steps")).to_contain_text("8 seats in 1 panel", timeout=FIRST_JOB_MS)
    link = live_link(laboratory)
    expect_opens(device().new_page(), link, "How good is it?")
    experiment = Experiment.objects.get()
    assert (experiment.collection.title, experiment.slug) == ("Noisy street", "how-good-is-it")
    assert experiment.ballots.count() == 8
    assert_within(laboratory, "zip to ACR link", clicks=12, fields=4)


@pytest.mark.long  # as to an ACR link, with two more choices
def test_from_a_zip_to_a_balanced_p835_test_at_one_loudness(
    laboratory: Laboratory, tmp_path: Path, device: Callable[..., BrowserContext]
) -> None:
    laboratory.press("New experiment", role="link")
    laboratory.choose_file(zipped(tmp_path, items=8, conditions=2))
    laboratory.choose("-30 LUFS")
    laboratory.choose("Speech, background, overall (P.835)")
    laboratory.write("Title", "Noise suppression")
    laboratory.expect_checked("16 clips, items: 8, conditions: 2")
    laboratory.press("Create experiment")
    laboratory.press("Choose the design yourself", role="link")
    laboratory.write("Panels", "2")
    laboratory.write("Listeners per panel", "4")
    laboratory.write("Items per panel", "4")
    laboratory.press("Preview design")
    laboratory.press("Apply this design")
    laboratory.page.get_by_role("heading", name="Current design", exact=True).wait_for(timeout=FIRST_JOB_MS)
    link = live_link(laboratory)
    expect_opens(device().new_page(), link, "Noise suppression")
    experiment = Experiment.objects.get()
    assert experiment.collection.title == "Noisy street (-30 LUFS)"
    clips = Stimulus.objects.filter(item__collection=experiment.collection)
    levels = [stimulus.recording.measures["integrated_lufs"] for stimulus in clips if stimulus.recording]
    assert levels == [pytest.approx(-30, abs=0.1)] * 16
    design = Design.objects.get(experiment=experiment)
    assert [len(subset) for subset in design.subsets] == [4, 4]
    assert design.settings["factors"] == ["sex"]
    assert_within(laboratory, "zip to balanced P.835 test at one loudness", clicks=18, fields=8)


def test_the_trial_beside_the_form_follows_it_and_leaves_the_focus_there(laboratory: Laboratory) -> None:
    page = laboratory.page
    laboratory.press("New experiment", role="link")
    trial = page.frame_locator("[data-trial]")
    expect(trial.get_by_text("How good was the quality of this clip?")).to_be_visible()
    laboratory.choose("Speech, background, overall (P.835)")
    expect(trial.get_by_role("heading", name="Clip 1 of 1")).to_be_visible()
    laboratory.write("Title", "Street noise")
    page.keyboard.press("Tab")
    expect(trial.locator(".topbar__title")).to_have_text("Street noise")
    expect(trial.locator("#play:enabled")).to_be_visible()
    assert page.evaluate("document.activeElement.tagName") != "IFRAME"
    trial.locator("#play").click()
    trial.locator("#gate:not([disabled]) label").first.click()
    trial.locator("#next").click()
    expect(trial.locator("#part")).to_have_text("Listen 2 of 3")
    assert not Experiment.objects.exists()
