"""Audacity 3 projects for tests, written byte by byte in the form that Audacity 3.2 writes."""

import sqlite3
import struct
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

INT16, INT24, FLOAT = 0x00020001, 0x00040001, 0x0004000F
BLOCK = 1000  # Audacity's blocks have 2^18 samples; small ones make more seams
SCHEMA = """
PRAGMA application_id = 1096107097;
PRAGMA user_version = 50331648;
CREATE TABLE project(id INTEGER PRIMARY KEY, dict BLOB, doc BLOB);
CREATE TABLE autosave(id INTEGER PRIMARY KEY, dict BLOB, doc BLOB);
CREATE TABLE sampleblocks(blockid INTEGER PRIMARY KEY AUTOINCREMENT, sampleformat INTEGER, summin REAL, summax REAL,
    sumrms REAL, summary256 BLOB, summary64k BLOB, samples BLOB);
"""


@dataclass(frozen=True)
class MadeClip:
    samples: NDArray[Any]  # in the form of its track
    offset_s: float = 0.0
    trim_left_s: float = 0.0
    trim_right_s: float = 0.0
    name: str = ""
    stretch: float | None = None
    envelope: tuple[tuple[float, float], ...] = ()
    silent_blocks: int = 0  # so many blocks of silence stand before the samples, without a row


@dataclass(frozen=True)
class MadeTrack:
    clips: Sequence[MadeClip]
    form: int = FLOAT
    rate: int = 8000
    linked: int = 0
    gain: float = 1.0


@dataclass
class Document:
    """The binary XML: a dictionary of names, and fields that refer to it by number."""

    character_bytes: int = 4
    names: dict[str, int] = field(default_factory=dict)
    dictionary: bytes = b""
    body: bytes = b""

    def __post_init__(self) -> None:
        self.dictionary = struct.pack("<BB", 0, self.character_bytes)

    def start(self, name: str) -> None:
        self.body += struct.pack("<BH", 1, self._number(name))

    def end(self, name: str) -> None:
        self.body += struct.pack("<BH", 2, self._number(name))

    def raw(self, text: str) -> None:
        written = self._written(text)
        self.body += struct.pack("<Bi", 12, len(written)) + written

    def put(self, name: str, value: str | int | float | bool, *, form: str = "") -> None:
        number = self._number(name)
        if isinstance(value, str):
            written = self._written(value)
            self.body += struct.pack("<BHi", 3, number, len(written)) + written
        elif isinstance(value, bool):
            self.body += struct.pack("<BH?", 5, number, value)
        elif isinstance(value, float):
            self.body += struct.pack("<BHdi", 10, number, value, 8)
        else:
            sign, layout = {"": (4, "i"), "long": (6, "i"), "long long": (7, "q"), "size": (8, "I")}[form]
            self.body += struct.pack(f"<BH{layout}", sign, number, value)

    def _number(self, name: str) -> int:
        if name not in self.names:
            self.names[name] = len(self.names)
            written = self._written(name)
            self.dictionary += struct.pack("<BHH", 15, self.names[name], len(written)) + written
        return self.names[name]

    def _written(self, text: str) -> bytes:
        return text.encode({1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}[self.character_bytes])


def write_project(place: Path, *tracks: MadeTrack, character_bytes: int = 4, unsaved: bool = False) -> Path:
    """Write a project with these tracks from the top down."""
    with closing(sqlite3.connect(place)) as database:
        database.executescript(SCHEMA)
        document = Document(character_bytes)
        document.raw('<?xml version="1.0" standalone="no" ?>\n')
        document.start("project")
        document.put("audacityversion", "3.2.4")
        document.put("rate", 44100.0)
        for track in tracks:
            _write_track(document, track, database)
        document.end("project")
        database.execute("INSERT INTO project VALUES (1, ?, ?)", (document.dictionary, document.body))
        if unsaved:
            database.execute("INSERT INTO autosave VALUES (1, ?, ?)", (document.dictionary, document.body))
        database.commit()
    return place


def _write_track(document: Document, track: MadeTrack, database: sqlite3.Connection) -> None:
    document.start("wavetrack")
    document.put("linked", track.linked)
    document.put("mute", False)
    document.put("rate", track.rate)
    document.put("gain", track.gain)
    document.put("sampleformat", track.form, form="long")
    for clip in track.clips:
        _write_clip(document, clip, track.form, database)
    document.end("wavetrack")


def _write_clip(document: Document, clip: MadeClip, form: int, database: sqlite3.Connection) -> None:
    document.start("waveclip")
    for name, value in (("offset", clip.offset_s), ("trimLeft", clip.trim_left_s), ("trimRight", clip.trim_right_s)):
        document.put(name, float(value))
    document.put("name", clip.name)
    if clip.stretch is not None:
        document.put("clipStretchRatio", clip.stretch)
    document.start("sequence")
    document.put("maxsamples", BLOCK, form="size")
    document.put("sampleformat", form, form="size")
    document.put("numsamples", clip.silent_blocks * BLOCK + len(clip.samples), form="long long")
    for start, block in _blocks(clip, form, database):
        document.start("waveblock")
        document.put("start", start, form="long long")
        document.put("blockid", block, form="long long")
        document.end("waveblock")
    document.end("sequence")
    document.start("envelope")
    document.put("numpoints", len(clip.envelope), form="size")
    for time_s, value in clip.envelope:
        document.start("controlpoint")
        document.put("t", float(time_s))
        document.put("val", float(value))
        document.end("controlpoint")
    document.end("envelope")
    document.end("waveclip")


def _blocks(clip: MadeClip, form: int, database: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """Each block's first sample and number; silence has no row, and its number is its length below zero."""
    for number in range(clip.silent_blocks):
        yield number * BLOCK, -BLOCK
    stored = clip.samples.astype({INT16: "<i2", INT24: "<i4", FLOAT: "<f4"}[form])
    for start in range(0, len(stored), BLOCK):
        row = database.execute(
            "INSERT INTO sampleblocks (sampleformat, samples) VALUES (?, ?)",
            (form, stored[start : start + BLOCK].tobytes()),
        )
        yield clip.silent_blocks * BLOCK + start, row.lastrowid or 0


def noise(count: int, seed: int = 0, form: int = FLOAT) -> NDArray[Any]:
    """Samples of which no two stretches are alike."""
    rng = np.random.default_rng(seed)
    if form == FLOAT:
        return rng.uniform(-0.5, 0.5, count).astype(np.float32)
    limit = 2**14 if form == INT16 else 2**22
    return rng.integers(-limit, limit, count).astype(np.int32)
