"""Palette: every scene encoded once, in MP3 frames that may follow those of any other scene without a click.

All scenes lie on the same steady air, whose loop is as long as a scene, and what sounds in them is silent at both ends.
So around every joint the encoder saw the same samples, whatever comes before and after. Without a bit reservoir no
frame needs bytes of another. Frames of 32 kbit/s at 32 kHz have 144 bytes each and no padding, so a scene is a fixed
number of bytes and a day of them is 346 MB; the lowest rate of MPEG-1 is enough for what is heard here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.random import Generator, default_rng

from listening.demos.soundscape import sources
from listening.demos.soundscape.sources import RATE_HZ, SCENE_SAMPLES, Sound

if TYPE_CHECKING:
    from av import AudioCodecContext

KBITS = 32
FRAME_SAMPLES = 1152
FRAME_BYTES = 144 * KBITS * 1000 // RATE_HZ
FRAME_S = FRAME_SAMPLES / RATE_HZ
SCENE_FRAMES = SCENE_SAMPLES // FRAME_SAMPLES
# An hour begins with a rise out of silence and thirteen short pieces, each a stroke of the bell or a pause.
BEATS, BEAT_FRAMES = 13, 36
EDGE_FRAMES = SCENE_FRAMES - BEATS * BEAT_FRAMES
RISE, STRIKE, PAUSE, FALL, SILENCE = "rise", "strike", "pause", "fall", "silence"
NEIGHBOUR = "neighbour"  # air around the first and the last piece

AIR_DB = -50.0  # never quiet enough to be taken for the silence between two hours
STRIKE_DB = -12.0
SEAM_S = 0.15  # more than the frames that share a window with a neighbour, and the encoder's look ahead
FADE_S = 0.4
STRIKE_RISE_S = 0.01
EDGE_FADE_S = 0.002  # the clock of a recording is read off the edges of its silences
SILENT_FRAMES = 16  # from the middle of so many comes the one that is repeated

Piece = str
Palette = dict[Piece, bytes]


class Source(Protocol):
    def __call__(self, rng: Generator, /) -> Sound: ...


@dataclass(frozen=True)
class Kind:
    """A kind of scene: what makes it, how often it is made anew, and how loud its loudest moment is."""

    source: Source
    variants: int
    peak_db: float


def _nothing(rng: Generator) -> Sound:
    return np.zeros(SCENE_SAMPLES, np.float32)


KINDS: dict[str, Kind] = {
    "hush": Kind(_nothing, 1, -60),
    "wind": Kind(sources.wind, 2, -15),
    "rain": Kind(sources.rain, 2, -15),
    "thunder": Kind(sources.thunder, 1, -5),
    "crickets": Kind(sources.crickets, 2, -24),
    "owl": Kind(sources.owl, 1, -22),
    "birds": Kind(sources.birds, 3, -16),
    "chorus": Kind(sources.chorus, 2, -12),
    "rooster": Kind(sources.rooster, 1, -14),
    "dog": Kind(sources.dog, 1, -12),
    "car": Kind(sources.car, 3, -12),
    "traffic": Kind(sources.traffic, 2, -8),
    "siren": Kind(sources.siren, 1, -10),
    "voices": Kind(sources.voices, 2, -14),
    "steps": Kind(sources.steps, 1, -18),
    "hammering": Kind(sources.hammering, 2, -10),
}


def scene(kind: str, variant: int) -> Piece:
    return f"{kind} {variant}"


def make_palette(kinds: Mapping[str, Kind] = KINDS) -> Palette:
    """Every piece by its name, the same bytes each time."""
    counts: list[tuple[Piece, int]] = []
    frames: list[bytes] = []
    encoder = _encoder()
    for name, sound in _pieces(kinds):
        counts.append((name, len(sound) // FRAME_SAMPLES))
        frames += _encoded(encoder, sound)
    frames += map(bytes, encoder.encode(None))
    left = iter(frames)
    palette = {name: b"".join(islice(left, count)) for name, count in counts}
    middle = SILENT_FRAMES // 2 * FRAME_BYTES
    palette[SILENCE] = palette[SILENCE][middle : middle + FRAME_BYTES]
    return palette


def _pieces(kinds: Mapping[str, Kind]) -> Iterator[tuple[Piece, Sound]]:
    """All pieces in an order in which each is surrounded by what it may meet: air, or silence."""
    air = sources.steady_noise(default_rng(0)) * np.float32(_factor(AIR_DB))
    bed = partial(_bed, air)
    yield NEIGHBOUR, bed(BEAT_FRAMES)
    for name, kind in kinds.items():
        for variant in range(kind.variants):
            content = _levelled(kind.source(default_rng([variant, *name.encode()])), kind.peak_db)
            yield scene(name, variant), air + _faded(content)
    strike = _levelled(sources.bell_strike(BEAT_FRAMES * FRAME_S), STRIKE_DB)
    yield STRIKE, bed(BEAT_FRAMES) + _faded(strike, rise_s=STRIKE_RISE_S)
    yield PAUSE, bed(BEAT_FRAMES)
    yield FALL, bed(EDGE_FRAMES) * _rise(EDGE_FRAMES * FRAME_SAMPLES)[::-1]
    yield SILENCE, np.zeros(SILENT_FRAMES * FRAME_SAMPLES, np.float32)
    yield RISE, bed(EDGE_FRAMES) * _rise(EDGE_FRAMES * FRAME_SAMPLES)
    yield NEIGHBOUR, bed(BEAT_FRAMES)


def _bed(air: Sound, frames: int) -> Sound:
    """Air that begins as a scene begins and ends as one ends, however short it is."""
    samples = frames * FRAME_SAMPLES
    seam = round(SEAM_S * RATE_HZ)
    turn = np.linspace(0, 1, samples - 2 * seam, dtype=np.float32)
    share = np.concatenate([np.zeros(seam, np.float32), turn, np.ones(seam, np.float32)]) * np.float32(np.pi / 2)
    return air[:samples] * np.cos(share) + air[-samples:] * np.sin(share)


def _faded(content: Sound, rise_s: float = FADE_S) -> Sound:
    """Sound that is silent around the joints at both ends."""
    time_s = np.arange(len(content)) / RATE_HZ
    rise = np.clip((time_s - SEAM_S) / rise_s, 0, 1)
    fall = np.clip((time_s[-1] - time_s - SEAM_S) / FADE_S, 0, 1)
    faded: Sound = (content * np.sin(rise * np.pi / 2) ** 2 * np.sin(fall * np.pi / 2) ** 2).astype(np.float32)
    return faded


def _rise(samples: int) -> Sound:
    """Out of silence, and at once all there."""
    share = np.clip(np.arange(samples) / (EDGE_FADE_S * RATE_HZ), 0, 1)
    return (np.sin(share * np.pi / 2) ** 2).astype(np.float32)


def _levelled(content: Sound, peak_db: float) -> Sound:
    return content * np.float32(_factor(peak_db) / max(float(np.abs(content).max()), 1e-9))


def _factor(level_db: float) -> float:
    return float(10 ** (level_db / 20))


def _encoder() -> "AudioCodecContext":
    import av  # a slow import that only the making of a palette needs

    encoder_of = av.AudioCodecContext.create
    encoder = encoder_of("libmp3lame", "w")
    encoder.sample_rate, encoder.layout, encoder.format = RATE_HZ, "mono", "fltp"
    # Quality 7 is the fastest at which LAME still shapes its noise.
    encoder.options = {"b": str(KBITS * 1000), "reservoir": "0", "compression_level": "7"}
    return encoder


def _encoded(encoder: "AudioCodecContext", sound: Sound) -> Iterator[bytes]:
    """The frames that come while a piece is put in; they lag behind it by the codec's delay, for all pieces alike."""
    from av import AudioFrame

    whole = AudioFrame.from_ndarray(sound[None], format="fltp", layout="mono")
    whole.sample_rate = RATE_HZ
    yield from map(bytes, encoder.encode(whole))
