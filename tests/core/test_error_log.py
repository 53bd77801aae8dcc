"""The last errors and the checks, as the page Health shows them."""

import json
import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from config.logs import JsonLines
from core import doctor, error_log, overview
from core.error_log import ErrorLogHandler, recent_errors
from core.jobs import enqueue, queue
from core.jobs.worker import work
from core.services import readiness
from tests.people import admin, browser_of
from tests.testapp.tasks import stumble


@pytest.fixture
def path(tmp_path: Path, settings: Settings) -> Iterator[Path]:
    """An error log of its own, which the page reads and the root logger writes."""
    settings.ERROR_LOG = tmp_path / "errors.jsonl"
    [handler] = [each for each in logging.getLogger().handlers if isinstance(each, ErrorLogHandler)]
    handler.path, before = settings.ERROR_LOG, handler.path
    try:
        yield settings.ERROR_LOG
    finally:
        handler.path = before


@pytest.mark.django_db
def test_a_page_and_a_job_that_fail_are_on_the_page_with_place_and_count_and_nothing_of_what_they_were_about(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("the listener anna@example.org is in row 7")

    monkeypatch.setattr(readiness, "check_readiness", broken)
    visitor = Client(raise_request_exception=False)
    for _ in range(3):
        assert visitor.get("/healthz").status_code == 500
    enqueue(stumble, effect="row 7")
    job = queue.claim(worker="test", names=[stumble.name])
    assert job is not None
    work(job)
    kinds = {kind.where: kind for kind in recent_errors(path)}
    assert (kinds["core:healthz"].count, kinds["core:healthz"].what) == (3, "RuntimeError")
    assert kinds[stumble.name].count == 1
    assert re.fullmatch(r"tests/core/test_error_log\.py:\d+ broken", kinds["core:healthz"].place)
    monkeypatch.undo()
    page = unescape(browser_of(admin()).get(reverse("core:service")).content.decode())
    assert "RuntimeError" in page
    assert stumble.name in page
    assert "anna" not in page + path.read_text()
    assert "row 7" not in page + path.read_text()


def test_the_file_stays_small_and_half_a_line_does_no_harm(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_log, "LARGEST_BYTES", 2000)
    for _ in range(200):
        logging.getLogger("anything").error("It failed with %s.", "a secret")
    path.write_bytes(path.read_bytes() + b'{"at": "20')
    assert sum(each.stat().st_size for each in path.parent.glob("errors*")) < 5000
    [kind] = recent_errors(path)
    assert kind.what == "It failed with ...."
    assert 2 < kind.count < 200
    assert kind.first <= kind.last <= datetime.now(UTC)


@pytest.mark.django_db
def test_the_page_shows_every_check_of_the_doctor_with_its_remedy() -> None:
    page = unescape(browser_of(admin()).get(reverse("core:service")).content.decode())
    findings = doctor.examine()
    assert [each.piece for each in overview.system_status().findings] == [each.piece for each in findings]
    for finding in findings:
        assert f'<th scope="row">{finding.piece}</th>' in page
        assert finding.remedy in page


def test_a_line_of_json_has_the_message_the_traceback_and_no_secret() -> None:
    make = logging.getLogRecordFactory()
    failure = ValueError("at /join/Wg2zefXkQ93nV_1b-2Lm/")
    found = (ValueError, failure, failure.__traceback__)
    record = make("some.logger", logging.ERROR, __file__, 1, "Lost %s", ("/join/Wg2zefXkQ93nV_1b-2Lm/",), found)
    told = json.loads(JsonLines().format(record))
    assert (told["level"], told["logger"], told["message"]) == ("ERROR", "some.logger", "Lost /join/[hidden]/")
    assert "ValueError" in told["exception"]
    assert "Wg2zef" not in told["exception"]
