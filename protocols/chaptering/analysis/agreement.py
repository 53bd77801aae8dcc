"""Tables of an experiment: how far every answer agrees with the reference, with people, and with each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, NamedTuple

from analysis.method import AnsweredPage, HeardSlot
from protocols.chaptering.analysis.comparison import (
    Annotated,
    Resampling,
    between_people,
    compare,
    settings_of,
    summarise,
)
from protocols.chaptering.analysis.evaluation import Answer, Measures, Sample, Scored, evaluate, notices
from protocols.chaptering.analysis.metrics import METRICS
from protocols.chaptering.analysis.titles import Title

KIND = "chapters"  # of the texts that hold what a system, or the reference, says
FULL_LENGTH, REFERENCE = "full-length", "reference"  # roles of conditions


class Source(NamedTuple):
    """Who said it: a person by number, or a system by the name of its condition."""

    annotator: int | None = None
    condition: str | None = None


@dataclass
class Recording:
    """One item: how long it is, and what was said about it."""

    duration_s: float
    reference: Answer | None = None
    systems: dict[str, Answer] = field(default_factory=dict)
    people: dict[int, Answer] = field(default_factory=dict)
    heard_s: dict[int, float] = field(default_factory=dict)  # of it, by each person

    @property
    def given(self) -> dict[Source, Answer]:
        """Every answer but the reference, systems before people."""
        systems = {Source(condition=name): answer for name, answer in sorted(self.systems.items())}
        return systems | {Source(annotator=number): answer for number, answer in sorted(self.people.items())}


def gathered(pages: Iterable[AnsweredPage], material: Sequence[HeardSlot]) -> dict[str, Recording]:
    """Recordings by item, in the order of their names; those that nobody was asked about count for the systems."""
    recordings = {item: Recording(duration_s) for item, duration_s in _durations_s(material).items()}
    for page in pages:
        heard = page.slots["full"]
        recording = recordings.setdefault(heard.item, Recording(heard.duration_s))
        recording.duration_s = heard.duration_s
        recording.people[page.listener] = _answer(page.detail["boundaries_s"], page.detail["titles"])
        recording.heard_s[page.listener] = page.detail["heard_s"]
    for told in sorted((slot for slot in material if _is_told(slot)), key=lambda slot: slot.condition):
        found = recordings.get(told.item)
        if found is None:
            continue  # a text about a sound that is not there has no length to be measured in
        answer = chapters_of(told.text or {})
        if told.role == REFERENCE and found.reference is None:
            found.reference = answer
        else:
            found.systems[told.condition] = answer
    return {item: recording for item, recording in sorted(recordings.items()) if recording.given or recording.reference}


def chapters_of(text: Mapping[str, Any]) -> Answer:
    """Read a text of that kind: seconds with titles, or seconds alone. A chapter at 0 has a title and no boundary."""
    told = [(each, "") if isinstance(each, int | float) else (each[0], each[1]) for each in text["chapters"]]
    starts = sorted((float(start_s), str(title)) for start_s, title in told)
    return _answer([start_s for start_s, _ in starts], [(title, start_s) for start_s, title in starts])


def _answer(starts_s: Iterable[float], titles: Iterable[Sequence[Any]]) -> Answer:
    """Who named no chapter at all was not asked for titles, or gave none: there is nothing to compare, not nothing."""
    named = [Title(str(title), float(start_s)) for title, start_s in titles if str(title).strip()]
    return Answer([start_s for start_s in starts_s if start_s > 0], named or None)


def _durations_s(material: Sequence[HeardSlot]) -> dict[str, float]:
    """How long the sound of each item is; where it has several, the full-length one."""
    sounds = [slot for slot in material if slot.text is None]
    return {slot.item: slot.duration_s for slot in sorted(sounds, key=lambda slot: slot.role == FULL_LENGTH)}


def _is_told(slot: HeardSlot) -> bool:
    return slot.text is not None and slot.text.get("kind") == KIND


MEASURES = Measures(wer=False)  # nobody writes a transcript here
RESAMPLING = Resampling(rounds=2000, seed=0)
PEOPLE = "people"  # beside REFERENCE, what an answer is held against
ABOUT_ONE_ANSWER = {"short", "outside", "tail"}  # notices that hold whatever an answer is held against
HEADLINES = [name for name, metric in METRICS.items() if metric.headline]

Row = dict[str, Any]
Recordings = Mapping[str, Recording]
Scores = dict[Source, dict[str, Scored]]  # of everybody, by item


def tables(recordings: Recordings) -> Row:
    """Every table of the result; protocols/chaptering/docs.md says what is in each."""
    scores = {REFERENCE: _against_reference(recordings), PEOPLE: _against_people(recordings)}
    everybody = sorted({source for each in recordings.values() for source in each.given}, key=_place)
    return {
        "rows": [*_sizes(recordings, everybody), *_summaries(scores)],
        "differences": [row for against, scored in scores.items() for row in _differences(against, scored)],
        "pairs": list(_pairs(recordings)),
        "by_item": [
            {**_about(source), "compared_with": against, "item": item, **item_scores.metrics}
            for against, scored in scores.items()
            for source, by_item in scored.items()
            for item, item_scores in by_item.items()
            if item_scores.metrics
        ],
        "answers": list(_answers(recordings)),
        "warnings": _warnings(recordings),
        "settings": settings_of(MEASURES, RESAMPLING),
        "counts": {
            "recordings": len(recordings),
            "annotators": len({person for each in recordings.values() for person in each.people}),
            "systems": len({name for each in recordings.values() for name in each.systems}),
            "references": sum(each.reference is not None for each in recordings.values()),
            "answers": sum(len(each.people) for each in recordings.values()),
        },
    }


def _against_reference(recordings: Recordings) -> Scores:
    scores: Scores = {}
    for item, recording in recordings.items():
        for source, answer in recording.given.items():
            if recording.reference is not None:
                sample = Sample(answer, recording.reference, recording.duration_s)
                scores.setdefault(source, {})[item] = evaluate(sample, MEASURES)
    return scores


def _against_people(recordings: Recordings) -> Scores:
    """Hold each answer against that of every other person, and average: the expected agreement with one of them."""
    scores: Scores = {}
    for item, recording in recordings.items():
        for source, answer in recording.given.items():
            others = [wanted for number, wanted in recording.people.items() if number != source.annotator]
            if others:
                scored = [evaluate(Sample(answer, wanted, recording.duration_s), MEASURES) for wanted in others]
                scores.setdefault(source, {})[item] = _averaged(scored)
    return scores


def _averaged(scored: Sequence[Scored]) -> Scored:
    """The mean of every metric over those that have it."""
    names = dict.fromkeys(name for each in scored for name in each.metrics)
    return Scored({name: fmean(each.metrics[name] for each in scored if name in each.metrics) for name in names})


def _sizes(recordings: Recordings, everybody: Sequence[Source]) -> Iterator[Row]:
    """How many chapters a recording has by each source: there as soon as there is one answer."""
    for source in everybody:
        sizes = [len(each.given[source].boundaries_s) + 1 for each in recordings.values() if source in each.given]
        figures = {"n_items": len(sizes), "mean": fmean(sizes), "se": None, "ci_low": None, "ci_high": None}
        described = {"metric": "chapters", "unit": "chapters in a recording", "better": None}
        yield {**_about(source), "compared_with": None, **described, **figures}


def _summaries(scores: Mapping[str, Scores]) -> Iterator[Row]:
    for against, scored in scores.items():
        for source in sorted(scored, key=_place):
            yield from _rows({**_about(source), "compared_with": against}, list(scored[source].values()))


def _rows(about: Row, scored: Sequence[Scored]) -> Iterator[Row]:
    summary = summarise(scored, rounds=RESAMPLING.rounds, seed=RESAMPLING.seed)
    for metric, figures in summary.items():
        yield {**about, **_described(metric), **_named(figures)}


def _differences(against: str, scored: Scores) -> Iterator[Row]:
    """Every two systems in both directions, so that no order tells a blind reader whose name comes first."""
    systems = {source.condition: by_item for source, by_item in scored.items() if source.condition}
    items = sorted({item for by_item in systems.values() for item in by_item})
    paired = {name: [by_item.get(item, Scored({})) for item in items] for name, by_item in systems.items()}
    for row in compare(paired, rounds=RESAMPLING.rounds, seed=RESAMPLING.seed):
        figures = {"n_items": row["n"], "se": row["std"]}
        tests = {name: row[name] for name in ("p", "p_holm", "p_smallest")}
        for sign, one, other in ((1, "first", "second"), (-1, "second", "first")):
            ends = sorted(sign * row[name] for name in ("ci_lower", "ci_upper") if row[name] is not None)
            low, high = ends or (None, None)
            yield {
                "condition": row[one],
                "against": row[other],
                "compared_with": against,
                **_described(row["metric"]),
                "difference": sign * row["difference"],
                "ci_low": low,
                "ci_high": high,
                **figures,
                **tests,
            }


def _pairs(recordings: Recordings) -> Iterator[Row]:
    """Each person with each other one as the reference, on the metrics that stand for the others."""
    annotated = [
        Annotated(each.duration_s, {str(number): answer for number, answer in each.people.items()})
        for each in recordings.values()
    ]
    for pair in between_people(annotated, MEASURES, rounds=RESAMPLING.rounds, seed=RESAMPLING.seed):
        about = {"annotator": int(pair["hypothesis"]), "reference_annotator": int(pair["reference"])}
        for metric in HEADLINES:
            if metric in pair["summary"]:
                yield {**about, **_described(metric), **_named(pair["summary"][metric])}


def _answers(recordings: Recordings) -> Iterator[Row]:
    for item, recording in recordings.items():
        about = {"item": item, "duration_s": recording.duration_s}
        if recording.reference is not None:
            yield {**about, "kind": "reference", "annotator": None, "condition": None, **_told(recording.reference)}
        for source, answer in recording.given.items():
            heard_s = recording.heard_s.get(source.annotator or 0)
            yield {**about, **_about(source), **_told(answer), "heard_s": heard_s}


def _told(answer: Answer) -> Row:
    titles = None if answer.titles is None else [list(title) for title in answer.titles]
    return {"boundaries_s": list(answer.boundaries_s), "titles": titles}


def _warnings(recordings: Recordings) -> list[Row]:
    """What to know before reading, once each, with how many answers it is about."""
    found: Counter[str] = Counter()
    for recording in recordings.values():
        for answer in recording.given.values():
            sample = Sample(answer, recording.reference or answer, recording.duration_s)
            codes = {notice.code for notice in notices(sample, MEASURES)}
            found += Counter(codes if recording.reference else codes & ABOUT_ONE_ANSWER)
    return [{"code": code, "answers": count} for code, count in sorted(found.items())]


def _about(source: Source) -> Row:
    return {"kind": "system" if source.condition else "person", **source._asdict()}


def _place(source: Source) -> tuple[int, str]:
    return source.annotator or 0, source.condition or ""


def _described(metric: str) -> Row:
    direction = {True: "lower", False: "higher", None: None}[METRICS[metric].lower_is_better]
    return {"metric": metric, "unit": METRICS[metric].unit, "better": direction}


def _named(figures: Mapping[str, Any]) -> Row:
    return {
        "n_items": figures["n"],
        "mean": figures["mean"],
        "se": figures["std"],
        "ci_low": figures["ci_lower"],
        "ci_high": figures["ci_upper"],
    }
