"""The material of the speech summaries' demo: versions of the wanted length, and a recogniser that errs."""

import json

from protocols.speech_summaries.demo import RATIO, TOLERANCE, utterances
from protocols.speech_summaries.protocol import words_allowed
from stimuli.intake.plans import Plan
from stimuli.intake.reports import Report
from stimuli.intake.texts import add_texts, read_lines


def test_every_utterance_comes_in_with_four_versions_of_the_wanted_length() -> None:
    plan, report = Plan("flat"), Report()
    lines = "\n".join(json.dumps(record) for record in utterances())
    add_texts(read_lines(lines.encode(), name="utterances.jsonl"), plan, report)
    assert report.findings == []
    assert len(plan.items) == 6
    assert [condition for condition, role in plan.conditions.items() if role == "reference"] == ["transcript"]
    words = {cell.item: cell.text["tokens"] for cell in plan.cells if cell.text and cell.condition == "transcript"}
    versions = [cell for cell in plan.cells if cell.text and cell.text["kind"] == "summary"]
    assert len(versions) == 24
    for cell in versions:
        least, most = words_allowed(len(words[cell.item]), RATIO, TOLERANCE)
        assert least <= len(cell.text["tokens"]) <= most, cell.name  # type: ignore[index]


def test_systems_that_read_a_recogniser_give_words_that_nobody_said() -> None:
    records = list(utterances())
    assert any(str(token).startswith("?") for record in records for token in record["positions_long-words"])
    assert all(isinstance(token, int) for record in records for token in record["positions_a-person"])
    assert [record["tokens"] == record["asr"] for record in records].count(False) == 4
