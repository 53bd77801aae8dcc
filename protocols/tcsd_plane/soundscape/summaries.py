"""Summaries of a recording: which passages each way of summarising takes, and these passages cut out of the file."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random

import numpy as np

from audio.decode.base import Sound as Recording
from listening.demos.soundscape.sources import RATE_HZ, SCENE_S, Sound
from protocols.tcsd_plane.soundscape.programmes import Programme, Scene, shares
from stimuli.times_of_day import written

SUMMARY_S = 60.0
SLOTS = 12  # passages of five seconds in a summary of a minute
FADE_S = 0.02
SAMPLED = 15  # the greedy way hears one scene in so many


@dataclass(frozen=True)
class Passage:
    """A part of a scene around its middle, where every source sounds."""

    scene: Scene
    duration_s: float = SUMMARY_S / SLOTS

    @property
    def start_s(self) -> float:
        return self.scene.start_s + (SCENE_S + 1 - self.duration_s) / 2

    @property
    def stop_s(self) -> float:
        return self.start_s + self.duration_s


Summary = Sequence[Passage]


def eight_summaries(programme: Programme) -> dict[str, Summary]:
    """One summary for each condition of the study; z weighs diversity against consistency, from 0 to 1."""
    ways: dict[str, Summary] = {"random": at_random(programme), "downsampling": evenly(programme)}
    for z in (0.0, 0.5, 1.0):
        ways[f"greedy z={z:g}"] = weighed(programme, z=z, one_in=SAMPLED)
        ways[f"reference z={z:g}"] = weighed(programme, z=z)
    return ways


def at_random(programme: Programme) -> Summary:
    """Any passages in any order."""
    chosen = Random(f"{programme.name} at random").sample(programme.scenes, SLOTS)
    return [Passage(scene) for scene in chosen]


def evenly(programme: Programme) -> Summary:
    """A short passage out of the middle of every hour, whatever sounds there."""
    middles = [hour[len(hour) // 2] for hour in programme.hourly]
    return [Passage(scene, SUMMARY_S / len(middles)) for scene in middles]


def weighed(programme: Programme, *, z: float, one_in: int = 1) -> Summary:
    """From each part of the day, in order, what is most present in it, or what is rare and was not taken yet.

    Who chooses hears only one scene in so many.
    """
    overall, width_h = shares(programme.scenes), programme.hours / SLOTS
    taken: list[Scene] = []
    for slot in range(SLOTS):
        start_h = programme.first_hour + slot * width_h
        part = programme.between(start_h, start_h + width_h)[::one_in]
        present, known = shares(part), {scene.kind for scene in taken}
        worth = {
            kind: (1 - z) * share + z * (kind not in known) * (1 - overall[kind]) for kind, share in present.items()
        }
        best = max(worth, key=worth.__getitem__)
        alike = [scene for scene in part if scene.kind == best]
        taken.append(alike[len(alike) // 2])
    return [Passage(scene) for scene in taken]


def cue_sheet(summary: Summary) -> str:
    """Where each passage begins in the summary and in the recording, in the form that imports read."""
    begins = accumulate((passage.duration_s for passage in summary), initial=0.0)
    return "; ".join(
        f"{written(at_s)} {written(round(passage.start_s, 3))}" for at_s, passage in zip(begins, summary, strict=False)
    )


# --- Cutting ----------------------------------------------------------------------------------------------------------


def write_summaries(recording: Path, summaries: Mapping[Path, Summary]) -> None:
    """Cut passages out of a recording and put each summary's together, all coded alike: MP3 of 56 kbit/s."""
    import soundfile  # a decoder, which only the writing of files needs

    with _opened(recording) as sound:
        for path, summary in summaries.items():
            samples = np.concatenate([_cut(sound, passage) for passage in summary])
            soundfile.write(path, samples, RATE_HZ, format="MP3", bitrate_mode="CONSTANT", compression_level=0.9)


@contextmanager
def _opened(path: Path) -> Iterator[Recording]:
    from audio.decode.open import open_sound
    from audio.formats import Format

    with path.open("rb") as file:
        yield open_sound(file, format=Format.MP3, name=path.name)


def _cut(sound: Recording, passage: Passage) -> Sound:
    """The samples of a passage, with edges soft enough not to click."""
    samples = sound.read(round(passage.start_s * RATE_HZ), round(passage.duration_s * RATE_HZ))[:, 0]
    fade = round(FADE_S * RATE_HZ)
    ramp = np.linspace(0, 1, fade, dtype=np.float32)
    return np.concatenate([samples[:fade] * ramp, samples[fade:-fade], samples[-fade:] * ramp[::-1]])
