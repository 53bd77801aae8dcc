"""Jobs of analysis."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_noop as _

from analysis.services import ordinal, report_pdf, results
from core.jobs import JobRun, enqueue, job
from core.models import Job, User
from core.pdf import check_can_write_pdf
from rating.models import Experiment


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


@job(queue="bulk", title=_("Fit of the ordinal model"))
def fit_ordinal_model(*, run: JobRun, experiment_id: str, simulated: bool) -> None:
    ordinal.fit(run=run, experiment=Experiment.objects.get(pk=experiment_id), simulated=simulated)


@transaction.atomic
def request_ordinal_fit(*, experiment: Experiment, actor: User, simulated: bool) -> Job:
    """Have the ordinal model fitted to the votes that count now; refused where they are no categories or too few."""
    ordinal.check_fits(experiment, simulated=simulated)
    return enqueue(
        fit_ordinal_model,
        key=ordinal.job_key(experiment, simulated=simulated),
        requested_by=actor,
        experiment_id=str(experiment.pk),
        simulated=simulated,
    )


@job(queue="bulk", title=_("Report as PDF"))
def write_report_pdf(*, run: JobRun, experiment_id: str, simulated: bool, language: str, asked_at: str) -> None:
    experiment = Experiment.objects.get(pk=experiment_id)
    asked = datetime.fromisoformat(asked_at)
    report_pdf.write(run=run, experiment=experiment, simulated=simulated, language=language, asked_at=asked)


@transaction.atomic
def request_report_pdf(*, experiment: Experiment, actor: User, simulated: bool, language: str, now: datetime) -> Job:
    """Have the report written as PDF as it stands now; refused where the server cannot write any."""
    check_can_write_pdf()
    return enqueue(
        write_report_pdf,
        key=report_pdf.job_key(experiment, simulated=simulated, language=language),
        requested_by=actor,
        experiment_id=str(experiment.pk),
        simulated=simulated,
        language=language,
        asked_at=now.isoformat(),
    )
