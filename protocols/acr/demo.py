"""Demo of absolute category rating: four babbled clips under three conditions."""

import numpy as np
from django.db import transaction

from audio.synthesis import Degradation, clip_bytes, degrade, speak
from core.models import User
from listening.panels.services.panels import create_panel
from listening.panels.services.session_settings import change_session_settings
from rating.models import Experiment
from rating.services.experiments import create_experiment, go_live
from stimuli.services.collections import NewSound, add_stimuli, create_collection

SLUG = "demo-acr"
TALKERS = {"talker 1": 1, "talker 2": 2, "talker 3": 3, "talker 4": 4}
CONDITIONS = (Degradation.CLEAN, Degradation.NOISE, Degradation.CODED)
DURATION_S = 2.0
SAMPLE_RATE_HZ = 16000
SEATS = 8
PRACTICE = 3
CONSENT = (
    "You will rate short clips of synthetic, speech-like sounds. Your answers are kept under a number, without your "
    "name. You can stop at any time."
)


@transaction.atomic
def build(*, owner: User) -> Experiment:
    collection = create_collection(owner=owner, slug=SLUG, title="Babbled speech, three conditions")
    sounds = []
    for name, seed in TALKERS.items():
        speech = speak(seed, DURATION_S, SAMPLE_RATE_HZ)
        for condition in CONDITIONS:
            heard = degrade(speech, condition, np.random.default_rng(seed), SAMPLE_RATE_HZ)
            sounds.append(NewSound(name, condition.value, clip_bytes(heard, SAMPLE_RATE_HZ)))
    add_stimuli(collection=collection, sounds=sounds)
    experiment = create_experiment(
        owner=owner,
        slug=SLUG,
        title="How good does it sound?",
        collection=collection,
        protocol_slug="acr",
        label_set="acr-en-1",
        consent_text=CONSENT,
        options={"practice": PRACTICE},
        seed="demo",
    )
    # Any loudspeaker will do, so ears are not checked; the volume is set before the first clip.
    change_session_settings(experiment=experiment, actor=owner, ear_check=False)
    create_panel(experiment=experiment, seats=SEATS, actor=owner)
    return go_live(experiment=experiment, actor=owner)
