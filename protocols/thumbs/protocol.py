"""THumBS: captions of a soundscape, scored for precision and recall, with penalties for how they are written."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import ClassVar

from core.i18n import LazyMessage, ngettext_noop
from core.i18n import gettext_noop as _
from protocols.thumbs.labels import LABEL_SETS
from rating.pace import ANSWER_S, FURTHER_MARK_S, WORD_S
from rating.payload import require_bool, require_object, require_text
from rating.protocol import (
    PLAYS_ALLOWED,
    PLAYS_ALLOWED_HELP,
    REFERENCE,
    Answer,
    Entry,
    Groups,
    InvalidAnswer,
    Json,
    Mark,
    MaterialUnfit,
    Needs,
    Option,
    OptionUnfit,
    PageAccess,
    Protocol,
    Scale,
    Slot,
    TrialKind,
    TrialPlan,
    by_item,
    texts,
    the_sound,
)

SCORES = ("PRECISION", "RECALL")
PENALTIES = ("FLUENCY", "CONCISENESS", "IRRELEVANCE")
ENTERED = (*SCORES, *PENALTIES)
STEPS = (0.5, 1)
LONGEST_COMMENT = 5000
READINGS = 2  # of a caption: before its scores, and while they are given
REASON_WORDS = 25  # of a caption in the worked example
PARTS = ("captions", "synthesised", "listened", "finished")


def overall(values: Mapping[str, float]) -> float:
    """(P + R) / 2 + F + C + I, from -5 to 5: penalties are negative, so they are added (Kasai et al. 2022)."""
    return round(sum(values[key] for key in SCORES) / 2 + sum(values[key] for key in PENALTIES), 6)


class CaptionScores(Protocol):
    """One page is one clip with all its captions, in an order of its own for every assessor."""

    slug = "thumbs"
    version = "1.0"
    title = "Captions of soundscapes (THumBS)"
    summary = _("Listeners hear a soundscape and rate captions for precision and recall, with penalties.")
    scales = (
        *(Scale(key, low=1, high=5, step=0.5) for key in SCORES),
        *(Scale(key, low=-2, high=0, step=0.1) for key in PENALTIES),
        Scale("OVERALL", low=-5, high=5, step=0.05),
        Scale("SYNTHESISED", low=0, high=1),
    )
    roles = frozenset({"test", REFERENCE, "anchor"})
    text_kinds = frozenset({"caption", "text"})
    groups = Groups(("expert", "layperson"))
    access = PageAccess(workspace=True, example=True, revisable=True, sounds_needed="some", overview_option="grid")
    needs = Needs(headphones=False)
    counted = ngettext_noop("%(n)s clip with captions", "%(n)s clips with captions")
    options: ClassVar[Mapping[str, Option]] = {
        "plays_allowed": Option(0, PLAYS_ALLOWED, PLAYS_ALLOWED_HELP),
        "step": Option(0.5, _("Step of precision and recall"), _("The step of precision and recall: 0.5 or 1.")),
        "overall": Option(
            "when set",
            _("Overall score"),
            _("Whether assessors see the overall score."),
            choices={"when set": _("Shown once all five scores are set"), "never": _("Never shown")},
            in_page=True,
        ),
        "synthesised": Option(
            True,
            _("Ask whether the clip is synthesised"),
            _("Whether assessors say of each clip if it was synthesised."),
        ),
        "blocks": Option(
            "dataset",
            _("Factor that divides the clips into blocks"),
            _("The factor of items that divides the clips into blocks, with a rest in between."),
        ),
        "grid": Option(
            False,
            _("Grid of all clips"),
            _("Whether assessors may also score all clips in one table, which shows captions of coming clips."),
            in_page=True,
        ),
        # An object with item, captions (each with condition, scores and why) and synthesised.
        "example": Option(
            {},
            _("Worked example"),
            _(
                "A clip that is shown with its scores before the first and not rated, or nothing: its item, for each "
                "caption the condition, the five scores and why they are so, and whether it was synthesised."
            ),
            sample={
                "item": "clip-1",
                "captions": [
                    {
                        "condition": "system-a",
                        "PRECISION": 5,
                        "RECALL": 4,
                        "FLUENCY": 0,
                        "CONCISENESS": 0,
                        "IRRELEVANCE": 0,
                        "why": "The bird is missing.",
                    }
                ],
                "synthesised": False,
            },
        ),
    }

    def plan(self, entries: Sequence[Entry], options: Mapping[str, Json], rng: Random) -> Iterable[TrialPlan]:
        wanted = {**self.defaults, **options}
        items = by_item(entries)
        example = wanted["example"] or {}
        if shown := items.pop(example.get("item", ""), None):
            yield self._page(shown, wanted, rng, session=0, example=example)
        blocks = sorted({_block(entries, wanted) for entries in items.values()})
        for session, block in enumerate(blocks, start=1):
            inside = sorted(item for item, entries in items.items() if _block(entries, wanted) == block)
            for item in rng.sample(inside, len(inside)):
                yield self._page(items[item], wanted, rng, session=session)

    def _page(
        self, entries: list[Entry], options: Mapping[str, Json], rng: Random, *, session: int, example: Json = None
    ) -> TrialPlan:
        captions = texts(entries)
        if not captions:
            raise MaterialUnfit(problem=f"{entries[0].item} has no captions. Bring in at least one text.")
        shuffled = rng.sample(captions, len(captions))
        slots = (
            Slot("clip", the_sound(entries)),
            *(Slot(f"c{number}", entry) for number, entry in enumerate(shuffled, start=1)),
        )
        detail: dict[str, Json] = {"step": float(options["step"]), "synthesised": bool(options["synthesised"])}
        if example is not None:
            detail["example"] = _shown(slots, example)
        ask = (*ENTERED, "OVERALL", *(["SYNTHESISED"] if detail["synthesised"] else []))
        kind = TrialKind.TEST if example is None else TrialKind.PRACTICE
        return TrialPlan(slots=slots, ask=ask, kind=kind, session=session, detail=detail)

    def check_options(self, options: Mapping[str, Json], material: Mapping[str, Mapping[str, str]]) -> None:
        step = options.get("step", self.defaults["step"])
        if step not in STEPS:
            raise OptionUnfit(option="step", problem=LazyMessage("it is 0.5 or 1."))
        if options.get("example"):
            check_example(options["example"], material, scales=self._entered(step))

    def _entered(self, step: float) -> list[Scale]:
        """The scales that people score on, at the experiment's step."""
        return [replace(self.scale(key), step=step) if key in SCORES else self.scale(key) for key in ENTERED]

    def page_s(self, trial: TrialPlan, options: Mapping[str, Json]) -> float:
        """The clip is heard for every caption; scores take thought, and penalties are mostly 0."""
        captions = [str((slot.entry.text or {}).get("text", "")) for slot in trial.slots if slot.key != "clip"]
        clip_s = sum(slot.entry.duration_s for slot in trial.slots)
        read_s = READINGS * WORD_S * sum(len(text.split()) for text in captions)
        if "example" in trial.detail:
            return clip_s + read_s + len(captions) * REASON_WORDS * WORD_S + ANSWER_S
        scored_s = len(SCORES) * ANSWER_S + len(PENALTIES) * FURTHER_MARK_S
        return len(captions) * (clip_s + scored_s) + read_s + ANSWER_S * (1 + bool(trial.detail["synthesised"]))

    def present(self, trial: TrialPlan) -> Json:
        return {"slots": [slot.key for slot in trial.slots], "ask": list(trial.ask), **trial.detail}

    def read(self, payload: Json, trial: TrialPlan) -> Answer:
        needed = "seen" if "example" in trial.detail else "captions"
        parts = require_object(payload, "the answer", keys=(*PARTS, "seen"), needs=[needed])
        whole = require_bool(parts.get("finished", False), "finished")
        if "example" in trial.detail:
            return Answer(marks=(), whole=whole)
        keys = [slot.key for slot in trial.slots if slot.key != "clip"]
        given = require_object(parts["captions"], "captions", keys=keys)
        values = {key: self._read_caption(key, caption, trial) for key, caption in given.items()}
        comments = {key: _comment(key, caption) for key, caption in given.items()}
        require_object(parts.get("listened", {}), "listened", keys=("plays",))
        marks = [Mark(key, scale, value) for key, scored in values.items() for scale, value in scored.items()]
        marks += [
            Mark(key, "OVERALL", overall(scored)) for key, scored in values.items() if len(scored) == len(ENTERED)
        ]
        if (synthesised := parts.get("synthesised")) is not None and trial.detail["synthesised"]:
            marks.append(Mark("clip", "SYNTHESISED", float(require_bool(synthesised, "synthesised"))))
        if whole:
            _check_whole(trial, keys, values, synthesised=synthesised)
        return Answer(marks=tuple(marks), detail={"comments": comments}, whole=whole)

    def _read_caption(self, key: str, caption: Json, trial: TrialPlan) -> dict[str, float]:
        scored = require_object(caption, f"the scores of {key}", keys=(*ENTERED, "comment"))
        values = {}
        for scale in self._entered(trial.detail["step"]):
            value = scored.get(scale.key)
            if value is None:
                continue
            if scale.key in PENALTIES and _is_positive(value):
                problem = f"{scale.key} is a penalty: 0 or a negative number down to -2, never positive."
                raise InvalidAnswer(problem=problem)
            values[scale.key] = scale.accept(value)
        return values

    def example(self, trial: TrialPlan, rng: Random, *, listener: str = "") -> Json:
        if "example" in trial.detail:
            return {"seen": True, "finished": True}
        captions = {
            slot.key: self._drawn(slot.entry, trial.detail["step"], listener, rng)
            for slot in trial.slots
            if slot.key != "clip"
        }
        asked = {"synthesised": rng.random() < 0.5} if trial.detail["synthesised"] else {}
        return {"captions": captions, "finished": True, **asked}

    def _drawn(self, entry: Entry, step: float, listener: str, rng: Random) -> dict[str, float]:
        home = Random(entry.condition).uniform(2.5, 4.5)
        scores = {
            key: replace(scale, step=step).vote(home + entry.judged(scale, listener).effects(scale.components), rng)
            for key in SCORES
            for scale in (self.scale(key),)
        }
        penalties = {key: rng.choice((0, 0, 0, -0.1, -0.2, -0.5)) for key in PENALTIES}
        return {**scores, **penalties}

    label_sets = LABEL_SETS


def _block(entries: Sequence[Entry], options: Mapping[str, Json]) -> str:
    return str(entries[0].factors.get(str(options["blocks"]), ""))


def _shown(slots: Sequence[Slot], example: Json) -> Json:
    """Scores and reasons by the key of their caption, without the names of conditions."""
    by_condition = {slot.entry.condition: slot.key for slot in slots}
    captions = {
        by_condition[caption["condition"]]: {key: caption[key] for key in (*ENTERED, "why") if key in caption}
        for caption in example.get("captions", [])
        if caption.get("condition") in by_condition
    }
    return {"captions": captions, "synthesised": example.get("synthesised")}


def _check_whole(
    trial: TrialPlan, keys: Sequence[str], values: Mapping[str, Mapping[str, float]], *, synthesised: Json
) -> None:
    for key in keys:
        if missing := [scale for scale in ENTERED if scale not in values.get(key, {})]:
            raise InvalidAnswer(problem=f"every score is needed, a penalty of 0 too; {key} lacks {', '.join(missing)}.")
    if trial.detail["synthesised"] and synthesised is None:
        raise InvalidAnswer(problem="say whether the clip was synthesised: yes or no.")


def _comment(key: str, caption: Json) -> str:
    return require_text(caption.get("comment", ""), f"the comment on {key}", longest=LONGEST_COMMENT)


def _is_positive(value: Json) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and value > 0


def check_example(example: Json, material: Mapping[str, Mapping[str, str]], *, scales: Iterable[Scale]) -> None:
    item, captions = example.get("item"), example.get("captions")
    known = example.keys() <= {"item", "captions", "synthesised"}
    if not known or not isinstance(item, str) or not isinstance(captions, list):
        raise _unfit(
            LazyMessage("it takes an item, a list of captions, synthesised as true or false, and nothing else.")
        )
    if not isinstance(example.get("synthesised", False), bool):
        raise _unfit(LazyMessage("synthesised takes true or false."))
    if material and item not in material:
        raise _unfit(LazyMessage("the collection has no item {item}.", item=item[:40]))
    left = set(material.get(item, ()))
    for number, caption in enumerate(captions, start=1):
        name = caption.get("condition") if isinstance(caption, dict) else None
        if not isinstance(name, str) or (material and name not in left):
            raise _unfit(
                LazyMessage(
                    "caption {number} must name a condition of its own; left are {known}.",
                    number=number,
                    known=", ".join(sorted(left)) or "-",
                )
            )
        left.discard(name)
        _check_shown(caption, number, scales)


def _check_shown(caption: Json, number: int, scales: Iterable[Scale]) -> None:
    if unknown := sorted(caption.keys() - {"condition", "why", *(scale.key for scale in scales)}):
        raise _unfit(
            LazyMessage("caption {number} has {unknown}, which nothing reads.", number=number, unknown=unknown[0][:40])
        )
    for scale in scales:
        try:
            scale.accept(caption.get(scale.key))
        except InvalidAnswer as error:
            raise _unfit(
                LazyMessage("in caption {number}, {problem}", number=number, problem=error.data["problem"])
            ) from None
    if not isinstance(caption.get("why", ""), str):
        raise _unfit(LazyMessage("why of caption {number} is a text.", number=number))


def _unfit(problem: LazyMessage) -> OptionUnfit:
    return OptionUnfit(option="example", problem=problem)
