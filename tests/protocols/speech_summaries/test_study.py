"""Pages and material become a study: who picked what, where versions lie, whose own a version is."""

from random import Random

from protocols.speech_summaries.analysis.study import gather
from tests.protocols.speech_summaries.pages import JUDGED, MADE, MATERIAL, PICKS, WORDS, made, slot, transcript, version


def test_the_order_of_pages_and_material_does_not_matter() -> None:
    pages, material = [*MADE, *JUDGED], list(MATERIAL)
    study = gather(pages, material)
    Random(1).shuffle(pages)
    Random(2).shuffle(material)
    again = gather(pages, material)
    assert again == study
    assert list(again.utterances) == list(study.utterances)


def test_picks_ratings_and_versions_meet_under_their_utterance() -> None:
    study = gather([*MADE, *JUDGED], MATERIAL)
    assert (study.makers, study.judges) == ([1, 2, 3, 4], [11, 12])
    utterance = study.utterances["u1"]
    assert utterance.tokens == WORDS
    assert utterance.manual == {f"maker {maker}": picked for maker, picked in PICKS.items()}
    assert utterance.candidates == {"close": (1, 2, 3, 10), "far": (4, "?plum", 7, 9)}
    assert utterance.judged == {"close": 4.5, "far": 1.5}
    assert study.utterances["u3"].judged == {}


def test_practice_does_not_count() -> None:
    assert gather([made(1, "u1", (1, 2), kind="practice")], MATERIAL).makers == []


def test_words_are_placed_and_doubtful_places_are_told() -> None:
    study = gather(MADE, [transcript("u1"), slot("u1", "x", kind="summary", tokens=["rain", "fell", "mars"])])
    assert study.utterances["u1"].candidates["x"] == (1, 2, "?mars")
    assert study.ambiguous == {}
    doubtful = gather(
        MADE, [transcript("u1"), slot("u1", "x", kind="summary", tokens=["rain", "fell", "on", "bridge"])]
    )
    assert doubtful.utterances["u1"].candidates["x"] == (1, 2, 8, 10)
    assert doubtful.ambiguous == {("u1", "x"): (3,)}


def test_positions_of_a_transcript_that_was_corrected_since_are_placed_anew() -> None:
    stale = slot("u1", "x", kind="summary", tokens=["rain", "harbour"], positions=[1, 7])
    assert gather(MADE, [transcript("u1"), stale]).utterances["u1"].candidates["x"] == (1, 6)


def test_a_version_that_is_one_makers_own_everywhere_has_that_author() -> None:
    own = [version(item, "human", PICKS[2]) for item in ("u1", "u2", "u3")]
    study = gather(MADE, [*MATERIAL, *own])
    assert study.authors == {"human": 2}
    assert "maker 2" not in study.utterances["u1"].references_for("human")
    other = [*own[:2], version("u3", "human", (1, 2, 3, 4))]
    assert gather(MADE, [*MATERIAL, *other]).authors == {}
    assert gather(MADE, [*MATERIAL, *own[:2]]).authors == {}  # two alike may be chance


def test_whose_author_is_the_only_maker_is_not_measured() -> None:
    own = [version(item, "human", (1, 2, 3, 4)) for item in ("u1", "u2", "u3")]
    alone = [made(1, item, (1, 2, 3, 4)) for item in ("u1", "u2", "u3")]
    study = gather(alone, [*MATERIAL, *own])
    assert study.authors == {"human": 1}
    assert set(study.utterances["u1"].candidates) == {"close", "far"}


def test_a_recogniser_is_held_against_the_transcript_and_is_no_version() -> None:
    heard = slot("u1", "asr", kind="asr", tokens=[*WORDS[:5], "harper", *WORDS[6:]])
    study = gather(MADE, [*MATERIAL, heard])
    assert study.recognised == {"u1": 90.0}
    assert "asr" not in study.utterances["u1"].candidates
