"""Demo of ABX: two synthetic sounds against low-passed versions, of which one is plain to hear and one is not."""

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from audio.synthesis import clip_bytes
from core.models import User
from listening.panels.services.panels import create_panel
from listening.panels.services.session_settings import change_session_settings
from rating.models import Experiment
from rating.services.experiments import create_experiment, go_live
from stimuli.models import Condition
from stimuli.services.collections import NewSound, add_stimuli, create_collection

SLUG = "demo-abx"
RATE_HZ = 44_100
DURATION_S = 2.4
BEAT_S = 0.3
PEAK = 0.4
CUTOFFS_HZ = (3_500, 8_000, 17_000)
REPETITIONS = 2
SEATS = 8
CONSENT = (
    "You will compare short synthetic sounds; some differ plainly, others hardly at all. Your answers are kept under a "
    "number, without your name. You can stop at any time."
)

Sound = NDArray[np.float64]


def shaker(seed: int) -> Sound:
    """Bursts of noise with a soft knock under every second one: energy up to the end of the spectrum."""
    rng = np.random.default_rng(seed)
    time_s = np.arange(round(BEAT_S * RATE_HZ)) / RATE_HZ
    beats = []
    for beat in range(round(DURATION_S / BEAT_S)):
        burst = rng.normal(size=len(time_s)) * np.exp(-time_s / rng.uniform(0.02, 0.06))
        knock = 2.5 * np.sin(2 * np.pi * 160 * time_s) * np.exp(-time_s / 0.05) if beat % 2 == 0 else 0
        beats.append(burst + knock)
    return _scaled(np.concatenate(beats))


def plucks(seed: int) -> Sound:
    """Plucked strings with all their partials, each of which dies the sooner the higher it is."""
    rng = np.random.default_rng(seed)
    time_s = np.arange(round(BEAT_S * RATE_HZ)) / RATE_HZ
    notes = []
    for pitch_hz in rng.permutation(220 * 2 ** (np.array([0, 2, 3, 5, 7, 8, 10, 12]) / 12)):
        partials = np.arange(1, int(20_000 / pitch_hz))[:, None]
        tone = np.sin(2 * np.pi * partials * pitch_hz * time_s) * np.exp(-time_s * (4 + partials / 3)) / partials**0.7
        notes.append(tone.sum(axis=0))
    return _scaled(np.concatenate(notes))


def low_passed(sound: Sound, cutoff_hz: float) -> Sound:
    """Without what lies above, by a filter without delay: all versions stay aligned to the sample."""
    frequency_hz = np.fft.rfftfreq(len(sound), 1 / RATE_HZ)
    gain = 1 / (1 + (frequency_hz / cutoff_hz) ** 32)
    filtered: Sound = np.fft.irfft(np.fft.rfft(sound) * gain, len(sound))
    return filtered


def _scaled(sound: Sound) -> Sound:
    return sound * (PEAK / float(np.abs(sound).max()))


@transaction.atomic
def build(*, owner: User) -> Experiment:
    collection = create_collection(owner=owner, slug=SLUG, title="Two sounds and three low-pass filters")
    sounds = []
    for item, sound in {"shaker": shaker(1), "plucks": plucks(2)}.items():
        versions = {"full band": sound, **{f"{cutoff} Hz": low_passed(sound, cutoff) for cutoff in CUTOFFS_HZ}}
        for condition, version in versions.items():
            role = Condition.Role.REFERENCE if condition == "full band" else Condition.Role.TEST
            sounds.append(NewSound(item, condition, clip_bytes(version.astype(np.float32), RATE_HZ), role))
    add_stimuli(collection=collection, sounds=sounds)
    experiment = create_experiment(
        owner=owner,
        slug=SLUG,
        title="Can you hear the difference?",
        collection=collection,
        protocol_slug="abx",
        label_set="abx-en-1",
        consent_text=CONSENT,
        options={"repetitions": REPETITIONS},
        seed="demo",
    )
    # X can be told from A and B with one ear too, so ears are not checked; the volume is set before the first clip.
    change_session_settings(experiment=experiment, actor=owner, ear_check=False)
    create_panel(experiment=experiment, seats=SEATS, actor=owner)
    return go_live(experiment=experiment, actor=owner)
