"""Demo of THumBS: eight soundscapes of ten seconds in two datasets, two captions of each, and a worked example."""

from dataclasses import dataclass

import numpy as np

from audio.synthesis import clip_bytes
from core.models import User
from listening.demos.soundscape import sources
from listening.demos.soundscape.sources import RATE_HZ, Sound
from listening.demos.steps import find_or_make_collection, find_or_make_experiment, launch
from rating.models import Experiment
from stimuli.models import Collection, Condition, Stimulus
from stimuli.services.collections import add_stimulus, add_text

SLUG = "demo-thumbs"
TAKES_LONG = True  # nine soundscapes are made, some seconds in all
CLIP_S = 10.0
PEAK = 0.35
HEARD, DESCRIBER, SYSTEM = "sound", "describer", "system"
SEATS = {"expert": 4, "layperson": 4}
CONSENT = (
    "You will hear soundscapes of ten seconds and read two captions of each. You say how correct and how complete each "
    "caption is and how well it is written. Your answers are kept under a number, without your name. You can stop at "
    "any time."
)


@dataclass(frozen=True)
class Scene:
    """A soundscape: what sounds in it and how loud, where it comes from, and two captions of our own wording."""

    item: str
    parts: tuple[tuple[str, float], ...]
    dataset: str
    synthesised: str  # what it passes for: half of the demo pretends to be a recording
    describer: str
    system: str


SAMPLE = Scene(
    *("sample", (("traffic", 0.8), ("siren", 0.5)), "street", "yes"),
    "Steady traffic on a wide road; a siren rises and falls somewhere behind it.",
    "Cars are driving. Cars are driving on the road with a siren and some people who are talking to each other.",
)
SCENES = (
    Scene(
        *("park", (("birds", 0.8), ("steps", 0.5)), "street", "no"),
        "A few birds take turns while a person walks past on gravel.",
        "Birds are singing in a park. The birds sing and a person is walking, and the birds sing.",
    ),
    Scene(
        *("crossing", (("car", 0.9), ("voices", 0.4)), "street", "no"),
        "A car comes near, and people talk in turn not far away.",
        "A car passes by while several people are having a conversation.",
    ),
    Scene(
        *("yard", (("dog", 0.7), ("wind", 0.4)), "street", "no"),
        "A dog barks again and again in a windy yard.",
        "A dog is barking at the wind in the background of a yard with dog.",
    ),
    Scene(
        *("works", (("hammering", 0.8), ("traffic", 0.3)), "street", "no"),
        "Hammering on metal; traffic far away.",
        "The sound of construction work with hammering, drilling, and a large crowd of workers shouting.",
    ),
    Scene(
        *("storm", (("thunder", 0.9), ("rain", 0.4)), "studio", "yes"),
        "Thunder rolls over steady rain, twice in quick succession.",
        "It is raining with thunder, the atmosphere is gloomy and somewhat annoying.",
    ),
    Scene(
        *("night", (("crickets", 0.6), ("owl", 0.7)), "studio", "yes"),
        "Crickets chirp without a pause, and an owl calls twice.",
        "Insects buzz at night and a owl hoot, creating a calm scene.",
    ),
    Scene(
        *("dawn", (("chorus", 0.6), ("rooster", 0.6)), "studio", "yes"),
        "Many birds sing at once, and a rooster crows above them.",
        "A rooster is crowing in the morning and there are birds chirping around.",
    ),
    Scene(
        *("square", (("voices", 0.7), ("rain", 0.3)), "studio", "yes"),
        "People talk all at once on a square, and light rain falls.",
        "A crowd of people is talking in a restaurant where dishes can be heard clinking.",
    ),
)
EXAMPLE = {
    "item": SAMPLE.item,
    "captions": [
        {
            "condition": DESCRIBER,
            "PRECISION": 5,
            "RECALL": 4.5,
            "FLUENCY": 0,
            "CONCISENESS": 0,
            "IRRELEVANCE": 0,
            "why": "Everything it says can be heard. It does not say how near the road is, so recall is not quite 5.",
        },
        {
            "condition": SYSTEM,
            "PRECISION": 3,
            "RECALL": 4,
            "FLUENCY": -0.1,
            "CONCISENESS": -0.5,
            "IRRELEVANCE": -0.5,
            "why": (
                "Nobody talks, so precision is lower, and there is a penalty for irrelevance. The cars are mentioned "
                "twice: a penalty for conciseness."
            ),
        },
    ],
    "synthesised": True,
}


def build(*, owner: User) -> Experiment:
    """Make what is not there yet, each step in a transaction of its own."""
    collection = find_or_make_collection(owner=owner, slug=SLUG, title="Eight soundscapes and their captions")
    for seed, scene in enumerate((SAMPLE, *SCENES)):
        _add(collection, scene, seed)
    experiment = find_or_make_experiment(
        owner=owner,
        slug=SLUG,
        title="How good is the caption?",
        collection=collection,
        protocol_slug="thumbs",
        label_set="thumbs-en-1",
        consent_text=CONSENT,
        options={"example": EXAMPLE},
    )
    # Captions are judged on any loudspeaker; the sample clip is there to set the level.
    return launch(experiment=experiment, owner=owner, seats=SEATS)


def _add(collection: Collection, scene: Scene, seed: int) -> None:
    there = set(
        Stimulus.objects.filter(item__collection=collection, item__name=scene.item).values_list(
            "condition__name", flat=True
        )
    )
    if HEARD not in there:
        factors = {"dataset": scene.dataset, "synthesised": scene.synthesised}
        content = clip_bytes(soundscape(scene, seed), RATE_HZ)
        add_stimulus(
            collection=collection,
            item=scene.item,
            condition=HEARD,
            content=content,
            role=Condition.Role.REFERENCE,
            factors=factors,
        )
    for condition, words in ((DESCRIBER, scene.describer), (SYSTEM, scene.system)):
        if condition not in there:
            text = {"kind": "caption", "text": words, "tokens": None}
            add_text(collection=collection, item=scene.item, condition=condition, text=text)


def soundscape(scene: Scene, seed: int) -> Sound:
    """Its sources at once, each by its loudness, with a short fade at both ends."""
    rng, samples = np.random.default_rng(seed), round(CLIP_S * RATE_HZ)
    mixed = np.zeros(samples)
    for name, loudness in scene.parts:
        sound = getattr(sources, name)(rng)[:samples].astype(np.float64)
        mixed += loudness * sound / max(float(np.abs(sound).max()), 1e-9)
    rise = np.minimum(np.arange(samples) / (0.2 * RATE_HZ), 1.0)
    faded = mixed * rise * rise[::-1]
    return np.asarray(PEAK * faded / np.abs(faded).max(), np.float32)
