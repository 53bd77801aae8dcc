"""The demo of the TC/SD plane: open at once, while its recordings are still being prepared, and made only once."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from core.models import Job
from protocols.tcsd_plane import demo
from protocols.tcsd_plane.soundscape.example import seven_summaries
from protocols.tcsd_plane.soundscape.programmes import DAY
from protocols.tcsd_plane.soundscape.summaries import Summary, eight_summaries
from rating.models import Experiment, Trial
from stimuli.models import Condition, Recording, Stimulus
from stimuli.services import ingest
from tests.people import experimenter
from tests.protocols.quiet import quiet_palette
from tests.scale import ALL
from tests.stimuli.recordings import fresh_storage

pytestmark = pytest.mark.django_db


def shortened(summaries: Mapping[str, Summary]) -> dict[str, Summary]:
    """The same passages, much shorter: how long they are decides nothing here."""
    duration_s = 0.5 if ALL else 0.2
    return {name: [replace(part, duration_s=duration_s) for part in summary] for name, summary in summaries.items()}


def test_the_demo_opens_while_its_recordings_are_prepared_and_is_made_once(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh_storage(settings, tmp_path)
    settings.UPLOADS_DIR = tmp_path / "uploads"
    if not ALL:
        monkeypatch.setattr(demo, "make_palette", quiet_palette)
    monkeypatch.setattr(demo, "DAY", replace(DAY, first_hour=5, hours=1))  # a whole one is 346 MB
    monkeypatch.setattr(demo, "eight_summaries", lambda day: shortened(eight_summaries(day)))
    monkeypatch.setattr(demo, "seven_summaries", lambda: shortened(seven_summaries()))
    owner = experimenter()
    experiment = demo.build(owner=owner)

    assert experiment.state == Experiment.State.LIVE
    stimuli = Stimulus.objects.filter(item__collection=experiment.collection, recording__isnull=False)
    roles = sorted(stimuli.values_list("item__name", "condition__role"))
    assert roles == [("A", "full-length"), *[("A", "test")] * 8, ("X", "full-length"), *[("X", "test")] * 7]
    factors = Condition.objects.exclude(factors={}).order_by("name").values_list("factors", flat=True)
    assert list(factors) == [{"method": way, "z": z} for way in ("greedy", "reference") for z in ("0", "0.5", "1")]
    starts = stimuli.filter(starts_at_s__isnull=False).values_list("item__name", "starts_at_s")
    assert sorted(starts) == [("A", 5 * 3600), ("X", 3 * 3600)]
    long_ones = Recording.objects.filter(stimuli__condition__role="full-length")
    assert {recording.state for recording in long_ones} == {Recording.State.INGESTING}
    assert Job.objects.filter(name=ingest.ingest_chunk.name).count() == sum(map(ingest.chunk_count, long_ones))
    assert list((tmp_path / "uploads").glob("*")) == []

    pages = Trial.objects.filter(ballot__experiment=experiment)
    example = pages.filter(kind="practice").first()
    assert example is not None
    assert len(example.detail["example"]) == 7
    assert pages.filter(kind="test").count() == demo.SEATS
    assert all(len(page.detail["passages"]) == page.slots.count() - 1 for page in pages)

    jobs = Job.objects.count()
    assert demo.build(owner=owner) == experiment
    assert Job.objects.count() == jobs
    assert stimuli.count() == 17
    assert Stimulus.objects.filter(text__kind="cues").count() == 15
