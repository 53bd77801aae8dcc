"""Delivery of sound: the manifest, slices at exact samples, and the clip of a short recording."""

from typing import Any

from audio.clock import find_silences
from audio.errors import PositionOutside
from audio.formats import Format
from audio.sandbox.client import Outcome
from audio.slices import Slice, find_byte_range, has_tags_inside
from core.errors import AppError
from core.i18n import gettext_noop as _
from stimuli import storage
from stimuli.sandbox import app_errors, run_sandboxed, to_app_error
from stimuli.services import ingest
from stimuli.services.sources import Source, index_of, masters, run_on_source

VERSION = 1


def manifest(*, source: Source) -> dict[str, Any]:
    """Everything that a viewer must know before it asks for anything; without a name, a level or a measure."""
    recording, pyramid = source.recording, source.pyramid
    return {
        "version": VERSION,
        "state": recording.state,
        "sample_rate_hz": recording.sample_rate_hz,
        "channels": recording.channels,
        "length_samples": recording.length_samples,
        "ready": ready_ranges(source=source),
        "slices": {"longest_samples": source.longest_slice_samples},
        "clock": [stretch.to_json() for stretch in source.clock],
        "silences": find_silences(source.clock, recording.length_samples),
        **pyramid.to_json(),
    }


def measured(*, source: Source) -> dict[str, Any]:
    """What experimenters are told besides: what was measured, and how far ingest has come."""
    recording = source.recording
    progress = {} if source.is_ready else {"ingest": ingest.ingest_progress(recording=recording)}
    return {"measures": recording.measures, **progress}


def ready_ranges(*, source: Source) -> list[list[int]]:
    """Where the sound can be seen already, as stretches of samples; neighbouring chunks are one stretch."""
    if source.is_ready:
        return [[0, source.length_samples]]
    ranges: list[list[int]] = []
    for number in source.recording.chunks.values_list("number", flat=True).order_by("number"):
        start, stop = source.pyramid.chunk(number)
        if ranges and ranges[-1][1] == start:
            ranges[-1][1] = stop
        else:
            ranges.append([start, stop])
    return ranges


def slice_of(*, source: Source, start: int, count: int) -> Slice:
    """The samples from start on, fewer where the recording ends, as bytes that every browser decodes to just these."""
    if count > source.longest_slice_samples:
        raise AppError(
            "sound.slice_too_long",
            422,
            _("A slice holds {longest} samples at most; ask for several, one after another."),
            longest=source.longest_slice_samples,
        )
    count = min(count, source.length_samples - start)
    if count <= 0:
        stop = start + max(count, 0)
        raise to_app_error(PositionOutside(start=start, stop=stop, length=source.length_samples))
    # Tags between the frames of a clip could name it. In a day there is nothing to hide, and it is never decoded.
    if source.format == Format.MP3 and (source.is_long or not has_tags_inside(index_of(source))):
        return _bytes_of_mp3(source, start, count)
    if source.has_masters:
        return _from_masters(source, start, count)
    return _slice(run_on_source("audio.masters:cut_file_slice", source, start=start, count=count))


def clip_name(*, source: Source) -> str:
    """The name in storage of the whole sound as it is served."""
    if not source.clip:
        raise AppError(
            "sound.no_clip",
            404,
            _("This recording is too long for one clip. It is heard in slices: ask for slice/ instead."),
        )
    return source.clip


def _bytes_of_mp3(source: Source, start: int, count: int) -> Slice:
    """The original's own frames, found through the index; no decoder is asked."""
    with app_errors():
        found = find_byte_range(index=index_of(source), start=start, count=count)
    content = storage.read_range(source.name, found.first_byte, found.stop_byte - found.first_byte)
    return Slice(content, found.media_type, found.lead_samples, found.length_samples)


def _from_masters(source: Source, start: int, count: int) -> Slice:
    with masters(source, start, start + count) as (first, files):
        wanted: dict[str, Any] = {"first": first, "shape": source.shape.to_json(), "start": start, "count": count}
        return _slice(run_sandboxed("audio.masters:cut_masters_slice", *files, **wanted))


def _slice(cut: Outcome) -> Slice:
    return Slice(cut.blobs["slice"], "", cut.facts["lead_samples"], cut.facts["length_samples"])
