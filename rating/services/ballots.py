"""Ballots: drawn once, frozen, copied when a seat is released, never changed."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from random import Random
from uuid import UUID

from django.db import transaction

from core.hashing import digest
from core.hmacs import hmac_of
from rating.errors import no_stimuli, unknown_trial
from rating.models import Ballot, Consent, Experiment, Slot, Trial
from rating.protocol import Entry, Json, TrialPlan
from rating.registry import get_protocol
from rating.services.attention import with_checks
from rating.services.experiments import check_design
from rating.services.pages import entry_of, plan_of, whole_slots
from rating.services.texts import current_texts
from rating.services.votes import head_message
from stimuli.models import Stimulus

SECOND_FAILURE = 2
FEWEST_TO_SKIP, SHARE_TO_SKIP = 3, 10  # a ballot may leave out 3 pages or one in 10, whichever is more, but never all
MOST_POSTPONED = 1000
ROWS_AT_ONCE = 2000


def open_ballot(*, experiment: Experiment, seed: str, group: str = "", kind: Ballot.Kind = Ballot.Kind.MAIN) -> Ballot:
    """Draw one seat's trials and freeze them."""
    plans = draw_plans(experiment=experiment, seeds=[seed], group=group)
    return store_plans(experiment=experiment, plans=plans, kind=kind)[0]


def draw_plans(*, experiment: Experiment, seeds: Iterable[str], group: str = "") -> dict[str, list[TrialPlan]]:
    """Draw the trials of several seats, by seed; nothing is written.

    The same seed over the same material draws the same trials for the same group.
    """
    check_design(experiment)
    entries, draw = entries_of(experiment), get_protocol(experiment.protocol).plan
    options = experiment.options | ({"group": group} if group else {})
    # A string seeds Random through SHA-512, so the draw is the same on every machine and Python version.
    plans = {seed: list(draw(entries, options, Random(f"{experiment.seed}/{seed}"))) for seed in seeds}
    return with_checks(experiment=experiment, plans=plans)


def drawn_from(experiment: Experiment) -> tuple[object, ...]:
    """What plans are drawn from, to be compared with what it was when they were drawn."""
    return experiment.protocol, experiment.collection_id, experiment.options, experiment.checks


@transaction.atomic
def store_plans(
    *, experiment: Experiment, plans: Mapping[str, Sequence[TrialPlan]], kind: Ballot.Kind = Ballot.Kind.MAIN
) -> list[Ballot]:
    """Freeze one ballot for each plan, in their order, under the seed or name that each plan came from."""
    ballots = Ballot.objects.bulk_create(_ballot(experiment, kind, seed, plan) for seed, plan in plans.items())
    estimate = partial(get_protocol(experiment.protocol).page_s, options=experiment.options)
    for ballot, plan in zip(ballots, plans.values(), strict=True):
        trials = Trial.objects.bulk_create(
            (_trial(ballot, position, page, estimate(page)) for position, page in enumerate(plan, start=1)),
            batch_size=ROWS_AT_ONCE,
        )
        Slot.objects.bulk_create(
            (
                Slot(trial=trial, key=slot.key, stimulus_id=slot.entry.stimulus)
                for trial, page in zip(trials, plan, strict=True)
                for slot in page.slots
            ),
            batch_size=ROWS_AT_ONCE,
        )
    return ballots


@transaction.atomic
def copy_ballot(
    *, ballot: Ballot, kind: Ballot.Kind = Ballot.Kind.MAIN, experiment: Experiment | None = None
) -> Ballot:
    """Copy a ballot for another person: the same pages in the same order, under new media ids.

    With an experiment, the copy belongs to that one, which asks the same of the same collection.
    """
    plan = [plan_of(trial, trial.slots.all()) for trial in _with_slots(ballot)]
    return store_plans(experiment=experiment or ballot.experiment, plans={ballot.seed: plan}, kind=kind)[0]


@transaction.atomic
def abandon_ballot(*, ballot: Ballot, now: datetime) -> None:
    """Keep its votes, count them no more, and take no further ones."""
    Ballot.objects.filter(pk=ballot.pk, abandoned_at__isnull=True).update(abandoned_at=now, closed_at=now)


@transaction.atomic
def postpone_trial(*, ballot: Ballot, trial_id: UUID, now: datetime) -> Trial:
    """Put a page whose clip failed at the end of its session; where it fails again, leave it out if few are.

    Beyond that the page stays: a test that was mostly skipped is not finished, and another device may play it.
    """
    Ballot.objects.select_for_update().get(pk=ballot.pk)
    trial = ballot.trials.unanswered().filter(pk=trial_id).first()
    if trial is None:
        raise unknown_trial()
    trial.postponed = min(trial.postponed + 1, MOST_POSTPONED)
    trial.skipped_at = now if trial.postponed >= SECOND_FAILURE and _may_skip(ballot) else None
    trial.save(update_fields=["postponed", "skipped_at"])
    return trial


def _may_skip(ballot: Ballot) -> bool:
    total = ballot.trials.count()
    # A preview begins in a later session: what comes before it was left out on purpose, and failed nowhere.
    skipped = ballot.trials.filter(skipped_at__isnull=False, postponed__gt=0).count()
    return skipped < min(max(FEWEST_TO_SKIP, total // SHARE_TO_SKIP), total - 1)


def record_consent(*, ballot: Ballot, experiment: Experiment) -> Consent:
    """Keep that the experiment's present texts were agreed to; agreeing twice is agreeing once.

    The experiment is locked by the caller, so that the texts cannot be amended meanwhile.
    """
    if (consent := Consent.objects.filter(ballot=ballot).first()) is not None:
        return consent
    return Consent.objects.create(
        ballot=ballot,
        text_version=current_texts(experiment=experiment),
        text_sha256=digest(experiment.consent_text),
        language=experiment.language,
    )


def entries_of(experiment: Experiment) -> list[Entry]:
    """Entries of the experiment's collection that its protocol plans."""
    protocol = get_protocol(experiment.protocol)
    stimuli = (
        Stimulus.objects.offered()
        .filter(item__collection=experiment.collection, condition__role__in=protocol.roles)
        .select_related("item", "condition", "recording")
        .order_by("item__name", "condition__name")
    )
    entries = [
        entry_of(stimulus)
        for stimulus in stimuli
        if stimulus.text is None or stimulus.text["kind"] in protocol.text_kinds
    ]
    if not entries:
        raise no_stimuli(collection=experiment.collection.title)
    return entries


def _with_slots(ballot: Ballot) -> Iterable[Trial]:
    return ballot.trials.order_by("position").prefetch_related(whole_slots())


def plan_digest(plan: Iterable[TrialPlan]) -> str:
    """Hash what a seat hears, in which order, and what it is asked."""
    return digest([_outline(page) for page in plan])


def _ballot(experiment: Experiment, kind: Ballot.Kind, seed: str, plan: Sequence[TrialPlan]) -> Ballot:
    ballot = Ballot(experiment=experiment, kind=kind, seed=seed, plan_sha256=plan_digest(plan))
    ballot.chain = hmac_of(head_message(ballot.pk, ballot.plan_sha256, 0, ""))
    return ballot


def _trial(ballot: Ballot, position: int, page: TrialPlan, planned_s: float) -> Trial:
    return Trial(
        ballot=ballot,
        position=position,
        session=page.session,
        kind=page.kind.value,
        ask=list(page.ask),
        detail=dict(page.detail),
        planned_s=planned_s,
    )


def _outline(page: TrialPlan) -> Json:
    slots = [(slot.key, slot.entry.item, slot.entry.condition) for slot in page.slots]
    return outline_of(page.session, page.kind.value, page.ask, slots, page.detail)


def outline_of(
    session: int, kind: str, ask: Sequence[str], slots: Iterable[tuple[str, str, str]], detail: Mapping[str, Json]
) -> Json:
    """What the hash of a plan has of one page; each slot by its key, item and condition."""
    return [session, kind, ask, sorted(slots), *([dict(detail)] if detail else [])]
