"""One utterance: its words, the summaries that people made of it, and the candidates that are measured by them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Position = int  # a word of the transcript, counted from 1: equal words at two places are two words (section 3.2)
Token = Position | str  # a candidate may also hold "?word", which is not in the transcript and matches nothing
Summary = tuple[Position, ...]
Candidate = tuple[Token, ...]

FOREIGN = "?"


@dataclass(frozen=True, slots=True)
class Utterance:
    """What parsing.py lets through: no summary is empty, and the positions of each grow."""

    tokens: tuple[str, ...]
    manual: Mapping[str, Summary]
    candidates: Mapping[str, Candidate]
    authors: Mapping[str, str | None] = field(default_factory=dict)
    judged: Mapping[str, float] = field(default_factory=dict)  # the judges' mean of a candidate

    def author_of(self, system: str) -> str | None:
        """Name the maker whose summary the candidate is: the stated author, or else the maker of the same name."""
        if system in self.authors:
            return self.authors[system]
        return system if system in self.manual else None

    def references_for(self, system: str) -> dict[str, Summary]:
        """Leave the author out, or a person would be measured by themselves (section 3.7: 24 of 25)."""
        author = self.author_of(system)
        return {maker: summary for maker, summary in self.manual.items() if maker != author}
