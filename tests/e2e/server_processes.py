"""The platform's own processes in a folder of their own, an experimenter at them over HTTP, and what they weigh."""

import hashlib
import io
import mmap
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import av
import httpx
import numpy as np
import soundfile
from numpy.typing import NDArray
from PIL import Image

from audio.formats import Samples
from bench import processes
from core.models import User
from scripts.console import ROOT
from scripts.processes import dies_with_parent
from tests.faults.tus_sender import TusSender, reset
from tests.faults.web_server import web_server
from tests.people import browser_of, token_of

WEIGH_EVERY_S = 0.1
LOOK_EVERY_S = 0.1
PATIENCE_S = 600
PIECE_BYTES = 8 * 2**20  # as the page sends them

# --- Processes --------------------------------------------------------------------------------------------------------


class Tree:
    """A process and its descendants, whose memory is measured again and again.

    The kernel walks through all pages of a process to say what it weighs. Its pages are still the same as long as it
    ran into no page fault; only whom it shares them with changes, so all are read anew each second and whenever a
    process came or went.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._known: dict[int, tuple[Sequence[str], int]] = {}
        self._all_read_at = 0.0

    def weight_kb(self) -> int:
        """Pss: a page that several processes share is divided among them."""
        # Listed first: a child that came after its parent was read would be counted with pages that the parent's hold.
        members = [(process, _page_counts(process)) for process in list(processes.tree(self._root))]
        if self._known.keys() != {process for process, _ in members} or time.monotonic() > self._all_read_at + 1:
            self._known, self._all_read_at = {}, time.monotonic()
        for process, counts in members:
            if process not in self._known or self._known[process][0] != counts:
                self._known[process] = counts, processes.proportional_kb(process)
        return sum(weight_kb for _, weight_kb in self._known.values())


def _page_counts(process: int) -> Sequence[str]:
    """Page faults, minor and major, and resident pages (proc_pid_stat(5)); nothing of a process that is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ()
    return fields[7], fields[9], fields[21]


class Scales:
    """The highest weights of trees of processes, in a thread of their own."""

    def __init__(self, **roots: int) -> None:
        self.peak_mb = dict.fromkeys(roots, 0.0)
        self._trees = {name: Tree(root) for name, root in roots.items()}
        self._over = threading.Event()

    @contextmanager
    def weighing(self) -> Iterator[None]:
        thread = threading.Thread(target=self._weigh_on, name="scales")
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def _weigh_on(self) -> None:
        while not self._over.wait(WEIGH_EVERY_S):
            for name, tree in self._trees.items():
                self.peak_mb[name] = max(self.peak_mb[name], tree.weight_kb() / 1024)


@dataclass(frozen=True)
class ServerProcesses:
    """A web server and a worker at work."""

    address: str
    scales: Scales


@contextmanager
def server_processes(environment: dict[str, str], data: Path) -> Iterator[ServerProcesses]:
    """Both as `./earmark run` starts them, weighed until they leave."""
    environment = {**environment, "EARMARK_DATA_DIR": str(data)}
    with web_server(environment, application="config.wsgi") as web, _worker(environment) as worker:
        scales = Scales(web=web.pid, worker=worker)
        with scales.weighing():
            yield ServerProcesses(web.url, scales)


@contextmanager
def _worker(environment: dict[str, str]) -> Iterator[int]:
    process = subprocess.Popen(
        [sys.executable, "manage.py", "run_worker"],
        cwd=ROOT,
        env=environment,
        preexec_fn=dies_with_parent(signal.SIGTERM),  # noqa: PLW1509 - it only asks the kernel
    )
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()


# --- A person ---------------------------------------------------------------------------------------------------------


class Sending:
    """A program that hands in one file through the API."""

    def __init__(self, address: str, owner: User) -> None:
        self.address = address
        self.token = token_of(owner, "read", "write")
        self.wire = httpx.Client(
            base_url=f"{address}/api/v1", headers={"Authorization": f"Bearer {self.token}"}, timeout=60
        )

    def send(self, path: Path, *, collection: str) -> TusSender:
        """Everything up to the import, over a line that breaks once on the way."""
        self._post("/collections/", slug=collection, title=collection)
        size = path.stat().st_size
        import_ = self._post(f"/collections/{collection}/imports/", files=[{"path": path.name, "byte_count": size}])
        here = f"/collections/{collection}/imports/{import_['id']}/"
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            sender = TusSender(
                server=self.address,
                address=import_["files"][0]["upload_url"],
                token=self.token,
                content=cast(bytes, content),  # it is only ever asked for its length and for pieces
                piece_bytes=PIECE_BYTES,
                with_checksums=True,
                deadline=time.monotonic() + PATIENCE_S,
                cuts={size // 2: reset},
            )
            sender.send_all()
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        self._post(f"{here}submit/", digests={path.name: digest})
        proposed = wait_for("a proposal", lambda: self._import(here), lambda found: found["state"] != "checking")
        assert proposed["state"] == "proposed", proposed["report"]
        self._post(f"{here}confirm/")
        done = wait_for("the import", lambda: self._import(here), lambda found: found["state"] != "importing")
        assert done["state"] == "done", done["report"]
        return sender

    def _import(self, here: str) -> dict[str, Any]:
        return _json(self.wire.get(here))

    def _post(self, path: str, **body: Any) -> dict[str, Any]:
        return _json(self.wire.post(path, json=body))


class Looking:
    """An experimenter at the page of one sound, asking what the viewer asks."""

    def __init__(self, address: str, owner: User, page: str) -> None:
        cookies = {"earmark": browser_of(owner).cookies["earmark"].value}
        self.wire = httpx.Client(base_url=f"{address}{page}", cookies=cookies, timeout=60)

    def manifest(self) -> dict[str, Any]:
        return _json(self.wire.get("manifest/"))

    def get(self, path: str) -> httpx.Response:
        answer = self.wire.get(path)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:500])
        return answer

    def tile(self, statistic: str, level: int, index: int) -> NDArray[np.uint8]:
        return np.asarray(Image.open(io.BytesIO(self.get(f"tiles/{statistic}/{level}/{index}/").content)))

    def peaks(self, level: int, start: int, count: int) -> NDArray[np.int8]:
        found = self.get(f"peaks/{level}/?start={start}&count={count}").content
        return np.frombuffer(found, np.int8).reshape(-1, 2)

    def slice(self, start: int, count: int) -> Samples:
        answer = self.get(f"slice/?start={start}&count={count}")
        samples = decoded(answer.content)
        lead, length = int(answer.headers["Earmark-Lead"]), int(answer.headers["Earmark-Length"])
        kept: Samples = samples[lead : lead + length]
        return kept


def decoded(content: bytes) -> Samples:
    """All samples of a slice. libsndfile guesses the length of an MP3 by its first frame and stops there, which is too
    early where the bit rate varies."""
    if content.startswith((b"fLaC", b"RIFF")):
        samples: Samples = soundfile.read(io.BytesIO(content), dtype="float32", always_2d=True)[0]
        return samples
    with av.open(io.BytesIO(content), mode="r") as file:
        return np.concatenate([frame.to_ndarray().T for frame in file.decode(audio=0)])


def wait_for(
    what: str,
    look: Callable[[], dict[str, Any]],
    happened: Callable[[dict[str, Any]], bool],
    *,
    every_s: float = LOOK_EVERY_S,
) -> dict[str, Any]:
    """What is found when it has happened; patience ends when nothing has changed for long, not when it takes long."""
    found, deadline = look(), time.monotonic() + PATIENCE_S
    while not happened(found):
        assert time.monotonic() < deadline, f"waited in vain for {what}: {found}"
        time.sleep(every_s)
        before, found = found, look()
        if found != before:
            deadline = time.monotonic() + PATIENCE_S
    return found


def _json(answer: httpx.Response) -> dict[str, Any]:
    assert answer.is_success, (answer.status_code, answer.text[:500])
    found: dict[str, Any] = answer.json()
    return found
