"""The example: seven summaries of the morning that nobody rates, where each stands on the plane, and why."""

from dataclasses import dataclass
from typing import Any

from protocols.tcsd_plane.soundscape.programmes import MORNING
from protocols.tcsd_plane.soundscape.summaries import SUMMARY_S, Passage, Summary, weighed

Moment = tuple[str, float]  # a kind of scene, and about when by the clock

BIRDS: tuple[Moment, ...] = (
    *((kind, clock_h) for clock_h in (4.7, 5.2, 5.6) for kind in ("chorus", "birds")),
    *(("birds", clock_h) for clock_h in (6.2, 6.6, 7.0, 7.4, 7.9, 8.4)),
)
EVERYTHING: tuple[Moment, ...] = (
    *(("hush", 3.2), ("owl", 3.4), ("wind", 4.4), ("chorus", 5.4), ("rooster", 5.9)),
    *(("birds", 6.8), ("dog", 7.4), ("steps", 7.7), ("voices", 8.2), ("car", 8.7)),
)
WIND: tuple[Moment, ...] = tuple(("wind", 3.1 + 0.48 * number) for number in range(12))
WIND_AND_QUIET: tuple[Moment, ...] = tuple(
    ("wind" if number % 2 else "hush", 3.1 + 0.48 * number) for number in range(12)
)
BALANCED: tuple[Moment, ...] = (
    *(("hush", 3.2), ("hush", 3.7), ("hush", 4.2), ("wind", 4.5), ("chorus", 5.3), ("chorus", 5.7)),
    *(("rooster", 6.0), ("birds", 6.5), ("hush", 6.9), ("birds", 7.4), ("car", 8.4), ("car", 8.8)),
)
# The same passages, the other way round where it hurts most: a car comes first, the rooster last.
DISORDERED: tuple[Moment, ...] = tuple(BALANCED[number] for number in (10, 7, 11, 4, 0, 9, 3, 5, 8, 1, 2, 6))


@dataclass(frozen=True)
class Cross:
    """A summary on the plane, with a justification and the moments of the recording that it speaks of."""

    condition: str
    tc: float
    sd: float
    why: str
    moments: tuple[Moment, ...]

    def to_json(self) -> dict[str, Any]:
        heard = [Passage(MORNING.nearest(*moment)) for moment in self.moments]
        hears = [[round(passage.start_s, 3), round(passage.stop_s, 3)] for passage in heard]
        return {"condition": self.condition, "tc": self.tc, "sd": self.sd, "why": self.why, "hears": hears}


CROSSES = (
    Cross(
        condition="example 1",
        tc=0.46,
        sd=0.38,
        why=(
            "Birds from beginning to end: single songs, and many at once as before sunrise. So there is some variety, "
            "but birds are not all: wind, a rooster, cars and people are missing. Birds are the most present from five "
            "to eight o'clock. Before that it is quiet and after that cars go by, so the first and the last part of "
            "the summary are not what these hours sound like."
        ),
        moments=(("chorus", 5.5), ("hush", 3.4), ("car", 8.6)),
    ),
    Cross(
        condition="example 2",
        tc=0.38,
        sd=0.86,
        why=(
            "All ten sources of the recording are here, each once: hardly more diversity is possible. But the owl, the "
            "dog, the steps and the rooster sound for a few minutes in six hours, and get as much room as the quiet "
            "that fills nearly half of them. What is most present at a time is heard too little, so a summary of birds "
            "alone is a little more consistent."
        ),
        moments=(("owl", 3.4), ("dog", 7.4), ("steps", 7.7)),
    ),
    Cross(
        condition="example 3",
        tc=0.12,
        sd=0.10,
        why=(
            "Nothing but wind: one source of ten. It blows for less than half an hour of the six, and in no hour is it "
            "what one hears most, so the summary follows the morning hardly at all."
        ),
        moments=(("wind", 4.4), ("birds", 7.0)),
    ),
    Cross(
        condition="example 4",
        tc=0.34,
        sd=0.18,
        why=(
            "Wind and quiet in turn: a little more diverse than wind alone. Quiet is the most present until five "
            "o'clock and there are stretches of it in every hour, so half of this summary is nearer to what each part "
            "of the recording is like."
        ),
        moments=(("hush", 3.6), ("wind", 4.4), ("hush", 7.5)),
    ),
    Cross(
        condition="example 5",
        tc=0.90,
        sd=0.42,
        why=(
            "From every half hour the source that is most present in it, in order: the quiet of the night, the birds "
            "before sunrise, single birds, then cars. That is what consistency asks for. What sounds seldom, such as "
            "the rooster, the owl or people, is left out."
        ),
        moments=(("hush", 3.4), ("chorus", 5.5), ("birds", 7.0), ("car", 8.6)),
    ),
    Cross(
        condition="example 6",
        tc=0.64,
        sd=0.55,
        why=(
            "Six of the ten sources, among them the rooster and the wind, which are not often heard, and those that "
            "are most present in their hours, all in the order of the morning. It gives up something of both criteria, "
            "and slightly more of diversity."
        ),
        moments=(("rooster", 6.0), ("wind", 4.5), ("hush", 3.7)),
    ),
    Cross(
        condition="example 7",
        tc=0.28,
        sd=0.55,
        why=(
            "The same passages as in the summary to its right at the same height, so exactly the same diversity, but "
            "in another order. It begins with a car where the night is quiet, and ends with the rooster, who has not "
            "crowed for an hour and more when the recording ends."
        ),
        moments=(("car", 8.4), ("hush", 3.2), ("rooster", 6.0)),
    ),
)
EXAMPLE: tuple[dict[str, Any], ...] = tuple(cross.to_json() for cross in CROSSES)


def seven_summaries() -> dict[str, Summary]:
    """The passages of each of the seven, by condition."""
    chosen = {
        "example 1": BIRDS,
        "example 2": EVERYTHING,
        "example 3": WIND,
        "example 4": WIND_AND_QUIET,
        "example 6": BALANCED,
        "example 7": DISORDERED,
    }
    summaries = {name: _passages(moments) for name, moments in chosen.items()}
    return summaries | {"example 5": weighed(MORNING, z=0)}


def _passages(moments: tuple[Moment, ...]) -> Summary:
    return [Passage(MORNING.nearest(*moment), SUMMARY_S / len(moments)) for moment in moments]
