"""Report of an experiment as PDF: written by a job that a reader asks for, kept until the next one."""

from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.utils.translation import gettext_noop as _
from django.utils.translation import override

from analysis.models import ReportPdf
from analysis.services.experiment_report import report_file
from analysis.services.exports import note_download
from core.errors import AppError
from core.jobs import JobRun, enqueue, job
from core.models import Job, User
from core.pdf import can_write_pdf, check_can_write_pdf, write_pdf
from rating.models import Experiment

LONGEST_S = 600


class PdfState(NamedTuple):
    """What the page shows: when the last one was asked for, and the job that writes the next or could not."""

    possible: bool
    asked_at: datetime | None
    job: Job | None

    @property
    def is_coming(self) -> bool:
        return self.job is not None and not self.job.is_stopped


@job(queue="results", title=_("Report as PDF"))
def write_report_pdf(*, run: JobRun, experiment_id: str, simulated: bool, language: str, asked_at: str) -> None:
    experiment = Experiment.objects.get(pk=experiment_id)
    asked = datetime.fromisoformat(asked_at)
    write(run=run, experiment=experiment, simulated=simulated, language=language, asked_at=asked)


@transaction.atomic
def request_report_pdf(*, experiment: Experiment, actor: User, simulated: bool, language: str, now: datetime) -> Job:
    """Have the report written as PDF as it stands now; refused where the server cannot write any."""
    check_can_write_pdf()
    return enqueue(
        write_report_pdf,
        key=job_key(experiment, simulated=simulated, language=language),
        requested_by=actor,
        experiment_id=str(experiment.pk),
        simulated=simulated,
        language=language,
        asked_at=now.isoformat(),
    )


def job_key(experiment: Experiment, *, simulated: bool, language: str) -> str:
    return f"{write_report_pdf.name}:{experiment.pk}:{'simulated' if simulated else 'main'}:{language}"


def write(*, run: JobRun, experiment: Experiment, simulated: bool, language: str, asked_at: datetime) -> None:
    with override(language):
        html = report_file(experiment=experiment, simulated=simulated, now=asked_at)
    content = write_pdf(html, longest_s=LONGEST_S)
    with run.fenced():
        ReportPdf.objects.update_or_create(
            experiment=experiment,
            simulated=simulated,
            language=language,
            defaults={"asked_at": asked_at, "content": content},
        )


def read_state(*, experiment: Experiment, simulated: bool, language: str) -> PdfState:
    kept = ReportPdf.objects.filter(experiment=experiment, simulated=simulated, language=language)
    key = job_key(experiment, simulated=simulated, language=language)
    latest = Job.objects.filter(key=key).order_by("-created_at").first()
    return PdfState(
        possible=can_write_pdf(),
        asked_at=kept.values_list("asked_at", flat=True).first(),
        job=None if latest is None or latest.state == Job.State.DONE else latest,
    )


def export_report_pdf(*, experiment: Experiment, actor: User, simulated: bool, language: str) -> bytes:
    """The last one that was written; the download is noted in the audit log."""
    kept = ReportPdf.objects.filter(experiment=experiment, simulated=simulated, language=language).first()
    if kept is None:
        raise AppError(
            "report.no_pdf", 409, _("The report has not been written as PDF yet. Ask for it first, with POST.")
        )
    note_download(experiment=experiment, actor=actor, simulated=simulated, what="report PDF")
    return bytes(kept.content)
