"""Files of utterances: anything malformed is rejected with its place and what would be right."""

import json
from typing import Any

import pytest

from core.errors import AppError
from protocols.speech_summaries.analysis.utterances import parse_utterances
from tests.errors import raises_error

GOOD: dict[str, Any] = {
    "tokens": ["the", "sea", "is", "blue"],
    "manual": {"ann": [1, 2], "bob": [2, 4]},
    "candidates": {"x": [2, "?green"], "y": []},
}


def error_of(*records: object) -> AppError:
    with raises_error("summaries.unfit") as caught:
        parse_utterances(json.dumps({"utterances": records}).encode(), file="sea.json")
    return caught.value


def unreadable(content: bytes) -> str:
    with raises_error("summaries.unreadable") as caught:
        parse_utterances(content, file="sea.json")
    return str(caught.value)


def test_utterances_are_read_as_they_stand() -> None:
    content = json.dumps({"utterances": [GOOD | {"author": {"y": "bob"}, "judged": {"x": 4}}]}, ensure_ascii=False)
    (utterance,) = parse_utterances(b"\xef\xbb\xbf" + content.encode(), file="sea.json")
    assert utterance.tokens == ("the", "sea", "is", "blue")
    assert utterance.manual == {"ann": (1, 2), "bob": (2, 4)}
    assert utterance.candidates == {"x": (2, "?green"), "y": ()}
    assert (utterance.author_of("x"), utterance.author_of("y")) == (None, "bob")
    assert utterance.judged == {"x": 4}


def test_candidates_may_have_their_words_in_any_order() -> None:
    content = json.dumps({"utterances": [GOOD | {"candidates": {"x": [4, 1, 1]}}]})
    assert parse_utterances(content.encode(), file="sea.json")[0].candidates == {"x": (4, 1, 1)}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"manual": {"ann": [2, 1]}}, "maker 'ann': position 1 comes after 2; positions must grow"),
        ({"manual": {"ann": [2, 2]}}, "maker 'ann': position 2 comes after 2; positions must grow"),
        ({"manual": {"ann": [0, 2]}}, "maker 'ann': 0 is not a position; positions are whole numbers from 1 to 4"),
        ({"manual": {"ann": [2, 5]}}, "maker 'ann': 5 is not a position; positions are whole numbers from 1 to 4"),
        ({"manual": {"ann": [1.0]}}, "maker 'ann': 1.0 is not a position"),
        ({"manual": {"ann": [True]}}, "maker 'ann': true is not a position"),
        ({"manual": {"ann": ["?sea"]}}, "maker 'ann': \"?sea\" is not a position"),
        ({"manual": {"ann": [float("nan")]}}, "maker 'ann': NaN is not a position"),
        ({"manual": {"ann": []}}, "maker 'ann': a summary must be a list of at least one position"),
        ({"manual": {"ann": "1 2"}}, "maker 'ann': a summary must be a list of at least one position"),
        ({"manual": {}}, "nobody summarised it; 'manual' must hold at least one maker's positions"),
        ({"manual": [[1, 2]]}, "'manual' must be an object with a name for each entry"),
        ({"tokens": []}, "'tokens' must be a list of at least one word"),
        ({"tokens": "the sea"}, "'tokens' must be a list of at least one word"),
        ({"tokens": ["the", " "]}, "no word may be empty"),
        ({"tokens": ["the", 2]}, "'tokens' must be a list"),
        ({"candidates": {"x": [5]}}, "candidate 'x': 5 is not a position; positions are whole numbers from 1 to 4"),
        ({"candidates": {"x": ["sea"]}}, "candidate 'x': \"sea\" is not a position"),
        ({"candidates": {"x": [None]}}, "candidate 'x': null is not a position"),
        ({"candidates": {"x": "2"}}, "candidate 'x': a candidate must be a list"),
        ({"candidates": []}, "'candidates' must be an object"),
        ({"author": {"x": "cleo"}}, "candidate 'x': its author must be one of the makers or null, and \"cleo\""),
        ({"author": {"x": ["ann"]}}, "candidate 'x': its author must be one of the makers"),
        ({"author": {"z": "ann"}}, "candidate 'z': 'author' names it, but there is no such candidate"),
        ({"judged": {"z": 3}}, "candidate 'z': 'judged' names it, but there is no such candidate"),
        (
            {"judged": {"x": float("nan")}},
            "candidate 'x': the judges' mean must be a number from -1,000 to 1,000, and NaN is none",
        ),
        ({"judged": {"x": float("inf")}}, "candidate 'x': the judges' mean must be a number"),
        ({"judged": {"x": 10**400}}, "candidate 'x': the judges' mean must be a number"),
        ({"judged": {"x": True}}, "candidate 'x': the judges' mean must be a number"),
        (
            {"judged": {"x": "4"}},
            "candidate 'x': the judges' mean must be a number from -1,000 to 1,000, and \"4\" is none",
        ),
        ({"manual": {"x": [1]}}, "candidate 'x': its author 'x' is the only maker"),
        ({"manual": {"ann": [1]}, "author": {"x": "ann"}}, "candidate 'x': its author 'ann' is the only maker"),
        ({"token": ["the"]}, "the key 'token' is not known; known are candidates, manual, tokens, author, judged"),
    ],
)
def test_a_wrong_utterance_is_rejected_at_its_place(change: dict[str, Any], said: str) -> None:
    message = str(error_of(GOOD, GOOD | change))
    assert message.startswith("'sea.json' cannot be evaluated: utterance 2")
    assert said in message
    assert message.endswith("Nothing was computed.")


@pytest.mark.parametrize("key", ["tokens", "manual", "candidates"])
def test_a_missing_key_is_named(key: str) -> None:
    assert f"utterance 1: the key '{key}' is missing" in str(error_of({k: GOOD[k] for k in GOOD if k != key}))


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("[]", "at the top: there must be one object with the key 'utterances'"),
        ("{}", "at the top: the key 'utterances' is missing"),
        ('{"utterances": []}', "at the top: 'utterances' must be a list of at least one utterance"),
        ('{"utterances": null}', "at the top: 'utterances' must be a list of at least one utterance"),
        ('{"utterances": {}}', "at the top: 'utterances' must be a list of at least one utterance"),
        ('{"utterances": [1]}', "utterance 1: an utterance must be an object"),
        ('{"utterances": [], "seed": 1}', "at the top: the key 'seed' is not known; known are utterances"),
        (
            '{"utterances": [{"tokens": ["a"], "manual": {"m": [1], "m": [1]}, "candidates": {}}]}',
            "utterance 1: 'manual' names 'm' twice; keep one",
        ),
        (
            '{"utterances": [{"tokens": ["a"], "tokens": ["b"], "manual": {"m": [1]}, "candidates": {}}]}',
            "utterance 1: the key 'tokens' is there twice; keep one",
        ),
    ],
)
def test_a_wrong_document_is_rejected(document: str, said: str) -> None:
    with raises_error("summaries.unfit") as caught:
        parse_utterances(document.encode(), file="sea.json")
    assert said in str(caught.value)


def test_every_problem_is_kept_and_the_first_is_said() -> None:
    found = error_of(GOOD | {"manual": {"ann": [2, 1], "bob": [9]}}, GOOD | {"candidates": {"x": [0, 7]}})
    assert found.data["count"] == len(found.data["rows"]) == 4
    assert found.data["rows"][3].startswith("utterance 2, candidate 'x': 7 is not a position")
    assert "; and 3 more." in str(found)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"utterances": [\n  {"tokens": ["a" "b"]}]}', "line 2, column 19 is not JSON"),
        (b"", "line 1, column 1 is not JSON"),
        (b'{"utterances": [\n"caf\xe9"]}', "line 2 is not UTF-8"),
        (b'{"utterances": ["\\ud800"]}', "half of a surrogate pair"),
        (b"[" * 100_000, "nested too deeply"),
        (b"9" * 5000, "a number with too many digits"),
    ],
)
def test_what_is_not_json_is_rejected_with_line_and_column(content: bytes, said: str) -> None:
    message = unreadable(content)
    assert message.startswith("'sea.json' cannot be read: ")
    assert said in message
    assert message.endswith("Give one JSON object in UTF-8, with a list 'utterances'.")
