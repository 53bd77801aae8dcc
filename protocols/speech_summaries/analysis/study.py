"""Study out of its pages and its material: utterances with what makers picked, versions, and judges' ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from analysis.method import AnsweredPage, HeardSlot, Json
from protocols.speech_summaries.analysis.alignment import Placed, align, place_words
from protocols.speech_summaries.analysis.utterances import Candidate, Summary, Utterance

REFERENCES = ("reference", "full-length")  # the roles that a transcript may have
VERSIONS = ("tokens", "summary")  # the kinds of text that judges read
FEWEST_ALIKE = 3  # utterances on which a version is a person's own summary, before that person is taken for its author

Maker = int  # a listener
Ratings = Mapping[tuple[str, str], Mapping[int, float]]  # by item and condition, then by judge


@dataclass(frozen=True)
class Study:
    """Utterances by the name of their item, in the order of names; one may have no summary yet, or no version."""

    utterances: Mapping[str, Utterance]
    picks: Mapping[str, Mapping[Maker, Summary]]
    ratings: Ratings
    authors: Mapping[str, Maker]  # by condition
    ambiguous: Mapping[tuple[str, str], tuple[int, ...]]  # by item and condition: words that could lie elsewhere
    recognised: Mapping[str, float]  # the recogniser's word accuracy in percent, by item

    @property
    def makers(self) -> list[Maker]:
        return sorted({maker for picked in self.picks.values() for maker in picked})

    @property
    def judges(self) -> list[int]:
        return sorted({judge for given in self.ratings.values() for judge in given})


def maker_name(maker: Maker) -> str:
    return f"maker {maker}"


def gather(pages: Iterable[AnsweredPage], material: Iterable[HeardSlot]) -> Study:
    """Put answers and material together; the same in any order gives the same study."""
    counted = sorted((page for page in pages if page.kind == "test"), key=lambda page: (page.listener, page.position))
    texts = sorted(_texts(material), key=lambda text: (text.item, text.condition))
    transcripts = {text.item: text.tokens for text in texts if text.is_transcript}
    placed = {
        (text.item, text.condition): _placed(text, transcripts[text.item])
        for text in texts
        if text.item in transcripts and not text.is_transcript and text.kind in VERSIONS
    }
    picks, ratings = _picks(counted), _ratings(counted)
    authors = _authors({place: words.candidate for place, words in placed.items()}, picks)
    return Study(
        utterances={
            item: _utterance(item, tokens, placed, picks.get(item, {}), ratings, authors)
            for item, tokens in transcripts.items()
        },
        picks=picks,
        ratings=ratings,
        authors=authors,
        ambiguous={place: words.ambiguous for place, words in placed.items() if words.ambiguous},
        recognised={
            text.item: align(text.tokens, transcripts[text.item]).word_accuracy
            for text in texts
            if text.kind == "asr" and text.item in transcripts
        },
    )


@dataclass(frozen=True)
class _Text:
    item: str
    condition: str
    role: str
    kind: str
    tokens: tuple[str, ...]
    positions: Candidate  # empty where only words were given

    @property
    def is_transcript(self) -> bool:
        return self.role in REFERENCES and self.kind == "tokens"


def _texts(material: Iterable[HeardSlot]) -> Iterator[_Text]:
    for slot in material:
        text: Mapping[str, Json] = slot.text or {}
        if text.get("tokens"):
            positions = tuple(text.get("positions") or ())
            yield _Text(slot.item, slot.condition, slot.role, text["kind"], tuple(text["tokens"]), positions)


def _utterance(
    item: str,
    tokens: tuple[str, ...],
    placed: Mapping[tuple[str, str], Placed],
    picks: Mapping[Maker, Summary],
    ratings: Ratings,
    authors: Mapping[str, Maker],
) -> Utterance:
    versions = {condition: words.candidate for (of, condition), words in placed.items() if of == item}
    # Whose author is the only maker here has nothing to be measured by.
    left = {condition: words for condition, words in versions.items() if picks.keys() != {authors.get(condition)}}
    judged = {condition: ratings[item, condition] for condition in left if (item, condition) in ratings}
    return Utterance(
        tokens=tokens,
        manual={maker_name(maker): summary for maker, summary in picks.items()},
        candidates=left,
        authors={condition: maker_name(authors[condition]) for condition in left if authors.get(condition) in picks},
        judged={condition: fmean(given.values()) for condition, given in judged.items()},
    )


def _placed(version: _Text, tokens: Sequence[str]) -> Placed:
    """A version as positions: those that were given, or those that an alignment of its words finds."""
    fits = version.positions and all(
        isinstance(token, str) or (token <= len(tokens) and tokens[token - 1] == word)
        for token, word in zip(version.positions, version.tokens, strict=False)
    )
    # Positions that lead to other words than they did are of a transcript that has been corrected since.
    return Placed(version.positions, ()) if fits else place_words(version.tokens, tokens)


def _picks(pages: Iterable[AnsweredPage]) -> dict[str, dict[Maker, Summary]]:
    picks: defaultdict[str, dict[Maker, Summary]] = defaultdict(dict)
    for page in pages:
        if page.detail.get("picked"):
            picks[page.slots["transcript"].item][page.listener] = tuple(page.detail["picked"])
    return dict(sorted(picks.items()))


def _ratings(pages: Iterable[AnsweredPage]) -> Ratings:
    ratings: defaultdict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for page in pages:
        for (slot, scale), value in page.marks.items():
            if scale == "QUALITY":
                ratings[page.slots[slot].item, page.slots[slot].condition][page.listener] = value
    return dict(sorted(ratings.items()))


def _authors(
    candidates: Mapping[tuple[str, str], Candidate], picks: Mapping[str, Mapping[Maker, Summary]]
) -> dict[str, Maker]:
    """Find versions that are one maker's own: equal, word for word, on every utterance that both have."""
    alike: defaultdict[tuple[str, Maker], list[bool]] = defaultdict(list)
    for (item, condition), candidate in candidates.items():
        for maker, summary in picks.get(item, {}).items():
            alike[condition, maker].append(candidate == summary)
    found: defaultdict[str, list[Maker]] = defaultdict(list)
    for (condition, maker), same in alike.items():
        if len(same) >= FEWEST_ALIKE and all(same):
            found[condition].append(maker)
    return {condition: makers[0] for condition, makers in found.items() if len(makers) == 1}
