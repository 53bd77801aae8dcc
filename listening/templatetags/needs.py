"""`{% needs user %}`: what needs this person now, above the list of experiments."""

from typing import Any

from django import template
from django.utils import timezone

from core.models import User
from listening.panels.dashboard import needs_of

register = template.Library()

SHOWN = 6  # the others are behind one line


@register.inclusion_tag("listening/_needs.html")
def needs(user: User) -> dict[str, Any]:
    found = needs_of(user, now=timezone.now())
    return {"first": found[:SHOWN], "more": found[SHOWN:]}
