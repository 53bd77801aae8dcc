"""Demos as files: written, created from it again and written once more, to the same bytes."""

import json
from types import ModuleType

import jsonschema  # type: ignore[import-untyped]
import pytest
import yaml

from core.models import User
from listening.experiment_file.declaration import json_schema
from listening.panels.services.experiment_files import create_from_file, export_experiment
from protocols.p835 import demo as p835
from protocols.p835.noisy_speech import pool
from rating.models import Ballot, Experiment
from rating.registry import module_of, protocols
from stimuli.models import Condition
from stimuli.services.collections import NewSound, add_stimuli, add_text, create_collection
from tests.factories import make_user, tone
from tests.protocols.demo_material import MATERIAL

pytestmark = pytest.mark.django_db
DEMOS = [slug for slug in protocols() if module_of(slug, "demo")]
SHORT = {"p835", "speech_summaries"}  # with a design and with sounds; with texts and groups of listeners


def fill_shortly(owner: User, slug: str, demo: ModuleType) -> None:
    """The collection that the demo would make, every sound of it a short tone."""
    collection = create_collection(owner=owner, slug=demo.SLUG, title="Short tones")
    factors, sounds = dict(pool()), []
    for number, entry in enumerate(MATERIAL[slug][0]):
        role, known = Condition.Role(entry.role), factors.get(entry.item, {}) if demo is p835 else {}
        if entry.text is None:
            sounds.append(NewSound(entry.item, entry.condition, tone(200 + number), role, known))
        else:
            add_text(collection=collection, item=entry.item, condition=entry.condition, text=entry.text, role=role)
    add_stimuli(collection=collection, sounds=sounds)


@pytest.mark.parametrize(
    "slug", [pytest.param(slug, marks=[] if slug in SHORT else pytest.mark.long) for slug in DEMOS]
)
def test_a_demo_is_the_same_file_after_a_round_trip(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    demo, owner = module_of(slug, "demo"), make_user()
    assert demo is not None
    if demo is p835:
        for name, size in {"PANELS": 2, "SEATS": 2, "SIZE": 8}.items():
            monkeypatch.setattr(demo, name, size)
    if hasattr(demo, "find_or_make_collection"):
        fill_shortly(owner, slug, demo)
    built: Experiment = demo.build(owner=owner)
    written = export_experiment(experiment=built, actor=owner)
    Experiment.objects.filter(pk=built.pk).update(slug="aside")

    again = create_from_file(content=written.encode(), owner=owner, in_background=False)
    assert export_experiment(experiment=again, actor=owner) == written
    assert again.state == Experiment.State.DRAFT
    plans = [sorted(Ballot.objects.filter(experiment=one).values_list("seed", "plan_sha256")) for one in (built, again)]
    assert plans[0] == plans[1]
    assert plans[0]
    jsonschema.Draft202012Validator(json.loads(json.dumps(json_schema()))).validate(yaml.safe_load(written))
