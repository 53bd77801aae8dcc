"""One import and ingest in a process of its own: python -m bench.ingest_once RECORDING DATA_DIR WORKERS [stages]."""

import json
import os
import sys
import threading
import time
from pathlib import Path

POLL_S = 0.05
LOOK_S = 0.5


def main(recording: Path, data: Path, workers: int, *, by_stage: bool) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("create_account", "bench", verbosity=0)
    folder = data / "incoming"
    folder.mkdir()
    (folder / recording.name).hardlink_to(recording)
    if by_stage:
        from bench.parent_stages import Profile

        profile = Profile()
        profile.here.around(sys.modules[__name__], "is_ingesting", "has_first_hour", stage="this benchmark, looking on")
    start_up_s, started = time.process_time(), time.perf_counter()
    call_command("import_stimuli", str(folder), collection="bench", verbosity=0)
    first_hour_s = _work(workers, started)
    whole_s = time.perf_counter() - started
    if by_stage:
        (data / "stages").write_text(json.dumps(profile.rows()))
    derived = sum(path.stat().st_size for path in (data / "files" / "derived").rglob("*") if path.is_file())
    (data / "report").write_text(
        f"start_up_s={start_up_s} whole_s={whole_s} first_hour={first_hour_s / whole_s} derived_mb={derived / 1e6}"
    )


def _work(workers: int, started: float) -> float:
    """Run the worker until the recording is ready; return when its first hour was."""
    from core.jobs.worker import Worker

    worker = Worker(threads=2 * workers, poll_s=POLL_S)  # half of its threads take chunks
    thread = threading.Thread(target=worker.run)
    thread.start()
    first_hour_s = 0.0
    try:
        while is_ingesting():
            if not first_hour_s and has_first_hour():
                first_hour_s = time.perf_counter() - started
            time.sleep(LOOK_S)
    finally:
        worker.stop()
        thread.join()
    return first_hour_s


def is_ingesting() -> bool:
    from stimuli.models import Recording

    recording = Recording.objects.only("state", "error").get()
    if recording.state == Recording.State.REFUSED:
        sys.exit(recording.error)
    return recording.state == Recording.State.INGESTING


def has_first_hour() -> bool:
    from stimuli.models import Recording
    from stimuli.services.ingest import missing_chunks
    from stimuli.services.sources import pyramid_of

    recording = Recording.objects.get()
    chunks = -(-3600 * recording.sample_rate_hz // pyramid_of(recording).chunk_samples)
    return min(missing_chunks(recording), default=chunks) >= chunks


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), by_stage="stages" in sys.argv[4:])
