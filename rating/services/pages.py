"""Pages: a ballot's trials as the browser may see them, and as protocols understand them."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet

from rating.errors import NotRevisable
from rating.models import Ballot, Slot, Trial
from rating.protocol import Entry, Json, Protocol, TrialKind, TrialPlan
from rating.protocol import Slot as PlannedSlot
from rating.registry import get_protocol, view_of
from stimuli.models import Stimulus


def pages(*, ballot: Ballot, limit: int) -> list[dict[str, Any]]:
    """Return the next unanswered pages exactly as the browser may see them: no name of anything that is heard."""
    if get_protocol(ballot.experiment.protocol).access.one_at_a_time:
        limit = 1
    return _pages(ballot, ballot.trials.unanswered()[:limit])


def every_page(*, ballot: Ballot) -> list[dict[str, Any]]:
    """Return all pages with the answers that were given, where the protocol lets them be changed until the end."""
    if not get_protocol(ballot.experiment.protocol).access.revisable:
        raise NotRevisable
    return _pages(ballot, ballot.trials.filter(skipped_at__isnull=True).order_by("session", "position"))


def _pages(ballot: Ballot, trials: QuerySet[Trial]) -> list[dict[str, Any]]:
    experiment = ballot.experiment
    protocol = get_protocol(experiment.protocol)
    labels = _labels(protocol, experiment.label_set)
    told = trials.select_related("current_vote").prefetch_related(
        "slots__stimulus__item", "slots__stimulus__condition", "slots__stimulus__recording"
    )
    return [_page(trial, protocol, labels, experiment.options) for trial in told]


def _page(trial: Trial, protocol: Protocol, labels: Json, options: dict[str, Json]) -> dict[str, Any]:
    slots = list(trial.slots.all())
    return {
        "trial": str(trial.id),
        "position": trial.position,
        "session": trial.session,
        "kind": trial.kind,
        "revision": trial.revision,
        "draft": trial.current_vote.payload if trial.current_vote else None,
        "answered": trial.answered,
        "view": view_of(protocol.slug),
        "workspace": protocol.access.workspace,
        "plays_allowed": options.get("plays_allowed", 1),
        "options": {key: options[key] for key, each in protocol.options.items() if each.in_page and key in options},
        "page": protocol.present(plan_of(trial, slots)),
        "media": {
            slot.key: {
                "id": str(slot.media),
                "duration_s": round(slot.stimulus.duration_s, 3),
                "sliced": not slot.stimulus.served,
            }
            for slot in slots
            if slot.stimulus.recording
        },
        "texts": {slot.key: _readable(slot.stimulus.text) for slot in slots if slot.stimulus.text is not None},
        "labels": labels,
    }


def _readable(text: Mapping[str, Json]) -> dict[str, Json]:
    """What is read of a text; how it came in, such as by positions, would tell versions apart."""
    return {part: text.get(part) for part in ("text", "tokens", "language")}


def plan_of(trial: Trial, slots: Iterable[Slot]) -> TrialPlan:
    """Read a stored trial back as the value that protocols understand."""
    return TrialPlan(
        slots=tuple(PlannedSlot(slot.key, entry_of(slot.stimulus)) for slot in slots),
        ask=tuple(trial.ask),
        kind=TrialKind(trial.kind),
        session=trial.session,
        detail=trial.detail,
    )


def entry_of(stimulus: Stimulus) -> Entry:
    return Entry(
        stimulus=str(stimulus.id),
        item=stimulus.item.name,
        condition=stimulus.condition.name,
        role=stimulus.condition.role,
        factors=stimulus.item.factors,
        text=stimulus.text,
        duration_s=stimulus.duration_s,
    )


def _labels(protocol: Protocol, label_set: str) -> dict[str, Json]:
    labels = protocol.label_set(label_set)
    return {
        key: {
            "language": labels.language,
            "question": words.question,
            "attend": words.attend,
            "word": words.word,
            "anchors": [{"value": value, "label": label} for value, label in words.anchors],
        }
        for key, words in labels.scales.items()
    }
