"""Ordinal model of an experiment: fitted by a job that a person asks for, kept until votes or exclusions change."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext_noop as _

from analysis import datasets
from analysis.blinded_view import shown
from analysis.models import Result
from analysis.registry import get_method, method_of
from analysis.services.results import Held, held_then, votes_held
from core.errors import AppError
from core.http_errors import error_message
from core.jobs import JobRun, enqueue, job
from core.models import Job, User
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.experiments import condition_names

ORDINAL = "ordinal"  # the name under which it is kept beside the results of methods
VERSION = "1.1"
MOST_CATEGORIES = 11
LEAST_VOTES = 20
PARTS = 100  # of the work, as progress is told


class OrdinalFit(NamedTuple):
    """What the page shows: the figures, how far the job is that makes them, or why there are none."""

    refused: str  # why it cannot be asked for
    job: Job | None  # that waits, runs or has failed
    fitted_at: datetime | None  # also of figures that are not shown any more, because votes or exclusions changed
    current: bool
    vote_count: int
    table: Mapping[str, Any]

    @property
    def state(self) -> str:
        if self.job:
            return str(self.job.state)
        return "current" if self.current else "outdated" if self.fitted_at else "none"


def check_fits(experiment: Experiment, *, simulated: bool) -> Held:
    """Refuse answers that are no categories, and too few of them; return what counts."""
    protocol = get_protocol(experiment.protocol)
    rates = getattr(get_method(method_of(protocol.slug)), "rates_conditions", False)
    steps = [(scale.high - scale.low) / scale.step + 1 for scale in protocol.scales]
    if not rates or any(each > MOST_CATEGORIES for each in steps):
        raise AppError(
            "model.no_categories",
            422,
            _("The ordinal model is for ratings in categories; the protocol '{protocol}' does not ask for such."),
            protocol=protocol.slug,
        )
    held = votes_held(experiment, simulated=simulated)
    if held.votes < LEAST_VOTES:
        raise AppError(
            "model.too_few_answers",
            409,
            _("The ordinal model needs at least {least} answered pages; there are {votes}."),
            least=LEAST_VOTES,
            votes=held.votes,
        )
    return held


@job(queue="results", title=_("Fit of the ordinal model"))
def fit_ordinal_model(*, run: JobRun, experiment_id: str, simulated: bool) -> None:
    fit(run=run, experiment=Experiment.objects.get(pk=experiment_id), simulated=simulated)


@transaction.atomic
def request_ordinal_fit(*, experiment: Experiment, actor: User, simulated: bool) -> Job:
    """Have the ordinal model fitted to the votes that count now; refused where they are no categories or too few."""
    check_fits(experiment, simulated=simulated)
    return enqueue(
        fit_ordinal_model,
        key=job_key(experiment, simulated=simulated),
        requested_by=actor,
        experiment_id=str(experiment.pk),
        simulated=simulated,
    )


def job_key(experiment: Experiment, *, simulated: bool) -> str:
    return f"{fit_ordinal_model.name}:{experiment.pk}:{'simulated' if simulated else 'main'}"


def fit(*, run: JobRun, experiment: Experiment, simulated: bool) -> None:
    """Fit every scale, unless the votes are those of the last fit. Votes that arrive meanwhile make it out of date."""
    from analysis.mos.cells import with_categories
    from analysis.mos.ordinal import ordinal_tables

    held = check_fits(experiment, simulated=simulated)
    known = _known(experiment, simulated=simulated)
    if known and _current(known, held):
        return
    scores = datasets.not_excluded(datasets.read_scores(experiment, simulated=simulated))
    marks = with_categories(scores[scores["kind"] == "test"])
    table = ordinal_tables(marks, lambda share, scale: run.progress(round(PARTS * share), PARTS, scale))
    with run.fenced():
        Result.objects.update_or_create(
            experiment=experiment,
            method=ORDINAL,
            simulated=simulated,
            defaults={
                "method_version": VERSION,
                "vote_count": held.votes,
                "abandoned_count": held.abandoned,
                "finished_count": held.finished,
                "exclusion_count": held.exclusions,
                "table": table,
            },
        )


def read_fit(*, experiment: Experiment, simulated: bool) -> OrdinalFit:
    """Return the fit as experimenters may see it now: with letters while blind, and nothing of other votes."""
    try:
        held, refused = check_fits(experiment, simulated=simulated), ""
    except AppError as error:
        held, refused = votes_held(experiment, simulated=simulated), error_message(error)
    known = _known(experiment, simulated=simulated)
    current = known is not None and not refused and _current(known, held)
    blind = experiment.unblinded_at is None
    keys = [scale.key for scale in get_protocol(experiment.protocol).scales]
    latest = _job(experiment, simulated=simulated)
    return OrdinalFit(
        refused=refused,
        job=None if current else latest,
        fitted_at=known.computed_at if known else None,
        current=current,
        vote_count=known.vote_count if known and current else 0,
        table=shown(known.table, names=condition_names(experiment), blind=blind, scales=keys)
        if known and current
        else {},
    )


def _known(experiment: Experiment, *, simulated: bool) -> Result | None:
    return Result.objects.filter(experiment=experiment, method=ORDINAL, simulated=simulated).first()


def _current(known: Result, held: Held) -> bool:
    return (held_then(known), known.method_version) == (held, VERSION)


def _job(experiment: Experiment, *, simulated: bool) -> Job | None:
    """The latest, as long as it has not done its work."""
    key = job_key(experiment, simulated=simulated)
    latest = Job.objects.filter(key=key).order_by("-created_at").first()
    return None if latest is None or latest.state == Job.State.DONE else latest
