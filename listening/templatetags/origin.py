"""`{% origin experiment %}`: what was not carried over from the program that a test was made for, on its overview."""

from typing import Any

from django import template
from django.utils.translation import gettext

from core.i18n import translate_messages
from rating.models import Experiment

register = template.Library()


@register.inclusion_tag("listening/_origin.html")
def origin(experiment: Experiment) -> dict[str, Any]:
    known = experiment.origin
    return {
        "program": known.get("program", ""),
        "file": known.get("file", ""),
        **{
            name: [translate_messages(one, gettext)["said"] for one in known.get(name, [])]
            for name in ("changed", "dropped")
        },
    }
