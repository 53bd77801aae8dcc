"""The Python client at a live server: its README word by word, errors as exceptions, and reading again."""

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from django.db import connection
from django.test import Client
from pytest_django.live_server_helper import LiveServer

import earmark
from analysis.models import Result
from analysis.reports.pictures import can_draw
from core.jobs import declared_jobs, queue
from core.jobs.worker import work
from core.models import User
from earmark.http import Connection
from listening.models import Invitation, Visit
from listening.participation.access import token_digest
from rating.models import Experiment
from tests.contracts.tree import ROOT, read
from tests.factories import Sitting, fetch_all, make_experiment, make_user, tone
from tests.people import token_of

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def work_one() -> bool:
    """Whether there was a job to do."""
    job = queue.claim(worker="test", names=list(declared_jobs()))
    if job is not None:
        work(job)
    return job is not None


@contextmanager
def worker() -> Iterator[None]:
    """Do what is queued while another thread waits for it."""
    over = threading.Event()

    def go_on() -> None:
        while not over.is_set():
            if not work_one():
                over.wait(0.05)
        connection.close()

    thread = threading.Thread(target=go_on, name="worker")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.fixture
def owner(transactional_db: None) -> User:
    return make_user()


@pytest.fixture
def token(owner: User) -> str:
    return token_of(owner, "read", "write")


def run(block: str, names: dict[str, Any]) -> None:
    exec(block, names)  # noqa: S102 - of our own README


def listen(link: str) -> None:
    """Agree and answer everything, as the person who got the link."""
    path = urlsplit(link).path
    browser = Client()
    browser.post(path, {"agree": "on"})
    invitation = Invitation.objects.get(token_sha256=token_digest(path.split("/")[2]))
    visit = Visit.objects.select_related("seat__ballot__experiment").get(seat=invitation.seat)
    fetch_all(visit)
    Sitting(client=browser, visit=visit, link=path).answer_all()


def test_the_readme_does_what_it_says(
    live_server: LiveServer, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    folder = tmp_path / "codecs"
    for condition in ("clean", "coded"):
        (folder / condition).mkdir(parents=True)
        for number, name in enumerate(("door", "bell")):
            (folder / condition / f"{name}.wav").write_bytes(tone(300 + 50 * number + 7 * len(condition)))
    monkeypatch.chdir(tmp_path)
    creation, following, afterwards, error = BLOCK.findall(read("client/README.md"))
    names: dict[str, Any] = {"url": live_server.url, "token": token, "folder": folder}

    with worker():
        run(creation, names)
    assert "bytes" in capsys.readouterr().out
    run(following, names)
    for link in names["links"]:
        listen(link["link"])
    names["experiment"].connection.json("GET", f"{names['experiment'].path}results/")  # which asks for them
    while work_one():
        pass
    assert Result.objects.exists()
    run(afterwards, names)
    said = capsys.readouterr().out
    run(error, names)

    assert names["sounds"].checks()["errors"] == 0
    assert len(names["votes"]) == 8
    assert set(names["votes"]["condition"]) == {"A", "B"}
    assert "conditions" in said
    assert len(names["tables"]) > 1
    assert names["experiment"].state == "closed"
    assert (tmp_path / f"{names['experiment'].slug}-mos.svg").read_text().startswith("<svg")
    if can_draw():
        assert names["experiment"].save("mos.pdf", tmp_path).read_bytes().startswith(b"%PDF-")
        assert names["experiment"].save("mos.png", tmp_path).read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "codecs.zip").read_bytes().startswith(b"PK")
    assert capsys.readouterr().out.startswith("experiment.wrong_state ")
    assert not list(tmp_path.glob("*.part"))


def test_an_error_is_an_exception_with_the_servers_sentence(live_server: LiveServer, owner: User, token: str) -> None:
    client = earmark.Client(live_server.url, token)
    with pytest.raises(earmark.EarmarkError) as refused:
        client.experiment("none").info()
    assert (refused.value.status, refused.value.code) == (404, "experiment.not_found")
    assert "'none'" in refused.value.sentence
    with pytest.raises(earmark.EarmarkError, match="listed") as refused:
        client.experiment(make_experiment(owner, seats=1).slug).make_links(count=0)
    assert list(refused.value.data["fields"]) == ["count"]
    assert Experiment.objects.count() == 1


def test_files_that_cannot_be_used_are_named(live_server: LiveServer, token: str, tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"no sound at all")
    client = earmark.Client(live_server.url, token)
    with worker(), pytest.raises(earmark.EarmarkError, match=r"a\.wav") as refused:
        client.upload(tmp_path)
    assert refused.value.code == "import.errors"
    with pytest.raises(FileNotFoundError):
        client.upload(tmp_path / "nothing")


@pytest.mark.parametrize(("method", "sent"), [("GET", 3), ("POST", 1)])
def test_only_a_request_that_reads_is_sent_again(method: str, sent: int) -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.method)
        if len(seen) == 1:
            raise httpx.ConnectError("refused")
        if len(seen) == 2:
            return httpx.Response(503, headers={"Retry-After": "0"})
        return httpx.Response(200, json={"ok": True})

    asking = Connection("http://earmark.test", "token", pause_s=0)
    asking._http = httpx.Client(base_url="http://earmark.test", transport=httpx.MockTransport(answer))
    if method == "GET":
        assert asking.json(method, "experiments/") == {"ok": True}
    else:
        with pytest.raises(earmark.EarmarkError) as refused:
            asking.json(method, "experiments/", {})
        assert refused.value.code == "unreachable"
    assert len(seen) == sent


def test_pandas_is_loaded_only_when_a_table_is_asked_for() -> None:
    program = "import sys, earmark; earmark.Client('http://earmark.test', 't'); assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT / "client")
