"""Jobs of analysis. Those that services ask for are declared beside them."""

from analysis.services import results
from analysis.services.ordinal import fit_ordinal_model
from analysis.services.report_pdf import write_report_pdf
from core.jobs import JobRun, enqueue, job
from core.models import Job, User
from rating.models import Experiment

__all__ = ["fit_ordinal_model", "keep_current", "refresh_results", "refresh_stale_results", "write_report_pdf"]


@job(queue="results")
def refresh_results(*, run: JobRun, experiment_id: str) -> None:
    results.refresh_stale(run=run, experiment_id=experiment_id)


@job(queue="results")
def refresh_stale_results(*, run: JobRun) -> None:
    results.refresh_stale(run=run)


def keep_current(*, experiment: Experiment, reader: User) -> Job | None:
    """Ask for fresh results where a person looks at stale ones; however many look, one job waits or runs.

    A running one may have missed the newest vote. Then the results are stale when it is done, and who still looks asks
    again; so does the schedule within a minute.
    """
    if not any(results.stale_results(str(experiment.pk))):
        return None
    key = f"results of {experiment.pk}"
    if Job.objects.unfinished().filter(name=refresh_results.name, key=key).exists():
        return None
    return enqueue(refresh_results, key=key, requested_by=reader, experiment_id=str(experiment.pk))
