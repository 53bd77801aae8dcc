"""Cue sheets: the passages of the full recording that each summary was made of."""

from collections.abc import Sequence

from core.i18n import LazyMessage
from rating.protocol import Entry, Json, MaterialUnfit
from stimuli.times_of_day import written

SLACK_S = 1.0  # encoders make files a little longer


def passages_by_condition(full: Entry, summaries: Sequence[Entry], sheets: Sequence[Entry]) -> dict[str, list[Json]]:
    """The passages of each summary that has a cue sheet: [begins in the summary, begins in the day, length], in s."""
    by_condition = {entry.condition: entry for entry in summaries}
    found: dict[str, list[Json]] = {}
    for sheet in sheets:
        text = sheet.text or {}
        summary = by_condition.get(text["of"])
        if summary is None:
            raise MaterialUnfit(
                problem=LazyMessage(
                    "{item} has a cue sheet for {condition}, which is none of its summaries. Name one of {known}.",
                    item=full.item,
                    condition=text["of"],
                    known=", ".join(by_condition),
                )
            )
        found[summary.condition] = _passages(full, summary, text["cues"])
    return found


def _passages(full: Entry, summary: Entry, cues: Json) -> list[Json]:
    ends = [*(at_s for at_s, _ in cues[1:]), summary.duration_s]
    passages = []
    for number, ((at_s, from_s), end_s) in enumerate(zip(cues, ends, strict=True), start=1):
        length_s = round(end_s - at_s, 6)
        if at_s >= summary.duration_s:
            raise MaterialUnfit(
                problem=LazyMessage(
                    "passage {number} in the cue sheet of {item}, {condition} begins at {begins} of the summary. It "
                    "must begin before {length}, where the summary ends.",
                    item=full.item,
                    condition=summary.condition,
                    number=str(number),
                    begins=written(at_s),
                    length=written(round(summary.duration_s, 3)),
                )
            )
        if from_s + length_s > full.duration_s + SLACK_S:
            raise MaterialUnfit(
                problem=LazyMessage(
                    "passage {number} in the cue sheet of {item}, {condition} ends at {ends} of the full recording. It "
                    "must end before {length}, where the recording ends.",
                    item=full.item,
                    condition=summary.condition,
                    number=str(number),
                    ends=written(round(from_s + length_s, 3)),
                    length=written(round(full.duration_s, 3)),
                )
            )
        passages.append([at_s, from_s, length_s])
    return passages
