"""The sentence of the paper's table 1 and the five summaries of it."""

from protocols.speech_summaries.analysis.utterances import Candidate, Utterance

TOKENS = ("The", "beautiful", "cherry", "blossoms", "in", "Japan", "bloom", "in", "spring")
MANUAL = {
    "A": (1, 3, 4, 5, 6),
    "B": (2, 3, 4, 5, 6),
    "C": (2, 3, 4, 8, 9),
    "D": (3, 4, 7, 8, 9),
    "E": (2, 3, 7, 8, 9),
}
PAPER = (3, 4, 5, 6, 7)  # "Cherry blossoms in Japan bloom", which the paper takes for a path of the network


def utterance(**candidates: Candidate) -> Utterance:
    return Utterance(TOKENS, MANUAL, candidates)


def positions(text: str) -> Candidate:
    """Write a candidate as in `3 4 ?plum 6`."""
    return tuple(int(token) if token.isdigit() else token for token in text.split())
