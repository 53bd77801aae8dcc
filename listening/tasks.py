"""Jobs of listening."""

from typing import Any

from django.utils import timezone

from core.models import Job
from core.tasks import JobRun, job
from listening.panels.services import demo, designs, panels, seats


@job(designs.JOB, priority=Job.Priority.AWAITED)
def adopt_design(run: JobRun, *, experiment_id: str, wanted: dict[str, Any], sha256: str, actor_id: str) -> None:
    designs.adopt_in_background(run=run, experiment_id=experiment_id, wanted=wanted, sha256=sha256, actor_id=actor_id)


@job(panels.FILL, priority=Job.Priority.AWAITED)
def fill_panel(run: JobRun, *, experiment_id: str, panel: int, seats: int) -> None:
    panels.fill_panel(run=run, experiment_id=experiment_id, panel=panel, seats=seats)


@job("listening.forget_addresses")
def forget_addresses(run: JobRun) -> None:
    seats.forget_addresses(now=timezone.now())


@job(demo.BUILD, priority=Job.Priority.BULK)
def build_demo(run: JobRun, *, module: str) -> None:
    demo.build_one(run=run, module=module)
