"""Extraction of stimuli from larger files: clips of Audacity projects and sounds between long gaps, written as WAV."""

import struct
from pathlib import Path

import numpy as np

from audio.errors import SoundTooLong
from audio.sandbox.client import Limits
from audio.wav import HEAD_LENGTH, wav_head
from core.errors import AppError
from core.i18n import gettext_noop as _
from stimuli.imports.aup3 import Clip, Project, SampleForm, open_project
from stimuli.imports.plans import Bundle, Cell, Plan
from stimuli.imports.reports import Report, some
from stimuli.imports.sources import Kind, SourceFile
from stimuli.sandbox import run_sandboxed, to_app_error

SEARCH = Limits(cpu_s=300, wall_s=600)
LONGEST_PIECE_BYTES = 512 * 2**20
BLOCK_SAMPLES = 2**18
LARGEST_RIFF = 2**32 - 1
DTYPES = {0x00020001: "<i2", 0x00040001: "<i4", 0x0004000F: "<f4"}


def find_parts(bundle: Bundle, source: SourceFile, plan: Plan, report: Report, *, longest_h: float) -> None:
    """Find the stimuli in a file and add them to the plan."""
    try:
        if source.kind is Kind.PROJECT:
            cells = _clips(bundle, source, report, longest_h)
        else:
            cells = _pieces(bundle, source, report)
    except AppError as problem:
        report.reject(problem, source.path)
        return
    role = plan.conditions.get(bundle.condition, "test")
    for cell in cells:
        plan.add(cell, role=role)


def extract_part(cell: Cell, source: SourceFile, target: Path) -> None:
    """Write one part of a file as a WAV file."""
    if source.kind is Kind.PROJECT:
        with open_project(source.place, name=source.path) as project:
            write_clip(project, project.clips[(cell.clip or 1) - 1], target)
        return
    limits = Limits(cpu_s=300, wall_s=600, memory_bytes=2 * 2**30, result_bytes=LONGEST_PIECE_BYTES)
    with source.place.open("rb") as file:
        cut = run_sandboxed(
            "stimuli.imports.silence_split:cut_piece",
            file,
            name=source.path,
            limits=limits,
            start=cell.start,
            stop=cell.stop,
        )
    target.write_bytes(cut.blobs["piece"])


def write_clip(project: Project, clip: Clip, target: Path) -> None:
    """Write a clip's samples as they are, a block at a time: a clip may last a day."""
    frame_bytes = len(clip.channels) * clip.bits // 8
    with target.open("wb") as file:
        file.write(_head(clip, clip.length_samples * frame_bytes))
        for start in range(0, clip.length_samples, BLOCK_SAMPLES):
            count = min(BLOCK_SAMPLES, clip.length_samples - start)
            file.write(_interleaved(project, clip, start, count))
        if clip.length_samples * frame_bytes % 2:
            file.write(b"\x00")


def _clips(bundle: Bundle, source: SourceFile, report: Report, longest_h: float) -> list[Cell]:
    with open_project(source.place, name=source.path) as project:
        clips, unsaved = project.clips, project.unsaved
    # Silence costs a project nothing, so its length is judged before it is written out.
    if sum(clip.length_samples / clip.sample_rate_hz for clip in clips) > longest_h * 3600:
        raise to_app_error(SoundTooLong(name=source.path, limit_h=longest_h))
    if unsaved:
        message = _("'{path}' holds changes that were never saved; the clips were taken as they were saved last.")
        report.warn(message, source.path, path=source.path)
    if altered := [str(number) for number, clip in enumerate(clips, 1) if clip.is_altered]:
        message = _(
            "Audacity changes the level or the sound of clips {clips} of '{path}' while playing. "
            "They are taken as recorded; render them in Audacity if the change should be heard."
        )
        report.warn(message, source.path, path=source.path, clips=some(altered))
    return [bundle.cell(number, clip=number) for number in range(1, len(clips) + 1)]


def _pieces(bundle: Bundle, source: SourceFile, report: Report) -> list[Cell]:
    with source.place.open("rb") as file:
        found = run_sandboxed("stimuli.imports.silence_split:find_pieces", file, name=source.path, limits=SEARCH).facts
    pieces, rate = found["pieces"], found["shape"]["sample_rate_hz"]
    if len(pieces) < 2:
        message = _(
            "'{path}' should hold several sounds with long gaps between them, and no gap was found. "
            "Leave half a minute or more of silence between the sounds, or give each as a file of its own."
        )
        report.error(message, source.path, path=source.path)
        return []
    if found["specks"]:
        message = _("Very short sounds inside the gaps of '{path}' were left out, at {times}.")
        times = some(f"{start / rate:.1f} s" for start, _ in found["specks"])
        report.warn(message, source.path, path=source.path, count=len(found["specks"]), times=times)
    message = _("'{path}' is cut into {count} sounds at its long gaps. Look at the times before you confirm.")
    report.note(message, source.path, path=source.path, count=len(pieces))
    return [bundle.cell(number, start=start, stop=stop) for number, (start, stop) in enumerate(pieces, 1)]


def _interleaved(project: Project, clip: Clip, start: int, count: int) -> bytes:
    sides = []
    for channel in clip.channels:
        stored = b"".join(project.samples(channel, start, count))
        sides.append(_in_form(np.frombuffer(stored, DTYPES[channel.form]), channel.form, clip.bits))
    frames = np.stack(sides, axis=1)
    if clip.bits == 24:
        return bytes(np.ascontiguousarray(frames.reshape(-1, 1).view(np.uint8)[:, :3]).data)
    return bytes(np.ascontiguousarray(frames).data)


def _in_form(samples: np.ndarray, form: int, bits: int) -> np.ndarray:
    """The samples in the widest form of the clip's channels; mostly they have it already."""
    own = SampleForm.BITS[form]
    if own == bits:
        return samples
    if bits == 24:
        return (samples.astype("<i4") << 8).astype("<i4")
    return (samples / float(1 << (own - 1))).astype("<f4")


def _head(clip: Clip, data_bytes: int) -> bytes:
    shape = {"sample_rate_hz": clip.sample_rate_hz, "channels": len(clip.channels), "bits": clip.bits}
    if data_bytes + HEAD_LENGTH <= LARGEST_RIFF:
        return wav_head(data_bytes, **shape)
    return _long_head(wav_head(0, **shape), data_bytes, clip.length_samples)


def _long_head(head: bytes, data_bytes: int, length_samples: int) -> bytes:
    """The head of an RF64 file (EBU Tech 3306), which counts in 64 bits."""
    total = HEAD_LENGTH - 8 + 36 + data_bytes + data_bytes % 2
    sizes = struct.pack("<4sIQQQI", b"ds64", 28, total, data_bytes, length_samples, 0)
    unsaid = struct.pack("<I", LARGEST_RIFF)
    return b"RF64" + unsaid + b"WAVE" + sizes + head[12:40] + unsaid
