"""`{% next_steps experiment %}`: the list of what an experiment still needs, on its overview page."""

from typing import Any

from django import template
from django.utils import timezone

from listening.panels.next_steps import StepState, steps_of
from rating.models import Experiment

register = template.Library()


@register.inclusion_tag("listening/_next_steps.html")
def next_steps(experiment: Experiment) -> dict[str, Any]:
    steps = steps_of(experiment, now=timezone.now())
    return {
        "experiment": experiment,
        "steps": steps,
        "ready": all(step.state in (StepState.DONE, StepState.CHECK) for step in steps),
        "next": next((step for step in steps if step.state == StepState.OPEN), None),
    }
