"""The results of the plane in a browser: in every look, without sideways scrolling, and the picture as a PNG."""

import struct
from base64 import b64encode

import pytest
from playwright.sync_api import Page, expect

from rating.models import Experiment
from rating.services.experiments import unblind
from tests.analysis.p835_material import refresh
from tests.e2e.conftest import Platform, let_in
from tests.e2e.test_accessibility import overflows, scan
from tests.protocols.tcsd_plane.material import PLACES, plane_experiment, rate

SIZE = "document.querySelector('.figure').getAttribute('viewBox').split(' ').slice(2).map(Number)"
# How many different colours stand in a picture: a figure that was not painted has one.
COLOURS = """async (address) => {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  const pen = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  pen.drawImage(picture, 0, 0);
  return new Set(new Uint32Array(pen.getImageData(0, 0, picture.width, picture.height).data.buffer)).size;
}"""

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def experiment() -> Experiment:
    made = plane_experiment(seats=4)
    rate(made)
    rate(made, shift=0.1)
    refresh()
    return unblind(experiment=made, actor=made.owner, reason="test")


@pytest.fixture
def results(page: Page, experiment: Experiment, platform: Platform) -> Page:
    let_in(page.context, platform.address, experiment.owner)
    page.goto(platform.url(f"/experiments/{experiment.slug}/results/"))
    return page


def test_the_plane_reads_well_in_every_look_and_leaves_as_a_png(results: Page) -> None:
    expect(results.get_by_role("img", name="TC/SD plane, all recordings")).to_be_visible()
    results.get_by_text("Show the marks as a table").click()
    assert scan(results, "results of the plane") + overflows(results, "results of the plane") == []
    with results.expect_download() as download:
        results.get_by_role("button", name="PNG").click()
    data = download.value.path().read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == tuple(2 * side for side in results.evaluate(SIZE))
    assert results.evaluate(COLOURS, f"data:image/png;base64,{b64encode(data).decode()}") > len(PLACES)


def test_new_marks_come_in_while_the_page_is_open(results: Page, experiment: Experiment) -> None:
    results.get_by_role("link", name="ferry").click()
    expect(results.locator(".plane-marks > path")).to_have_count(6)
    rate(experiment, shift=0.15)
    expect(results.locator(".plane-marks > path")).to_have_count(9, timeout=60_000)
    expect(results.get_by_role("img", name="TC/SD plane, recording ferry")).to_be_visible()
    with results.expect_download():
        results.get_by_role("button", name="PNG").click()  # also works on a picture that came later


@pytest.mark.long
def test_a_button_that_is_pressed_stays_until_it_is_released(results: Page, experiment: Experiment) -> None:
    results.get_by_role("link", name="ferry").click()
    results.get_by_role("button", name="PNG").hover()
    results.mouse.down()
    with results.expect_response(lambda answer: answer.url == results.url):
        rate(experiment, shift=0.15)
    with results.expect_download():
        results.mouse.up()
    expect(results.locator(".plane-marks > path")).to_have_count(9)
