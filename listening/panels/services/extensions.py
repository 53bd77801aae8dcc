"""Extensions: more listeners for each panel or more panels, under the rules and the seed of the design."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.jobs import JobRun, enqueue, job
from core.models import Job, User
from listening.design.base import IMPORTED, Sample, SeatSequence
from listening.design.base import Design as Layout
from listening.design.orders.presets import preset
from listening.design.report.summary import extension_digest
from listening.design.subsets.in_subprocess import LONGEST_IN_BACKGROUND_S, plan_subsets_in_subprocess
from listening.design.subsets.planning import plan_subsets
from listening.models import Extension, Panel, Seat
from listening.panels.services import panels as panel_services
from listening.panels.services.design_seats import Fence, Progress, changed_meanwhile, discard_unseated, stage_ballots
from listening.panels.services.designs import (
    Planner,
    current_report,
    design_row,
    judge,
    layout_of,
    plan_facts,
)
from listening.panels.services.material import Material, material_of
from rating.errors import reason_missing, wrong_state
from rating.models import Ballot, Experiment
from rating.protocol import WHOLE_ITEM
from rating.services.ballots import drawn_from
from rating.services.experiments import check_no_jobs, locked, record_extension

MOST_SEATS = 2000


@dataclass(frozen=True)
class ExtensionDraft:
    """An extension that is not stored yet, with the report on all seats before and after."""

    extends: str  # the hash of the design before
    layout: Layout
    added: tuple[SeatSequence, ...]
    subsets: Sequence[Sequence[str]]  # of the new panels
    before: Mapping[str, Any]
    report: Mapping[str, Any]
    sha256: str

    @property
    def sizes(self) -> dict[str, int]:
        return {
            "panels_before": self.layout.request.grown[-1][0],
            "panels": self.layout.request.panels,
            "listeners_before": len(self.layout.sequences) - len(self.added),
            "listeners": len(self.layout.sequences),
        }


def draft_extension(
    *, experiment: Experiment, listeners: int = 0, panels: int = 0, planner: Planner = plan_subsets
) -> ExtensionDraft:
    """Lay out the new seats and judge them with the old ones. Nothing is written; the same request gives the same."""
    row, before = design_row(experiment), layout_of(experiment)
    _check_size(before, listeners=listeners, panels=panels)
    if row.preset == IMPORTED:
        raise _imported()
    conditions = [name for name in before.request.conditions if name != WHOLE_ITEM]
    material = material_of(experiment, conditions)
    facts: dict[str, Any] = current_report(row).get("plan") or {}
    subsets: Sequence[Sequence[str]] = ()
    if panels:
        plan = planner(
            _unheard(before, material, needed=panels * row.settings["size"]),
            factors=row.settings["factors"],
            subsets=panels,
            size=row.settings["size"],
            seed=f"{row.seed}/extension {len(before.request.stages)}",
        )
        subsets, facts = plan.subsets, plan_facts(plan)
    layout, added = _extended(before, listeners=listeners, subsets=subsets)
    report = judge(layout, experiment=experiment, material=material, factors=row.settings["factors"])
    return ExtensionDraft(
        extends=experiment.layout_sha256,
        layout=layout,
        added=added,
        subsets=subsets,
        before=current_report(row),
        report=report | {"plan": facts},
        sha256=extension_digest(experiment.layout_sha256, added),
    )


def _extended(
    before: Layout, *, listeners: int, subsets: Sequence[Sequence[str]]
) -> tuple[Layout, tuple[SeatSequence, ...]]:
    """The layout with so many listeners more and these new panels, and what was added to it."""
    request = replace(
        before.request,
        subsets=[*before.request.subsets, *subsets],
        seats=before.request.seats + listeners,
        grown=before.request.stages,
    )
    laid_out = preset(before.preset).lay_out(request)
    # What a seat hears that is there already is what its ballot holds.
    there = {(one.panel, one.seat): one for one in before.sequences}
    sequences = tuple(there.get((one.panel, one.seat), one) for one in laid_out.sequences)
    return replace(laid_out, sequences=sequences), tuple(one for one in sequences if (one.panel, one.seat) not in there)


def _imported() -> AppError:
    return AppError(
        "extension.imported",
        409,
        _(
            "The sequences of this design came from files, so there is no rule by which to go on. Copy the "
            "experiment and give it files for all listeners."
        ),
    )


def _check_size(before: Layout, *, listeners: int, panels: int) -> None:
    if listeners < 0 or panels < 0 or listeners + panels == 0:
        raise AppError("extension.nothing", 422, _("Add at least one listener to each panel, or one panel."))
    seats = (before.request.panels + panels) * (before.request.seats + listeners)
    if seats > MOST_SEATS:
        raise AppError(
            "extension.too_large",
            422,
            _("That would be {seats} seats; an experiment has {most} at most."),
            seats=seats,
            most=MOST_SEATS,
        )


def _unheard(before: Layout, material: Material, *, needed: int) -> list[Sample]:
    """The items for new panels: those that no panel hears, not even in practice."""
    heard = {showing.item for sequence in before.sequences for showing in sequence.showings}
    left = [Sample(sample.name, sample.factors) for sample in material.samples if sample.name not in heard]
    if len(left) < needed:
        raise AppError(
            "extension.items",
            422,
            _(
                "New panels need {needed} items that nobody hears yet, and the collection has {left}. Add fewer "
                "panels, or add listeners to the panels that are there."
            ),
            needed=needed,
            left=len(left),
        )
    return left


# --- Adding what was previewed ----------------------------------------------------------------------------------------


def check_extendable(experiment: Experiment, *, reason: str) -> None:
    """Raise what keeps seats from being added: a closed experiment, or no reason once it is live."""
    if experiment.state == Experiment.State.CLOSED:
        raise wrong_state(experiment, needed="draft, live or paused")
    if experiment.state != Experiment.State.DRAFT and not reason.strip():
        raise reason_missing()


def ask_for_extension(
    *, experiment: Experiment, listeners: int, panels: int, reason: str, sha256: str, actor: User
) -> Job:
    """Have the extension that was previewed added in the background; what is rejected now is not begun."""
    key = f"{extend_design.name}:{experiment.pk}:{sha256}"
    with transaction.atomic():
        now = locked(experiment)
        check_extendable(now, reason=reason)
        check_no_jobs(now)
        _check_size(layout_of(now), listeners=listeners, panels=panels)
        return enqueue(
            extend_design,
            key=key,
            requested_by=actor,
            actor_id=str(actor.pk),
            experiment_id=str(experiment.pk),
            listeners=listeners,
            panels=panels,
            reason=reason.strip(),
            sha256=sha256,
        )


@job(queue="interactive", title=_("Adding listeners"))
def extend_design(
    *,
    run: JobRun,
    experiment_id: str,
    listeners: int,
    panels: int,
    reason: str,
    sha256: str,
    actor_id: str,
) -> None:
    """Add the extension that was previewed. An error fails the job: a job whose work was discarded is not done."""
    experiment = Experiment.objects.select_related("collection").get(pk=experiment_id)
    if experiment.extensions.filter(sha256=sha256).exists():
        return
    planner = partial(plan_subsets_in_subprocess, longest_s=LONGEST_IN_BACKGROUND_S)
    draft = draft_extension(experiment=experiment, listeners=listeners, panels=panels, planner=planner)
    if draft.sha256 != sha256:
        raise AppError(
            "extension.outdated",
            409,
            _("The experiment has changed since this preview. Preview the extension again, then add it."),
        )
    adopt_extension(
        experiment=experiment,
        draft=draft,
        reason=reason,
        actor=User.objects.get(pk=actor_id),
        fence=run.finish,
        progress=run.progress,
    )


def adopt_extension(
    *,
    experiment: Experiment,
    draft: ExtensionDraft,
    reason: str,
    actor: User,
    fence: Fence = transaction.atomic,
    progress: Progress = lambda done, total, note: None,
) -> Extension:
    """Give every new seat its ballot; the seats that are there stay as they are."""
    check_extendable(experiment, reason=reason)
    discard_unseated(experiment)
    drawn = drawn_from(experiment)
    ballots = stage_ballots(experiment, draft.added, progress)
    with fence():
        now = locked(experiment)
        check_extendable(now, reason=reason)
        complete = Ballot.objects.filter(pk__in=ballots).count() == len(ballots)
        if not complete or (now.layout_sha256, drawn_from(now)) != (draft.extends, drawn):
            raise changed_meanwhile()
        _seat(now, draft, ballots)
        extension = Extension.objects.create(
            experiment=now,
            number=now.extensions.count() + 1,
            reason=reason,
            subsets=[list(subset) for subset in draft.subsets],
            report=draft.report,
            sha256=draft.sha256,
            **draft.sizes,
        )
        _record(now, extension, sha256=draft.sha256, actor=actor)
    discard_unseated(experiment)
    return extension


def _seat(experiment: Experiment, draft: ExtensionDraft, ballots: Sequence[Any]) -> None:
    numbers = range(1, draft.layout.request.panels + 1)
    panels = {number: Panel.objects.get_or_create(experiment=experiment, number=number)[0] for number in numbers}
    for panel in panels.values():
        _make_room(panel, seats=draft.layout.request.seats)
    Ballot.objects.filter(pk__in=ballots).update(kind=Ballot.Kind.MAIN)
    Seat.objects.bulk_create(
        Seat(panel=panels[sequence.panel], number=sequence.seat, ballot_id=ballot)
        for sequence, ballot in zip(draft.added, ballots, strict=True)
    )


def _make_room(panel: Panel, *, seats: int) -> None:
    """Number the seats that do not count, such as rehearsals, after the last one of the design."""
    others = panel.seats.exclude(ballot__kind=Ballot.Kind.MAIN).filter(number__lte=seats).order_by("number")
    last = max(seats, panel.seats.aggregate(last=Max("number"))["last"] or 0)
    for number, seat in enumerate(others, start=last + 1):
        Seat.objects.filter(pk=seat.pk).update(number=number)


# --- Seats of panels that were not laid out together ------------------------------------------------------------------


def ask_for_seats(
    *, experiment: Experiment, seats: int, actor: User, panel: int | None = None, group: str = "", reason: str = ""
) -> Job:
    """Have so many more seats made in a panel, or in a new one; a draft needs no reason and keeps no record of it."""
    reason = reason.strip()
    with transaction.atomic():
        now = locked(experiment)
        check_extendable(now, reason=reason)
        check_no_jobs(now)
        before = _sizes(now)
        if panel is None:
            job = panel_services.ask_for_panel(experiment=now, seats=seats, actor=actor, group=group)
        else:
            job = panel_services.ask_for_more(experiment=now, panel=panel, seats=seats, actor=actor)
        if now.state != Experiment.State.DRAFT:
            extension = Extension.objects.create(
                experiment=now,
                number=now.extensions.count() + 1,
                reason=reason,
                panels_before=before["panels"],
                panels=before["panels"] + (panel is None),
                listeners_before=before["listeners"],
                listeners=before["listeners"] + seats,
            )
            _record(now, extension, sha256="", actor=actor)
    return job


def _sizes(experiment: Experiment) -> dict[str, int]:
    seats = Seat.objects.filter(panel__experiment=experiment, ballot__kind=Ballot.Kind.MAIN, occupancy=1)
    return {"panels": experiment.panels.count(), "listeners": seats.count()}


def _record(experiment: Experiment, extension: Extension, *, sha256: str, actor: User) -> None:
    record_extension(
        experiment=experiment,
        sha256=sha256,
        actor=actor,
        reason=extension.reason,
        before={"panels": extension.panels_before, "listeners": extension.listeners_before},
        after={"panels": extension.panels, "listeners": extension.listeners},
    )


def job_for(experiment: Experiment) -> Job | None:
    """The latest job that extends the design of this experiment."""
    jobs = Job.objects.filter(name=extend_design.name, key__startswith=f"{extend_design.name}:{experiment.pk}:")
    return jobs.order_by("-created_at").first()
