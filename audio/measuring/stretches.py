"""Measuring in a sealed child: one stretch of a file at a time, so that the parent can show how far it is."""

from collections.abc import Iterator
from typing import BinaryIO

from audio.decoding.opening import Sound, open_sound
from audio.errors import UNRECOGNISED, NotAudio
from audio.facts import Shape
from audio.formats import HEAD_BYTES, recognise
from audio.measuring.examination import Examiner
from audio.sealed.asking import Outcome

STRETCH_SAMPLES = 2**25


def stretches(shape: Shape, size: int) -> Iterator[tuple[int, int]]:
    """Cut a recording into pieces that join each other."""
    for start in range(0, shape.length_samples, size):
        yield start, min(start + size, shape.length_samples)


def open_file(file: BinaryIO, *, name: str, index: bytes = b"") -> Sound:
    """Open a file as what its first bytes say it is."""
    file.seek(0)
    kind = recognise(file.read(HEAD_BYTES))
    if kind is None:
        raise NotAudio(name=name, problem=UNRECOGNISED)
    file.seek(0)
    return open_sound(file, format=kind, name=name, index=index)


def tally_stretch(file: BinaryIO, index: bytes = b"", *, start: int, stop: int, name: str = "") -> Outcome:
    """Measure [start, stop) of a file; see audio.measuring.examination.Examiner for what belongs to it."""
    sound = open_file(file, name=name, index=index)
    examiner = Examiner(sound.shape, start, stop, name=name)
    for samples in sound.blocks(examiner.reads_from, examiner.reads_to):
        examiner.feed(samples)
    facts, blobs = examiner.tally().to_parts()
    return Outcome(facts, blobs)
