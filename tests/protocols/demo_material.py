"""Entries of the size of every protocol's demo, out of the demos' own numbers and without their sound."""

from itertools import islice

from audio.synthesis import PADDING_MS
from listening.demos.soundscape.sources import SCENE_S
from protocols.abx import demo as abx
from protocols.acr import demo as acr
from protocols.chaptering import demo as chaptering
from protocols.dcr import demo as dcr
from protocols.p835 import demo as p835
from protocols.p835 import noisy_speech
from protocols.speech_summaries import demo as summaries
from protocols.tcsd_plane.soundscape.example import EXAMPLE
from protocols.tcsd_plane.soundscape.programmes import DAY, MORNING
from protocols.tcsd_plane.soundscape.summaries import eight_summaries
from protocols.thumbs import demo as thumbs
from rating.protocol import Entry, Json

SUMMARY_S = 60.0
SILENCE_S = 2 * PADDING_MS / 1000  # around every clip that a demo makes


def clip(item: str, condition: str, duration_s: float, *, role: str = "test") -> Entry:
    return entry(item, condition, duration_s + SILENCE_S, role=role)


def entry(item: str, condition: str, duration_s: float = 0.0, *, role: str = "test", text: Json = None) -> Entry:
    return Entry(f"{item}/{condition}", item, condition, role, text=text, duration_s=duration_s)


def _plane() -> list[Entry]:
    days = {day.name: day for day in (DAY, MORNING)}
    told = {DAY.name: list(eight_summaries(DAY)), MORNING.name: [cross["condition"] for cross in EXAMPLE]}
    return [
        *(entry(name, "full", 3600.0 * day.hours, role="full-length") for name, day in days.items()),
        *(entry(name, condition, SUMMARY_S) for name, names in told.items() for condition in names),
    ]


def _summaries() -> list[Entry]:
    entries = []
    for record in summaries.utterances():
        item, words = record["item"], list(record["tokens"])
        text = {"kind": "tokens", "text": " ".join(words), "tokens": words}
        entries.append(entry(item, "transcript", role="reference", text=text))
        entries.append(clip(item, "sound", summaries.SECONDS_A_WORD * len(words)))
        short = {"kind": "summary", "text": " ".join(words[: round(summaries.RATIO * len(words))]), "tokens": None}
        versions = [name for name in record if name.startswith("positions_")]
        entries += [entry(item, name, text=short) for name in versions]
    return entries


def _thumbs() -> list[Entry]:
    entries = []
    for scene in (thumbs.SAMPLE, *thumbs.SCENES):
        entries.append(clip(scene.item, thumbs.HEARD, thumbs.CLIP_S, role="reference"))
        for condition, words in ((thumbs.DESCRIBER, scene.describer), (thumbs.SYSTEM, scene.system)):
            text = {"kind": "caption", "text": words, "tokens": None}
            entries.append(entry(scene.item, condition, text=text))
    return entries


MATERIAL: dict[str, tuple[list[Entry], dict[str, Json]]] = {
    "acr": (
        [clip(item, kind.value, acr.DURATION_S) for item in acr.TALKERS for kind in acr.CONDITIONS],
        {"practice": acr.PRACTICE},
    ),
    "dcr": (
        [
            *(clip(item, "reference", dcr.DURATION_S, role="reference") for item in dcr.TALKERS),
            *(clip(item, kind, dcr.DURATION_S) for item in dcr.TALKERS for kind in dcr.CONDITIONS),
        ],
        {},
    ),
    "p835": (
        [
            *(
                clip(item, system, noisy_speech.DURATION_S)
                for item, _ in islice(noisy_speech.pool(), p835.SIZE)
                for system in noisy_speech.SYSTEMS
            ),
            *(
                clip(f"{name}_{talker}", "ref", noisy_speech.DURATION_S, role="reference")
                for talker in noisy_speech.TALKERS
                for name in noisy_speech.REFERENCES
                if f"{name}_{talker}" in p835.PRACTICE
            ),
        ],
        {"sessions": p835.SESSIONS},
    ),
    "abx": (
        [
            *(clip(item, "full band", abx.DURATION_S, role="reference") for item in ("shaker", "plucks")),
            *(clip(item, f"{hz} Hz", abx.DURATION_S) for item in ("shaker", "plucks") for hz in abx.CUTOFFS_HZ),
        ],
        {"repetitions": abx.REPETITIONS},
    ),
    "chaptering": (
        [
            entry(name, chaptering.HEARD, SCENE_S * sum(section.scenes for section in sections))
            for name, sections in chaptering.RECORDINGS.items()
        ],
        {},
    ),
    "speech_summaries": (_summaries(), {"ratio": summaries.RATIO, "tolerance": summaries.TOLERANCE}),
    "thumbs": (_thumbs(), {"example": thumbs.EXAMPLE}),
    "tcsd_plane": (_plane(), {"example": {"item": MORNING.name, "crosses": list(EXAMPLE)}}),
}

# What the demos check before the first page.
CHECKED: dict[str, tuple[str, ...]] = {
    "acr": ("level",),
    "dcr": ("level",),
    "abx": ("level",),
    "p835": ("ears", "level"),
    "chaptering": (),
    "speech_summaries": (),
    "thumbs": (),
    "tcsd_plane": (),
}
