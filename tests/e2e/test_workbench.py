"""The workbench in a browser: from files of which one is bad to an experiment that is changed, copied and deleted."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rating.models import Experiment
from stimuli.models import Import, Stimulus
from tests.e2e.conftest import FIRST_JOB_MS, Platform
from tests.e2e.test_accessibility import overflows, scan
from tests.e2e.test_upload import expect_arrived
from tests.factories import tone

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CONDITIONS, ITEMS = ("clean", "coded"), ("door", "rain", "street")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six clips, of which one is no sound."""
    for row, condition in enumerate(CONDITIONS):
        (tmp_path / "clips" / condition).mkdir(parents=True)
        for column, item in enumerate(ITEMS):
            content = tone(300 + 100 * row + 30 * column, duration_s=1.0)
            (tmp_path / "clips" / condition / f"{item}.wav").write_bytes(content)
    (tmp_path / "clips/coded/street.wav").write_bytes(b"RIFF....WAVE")
    return tmp_path / "clips"


def imported_without_the_bad_file(page: Page, folder: Path) -> list[str]:
    page.locator("input[type=file][webkitdirectory]").set_input_files(folder)
    expect_arrived(page)
    page.get_by_role("button", name="Check the files").click()
    leave_out = page.get_by_role("button", name="Leave out the 1 file with errors")
    expect(leave_out).to_be_visible(timeout=FIRST_JOB_MS)
    problems = scan(page, "import with an error") + overflows(page, "import with an error")
    page.get_by_label("Reason for leaving files out").fill("cut off while recording")
    leave_out.click()
    expect(page.get_by_role("heading", name="Files left out or replaced")).to_be_visible(timeout=FIRST_JOB_MS)
    page.get_by_role("button", name="Import", exact=True).click(timeout=FIRST_JOB_MS)
    expect(page.get_by_text("Everything was imported")).to_be_visible(timeout=FIRST_JOB_MS)
    return problems


@pytest.mark.long
def test_an_experiment_is_made_of_what_arrived_and_can_be_changed_until_it_is_deleted(
    import_page: Page, platform: Platform, folder: Path
) -> None:
    page = import_page
    problems = imported_without_the_bad_file(page, folder)
    assert Stimulus.objects.count() == 5
    assert [one["reason"] for one in Import.objects.get().corrections] == ["cut off while recording"]

    page.goto(platform.url("/collections/sounds/clips/"))
    problems += scan(page, "clips") + overflows(page, "clips")
    for number in (0, 1):
        page.locator("input[name=clip]").nth(number).check()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("button", name="Play")).to_be_enabled()
    problems += scan(page, "two clips") + overflows(page, "two clips")

    page.goto(platform.url("/collections/sounds/"))
    page.get_by_role("link", name="Create an experiment").click()
    expect(page.get_by_label("Collection")).to_have_value("sounds")
    page.get_by_label("Title", exact=True).fill("How clean is it?")
    page.get_by_text("Consent text, contact, language and more").click()
    page.get_by_label("Consent text").fill("I agree that **my ratings** are kept.")
    problems += scan(page, "new experiment") + overflows(page, "new experiment")
    page.get_by_role("button", name="Create experiment").click()
    page.wait_for_url("**/experiments/how-clean-is-it/")

    page.goto(platform.url("/experiments/how-clean-is-it/settings/"))
    problems += scan(page, "settings") + overflows(page, "settings")
    page.get_by_label("Title", exact=True).fill("How clean does it sound?")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="How clean does it sound?", level=1)).to_be_visible()

    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("heading", name="Copy of How clean does it sound?", level=1)).to_be_visible()
    copy = Experiment.objects.latest("created_at")
    page.goto(platform.url(f"/experiments/{copy.slug}/delete/"))
    problems += scan(page, "delete") + overflows(page, "delete")
    page.get_by_role("textbox").last.fill("something else")
    page.locator("main").get_by_role("button", name="Delete").click()
    expect(page.get_by_text(f"Type the short name {copy.slug} to delete the experiment.")).to_be_visible()
    page.get_by_role("textbox").last.fill(copy.slug)
    page.locator("main").get_by_role("button", name="Delete").click()
    page.wait_for_url("**/experiments/")
    copy.refresh_from_db()
    assert copy.deleted_at is not None
    expect(page.get_by_role("link", name="How clean does it sound?", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Copy of How clean does it sound?")).to_have_count(0)
    problems += scan(page, "experiments") + overflows(page, "experiments")
    assert problems == []
