"""A clip behind nginx: the application judges who asks, nginx sends the bytes, and neither tells of the file."""

import http.client
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from stimuli import storage
from stimuli.models import Stimulus
from tests.contracts.test_production import local_configuration, nginx, nginx_command  # noqa: F401 - a fixture
from tests.factories import make_experiment, sit_down
from tests.faults.web_server import WebServer
from tests.people import browser_of
from tests.servers import Server, scratch_folder


class Nginx(Server):
    """nginx with the configuration that ships; only its addresses and folders are moved to this machine."""

    def __init__(self, folder: Path, program: Path, upstream: int) -> None:
        super().__init__(folder)
        self.program = program
        self.configuration = local_configuration(folder, listen=self.port, upstream=upstream, static=folder)
        text = self.configuration.read_text()
        assert "alias /srv/files/;" in text
        self.configuration.write_text(text.replace("/srv/files/", f"{settings.MEDIA_ROOT}/"))

    def command(self) -> list[str]:
        return nginx_command(self.program, self.configuration, "daemon off;")

    def answers(self) -> bool:
        with suppress(OSError):
            return self.ask(Client(), "/nginx-alive")[0] == 200
        return False

    def ask(self, client: Client, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        line.request(method, path, headers={"Cookie": cookies, "Host": "127.0.0.1", **headers})
        answer = line.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        line.close()
        return found


@pytest.fixture
def site(process_environment: dict[str, str], nginx: Path) -> Iterator[Nginx]:  # noqa: F811
    with scratch_folder("web") as web_folder, scratch_folder("nginx") as folder:
        accelerated = process_environment | {"EARMARK_X_ACCEL_PREFIX": "/_files/"}
        web = WebServer(web_folder, accelerated, "config.wsgi:application")
        front = Nginx(folder, nginx, web.port)
        try:
            web.start()
            front.start()
            yield front
        finally:
            front.stop()
            web.stop()


def clip_of(stimulus: Stimulus) -> str:
    return f"/collections/{stimulus.item.collection.slug}/{stimulus.pk}/sound/clip/"


@pytest.mark.django_db(transaction=True)
def test_nginx_sends_whole_clips_and_ranges_after_the_application_has_judged(site: Nginx) -> None:
    experiment = make_experiment(seats=1)
    stimulus = Stimulus.objects.filter(item__collection=experiment.collection)[0]
    sound = storage.read_range(str(stimulus.served.name), 0, 100_000)
    owner, stranger, participant = browser_of(experiment.owner), Client(), sit_down(experiment)
    address = clip_of(stimulus)

    status, headers, content = site.ask(owner, address)
    assert (status, content) == (200, sound)
    assert headers["Content-Type"] == "audio/wav"
    assert headers["Cache-Control"] == "private, no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert not {"ETag", "Last-Modified", "Content-Disposition", "X-Accel-Redirect"} & set(headers)

    status, headers, content = site.ask(owner, address, Range="bytes=1000-1999")
    assert (status, content) == (206, sound[1000:2000])
    assert headers["Content-Range"] == f"bytes 1000-1999/{len(sound)}"
    assert not {"ETag", "Last-Modified"} & set(headers)
    assert site.ask(owner, address, Range=f"bytes={len(sound)}-")[0] == 416
    status, headers, content = site.ask(owner, address, method="HEAD")
    assert (status, headers["Content-Length"], content) == (200, str(len(sound)), b"")

    assert site.ask(stranger, address)[0] == 302
    assert site.ask(stranger, f"/_files/{stimulus.served.name}")[0] == 404
    assert site.ask(owner, f"/_files/{stimulus.served.name}")[0] == 404

    told = set()
    for page in participant.upcoming()["trials"]:
        for clip in page["media"].values():
            status, headers, _ = site.ask(participant.client, clip["url"])
            assert status == 200
            told.add(str(sorted((name, value) for name, value in headers.items() if name != "Date")))
            assert site.ask(stranger, clip["url"])[0] == 401
    assert len(told) == 1
