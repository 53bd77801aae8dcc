"""Ballots: drawn once from a seed, frozen, and shown page by page without a name."""

from collections.abc import Iterable
from random import Random
from typing import Any

from django.db import transaction

from rating.canonical import digest
from rating.errors import NoStimuli
from rating.models import Ballot, Consent, Experiment, Slot, Trial
from rating.protocols.base import Entry, Json, RatingProtocol, TrialKind, TrialPlan
from rating.protocols.base import Slot as PlannedSlot
from rating.registry import protocol
from rating.services.experiments import check_design
from stimuli.models import Condition, Stimulus


@transaction.atomic
def open_ballot(*, experiment: Experiment, seed: str, kind: Ballot.Kind = Ballot.Kind.MAIN) -> Ballot:
    """Draw one seat's trials; the same seed over the same material draws the same trials."""
    check_design(experiment)
    entries = [entry_of(stimulus) for stimulus in _ratable(experiment)]
    if not entries:
        raise NoStimuli(collection=experiment.collection.title)
    # A string seeds Random through SHA-512, so the draw is the same on every machine and Python version.
    plans = list(protocol(experiment.protocol).plan(entries, experiment.options, Random(f"{experiment.seed}/{seed}")))
    ballot = Ballot.objects.create(
        experiment=experiment, kind=kind, seed=seed, plan_sha256=digest([_outline(plan) for plan in plans])
    )
    trials = Trial.objects.bulk_create(
        Trial(ballot=ballot, position=position, session=plan.session, kind=plan.kind.value, ask=list(plan.ask))
        for position, plan in enumerate(plans, start=1)
    )
    Slot.objects.bulk_create(
        Slot(trial=trial, key=slot.key, stimulus_id=slot.entry.stimulus)
        for trial, plan in zip(trials, plans, strict=True)
        for slot in plan.slots
    )
    return ballot


def record_consent(*, ballot: Ballot, text: str, language: str) -> Consent:
    """Keep that this exact text was agreed to; agreeing twice is agreeing once."""
    consent, _ = Consent.objects.get_or_create(
        ballot=ballot, defaults={"text_sha256": digest(text), "language": language}
    )
    return consent


def pages(*, ballot: Ballot, limit: int) -> list[dict[str, Any]]:
    """Return the next unanswered pages exactly as the browser may see them: no name of anything that is heard."""
    experiment = ballot.experiment
    rules = protocol(experiment.protocol)
    labels = _labels(rules, experiment.label_set)
    trials = ballot.trials.unanswered().prefetch_related(
        "slots__stimulus__item", "slots__stimulus__condition", "slots__stimulus__recording"
    )[:limit]
    return [_page(trial, rules, labels, experiment.options) for trial in trials]


def _page(trial: Trial, rules: RatingProtocol, labels: Json, options: dict[str, Json]) -> dict[str, Any]:
    slots = list(trial.slots.all())
    return {
        "trial": str(trial.id),
        "position": trial.position,
        "session": trial.session,
        "kind": trial.kind,
        "revision": trial.revision,
        "view": rules.view,
        "plays_allowed": options.get("plays_allowed", 1),
        "page": rules.present(plan_of(trial, slots)),
        "media": {
            slot.key: {"id": str(slot.media), "duration_s": round(slot.stimulus.duration_s, 3)}
            for slot in slots
            if slot.stimulus.recording
        },
        "labels": {scale: labels[scale] for scale in trial.ask},
    }


def plan_of(trial: Trial, slots: Iterable[Slot]) -> TrialPlan:
    """Read a stored trial back as the value that protocols understand."""
    return TrialPlan(
        slots=tuple(PlannedSlot(slot.key, entry_of(slot.stimulus)) for slot in slots),
        ask=tuple(trial.ask),
        kind=TrialKind(trial.kind),
        session=trial.session,
    )


def entry_of(stimulus: Stimulus) -> Entry:
    return Entry(
        stimulus=str(stimulus.id),
        item=stimulus.item.name,
        condition=stimulus.condition.name,
        role=stimulus.condition.role,
        factors=stimulus.item.factors,
    )


def _ratable(experiment: Experiment) -> Iterable[Stimulus]:
    return (
        Stimulus.objects.filter(item__collection=experiment.collection)
        .exclude(condition__role=Condition.Role.FULL_LENGTH)
        .select_related("item", "condition")
        .order_by("item__name", "condition__name")
    )


def _outline(plan: TrialPlan) -> Json:
    return [plan.session, plan.kind.value, plan.ask, [(s.key, s.entry.item, s.entry.condition) for s in plan.slots]]


def _labels(rules: RatingProtocol, label_set: str) -> dict[str, Json]:
    labels = rules.label_set(label_set)
    return {
        key: {
            "language": labels.language,
            "question": words.question,
            "attend": words.attend,
            "anchors": [{"value": value, "label": label} for value, label in words.anchors],
        }
        for key, words in labels.scales.items()
    }
