"""Files come in through the page: dropped, chosen, cut short by a reload or a lost network, paused, and sent on."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, Route, expect

from stimuli.models import Collection, Import, ImportFile, Stimulus
from stimuli.uploads import files as upload_files
from tests.e2e.conftest import FIRST_JOB_MS, Platform, held_back, intercepted, let_in
from tests.e2e.test_accessibility import overflows, scan
from tests.factories import tone
from tests.people import experimenter
from tests.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CONDITIONS, ITEMS = ("C0", "C1"), ("door", "rain", "street")
PIECE_BYTES = 8 * 2**20
UPLOADS = "**/api/v1/uploads/**"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Condition folders with equal file names, and what an operating system leaves in them."""
    place = tmp_path / "set"
    for number, condition in enumerate(CONDITIONS):
        for step, item in enumerate(ITEMS):
            file = place / condition / f"{item}.wav"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(tone(300 + 100 * step + 10 * number, duration_s=1.0))
    (place / ".DS_Store").write_bytes(b"not for us")
    return place


def drop(page: Page, *paths: Path) -> None:
    """Let the browser itself drop files and folders, as a hand does."""
    expect(page.locator("#choose-files")).to_be_enabled()  # the page's script runs
    box = page.locator("#drop").bounding_box()
    assert box is not None
    place = {"x": box["x"] + 20, "y": box["y"] + 20}
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    wire = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        wire.send("Input.dispatchDragEvent", {"type": kind, "data": data, **place})
    wire.detach()


@contextmanager
def pieces_held_back(page: Page, *, after: int) -> Iterator[None]:
    """Let so many pieces through, and leave every other one without an answer until the end."""
    passed = 0
    held: list[Route] = []

    def judge(route: Route) -> None:
        nonlocal passed
        if route.request.method != "PATCH" or passed < after:
            passed += route.request.method == "PATCH"
            route.fallback()
        else:
            held.append(route)

    with intercepted(page, UPLOADS, judge):
        yield
    for route in held:
        with suppress(Error):  # the page may have let go of it by itself
            route.abort()


def expect_arrived(page: Page) -> None:
    expect(page.get_by_role("button", name="Check the files")).to_be_enabled(timeout=60_000)


def assert_arrived(folder: Path) -> None:
    """Every byte on the server's disk, and the right digest claimed for each."""
    sent = {str(path.relative_to(folder.parent)): path.read_bytes() for path in folder.rglob("*.wav")}
    rows = {row.path: row for row in ImportFile.objects.all()}
    assert set(rows) == set(sent)
    for path, content in sent.items():
        assert upload_files.path_of(rows[path]).read_bytes() == content
        assert rows[path].claimed_sha256 == hashlib.sha256(content).hexdigest()


def test_a_dropped_folder_arrives_and_is_looked_at(import_page: Page, folder: Path) -> None:
    drop(import_page, folder)
    expect_arrived(import_page)
    expect(import_page.locator("#files tbody tr")).to_have_count(6)
    expect(import_page.locator("#choose-note")).to_contain_text("1 hidden")
    import_ = Import.objects.get()
    assert import_page.url.endswith(f"/collections/sounds/imports/{import_.pk}/")
    assert_arrived(folder)


def test_files_chosen_before_the_script_runs_are_sent(import_page: Page, folder: Path) -> None:
    held = held_back(import_page, re.compile(r"/import[^/]*\.js"))
    import_page.reload(wait_until="commit")
    import_page.locator("#folder-input").set_input_files(folder)
    expect(import_page.locator("#choose-files")).to_be_disabled()
    held.pop().continue_()
    expect_arrived(import_page)
    assert_arrived(folder)


def test_the_page_speaks_the_readers_language(import_page: Page, folder: Path) -> None:
    import_page.context.set_extra_http_headers({"Accept-Language": "fr"})
    import_page.reload()
    drop(import_page, folder)
    expect(import_page.locator("#files tbody .pill")).to_have_text(["Arrivé"] * 6)
    expect(import_page.locator("#total-text")).to_contain_text("6 fichiers sur 6")


@pytest.mark.long
def test_from_an_empty_collection_to_stimuli_that_can_be_heard(platform: Platform, page: Page, folder: Path) -> None:
    let_in(page.context, platform.address, experimenter())
    page.goto(platform.url("/collections/"))
    page.get_by_role("link", name="New collection").click()
    page.get_by_label("Title").fill("Three sounds")
    page.get_by_label("Short name").fill("three")
    page.get_by_role("button", name="Create and upload").click()
    drop(page, folder)
    expect_arrived(page)
    page.get_by_role("button", name="Check the files").click()
    expect(page.get_by_role("heading", name="What would be imported")).to_be_visible(timeout=FIRST_JOB_MS)
    expect(page.locator("main")).to_contain_text("set/C1/street.wav")
    problems = scan(page, "proposal") + overflows(page, "proposal")
    assert not Stimulus.objects.exists(), "nothing is imported before it is confirmed"
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("Everything was imported")).to_be_visible(timeout=FIRST_JOB_MS)
    problems += scan(page, "imported") + overflows(page, "imported")
    page.get_by_role("link", name="Open the collection").click()
    expect(page.locator("main")).to_contain_text("street")
    heard = Stimulus.objects.values_list("item__name", "condition__name")
    assert set(heard) == {(item, condition) for item in ITEMS for condition in CONDITIONS}
    assert Collection.objects.get().version == 1
    assert not upload_files.folder_of(Import.objects.get().pk).exists(), "what was imported is not kept twice"
    assert problems == []


def test_files_that_are_no_sound_are_refused_with_their_reasons(import_page: Page, folder: Path) -> None:
    (folder / "C1" / "rain.wav").write_bytes(b"no sound at all" * 100)
    drop(import_page, folder)
    expect_arrived(import_page)
    import_page.get_by_role("button", name="Check the files").click()
    expect(import_page.get_by_text("Nothing is imported yet.")).to_be_visible(timeout=FIRST_JOB_MS)
    expect(import_page.locator(".findings")).to_contain_text("set/C1/rain.wav")
    assert not Stimulus.objects.exists()


def test_an_import_that_is_cancelled_leaves_nothing_behind(import_page: Page, folder: Path) -> None:
    with pieces_held_back(import_page, after=2):
        drop(import_page, folder)
        expect(import_page.locator("#files .pill[data-state=done]")).to_have_count(2)
        import_page.get_by_role("button", name="Cancel the import").click()
        expect(import_page.get_by_text("This import was cancelled or has expired")).to_be_visible()
    assert Import.objects.get().state == Import.State.CANCELLED
    assert not upload_files.folder_of(Import.objects.get().pk).exists()


def test_after_a_reload_midway_only_what_is_missing_is_sent(import_page: Page, folder: Path) -> None:
    with pieces_held_back(import_page, after=2):
        import_page.locator("#folder-input").set_input_files(folder)
        expect(import_page.locator("#files .pill[data-state=done]")).to_have_count(2)
        import_page.on("dialog", lambda dialog: dialog.accept())
        import_page.reload()
    expect(import_page.locator("#absent")).to_contain_text("4 files are not here any more")
    expect(import_page.get_by_role("button", name="Check the files")).to_be_disabled()
    before = set(ImportFile.objects.filter(received_bytes__gt=0).values_list("path", flat=True))
    sent: list[str] = []
    import_page.on("request", lambda request: sent.append(request.url) if request.method == "PATCH" else None)
    drop(import_page, folder)
    expect_arrived(import_page)
    assert len(before) == 2
    assert len(sent) == 4
    assert Import.objects.count() == 1
    assert_arrived(folder)


PRIVATE_FOLDER = """async () => {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle('set', { create: true });
  for (const name of ['a.wav', 'b.wav', 'c.wav']) {
    const file = await (await folder.getFileHandle(name, { create: true })).createWritable();
    await file.write(name.repeat(1000));
    await file.close();
  }
}"""
PICKS_IT = """window.showDirectoryPicker = async () =>
  (await navigator.storage.getDirectory()).getDirectoryHandle('set');"""


def test_where_the_browser_may_open_the_folder_again_a_reload_needs_no_hand(import_page: Page) -> None:
    """The browser's private folder stands for one on the disk: it gives handles of the same kind, without a dialog."""
    import_page.context.add_init_script(PICKS_IT)
    import_page.reload()
    import_page.evaluate(PRIVATE_FOLDER)
    with pieces_held_back(import_page, after=1):
        import_page.get_by_role("button", name="Choose a folder").click()
        expect(import_page.locator("#files .pill[data-state=done]")).to_have_count(1)
        import_page.reload()
    expect_arrived(import_page)
    arrived = {row.path: upload_files.path_of(row).read_bytes() for row in ImportFile.objects.all()}
    assert arrived == {f"set/{name}": name.encode() * 1000 for name in ("a.wav", "b.wav", "c.wav")}


def test_a_lost_network_is_waited_out(import_page: Page, folder: Path) -> None:
    with intercepted(import_page, UPLOADS, lambda route: route.abort("internetdisconnected")):
        import_page.locator("#folder-input").set_input_files(folder)
        expect(import_page.locator("#trouble")).to_contain_text("cannot be reached")
        expect(import_page.locator("#files .pill").first).to_have_text("Trying again")
    expect_arrived(import_page)
    expect(import_page.locator("#trouble")).to_be_hidden()
    assert_arrived(folder)


def test_a_large_file_goes_in_pieces_can_be_paused_and_is_resumed_from_the_piece_it_had(
    import_page: Page, tmp_path: Path
) -> None:
    large = tmp_path / "day" / "day.wav"
    large.parent.mkdir()
    large.write_bytes(bytes(range(256)) * (PIECE_BYTES * 5 // 2 // 256))
    with pieces_held_back(import_page, after=1):
        drop(import_page, large.parent)
        expect(import_page.locator("#total-text")).to_contain_text("8.4 MB of 21 MB")
        # The page counts what it has sent; a pause before the server's answer would break the piece off.
        wait_until(lambda: ImportFile.objects.get().received_bytes == PIECE_BYTES)
        import_page.get_by_role("button", name="Pause").click()
        expect(import_page.locator("#files .pill")).to_have_text("Paused")
    assert ImportFile.objects.get().received_bytes == PIECE_BYTES
    offsets: list[str] = []
    import_page.on(
        "request",
        lambda request: offsets.append(request.headers["upload-offset"]) if request.method == "PATCH" else None,
    )
    import_page.get_by_role("button", name="Go on").click()
    expect_arrived(import_page)
    assert offsets == [str(PIECE_BYTES), str(2 * PIECE_BYTES)]
    assert_arrived(large.parent)


def test_a_piece_that_is_damaged_on_the_way_is_sent_again(import_page: Page, folder: Path) -> None:
    damaged: list[bool] = []

    def damage(route: Route) -> None:
        body = route.request.post_data_buffer
        if route.request.method != "PATCH" or damaged or not body:
            route.fallback()
            return
        damaged.append(True)
        route.continue_(post_data=body[:-1] + bytes([body[-1] ^ 1]))

    import_page.route(UPLOADS, damage)
    statuses: list[int] = []
    import_page.on(
        "response", lambda answer: statuses.append(answer.status) if answer.request.method == "PATCH" else None
    )
    import_page.locator("#folder-input").set_input_files(folder)
    expect_arrived(import_page)
    assert statuses.count(460) == 1
    assert_arrived(folder)


def test_the_pages_of_an_import_are_accessible_in_every_theme(import_page: Page, folder: Path) -> None:
    problems = scan(import_page, "empty import_page") + overflows(import_page, "empty import_page")
    with pieces_held_back(import_page, after=3):
        import_page.locator("#folder-input").set_input_files(folder)
        expect(import_page.locator("#files .pill[data-state=done]")).to_have_count(3)
        problems += scan(import_page, "sending") + overflows(import_page, "sending")
    assert problems == []
