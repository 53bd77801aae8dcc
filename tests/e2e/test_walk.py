"""The count of the first minutes itself: what is said twice is found, and what is counted are words."""

from tests.e2e.first_minutes import Walk

SENTENCE = "Listen to every clip to its end."


def test_a_sentence_on_two_screens_is_found_wherever_it_stands() -> None:
    walk = Walk(reading={"landing": f"Welcome. {SENTENCE} Thank you.", "instructions": f"How it works\n{SENTENCE}"})
    assert walk.repeated == ["landing, instructions: listen to every clip to its end"]
    walk.reading["instructions"] = "How it works"
    walk.sound_check["ears"] = SENTENCE.upper()
    assert walk.repeated == ["landing, ears: listen to every clip to its end"]


def test_a_sentence_twice_on_one_screen_is_found() -> None:
    walk = Walk(reading={"landing": f"{SENTENCE} Nothing is recorded yet. {SENTENCE}"})
    assert walk.repeated == ["landing, twice: listen to every clip to its end"]


def test_labels_of_buttons_and_what_the_example_shares_with_its_page_may_come_again() -> None:
    walk = Walk(reading={"landing": "Agree and begin", "instructions": "Agree and begin"})
    walk.work = {"example": SENTENCE, "trial": SENTENCE}
    assert walk.repeated == []


def test_words_and_screens_before_the_first_trial_are_counted() -> None:
    walk = Walk(reading={"landing": "About 3 minutes – 12 clips", "instructions": "Listen."}, work={"trial": "Play"})
    walk.sound_check = {"level": "Set the volume", "ears": "Left and right"}
    assert (walk.words, walk.screens) == (6, 3)
