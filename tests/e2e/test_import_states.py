"""The page of an import in every state that it can be in: under an accessibility scan, and with the keyboard alone."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from stimuli.models import Import, Stimulus
from tests.e2e.conftest import FIRST_JOB_MS
from tests.e2e.test_accessibility import overflows, scan
from tests.e2e.test_upload import expect_arrived, pieces_held_back
from tests.factories import tone

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MOST_TABS = 60
FOCUSED = """() => {
  const it = document.activeElement;
  const style = getComputedStyle(it);
  return { name: it.innerText.trim(), ringed: it.matches(":focus-visible") && style.outlineStyle !== "none" };
}"""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{name}.wav" for name in ("door", "rain", "street")]
    for number, path in enumerate(paths):
        path.write_bytes(tone(300 + 100 * number, duration_s=1.0))
    return paths


def reach(page: Page, name: str) -> None:
    """Go on from field to field to the one of this name, which must show that it is reached."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused["name"] == name:
            assert focused["ringed"], f"nobody sees that '{name}' has the focus"
            return
    raise AssertionError(f"the keyboard does not reach '{name}'")


def press(page: Page, name: str) -> None:
    reach(page, name)
    page.keyboard.press("Enter")


def hand_in(page: Page, files: list[Path]) -> None:
    with page.expect_file_chooser() as choosing:
        press(page, "Choose files")
    choosing.value.set_files(files)


@pytest.mark.long  # test_creation imports by pointer, the test below pauses by key
def test_files_are_handed_in_checked_and_imported_with_the_keyboard_alone(import_page: Page, files: list[Path]) -> None:
    hand_in(import_page, files)
    expect_arrived(import_page)
    press(import_page, "Check the files")
    expect(import_page.get_by_role("heading", name="What would be imported")).to_be_visible(timeout=FIRST_JOB_MS)
    press(import_page, "Import")
    expect(import_page.get_by_text("Everything was imported")).to_be_visible(timeout=FIRST_JOB_MS)
    assert Stimulus.objects.count() == len(files)
    press(import_page, "Open the collection")
    import_page.wait_for_url("**/collections/sounds/")


def test_an_import_is_paused_resumed_and_cancelled_with_the_keyboard_alone(
    import_page: Page, files: list[Path]
) -> None:
    with pieces_held_back(import_page, after=1):
        hand_in(import_page, files)
        expect(import_page.locator("#files .pill[data-state=done]")).to_have_count(1)
        press(import_page, "Pause")
        expect(import_page.get_by_role("button", name="Go on")).to_be_focused()
        expect(import_page.locator("#said")).not_to_be_empty()
        import_page.keyboard.press("Enter")
        expect(import_page.get_by_role("button", name="Pause")).to_be_focused()
        press(import_page, "Cancel the import")
        expect(import_page.get_by_text("This import was cancelled or has expired")).to_be_visible()
    assert Import.objects.get().state == Import.State.CANCELLED


def test_every_state_of_an_import_is_accessible_in_every_theme(import_page: Page, files: list[Path]) -> None:
    """The good way, from an empty import_page to what was imported, is scanned in tests.e2e.test_upload."""

    def lose(route: Route) -> None:
        route.abort("internetdisconnected")

    problems: list[str] = []

    def look(state: str) -> None:
        problems.extend(scan(import_page, state) + overflows(import_page, state))

    import_page.route("**/api/v1/uploads/**", lose)
    import_page.locator("#files-input").set_input_files(files)
    expect(import_page.locator("#trouble")).to_be_visible()
    look("without a network")
    import_page.get_by_role("button", name="Pause").click()
    look("paused")
    import_page.on("dialog", lambda dialog: dialog.accept())
    import_page.reload()
    expect(import_page.locator("#absent")).to_be_visible()
    look("after a reload")
    for state in (Import.State.CHECKING, Import.State.IMPORTING, Import.State.HAS_ERRORS, Import.State.CANCELLED):
        findings = [{"severity": "error", "sentence": "'door.wav' is no sound.", "path": "door.wav"}]
        Import.objects.update(state=state, report={"findings": findings, "counts": {"files": 3}})
        import_page.reload()
        expect(import_page.locator(f".page-head .pill[data-state={state}]")).to_be_visible()
        look(state)
    assert problems == []
