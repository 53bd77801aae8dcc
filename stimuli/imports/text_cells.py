"""Parser of text cells: prose, a list of words, positions of words, chapters, or cues."""

import json
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from core.i18n import LazyMessage

FOREIGN = "?"  # marks a word that is not in the utterance
LATEST_S = 10**7  # no recording is a hundred days long; it keeps out what no float holds
LONGEST_SHOWN = 40
_MINUTES = r"[0-5]?\d:[0-5]\d(?:\.\d{1,6})?"
PASSAGE = re.compile(rf"((?:\d{{1,2}}:)?{_MINUTES})\s+(\d{{1,3}}:{_MINUTES})")  # 0:05 07:12:30

Text = dict[str, Any]  # {"kind", "text", "tokens"}, and what its kind needs


class UnreadableCell(ValueError):
    """The cell is not what its column says; the problem says what would be right."""

    def __init__(self, problem: LazyMessage) -> None:
        super().__init__(problem)
        self.problem = problem


def parse_text_cell(value: str, form: str, utterance: Sequence[str]) -> Text:
    """Read a cell by the form that its column has; positions are counted in the words of the item's utterance."""
    return FORMS[form](value, form, utterance)


def _prose(value: str, form: str, utterance: Sequence[str]) -> Text:
    return {"kind": form, "text": value, "tokens": None}


def _words(value: str, form: str, utterance: Sequence[str]) -> Text:
    """A list stays as it was divided: many languages have no spaces, and there is no common rule for contractions."""
    found = _loaded(value)
    if not isinstance(found, list) or not found or not all(isinstance(word, str) and word.strip() for word in found):
        problem = LazyMessage(
            'it must be a JSON list of words, none of them empty, such as ["it\'s", "late"]; '
            "only a column called 'words' is divided at spaces"
        )
        raise UnreadableCell(problem)
    return {"kind": form, "text": " ".join(found), "tokens": found}


def _spaced(value: str, form: str, utterance: Sequence[str]) -> Text:
    listed = json.dumps(value.split()) if not value.startswith("[") else value
    return _words(listed, "tokens", utterance)


def _positions(value: str, form: str, utterance: Sequence[str]) -> Text:
    if not utterance:
        problem = LazyMessage(
            "positions are counted in the words of the utterance, and its item has none; "
            "add a column 'tokens' with a JSON list of words, here or in a table before this one"
        )
        raise UnreadableCell(problem)
    found = _loaded(value)
    if not isinstance(found, list) or not found:
        raise UnreadableCell(LazyMessage('it must be a JSON list of at least one position, such as [1, 3, "?word"]'))
    for token in found:
        if not _is_foreign(token) and not _is_position(token, len(utterance)):
            problem = LazyMessage(
                "{value} is not a position; positions are whole numbers from 1 to {last}, "
                "and a word that is not in the utterance begins with a question mark",
                value=_shown(token),
                last=str(len(utterance)),
            )
            raise UnreadableCell(problem)
    for left, right in pairwise(token for token in found if not isinstance(token, str)):
        if right <= left:
            problem = LazyMessage(
                "position {right} comes after {left}; positions must grow from each to the next",
                left=str(left),
                right=str(right),
            )
            raise UnreadableCell(problem)
    words = [token[len(FOREIGN) :] if isinstance(token, str) else utterance[token - 1] for token in found]
    return {"kind": "summary", "text": " ".join(words), "tokens": words, "positions": found}


def _chapters(value: str, form: str, utterance: Sequence[str]) -> Text:
    found = _loaded(value)
    chapters = [_chapter(each) for each in found] if isinstance(found, list) else []
    if not chapters or None in chapters:
        problem = LazyMessage(
            'it must be a JSON list of times in seconds, or of times with titles, such as [[95.5, "Rain"]]'
        )
        raise UnreadableCell(problem)
    kept = [chapter for chapter in chapters if chapter]
    for (left, _), (right, _) in pairwise(kept):
        if right <= left:
            problem = LazyMessage(
                "{right} s comes after {left} s; chapters must come in the order of time",
                left=str(left),
                right=str(right),
            )
            raise UnreadableCell(problem)
    written = "; ".join(f"{seconds:g} s {title}".strip() for seconds, title in kept)
    return {"kind": "chapters", "text": written, "tokens": None, "chapters": [list(chapter) for chapter in kept]}


def _chapter(value: Any) -> tuple[float, str] | None:
    seconds, title = value if isinstance(value, list) and len(value) == 2 else (value, "")
    is_time = isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds <= LATEST_S
    return (float(seconds), title) if is_time and isinstance(title, str) else None


def _cues(value: str, form: str, utterance: Sequence[str]) -> Text:
    """Where each part of a summary begins, and where it comes from; both as times in the file."""
    cues: list[list[float]] = []
    lines = [line.strip() for line in re.split(r"[;\n]", value)]
    for number, line in enumerate([line for line in lines if line] or [value], start=1):
        found = PASSAGE.fullmatch(line)
        if found is None:
            problem = LazyMessage(
                "passage {number} is {value}; it must be a time in the summary and a time in the full recording, such "
                "as 0:05 07:12:30, with each passage on a line of its own or after a semicolon",
                number=str(number),
                value=_shown(line),
            )
            raise UnreadableCell(problem)
        at_s, from_s = map(_seconds, found.groups())
        if cues and at_s <= cues[-1][0]:
            problem = LazyMessage(
                "passage {number} begins at {right}, which is not after the passage before it; passages must come in "
                "the order of the summary",
                number=str(number),
                right=found[1],
            )
            raise UnreadableCell(problem)
        cues.append([at_s, from_s])
    return {"kind": "cues", "text": value, "tokens": None, "cues": cues}


def _seconds(time: str) -> float:
    return sum(float(part) * 60.0**power for power, part in enumerate(reversed(time.split(":"))))


def _loaded(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _is_foreign(token: Any) -> bool:
    return isinstance(token, str) and token.startswith(FOREIGN) and bool(token[len(FOREIGN) :].strip())


def _is_position(token: Any, last: int) -> bool:
    return isinstance(token, int) and not isinstance(token, bool) and 1 <= token <= last


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


FORMS: dict[str, Callable[[str, str, Sequence[str]], Text]] = {
    **dict.fromkeys(("text", "caption", "transcript"), _prose),
    **dict.fromkeys(("tokens", "asr", "summary"), _words),
    "words": _spaced,
    "positions": _positions,
    "chapters": _chapters,
    "cues": _cues,
}
