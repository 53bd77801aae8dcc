"""Utterances with their summaries, read from a JSON file and checked first; options of the evaluation."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, get_args

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _

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


Closest = Literal["edits", "accuracy"]
CLOSEST: tuple[Closest, ...] = get_args(Closest)


@dataclass(frozen=True, slots=True)
class Reading:
    """The defaults are `edits/without_boundaries`; protocols/speech_summaries/docs.md says why."""

    closest: Closest = "edits"  # the target has the fewest errors, or the highest word accuracy
    boundaries: bool = False  # whether the arcs from <s> and to </s> weigh in WSumACCY
    longest_ngram: int = 5  # p_1 .. p_5
    bleu_order: int = 4  # as in Papineni et al. (2002)

    @property
    def name(self) -> str:
        return f"{self.closest}/{'with' if self.boundaries else 'without'}_boundaries"

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "closest": self.closest,
            "boundaries": self.boundaries,
            "longest_ngram": self.longest_ngram,
            "bleu_order": self.bleu_order,
        }


DEFAULT = Reading()


MOST_LISTED = 100


def summaries_unfit(file: str, problems: Sequence[LazyMessage]) -> AppError:
    """The message names the first problem, the data all of them, up to a limit."""
    first, *others = problems
    return AppError(
        "summaries.unfit",
        422,
        _("'{file}' cannot be evaluated: {problems}. Nothing was computed."),
        file=file,
        problems=LazyMessage("{first}; and {count} more", first=first, count=len(others)) if others else first,
        count=len(problems),
        rows=[str(row) for row in problems[:MOST_LISTED]],
    )


KEYS = {"tokens", "manual", "candidates"}
OPTIONAL_KEYS = {"author", "judged"}
LARGEST_MEAN = 1000  # beyond any scale; it keeps out NaN, infinity and numbers that no float holds
LONGEST_SHOWN = 40


class _Members(dict[str, Any]):
    """A JSON object that remembers which names it had twice; a plain dictionary keeps the last value in silence."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        names = [name for name, _ in pairs]
        self.twice = sorted({name for name in names if names.count(name) > 1}) if len(names) > len(self) else []


def parse_utterances(content: bytes, *, file: str) -> list[Utterance]:
    """Read `{"utterances": [{"tokens": [], "manual": {}, "candidates": {}}]}`, or reject with every problem."""
    document = _load(content, file)
    problems = list(_document_problems(document))
    if problems:
        raise summaries_unfit(file, problems)
    return [_utterance(record) for record in document["utterances"]]


def _load(content: bytes, file: str) -> Any:
    try:
        document = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_Members)
        json.dumps(document, ensure_ascii=False).encode()  # what cannot be written again is not read
        return document
    except UnicodeEncodeError:
        problem = LazyMessage("it holds half of a surrogate pair, which is no character")
    except UnicodeDecodeError as trouble:
        line = content.count(b"\n", 0, trouble.start) + 1
        problem = LazyMessage("line {line} is not UTF-8", line=str(line))
    except json.JSONDecodeError as trouble:
        problem = LazyMessage(
            "line {line}, column {column} is not JSON ({reason})",
            line=str(trouble.lineno),
            column=str(trouble.colno),
            reason=trouble.msg,
        )
    except (RecursionError, ValueError):  # brackets in brackets without end, or a number of thousands of digits
        problem = LazyMessage("it is nested too deeply, or holds a number with too many digits")
    raise AppError(
        "summaries.unreadable",
        422,
        _("'{file}' cannot be read: {problem}. Give one JSON object in UTF-8, with a list 'utterances'."),
        file=file,
        problem=problem,
    )


def _utterance(record: Mapping[str, Any]) -> Utterance:
    return Utterance(
        tokens=tuple(record["tokens"]),
        manual={maker: tuple(summary) for maker, summary in record["manual"].items()},
        candidates={system: tuple(candidate) for system, candidate in record["candidates"].items()},
        authors=dict(record.get("author", {})),
        judged=dict(record.get("judged", {})),
    )


# --- Problems, each with its place and what would be right ------------------------------------------------------------


def _document_problems(document: Any) -> Iterator[LazyMessage]:
    whole = LazyMessage("at the top")
    if not isinstance(document, _Members):
        yield _at(whole, LazyMessage("there must be one object with the key 'utterances'"))
        return
    yield from _at_each(whole, _key_problems(document, required={"utterances"}))
    if "utterances" not in document:
        return
    utterances = document["utterances"]
    if not isinstance(utterances, list) or not utterances:
        yield _at(whole, LazyMessage("'utterances' must be a list of at least one utterance"))
        return
    for number, record in enumerate(utterances, 1):
        yield from _UtteranceJudge(number).problems(record)


class _UtteranceJudge:
    """Holds one utterance against what it must be; what depends on a part that is wrong is not judged."""

    def __init__(self, number: int) -> None:
        self._number = str(number)  # as text: no comma between its digits

    def problems(self, record: Any) -> Iterator[LazyMessage]:
        if not isinstance(record, _Members):
            yield _at(self._place(), LazyMessage("an utterance must be an object with tokens, manual and candidates"))
            return
        ill_keyed = list(_key_problems(record, required=KEYS, optional=OPTIONAL_KEYS))
        ill_shaped = list(_shape_problems(record))
        yield from _at_each(self._place(), [*ill_keyed, *ill_shaped])
        if ill_shaped or not record.keys() >= KEYS:
            return
        last = len(record["tokens"])
        for maker, summary in record["manual"].items():
            yield from _at_each(self._maker(maker), _summary_problems(summary, last))
        for system, candidate in record["candidates"].items():
            yield from _at_each(self._candidate(system), _candidate_problems(candidate, last))
        for system, author in record.get("author", {}).items():
            yield from _at_each(self._candidate(system), _author_problems(record, system, author))
        for system, mean in record.get("judged", {}).items():
            yield from _at_each(self._candidate(system), _judged_problems(record, system, mean))
        yield from self._nobody_left(record)

    def _nobody_left(self, record: Mapping[str, Any]) -> Iterator[LazyMessage]:
        for system in record["candidates"]:
            author = record.get("author", {}).get(system, system)
            if list(record["manual"]) == [author]:
                problem = LazyMessage(
                    "its author '{author}' is the only maker, so nothing is left to measure it by; "
                    "add another maker's summary, or say that nobody is its author: null under 'author'",
                    author=author,
                )
                yield _at(self._candidate(system), problem)

    def _place(self) -> LazyMessage:
        return LazyMessage("utterance {number}", number=self._number)

    def _maker(self, name: str) -> LazyMessage:
        return LazyMessage("utterance {number}, maker '{name}'", number=self._number, name=name)

    def _candidate(self, name: str) -> LazyMessage:
        return LazyMessage("utterance {number}, candidate '{name}'", number=self._number, name=name)


def _key_problems(record: _Members, *, required: set[str], optional: Iterable[str] = ()) -> Iterator[LazyMessage]:
    known = [*sorted(required), *sorted(optional)]
    for key in sorted(required - record.keys()):
        yield LazyMessage("the key '{key}' is missing", key=key)
    for key in sorted(record.keys() - set(known)):
        yield LazyMessage("the key '{key}' is not known; known are {known}", key=key, known=", ".join(known))
    for key in record.twice:
        yield LazyMessage("the key '{key}' is there twice; keep one", key=key)


def _shape_problems(record: Mapping[str, Any]) -> Iterator[LazyMessage]:
    tokens = record.get("tokens", ["a word"])
    if not isinstance(tokens, list) or not tokens or not all(isinstance(word, str) and word.strip() for word in tokens):
        yield LazyMessage("'tokens' must be a list of at least one word, and no word may be empty")
    for key in ("manual", "candidates", *sorted(OPTIONAL_KEYS)):
        members = record.get(key, _Members([]))
        if not isinstance(members, _Members):
            yield LazyMessage("'{key}' must be an object with a name for each entry", key=key)
            continue
        for name in members.twice:
            yield LazyMessage("'{key}' names '{name}' twice; keep one", key=key, name=name)
    if record.get("manual") == {}:
        yield LazyMessage("nobody summarised it; 'manual' must hold at least one maker's positions")


def _summary_problems(summary: Any, last: int) -> Iterator[LazyMessage]:
    if not isinstance(summary, list) or not summary:
        yield LazyMessage("a summary must be a list of at least one position; leave out a maker who made none")
        return
    wrong = [_position_problem(position, last) for position in summary if not _is_position(position, last)]
    yield from wrong
    if wrong:
        return
    for left, right in pairwise(summary):
        if right <= left:
            yield LazyMessage(
                "position {right} comes after {left}; positions must grow from each to the next",
                left=str(left),
                right=str(right),
            )


def _candidate_problems(candidate: Any, last: int) -> Iterator[LazyMessage]:
    """A candidate may be empty, and may have its words in any order: what a system gave is measured as it is."""
    if not isinstance(candidate, list):
        yield LazyMessage("a candidate must be a list of positions and words that begin with a question mark")
        return
    for token in candidate:
        foreign = isinstance(token, str) and token.startswith(FOREIGN)
        if not foreign and not _is_position(token, last):
            yield _position_problem(token, last)


def _author_problems(record: Mapping[str, Any], system: str, author: Any) -> Iterator[LazyMessage]:
    if system not in record["candidates"]:
        yield LazyMessage("'author' names it, but there is no such candidate")
    if author is not None and author not in list(record["manual"]):
        yield LazyMessage("its author must be one of the makers or null, and {value} is neither", value=_shown(author))


def _judged_problems(record: Mapping[str, Any], system: str, mean: Any) -> Iterator[LazyMessage]:
    if system not in record["candidates"]:
        yield LazyMessage("'judged' names it, but there is no such candidate")
    if not isinstance(mean, int | float) or isinstance(mean, bool) or not abs(mean) <= LARGEST_MEAN:
        yield LazyMessage(
            "the judges' mean must be a number from -{largest} to {largest}, and {value} is none",
            largest=LARGEST_MEAN,
            value=_shown(mean),
        )


def _is_position(value: Any, last: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= last


def _position_problem(value: Any, last: int) -> LazyMessage:
    return LazyMessage(
        "{value} is not a position; positions are whole numbers from 1 to {last}", value=_shown(value), last=str(last)
    )


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def _at(place: LazyMessage, problem: LazyMessage) -> LazyMessage:
    return LazyMessage("{place}: {problem}", place=place, problem=problem)


def _at_each(place: LazyMessage, problems: Iterable[LazyMessage]) -> Iterator[LazyMessage]:
    return (_at(place, problem) for problem in problems)
