"""The demo of THumBS: eight clips with two captions each in two datasets, an example first, two groups of people."""

import numpy as np
import pytest

from listening.demos.soundscape import sources
from listening.demos.soundscape.sources import RATE_HZ
from protocols.thumbs import demo
from rating.models import Ballot, Experiment
from tests.factories import make_user
from tests.scale import ALL


def test_every_soundscape_is_ten_seconds_that_can_be_heard_and_the_same_each_time() -> None:
    sounds = [demo.soundscape(scene, seed) for seed, scene in enumerate(demo.SCENES[:2])]
    for sound in sounds:
        assert len(sound) == 10 * RATE_HZ
        assert 0.005 < float(np.sqrt((sound**2).mean())) < float(np.abs(sound).max()) <= 0.36
    assert (sounds[0] == demo.soundscape(demo.SCENES[0], 0)).all()


@pytest.mark.django_db
def test_the_demo_is_built_once_and_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "CLIP_S", 4.0)
    if not ALL:  # what is heard decides nothing here, and to make all sources takes long
        monkeypatch.setattr(
            demo, "soundscape", lambda _, seed: sources.steady_noise(np.random.default_rng(seed))[:RATE_HZ]
        )
    owner = make_user()
    built = demo.build(owner=owner)
    assert demo.build(owner=owner).pk == built.pk
    assert built.state == Experiment.State.LIVE
    ballot = Ballot.objects.filter(seat__panel__experiment=built, seat__panel__group="layperson").earliest(
        "seat__number"
    )
    trials = list(ballot.trials.order_by("position"))
    assert [trial.kind for trial in trials] == ["practice"] + ["test"] * 8
    worked = trials[0].detail["example"]["captions"]
    assert {each["PRECISION"] for each in worked.values()} == {5, 3}
    assert [trial.slots.count() for trial in trials] == [3] * 9
    datasets = [trial.slots.get(key="clip").stimulus.item.factors["dataset"] for trial in trials[1:]]
    assert datasets == ["street"] * 4 + ["studio"] * 4
