"""Jobs of analysis. Those that services ask for are declared beside them."""

from analysis.services import results
from analysis.services.ordinal import fit_ordinal_model
from analysis.services.report_pdf import write_report_pdf
from core.jobs import JobRun, enqueue, job
from core.models import Job, User
from core.querysets import JobQuerySet
from rating.models import Experiment

__all__ = ["fit_ordinal_model", "keep_current", "refresh_results", "refresh_stale_results", "write_report_pdf"]


@job(queue="results")
def refresh_results(*, run: JobRun, experiment_id: str) -> None:
    results.refresh_stale(run=run, experiment_id=experiment_id)


@job(queue="results")
def refresh_stale_results(*, run: JobRun) -> None:
    results.refresh_stale(run=run, leave_out=lambda one: _own_jobs(one).filter(state=Job.State.RUNNING).exists())


def keep_current(*, experiment: Experiment, reader: User) -> Job | None:
    """Ask for fresh results where a person looks at stale ones; however many look, one job waits or runs.

    A running one may have missed the newest vote. Then the results are stale when it is done, and who still looks asks
    again; so does the schedule within a minute.
    """
    if not any(results.stale_results(str(experiment.pk))):
        return None
    if _own_jobs(experiment).exists():
        return None
    return enqueue(refresh_results, key=_key(experiment), requested_by=reader, experiment_id=str(experiment.pk))


def _key(experiment: Experiment) -> str:
    return f"results of {experiment.pk}"


def _own_jobs(experiment: Experiment) -> JobQuerySet:
    """Return the jobs that wait or run for the results of this experiment alone."""
    return Job.objects.unfinished().filter(name=refresh_results.name, key=_key(experiment))
