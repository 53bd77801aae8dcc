"""Jobs of listening. Those that services ask for are declared beside them."""

from django.utils import timezone

from core.jobs import JobRun, job
from listening.panels.services import removal, seats
from listening.panels.services.demo import build_demo
from listening.panels.services.designs import apply_design
from listening.panels.services.extensions import extend_design
from listening.panels.services.mailing import send_mailing
from listening.panels.services.panels import fill_panel

__all__ = ["apply_design", "build_demo", "empty_bin", "extend_design", "fill_panel", "forget_addresses", "send_mailing"]


@job(queue="bulk")
def forget_addresses(*, run: JobRun) -> None:
    seats.forget_addresses(now=timezone.now())


@job(queue="bulk")
def empty_bin(*, run: JobRun) -> None:
    removal.empty_bin()
