"""Ingest of long recordings: chunks in any order by any worker, then one merge; only what is missing is made."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction

from audio.errors import SoundBroken, gettext_noop
from audio.sandbox.client import Limits
from core.errors import AppError
from core.jobs import JobKind, JobRun, enqueue, job
from core.models import Job, User
from stimuli import storage
from stimuli.models import Chunk, Recording
from stimuli.sandbox import SandboxFailure, to_app_error
from stimuli.services import merge_chunks
from stimuli.services.sources import Derived, original_of, pyramid_of, run_on_source
from stimuli.uploads import files as upload_files

# A chunk costs a second or two; eight channels of it, or a master, cost more. Then it is the file that is at fault.
LIMITS = Limits(cpu_s=300, wall_s=600, memory_bytes=2**30, result_bytes=2**29)
# A machine that is short of memory or time can make a decoder die too, so these are tried again before they count.
MAY_PASS = SandboxFailure
MOST_FAILED = 3
AT_ONCE = 2
# Time left is judged by the last chunks only: a night without a worker says nothing about the speed of one.
RECENT_CHUNKS = 20
# No file takes so long to write, and no recording to merge.
FORGOTTEN_AFTER = timedelta(days=1)

# Opens the transaction of a change: an ordinary one, or that of a job, which ends the job or checks its lease.
Transactional = Callable[[], AbstractContextManager[None]]


class TransientDecodeError(Exception):
    """The decoder failed for a reason that may be temporary; the job is tried again."""


@transaction.atomic
def begin_ingest(*, recording: Recording, index: bytes = b"", requested_by: User | None = None) -> None:
    """Ask for all chunks of a long recording, the earliest first, in the transaction that brings the recording in.

    `index` is what audio.validate:probe_file found. A recording that was rejected before gets another chance:
    what rejected it may have been mended.
    """
    if recording.state == Recording.State.READY:
        return
    recording.state, recording.error = Recording.State.INGESTING, ""
    recording.save(update_fields=["state", "error"])
    if index:
        storage.keep(Derived.of(recording).frames, index)
    ask_for_missing(recording=recording, requested_by=requested_by)


def ask_for_missing(*, recording: Recording, requested_by: User | None = None) -> int:
    """Enqueue jobs for what is missing and has no job; return how many.

    Every kill of a worker counts as an attempt of an innocent job, so a failed one is asked for again a few times
    before it is left to a person. A cancelled one is asked for again by a person alone.
    """
    wanted: dict[str, tuple[JobKind[...], dict[str, int]]] = {
        _key(ingest_chunk, recording, number): (ingest_chunk, {"number": number})
        for number in missing_chunks(recording)
    }
    wanted = wanted or {_key(merge_recording, recording): (merge_recording, {})}
    jobs = Job.objects.filter(key__in=wanted)
    failed = Counter(jobs.filter(state=Job.State.FAILED).values_list("key", flat=True))
    busy = {*jobs.unfinished().values_list("key", flat=True), *(key for key in failed if failed[key] >= MOST_FAILED)}
    if requested_by is None:
        busy |= {*jobs.filter(state=Job.State.CANCELLED).values_list("key", flat=True)}
    for key, (kind, arguments) in wanted.items():
        if key not in busy:
            enqueue(kind, key=key, requested_by=requested_by, recording_id=str(recording.pk), **arguments)
    return len(wanted.keys() - busy)


def resume_ingests(*, run: JobRun, now: datetime) -> None:
    """Enqueue missing work that no job is about, and remove files that killed processes have left."""
    _clear_scratch(before=now - FORGOTTEN_AFTER)
    waiting = list(Recording.objects.filter(state=Recording.State.INGESTING))
    for done, recording in enumerate(waiting, start=1):
        with run.fenced():
            ask_for_missing(recording=recording)
        run.progress(done, len(waiting))


@job(queue="bulk", title=gettext_noop("Preparing a long recording"))
def ingest_chunk(*, run: JobRun, recording_id: str, number: int) -> None:
    """Make one chunk, in no transaction, and add its row in the commit that ends the job."""
    recording = Recording.objects.filter(pk=recording_id).first()
    if recording is None or recording.chunks.filter(number=number).exists():
        return
    if recording.state != Recording.State.INGESTING:
        storage.remove(Derived.of(recording).chunk(number))  # by an attempt that was killed
        return
    with _rejecting(run, recording):
        make_chunk(recording=recording, number=number)
        add_chunk(recording, number, transactional=run.finish)


@job(queue="bulk", title=gettext_noop("Putting a long recording together"))
def merge_recording(*, run: JobRun, recording_id: str) -> None:
    """Make the final files out of the chunks, without decoding; then remove the chunks."""
    recording = Recording.objects.filter(pk=recording_id).first()
    if recording is None:
        return
    is_ingesting = recording.state == Recording.State.INGESTING
    if is_ingesting and missing_chunks(recording):
        with run.finish():
            ask_for_missing(recording=recording)
        return
    if is_ingesting:
        _merge(recording, transactional=run.fenced)
    _remove_chunks(recording, transactional=run.finish)


def ingest_at_once(*, recording: Recording, told: Callable[[int, int], None] = lambda done, total: None) -> None:
    """Ingest in this process, for a command that waits; jobs that were enqueued find nothing left to do."""
    total, missing = chunk_count(recording), missing_chunks(recording)
    make = partial(make_chunk, recording=recording)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        making = {number: pool.submit(make, number=number) for number in missing}
        try:
            for done, number in enumerate(missing, start=total - len(missing)):
                told(done, total)
                making[number].result()
                add_chunk(recording, number)
        except AppError as error:
            pool.shutdown(wait=False, cancel_futures=True)
            _reject(recording, error)
            raise
    _merge(recording)
    _remove_chunks(recording)
    told(total, total)


def chunk_count(recording: Recording) -> int:
    return pyramid_of(recording).chunks


def missing_chunks(recording: Recording) -> list[int]:
    there = set(recording.chunks.values_list("number", flat=True))
    return [number for number in range(chunk_count(recording)) if number not in there]


def ingest_progress(*, recording: Recording) -> dict[str, Any]:
    """How many chunks are done, of how many, and about how many seconds are left (None while unknown)."""
    total = chunk_count(recording)
    if recording.state == Recording.State.READY:
        return {"done": total, "total": total, "time_left_s": 0.0}
    done = recording.chunks.count()
    times: list[datetime] = list(recording.chunks.order_by("-created_at").values_list("created_at", flat=True))
    recent = times[:RECENT_CHUNKS]
    time_left_s = None
    if len(recent) > 1:
        time_left_s = (recent[0] - recent[-1]).total_seconds() / (len(recent) - 1) * (total - done)
    return {"done": done, "total": total, "time_left_s": time_left_s}


def make_chunk(*, recording: Recording, number: int) -> None:
    """Decode a chunk once, in the sandbox, and keep all that comes of it under names that its number gives."""
    name = f"{recording}"
    found = run_on_source("audio.chunks:analyse_file", original_of(recording), number=number, name=name, limits=LIMITS)
    if found.facts["length_samples"] != recording.length_samples:
        problem = gettext_noop("it has {count} samples now, and had {before} when it came")
        count, before = found.facts["length_samples"], recording.length_samples
        raise to_app_error(SoundBroken(name=name, problem=problem, count=count, before=before))
    derived = Derived.of(recording)
    if "master" in found.blobs:
        storage.keep(derived.master(number), found.blobs["master"])
    storage.keep(derived.chunk(number), found.blobs["chunk"])


def add_chunk(recording: Recording, number: int, *, transactional: Transactional = transaction.atomic) -> None:
    """Record that a chunk is made; the last one enqueues the merge."""
    with transactional():
        # Two processes that add the last two chunks at once must each see the other's.
        locked = Recording.objects.select_for_update().get(pk=recording.pk)
        if locked.state != Recording.State.INGESTING:  # rejected for another chunk, or finished by another process
            storage.remove(Derived.of(recording).chunk(number))
            return
        Chunk.objects.get_or_create(recording=locked, number=number)
        if not missing_chunks(locked):
            ask_for_missing(recording=locked)


def _merge(recording: Recording, *, transactional: Transactional = transaction.atomic) -> None:
    """Make the final files and set the recording ready.

    A command and a worker may do this at once: both make the same files, and the first writes the row. The other may
    then find the chunks removed, which is no error.
    """
    try:
        merged = merge_chunks.merge(recording=recording)
    except FileNotFoundError:
        recording.refresh_from_db()
        if recording.state != Recording.State.READY:
            raise
    else:
        with transactional():
            recording.refresh_from_db(from_queryset=Recording.objects.select_for_update())
            if recording.state != Recording.State.READY:
                recording.state = Recording.State.READY
                recording.measures, recording.outline = merged.measures.to_json(), merged.outline
                recording.clock = [stretch.to_json() for stretch in merged.clock]
                recording.save(update_fields=["state", "measures", "outline", "clock"])


def _remove_chunks(recording: Recording, *, transactional: Transactional = transaction.atomic) -> None:
    """Remove the files first and the rows after them, so that the job can resume after a kill in between."""
    derived = Derived.of(recording)
    for number in range(chunk_count(recording)):
        storage.remove(derived.chunk(number))
    with transactional():
        recording.chunks.all().delete()


def _clear_scratch(*, before: datetime) -> None:
    storage.clear_scratch(before=before)
    upload_files.clear_scratch(before=before)
    merge_chunks.clear_scratch(before=before)


@contextmanager
def _rejecting(run: JobRun, recording: Recording) -> Iterator[None]:
    """Reject the recording if the decoder rejects it; temporary failures are retried first."""
    try:
        yield
    except MAY_PASS as error:
        if run.job.attempts < settings.JOB_MAX_ATTEMPTS:
            raise TransientDecodeError(str(error)) from error
        _reject(recording, error, transactional=run.finish)
    except AppError as error:
        _reject(recording, error, transactional=run.finish)


def _reject(recording: Recording, error: AppError, *, transactional: Transactional = transaction.atomic) -> None:
    """Store why the recording cannot be used, and enqueue the removal of its chunks."""
    with transactional():
        recording.state, recording.error = Recording.State.REFUSED, str(error)
        recording.save(update_fields=["state", "error"])
        enqueue(merge_recording, key=_key(merge_recording, recording), recording_id=str(recording.pk))


def _key(kind: JobKind[...], recording: Recording, number: int | None = None) -> str:
    return f"{kind.name} {recording.pk}" if number is None else f"{kind.name} {recording.pk} {number}"
