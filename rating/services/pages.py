"""Pages: a ballot's trials as the browser receives them and as protocols read them, and fetched sounds."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from rating.label_sets import label_set_of
from rating.models import Ballot, Slot, SoundFetch, Trial
from rating.protocol import Entry, Json, Protocol, TrialKind, TrialPlan
from rating.protocol import Slot as PlannedSlot
from rating.registry import get_protocol, view_of
from stimuli.models import Stimulus

WRITTEN_EVERY = timedelta(minutes=1)  # a long sound is fetched in hundreds of slices, which are one row here


def pages(*, ballot: Ballot, limit: int) -> list[dict[str, Any]]:
    """Return the next unanswered pages exactly as the browser may see them: no name of anything that is heard."""
    if get_protocol(ballot.experiment.protocol).access.one_at_a_time:
        limit = 1
    return _pages(ballot, ballot.trials.unanswered()[:limit])


def every_page(*, ballot: Ballot, opened: str = "") -> list[dict[str, Any]]:
    """Return all pages with the answers that were given, where the protocol lets them be changed until the end.

    A page that was not begun comes without its texts, unless it is the one to be `opened` or the experiment shows all
    pages at once: what is read early could change how earlier pages are rated.
    """
    access = get_protocol(ballot.experiment.protocol).access
    if not access.revisable:
        raise AppError(
            "visit.not_revisable",
            409,
            _("This test goes from page to page: answers that were given cannot be opened again."),
        )
    told = _pages(ballot, ballot.trials.filter(skipped_at__isnull=True).order_by("session", "position"))
    if not ballot.experiment.options.get(access.overview_option):
        for page in told:
            if page["draft"] is None and page["kind"] == TrialKind.TEST and page["trial"] != opened:
                page["texts"] = {}
    return told


def _pages(ballot: Ballot, trials: QuerySet[Trial]) -> list[dict[str, Any]]:
    experiment = ballot.experiment
    protocol = get_protocol(experiment.protocol)
    labels = _labels(protocol, experiment.label_set)
    told = trials.select_related("current_vote").prefetch_related(whole_slots())
    return [_page(trial, protocol, labels, experiment.options) for trial in told]


def _page(trial: Trial, protocol: Protocol, labels: Json, options: dict[str, Json]) -> dict[str, Any]:
    slots = list(trial.slots.all())
    return _planned(protocol, plan_of(trial, slots), labels, options) | {
        "trial": str(trial.id),
        "position": trial.position,
        "revision": trial.revision,
        "draft": trial.current_vote.payload if trial.current_vote else None,
        "answered": trial.answered,
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
    }


def page_of(protocol: Protocol, plan: TrialPlan, *, label_set: str, options: Mapping[str, Json]) -> dict[str, Any]:
    """A page that nobody has answered, of a plan that is not stored; without its sounds."""
    fresh: dict[str, Any] = {"position": 0, "revision": 0, "draft": None, "answered": False, "texts": {}}
    return _planned(protocol, plan, _labels(protocol, label_set), options) | fresh


def _planned(protocol: Protocol, plan: TrialPlan, labels: Json, options: Mapping[str, Json]) -> dict[str, Any]:
    """What a page has of its plan, the protocol and the options."""
    return {
        "session": plan.session,
        "kind": plan.kind.shown,
        "view": view_of(protocol.slug),
        "example": protocol.access.example,
        "plays_allowed": options.get("plays_allowed", 1),
        "options": {key: options[key] for key, each in protocol.options.items() if each.in_page and key in options},
        "page": protocol.present(plan),
        "labels": labels,
    }


def _readable(text: Mapping[str, Json]) -> dict[str, Json]:
    """What is read of a text; how it came in, such as by positions, would tell versions apart."""
    return {part: text.get(part) for part in ("text", "tokens", "language")}


def whole_slots() -> "Prefetch[Any]":
    """The slots of trials with all that a plan and a page need of their stimuli, in one query."""
    parts = ("stimulus__item", "stimulus__condition", "stimulus__recording")
    return Prefetch("slots", Slot.objects.select_related(*parts))


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
    labels = label_set_of(protocol, label_set)
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


# --- Fetched sounds: no answer is taken before the sound of its page was fetched --------------------------------------


def record_fetch(*, slot_id: int, visit_id: UUID, now: datetime) -> None:
    """Note that a visit was given a sound. Costs a read each time, and a write at most once a minute."""
    known = SoundFetch.objects.filter(slot=slot_id, visit=visit_id).values_list("last_at", flat=True).first()
    if known is not None and known > now - WRITTEN_EVERY:
        return
    SoundFetch.objects.bulk_create(
        [SoundFetch(slot_id=slot_id, visit=visit_id, first_at=now, last_at=now)],
        update_conflicts=True,
        unique_fields=["slot", "visit"],
        update_fields=["last_at"],
    )


def record_all_fetches(*, ballot_id: UUID, visit_id: UUID, now: datetime) -> None:
    """Take every sound of a ballot as fetched, for programs inside this server that answer without listening."""
    slots = Slot.objects.filter(trial__ballot=ballot_id).order_by("pk").values_list("pk", flat=True)
    fetches = (SoundFetch(slot_id=slot, visit=visit_id, first_at=now, last_at=now) for slot in slots)
    SoundFetch.objects.bulk_create(fetches, batch_size=2000, ignore_conflicts=True)
