"""Copies of experiments for simulated listeners: the same seats, answered by bots in the background, by nobody else.

A copy is closed to people from the beginning, which the database holds it to, and every ballot of it is a simulated
one: in exports its rows are marked, and the results of people never contain them.
"""

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.forms.models import model_to_dict
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.jobs import JobRun, enqueue, job, queue
from core.models import Job, User
from core.services import audit
from listening.models import Design, Extension, Panel, Seat
from listening.panels.services import bots
from listening.panels.services.copying import LONGEST_TITLE, copy_experiment
from listening.panels.services.design_seats import SEATS_AT_ONCE
from rating.errors import no_stimuli
from rating.models import UNANSWERED, Ballot, Experiment, Trial
from rating.services.ballots import copy_ballot
from rating.services.experiments import check_for_people, design_digest
from rating.services.texts import publish_texts
from stimuli.models import Stimulus

USUAL_SEED = "1"
LONGEST_SEED = 64


def ask_for_simulation(
    *, experiment: Experiment, actor: User, listeners: int | None = None, seed: str = USUAL_SEED
) -> Experiment:
    """Copy the experiment and have simulated listeners take its seats, so many or all; return the copy."""
    with transaction.atomic():
        source = Experiment.objects.select_for_update(of=("self",)).select_related("collection").get(pk=experiment.pk)
        _check_possible(source, listeners)
        copy = _copy(source, actor)
        arguments = {"experiment_id": str(copy.pk), "listeners": listeners, "seed": seed}
        enqueue(simulate_listeners, key=_key(source), requested_by=actor, **arguments)
        audit.record(
            actor=actor,
            action="experiment.simulated",
            target=f"experiment/{source.slug}",
            after={"copy": copy.slug, "listeners": listeners, "seed": seed},
        )
    return copy


def _check_possible(source: Experiment, listeners: int | None) -> None:
    check_for_people(source)
    if not Stimulus.objects.filter(item__collection=source.collection).exists():
        raise no_stimuli(collection=source.collection.title)
    jobs = Job.objects.unfinished()
    if jobs.filter(queue=Job.Queue.INTERACTIVE, arguments__experiment_id=str(source.pk)).exists():
        raise AppError(
            "simulation.seats_pending",
            409,
            _("The seats are still being created. Start the simulation when they are ready."),
        )
    if jobs.filter(key=_key(source)).exists():
        raise AppError(
            "simulation.running",
            409,
            _("Simulated listeners are already at work on a copy of this experiment. Wait until they have finished."),
        )
    seats = _seats_of(source).count()
    if not seats:
        raise AppError(
            "simulation.no_seats",
            409,
            _("The experiment has no seats yet. Apply a design or add a panel, then start the simulation."),
        )
    if listeners is not None and not 1 <= listeners <= seats:
        raise AppError(
            "simulation.too_many",
            422,
            _("Choose from 1 to {seats} listeners: the experiment has so many seats."),
            seats=seats,
        )


def _seats_of(source: Experiment) -> QuerySet[Seat]:
    return Seat.objects.main().filter(panel__experiment=source)


def _key(source: Experiment) -> str:
    return f"{simulate_listeners.name}:{source.pk}"


def _copy(source: Experiment, actor: User) -> Experiment:
    """A closed copy with the design of the source. Its seed, and with it the letters of conditions, is its own: who
    unblinds the copy learns nothing about the source."""
    mark = gettext("(simulated)")
    copy = copy_experiment(
        experiment=source, actor=actor, title=f"{source.title[: LONGEST_TITLE - len(mark) - 1]} {mark}"
    )
    copy.layout_sha256 = source.layout_sha256
    copy.is_simulation, copy.simulation_of = True, source
    copy.state, copy.design_sha256 = Experiment.State.CLOSED, design_digest(copy)
    copy.save(update_fields=["layout_sha256", "is_simulation", "simulation_of", "state", "design_sha256"])
    publish_texts(experiment=copy, now=timezone.now())
    for design in Design.objects.filter(experiment=source):
        Design.objects.create(experiment=copy, **model_to_dict(design, exclude=["id", "experiment"]))
    for extension in source.extensions.all():
        Extension.objects.create(experiment=copy, **model_to_dict(extension, exclude=["id", "experiment"]))
    return copy


# --- In the background ------------------------------------------------------------------------------------------------


@job(queue="bulk", title=_("Simulated listeners are answering"))
def simulate_listeners(*, run: JobRun, experiment_id: str, listeners: int | None, seed: str) -> None:
    """Lay out the seats of the copy, then let one bot after the other answer. Cut short, it goes on where it was."""
    copy = Experiment.objects.select_related("simulation_of").get(pk=experiment_id, is_simulation=True)
    _lay_out(copy, run)
    seats = Seat.objects.filter(panel__experiment=copy).select_related("panel", "ballot__experiment")
    chosen = list(seats.order_by("number", "panel__number")[:listeners])  # spread over the panels
    trials = Trial.objects.filter(ballot__in=[seat.ballot_id for seat in chosen])
    total, done = trials.count(), trials.exclude(UNANSWERED).count()

    def answered() -> None:
        nonlocal done
        done += 1
        run.progress(done, total)

    run.progress(done, total)
    for seat in chosen:
        if seat.state != Seat.State.FINISHED:
            bots.listen(seat=seat, seed=seed, answered=answered)
    run.progress(total, total)


def _lay_out(copy: Experiment, run: JobRun) -> None:
    """Give the copy the seats of the source with the same pages in the same order, few at a time."""
    source = copy.simulation_of
    if source is None or copy.ballots.filter(vote_count__gt=0).exists():
        return
    seats = list(_seats_of(source).select_related("panel", "ballot").order_by("panel__number", "number"))
    there = set(Seat.objects.filter(panel__experiment=copy).values_list("panel__number", "number"))
    if source.layout_sha256 != copy.layout_sha256 or not seats:
        raise AppError(
            "simulation.changed_meanwhile",
            409,
            _("The seats of the experiment were changed in the meantime. Delete this copy and start a new simulation."),
        )
    missing = [seat for seat in seats if (seat.panel.number, seat.number) not in there]
    for first in range(0, len(missing), SEATS_AT_ONCE):
        run.progress(0, 0)
        with run.fenced():
            for seat in missing[first : first + SEATS_AT_ONCE]:
                fields = {"defaults": {"group": seat.panel.group}}
                panel, _made = Panel.objects.get_or_create(experiment=copy, number=seat.panel.number, **fields)
                ballot = copy_ballot(ballot=seat.ballot, kind=Ballot.Kind.SIMULATED, experiment=copy)
                Seat.objects.create(panel=panel, number=seat.number, ballot=ballot)


# --- Afterwards -------------------------------------------------------------------------------------------------------


def job_of(copy: Experiment) -> Job | None:
    """The job whose bots answer in this copy."""
    return Job.objects.filter(name=simulate_listeners.name, about=f"experiment:{copy.pk}").first()


def simulations_of(source: Experiment, *, reader: User) -> QuerySet[Experiment]:
    """Copies of the experiment that the reader may see, the newest first, with how many bots have finished."""
    shown = Experiment.objects.visible_to(reader).filter(simulation_of=source).newest_first()
    return shown.annotate(
        seat_count=Count("ballots"), bots_finished=Count("ballots", Q(ballots__closed_at__isnull=False))
    )


@transaction.atomic
def delete_simulation(*, copy: Experiment, actor: User) -> None:
    """Stop the bots and put the copy into the bin; nothing is typed for it, because nothing in it is data."""
    copy = Experiment.objects.select_for_update().get(pk=copy.pk)
    if not copy.is_simulation:
        raise AppError(
            "simulation.not_a_copy",
            409,
            _("This is an experiment for people. Delete it on its page Settings."),
        )
    target = f"experiment/{copy.slug}"
    jobs = Job.objects.unfinished().filter(name=simulate_listeners.name, about=f"experiment:{copy.pk}")
    queue.cancel(jobs, target=target, actor=actor)
    if copy.deleted_at is None:
        copy.deleted_at = timezone.now()
        copy.save(update_fields=["deleted_at"])
        audit.record(actor=actor, action="experiment.deleted", target=target)
