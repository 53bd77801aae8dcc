"""Demo of degradation category rating: four babbled clips against their reference, twelve pairs."""

import numpy as np
from django.db import transaction

from audio.synthesis import Degradation, clip_bytes, degrade, speak
from core.models import User
from listening.panels.services.panels import create_panel
from listening.panels.services.session_settings import change_session_settings
from rating.models import Experiment
from rating.services.experiments import create_experiment, go_live
from stimuli.models import Condition
from stimuli.services.collections import NewSound, add_stimuli, create_collection

SLUG = "demo-dcr"
TALKERS = {"talker 1": 11, "talker 2": 12, "talker 3": 13, "talker 4": 14}
# The same sound once more as a condition gives a null pair, which P.800 wants in the test to check the anchoring.
CONDITIONS = {"null pair": Degradation.CLEAN, "clipping": Degradation.CLIPPING, "coded": Degradation.CODED}
DURATION_S = 2.0
SAMPLE_RATE_HZ = 16000
SEATS = 8
CONSENT = (
    "You will compare pairs of synthetic, speech-like sounds. Your answers are kept under a number, without your name. "
    "You can stop at any time."
)


@transaction.atomic
def build(*, owner: User) -> Experiment:
    collection = create_collection(owner=owner, slug=SLUG, title="Babbled speech and its reference, three conditions")
    sounds = []
    for name, seed in TALKERS.items():
        speech = speak(seed, DURATION_S, SAMPLE_RATE_HZ)
        heard = {
            condition: degrade(speech, kind, np.random.default_rng(seed), SAMPLE_RATE_HZ)
            for condition, kind in {"reference": Degradation.CLEAN, **CONDITIONS}.items()
        }
        for condition, sound in heard.items():
            role = Condition.Role.REFERENCE if condition == "reference" else Condition.Role.TEST
            sounds.append(NewSound(name, condition, clip_bytes(sound, SAMPLE_RATE_HZ), role))
    add_stimuli(collection=collection, sounds=sounds)
    experiment = create_experiment(
        owner=owner,
        slug=SLUG,
        title="How much worse does it sound?",
        collection=collection,
        protocol_slug="dcr",
        label_set="dcr-en-1",
        consent_text=CONSENT,
        seed="demo",
    )
    # Any loudspeaker will do, so ears are not checked; the volume is set before the first clip.
    change_session_settings(experiment=experiment, actor=owner, ear_check=False)
    create_panel(experiment=experiment, seats=SEATS, actor=owner)
    return go_live(experiment=experiment, actor=owner)
