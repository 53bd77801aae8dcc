"""Audio files behind a stimulus: the original for experimenters, the anonymous clip for participants."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Self

from django.conf import settings
from django.utils.translation import gettext_noop as _

from audio.clock import Stretch
from audio.formats import CANNOT_BE_CUT, Format, Shape
from audio.pyramid import BIN_SAMPLES, FINE_BIN_SAMPLES, Pyramid
from audio.sandbox.client import Outcome
from audio.slices import Coding, are_similar
from core.errors import AppError
from stimuli import storage
from stimuli.disk_cache import DiskCache
from stimuli.models import DERIVATION, Condition, Recording, Stimulus
from stimuli.sandbox import run_sandboxed
from stimuli.services.clips import is_short
from stimuli.services.clocks import clock_of, no_sound


@dataclass(frozen=True)
class Derived:
    """Storage names of the derived files of a recording; a file that is made again has the same bytes and name."""

    folder: str

    @classmethod
    def of(cls, recording: Recording) -> Self:
        return cls(f"derived/{recording.sha256}/{DERIVATION}")

    @property
    def frames(self) -> str:
        return f"{self.folder}/frames.idx"

    def file(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def chunk(self, number: int) -> str:
        return f"{self.folder}/chunk-{number:05}.bin"

    def master(self, number: int) -> str:
        return f"{self.folder}/master-{number:05}.flac"


# --- Sources ----------------------------------------------------------------------------------------------------------


LONGEST_SLICE_S = 10
MB = 10**6


@dataclass(frozen=True)
class Source:
    """A file in storage that is heard and drawn, and the recording that it stands for."""

    recording: Recording
    name: str  # of the file in storage; it is named by its content, so it also names what is made of it
    format: Format
    clip: str = ""  # the name of the whole as it is served, where it is short enough for that
    clock: tuple[Stretch, ...] = ()  # what time it was where, as the stimulus says

    @property
    def is_long(self) -> bool:
        return is_long(self.recording)

    @property
    def is_ready(self) -> bool:
        return self.recording.state == Recording.State.READY

    @property
    def has_masters(self) -> bool:
        return self.is_long and self.format in CANNOT_BE_CUT

    @property
    def length_samples(self) -> int:
        return self.recording.length_samples

    @property
    def longest_slice_samples(self) -> int:
        return LONGEST_SLICE_S * self.recording.sample_rate_hz

    @property
    def shape(self) -> Shape:
        return shape_of(self.recording)

    @property
    def derived(self) -> Derived:
        return Derived.of(self.recording)

    @property
    def pyramid(self) -> Pyramid:
        return pyramid_of(self.recording)


def original_of(recording: Recording) -> Source:
    return Source(recording, str(recording.file.name), Format(recording.format))


def source_for_staff(stimulus: Stimulus) -> Source:
    return replace(original_of(_usable(stimulus)), clip=stimulus.served.name or "", clock=clock_of(stimulus))


def source_for_participant(stimulus: Stimulus) -> Source:
    """A short sound is its served clip in everything, so that no slice or picture tells how it came.

    Only the summaries of a recording are heard from their own frames, a tenth of the bytes, and only where that does
    not tell one from another.
    """
    recording = _usable(stimulus)
    served, clock = stimulus.served.name or "", clock_of(stimulus)
    if is_long(recording) or _is_alike_summary(stimulus, recording):
        return replace(original_of(recording), clip=served, clock=clock)
    return Source(recording, served, Format.WAV, clip=served, clock=clock)


def _is_alike_summary(stimulus: Stimulus, recording: Recording) -> bool:
    """Whether a clip stands beside a full-length recording, and all clips there are MP3 of about the same bit rate."""
    if recording.format != Format.MP3:
        return False
    fields = ("condition__role", "recording__format", "recording__byte_count", "recording__length_samples")
    rows = Stimulus.objects.filter(item=stimulus.item_id, recording__isnull=False)
    beside = list(rows.values_list(*fields, "recording__sample_rate_hz"))
    summaries = [
        Coding(Format(coded), 8 * byte_count * rate / length)
        for role, coded, byte_count, length, rate in beside
        if role != Condition.Role.FULL_LENGTH
    ]
    return len(summaries) < len(beside) and are_similar(summaries)


def is_long(recording: Recording) -> bool:
    return not is_short(recording.length_samples, recording.sample_rate_hz)


def shape_of(recording: Recording) -> Shape:
    return Shape(
        format=recording.format,
        sample_rate_hz=recording.sample_rate_hz,
        channels=recording.channels,
        length_samples=recording.length_samples,
        bits=recording.bits,
    )


def pyramid_of(recording: Recording) -> Pyramid:
    return Pyramid.of(shape_of(recording), finest_bin=BIN_SAMPLES if is_long(recording) else FINE_BIN_SAMPLES)


def index_of(source: Source) -> bytes:
    """The frame index of an MP3; other formats have none. It is small, so the last few stay at hand."""
    return _index(source.name, source.derived.frames if source.is_long else "") if source.format == Format.MP3 else b""


@lru_cache(maxsize=16)
def _index(name: str, kept_as: str) -> bytes:
    if not kept_as:
        return picture_cache().read_or_create(f"index of {name}", lambda: _probed(name))
    try:
        return storage.read_range(kept_as, 0, storage.byte_count(kept_as))
    except FileNotFoundError:
        index = _probed(name)
        storage.keep(kept_as, index)
        return index


def _probed(name: str) -> bytes:
    with storage.local_file(name) as file:
        limits = {"longest_h": settings.LONGEST_RECORDING_H, "short_s": 0}
        return run_sandboxed("audio.validate:probe_file", file, **limits).blobs["index"]


def run_on_source(work: str, source: Source, **arguments: Any) -> Outcome:
    """Run work of the sandbox on the source's file."""
    with storage.local_file(source.name) as file:
        return run_sandboxed(work, file, blobs={"index": index_of(source)}, format=source.format.value, **arguments)


def recording_not_ready() -> AppError:
    return AppError(
        "recording.not_ready", 409, _("This part of the recording is still being prepared. Try again in a moment.")
    )


@contextmanager
def masters(source: Source, start: int, stop: int) -> Iterator[tuple[int, list[BinaryIO]]]:
    """The FLAC masters that hold these samples, as open files, and the number of the first."""
    size = source.pyramid.chunk_samples
    numbers = range(start // size, -(-stop // size))
    with ExitStack() as stack:
        try:
            files = [stack.enter_context(storage.local_file(source.derived.master(number))) for number in numbers]
        except FileNotFoundError:
            if source.is_ready:
                raise
            raise recording_not_ready() from None
        yield numbers.start, files


def picture_cache() -> DiskCache:
    """Disk cache of tiles, peaks and indexes that are made on request."""
    return _picture_cache(Path(settings.PICTURE_CACHE_DIR), settings.PICTURE_CACHE_MB * MB)


@lru_cache
def _picture_cache(folder: Path, most_bytes: int) -> DiskCache:
    return DiskCache(folder, max_bytes=most_bytes)


def recording_of(stimulus: Stimulus) -> Recording:
    if stimulus.recording is None:
        raise no_sound()
    return stimulus.recording


def _usable(stimulus: Stimulus) -> Recording:
    recording = recording_of(stimulus)
    if recording.state == Recording.State.REFUSED:
        raise AppError("recording.refused", 409, _("This recording cannot be used. {error}"), error=recording.error)
    return recording
