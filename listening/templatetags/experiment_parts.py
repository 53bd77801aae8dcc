"""`{% next_steps experiment %}`: the list of what an experiment still needs, on its overview page."""

from typing import Any

from django import template
from django.utils import timezone

from listening.panels.forms import USUAL_LISTENERS
from listening.panels.next_steps import StepState, steps_of
from rating.models import Experiment
from rating.protocol import Designable
from rating.registry import get_protocol

register = template.Library()


@register.inclusion_tag("listening/_next_steps.html")
def next_steps(experiment: Experiment, *, confirming: bool = False) -> dict[str, Any]:
    steps = steps_of(experiment, now=timezone.now())
    waiting = any(step.job for step in steps)
    return {
        "experiment": experiment,
        "steps": steps,
        "waiting": waiting,
        "confirming": confirming,
        "designable": isinstance(get_protocol(experiment.protocol), Designable),
        "usual_listeners": USUAL_LISTENERS,
        "ready": all(step.state in (StepState.DONE, StepState.CHECK) for step in steps),
        "next": next((step for step in steps if step.state == StepState.OPEN), None),
    }
