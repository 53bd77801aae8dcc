"""The demo of chaptering: open at once, with chapters to compare with that nobody is shown, and made only once."""

from itertools import pairwise
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from protocols.chaptering import demo
from rating.models import Experiment, Trial
from stimuli.models import Recording, Stimulus
from tests.people import experimenter
from tests.protocols.quiet import quiet_palette
from tests.scale import ALL
from tests.stimuli.recordings import fresh_storage

pytestmark = pytest.mark.django_db


def test_sections_begin_where_their_scenes_do() -> None:
    for name, sections in demo.RECORDINGS.items():
        starts_s = demo.starts_s(sections)
        assert len(starts_s) == len(sections), name
        assert starts_s[0] == 0
        assert all(later - earlier > 60 for earlier, later in pairwise(starts_s))


def test_the_demo_opens_with_a_reference_and_two_systems_and_is_made_once(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh_storage(settings, tmp_path)
    settings.UPLOADS_DIR = tmp_path / "uploads"
    short = {"evening": (demo.Section("Birds", ("birds",), 2), demo.Section("Rain", ("rain",), 2))}
    monkeypatch.setattr(demo, "RECORDINGS", short)
    if not ALL:
        monkeypatch.setattr(demo, "make_palette", quiet_palette)
    owner = experimenter()
    experiment = demo.build(owner=owner)

    assert experiment.state == Experiment.State.LIVE
    stimuli = Stimulus.objects.filter(item__collection=experiment.collection)
    told = {each.condition.name: each.text["chapters"] for each in stimuli.filter(recording=None) if each.text}
    second_s = demo.starts_s(short["evening"])[1]
    assert told == {
        "reference": [[0.0, "Birds"], [second_s, "Rain"]],
        "steady": [[0.0, "Birds"], [round(second_s + 0.8, 3), "Rain"]],
        "careless": [[0.0, "Birds"], [second_s + 9.0, "Rain"]],
    }
    recording = Recording.objects.get()
    assert second_s < recording.length_samples / recording.sample_rate_hz < 90
    shown = Trial.objects.filter(ballot__experiment=experiment)
    assert shown.count() == demo.SEATS
    assert {slot.key for trial in shown for slot in trial.slots.all()} == {"full"}

    assert demo.build(owner=owner) == experiment
    assert (Stimulus.objects.count(), Trial.objects.count()) == (4, demo.SEATS)
