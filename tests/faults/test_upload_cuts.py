"""Uploads are cut, stalled and killed, and disks fill up: every file arrives as it was sent, little is sent twice."""

import hashlib
import os
import random
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings

from stimuli.models import ImportFile
from stimuli.uploads import files as upload_files
from stimuli.uploads.manifest import DeclaredFile
from tests.faults.tus_sender import Cut, TusSender, hang_up, reset
from tests.faults.web_server import WebServer, web_server
from tests.people import token_of
from tests.scale import ALL
from tests.stimuli.import_material import begin, new_collection
from tests.waiting import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

MIB = 2**20
CUTS = 10 if ALL else 6  # in the short run one of each kind
FILE_BYTES = (2 + 3 * CUTS) * MIB
PIECE_BYTES = 2 * MIB
LIMIT_S = 240


def sender_to(web: WebServer, content: bytes, *, with_checksums: bool) -> tuple[TusSender, ImportFile]:
    """A file that was announced, and its sender."""
    collection = new_collection()
    upload = begin(collection, DeclaredFile("day.wav", len(content))).files.get()
    sender = TusSender(
        server=web.url,
        address=f"/api/v1/uploads/{upload.pk}/",
        token=token_of(collection.owner, "read", "write"),
        content=content,
        piece_bytes=PIECE_BYTES,
        with_checksums=with_checksums,
        deadline=time.monotonic() + LIMIT_S,
    )
    return sender, upload


def every_cut(web: WebServer, left_open: list[socket.socket]) -> list[Cut]:
    """What happens to so many of the requests, each somewhere in the middle of its piece."""
    chance = random.Random(20261115)

    def kill_worker(wire: socket.socket) -> None:
        web.kill_a_worker(chance)
        wire.close()

    def kill_server(wire: socket.socket) -> None:
        web.kill()
        web.start()
        wire.close()

    def restart(wire: socket.socket) -> None:
        wire.close()
        web.stop()
        web.start()

    def fall_silent(wire: socket.socket) -> None:
        left_open.append(wire)  # as a laptop that is closed: nobody tells the server
        time.sleep(0.5)  # the server has begun to read by now, so that it holds the file

    cuts: list[Cut] = [reset, hang_up, kill_worker, kill_server, restart, fall_silent]
    cuts += [reset, reset, hang_up, kill_worker][: CUTS - len(cuts)]
    chance.shuffle(cuts)
    return cuts


def cut_often(web: WebServer, *, with_checksums: bool) -> tuple[TusSender, ImportFile]:
    chance = random.Random(11)
    sender, upload = sender_to(web, chance.randbytes(FILE_BYTES), with_checksums=with_checksums)
    left_open: list[socket.socket] = []
    places = [number * 3 * MIB + chance.randrange(64 * 1024, 2 * MIB) for number in range(CUTS)]
    sender.cuts = dict(zip(places, every_cut(web, left_open), strict=True))
    sender.send_all()
    for wire in left_open:
        wire.close()
    assert sender.cuts == {}, "every cut must have fallen"
    return sender, upload


@pytest.mark.parametrize("with_checksums", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_file_that_is_cut_often_arrives_as_it_was_sent(
    process_environment: dict[str, str], report: Callable[[str], None], with_checksums: bool
) -> None:
    with web_server(process_environment) as web:
        sender, upload = cut_often(web, with_checksums=with_checksums)
    resent = sender.sent_bytes - FILE_BYTES
    report(
        f"{FILE_BYTES // MIB} MiB in pieces of {PIECE_BYTES // MIB} MiB, {CUTS} cuts, "
        f"{'with' if with_checksums else 'without'} checksums: {resent / MIB:.2f} MiB sent again; "
        f"answers {dict(sender.statuses)}"
    )
    arrived = upload_files.path_of(upload).read_bytes()
    assert hashlib.sha256(arrived).digest() == hashlib.sha256(sender.content).digest()
    upload.refresh_from_db()
    assert upload.received_bytes == FILE_BYTES
    assert 0 < resent <= CUTS * PIECE_BYTES
    assert set(sender.statuses) <= {200, 204, 409, 423}, "nothing but tus says"


@pytest.mark.long
def test_control_a_server_that_believes_headers_ends_up_with_another_file(process_environment: dict[str, str]) -> None:
    """Were this to pass with the right bytes, the test above would prove nothing."""
    with web_server(process_environment, application="tests.faults.unverified_uploads:application") as web:
        sender, upload = sender_to(web, random.Random(12).randbytes(8 * MIB), with_checksums=False)
        sender.cuts = {place: _once_landed(upload, place) for place in (MIB, 5 * MIB)}
        sender.send_all()
    assert upload_files.path_of(upload).read_bytes() != sender.content


def _once_landed(upload: ImportFile, place: int) -> Cut:
    """A reset that the server notices in the middle of a piece, because it has written all that was sent of it."""
    file = upload_files.path_of(upload)

    def cut(wire: socket.socket) -> None:
        wait_until(lambda: file.exists() and file.stat().st_size >= place)
        reset(wire)

    return cut


@contextmanager
def small_disk(place: Path, megabytes: int) -> Iterator[None]:
    place.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def can_mount() -> bool:
    return (
        os.geteuid() == 0
        and subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode == 0
    )


@pytest.mark.skipif(not can_mount(), reason="a small disk of its own needs the right to mount one")
def test_uploads_outlive_a_full_disk_and_finish_when_there_is_room(
    process_environment: dict[str, str], report: Callable[[str], None]
) -> None:
    """Ten files of 4 MiB onto a disk of 48 MB, of which 20 MB are taken until it has been full for a while."""
    place = Path(settings.UPLOADS_DIR)
    with small_disk(place, 48), web_server(process_environment) as web:
        contents = [random.Random(number).randbytes(4 * MIB) for number in range(10)]
        pairs = [sender_to(web, content, with_checksums=bool(n % 2)) for n, content in enumerate(contents)]
        ballast = place / "ballast"
        ballast.write_bytes(bytes(20 * MIB))
        for sender, _ in pairs:
            for start in range(0, 4 * MIB, PIECE_BYTES):
                if sender.offset() == start:
                    sender._send_piece(start)
        said: Counter[int] = sum((sender.statuses for sender, _ in pairs), Counter())
        kept = [sender.offset() for sender, _ in pairs]
        assert said[507] > 0, "the disk must have been full"
        assert said[500] == 0
        assert 0 < sum(kept) < 40 * MIB
        ballast.unlink()
        for sender, _ in pairs:
            sender.send_all()
        arrived = [upload_files.path_of(upload).read_bytes() for _, upload in pairs]
    report(f"full disk: answers {dict(said)}, {sum(kept) / MIB:.1f} of 40 MiB kept, 10 of 10 finished")
    assert arrived == contents
    assert ImportFile.objects.incomplete().count() == 0
