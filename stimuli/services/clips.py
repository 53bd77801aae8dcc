"""Served clips: one bit depth for a whole collection, one length in bytes for the conditions of an item."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from audio.sandbox.batching import even_batches
from audio.sandbox.client import Limits
from audio.wav import HEAD_LENGTH, common_bytes, common_depth, encode_wav, plain_bytes
from stimuli import storage
from stimuli.models import Collection, Stimulus
from stimuli.sandbox import error_from_child, run_sandboxed
from stimuli.services.staged_files import StagedFiles

CHILDREN = 2
FILES_PER_CHILD = 50
BYTES_PER_CHILD = 48 * 2**20
MEGABYTE = 2**20

Place = tuple[str, str]  # an item's and a condition's name


@dataclass(frozen=True)
class Sound:
    """A short recording in a cell, as far as its clip depends on it."""

    place: Place
    sha256: str
    file: str  # its name in storage
    sample_rate_hz: int
    channels: int
    length_samples: int
    bits: int  # that it needs
    is_plain: bool  # the original is bare PCM already
    served: str = ""  # the clip it has now
    origin_bits: int = 0  # of what it was made from by a change of level, where it was

    def is_plain_in(self, depth: int) -> bool:
        """Whether its samples can be served as they stand in the original, for which nothing is decoded."""
        return self.is_plain and self.bits == depth


@dataclass(frozen=True)
class Clip:
    """What a sound is served as."""

    sound: Sound
    name: str
    bits: int  # of each sample as it is written: 16 or 24
    depth: int  # significant bits; the same for the whole collection
    total_bytes: int

    @property
    def dither(self) -> str:
        """What its dither follows from, where bits are given up."""
        return self.sound.sha256 if self.sound.bits > self.depth else ""

    @property
    def is_original(self) -> bool:
        return self.name == self.sound.file


def sounds_in(collection: Collection) -> list[Sound]:
    """The short recordings of a collection, and the clips they have."""
    fields = ("sha256", "file", "sample_rate_hz", "channels", "length_samples", "bits", "made_from__bits")
    rows = _heard(collection).values_list(
        "item__name", "condition__name", "served", *(f"recording__{field}" for field in fields)
    )
    found = []
    for item, condition, served, sha256, file, rate, channels, length, bits, origin in rows.iterator():
        if is_short(length, rate):
            plain = bool(served) and served == file
            shape = (rate, channels, length, bits)
            found.append(Sound((item, condition), sha256, file, *shape, plain, served, origin or 0))
    return found


def is_short(length_samples: int, sample_rate_hz: int) -> bool:
    return length_samples <= settings.SHORT_RECORDING_S * sample_rate_hz


def clips_for(sounds: Sequence[Sound], *, collection: Collection) -> list[Clip]:
    """Say what each sound of a collection is served as."""
    depth = common_depth({sound.bits for sound in sounds}, {sound.origin_bits or sound.bits for sound in sounds})
    bits = 16 if depth == 16 else 24
    lengths: dict[str, list[int]] = defaultdict(list)
    for sound in sounds:
        lengths[sound.place[0]].append(plain_bytes(sound.length_samples, sound.channels, bits))
    totals = {item: common_bytes(own) for item, own in lengths.items()}
    return [_clip(sound, bits, depth, totals[sound.place[0]], collection) for sound in sounds]


def make_clips(
    clips: Iterable[Clip],
    staged: StagedFiles,
    *,
    places: dict[str, Path] | None = None,
    progress: Callable[[int, int, str], None] = lambda done, total, note: None,
) -> None:
    """Write the clips that are not there yet. `places` are files on this disk by their digest, where one is at hand."""
    wanted = {clip.name: clip for clip in clips if not clip.is_original}
    missing = [clip for name, clip in wanted.items() if not storage.exists(name)]
    opener = _Opener(places or {})

    def make(batch: Sequence[Clip]) -> int:
        staged.put_bytes(_made(batch, opener))
        return len(batch)

    done = 0
    with ThreadPoolExecutor(CHILDREN) as pool:
        for count in pool.map(make, even_batches(missing, size=_size, max_size=BYTES_PER_CHILD, children=CHILDREN)):
            done += count
            progress(done, len(missing), "")


def _clip(sound: Sound, bits: int, depth: int, total_bytes: int, collection: Collection) -> Clip:
    unfilled = total_bytes == plain_bytes(sound.length_samples, sound.channels, bits)
    if sound.is_plain_in(depth) and unfilled:
        return Clip(sound, sound.file, bits, depth, total_bytes)
    # The name reveals nothing, even to a reader who has the original: it depends on the server's secret.
    about = f"{collection.pk}:{sound.sha256}:{bits}:{depth}:{total_bytes}"
    digest = salted_hmac("stimuli.served", about, algorithm="sha256").hexdigest()
    return Clip(sound, f"served/{digest}.wav", bits, depth, total_bytes)


class _Opener:
    def __init__(self, places: dict[str, Path]) -> None:
        self._slots = places

    def open(self, sound: Sound, stack: ExitStack) -> BinaryIO:
        place = self._slots.get(sound.sha256)
        return stack.enter_context(place.open("rb") if place else storage.local_file(sound.file))


def _made(batch: Sequence[Clip], opener: _Opener) -> dict[str, bytes]:
    plain = [clip for clip in batch if clip.sound.is_plain_in(clip.depth)]
    others = [clip for clip in batch if not clip.sound.is_plain_in(clip.depth)]
    with ExitStack() as stack:
        made = {clip.name: _filled(clip, opener.open(clip.sound, stack)) for clip in plain}
        return made | (_decoded(others, [opener.open(clip.sound, stack) for clip in others]) if others else {})


def _filled(clip: Clip, file: BinaryIO) -> bytes:
    """A plain original only has to be made longer."""
    sound = clip.sound
    file.seek(HEAD_LENGTH)
    return encode_wav(
        file.read(sound.length_samples * sound.channels * clip.bits // 8),
        sample_rate_hz=sound.sample_rate_hz,
        channels=sound.channels,
        bits=clip.bits,
        total_bytes=clip.total_bytes,
    )


def _decoded(clips: Sequence[Clip], files: Sequence[BinaryIO]) -> dict[str, bytes]:
    output_bytes = sum(clip.total_bytes for clip in clips)
    limits = Limits(result_bytes=output_bytes + MEGABYTE, memory_bytes=512 * MEGABYTE + 4 * output_bytes)
    names = [" x ".join(clip.sound.place) for clip in clips]
    outcome = run_sandboxed(
        "audio.clips:encode_clips",
        *files,
        name=names[0],
        limits=limits,
        names=names,
        bits=clips[0].bits,
        depth=clips[0].depth,
        totals=[clip.total_bytes for clip in clips],
        dithers=[clip.dither for clip in clips],
    )
    for entry, name in zip(outcome.facts["clips"], names, strict=True):
        if "error" in entry:
            raise error_from_child(entry["error"], name=name)
    return {clip.name: outcome.blobs[str(number)] for number, clip in enumerate(clips)}


def _size(clip: Clip) -> int:
    """Weight of a clip in a batch: its bytes, and at least the share that keeps a batch within FILES_PER_CHILD."""
    return max(clip.total_bytes, BYTES_PER_CHILD // FILES_PER_CHILD)


def _heard(collection: Collection) -> "QuerySet[Stimulus]":
    return Stimulus.objects.filter(item__collection=collection, recording__isnull=False)
