"""Start delay of an import check and a results refresh while a day-long recording is ingested: embedded and Celery."""

import hashlib
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import StringIO
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from bench.material import clips
from tests.audio.long_recordings import day_mp3
from tests.servers import postgres_server, redis_server, scratch_folder

if TYPE_CHECKING:
    from core.models import Job, User

HOURS = int(os.environ.get("EARMARK_BENCH_HOURS", "24"))
ITEMS, CONDITIONS = 20, 3
ROUNDS, PAUSE_S = 10, 3.0
PATIENCE_S = 120
AIM_S = 2.0

CELERY = (sys.executable, "-m", "celery", "-A", "config.celery")
QUIET = ("--concurrency", "2", "--loglevel", "ERROR")
EMBEDDED: list[tuple[str, ...]] = [(sys.executable, "manage.py", "run_worker")]
PRODUCTION = [
    (*CELERY, "worker", "-Q", "interactive,results", "-n", "people@%h", *QUIET),
    (*CELERY, "worker", "-Q", "bulk", "-n", "bulk@%h", *QUIET),
    (*CELERY, "beat", "--pidfile=", "--loglevel", "ERROR"),
]


def run() -> Iterator[str]:
    """Each set-up in a process of its own, because each has a database of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        material = Path(scratch)
        (material / "day").mkdir()
        day_mp3(material / "day" / "day.mp3", hours=HOURS)
        clips(material / "clips", items=ITEMS, conditions=CONDITIONS)
        for name in ("embedded", "celery"):
            with _servers(name) as environment:
                command = [sys.executable, "-m", "bench.waiting", name, scratch]
                yield from subprocess.check_output(command, env=environment, text=True).splitlines()


@contextmanager
def _servers(name: str) -> Iterator[dict[str, str]]:
    with ExitStack() as stack:
        folder = stack.enter_context(scratch_folder("waiting"))
        environment = {**os.environ, "EARMARK_DATA_DIR": str(folder), "EARMARK_LONGEST_RECORDING_H": "26"}
        if name == "celery":
            environment["EARMARK_DATABASE_URL"] = stack.enter_context(postgres_server()).url()
            environment["EARMARK_REDIS_URL"] = stack.enter_context(redis_server()).url()
        yield environment


def main(name: str, material: Path) -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("create_account", "bench", stdout=StringIO())
    call_command("import_stimuli", str(material / "day"), collection="day", stdout=StringIO(), stderr=StringIO())
    with _workers(PRODUCTION if name == "celery" else EMBEDDED):
        delays, running = _measure(material / "clips")
    for what, waited in delays.items():
        print(
            f"{name}: {what} starts after {median(waited):.2f} s, at most {max(waited):.2f} s of {len(waited)} "
            f"(aim {AIM_S:g}), while {min(running)} to {max(running)} chunks are made and {_chunks_left()} wait; "
            f"load of the machine {os.getloadavg()[0]:.1f}"
        )


@contextmanager
def _workers(commands: list[tuple[str, ...]]) -> Iterator[None]:
    started = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for command in commands]
    try:
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(PATIENCE_S)


def _measure(folder: Path) -> tuple[dict[str, list[float]], list[int]]:
    """Ask for both again and again; the delay is from the commit of the row to its claim."""
    from django.db.models import F

    from analysis.tasks import refresh_results
    from core.jobs import enqueue
    from core.models import Job, User

    owner = User.objects.get(username="bench")
    delays: dict[str, list[float]] = {f"a check of {ITEMS * CONDITIONS} files": [], "a results refresh": []}
    running: list[int] = []
    _wait(lambda: _chunks("running") > 0)
    for number in range(ROUNDS):
        time.sleep(PAUSE_S)
        running.append(_chunks("running"))
        asked = [_sealed(folder, owner, number), enqueue(refresh_results, experiment_id=str(uuid.uuid4()))]
        rows = Job.objects.filter(pk__in=[job.pk for job in asked])
        _wait(lambda rows=rows: not rows.unfinished().exists())  # type: ignore[misc]
        for job, waited in zip(asked, delays.values(), strict=True):
            delay = rows.filter(pk=job.pk).values_list(F("started_at") - F("not_before"), flat=True).get()
            waited.append(delay.total_seconds())
    return delays, running


def _sealed(folder: Path, owner: "User", number: int) -> "Job":
    """The check of an import whose files have all arrived."""
    from django.utils import timezone

    from core.models import Job
    from stimuli.announcements import Announced
    from stimuli.services import intakes, uploads
    from stimuli.services.imports import check_intake

    paths = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*.wav"))}
    files = [Announced(name, path.stat().st_size) for name, path in paths.items()]
    collection = intakes.open_collection(owner=owner, slug=f"clips-{number}", title="Clips")
    intake = intakes.begin_intake(collection=collection, owner=owner, files=files, now=timezone.now())
    for upload in intake.files.all():
        with paths[upload.path].open("rb") as stream:
            incoming = uploads.Incoming(offset=0, byte_count=upload.byte_count, stream=stream)
            uploads.receive(upload=upload, incoming=incoming, now=timezone.now())
    digests = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in paths.items()}
    intakes.seal_intake(intake=intake, digests=digests, actor=owner, now=timezone.now())
    return Job.objects.get(name=check_intake.name, arguments__intake_id=str(intake.pk))


def _chunks(state: str) -> int:
    from core.models import Job
    from stimuli.services.ingest import ingest_chunk

    return Job.objects.filter(name=ingest_chunk.name, state=state).count()


def _chunks_left() -> int:
    return _chunks("queued") + _chunks("running")


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            sys.exit("waited in vain: no worker takes the job")
        time.sleep(0.02)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
