"""Jobs of analysis."""

from analysis.services import results
from core.jobs import JobRun, enqueue, job
from core.models import Job, User
from rating.models import Experiment


@job(queue="results")
def refresh_results(*, run: JobRun, experiment_id: str) -> None:
    results.refresh_stale(run=run, experiment_id=experiment_id)


@job(queue="results")
def refresh_stale_results(*, run: JobRun) -> None:
    results.refresh_stale(run=run)


def keep_current(*, experiment: Experiment, reader: User) -> Job | None:
    """Ask for fresh results where a person looks at stale ones; however many look, one job waits."""
    if not any(results.stale_results(str(experiment.pk))):
        return None
    return enqueue(
        refresh_results, key=f"results of {experiment.pk}", requested_by=reader, experiment_id=str(experiment.pk)
    )
