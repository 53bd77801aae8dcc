"""The page of an import in every state that it can be in: under an accessibility scan, and with the keyboard alone."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from stimuli.models import Import, Stimulus
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


def test_files_are_handed_in_checked_and_imported_with_the_keyboard_alone(desk: Page, files: list[Path]) -> None:
    hand_in(desk, files)
    expect_arrived(desk)
    press(desk, "Check the files")
    expect(desk.get_by_role("heading", name="What would be imported")).to_be_visible(timeout=90_000)
    press(desk, "Import")
    expect(desk.get_by_text("Everything was imported")).to_be_visible(timeout=90_000)
    assert Stimulus.objects.count() == len(files)
    press(desk, "Open the collection")
    desk.wait_for_url("**/collections/sounds/")


def test_an_import_is_paused_resumed_and_cancelled_with_the_keyboard_alone(desk: Page, files: list[Path]) -> None:
    with pieces_held_back(desk, after=1):
        hand_in(desk, files)
        expect(desk.locator("#files .pill[data-state=done]")).to_have_count(1)
        press(desk, "Pause")
        expect(desk.get_by_role("button", name="Go on")).to_be_focused()
        expect(desk.locator("#said")).not_to_be_empty()
        desk.keyboard.press("Enter")
        expect(desk.get_by_role("button", name="Pause")).to_be_focused()
        press(desk, "Cancel the import")
        expect(desk.get_by_text("This import was cancelled or has expired")).to_be_visible()
    assert Import.objects.get().state == Import.State.CANCELLED


def test_every_state_of_an_import_is_accessible_in_every_theme(desk: Page, files: list[Path]) -> None:
    """The good way, from an empty desk to what was imported, is scanned in tests.e2e.test_upload."""

    def lose(route: Route) -> None:
        route.abort("internetdisconnected")

    problems: list[str] = []

    def look(state: str) -> None:
        problems.extend(scan(desk, state) + overflows(desk, state))

    desk.route("**/api/v1/uploads/**", lose)
    desk.locator("#files-input").set_input_files(files)
    expect(desk.locator("#trouble")).to_be_visible()
    look("without a network")
    desk.get_by_role("button", name="Pause").click()
    look("paused")
    desk.on("dialog", lambda dialog: dialog.accept())
    desk.reload()
    expect(desk.locator("#absent")).to_be_visible()
    look("after a reload")
    for state in (Import.State.CHECKING, Import.State.IMPORTING, Import.State.REFUSED, Import.State.CANCELLED):
        findings = [{"severity": "error", "sentence": "'door.wav' is no sound.", "path": "door.wav"}]
        Import.objects.update(state=state, report={"findings": findings, "counts": {"files": 3}})
        desk.reload()
        expect(desk.locator(f".page-head .pill[data-state={state}]")).to_be_visible()
        look(state)
    assert problems == []
