"""Production on this machine: what compose starts, started natively behind nginx with the file that ships."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

from core.jobs import enqueue
from core.models import Job
from scripts.console import words
from scripts.processes import Child, stop_all
from scripts.provision import nginx_program
from tests.servers import free_port
from tests.testapp.models import Effect
from tests.testapp.tasks import write

ROOT = settings.BASE_DIR
HOST = "listen.example.org"


@pytest.fixture
def nginx() -> Path:
    found = nginx_program()
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("nginx is missing; install it with: apt-get install nginx-light")
        pytest.skip("nginx is not on this machine; ./earmark test installs it where it can")
    return found


def local_configuration(folder: Path, *, listen: int, upstream: int, static: Path) -> Path:
    """The file that ships, with only its addresses and folders moved to this machine."""
    moves = {
        "listen 8080;": f"listen 127.0.0.1:{listen};",
        "server web:8000;": f"server 127.0.0.1:{upstream};",
        "/srv/static/": f"{static}/",
        "/tmp/nginx": f"{folder}/nginx",
    }
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    for shipped, moved in moves.items():
        assert shipped in text, shipped
        text = text.replace(shipped, moved)
    path = folder / "nginx.conf"
    path.write_text(text)
    return path


def nginx_command(nginx: Path, configuration: Path, directives: str = "") -> list[str]:
    # As root, nginx would give its processes to an account that cannot read a test's private folder.
    account = "user root;" if os.geteuid() == 0 else ""
    places = ["-p", str(configuration.parent), "-c", str(configuration), "-e", "stderr"]
    return [str(nginx), *places, "-g", f"{account} {directives}"]


def test_nginx_accepts_its_configuration(nginx: Path, tmp_path: Path) -> None:
    configuration = local_configuration(tmp_path, listen=free_port(), upstream=free_port(), static=tmp_path)
    done = subprocess.run([*nginx_command(nginx, configuration), "-t"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr


class Site:
    """Production on this machine: gunicorn, a Celery worker and beat, behind nginx."""

    def __init__(self, folder: Path, environment: dict[str, str], nginx: Path) -> None:
        self.port, self.upstream = free_port(), free_port()
        self.environment = environment
        configuration = local_configuration(
            folder, listen=self.port, upstream=self.upstream, static=settings.STATIC_ROOT
        )
        bind = f"127.0.0.1:{self.upstream}"
        gunicorn = ["-m", "gunicorn", "--config", ROOT / "deploy" / "gunicorn.conf.py", "--bind", bind]
        celery = ["-m", "celery", "-A", "config.celery"]
        commands: dict[str, list[Any]] = {
            "web": [sys.executable, *gunicorn, "config.wsgi:application"],
            "worker": [sys.executable, *celery, "worker", "--concurrency", "2", "--loglevel", "WARNING"],
            "beat": [sys.executable, *celery, "beat", "--pidfile=", "--loglevel", "WARNING"],
            "nginx": nginx_command(nginx, configuration, "daemon off;"),
        }
        self.children = {
            name: Child(name, command, log=folder / f"{name}.log", env=environment)
            for name, command in commands.items()
        }

    @contextmanager
    def running(self) -> Iterator["Site"]:
        with ExitStack() as stack:
            stack.callback(stop_all, list(self.children.values()))
            for child in self.children.values():
                child.start()
            self.eventually("an answer through nginx", lambda: self.open("/healthz").status == 200)
            yield self

    def open(self, path: str, *, data: bytes | None = None, headers: dict[str, str] | None = None) -> HTTPResponse:
        """What a browser would get from the TLS proxy's side; an error status is an answer too."""
        sent = {"Host": HOST, "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9", **(headers or {})}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=data, headers=sent)
        try:
            answer = urllib.request.build_opener(urllib.request.ProxyHandler({}), Unmoved()).open(request, timeout=20)
        except urllib.error.HTTPError as error:
            answer = error
        assert isinstance(answer, HTTPResponse | urllib.error.HTTPError)
        return answer  # type: ignore[return-value]

    def eventually(self, what: str, condition: Callable[[], bool], *, timeout_s: float = 90) -> None:
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                if condition():
                    return
            except OSError:
                pass
            logs = {name: child.log.read_text(errors="replace")[-1500:] for name, child in self.children.items()}
            assert time.monotonic() < deadline, f"{what} did not happen in {timeout_s} s:\n{json.dumps(logs, indent=1)}"
            time.sleep(0.3)


def healthy(environment: dict[str, str], *what: str) -> bool:
    """What the container's own health check says."""
    command = words(sys.executable, ROOT / "deploy" / "healthcheck.py", *what)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(command, cwd=ROOT, env={**environment, "PATH": path}, check=False).returncode == 0


class Unmoved(urllib.request.HTTPRedirectHandler):
    """A redirect is shown, not followed."""

    def redirect_request(self, *args: Any, **options: Any) -> None:
        return None


@pytest.fixture
def site(process_environment: dict[str, str], nginx: Path, tmp_path: Path) -> Iterator[Site]:
    call_command("collectstatic", interactive=False, verbosity=0)
    production = {
        **process_environment,
        "EARMARK_PRODUCTION": "true",
        "EARMARK_SECRET_KEY": "only-for-this-test-" * 4,
        "EARMARK_SEAL_KEY": settings.SEAL_KEYS[0],
        "EARMARK_HOSTS": HOST,
        "EARMARK_PUBLIC_URL": f"https://{HOST}",
        "EARMARK_RESULTS_EVERY_S": "2",  # beat sends its first messages so soon; otherwise after half a minute
        "PYTHONPATH": str(ROOT),
    }
    with Site(tmp_path, production, nginx).running() as running:
        yield running


@pytest.mark.redis
@pytest.mark.postgresql
def test_what_compose_starts_works_together_behind_nginx(site: Site) -> None:
    page = site.open("/accounts/login/")
    assert page.status == 200
    assert page.headers["Referrer-Policy"] == "same-origin"
    assert page.headers["Strict-Transport-Security"]
    assert "ETag" not in page.headers
    assert site.open("/healthz", headers={"Host": "elsewhere.example.org"}).status == 400
    plain = site.open("/accounts/login/", headers={"X-Forwarded-Proto": "http"})
    assert (plain.status, plain.headers["Location"]) == (301, f"https://{HOST}/accounts/login/")

    # Static files come from nginx itself, without a trace of when or how they were made.
    style = next(path for path in sorted(settings.STATIC_ROOT.rglob("*.css")))
    served = site.open(f"/static/{style.relative_to(settings.STATIC_ROOT)}")
    assert served.read() == style.read_bytes()
    assert "ETag" not in served.headers
    assert "immutable" in served.headers["Cache-Control"]

    # What is stored has no address of its own.
    for path in ("/_files/recordings/x.wav", "/files/x", "/exports/votes.csv", "/media/x", "/copies/earmark.sqlite3"):
        assert site.open(path).status == 404, path

    # A batch of votes that is too large is refused in the one error shape, before it reaches the application.
    votes = "/api/v1/visits/00000000-0000-0000-0000-000000000000/votes/"
    refused = site.open(votes, data=b"x" * 70_000, headers={"Content-Type": "application/json"})
    assert (refused.status, refused.headers["Content-Type"]) == (413, "application/problem+json")
    assert json.loads(refused.read())["code"] == "request.too_large"
    assert site.open(votes, data=b"{}", headers={"Content-Type": "application/json"}).status < 413

    # gunicorn has a log of its own for requests that it cannot read, and writes no link down there.
    with socket.create_connection(("127.0.0.1", site.upstream), timeout=60) as line:
        line.sendall(b"GET /join/Wg2zefXkQ93nV_1b-2Lm/\r\nHost: 127.0.0.1\r\n\r\n")
        assert line.recv(12) == b"HTTP/1.1 400"
    log = site.children["web"].log
    site.eventually("a line in the log", lambda: "/join/[hidden]" in log.read_text())
    assert "Wg2zef" not in log.read_text()

    # A job goes out over Redis, is done by the Celery worker, and beat keeps the schedule.
    job = enqueue(write, effect="delivered")
    site.eventually("the job", lambda: Job.objects.get(pk=job.pk).state == Job.State.DONE)
    assert Effect.objects.filter(key="delivered").count() == 1
    site.eventually("a scheduled job", lambda: Job.objects.exclude(pk=job.pk).filter(state=Job.State.DONE).exists())
    assert healthy(site.environment, "web", str(site.upstream))
    assert healthy(site.environment, "worker")
    assert healthy(site.environment, "beat")


def test_health_checks_fail_where_nothing_runs(tmp_path: Path) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))  # bound and never listening: a connection is refused
        assert not healthy(dict(os.environ), "web", str(deaf.getsockname()[1]))
    assert not healthy({**os.environ, "EARMARK_DATA_DIR": str(tmp_path)}, "beat")
