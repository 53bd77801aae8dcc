"""The sound of the P.835 demo: the pool's margins, every cell once, and conditions that differ as they say."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest

from protocols.p835 import noisy_speech
from protocols.p835.noisy_speech import DURATION_S, POOL, RATE_HZ, REFERENCES, SYSTEMS, TALKERS, Sound, clips, pool
from tests.scale import ALL


@pytest.fixture(scope="module")
def made() -> dict[tuple[str, str], Sound]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(noisy_speech, "pool", samples)
        if not ALL:
            patch.setattr(noisy_speech, "UTTERANCES", 9)  # so that these samples, too, have five speeds
        return {(condition, item): sound for condition, item, sound in clips()}


def samples() -> list[tuple[str, Mapping[str, str]]]:
    """All of the pool, or a fifth of it."""
    return pool()[:: 1 if ALL else 5]


def test_the_pool_has_the_margins_of_udase() -> None:
    whole = pool()
    assert len({name for name, _ in whole}) == 220
    assert {factor: dict(Counter(levels[factor] for _, levels in whole)) for factor in POOL} == POOL
    assert whole == pool()


def test_every_sample_is_there_under_every_system_and_every_reference_of_every_talker(
    made: dict[tuple[str, str], Sound],
) -> None:
    rated = {(system, item) for system in SYSTEMS for item, _ in samples()}
    references = {("ref", f"{name}_{talker}") for name in REFERENCES for talker in TALKERS}
    assert set(made) == rated | references
    assert (len(rated), len(references)) == (1100 if ALL else 220, 48)
    assert {len(sound) for sound in made.values()} == {round(DURATION_S * RATE_HZ)}


def test_no_two_clips_are_the_same_and_all_are_equally_loud(made: dict[tuple[str, str], Sound]) -> None:
    assert len({sound.tobytes() for sound in made.values()}) == len(made)
    levels_db = [10 * np.log10(np.mean(sound**2)) for sound in made.values()]
    assert max(levels_db) - min(levels_db) < 0.5
