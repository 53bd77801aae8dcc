"""Next steps of an experiment, in the order of the work, each with the page where it is done."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from core.i18n import translate_messages
from core.models import Job
from listening.models import Design
from listening.panels.services import designs, durations, panels, simulated_copies
from rating.label_sets import labels_of
from rating.models import Ballot, Experiment
from rating.protocol import Designable, LabelStatus
from rating.registry import get_protocol
from rating.services.experiments import language_warnings
from rating.services.text_languages import question_warnings, text_warnings
from rating.services.texts import standard_consent
from stimuli.models import Collection, Condition, Import, Stimulus
from stimuli.services.imports import job_of
from stimuli.services.normalisation import job_for


class Action(StrEnum):
    """What the overview offers for a step beside the page where it is done."""

    SEATS = "seats"  # lay out seats by a usual design, or without one
    LINK = "link"  # make one link for many


class StepState(StrEnum):
    """State of a step. CHECK is a warning and blocks nothing."""

    DONE = "done"
    OPEN = "open"
    CHECK = "check"
    GOING = "going"


@dataclass(frozen=True)
class Step:
    """One step: its state, a sentence, the page where it is done, and the job that it waits for."""

    state: StepState
    sentence: str
    address: str
    job: Job | None = None
    action: Action | None = None


def steps_of(experiment: Experiment, *, now: datetime) -> list[Step]:
    """Steps of a draft up to going live; afterwards invitations, progress and results."""
    statuses = panels.overview(experiment=experiment, now=now)
    if experiment.state == Experiment.State.DRAFT:
        return list(_before(experiment, statuses))
    return list(_after(experiment, statuses, now))


def _before(experiment: Experiment, statuses: list[dict[str, Any]]) -> Iterator[Step]:
    design = Design.objects.filter(experiment=experiment).first()
    yield _stimuli(experiment)
    yield from _consent(experiment)
    yield _words(experiment)
    yield from _language(experiment)
    if _can_be_designed(experiment):
        yield _design(experiment, design, seats=bool(statuses))
    yield _seats(experiment, statuses)
    yield from _duration(experiment)
    yield _rehearsal(experiment)


def _after(experiment: Experiment, statuses: list[dict[str, Any]], now: datetime) -> Iterator[Step]:
    if experiment.state != Experiment.State.CLOSED:
        yield _links(experiment, statuses, now)
    listening = _listening(experiment, statuses)
    yield listening
    if listening.state == StepState.DONE or experiment.unblinded_at is not None:
        yield _results(experiment)


# --- Before it is live ------------------------------------------------------------------------------------------------


def _stimuli(experiment: Experiment) -> Step:
    address = reverse("stimuli:collection", args=[experiment.collection.slug])
    heard = Stimulus.objects.offered().filter(item__collection=experiment.collection).order_by()
    role = Condition.Role
    rated = heard.exclude(condition__role__in=[role.REFERENCE, role.FULL_LENGTH, role.TRAP, role.GOLD]).aggregate(
        clips=Count("pk"), items=Count("item", distinct=True), conditions=Count("condition", distinct=True)
    )
    if not rated["clips"]:
        return _coming(experiment.collection) or Step(
            StepState.OPEN, gettext("The collection has no clips to rate yet."), address
        )
    missing = rated["items"] * rated["conditions"] - rated["clips"]
    if missing:
        said = ngettext(
            "%(n)s clip is missing: some items lack a condition.",
            "%(n)s clips are missing: some items lack a condition.",
            missing,
        ) % {"n": intcomma(missing)}
        return Step(StepState.OPEN if _can_be_designed(experiment) else StepState.CHECK, said, address)
    return Step(
        StepState.DONE,
        gettext("%(clips)s clips: %(items)s items, %(conditions)s conditions.") % _grouped(rated),
        address,
    )


def _coming(collection: Collection) -> Step | None:
    """The upload that will fill the collection, or the copies of its clips at one loudness."""
    upload = (
        Import.objects.filter(Q(collection=collection) | Q(copy_into=collection)).select_related("collection").first()
    )
    if upload is None:
        return None
    states, address = Import.State, reverse("stimuli:import", args=[upload.collection.slug, upload.pk])
    if upload.state == states.DONE and upload.copy_into == collection:
        return _copies(upload, collection)
    said = {
        states.RECEIVING: gettext("Not all files have arrived. Send the rest."),
        states.CHECKING: gettext("The files are being checked."),
        states.HAS_ERRORS: gettext("Some files have errors. Leave them out or replace them, then import the clips."),
        states.PROPOSED: gettext("The files are checked. Look at what was found and import the clips."),
        states.IMPORTING: gettext("The clips are being imported."),
    }.get(states(upload.state))
    if said is None:
        return None
    going = upload.state in (states.CHECKING, states.IMPORTING)
    return Step(StepState.GOING if going else StepState.OPEN, said, address, job=job_of(upload) if going else None)


def _copies(upload: Import, collection: Collection) -> Step:
    job, target = job_for(source=upload.collection, slug=collection.slug), f"{upload.copy_lufs:g}"
    address = reverse("stimuli:normalise", args=[upload.collection.slug])
    if job is not None and job.is_unfinished:
        said = gettext("The clips are being copied at %(target)s LUFS.") % {"target": target}
        return Step(StepState.GOING, said, address, job=job)
    said = gettext("The clips could not be copied at %(target)s LUFS. %(why)s Choose another loudness.")
    return Step(StepState.OPEN, said % {"target": target, "why": job.progress_note if job else ""}, address)


def _consent(experiment: Experiment) -> Iterator[Step]:
    """Only where the consent text is the standard one, which nobody may have read yet."""
    if experiment.consent_text == standard_consent(experiment.language):
        said = gettext("The consent text is the standard one. Read it, and adapt it to your study.")
        yield Step(StepState.CHECK, said, reverse("rating:settings", args=[experiment.slug]))


def _words(experiment: Experiment) -> Step:
    labels = labels_of(experiment)
    address = reverse("rating:labels", args=[experiment.slug])
    if labels.status == LabelStatus.DRAFT:
        said = gettext("Label set %(name)s is a draft; approve it or choose another one before going live.")
        return Step(StepState.OPEN, said % {"name": labels.id}, address)
    return Step(StepState.DONE, gettext("Label set %(name)s: approved.") % {"name": labels.id}, address)


def _language(experiment: Experiment) -> Iterator[Step]:
    address = reverse("rating:experiment", args=[experiment.slug]) + "#scales"
    for warning in language_warnings(experiment):
        yield Step(StepState.CHECK, warning, address)
    for warning in text_warnings(experiment):
        yield Step(StepState.CHECK, warning, reverse("rating:settings", args=[experiment.slug]))
    for warning in question_warnings(experiment):
        yield Step(StepState.CHECK, warning, reverse("listening:questions", args=[experiment.slug]))


def _design(experiment: Experiment, design: Design | None, *, seats: bool) -> Step:
    address = reverse("listening:design", args=[experiment.slug])
    job = designs.job_for(experiment)
    if job is not None and job.is_unfinished:
        return Step(StepState.GOING, gettext("The design is being applied."), address, job=job)
    if design is None and seats:
        return Step(StepState.CHECK, gettext("No design for all panels; each seat has its own order."), address)
    if design is None:
        return Step(StepState.OPEN, gettext("No design yet."), address, action=Action.SEATS)
    doubts = sum(finding["verdict"] != "ok" for finding in designs.current_report(design).get("findings", []))
    if doubts:
        said = ngettext(
            "The design is applied; its report has %(n)d point to check.",
            "The design is applied; its report has %(n)d points to check.",
            doubts,
        )
        return Step(StepState.CHECK, said % {"n": doubts}, address)
    return Step(StepState.DONE, gettext("The design is applied, and its report has no issues."), address)


def _seats(experiment: Experiment, statuses: list[dict[str, Any]]) -> Step:
    seats = sum(panel["total"] for panel in statuses)
    address = reverse("listening:people", args=[experiment.slug])
    if job := next((job for job in panels.seat_jobs(experiment).values() if job.is_unfinished), None):
        return Step(StepState.GOING, gettext("The seats of a panel are being created."), address, job=job)
    if not seats:
        return Step(StepState.OPEN, gettext("No seats for listeners yet."), address, action=Action.SEATS)
    return Step(StepState.DONE, gettext("%(seats)s in %(panels)s.") % _counted(statuses), address)


def _counted(statuses: list[dict[str, Any]]) -> dict[str, str]:
    """Seats and panels in words."""
    seats, panels_ = sum(panel["total"] for panel in statuses), len(statuses)
    return {
        "seats": ngettext("%(n)s seat", "%(n)s seats", seats) % {"n": intcomma(seats)},
        "panels": ngettext("%(n)s panel", "%(n)s panels", panels_) % {"n": intcomma(panels_)},
    }


def design_in_words(experiment: Experiment, *, now: datetime) -> str:
    """The design in one sentence, as its report has it; empty where there are no seats."""
    design = Design.objects.filter(experiment=experiment).first()
    if design is not None:
        return str(translate_messages(designs.current_report(design), gettext)["sentence"])
    statuses = panels.overview(experiment=experiment, now=now)
    if not sum(panel["total"] for panel in statuses):
        return ""
    return gettext("%(seats)s in %(panels)s, each seat in an order of its own.") % _counted(statuses)


def _duration(experiment: Experiment) -> Iterator[Step]:
    """Only where what listeners read is far from the plan."""
    for each in durations.misleading_minutes(experiment):
        said = gettext("Listeners read that it takes %(stated)s min, but the plan takes about %(planned)s min.")
        yield Step(StepState.CHECK, said % each, reverse("listening:people", args=[experiment.slug]))


def _rehearsal(experiment: Experiment) -> Step:
    address = reverse("listening:people", args=[experiment.slug]) + "#try"
    if experiment.ballots.filter(kind=Ballot.Kind.REHEARSAL, closed_at__isnull=False).exists():
        return Step(StepState.DONE, gettext("A rehearsal was completed."), address)
    return Step(StepState.CHECK, gettext("No completed rehearsal yet. Ask a colleague to try it."), address)


def _can_be_designed(experiment: Experiment) -> bool:
    return isinstance(get_protocol(experiment.protocol), Designable)


# --- Since it is live -------------------------------------------------------------------------------------------------


def _links(experiment: Experiment, statuses: list[dict[str, Any]], now: datetime) -> Step:
    address = reverse("listening:people", args=[experiment.slug])
    needed = sum(panel["needed"] for panel in statuses)
    if not statuses:
        return Step(StepState.OPEN, gettext("No seats for listeners yet."), address)
    if panels.links_for_many(experiment=experiment, now=now).exists():
        return Step(StepState.DONE, gettext("A link for many is open: it leads to every open seat."), address)
    if not needed:
        return Step(StepState.DONE, gettext("Every open seat has a link."), address)
    said = ngettext("%(n)s open seat has no link yet.", "%(n)s open seats have no link yet.", needed)
    return Step(StepState.OPEN, said % {"n": intcomma(needed)}, address, action=Action.LINK)


def _listening(experiment: Experiment, statuses: list[dict[str, Any]]) -> Step:
    total, finished, taken = (sum(panel[name] for panel in statuses) for name in ("total", "finished", "taken"))
    counts = {"done": intcomma(finished), "total": intcomma(total), "taken": intcomma(taken)}
    said = gettext("%(done)s of %(total)s seats finished, %(taken)s in progress.") % counts
    address = reverse("listening:monitor", args=[experiment.slug])
    if experiment.state == Experiment.State.PAUSED:
        paused = gettext("Paused: no listener can start.")
        return Step(StepState.CHECK, f"{paused} {said}", address)
    job = simulated_copies.job_of(experiment) if experiment.is_simulation else None
    if job and job.is_unfinished:
        return Step(StepState.GOING, said, address, job=job)
    over = experiment.state == Experiment.State.CLOSED or (total > 0 and finished == total)
    return Step(StepState.DONE if over else StepState.GOING, said, address)


def _results(experiment: Experiment) -> Step:
    address = reverse("analysis:results", args=[experiment.slug])
    if experiment.unblinded_at is not None:
        return Step(StepState.DONE, gettext("The results name the conditions."), address)
    said = gettext("The results show conditions as letters until you unblind them.")
    return Step(StepState.OPEN, said, address)


def _grouped(counts: dict[str, int]) -> dict[str, str]:
    return {name: intcomma(count) for name, count in counts.items()}
