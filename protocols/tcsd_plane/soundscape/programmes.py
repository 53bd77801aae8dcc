"""What sounds when: the scenes of every hour, drawn by how present each kind is at that time; the same always.

Hour h of a recording begins 3605 h seconds into its file, to the nearest frame: an hour of sound, then five seconds of
silence, which is how the recordings of the audio-summary study are laid out.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp
from random import Random

from listening.demos.soundscape.palette import FRAME_S, KINDS, SCENE_FRAMES
from listening.demos.soundscape.sources import SCENE_S

HOUR_S, GAP_S = 3600, 5
HOUR_FRAMES = round(HOUR_S / FRAME_S)
HOUR_SCENES = HOUR_FRAMES // SCENE_FRAMES
STROKES = 12  # after which a clock begins again


@dataclass(frozen=True)
class Presence:
    """A time around which something sounds often: `weight` at its height, much less beyond its spread."""

    clock_h: float
    spread_h: float
    weight: float

    def at(self, clock_h: float) -> float:
        apart_h = abs(clock_h - self.clock_h) % 24
        return self.weight * exp(-0.5 * (min(apart_h, 24 - apart_h) / self.spread_h) ** 2)


@dataclass(frozen=True)
class Scene:
    """One scene of a recording: when it begins in the file, and when by the clock of the place."""

    kind: str
    variant: int
    start_s: float
    clock_h: float


@dataclass(frozen=True)
class Programme:
    """A recording before it is written: when it begins, how long it is, and what is present at which time."""

    name: str
    first_hour: int
    hours: int
    presences: Mapping[str, Sequence[Presence]]
    has_bell: bool = False

    @property
    def frames(self) -> int:
        return hour_frame(self.hours - 1) + HOUR_FRAMES

    def strokes(self, hour: int) -> int:
        """How often the bell strikes when an hour begins."""
        return (self.first_hour + hour - 1) % STROKES + 1 if self.has_bell else 0

    @cached_property
    def hourly(self) -> list[list[Scene]]:
        """The scenes of every hour but for its first, which rises out of silence, and its last, which falls."""
        rng = Random(self.name)
        return [list(self._drawn(hour, rng)) for hour in range(self.hours)]

    def _drawn(self, hour: int, rng: Random) -> Iterator[Scene]:
        before = ("", 0)
        for number in range(1, HOUR_SCENES - 1):
            clock_h = self.first_hour + hour + number * SCENE_S / HOUR_S
            weights = [sum(presence.at(clock_h) for presence in found) for found in self.presences.values()]
            kind = rng.choices(list(self.presences), weights)[0]
            others = [nth for nth in range(KINDS[kind].variants) if (kind, nth) != before]
            before = (kind, rng.choice(others or [0]))
            yield Scene(*before, start_s=hour_frame(hour) * FRAME_S + number * SCENE_S, clock_h=clock_h)

    @cached_property
    def scenes(self) -> list[Scene]:
        return [scene for hour in self.hourly for scene in hour]

    def between(self, start_h: float, stop_h: float) -> list[Scene]:
        """The scenes that begin between two times of the clock."""
        return [scene for scene in self.scenes if start_h <= scene.clock_h < stop_h]

    def nearest(self, kind: str, clock_h: float) -> Scene:
        """The scene of a kind that begins nearest to a time of the clock."""
        alike = (scene for scene in self.scenes if scene.kind == kind)
        return min(alike, key=lambda scene: abs(scene.clock_h - clock_h))


def hour_frame(hour: int) -> int:
    """The frame with which an hour of a recording begins."""
    return round(hour * (HOUR_S + GAP_S) / FRAME_S)


def shares(scenes: Sequence[Scene]) -> dict[str, float]:
    """How much of these scenes each kind takes, the most present first."""
    return {kind: count / len(scenes) for kind, count in Counter(scene.kind for scene in scenes).most_common()}


DAY = Programme(
    name="A",
    first_hour=0,
    hours=24,
    has_bell=True,
    presences={
        "hush": (Presence(2, 3.2, 10), Presence(12, 4, 1.2)),
        "wind": (Presence(3.5, 0.9, 6), Presence(16, 1.5, 1.5)),
        "owl": (Presence(1, 1.2, 1.0),),
        "chorus": (Presence(5.1, 0.6, 25),),
        "rooster": (Presence(5.8, 0.6, 2),),
        "birds": (Presence(8, 2.5, 4), Presence(18.5, 1.2, 4)),
        "dog": (Presence(9.5, 1, 0.6), Presence(20, 1, 0.8)),
        "car": (Presence(7, 1.0, 4), Presence(13, 4, 1.5), Presence(20, 1.5, 3)),
        "traffic": (Presence(8, 0.6, 18), Presence(17.3, 0.8, 16)),
        "siren": (Presence(15.8, 1.0, 0.6),),
        "steps": (Presence(9, 1, 1), Presence(19, 1.5, 2)),
        "voices": (Presence(12.3, 0.8, 12), Presence(20.2, 1.0, 5)),
        "hammering": (Presence(10.3, 0.7, 9),),
        "rain": (Presence(14.4, 0.6, 30),),
        "thunder": (Presence(14.3, 0.25, 6),),
        "crickets": (Presence(22.2, 0.9, 14),),
    },
)

MORNING = Programme(
    name="X",
    first_hour=3,
    hours=6,
    presences={
        "hush": (Presence(3, 1.3, 12), Presence(7, 2, 5)),
        "wind": (Presence(4.4, 0.5, 3), Presence(8, 0.8, 1.2)),
        "owl": (Presence(3.4, 0.3, 1.2),),
        "chorus": (Presence(5.5, 0.4, 16),),
        "rooster": (Presence(5.9, 0.3, 2.5),),
        "birds": (Presence(7, 1.0, 7),),
        "dog": (Presence(7.5, 0.4, 0.8),),
        "car": (Presence(8.6, 0.5, 9),),
        "steps": (Presence(7.7, 0.4, 0.8),),
        "voices": (Presence(8.3, 0.4, 2),),
    },
)
