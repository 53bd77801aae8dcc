"""The last two chunks of a recording are added at the same moment: exactly one merge is asked for, never none."""

from functools import partial

import pytest

from audio.pyramid import CHUNK_SAMPLES
from core.models import Job
from stimuli.models import Recording
from stimuli.services import ingest
from tests.races.parallel import at_once
from tests.scale import ALL

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True)]

ROUNDS = 40 if ALL else 6


def a_recording(number: int) -> Recording:
    return Recording.objects.create(
        sha256=f"{number:064x}",
        file=f"recordings/{number}.wav",
        byte_count=1,
        sample_rate_hz=8000,
        channels=1,
        length_samples=2 * CHUNK_SAMPLES,
        state=Recording.State.INGESTING,
    )


def test_adding_the_last_chunk_enqueues_one_merge() -> None:
    for number in range(ROUNDS):
        recording = a_recording(number)
        at_once(*[partial(ingest.add_chunk, recording, chunk) for chunk in (0, 1)])
        merges = Job.objects.filter(name=ingest.merge_recording.name, arguments__recording_id=str(recording.pk))
        assert merges.count() == 1
