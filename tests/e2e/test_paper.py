"""Paper: the sheets printed as they are meant to be, and a photograph at an angle read off with eight clicks."""

import base64
import re

import pytest
from playwright.sync_api import Page, Route, expect

from rating.models import Experiment, Vote
from tests.e2e.conftest import Platform, let_in
from tests.e2e.test_accessibility import overflows, scan
from tests.factories import make_experiment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DRAWN = {"s1": (0.741, 0.219), "s2": (0.191, 0.861)}
WIDTH, HEIGHT = 900, 1200
# A sheet that lies turned and tilted before the camera, and the test's own pencil: a frame, and a cross for each place.
PHOTOGRAPH = """([width, height, frame, crosses]) => {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#eee";
  pen.fillRect(0, 0, width, height);
  pen.lineWidth = 2;
  pen.beginPath();
  for (const [x, y] of frame) pen.lineTo(x, y);
  pen.closePath();
  for (const [x, y] of crosses) {
    pen.moveTo(x - 8, y - 8);
    pen.lineTo(x + 8, y + 8);
    pen.moveTo(x - 8, y + 8);
    pen.lineTo(x + 8, y - 8);
  }
  pen.stroke();
  return canvas.toDataURL("image/png").split(",")[1];
}"""


def photographed(tc: float, sd: float) -> tuple[float, float]:
    depth = 1 + 0.35 * tc - 0.2 * sd
    return (160 + 640 * tc + 60 * sd) / depth, (1000 - 60 * tc - 820 * sd) / depth


CORNERS = [photographed(*corner) for corner in ((0, 0), (1, 0), (1, 1), (0, 1))]


@pytest.fixture
def experiment() -> Experiment:
    return make_experiment(protocol="tcsd_plane", items=2, conditions=2, seats=1)


@pytest.fixture
def staff_page(page: Page, platform: Platform, experiment: Experiment) -> Page:
    let_in(page.context, platform.address, experiment.owner)
    page.goto(platform.url(f"/experiments/{experiment.slug}/people/"))
    return page


def take_photograph(page: Page) -> bytes:
    crosses = [photographed(*place) for place in DRAWN.values()]
    return base64.b64decode(page.evaluate(PHOTOGRAPH, [WIDTH, HEIGHT, CORNERS, crosses]))


def click_picture(page: Page, x: float, y: float) -> None:
    """Click a pixel of the picture, however large it is shown."""
    picture = page.locator("#scan-picture")
    picture.wait_for()  # it is shown once it has been decoded
    box = picture.bounding_box()
    assert box is not None
    picture.click(position={"x": x / WIDTH * box["width"], "y": y / HEIGHT * box["height"]})


def load(page: Page, picture: bytes) -> None:
    page.locator("#scan-file").set_input_files({"name": "scan.png", "mimeType": "image/png", "buffer": picture})


def open_first_sheet(staff_page: Page) -> None:
    staff_page.get_by_role("link", name="Enter 1.1").click()
    staff_page.get_by_label("signed the consent text").check()
    staff_page.get_by_role("button", name="Begin to enter").click()
    staff_page.get_by_role("link", name="Enter 1", exact=True).click()


def test_a_scan_is_clicked_and_its_crosses_become_the_seat_s_answer(staff_page: Page, experiment: Experiment) -> None:
    sent: list[str] = []
    staff_page.on("request", lambda request: sent.append(f"{request.method} {request.url}"))
    open_first_sheet(staff_page)
    picture = take_photograph(staff_page)
    sent.clear()
    load(staff_page, picture)
    expect(staff_page.locator("#scan-next")).to_contain_text("origin")
    for corner in CORNERS:
        click_picture(staff_page, *corner)
    expect(staff_page.locator("#scan-next")).to_contain_text("cross 1")
    click_picture(staff_page, 20, 20)
    expect(staff_page.locator("#scan-next")).to_contain_text("outside the frame")
    for place in DRAWN.values():
        click_picture(staff_page, *photographed(*place))
    expect(staff_page.locator("#scan-next")).to_contain_text("All crosses are read")
    assert [each for each in sent if "/static/" not in each] == []  # the picture stays in the browser

    shown = [
        float(staff_page.locator(f"[name={slot}-{axis}]").input_value()) for slot in DRAWN for axis in ("TC", "SD")
    ]
    drawn = [value for place in DRAWN.values() for value in place]
    assert shown == pytest.approx(drawn, abs=0.004)  # half a pixel of a frame of some 600
    staff_page.get_by_label("in per cent").check()
    assert float(staff_page.locator("[name=s1-TC]").input_value()) == pytest.approx(100 * shown[0], abs=0.01)

    staff_page.locator("[name=s2-SD]").fill("86.1")  # corrected by hand
    staff_page.get_by_role("button", name="Save and close").click()
    expect(staff_page.locator("main")).to_contain_text("Recording 1 is saved.")
    payload = Vote.objects.get().payload
    assert payload["crosses"]["s1"]["tc"] == pytest.approx(0.741, abs=0.004)
    assert payload["crosses"]["s2"]["sd"] == 0.861
    assert {move["slot"]: move["input"] for move in payload["moves"]} == {"s1": "scan", "s2": "paper"}
    assert payload["moves"][0]["plane_px"] > 100


def test_a_click_is_taken_back_and_a_file_that_is_no_picture_is_refused(staff_page: Page) -> None:
    open_first_sheet(staff_page)
    load(staff_page, b"no picture")
    expect(staff_page.locator("#scan-next")).to_contain_text("not a picture")
    picture = take_photograph(staff_page)
    load(staff_page, picture)
    for x, y in [*CORNERS, photographed(*DRAWN["s1"])]:
        click_picture(staff_page, x, y)
    assert staff_page.locator("[name=s1-TC]").input_value()
    staff_page.get_by_role("button", name="Take back").click()
    assert staff_page.locator("[name=s1-TC]").input_value() == ""
    expect(staff_page.locator("#scan-next")).to_contain_text("cross 1")
    staff_page.locator("[name=s2-TC]").focus()
    expect(staff_page.locator("#scan-next")).to_contain_text("cross 2")


def test_every_sheet_takes_one_page_of_a4_and_of_letter(staff_page: Page) -> None:
    staff_page.get_by_role("link", name="Print sheets 1.1").click()
    staff_page.wait_for_url("**/sheets/")
    for paper in ("A4", "Letter"):
        pages = re.findall(rb"/Type\s*/Page\b", staff_page.pdf(format=paper))
        assert len(pages) == 3, paper  # what is asked, and two recordings


def test_a_scan_may_be_chosen_before_the_script_has_loaded(staff_page: Page) -> None:
    picture = take_photograph(staff_page)
    held: list[Route] = []
    staff_page.route("**/dist/paper-*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright takes no built-in
    with staff_page.expect_request("**/dist/paper-*"):
        open_first_sheet(staff_page)
    load(staff_page, picture)
    held.pop().continue_()
    expect(staff_page.locator("#scan-next")).to_contain_text("origin")


def test_the_pages_of_paper_are_accessible(staff_page: Page) -> None:
    staff_page.get_by_role("link", name="Enter 1.1").click()
    problems = scan(staff_page, "consent") + overflows(staff_page, "consent")
    staff_page.go_back()
    open_first_sheet(staff_page)
    picture = take_photograph(staff_page)
    load(staff_page, picture)
    expect(staff_page.locator("#scan-next")).to_be_visible()
    problems += scan(staff_page, "sheet") + overflows(staff_page, "sheet")
    assert problems == []
