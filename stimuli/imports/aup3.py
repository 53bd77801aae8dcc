"""Audacity 3 projects: an SQLite file whose clips become stimuli, in the order of time."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _
from stimuli.imports.aup3_document import Element, MalformedDocument, read_document

APPLICATION_ID = 0x41554459  # "AUDY"
MOST_DOCUMENT_BYTES = 256 * 2**20
MOST_CLIPS = 2000
MOST_STEPS = 50_000_000  # of SQLite's machine, over a project's whole reading; a block takes a few dozen
STEPS_BETWEEN_LOOKS = 10_000
LONGEST_BLOCK_SAMPLES = 2**20  # Audacity writes 2^18
RATES_HZ = range(4000, 384_001)


class SampleForm:
    """How a block stores its samples: Audacity's number for it, bytes on disk, and bits worth keeping."""

    BYTES = {0x00020001: 2, 0x00040001: 4, 0x0004000F: 4}
    BITS = {0x00020001: 16, 0x00040001: 24, 0x0004000F: 32}


@dataclass(frozen=True)
class Block:
    """A stretch of samples: a row of the project, or silence where the number is not positive."""

    id: int
    length: int


@dataclass(frozen=True)
class Channel:
    """One channel of a clip: its blocks in order, of which the trimmed ends are not heard."""

    blocks: tuple[Block, ...]
    form: int
    skip: int  # samples trimmed at the start
    length: int  # samples heard


@dataclass(frozen=True)
class Clip:
    """A clip as Audacity shows it."""

    name: str
    track: int
    start_s: float
    sample_rate_hz: int
    channels: tuple[Channel, ...]
    is_altered: bool = False  # by an envelope, a fader or an effect, which are not in the samples

    @property
    def length_samples(self) -> int:
        return self.channels[0].length

    @property
    def bits(self) -> int:
        return max(SampleForm.BITS[channel.form] for channel in self.channels)


def _project_unreadable(*, name: str, problem: str) -> AppError:
    return AppError(
        "project.unreadable",
        422,
        _(
            "The Audacity project '{name}' cannot be read: {problem}. Open it in Audacity 3, save it, close it, and "
            "give the .aup3 file; or export its clips as WAV."
        ),
        name=name,
        problem=problem,
    )


@dataclass(frozen=True)
class Project:
    """An open project."""

    name: str
    clips: tuple[Clip, ...]
    unsaved: bool  # it holds changes that were never saved; the saved state is what counts
    connection: sqlite3.Connection = field(repr=False)

    def samples(self, channel: Channel, start: int, count: int) -> Iterator[bytes]:
        """The samples from there on as they lie in the blocks, one bytes object a block."""
        size = SampleForm.BYTES[channel.form]
        position, stop = -channel.skip, start + count
        for block in channel.blocks:
            first, last = max(start - position, 0), min(stop - position, block.length)
            if first < last:
                yield self._stored(block, channel.form)[first * size : last * size]
            position += block.length

    def _stored(self, block: Block, form: int) -> bytes:
        expected = block.length * SampleForm.BYTES[form]
        if block.id <= 0:
            return bytes(expected)
        with _plain_errors(self.name):
            row = self.connection.execute(
                "SELECT samples, sampleformat FROM sampleblocks WHERE blockid = ?", (block.id,)
            ).fetchone()
        if row is None or not isinstance(row[0], bytes) or len(row[0]) != expected or row[1] != form:
            problem = LazyMessage("block {number} of its sound is missing or damaged", number=str(block.id))
            raise _project_unreadable(name=self.name, problem=problem)
        return row[0]


@contextmanager
def open_project(place: Path, *, name: str) -> Iterator[Project]:
    """Open a project for reading; nothing in it is believed, and nothing in it is run."""
    with _plain_errors(name):
        # Immutable: no journal is looked for, and the file cannot be written to.
        connection = sqlite3.connect(f"{place.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    with closing(connection):
        _disarm(connection)
        with _plain_errors(name):
            tables = _tables(connection, name)
            root, unsaved = _document(connection, tables, name)
        try:
            clips = _clips(root)
        except MalformedDocument as garbled:
            raise _project_unreadable(name=name, problem=garbled.problem) from None
        yield Project(name, clips, unsaved, connection)


def _disarm(connection: sqlite3.Connection) -> None:
    """Take away what a hostile database could use: functions in its schema, huge values, endless queries."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_DOCUMENT_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_VDBE_OP, 100_000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    looks = iter(range(MOST_STEPS // STEPS_BETWEEN_LOOKS))
    connection.set_progress_handler(lambda: next(looks, None) is None, STEPS_BETWEEN_LOOKS)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "query_only = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _tables(connection: sqlite3.Connection, name: str) -> set[str]:
    """The plain tables; what is a view or a virtual table could compute anything when it is read."""
    if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
        raise _project_unreadable(name=name, problem=LazyMessage("it is not an Audacity 3 project"))
    plain = connection.execute(
        "SELECT name FROM sqlite_master"
        " WHERE type = 'table' AND sql LIKE 'CREATE TABLE %' AND sql NOT LIKE '%GENERATED%'"
    )
    tables = {row[0] for row in plain}
    if not {"project", "sampleblocks"} <= tables:
        raise _project_unreadable(name=name, problem=LazyMessage("its tables are missing"))
    return tables


def _document(connection: sqlite3.Connection, tables: set[str], name: str) -> tuple[Element, bool]:
    saved = connection.execute("SELECT dict, doc FROM project ORDER BY id LIMIT 1").fetchone()
    draft = None
    if "autosave" in tables:
        draft = connection.execute("SELECT dict, doc FROM autosave ORDER BY id LIMIT 1").fetchone()
    found = saved or draft
    if found is None or not all(isinstance(part, bytes) for part in found):
        raise _project_unreadable(name=name, problem=LazyMessage("it was never saved"))
    try:
        return read_document(found[0] + found[1]), draft is not None
    except MalformedDocument as garbled:
        raise _project_unreadable(name=name, problem=garbled.problem) from None


# --- Clips ------------------------------------------------------------------------------------------------------------


def _clips(root: Element) -> tuple[Clip, ...]:
    """All clips of all tracks, by the time at which they begin, then from the top down."""
    tracks = list(root.all("wavetrack"))
    clips: list[Clip] = []
    number = 0
    while number < len(tracks):
        pair = tracks[number : number + 2]
        sides = pair if pair[0].whole("linked") and len(pair) == 2 else pair[:1]
        clips += _track_clips(sides, number)
        number += len(sides)
    if not clips:
        raise MalformedDocument(LazyMessage("it holds no clips"))
    if len(clips) > MOST_CLIPS:
        raise MalformedDocument(LazyMessage("it holds more than {most} clips", most=MOST_CLIPS))
    return tuple(sorted(clips, key=lambda clip: (clip.start_s, clip.track)))


def _track_clips(sides: Sequence[Element], number: int) -> Iterator[Clip]:
    """The clips of a mono track, or of the two channels of a stereo track."""
    rate = sides[0].whole("rate")
    if rate not in RATES_HZ:
        raise MalformedDocument(LazyMessage("a track has {rate} samples a second", rate=rate))
    by_side = [list(side.all("waveclip")) for side in sides]
    if len({len(clips) for clips in by_side}) > 1:
        raise MalformedDocument(LazyMessage("the two channels of a stereo track have different clips"))
    altered = any(_is_mixed(side) for side in sides)
    for clips in zip(*by_side, strict=True):
        yield _clip(clips, rate, number, altered=altered)


def _clip(sides: Sequence[Element], rate: int, track: int, *, altered: bool) -> Clip:
    name = str(sides[0].values.get("name", ""))[:200]
    channels = tuple(_channel(side, rate) for side in sides)
    if len({channel.length for channel in channels}) > 1:
        raise MalformedDocument(LazyMessage("the two channels of a clip differ in length"))
    if not channels[0].length:
        raise MalformedDocument(LazyMessage("the clip '{name}' is empty", name=name))
    start_s = sides[0].number("offset") + sides[0].number("trimLeft")
    altered = altered or any(_has_envelope(side) for side in sides)
    return Clip(name, track, start_s if math.isfinite(start_s) else 0.0, rate, channels, altered)


def _channel(clip: Element, rate: int) -> Channel:
    if abs(clip.number("clipStretchRatio", 1.0) - 1.0) > 1e-9:
        raise MalformedDocument(LazyMessage("a clip is stretched; render it first"))
    sequence = next(clip.all("sequence"), None)
    if sequence is None:
        raise MalformedDocument(LazyMessage("a clip holds no samples"))
    form, total = sequence.whole("sampleformat"), sequence.whole("numsamples")
    if form not in SampleForm.BYTES:
        raise MalformedDocument(LazyMessage("its samples have an unknown form"))
    skip, cut = (_samples(clip.number(end), rate) for end in ("trimLeft", "trimRight"))
    if not 0 <= skip + cut <= total or min(skip, cut) < 0:
        raise MalformedDocument(LazyMessage("a clip is trimmed by more than it holds"))
    return Channel(_blocks(sequence, total), form, skip, total - skip - cut)


def _blocks(sequence: Element, total: int) -> tuple[Block, ...]:
    found = [(block.whole("start"), block.whole("blockid")) for block in sequence.all("waveblock")]
    bounds = [*(start for start, _ in found), total]
    lengths = [after - before for before, after in pairwise(bounds)]
    if bounds[0] != 0 or any(length <= 0 for length in lengths):
        raise MalformedDocument(LazyMessage("the blocks of a clip do not follow each other"))
    if max(lengths, default=0) > LONGEST_BLOCK_SAMPLES:
        raise MalformedDocument(LazyMessage("a block of its sound is too long"))
    return tuple(Block(number, length) for (_, number), length in zip(found, lengths, strict=True))


def _is_mixed(track: Element) -> bool:
    effects = any(list(effects.all("effect")) for effects in track.all("effects"))
    return effects or abs(track.number("gain", 1.0) - 1.0) > 1e-6 or abs(track.number("pan")) > 1e-6


def _has_envelope(clip: Element) -> bool:
    points = [point for envelope in clip.all("envelope") for point in envelope.all("controlpoint")]
    return any(abs(point.number("val", 1.0) - 1.0) > 1e-6 for point in points)


def _samples(time_s: float, rate: int) -> int:
    if not math.isfinite(time_s) or abs(time_s) > 1e9:
        raise MalformedDocument(LazyMessage("a clip is trimmed by no number"))
    return round(time_s * rate)


@contextmanager
def _plain_errors(name: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as trouble:
        problem = LazyMessage('SQLite says "{complaint}"', complaint=str(trouble).rstrip(".")[:200])
        raise _project_unreadable(name=name, problem=problem) from None
