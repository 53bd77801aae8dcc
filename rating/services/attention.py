"""Attention checks of an experiment: which there are, where they go in a plan, and how listeners did."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import sqrt
from random import Random
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from core.services import audit
from rating.attention import Check, checkable, expected_of, is_passed, page_for, place_checks
from rating.errors import wrong_state
from rating.models import Experiment, Score
from rating.protocol import CHECKS, GOLD, REFERENCE, TRAP, Cell, ScaleProtocol, TrialKind, TrialPlan
from rating.registry import get_protocol
from rating.services.experiments import locked, options_are_open
from rating.services.pages import entry_of
from stimuli.models import Stimulus

EXPECTED = "expected"  # the factor of an item from which the expected answer is proposed
MOST_REPEATS = 50
FEWEST_TO_CORRELATE = 3


def check_protocol(experiment: Experiment) -> ScaleProtocol:
    protocol = get_protocol(experiment.protocol)
    if (found := checkable(protocol)) is None:
        raise AppError(
            "checks.not_for_protocol",
            409,
            _("{protocol} does not ask for a rating of one clip after the other, so it has no attention checks."),
            protocol=protocol.title,
        )
    return found


def check_clips(experiment: Experiment) -> list[Stimulus]:
    """The clips of the collection that can be checks: those under conditions in the role trap or gold."""
    clips = Stimulus.objects.offered().filter(
        item__collection=experiment.collection, condition__role__in=(TRAP, GOLD), recording__isnull=False
    )
    return list(
        clips.select_related("item", "condition", "recording").order_by(
            "-condition__role", "item__name", "condition__name"
        )
    )


def expected_by_clip(experiment: Experiment) -> dict[Cell, dict[str, Sequence[float]]]:
    """The answers that are expected on each clip that is used, by scale."""
    return {(item, condition): expected for item, condition, expected in experiment.checks.get("clips", [])}


@transaction.atomic
def change_checks(
    *,
    experiment: Experiment,
    repeats: int,
    expected: Mapping[Cell, str],
    actor: User,
    to_come: AbstractSet[Cell] = frozenset(),
) -> Experiment:
    """Say which clips are used with which expected answer, and how many pages every listener hears twice.

    A clip without an expected answer is left out. Seats that were drawn keep their pages, so there may be none yet.
    Clips that are still to be imported are known by their names alone.
    """
    experiment = locked(experiment)
    if experiment.state != Experiment.State.DRAFT:
        raise wrong_state(experiment, needed="draft")
    if not options_are_open(experiment):
        raise AppError(
            "checks.seats_exist",
            409,
            _("The pages of the seats are drawn already. Remove the seats and links first, then change the checks."),
        )
    protocol = check_protocol(experiment)
    known = {(clip.item.name, clip.condition.name) for clip in check_clips(experiment)} | to_come
    # As JSON gives it back, so that what is kept can be compared with what was stored.
    ranges = {cell: expected_of(text, protocol) for cell, text in sorted(expected.items()) if cell in known}
    clips = [[*cell, {scale: list(pair) for scale, pair in own.items()}] for cell, own in ranges.items() if own]
    checks = {"clips": clips, "repeats": repeats} if clips or repeats else {}
    if checks != experiment.checks:
        before, experiment.checks = experiment.checks, checks
        experiment.save(update_fields=["checks"])
        audit.record(
            actor=actor,
            action="experiment.checks_changed",
            target=f"experiment/{experiment.slug}",
            before=before,
            after=checks,
        )
    return experiment


# --- In the plan of a seat --------------------------------------------------------------------------------------------


def with_checks(*, experiment: Experiment, plans: Mapping[str, Sequence[TrialPlan]]) -> dict[str, list[TrialPlan]]:
    """The plans, by seed, with the experiment's checks placed in each by chance that follows from the seed."""
    if not experiment.checks:
        return {seed: list(plan) for seed, plan in plans.items()}
    protocol, checks = check_protocol(experiment), _checks(experiment)
    return {
        seed: place_checks(
            plan,
            checks=checks,
            repeats=experiment.checks["repeats"],
            protocol=protocol,
            rng=Random(f"{experiment.seed}/{seed}/checks"),
        )
        for seed, plan in plans.items()
    }


def _checks(experiment: Experiment) -> list[Check]:
    protocol, used = check_protocol(experiment), expected_by_clip(experiment)
    references = Stimulus.objects.offered().filter(
        item__collection=experiment.collection, condition__role=REFERENCE, item__name__in={item for item, _name in used}
    )
    beside = [entry_of(each) for each in references.select_related("item", "condition", "recording")]
    return [
        Check(TrialKind(clip.condition.role), page_for(entry_of(clip), beside, protocol))
        for clip in check_clips(experiment)
        if (clip.item.name, clip.condition.name) in used
    ]


# --- How listeners did ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """How one listener did: checks passed and failed, and pairs of ratings of what was heard twice."""

    passed: int = 0
    failed: int = 0
    planned: int = 0  # trap and gold clips in the plan, answered or not
    pairs: tuple[tuple[float, float], ...] = field(default=(), repr=False)

    @property
    def judged(self) -> int:
        return self.passed + self.failed

    @property
    def difference(self) -> float | None:
        """The mean absolute difference between the two ratings."""
        return sum(abs(one - other) for one, other in self.pairs) / len(self.pairs) if self.pairs else None

    @property
    def correlation(self) -> float | None:
        """Pearson's r between the two ratings; none of fewer than three pairs, or where one side never varies."""
        if len(self.pairs) < FEWEST_TO_CORRELATE:
            return None
        means = [sum(side) / len(self.pairs) for side in zip(*self.pairs, strict=True)]
        off = [(one - means[0], other - means[1]) for one, other in self.pairs]
        spread = sqrt(sum(one**2 for one, _other in off) * sum(other**2 for _one, other in off))
        return sum(one * other for one, other in off) / spread if spread else None


def outcomes(*, experiment: Experiment, ballots: Iterable[UUID]) -> dict[UUID, Outcome]:
    """How the listeners of these ballots did so far; nothing where the experiment has no checks."""
    if not experiment.checks:
        return {}
    wanted = list(ballots)
    expected = expected_by_clip(experiment)
    clips: dict[UUID, dict[Cell, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    again: dict[UUID, dict[tuple[UUID, str], float]] = defaultdict(dict)
    scores = Score.objects.filter(vote__ballot__in=wanted, vote__current_for__isnull=False)
    names = ("vote__ballot", "slot__stimulus", "scale", "value")
    rows = scores.filter(vote__trial__kind__in=CHECKS).values_list(
        *names, "vote__trial__kind", "slot__stimulus__item__name", "slot__stimulus__condition__name"
    )
    for ballot, stimulus, scale, value, kind, item, condition in rows:
        if kind == TrialKind.REPEAT:
            again[ballot][stimulus, scale] = value
        else:
            clips[ballot][item, condition][scale] = value
    heard = {stimulus for own in again.values() for stimulus, _scale in own}
    firsts = scores.filter(vote__trial__kind=TrialKind.TEST, slot__stimulus__in=heard).values_list(*names)
    first = {(ballot, stimulus, scale): value for ballot, stimulus, scale, value in firsts}
    found = {}
    for ballot in wanted:
        whole = [
            is_passed(given, expected[clip])
            for clip, given in clips[ballot].items()
            if clip in expected and expected[clip].keys() <= given.keys()
        ]
        pairs = tuple(
            (first[ballot, stimulus, scale], value)
            for (stimulus, scale), value in sorted(again[ballot].items(), key=str)
            if (ballot, stimulus, scale) in first
        )
        found[ballot] = Outcome(sum(whole), len(whole) - sum(whole), len(expected), pairs)
    return found


def summary_of(experiment: Experiment, ballots: Iterable[UUID]) -> dict[str, int]:
    """How many checks every listener has, and how many of the listeners passed all that they answered."""
    found = [one for one in outcomes(experiment=experiment, ballots=ballots).values() if one.judged]
    roles = {(clip.item.name, clip.condition.name): clip.condition.role for clip in check_clips(experiment)}
    used = [roles.get(cell) for cell in expected_by_clip(experiment)]
    return {
        "traps": used.count(TRAP),
        "gold": used.count(GOLD),
        "repeats": experiment.checks.get("repeats", 0),
        "listeners": len(found),
        "passed": sum(not one.failed for one in found),
    }
