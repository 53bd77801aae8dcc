"""Preview of a trial before there is an experiment: the protocol's own pages over made-up sounds. Nothing is stored."""

import io
import math
import wave
from array import array
from collections.abc import Callable, Mapping
from functools import lru_cache
from random import Random
from typing import Any

from rating.protocol import FULL_LENGTH, REFERENCE, Entry, MaterialUnfit, Protocol, TrialKind, TrialPlan
from rating.services.pages import page_of

ITEMS, CONDITIONS = ("one", "two"), {"plain": REFERENCE, "low": "test", "high": "test"}
DURATION_S, RATE_HZ, PEAK = 1.5, 16_000, 3000
FADE_S = 0.05
MOST_PAGES = 3  # as many as P.835 has for one clip
SOUNDS = len(ITEMS) * len(CONDITIONS)


def is_previewable(protocol: Protocol) -> bool:
    """Whether its pages play clips; texts and long recordings cannot be made up."""
    return not protocol.text_kinds and FULL_LENGTH not in protocol.roles and not protocol.needs.least_width_px


def preview_pages(
    protocol: Protocol, *, label_set: str, options: Mapping[str, Any], sound_url: Callable[[int], str]
) -> list[dict[str, Any]]:
    """The first pages of a seat as the browser gets them; none where the options fit no made-up material."""
    if not is_previewable(protocol):
        return []
    entries = [
        Entry(str(number), item, condition, role, duration_s=DURATION_S)
        for number, (item, condition, role) in enumerate(
            (item, condition, role) for item in ITEMS for condition, role in CONDITIONS.items()
        )
    ]
    given = {**protocol.defaults, **options}
    try:
        trials = [trial for trial in protocol.plan(entries, given, Random(0)) if trial.kind == TrialKind.TEST]
    except MaterialUnfit:
        return []
    shown = trials[:MOST_PAGES]
    return [
        page_of(protocol, trial, label_set=label_set, options=given)
        | {"trial": f"preview-{number}", "place": {"number": number, "of": len(shown)}}
        | {"media": _media(trial, sound_url)}
        for number, trial in enumerate(shown, start=1)
    ]


def _media(trial: TrialPlan, sound_url: Callable[[int], str]) -> dict[str, Any]:
    return {
        slot.key: {"url": sound_url(int(slot.entry.stimulus)), "duration_s": DURATION_S, "sliced": False}
        for slot in trial.slots
    }


@lru_cache(SOUNDS)
def made_up_sound(number: int) -> bytes:
    """A WAV of a tone with a beat; each number has another pitch."""
    pitch_hz, frames = 220 * 2 ** (number / 6), round(DURATION_S * RATE_HZ)
    samples = array(
        "h",
        (
            round(PEAK * _fade(frame / RATE_HZ) * math.sin(2 * math.pi * pitch_hz * frame / RATE_HZ))
            for frame in range(frames)
        ),
    )
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(samples.tobytes())
    return made.getvalue()


def _fade(time_s: float) -> float:
    edge = min(time_s, DURATION_S - time_s, FADE_S) / FADE_S
    return edge * (0.75 + 0.25 * math.sin(2 * math.pi * 3 * time_s))
