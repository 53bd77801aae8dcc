"""Parts of the pages of experiments: next steps and origin on the overview, and what needs a person above the list."""

from typing import Any

from django import template
from django.utils import timezone
from django.utils.translation import gettext

from core.i18n import translate_messages
from core.models import User
from listening.panels.dashboard import needs_of
from listening.panels.forms import USUAL_LISTENERS
from listening.panels.next_steps import StepState, design_in_words, steps_of
from rating.models import Experiment
from rating.protocol import Designable
from rating.registry import get_protocol

register = template.Library()

NEEDS_SHOWN = 6  # the others are behind one line


@register.inclusion_tag("listening/_next_steps.html")
def next_steps(experiment: Experiment, *, confirming: bool = False) -> dict[str, Any]:
    """What the experiment still needs."""
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


@register.simple_tag
def design_sentence(experiment: Experiment) -> str:
    """The design in one sentence."""
    return design_in_words(experiment, now=timezone.now())


@register.inclusion_tag("listening/_origin.html")
def origin(experiment: Experiment) -> dict[str, Any]:
    """What was not carried over from the program that the test was made for."""
    known = experiment.origin
    return {
        "program": known.get("program", ""),
        "file": known.get("file", ""),
        **{
            name: [translate_messages(one, gettext)["said"] for one in known.get(name, [])]
            for name in ("changed", "dropped")
        },
    }


@register.inclusion_tag("listening/_needs.html")
def needs(user: User) -> dict[str, Any]:
    """What needs this person now."""
    found = needs_of(user, now=timezone.now())
    return {"first": found[:NEEDS_SHOWN], "more": found[NEEDS_SHOWN:]}
