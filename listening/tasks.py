"""Jobs of listening. Those that services ask for are declared beside them."""

from collections.abc import Collection

from django.urls import reverse
from django.utils import timezone

from core.jobs import JobRun, job
from core.jobs.groups import Subject, subject
from listening.models import Mailing
from listening.panels.services import alerts, removal, seats
from listening.panels.services.demo import build_demo
from listening.panels.services.designs import apply_design
from listening.panels.services.experiment_files import lay_out_file
from listening.panels.services.extensions import extend_design
from listening.panels.services.mailing import send_mailing
from listening.panels.services.panels import fill_panel
from listening.panels.services.simulated_copies import simulate_listeners
from rating.models import Experiment

__all__ = [
    "apply_design",
    "build_demo",
    "empty_bin",
    "extend_design",
    "fill_panel",
    "forget_addresses",
    "lay_out_file",
    "send_alerts",
    "send_mailing",
    "simulate_listeners",
]


@job(queue="bulk")
def forget_addresses(*, run: JobRun) -> None:
    seats.forget_addresses(now=timezone.now())


@job(queue="bulk")
def empty_bin(*, run: JobRun) -> None:
    removal.empty_bin()


@job(queue="bulk")
def send_alerts(*, run: JobRun) -> None:
    alerts.tell(now=timezone.now(), fence=run.fenced)


# --- What jobs are about ----------------------------------------------------------------------------------------------


@subject("experiment")
def experiments(ids: Collection[str]) -> dict[str, Subject]:
    return {str(row.pk): _subject(row) for row in Experiment.objects.filter(pk__in=ids, deleted_at__isnull=True)}


@subject("mailing")
def mailings(ids: Collection[str]) -> dict[str, Subject]:
    rows = Mailing.objects.filter(pk__in=ids, experiment__deleted_at__isnull=True).select_related("experiment")
    return {str(row.pk): _subject(row.experiment) for row in rows}


def _subject(experiment: Experiment) -> Subject:
    return Subject(experiment.title, reverse("rating:experiment", args=[experiment.slug]))
