"""Demo of P.835: panels as in the CHiME-7 UDASE listening test, of babbled speech that is made on the spot."""

import csv
from pathlib import Path
from tempfile import TemporaryDirectory

from audio.synthesis import clip_bytes
from core.models import User
from listening.demos.steps import find_or_make_collection, find_or_make_experiment, import_folder
from listening.design.base import DesignRequest
from listening.models import Design
from listening.panels.services.designs import adopt_draft, draft_design
from listening.panels.services.session_settings import change_session_settings
from protocols.p835.noisy_speech import POOL, RATE_HZ, clips, pool
from rating.models import Experiment
from rating.services.experiments import go_live
from stimuli.models import Collection, Stimulus

SLUG = "demo-p835"
TAKES_LONG = True  # some twenty seconds: `./earmark run` leaves it to the worker
PANELS, SEATS, SIZE, SESSIONS = 4, 8, 32, 4
REST_S = 60
PRACTICE = ("i01_f1", "i02_m1", "i09_f2", "i12_m2")  # clean, noisy, distorted, both: the ends of the scales
CONSENT = (
    "You will rate synthetic, speech-like sounds in noise: a practice session and four others, with breaks in between. "
    "Your answers are kept under a number, without your name. You can stop at any time."
)


def build(*, owner: User) -> Experiment:
    """Make what is not there yet, each step in a transaction of its own, so that nobody's vote waits for it."""
    collection = find_or_make_collection(
        owner=owner, slug=SLUG, title="Babbled speech in noise, four ways of cleaning it"
    )
    if not Stimulus.objects.filter(item__collection=collection).exists():
        _fill(collection, owner)
    experiment = find_or_make_experiment(
        owner=owner,
        slug=SLUG,
        title="Speech in noise: P.835",
        collection=collection,
        protocol_slug="p835",
        label_set="p835-en-1",
        consent_text=CONSENT,
        options={"sessions": SESSIONS},
    )
    if not Design.objects.filter(experiment=experiment).exists():
        wanted = DesignRequest(panels=PANELS, seats=SEATS, size=SIZE, sessions=SESSIONS, factors=tuple(POOL))
        draft = draft_design(experiment=experiment, wanted=wanted)
        adopt_draft(experiment=experiment, draft=draft, actor=owner)
        experiment.refresh_from_db()
    if experiment.state == Experiment.State.DRAFT:
        change_session_settings(experiment=experiment, actor=owner, rest_s=REST_S)
        experiment = go_live(experiment=experiment, actor=owner)
    return experiment


def _fill(collection: Collection, owner: User) -> None:
    """Bring the clips in the way that an experimenter would: folders C0 to C4 and ref, and a table of factors."""
    with TemporaryDirectory() as scratch:
        folder, table = Path(scratch) / "clips", Path(scratch) / "samples.csv"
        for condition, item, sound in clips():
            if condition == "ref" and item not in PRACTICE:
                continue
            path = folder / condition / f"{item}.wav"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(clip_bytes(sound.astype("float32"), RATE_HZ))
        with table.open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["item", *POOL])
            rows.writerows([name, *factors.values()] for name, factors in pool())
        import_folder(folder=folder, metadata=table, collection=collection, owner=owner)
